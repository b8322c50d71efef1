package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/client"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/project"
)

func demoCommand() *cobra.Command {
	f := upFlags{demo: true}
	var down bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "See the main job with two built-in agents: no login, no network",
		Long: `Start two scripted agents, frontend and backend, in place of claude and show
them: frontend hands backend a task, backend asks you for permission to run a
command, both meet in a room. Everything but the agents is the real thing.

The demo is a project of its own, in the folder demo of ccmux's state folder
(~/.local/state/ccmux/demo): other commands for it are run there. What it makes
is removed by the next demo.`,
		Example: "  ccmux demo\n  ccmux demo --down    end it",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if down {
				return demoDown(c.Context())
			}
			return demo(c.Context(), f)
		},
	}
	c.Flags().BoolVar(&down, "down", false, "end the demo")
	c.Flags().BoolVarP(&f.detach, "detach", "d", false, "start in the background and do not show the screen")
	return c
}

// demo makes the demo's project and starts it. A demo that runs is shown again;
// what an earlier one left is removed.
func demo(ctx context.Context, f upFlags) error {
	binary, err := self()
	if err != nil {
		return err
	}
	p, err := makeDemoProject()
	if err != nil {
		return err
	}
	if err := clearDemo(ctx, p); err != nil {
		return err
	}
	specs, err := demoSpecs(p.Root, binary)
	if err != nil {
		return err
	}
	return start(ctx, p, specs, f)
}

// demoFolder is where the demo works: in ccmux's own folder, so that demos with
// other folders of that kind do not meet.
func demoFolder() (string, error) {
	home, err := project.StateHome()
	return filepath.Join(home, "demo"), err
}

// demoProject is the demo's project: its folder and no other. project.Find would
// take it for a part of the project of a ccmux.toml above it, and what is done
// here ends a project and removes its folder.
func demoProject() (project.Project, error) {
	root, err := demoFolder()
	if err != nil {
		return project.Project{}, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return project.Project{}, fmt.Errorf("find the demo's folder: %w", err)
	}
	return project.Project{Root: root}, nil
}

// makeDemoProject makes the folder where it is not there, and refuses one in which
// ccmux would work for another project.
func makeDemoProject() (project.Project, error) {
	root, err := demoFolder()
	if err != nil {
		return project.Project{}, err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return project.Project{}, fmt.Errorf("make the demo's folder: %w", err)
	}
	at, err := project.Find(root)
	if err != nil {
		return project.Project{}, err
	}
	if at.Config != nil || at.Fault != nil {
		return project.Project{}, fmt.Errorf("the demo needs a folder without a ccmux.toml above it, and there is %s: set XDG_STATE_HOME to another one",
			filepath.Join(at.Root, project.FileName))
	}
	return demoProject()
}

// errNoDemo says that there is no demo to end.
var errNoDemo = errors.New("no demo runs: ccmux demo begins one")

// demoDown ends a demo that runs.
func demoDown(ctx context.Context) error {
	p, err := demoProject()
	if errors.Is(err, fs.ErrNotExist) {
		return errNoDemo
	}
	if err != nil {
		return err
	}
	if err := stopProject(ctx, p); !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	return errNoDemo
}

// elsewhere adds to the word that no ccmux runs here where the demo does.
func elsewhere(ctx context.Context, err error) error {
	if !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	p, ferr := demoProject()
	if ferr != nil {
		return err // there never was one
	}
	c, _, ferr := client.Dial(ctx, p, build(), nil)
	if ferr != nil {
		return err
	}
	c.Close()
	return fmt.Errorf("%w; the demo runs in a folder of its own: cd %s, and the command again", err, p.Root)
}

// clearDemo removes what an earlier demo left, unless it still runs.
func clearDemo(ctx context.Context, p project.Project) error {
	c, _, err := client.Dial(ctx, p, build(), nil)
	if err == nil {
		c.Close()
		return nil
	}
	if !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	state, err := p.StateDir()
	if err != nil {
		return err
	}
	// The journal goes first: one that cannot be reached from here, with another
	// XDG_RUNTIME_DIR say, keeps it.
	if err := journal.Remove(state); err != nil {
		return fmt.Errorf("remove the last demo: %w", err)
	}
	if err := os.RemoveAll(p.Root); err != nil {
		return fmt.Errorf("remove the last demo: %w", err)
	}
	return nil
}

func demoSpecs(root, binary string) ([]wire.SessionSpec, error) {
	var specs []wire.SessionSpec
	for _, name := range []string{"frontend", "backend"} {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the demo's folder: %w", err)
		}
		specs = append(specs, wire.SessionSpec{
			Name: name, Dir: dir, Command: []string{binary, "demo-agent"},
			Env: []string{"CCMUX_DEMO_SCRIPT=demo-" + name, "CLAUDE_CONFIG_DIR=" + filepath.Join(root, ".agent")},
		})
	}
	return specs, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/project"
)

func demoCommand() *cobra.Command {
	var f upFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "See the main job with two built-in agents: no login, no network",
		Long: `Start two scripted agents, frontend and backend, in place of claude and show
them: frontend hands backend a task, backend asks you for permission to run a
command, both meet in a room. Everything but the agents is the real thing.

The demo is a project of its own in a temporary folder; what it makes is
removed by the next demo.`,
		Example: "  ccmux demo",
		Args:    args(cobra.NoArgs),
		RunE:    func(c *cobra.Command, _ []string) error { return demo(c.Context(), f) },
	}
	c.Flags().BoolVarP(&f.detach, "detach", "d", false, "start in the background and do not show the screen")
	return c
}

// demo makes the demo's project and starts it.
func demo(ctx context.Context, f upFlags) error {
	binary, err := self()
	if err != nil {
		return err
	}
	root := filepath.Join(os.TempDir(), fmt.Sprintf("ccmux-demo-%d", os.Getuid()))
	var specs []wire.SessionSpec
	for _, name := range []string{"frontend", "backend"} {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the demo's folder: %w", err)
		}
		specs = append(specs, wire.SessionSpec{
			Name: name, Dir: dir, Command: []string{binary, "demo-agent"},
			Env: []string{"CCMUX_DEMO_SCRIPT=demo-" + name, "CLAUDE_CONFIG_DIR=" + filepath.Join(root, ".agent")},
		})
	}
	p, err := project.Find(root)
	if err != nil {
		return err
	}
	if p.Root != specs[0].Dir && p.Config != nil {
		return errors.New("the demo needs a folder without a ccmux.toml above it: set TMPDIR to another one")
	}
	return start(ctx, p, specs, f)
}

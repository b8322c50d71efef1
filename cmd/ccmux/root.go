package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/supervisor/project"
)

// version is set by releases; a build from a checkout names its commit.
var version = ""

// build is this program's version in a word.
func build() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return "devel-" + s.Value[:12]
			}
		}
		if v := info.Main.Version; v != "" && v != "(devel)" {
			return v
		}
	}
	return "devel"
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "ccmux",
		Short: "Run several Claude Code sessions at once, and let them work together",
		Long: `ccmux runs several Claude Code sessions side by side. They hand each other
tasks, answers and notes through ccmux; you watch them, read along, and answer
their permission requests with one key.

Sessions outlive the terminal: detach with q, come back with ccmux attach.`,
		Example: `  ccmux up frontend backend     start sessions in these folders and show them
  ccmux demo                    see it work with built-in agents, no login
  ccmux send backend "run the tests" --kind task
  ccmux ls                      what runs, and who needs you
  ccmux down                    end the sessions of this project`,
		Version:       build(),
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,

		Args: func(c *cobra.Command, a []string) error {
			if len(a) == 0 {
				return nil
			}
			return unknownCommand(c, a[0])
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return c.Help()
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%s: see %s --help", parsing.ReplaceAllString(err.Error(), ""), c.CommandPath())}
	})
	root.AddCommand(upCommand(), attachCommand(), downCommand(), restartCommand(), forgetCommand(), listCommand(),
		sendCommand(), approvalsCommand(), approveCommand(), denyCommand(), rulesCommand(), auditCommand(),
		historyCommand(), searchCommand(), roomCommand(), tailCommand(),
		inboxCommand(), ackCommand(), archiveCommand(), holdCommand(), releaseCommand(), withdrawCommand(),
		trustCommand(), doctorCommand(), demoCommand(), serveCommand())
	addCompletions(root)
	return root
}

// parsing is what Go's own parser says about itself in its complaints.
var parsing = regexp.MustCompile(`strconv\.Parse\w+: parsing ".*": `)

// unknownCommand names the commands that may have been meant.
func unknownCommand(root *cobra.Command, name string) error {
	hint := ""
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "? "
	}
	return usageError{fmt.Errorf("there is no command %q: %ssee ccmux --help", name, hint)}
}

// args checks the number of arguments; its complaint shows which there are.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if err := check(c, a); err != nil {
			return usageError{fmt.Errorf("%w: the form is %s", err, c.UseLine())}
		}
		return nil
	}
}

// here is the project of the working folder.
func here() (project.Project, string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return project.Project{}, "", fmt.Errorf("find the working folder: %w", err)
	}
	p, err := project.Find(wd)
	return p, wd, err
}

// self is this program's absolute path; channel and hook processes are started
// from it.
func self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path, nil
}

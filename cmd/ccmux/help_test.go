package main

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestEveryCommandShowsAnExample: most people read nothing else of a help text.
func TestEveryCommandShowsAnExample(t *testing.T) {
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		if c.Short == "" {
			t.Errorf("%s does not say what it is for", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	look(newRoot())
}

// TestCompletionsAreOfCommandsThatExist.
func TestCompletionsAreOfCommandsThatExist(t *testing.T) {
	left := map[string]bool{}
	for path := range completions {
		left[path] = true
	}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		delete(left, c.CommandPath())
		for _, sub := range c.Commands() {
			look(sub)
		}
	}
	look(newRoot())
	for path := range left {
		t.Errorf("there is no command %s", path)
	}
}

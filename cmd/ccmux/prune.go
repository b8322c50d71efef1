package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
)

func pruneCommand() *cobra.Command {
	var older string
	c := &cobra.Command{
		Use:   "prune --older AGE",
		Short: "Delete old messages for good",
		Long: `Delete the messages of threads in which nothing was said for AGE and nothing is
open. AGE is a number of days (30d) or hours (12h). What is deleted is in no
history any more. retention in ccmux.toml does the same every day.`,
		Example: "  ccmux history prune --older 30d",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			age, err := parseAge(older)
			if err != nil {
				return usageError{err}
			}
			return withClient(c.Context(), nil, func(cl *wire.Client) error {
				var done wire.Pruned
				if err := cl.Call(c.Context(), wire.TypePrune, wire.Prune{OlderSeconds: int64(age / time.Second)}, &done); err != nil {
					return err
				}
				fmt.Printf("deleted: %d messages\n", done.Messages)
				return nil
			})
		},
	}
	c.Flags().StringVar(&older, "older", "", "delete what is older: 30d, 12h")
	return c
}

// maxDays keeps an age within what a time.Duration can hold.
const maxDays = 36500

// parseAge reads an age in days or in the units of Go.
func parseAge(text string) (time.Duration, error) {
	wrong := fmt.Errorf("--older is %q: use a number of days or hours, such as 30d or 12h", text)
	if number, ok := strings.CutSuffix(text, "d"); ok {
		days, err := strconv.Atoi(number)
		if err != nil || days < 1 || days > maxDays {
			return 0, wrong
		}
		return time.Duration(days) * 24 * time.Hour, nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age <= 0 {
		return 0, wrong
	}
	return age, nil
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ccmux/ccmux/channel/wire"
)

type sendFlags struct {
	kind, task, parent, subject string
	reply, status, inReplyTo    string
	await                       time.Duration
	asJSON                      bool
}

func sendCommand() *cobra.Command {
	var f sendFlags
	c := &cobra.Command{
		Use:   "send {PEER[,PEER]... | '#ROOM' | '*' | --reply TASK}  TEXT...",
		Short: "Write to a session or a room as you",
		Long: `Write to one peer, to several, to all ('*') or to a room ('#ROOM') as the peer
named you. With TEXT "-" the text is read from standard input.

With --reply it answers the open task of that thread, as its asker expects, and
names no recipient; --status needs_context asks back and leaves the task open.

The result says what is on record for each recipient, and no more: written,
offered, seen, waiting and for what.

With --wait it prints the replies of all recipients, and exits with 0 only when
each replied and none reported anything but complete; with 3 when a reply is
missing by then, and with 4 when a reply says failed or needs_context.`,
		Example: `  ccmux send backend "is the build green?"
  ccmux send backend --kind task --wait 2m "run the tests and report"
  ccmux send '#ui' "freeze at five"
  ccmux send --reply t-12 --status needs_context "which database?"
  git diff | ccmux send frontend,backend --subject "please review" -`,
		Args: args(func(c *cobra.Command, a []string) error {
			if f.reply != "" {
				return cobra.MinimumNArgs(1)(c, a)
			}
			return cobra.MinimumNArgs(2)(c, a)
		}),
		RunE: func(c *cobra.Command, a []string) error {
			if f.reply != "" {
				return reply(c, a, f)
			}
			return send(c, a[0], a[1:], f)
		},
	}
	c.Flags().StringVarP(&f.kind, "kind", "k", "note", "task (do this and answer) or note (for your information)")
	c.Flags().StringVar(&f.task, "task", "", "continue this thread (task_id)")
	c.Flags().StringVar(&f.parent, "parent", "", "the thread this one serves (task_id)")
	c.Flags().StringVar(&f.subject, "subject", "", "one line about it")
	c.Flags().StringVar(&f.reply, "reply", "", "answer the open task of this thread (task_id, or the message_id of the task)")
	c.Flags().StringVar(&f.status, "status", "", "of a reply: complete (when left out), needs_context or failed")
	c.Flags().StringVar(&f.inReplyTo, "in-reply-to", "", "which of several open tasks a reply answers (message_id)")
	c.Flags().DurationVar(&f.await, "wait", 0, "wait so long for the replies to a task, at most 2m")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return c
}

// textOf is the text of a message: its words, or standard input for "-".
func textOf(words []string) (string, error) {
	text := strings.Join(words, " ")
	if text != "-" {
		return text, nil
	}
	raw, err := io.ReadAll(io.LimitReader(os.Stdin, wire.MaxBody+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return string(raw), nil
}

// reply answers a task that you were given.
func reply(c *cobra.Command, words []string, f sendFlags) error {
	for _, name := range []string{"kind", "task", "parent", "subject", "wait"} {
		if c.Flags().Changed(name) {
			return usageError{fmt.Errorf("--%s does not go with --reply", name)}
		}
	}
	text, err := textOf(words)
	if err != nil {
		return err
	}
	return callTool(c, wire.ToolRespondToPeer, wire.RespondArgs{
		TaskID: f.reply, Content: text, Status: wire.Status(f.status), InReplyTo: f.inReplyTo,
	}, f.asJSON)
}

func send(c *cobra.Command, to string, words []string, f sendFlags) error {
	if f.status != "" || f.inReplyTo != "" {
		return usageError{errors.New("--status and --in-reply-to go with --reply")}
	}
	text, err := textOf(words)
	if err != nil {
		return err
	}
	if f.await > 0 && wire.Kind(f.kind) == wire.KindNote {
		return usageError{errors.New("a note gets no reply to wait for: add --kind task, or leave --wait out")}
	}
	if f.await < 0 || f.await > wire.MaxAwait*time.Second {
		return usageError{fmt.Errorf("--wait is %v: use up to %v", f.await, wire.MaxAwait*time.Second)}
	}
	m := wire.MessageArgs{
		Content: text, Kind: wire.Kind(f.kind), TaskID: f.task, ParentTaskID: f.parent, Subject: f.subject,
		AwaitReply: int((f.await + time.Second - 1) / time.Second), // whole seconds, never fewer
	}
	name, arguments := wire.ToolSendToPeers, any(wire.SendToPeersArgs{To: strings.Split(to, ","), MessageArgs: m})
	if room, ok := strings.CutPrefix(to, "#"); ok {
		name, arguments = wire.ToolSendToRoom, wire.SendToRoomArgs{Room: room, MessageArgs: m}
	}
	res, err := runTool(c, name, arguments)
	if err != nil {
		return err
	}
	if err := printResult(res, f.asJSON); err != nil {
		return err
	}
	if m.AwaitReply == 0 {
		return nil
	}
	return judgeReplies(res, f.await)
}

// judgeReplies makes the exit code of a send that waited: nobody should go on
// after a task that was not done.
func judgeReplies(res wire.ToolResult, waited time.Duration) error {
	var data struct {
		Recipients []struct{ Peer string }
		Replies    []struct {
			Sender string
			Status wire.Status
		}
	}
	if raw, err := json.Marshal(res.Data); err != nil || json.Unmarshal(raw, &data) != nil {
		return errors.New("ccmux's answer cannot be read: is this the program that runs?")
	}
	done := map[string]wire.Status{}
	for _, r := range data.Replies {
		done[r.Sender] = r.Status
	}
	for _, r := range data.Recipients {
		switch status, came := done[r.Peer]; {
		case !came:
			return exitError{exitNoReply, fmt.Errorf("no reply from %s within %v: it comes to your screen, and ccmux inbox shows it", r.Peer, waited)}
		case status != wire.StatusComplete:
			return exitError{exitNotDone, fmt.Errorf("%s replied: %s", r.Peer, status)}
		}
	}
	return nil
}

// callTool runs a tool as the human and prints its result.
func callTool(c *cobra.Command, name string, arguments any, asJSON bool) error {
	res, err := runTool(c, name, arguments)
	if err != nil {
		return err
	}
	return printResult(res, asJSON)
}

// runTool runs a tool as the human.
func runTool(c *cobra.Command, name string, arguments any) (res wire.ToolResult, err error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return res, err
	}
	err = withClient(c.Context(), nil, func(cl *wire.Client) error {
		return cl.Call(c.Context(), wire.TypeTool, wire.ToolCall{Name: name, Arguments: raw}, &res)
	})
	if err == nil && res.IsError {
		err = errors.New(res.Text)
	}
	return res, err
}

func printResult(res wire.ToolResult, asJSON bool) error {
	if asJSON {
		return printJSON(res.Data, false)
	}
	fmt.Println(res.Text)
	return nil
}

func tailCommand() *cobra.Command {
	var asJSON bool
	var from uint64
	c := &cobra.Command{
		Use:     "tail",
		Short:   "Follow the timeline: every message, delivery, request and state",
		Example: "  ccmux tail\n  ccmux tail --from 1 --json | jq .",
		Args:    args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			failed := make(chan error, 1)
			said := newNarrator(asJSON)
			said.numbered = true
			print := func(f wire.Frame) {
				if err := said.frame(f, nil); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
			return withClient(c.Context(), print, func(cl *wire.Client) error {
				err := cl.Call(c.Context(), wire.TypeTail, wire.Tail{From: from}, nil)
				if c.Context().Err() != nil {
					return nil // ctrl+c is how one stops following
				}
				select {
				case err := <-failed: // nobody reads our output any more
					return err
				default:
					return err
				}
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document a line")
	c.Flags().Uint64Var(&from, "from", 0, "begin with this event; 0 shows only what comes")
	return c
}

package supervisor

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/journal"
	"github.com/ccmux/ccmux/supervisor/router"
)

// The kinds of ids that people copy from what ccmux prints.
const (
	aMessage = "a message (message_id)"
	aThread  = "a thread (task_id, such as t-12)"
	aRequest = "a permission request (such as r-12)"
	aRule    = "a rule (such as rule-3)"
)

var (
	shortIDs = regexp.MustCompile(`^(t|r|rule)-[0-9]+$`)
	// messageForm is a UUID or the beginning of one, of at least 8 characters.
	messageForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{0,4}){0,3}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{0,12}$`)
)

// listed is how many messages an error lists that a beginning stands for.
const listed = 8

// kindOf says what an id is the id of, by its form; "" when it has none of ours.
func kindOf(id string) string {
	id = strings.ToLower(id)
	if m := shortIDs.FindStringSubmatch(id); m != nil {
		return map[string]string{"t": aThread, "r": aRequest, "rule": aRule}[m[1]]
	}
	if messageForm.MatchString(id) {
		return aMessage
	}
	return ""
}

// ofKind refuses an id of another kind than the one that is wanted.
func ofKind(id, want string) error {
	if kind := kindOf(id); kind != "" && kind != want {
		return &wire.Failure{Code: wire.CodeUnknown, Message: fmt.Sprintf("%s names %s: %s is wanted here", id, kind, want)}
	}
	return nil
}

// message finds the one message that an id, or the beginning of one, stands for.
func (p past) message(ctx context.Context, text string) (journal.Post, error) {
	if err := ofKind(text, aMessage); err != nil {
		return journal.Post{}, err
	}
	text = strings.ToLower(text)
	none := func(hint string) error {
		return &wire.Failure{Code: wire.CodeUnknown, Message: fmt.Sprintf("there is no message %q%s", wire.CleanLine(text, wire.MaxName), hint)}
	}
	if !messageForm.MatchString(text) {
		return journal.Post{}, none(": a message_id is wanted, or at least 8 characters of its beginning; ccmux history shows them")
	}
	found, err := p.journal.Posts(ctx, text, listed+1)
	switch {
	case err != nil:
		return journal.Post{}, err
	case len(found) == 0:
		return journal.Post{}, none(": ccmux history shows what there is")
	case len(found) == 1:
		return found[0], nil
	}
	var list []string
	for _, f := range found[:min(len(found), listed)] {
		list = append(list, string(f.ID))
	}
	if len(found) > listed {
		list = append(list, "and more")
	}
	return journal.Post{}, &wire.Failure{Code: wire.CodeUnknown, Message: fmt.Sprintf("%s begins more than one message_id: %s", text, strings.Join(list, ", "))}
}

// messageID is the id of a message as this peer names it: the human may give its
// beginning, a model has it whole.
func (c *conn) messageID(text string) (router.MessageID, error) {
	if c.role != wire.RoleHuman || text == "" {
		return router.MessageID(text), nil
	}
	post, err := c.past().message(c.ctx, text)
	return post.ID, err
}

// answers is the thread that a reply names, and the message in it when that is
// how the human named it.
func (c *conn) answers(thread, message string) (router.ThreadID, router.MessageID, error) {
	if c.role == wire.RoleHuman && kindOf(thread) == aMessage {
		post, err := c.past().message(c.ctx, thread)
		if err != nil || message == "" {
			return post.Thread, post.ID, err
		}
		thread = string(post.Thread)
	}
	if c.role == wire.RoleHuman {
		if err := ofKind(thread, aThread); err != nil {
			return "", "", err
		}
	}
	id, err := c.messageID(message)
	return router.ThreadID(thread), id, err
}

func (c *conn) past() past { return past{c.s.journal, c.s.loop.look()} }

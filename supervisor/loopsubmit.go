package supervisor

import (
	"context"
	"errors"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// errStopping refuses what comes after the end.
var errStopping = &wire.Failure{Code: wire.CodeStopping, Message: "ccmux is stopping"}

func storageFailure(err error) error {
	return &wire.Failure{Code: wire.CodeStorage, Message: "nothing was done: the journal could not be written: " + err.Error()}
}

// submit has cmd decided and made durable, and returns its result.
func (l *loop) submit(ctx context.Context, cmd router.Command) (router.Result, error) {
	return l.submitThen(ctx, cmd, nil)
}

// submitThen has after called on the loop's goroutine before the result is
// returned, so that words about it need no second way through the loop. It is
// not called when the command failed, and must not block or change the state.
func (l *loop) submitThen(ctx context.Context, cmd router.Command, after func(*router.State, router.Result)) (router.Result, error) {
	c := &call{cmd: cmd, after: after, answer: make(chan struct{})}
	if err := l.enter(ctx, c); err != nil {
		return router.Result{}, err
	}
	return l.await(c)
}

// submitAll is submit for many at once, which wait for one commit together, or
// for two. It returns what went wrong with any.
func (l *loop) submitAll(ctx context.Context, cmds []router.Command) error {
	var calls []*call
	var wrong []error
	for _, cmd := range cmds {
		c := &call{cmd: cmd, answer: make(chan struct{})}
		if err := l.enter(ctx, c); err != nil {
			wrong = append(wrong, err)
			break
		}
		calls = append(calls, c)
	}
	for _, c := range calls {
		if _, err := l.await(c); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

func (l *loop) enter(ctx context.Context, c *call) error {
	select {
	case l.in <- c:
		return nil
	case <-l.done:
		return errStopping
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *loop) await(c *call) (router.Result, error) {
	select {
	case <-c.answer:
		return c.res, c.err
	case <-l.done:
		select { // it may have been answered on the way out
		case <-c.answer:
			return c.res, c.err
		default:
			return router.Result{}, errStopping
		}
	}
}

package tui

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// input is a screen's keyboard. It is the descriptor that came from outside,
// plus a word when the terminal is gone, which Bubble Tea takes for silence.
type input struct {
	file *os.File
	over *atomic.Bool // nothing is read any more
	gone func()
}

func (in *input) Fd() uintptr                 { return in.file.Fd() }
func (in *input) Name() string                { return in.file.Name() }
func (in *input) Write(p []byte) (int, error) { return 0, errors.New("this is the keyboard") }
func (in *input) Close() error                { return nil }

func (in *input) Read(p []byte) (int, error) {
	if in.over.Load() {
		return 0, io.EOF
	}
	n, err := in.file.Read(p)
	if err != nil {
		in.gone()
		return n, io.EOF
	}
	return n, nil
}

package router

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shrink leaves out what a failure does not need.
func shrink(t testing.TB, ops []op) []op {
	for size := len(ops) / 2; size >= 1; {
		smaller := false
		for i := 0; i+size <= len(ops); {
			try := slices.Concat(ops[:i], ops[i+size:])
			if runOps(t, try) != nil {
				ops, smaller = try, true
			} else {
				i += size
			}
		}
		if !smaller || size > len(ops) {
			size /= 2
		}
	}
	return ops
}

func report(t *testing.T, seed uint64, ops []op, err error) {
	t.Helper()
	small := shrink(t, ops)
	tw := newTwins(t)
	var steps []string
	_ = tw.begin()
	for _, o := range small {
		steps = append(steps, fmt.Sprintf("%v %T %+v", o, tw.choose(o), tw.choose(o)))
		if tw.step(o) != nil {
			break
		}
	}
	t.Fatalf("seed %d: %v\nshrunk to %d steps: %v\n%s", seed, err, len(small), runOps(t, small), strings.Join(steps, "\n"))
}

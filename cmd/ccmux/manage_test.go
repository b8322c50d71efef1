package main

import (
	"encoding/json"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

// TestJSONHidesNothing: what a model wrote as JSON reaches the terminal with every
// character in sight, and means the same.
func TestJSONHidesNothing(t *testing.T) {
	const said = "a\u009b31m\u202eb\U000e0041c\x7f\tä日👩‍💻"
	input, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(wire.Approval{ID: "r-1", Input: append(input[:len(input)-1], 0x9b, '"')})
	if err != nil {
		t.Fatal(err)
	}
	printed := escapeHidden(doc)
	for _, r := range string(printed) {
		if wire.Hidden(r) {
			t.Errorf("%q holds %U", printed, r)
		}
	}
	var back wire.Approval
	var text string
	if err := json.Unmarshal(printed, &back); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(back.Input, &text); err != nil || text != said+"\ufffd" {
		t.Errorf("it reads as %q, %v; want %q", text, err, said+"\ufffd")
	}
}

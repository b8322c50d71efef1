package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/ccmux/ccmux/supervisor/session/proc"
)

const seen332 = `{"pid":13935,"sessionId":"7e72b996-b22b-4a7f-8e7b-d659c8ebb1c0","cwd":"/home/dev/src","startedAt":1796062901167,` +
	`"procStart":"60491","version":"2.1.332","peerProtocol":1,"kind":"interactive","asksForConvertedSkills":null,"name":"w",` +
	`"status":"waiting","updatedAt":1796062909753,"statusUpdatedAt":1796062909753,"waitingFor":"permission prompt"}`

func TestParseStatus(t *testing.T) {
	f, err := parseStatus([]byte(seen332))
	if err != nil {
		t.Fatal(err)
	}
	want := StatusSign{
		Status: "waiting", WaitingFor: "permission prompt",
		ConversationID: "7e72b996-b22b-4a7f-8e7b-d659c8ebb1c0", UpdatedAt: time.UnixMilli(1796062909753),
	}
	if got := f.sign(); got != want {
		t.Errorf("%+v", got)
	}
	for id, ok := range map[proc.Identity]bool{
		{PID: 13935, Start: 60491}:            true,
		{PID: 13935, Start: 60492}:            false, // the pid was handed out again
		{PID: 13936, Start: 60491}:            false,
		{PID: 13935, Start: 1796062901000000}: true, // another unit: cannot be told
	} {
		if f.of(id) != ok {
			t.Errorf("%v: %v", id, !ok)
		}
	}
	for _, torn := range []string{
		"", "{", seen332[:100],
		seen332 + `74,"waitingFor":"input needed"}`, // seen: a new text over a longer old one
	} {
		if _, err := parseStatus([]byte(torn)); !errors.Is(err, errTorn) {
			t.Errorf("%q: %v", torn, err)
		}
	}
}

// putStatus writes a status file as claude does, in place.
func putStatus(t *testing.T, dir string, id proc.Identity, word, conversation string) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"pid": id.PID, "procStart": fmt.Sprint(id.Start), "sessionId": conversation,
		"status": word, "statusUpdatedAt": time.Now().UnixMilli(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(id.PID)+".json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (s *Session) is(state State) func() bool { return func() bool { return s.Info().State == state } }

func TestStatusFileIsFollowed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions") // not there yet
	s := start(t, Spec{Argv: shell("cat"), StatusDir: dir})
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		word  string
		state State
	}{{"idle", Idle}, {"busy", Busy}, {"waiting", NeedsYou}, {"idle", Idle}} {
		putStatus(t, dir, s.id, c.word, "conv")
		waitFor(t, c.word, s.is(c.state))
	}
	if i := s.Info(); i.Source != FromStatusFile || i.ConversationID != "conv" {
		t.Errorf("%+v", i)
	}
	// one that speaks of a process before this one is no word of ours
	putStatus(t, dir, proc.Identity{PID: s.PID(), Start: s.id.Start + 1}, "busy", "old")
	s.Hook(HookSign{Event: Stop})
	waitFor(t, "the file to be dropped", func() bool { return s.Info().Source == FromHook })
	if i := s.Info(); i.State != Idle || i.ConversationID != "conv" {
		t.Errorf("%+v", i)
	}
}

// TestStatusFileOfAWrappedClaude: the program in the pane is a script, claude
// its child, and the file is under claude's pid.
func TestStatusFileOfAWrappedClaude(t *testing.T) {
	dir := t.TempDir()
	s := start(t, Spec{Argv: shell("sh -c 'echo $$ > kid; exec cat'; exit 0"), StatusDir: dir, ConversationID: "conv"})
	kid, err := proc.Identify(pidIn(t, filepath.Join(s.spec.Dir, "kid")))
	if err != nil {
		t.Fatal(err)
	}
	putStatus(t, dir, kid, "busy", "conv")
	waitFor(t, "busy", s.is(Busy))
}

func TestScreenDialogIsSeenAndGoes(t *testing.T) {
	s := start(t, Spec{Argv: shell(`printf ' Accessing workspace:\n\n ❯ No, exit\n   Yes, I trust this folder\n\n Enter to confirm · Esc to cancel\n'; read x; clear; read x`)})
	waitFor(t, "the dialog", s.is(NeedsYou))
	i := s.Info()
	if i.Dialog.Name != DialogTrust || len(i.Dialog.Rows) != 2 || i.Dialog.Highlighted != 0 || !i.DialogOpen {
		t.Errorf("%+v", i)
	}
	if err := s.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "its end", s.is(Starting))
}

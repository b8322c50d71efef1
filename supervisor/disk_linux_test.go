package supervisor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor"
	"github.com/ccmux/ccmux/supervisor/router"
)

// onSmallDisk puts the state of a house on a disk of its own.
func onSmallDisk(h *house) {
	h.t.Helper()
	disk := filepath.Join(h.root, "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m,mode=700"); err != nil {
		h.t.Skipf("a small disk needs the right to mount one: %v", err)
	}
	h.t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			h.t.Error(err)
		}
	})
	h.state = filepath.Join(disk, "state")
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// fill takes all the room there is, until the file is removed.
func (h *house) fill() (ballast string) {
	h.t.Helper()
	ballast = filepath.Join(h.root, "disk", "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		h.t.Fatalf("the disk took what there is: %v", err)
	}
	return ballast
}

// sent says whether a note was taken; a refusal has to be clear.
func (h *house) sent(content string) bool {
	h.t.Helper()
	raw, err := json.Marshal(wire.SendToPeerArgs{To: "api", MessageArgs: wire.MessageArgs{Content: content}})
	if err != nil {
		h.t.Fatal(err)
	}
	var res wire.ToolResult
	err = h.human().Call(h.t.Context(), wire.TypeTool, wire.ToolCall{Name: wire.ToolSendToPeer, Arguments: raw}, &res)
	if err == nil && res.IsError {
		err = errors.New(res.Text)
	}
	if err != nil && (!strings.Contains(err.Error(), "nothing was done") || !strings.Contains(err.Error(), "space")) {
		h.t.Fatalf("the refusal reads %q; want that nothing was done, for there is no space", err)
	}
	return err == nil
}

// exhaust takes the room that is too little for a note: a rule has one row.
func (h *house) exhaust() {
	h.t.Helper()
	for n, refused := 0, 0; refused < 3; n++ {
		_, err := h.Submit(h.t.Context(), router.AddRule{Rule: router.Rule{Effect: "deny", Tool: "Nothing", Pattern: fmt.Sprint(n)}})
		if refused++; err == nil {
			refused = 0
		}
		if n > 500 {
			h.t.Fatal("the disk does not get full")
		}
	}
}

// turned waits until the session's transcript says that its turn began: by then
// its state was refused. No view tells of that.
func (h *house) turned() {
	h.t.Helper()
	limit, look := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer look.Stop()
	for {
		files, _ := filepath.Glob(filepath.Join(h.root, "home", ".claude", "projects", "*", "*.jsonl"))
		if len(files) == 1 {
			if raw, err := os.ReadFile(files[0]); err == nil && strings.Contains(string(raw), "on a full disk") {
				return
			}
		}
		select {
		case <-look.C:
		case <-limit:
			h.t.Fatalf("no turn began within %v", patience)
		}
	}
}

// notes are the numbers of the notes on record.
func (h *house) notes() map[int]bool {
	h.t.Helper()
	api, _ := h.View().Named("api")
	list, more, err := h.History(h.t.Context(), supervisor.HistoryQuery{Peer: api.ID, Limit: 1000})
	if err != nil || more {
		h.t.Fatalf("history: %v, more %v", err, more)
	}
	got := map[int]bool{}
	for _, m := range list {
		var n int
		if _, err := fmt.Sscanf(m.Content, "note %d:", &n); err == nil {
			got[n] = true
		}
	}
	return got
}

// TestAFullDisk refuses in words what cannot be kept, keeps what it took, and what
// it could not record of a session meanwhile is recorded when there is room.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	h := newHouse(t, onSmallDisk)
	h.up(map[string]string{"api": "worker"})
	h.proven("api")
	h.task("api", "say: before")
	h.await("the answer, and idle again", func(v *router.View) bool {
		p, _ := v.Named("api")
		return p.Session.State == router.Idle && answered("say: before")(v)
	})
	ballast := h.fill()
	taken := map[int]bool{}
	for n, refused := 0, 0; refused < 3; n++ { // in a row
		if n > 500 {
			t.Fatal("the disk does not get full")
		}
		if refused++; h.sent(fmt.Sprintf("note %d: small, for little fits longest", n)) {
			taken[n], refused = true, 0
		}
	}
	h.exhaust()
	if v := h.View(); !strings.Contains(v.Storage, "nothing can be recorded") {
		t.Errorf("the screen says %q of the storage", v.Storage)
	}
	gate := filepath.Join(h.root, "gate")
	h.typed("api", "say: on a full disk\nwait: "+gate)
	h.turned()
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	h.await("the state that was refused, and a sound storage", func(v *router.View) bool {
		p, _ := v.Named("api")
		return p.Session.State == router.Busy && v.Storage == ""
	})
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !h.sent("note 1000: with room") {
		t.Fatal("a note is refused although there is room")
	}
	taken[1000] = true
	h.seen("note 1000")
	h.stop()
	h.open()
	if got := h.notes(); fmt.Sprint(got) != fmt.Sprint(taken) {
		t.Errorf("on record are the notes %v; want those that were taken, %v", got, taken)
	}
	var st wire.Storage
	if err := h.human().Call(t.Context(), wire.TypeStorage, nil, &st); err != nil || st.Damaged != "" {
		t.Errorf("the storage is %+v, %v; want it sound", st, err)
	}
}

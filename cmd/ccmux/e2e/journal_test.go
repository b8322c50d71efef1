//go:build e2e

package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // reads the journal as any sqlite3 shell could
)

// Fact is one row of ccmux's journal, with names in place of ids.
type Fact struct {
	Seq     int
	Type    string // PeerJoined, Posted, Seen, …
	Peer    string
	Thread  string
	Message string
	Body    map[string]any
}

// Text is a field of the body, "" when it is not there. A dot goes inside.
func (f Fact) Text(path string) string {
	var v any = f.Body
	for _, key := range strings.Split(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return ""
		}
		v = m[key]
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// String is for failure messages.
func (f Fact) String() string {
	raw, _ := json.Marshal(f.Body)
	return fmt.Sprintf("%d %s %s %s", f.Seq, f.Type, f.Peer, raw)
}

// Journal reads the whole timeline, oldest first; nothing while there is none.
func (r *Rig) Journal() []Fact {
	r.T.Helper()
	paths, err := filepath.Glob(filepath.Join(r.Home, ".local", "state", "ccmux", "*", "journal.db"))
	if err != nil || len(paths) == 0 {
		return nil
	}
	if len(paths) > 1 {
		r.T.Fatalf("one project, %d journals: %v", len(paths), paths)
	}
	db, err := sql.Open("sqlite", "file:"+paths[0]+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		r.T.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT seq, type, peer, thread, message, body FROM events ORDER BY seq")
	if err != nil {
		return nil // ccmux is making it
	}
	defer rows.Close()
	names := map[string]string{"p-0": "you"}
	var facts []Fact
	for rows.Next() {
		var f Fact
		var body string
		if err := rows.Scan(&f.Seq, &f.Type, &f.Peer, &f.Thread, &f.Message, &body); err != nil {
			r.T.Fatal(err)
		}
		if err := json.Unmarshal([]byte(body), &f.Body); err != nil {
			r.T.Fatalf("journal row %d: %v", f.Seq, err)
		}
		if f.Type == "PeerJoined" {
			names[f.Text("id")] = f.Text("name")
		}
		if name, ok := names[f.Peer]; ok {
			f.Peer = name
		}
		facts = append(facts, f)
	}
	return facts
}

// Where picks facts.
type Where func(Fact) bool

// of matches a type of event about a peer ("" is any).
func of(kind, peer string) Where {
	return func(f Fact) bool { return f.Type == kind && (peer == "" || f.Peer == peer) }
}

// with adds a condition on a field.
func (w Where) with(path, value string) Where {
	return func(f Fact) bool { return w(f) && f.Text(path) == value }
}

// holding adds that a field has the text in it.
func (w Where) holding(path, text string) Where {
	return func(f Fact) bool { return w(f) && strings.Contains(f.Text(path), text) }
}

// Facts are those that match, oldest first.
func (r *Rig) Facts(w Where) []Fact {
	r.T.Helper()
	return slices.DeleteFunc(r.Journal(), func(f Fact) bool { return !w(f) })
}

// Fact waits for the first fact that matches.
func (r *Rig) Fact(what string, w Where) Fact {
	r.T.Helper()
	return r.NthFact(what, 1, w)
}

// NthFact waits until n facts match and gives back the nth.
func (r *Rig) NthFact(what string, n int, w Where) Fact {
	r.T.Helper()
	var got []Fact
	r.Eventually(fmt.Sprintf("%s in the journal (%d)", what, n), func() bool {
		got = r.Facts(w)
		return len(got) >= n
	})
	return got[n-1]
}

// timeline is the journal for a failure message.
func (r *Rig) timeline() string {
	var b strings.Builder
	for _, f := range r.Journal() {
		line := f.String()
		if len(line) > 300 {
			line = line[:300] + "…"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

package supervisor

import (
	"maps"
	"testing"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/supervisor/session/transcript"
)

// TestWhatTheTranscriptProves: lines as claude writes them, and what each proves
// the model was given; true means as background only.
func TestWhatTheTranscriptProves(t *testing.T) {
	const (
		tag    = `<channel source=\"plugin:ccmux:peers\" sender=\"you\" kind=\"note\" task_id=\"t-1\" message_id=\"m-1\">\nhello\n</channel>`
		other  = `<channel source=\"plugin:other:key\" sender=\"you\" kind=\"note\" task_id=\"t-1\" message_id=\"m-1\">\nhello\n</channel>`
		many   = `2 messages waited for you in ccmux\n\n[1] note t-1 from you, message_id m-1\nhello\n\n[2] task t-2 from web, message_id m-2\ndo it\n`
		bundle = `<channel source=\"plugin:ccmux:peers\" sender=\"ccmux\" kind=\"task\" message_id=\"b-1\">\n` + many + `\n</channel>`
	)
	user := func(origin, content string) string {
		return `{"type":"user","isMeta":true,` + origin + `"message":{"role":"user","content":"` + content + `"}}`
	}
	const channel = `"origin":{"kind":"channel","server":"plugin:ccmux:peers"},`
	for name, c := range map[string]struct {
		line string
		want map[router.MessageID]bool
	}{
		"an event":             {user(channel, tag), map[router.MessageID]bool{"m-1": false}},
		"two events":           {user(channel, tag+tag), map[router.MessageID]bool{"m-1": false}},
		"many in one":          {user(channel, bundle), map[router.MessageID]bool{"m-1": false, "m-2": false}},
		"of another channel":   {user(channel, other), nil},
		"a Stop hook's":        {user("", `Stop hook feedback:\n`+many), map[router.MessageID]bool{"m-1": false, "m-2": false}},
		"typed, looks like it": {`{"type":"user","origin":{"kind":"human"},"message":{"content":"Stop hook feedback:\n` + many + `"}}`, nil},
		"queued only":          {`{"type":"queue-operation","operation":"enqueue","content":"` + tag + `"}`, nil},
		"over claude's own socket": {
			user(`"origin":{"kind":"peer","from":"unknown"},`, `Another Claude session sent a message:\n`+tag+`\n\nThis came from another Claude session`),
			map[router.MessageID]bool{"m-1": false},
		},
		"in a running turn": {
			`{"type":"attachment","attachment":{"type":"queued_command","prompt":"` + tag + `","origin":{"kind":"channel","server":"plugin:ccmux:peers"}}}`,
			map[router.MessageID]bool{"m-1": true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := transcript.Parse([]byte(c.line))
			if err != nil {
				t.Fatal(err)
			}
			given := map[router.MessageID]bool{}
			(&run{bundles: map[string][]router.MessageID{}}).read(e, given)
			if !maps.Equal(given, c.want) {
				t.Errorf("it proves %v; want %v", given, c.want)
			}
		})
	}
}

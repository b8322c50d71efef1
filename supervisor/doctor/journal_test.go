package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ccmux/ccmux/channel/wire"
)

func TestTheJournalIsJudgedByWhatWasReadOfIt(t *testing.T) {
	for name, c := range map[string]struct {
		storage wire.Storage
		err     error
		verdict Verdict
		words   string
	}{
		"sound":       {wire.Storage{Messages: 12, Database: 3e6}, nil, OK, "sound, 12 messages, 3.0 MB, kept for ever"},
		"pruned":      {wire.Storage{RetentionDays: 30}, nil, OK, "kept for 30 days"},
		"damaged":     {wire.Storage{Damaged: "the database is damaged: page 7"}, nil, Problem, "page 7"},
		"read":        {wire.Storage{Readers: []string{"sqlite3 with pid 7"}}, nil, Warning, "sqlite3 with pid 7 keeps reading it"},
		"unreadable":  {wire.Storage{}, &wire.Failure{Message: "disk I/O error"}, Problem, "disk I/O error"},
		"not running": {wire.Storage{}, errors.New("none runs"), Untried, "by a running ccmux only"},
		"refused":     {wire.Storage{}, &wire.Failure{Code: wire.CodeDenied, Message: "no"}, Untried, "by a running ccmux only"},
	} {
		p := Patient{Storage: func(context.Context) (wire.Storage, error) { return c.storage, c.err }}
		if f := p.journal(t.Context()); f.Verdict != c.verdict || !strings.Contains(f.Words, c.words) {
			t.Errorf("%s: %+v; want %s with %q", name, f, c.verdict, c.words)
		}
	}
}

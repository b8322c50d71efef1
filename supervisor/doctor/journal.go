package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
)

// journal has the running ccmux read its whole journal.
func (p Patient) journal(ctx context.Context) Finding {
	return timed(func() Finding {
		f := Finding{What: "journal", Verdict: Untried, Words: "it is read by a running ccmux only"}
		if p.Storage == nil {
			return f
		}
		s, err := p.Storage(ctx)
		var refused *wire.Failure
		switch {
		case errors.As(err, &refused) && refused.Code != wire.CodeDenied:
			f.Verdict, f.Words = Problem, refused.Message
			return f
		case err != nil:
			return f
		}
		return judgeStorage(s)
	})
}

func judgeStorage(s wire.Storage) Finding {
	f := Finding{What: "journal", Verdict: OK}
	f.Words = fmt.Sprintf("sound, %d messages, %.1f MB, kept %s", s.Messages, float64(s.Database+s.WAL)/1e6, kept(s))
	if len(s.Readers) > 0 {
		f.Verdict = Warning
		f.Words += "; " + strings.Join(s.Readers, ", ") + " keeps reading it, so that its log grows"
		f.Do = "end that program's transaction"
	}
	if s.Damaged != "" {
		f.Verdict, f.Words = Problem, s.Damaged
		f.Do = "copy the state folder away, then save what can be read with sqlite3's .recover"
	}
	return f
}

func kept(s wire.Storage) string {
	since := ""
	if !s.Oldest.IsZero() {
		since = " since " + s.Oldest.Local().Format(time.DateOnly)
	}
	if s.RetentionDays == 0 {
		return "for ever" + since
	}
	return fmt.Sprintf("for %d days%s", s.RetentionDays, since)
}

package supervisor_test

import (
	"strings"
	"testing"

	"github.com/ccmux/ccmux/supervisor/router"
)

// TestADialogIsAnsweredByTheRowTheHumanChose: whichever row is highlighted at
// first, the chosen one is confirmed and no other.
func TestADialogIsAnsweredByTheRowTheHumanChose(t *testing.T) {
	t.Parallel()
	for _, highlighted := range []string{"1", "2"} {
		t.Run("row "+highlighted+" highlighted", func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.up(map[string]string{"api": "worker dialog=trust row=" + highlighted})
			v := h.await("the trust dialog", func(v *router.View) bool {
				p, _ := v.Named("api")
				return p.Session.State == router.NeedsYou && p.Session.Detail == "folder trust"
			})
			p, _ := v.Named("api")
			d, open := h.Dialog(p.ID)
			if !open {
				t.Fatal("the dialog cannot be read")
			}
			yes := -1
			for i, r := range d.Rows {
				if strings.Contains(r.Text, "Yes") {
					yes = i
				}
			}
			if err := h.AnswerDialog(t.Context(), p.ID, d, yes); err != nil {
				t.Fatal(err)
			}
			h.proven("api")
			if err := h.AnswerDialog(t.Context(), p.ID, d, yes); err == nil {
				t.Error("a dialog that is gone was answered")
			}
		})
	}
}

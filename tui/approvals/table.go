package approvals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/supervisor/router"
	"github.com/ccmux/ccmux/tui/cells"
	"github.com/ccmux/ccmux/tui/draw"
)

// table shows the input of any tool, one field a row, nested ones flattened.
func table(c draw.Context, p *router.PermissionView, w int) []string {
	var v any
	d := json.NewDecoder(bytes.NewReader(p.Input))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return lines(c, string(p.Input), w)
	}
	var rows [][2]string
	flatten("", v, &rows)
	width := 0
	for _, r := range rows {
		width = max(width, min(cells.Width(r[0]), w/3))
	}
	var out []string
	for _, r := range rows {
		name := r[0]
		if cells.Width(name) > width { // whole, in rows of its own
			out = append(out, dim(c, name, w)...)
			name = ""
		}
		for _, text := range lines(c, r[1], max(w-width-2, 8)) {
			out = append(out, c.Dim.On(cells.Pad(name, width))+"  "+text)
			name = ""
		}
	}
	return out
}

func flatten(name string, v any, out *[][2]string) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			flatten(join(name, k), v[k], out)
		}
		if len(keys) == 0 {
			*out = append(*out, [2]string{name, "(nothing)"})
		}
	case []any:
		for i, e := range v {
			flatten(fmt.Sprintf("%s[%d]", name, i), e, out)
		}
		if len(v) == 0 {
			*out = append(*out, [2]string{name, "(none)"})
		}
	case string:
		*out = append(*out, [2]string{name, v})
	default:
		*out = append(*out, [2]string{name, fmt.Sprint(v)})
	}
}

func join(a, b string) string {
	b, _ = cells.Reveal(b)
	b = strings.Join(strings.Fields(b), " ")
	if a == "" {
		return b
	}
	return a + "." + b
}

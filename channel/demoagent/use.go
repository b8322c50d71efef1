package demoagent

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// use is a tool call with everything around it, in claude's order: PreToolUse,
// the question if there is one, the tool, PostToolUse, what came meanwhile.
func (t *turn) use(u toolUse, run func(context.Context, toolUse) toolResult) (toolResult, error) {
	if err := t.step(); err != nil {
		return toolResult{}, err
	}
	u.id = "toolu_" + strings.ReplaceAll(newID(), "-", "")[:20]
	t.show(sgrPlain, t.a.glyph.said+" "+u.head)
	t.record(map[string]any{"type": "assistant", "message": message("assistant", []any{
		map[string]any{"type": "tool_use", "id": u.id, "name": u.name, "input": u.input},
	})})
	t.using = true
	res, err := t.decideAndRun(&u, run)
	if cause := t.err(); cause != nil && err == nil {
		err = cause
	}
	if err == nil {
		t.take()
	}
	t.showResult(u, res, err)
	if err != nil {
		return res, err
	}
	t.using = false
	t.absorb()
	return res, t.err()
}

func (t *turn) decideAndRun(u *toolUse, run func(context.Context, toolUse) toolResult) (toolResult, error) {
	v, err := t.decide(u)
	if err != nil {
		return toolResult{text: rejectedText, failed: true, denied: true}, err
	}
	if !v.allow {
		return toolResult{text: v.message, failed: true, denied: true}, v.end()
	}
	began := time.Now()
	res := run(t.ctx, *u)
	if t.ctx.Err() != nil {
		return res, context.Cause(t.ctx)
	}
	if t.a.opt.dieAfter != "" && toolName(u.name) == t.a.opt.dieAfter {
		crash()
	}
	fields := map[string]any{"tool_name": u.name, "tool_input": u.input, "tool_use_id": u.id, "duration_ms": time.Since(began).Milliseconds()}
	event := "PostToolUse"
	if res.failed {
		event = "PostToolUseFailure"
		fields["error"], fields["is_interrupt"] = res.text, false
	} else {
		fields["tool_response"] = res.response
	}
	t.hook(event, u.name, fields)
	return res, nil
}

func (t *turn) hook(event, tool string, fields map[string]any) []hookOut {
	return t.a.runHookAs(t.ctx, event, tool, t.id, fields)
}

// rejectedText is what the model is told when the human said no on the screen.
const rejectedText = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."

// deniedText is what comes before the words of who said no elsewhere.
const deniedText = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n"

// shownLines is how much of a result is on the screen.
const shownLines = 6

func (t *turn) showResult(u toolUse, res toolResult, err error) {
	text := res.text
	if err != nil && text == "" {
		text = "interrupted"
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if n := len(lines) - shownLines; n > 0 {
		lines = append(lines[:shownLines], "… +"+itoa(n)+" lines")
	}
	sgr := sgrDim
	if res.failed {
		sgr = sgrWarn
	}
	t.show(sgr, "  "+t.a.glyph.box+"  "+strings.Join(lines, "\n     "))
	content := text
	if len(res.structured) > 0 {
		content = string(res.structured)
	}
	t.record(map[string]any{
		"type": "user", "promptId": t.id, "toolUseResult": res.response,
		"message":  message("user", []any{map[string]any{"type": "tool_result", "tool_use_id": u.id, "content": content, "is_error": res.failed}}),
		"demoTool": u.name, "demoInput": u.input, "demoTask": u.task,
	})
	t.a.mind.tool(u, content, res.failed)
}

package supervisor

import (
	"encoding/json"
	"fmt"

	"github.com/ccmux/ccmux/channel/wire"
)

// handler works on one frame. Those of pushes and of frames whose order counts
// run on the reading goroutine and must not block; the others run on their own.
type handler struct {
	role   wire.Role
	inline func(*conn, wire.Frame)
	work   func(*conn, wire.Frame) (any, error)
}

// handlers is who may send what. A frame that is not here is refused in words.
var handlers map[wire.Type]handler

func init() { // not a literal: tool handlers refer back to it through conn
	handlers = map[wire.Type]handler{
		wire.TypeReady:       {role: wire.RoleChannel, work: (*conn).ready},
		wire.TypeDelivered:   {role: wire.RoleChannel, inline: (*conn).delivered},
		wire.TypePermRequest: {role: wire.RoleChannel, inline: (*conn).permRequest},
		wire.TypeCancel:      {role: wire.RoleChannel, inline: (*conn).cancelled},
		wire.TypeHook:        {role: wire.RoleHook, work: (*conn).hook},
		wire.TypeAttach:      {role: wire.RoleHuman, inline: (*conn).attach},
		wire.TypeResize:      {role: wire.RoleHuman, inline: (*conn).resize},
		wire.TypeSuspend:     {role: wire.RoleHuman, work: (*conn).suspend},
		wire.TypeResume:      {role: wire.RoleHuman, work: (*conn).resume},
		wire.TypeUp:          {role: wire.RoleHuman, work: (*conn).up},
		wire.TypeDown:        {role: wire.RoleHuman, work: (*conn).down},
		wire.TypeRestart:     {role: wire.RoleHuman, work: (*conn).restart},
		wire.TypeForget:      {role: wire.RoleHuman, work: (*conn).forget},
		wire.TypeList:        {role: wire.RoleHuman, work: (*conn).list},
		wire.TypeApprovals:   {role: wire.RoleHuman, work: (*conn).approvals},
		wire.TypeVerdict:     {role: wire.RoleHuman, work: (*conn).verdict},
		wire.TypeTail:        {role: wire.RoleHuman, work: (*conn).tail},
		wire.TypeTrust:       {role: wire.RoleHuman, work: (*conn).trust},
		wire.TypeRules:       {role: wire.RoleHuman, work: (*conn).listRules},
		wire.TypeRuleTest:    {role: wire.RoleHuman, work: (*conn).testRule},
		wire.TypeRuleAdd:     {role: wire.RoleHuman, work: (*conn).addRule},
		wire.TypeRuleDrop:    {role: wire.RoleHuman, work: (*conn).dropRule},
		wire.TypeHold:        {role: wire.RoleHuman, work: (*conn).hold},
		wire.TypeRelease:     {role: wire.RoleHuman, work: (*conn).release},
		wire.TypeWithdraw:    {role: wire.RoleHuman, work: (*conn).withdraw},
		wire.TypePrune:       {role: wire.RoleHuman, work: (*conn).prune},
		wire.TypeStorage:     {role: wire.RoleHuman, work: (*conn).storage},
		wire.TypeStop:        {role: wire.RoleHuman, inline: (*conn).stop},
	}
}

// handle passes one frame to its handler.
func (c *conn) handle(f wire.Frame) {
	if f.Type == wire.TypeTool && c.role != wire.RoleHook {
		c.takeTool(f)
		return
	}
	h, known := handlers[f.Type]
	switch {
	case !known:
		c.request(f, func() (any, error) {
			return nil, fmt.Errorf("unknown request %q: this ccmux is build %s", wire.CleanLine(string(f.Type), 32), c.s.cfg.Build)
		})
	case h.role != c.role:
		c.request(f, func() (any, error) { return nil, denied("refused: a %s may not ask for %s", c.role, f.Type) })
	case h.inline != nil:
		h.inline(c, f)
	default:
		c.request(f, func() (any, error) { return h.work(c, f) })
	}
}

// decode reads a frame's body into a new T.
func decode[T any](f wire.Frame) (T, error) {
	var v T
	err := f.Decode(&v)
	return v, err
}

// decodeArgs reads a tool's arguments; what is unknown in them is ignored.
func decodeArgs[T any](raw json.RawMessage) (T, error) {
	var v T
	if len(raw) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("the arguments do not fit: %w", err)
	}
	return v, nil
}

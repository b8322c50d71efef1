//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"sync"

	"github.com/ccmux/ccmux/cmd/ccmux/e2e/modelapi"
)

// peerTool is a ccmux tool by the name the model knows it under.
func peerTool(name string) string { return "mcp__plugin_ccmux_peers__" + name }

// Agent is the script of one session's model: plays it begins when something
// comes, each a list of steps that go on as the tool results come back. Tools
// that claude has put away are loaded first, as a model would.
type Agent struct {
	mu    sync.Mutex
	plays []*play
	now   *scene
}

type play struct {
	when  modelapi.Match
	steps []Step
	left  int
}

type scene struct {
	turn   Turn
	steps  []Step
	loaded bool // the tools were searched for in this scene
}

// Turn is what a step can look at.
type Turn struct {
	Trigger *modelapi.Request // what the play began with
	Now     *modelapi.Request // the latest result of its own tools
	Event   modelapi.Event    // the first message of the trigger
}

// Step makes the next reply.
type Step func(*Turn) []modelapi.Part

// Agent makes the script of a session. What no play wants gets a short word.
func (r *Rig) Agent(session string) *Agent {
	a := &Agent{}
	r.API.Persona(session).OnCall(modelapi.Any(), a.reply).Named(session)
	return a
}

// When adds a play. The first that matches begins; each begins once.
func (a *Agent) When(match modelapi.Match, steps ...Step) *Agent {
	return a.Whenever(1, match, steps...)
}

// Whenever adds a play that may begin several times.
func (a *Agent) Whenever(times int, match modelapi.Match, steps ...Step) *Agent {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plays = append(a.plays, &play{match, steps, times})
	return a
}

func (a *Agent) reply(req *modelapi.Request) []modelapi.Part {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.now != nil && len(req.ToolResults()) > 0 {
		a.now.turn.Now = req
		return a.step()
	}
	for _, p := range a.plays {
		if p.left > 0 && p.when(req) {
			p.left--
			a.now = &scene{turn: Turn{Trigger: req, Now: req}, steps: p.steps}
			if e := req.Events(); len(e) > 0 {
				a.now.turn.Event = e[0]
			}
			return a.step()
		}
	}
	a.now = nil
	return []modelapi.Part{modelapi.Text("(noted)")}
}

// step plays the next step of the scene, or first loads the tool it needs.
func (a *Agent) step() []modelapi.Part {
	s := a.now
	if len(s.steps) == 0 {
		a.now = nil
		return []modelapi.Part{modelapi.Text("(the play is over)")}
	}
	parts := s.steps[0](&s.turn)
	if tool := missing(s.turn.Now, parts); tool != "" && !s.loaded {
		s.loaded = true
		return []modelapi.Part{modelapi.Use("ToolSearch", map[string]string{"query": "select:" + tool})}
	}
	s.steps = s.steps[1:]
	return parts
}

// missing names the ccmux tools the reply needs and the request does not offer.
func missing(req *modelapi.Request, parts []modelapi.Part) string {
	var names []string
	for _, p := range parts {
		if tool := p.Tool(); strings.HasPrefix(tool, "mcp__") && !req.HasTool(tool) {
			names = append(names, tool)
		}
	}
	return strings.Join(names, ",")
}

// say ends a turn with words.
func say(text string) Step {
	return func(*Turn) []modelapi.Part { return []modelapi.Part{modelapi.Text(text)} }
}

// tell ends a turn with words about what came.
func tell(words func(*Turn) string) Step {
	return func(t *Turn) []modelapi.Part { return []modelapi.Part{modelapi.Text(words(t))} }
}

// use calls a ccmux tool.
func use(tool string, args func(*Turn) map[string]any) Step {
	return func(t *Turn) []modelapi.Part { return []modelapi.Part{modelapi.Use(peerTool(tool), args(t))} }
}

// bash runs a command.
func bash(command string) Step {
	return func(*Turn) []modelapi.Part {
		return []modelapi.Part{modelapi.Use("Bash", map[string]string{"command": command, "description": "run " + command})}
	}
}

// holds waits at a gate in the middle of the turn, before it says text.
func holds(g *modelapi.Gate, text string) Step {
	return func(*Turn) []modelapi.Part { return []modelapi.Part{modelapi.Hold(g), modelapi.Text(text)} }
}

// sendTask gives a peer a task.
func sendTask(to, content string) Step {
	return use("send_to_peer", func(*Turn) map[string]any {
		return map[string]any{"to": to, "content": content, "kind": "task"}
	})
}

// subTask gives a peer a part of the task that came.
func subTask(to, content string) Step {
	return use("send_to_peer", func(t *Turn) map[string]any {
		return map[string]any{"to": to, "content": content, "kind": "task", "parent_task_id": t.Event.Attr["task_id"]}
	})
}

// answer answers the task that came.
func answer(content string) Step {
	return use("respond_to_peer", func(t *Turn) map[string]any {
		return map[string]any{"task_id": t.Event.Attr["task_id"], "content": content}
	})
}

// whatCame puts the messages of the turn into words for the screen.
func whatCame(t *Turn) string {
	var words []string
	for _, e := range t.Trigger.Events() {
		words = append(words, fmt.Sprintf("%s from %s: %s.", e.Attr["kind"], e.Attr["sender"], e.Body))
	}
	return strings.Join(words, " ")
}

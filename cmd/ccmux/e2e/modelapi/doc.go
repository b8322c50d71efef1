// Package modelapi is a test double of the Messages API, enough of it that a
// real claude pointed here by ANTHROPIC_BASE_URL works as it does against the
// real service: streamed and plain replies, token counts, errors.
//
// One [Server] plays the model of every session of one test. Each session has
// a [Persona]: an ordered list of rules, each a condition on what the model
// was just sent and the reply it gives. A persona is found by the session's
// name in the system prompt; requests whose prompt lacks it go by the
// conversation id claude sends along, and those of a session's subagents go to
// a persona of their own, see [Subagents].
//
// What it guarantees: every request is recorded whole before it is answered;
// requests claude makes beside a turn (titles, topic detection, the auto mode
// classifier) get a harmless answer and never use up a rule; a reply is held
// at a [Gate] until the test opens it or the client hangs up; a turn that no
// rule wants is answered with a fixed text and listed by [Server.Unmatched].
//
// What it does not: it does not count tokens truly, check a key, or know
// whether a request is one the real service would accept.
//
// It is for tests only, safe for use by several goroutines, and tested by
// itself with plain HTTP requests.
package modelapi

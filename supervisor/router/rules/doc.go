// Package rules decides permission requests by rules: deny beats ask beats
// allow, and what no rule is sure about goes to the human.
//
//	tool input ──► subject ──┬─ command ─► taken apart by a shell parser
//	                         ├─ path ────► made absolute, cleaned, resolved
//	                         ├─ URL ─────► parsed
//	                         └─ anything else: every string in it, as a command,
//	                            a path or a URL
//
// It guarantees that a rule which allows matches only what it could take apart
// surely: every simple command in the text, at every depth, is literal and
// matches the rule, and the input says nothing that the rule's pattern cannot
// speak of. A rule which denies matches when any command inside does,
// wherever it stands: in a chain, a substitution, a function, behind env, sudo,
// xargs, find -exec, sh -c and their like. Where a command could match a deny
// only once the shell has expanded something, the answer is ask, also against a
// rule that allows everything.
//
// It does not know what programs do with their arguments: a rule that allows
// "git *" allows what git can be made to run, and a script that a command runs
// is not read. It does no I/O: symbolic links are resolved by a function that
// the caller brings.
//
// Anybody may call it from anywhere; nothing is kept between calls. Tests: a
// table with every class of evasion by name, and a fuzz target that holds the
// guarantee about allow against a second reading of the same text.
package rules

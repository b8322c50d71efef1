// Package assets holds what ccmux gives a session to read: the plugin that
// claude loads, and the text appended to its system prompt.
//
// [Render] writes the plugin of one session into a folder of its own, with the
// absolute path of the binary and of the session file; [SystemPrompt] is the
// protocol in words. It guarantees that the JSON is valid whatever the paths
// hold, that no file of the folder is open to other users, and that every tool
// the texts name exists. It does nothing but fill in templates: what a session
// may do, and when, is decided elsewhere.
//
// Anything that starts sessions may call it. Tests read back what was rendered
// and hold the texts against the list of tools; both real versions of claude
// validate and load the plugin in the end-to-end tests.
package assets

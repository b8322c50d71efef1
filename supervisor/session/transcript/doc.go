// Package transcript reads the file in which claude writes a conversation down.
//
//	~/.claude/projects/FOLDER/ID.jsonl ──► Parse ──► Entry ──► Scan: what was seen
//	                                                   └─────► Tailer: as it is written
//
// It guarantees that an Entry of Kind User or Background with a Tag stands for an
// event that claude gave to the model: claude wrote the line itself, marked as
// coming from a channel. The same text in a queue line (Enqueued), in the result
// of a tool, in what the model wrote or in what the human typed is never
// reported as seen. A tag that stands inside the body of another is body.
//
// Lines it does not know are passed over, a torn last line waits for its rest, a
// line over MaxLine is skipped and said so, and a file that was replaced or cut
// is read from its beginning, after an Entry of Kind Rewound: whoever
// counts must know an event by its message_id.
//
// It does not guarantee that a line comes before the model has read it, and it
// does not know which messages exist. The format is claude's own and may change:
// versions 2.1.197 and 2.1.332 were looked at.
//
// The supervisor uses it: as the second source of delivery's proof, and after a
// restart of claude. All may be called from any goroutine. Tested with transcripts both versions wrote, with files that
// grow, tear, shrink and are replaced under the reader, and by fuzzing.
package transcript

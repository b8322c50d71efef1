package wire

// Limits of the language. What is over a limit is refused with an error that
// names the limit; nothing is ever cut silently.
const (
	MaxBody    = 1 << 20  // bytes of a message's content after cleaning
	MaxData    = 64 << 10 // bytes of a message's structured data
	MaxMeta    = 256      // bytes of one value in a channel tag
	MaxTargets = 256      // recipients of one send
	MaxFrame   = 8 << 20  // bytes of one line on the socket: a body of quotes doubles, of controls grows sixfold
	MaxAwait   = 120      // seconds a send may wait for its reply
	MaxWatch   = 300      // seconds a watch may block
	PageSize   = 50       // messages in one page of inbox or history, at most 200
)

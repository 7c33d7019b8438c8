package message

// MaxMessage is how large a message of a client may be, in bytes.
const MaxMessage = 64 << 10

// Limits of a socket of many contexts.
const (
	// MaxOpen is how many contexts may be open. A context that is closed no longer counts,
	// although it may still be spoken.
	MaxOpen = 20
	// MaxUnfinished is how many contexts there may be together with closed ones that are still
	// spoken. It is also how many in a row may be refused because of their dictionaries.
	MaxUnfinished = 100
)

// Bounds of inactivity_timeout, in seconds.
const (
	DefaultIdle = 20
	MinIdle     = 1
	MaxIdle     = 180
)

// Most words of chunk_words, peek_words and max_chunk_words.
const (
	MaxChunkWords    = 50
	MaxPeekWords     = 5
	MaxMaxChunkWords = 100
)

// ExampleDictionary is the id of a pronunciation dictionary in examples.
const ExampleDictionary = "0b8a4c7e-52d1-4f36-9c0e-7d1f2a6b3c48"

// Package line defines what a telephone call is to the bridge, whoever the provider is: events
// from the caller, and frames of 20 ms, clears and marks to the provider.
package line

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/audio"
)

// FrameTime is how much audio a frame has that is sent to a provider.
const FrameTime = 20 * time.Millisecond

// Bounds of what a provider may send.
const (
	MaxMessage    = 64 << 10 // bytes of a message
	maxName       = 512      // bytes of an id, a number, or the name or value of a parameter
	maxParameters = 64
	maxAudio      = time.Second // of one message
)

// Format is how audio is written on a line: one channel, without a header.
type Format struct {
	Codec audio.Codec // [audio.ULaw], [audio.ALaw] or [audio.PCM], which is 16-bit little-endian
	Rate  int         // Hz
}

// Telephone is the format of most providers.
var Telephone = Format{audio.ULaw, 8000}

// SampleBytes returns how many bytes a sample takes.
func (f Format) SampleBytes() int {
	if f.Codec == audio.PCM {
		return 2
	}
	return 1
}

// Bytes returns how many bytes this much audio takes.
func (f Format) Bytes(d time.Duration) int {
	return int(int64(f.Rate)*int64(d)/int64(time.Second)) * f.SampleBytes()
}

// Silence returns a byte that stands for silence where it fills a frame.
func (f Format) Silence() byte {
	switch f.Codec {
	case audio.ULaw:
		return 0xFF
	case audio.ALaw:
		return 0xD5
	default:
		return 0
	}
}

// Call is what a provider says of a call when it begins.
type Call struct {
	ID         string
	From, To   string            // "" where the provider does not say
	Parameters map[string]string // that the operator has set at the provider
	Format     Format            // of the caller's audio, and of what is sent
}

// Kind is what an event tells.
type Kind int

// The kinds. Messages that mean nothing to the bridge are Nothing.
const (
	Nothing Kind = iota
	Start        // the first event of a call
	Audio        // some of what the caller says
	DTMF         // a key that the caller has pressed
	Mark         // all audio before a mark was played, or was cleared
	Stop         // the call has ended
)

// Event is a message of a provider.
type Event struct {
	Kind  Kind
	Call  Call   // of Start
	Audio []byte // of Audio, in the format of the call
	Digit string // of DTMF: one of 0-9, *, #, A-D
	Mark  string // of Mark
}

// Protocol reads and writes the messages of one call on the WebSocket of a provider. It keeps the
// ids that messages must name, so each call has its own. Parse is called by one goroutine, the
// others by one at a time, and only after the event Start.
type Protocol interface {
	// Parse reads a message. An error ends the call. The first event that is not Nothing must be
	// Start, and there is only one.
	Parse(data []byte, binary bool) (Event, error)
	// AppendAudio appends the message with a frame, and says whether it is binary.
	AppendAudio(b, frame []byte) (_ []byte, binary bool)
	// AppendClear appends the message that has the provider drop the audio it has not played.
	AppendClear(b []byte) []byte
	// AppendMark appends a message that the provider answers when it has played all before it.
	AppendMark(b []byte, name string) []byte
}

// Refused returns the error of a message that a provider should not send.
func Refused(format string, args ...any) error { return &refusedError{fmt.Sprintf(format, args...)} }

type refusedError struct{ reason string }

func (e *refusedError) Error() string { return e.reason }

// Decode reads a message in JSON.
func Decode(data []byte, into any) error {
	if !utf8.Valid(data) {
		return Refused("the message is not UTF-8")
	}
	if err := json.Unmarshal(data, into); err != nil {
		return Refused("the message cannot be read as JSON of the provider: %v", err)
	}
	return nil
}

// Check returns an error if a call has no id, or something that is too long.
func (c Call) Check() error {
	if c.ID == "" {
		return Refused("the start of the call has no id")
	}
	if len(c.Parameters) > maxParameters {
		return Refused("the call has %d parameters; at most %d are allowed", len(c.Parameters), maxParameters)
	}
	texts := []string{c.ID, c.From, c.To}
	for name, value := range c.Parameters {
		texts = append(texts, name, value)
	}
	for _, text := range texts {
		if len(text) > maxName {
			return Refused("an id, number or parameter of the call has %d bytes; at most %d are allowed", len(text), maxName)
		}
	}
	return nil
}

// Named returns the first of these parameters that the call has, for providers that do not send
// the numbers themselves.
func (c Call) Named(names ...string) string {
	for _, name := range names {
		if value := c.Parameters[name]; value != "" {
			return value
		}
	}
	return ""
}

// Payload reads audio in base64, of at most a second and of whole samples.
func (f Format) Payload(text string) ([]byte, error) {
	if base64.StdEncoding.DecodedLen(len(text)) > f.Bytes(maxAudio)+2 {
		return nil, Refused("a message has more than %s of audio", maxAudio)
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, Refused("the audio of a message is not base64")
	}
	return b, f.Whole(b)
}

// Whole returns an error if audio is longer than a second, or not of whole samples.
func (f Format) Whole(b []byte) error {
	switch {
	case len(b) > f.Bytes(maxAudio):
		return Refused("a message has more than %s of audio", maxAudio)
	case len(b)%f.SampleBytes() != 0:
		return Refused("the audio of a message ends within a sample")
	}
	return nil
}

// Digit returns the event of a key.
func Digit(key string) (Event, error) {
	key = strings.ToUpper(key)
	if len(key) != 1 || !strings.Contains("0123456789*#ABCD", key) {
		return Event{}, Refused("%.8q is no key of a telephone: 0-9, *, #, A-D", key)
	}
	return Event{Kind: DTMF, Digit: key}, nil
}

// AppendString appends a JSON string.
func AppendString(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		return append(b, `""`...) // cannot be: strings are always encoded
	}
	return append(b, quoted...)
}

// AppendPayload appends audio as a JSON string of base64.
func AppendPayload(b, audio []byte) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, audio)
	return append(b, '"')
}

// IsRefused reports whether an error is one of Refused.
func IsRefused(err error) bool {
	_, ok := errors.AsType[*refusedError](err)
	return ok
}

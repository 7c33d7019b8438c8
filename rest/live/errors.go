package live

import (
	"net/url"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
	"vaak/rest/live/message"
)

// asItIs leaves an error of the native socket as it is.
func asItIs(err error, _ url.Values) error { return err }

// inDialect returns an error in the words of the ElevenLabs dialect.
func inDialect(err error, query url.Values) error {
	return elevenlabs.Rename(err, query.Get(elevenlabs.FieldFormat))
}

// isGone reports whether an error says that the client has left.
func isGone(err error) bool { return fault.KindOf(err) == fault.Cancelled }

// timeout reports whether a session has ended because no message came for too long.
func timeout(err error) bool { return fault.KindOf(err) == fault.Idle }

func gone(err error) error {
	return &fault.Error{Kind: fault.Cancelled, Code: message.CodeClientGone, Msg: "the client went away", Err: err}
}

// maxReason is how long the reason of a close frame may be, in bytes (RFC 6455,
// section 5.5: 125 with the code).
const maxReason = 123

// reason cuts a sentence to fit a close frame.
func reason(s string) string {
	if len(s) <= maxReason {
		return s
	}
	n := maxReason
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

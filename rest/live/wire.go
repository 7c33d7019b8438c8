package live

import (
	"vaak/rest/live/message"
)

// wire writes the frames of a socket with one utterance, in its own form.
type wire interface {
	// audio returns what takes the audio of the session. Ends are where flushed phrases end, or nil.
	audio(c *connection, ends *gaps) audioWriter
	// done, cancelled and failed return the last frame, for a session with or without text.
	done(s *single) []byte
	cancelled(s *single) []byte
	failed(err error) []byte
	// lively reports whether pings keep the session open.
	lively() bool
}

// nativeWire writes the frames of the native socket.
type nativeWire struct{}

func (nativeWire) failed(err error) []byte { return message.AppendNativeError(nil, err) }
func (nativeWire) lively() bool            { return true }

func (nativeWire) audio(c *connection, ends *gaps) audioWriter {
	if ends == nil {
		return nativeAudio{c}
	}
	return &timedAudio{nativeAudio: nativeAudio{c}, ends: ends}
}

func (nativeWire) cancelled(s *single) []byte {
	return message.AppendCancelled(nil, s.spoken, s.spent.Engine)
}

func (nativeWire) done(s *single) []byte {
	characters := 0
	if s.live != nil {
		characters = s.live.characters
	}
	return message.AppendDone(nil, characters, s.spent.Duration, s.requestID(), s.spent.Engine)
}

// dialectWire writes the frames of the ElevenLabs dialect.
type dialectWire struct{}

func (dialectWire) audio(c *connection, _ *gaps) audioWriter { return &dialectAudio{c: c} }
func (dialectWire) failed(err error) []byte                  { return message.AppendError(nil, err, "") }
func (dialectWire) cancelled(s *single) []byte               { return message.AppendFinal(nil, "", s.spoken) }
func (dialectWire) done(*single) []byte                      { return message.AppendFinal(nil, "", nil) }
func (dialectWire) lively() bool                             { return false }

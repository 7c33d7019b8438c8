// Package twilio speaks the protocol of Twilio Media Streams, bidirectional, as TwiML starts it
// with <Connect><Stream>.
//
// Source: https://www.twilio.com/docs/voice/media-streams/websocket-messages
package twilio

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"strings"

	"vaak/telephony/line"
)

// Protocol is the protocol of one call. The zero value is ready.
type Protocol struct{ stream string }

var _ line.Protocol = (*Protocol)(nil)

type message struct {
	Event string `json:"event"`
	Start *struct {
		StreamSid, CallSid string
		MediaFormat        struct {
			Encoding   string
			SampleRate int
			Channels   int
		}
		CustomParameters map[string]string
	} `json:"start"`
	Media *struct{ Track, Payload string } `json:"media"`
	DTMF  *struct{ Digit string }          `json:"dtmf"`
	Mark  *struct{ Name string }           `json:"mark"`
}

// Parse reads a message. Twilio does not send the numbers of the caller and the called, so they
// are those of the parameters from and to.
func (p *Protocol) Parse(data []byte, binary bool) (line.Event, error) {
	var m message
	if binary {
		return line.Event{}, line.Refused("Twilio sends no binary messages")
	}
	if err := line.Decode(data, &m); err != nil {
		return line.Event{}, err
	}
	switch {
	case m.Event == "start" && m.Start != nil:
		return p.start(m)
	case p.stream == "":
		return line.Event{}, nil // connected
	case m.Event == "media" && m.Media != nil:
		if m.Media.Track == "outbound" {
			return line.Event{}, nil
		}
		audio, err := line.Telephone.Payload(m.Media.Payload)
		return line.Event{Kind: line.Audio, Audio: audio}, err
	case m.Event == "dtmf" && m.DTMF != nil:
		return line.Digit(m.DTMF.Digit)
	case m.Event == "mark" && m.Mark != nil:
		return line.Event{Kind: line.Mark, Mark: m.Mark.Name}, nil
	case m.Event == "stop":
		return line.Event{Kind: line.Stop}, nil
	}
	return line.Event{}, nil
}

func (p *Protocol) start(m message) (line.Event, error) {
	if p.stream != "" {
		return line.Event{}, line.Refused("a second start came")
	}
	if f := m.Start.MediaFormat; f.Encoding != "" && (f.Encoding != "audio/x-mulaw" || f.SampleRate != 8000 || f.Channels > 1) {
		return line.Event{}, line.Refused("the audio is %.40q at %d Hz in %d channels; audio/x-mulaw at 8000 in 1 is spoken", f.Encoding, f.SampleRate, f.Channels)
	}
	call := line.Call{ID: m.Start.CallSid, Parameters: m.Start.CustomParameters, Format: line.Telephone}
	call.From, call.To = call.Named("from", "From"), call.Named("to", "To")
	if m.Start.StreamSid == "" || len(m.Start.StreamSid) > 256 {
		return line.Event{}, line.Refused("the start has no streamSid of at most 256 bytes")
	}
	p.stream = m.Start.StreamSid
	return line.Event{Kind: line.Start, Call: call}, call.Check()
}

func (p *Protocol) append(b []byte, event string) []byte {
	b = append(b, `{"event":"`...)
	b = append(b, event...)
	b = append(b, `","streamSid":`...)
	return line.AppendString(b, p.stream)
}

// AppendAudio appends a message media.
func (p *Protocol) AppendAudio(b, frame []byte) ([]byte, bool) {
	b = append(p.append(b, "media"), `,"media":{"payload":`...)
	return append(line.AppendPayload(b, frame), "}}"...), false
}

// AppendClear appends a message clear.
func (p *Protocol) AppendClear(b []byte) []byte { return append(p.append(b, "clear"), '}') }

// AppendMark appends a message mark.
func (p *Protocol) AppendMark(b []byte, name string) []byte {
	b = append(p.append(b, "mark"), `,"mark":{"name":`...)
	return append(line.AppendString(b, name), "}}"...)
}

// Signed reports whether a signature, the value of X-Twilio-Signature, is that of a handshake at
// this URL, which must be the one that TwiML names: base64 of its HMAC-SHA1 with the auth token.
//
// Source: https://www.twilio.com/docs/usage/security
func Signed(authToken, url, signature string) bool {
	given, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return false
	}
	// Twilio has signed the URL with a slash at its end in some versions.
	url = strings.TrimSuffix(url, "/")
	return hmac.Equal(given, sign(authToken, url)) || hmac.Equal(given, sign(authToken, url+"/"))
}

func sign(authToken, url string) []byte {
	mac := hmac.New(sha1.New, []byte(authToken))
	mac.Write([]byte(url))
	return mac.Sum(nil)
}

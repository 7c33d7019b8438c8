// Package plivo speaks the protocol of Plivo's audio streams, bidirectional.
//
// Source: https://www.plivo.com/docs/voice-agents/audio-streaming/concepts/audio-streaming-reference
package plivo

import (
	"fmt"
	"strings"

	"vaak/audio"
	"vaak/telephony/line"
)

// Protocol is the protocol of one call. The zero value is ready.
type Protocol struct {
	stream   string
	format   line.Format
	playHead []byte // the beginning of each message with audio
}

var _ line.Protocol = (*Protocol)(nil)

type message struct {
	Event string `json:"event"`
	Start *struct {
		CallID      string `json:"callId"`
		StreamID    string `json:"streamId"`
		MediaFormat struct {
			Encoding   string `json:"encoding"`
			SampleRate int    `json:"sampleRate"`
		} `json:"mediaFormat"`
	} `json:"start"`
	ExtraHeaders any `json:"extra_headers"` // a text; in every message
	Media        *struct {
		Track   string `json:"track"`
		Payload string `json:"payload"`
	} `json:"media"`
	DTMF *struct {
		Digit string `json:"digit"`
	} `json:"dtmf"`
	Name string `json:"name"` // of playedStream
}

// Parse reads a message. Plivo does not send the numbers of the caller and the called, so they
// are those of the extra headers from and to.
func (p *Protocol) Parse(data []byte, binary bool) (line.Event, error) {
	var m message
	if binary {
		return line.Event{}, line.Refused("Plivo sends no binary messages")
	}
	if err := line.Decode(data, &m); err != nil {
		return line.Event{}, err
	}
	switch {
	case m.Event == "start" && m.Start != nil:
		return p.start(m)
	case p.stream == "":
		return line.Event{}, nil
	case m.Event == "media" && m.Media != nil:
		if m.Media.Track == "outbound" {
			return line.Event{}, nil
		}
		audio, err := p.format.Payload(m.Media.Payload)
		return line.Event{Kind: line.Audio, Audio: audio}, err
	case m.Event == "dtmf" && m.DTMF != nil:
		return line.Digit(m.DTMF.Digit)
	case m.Event == "playedStream":
		return line.Event{Kind: line.Mark, Mark: m.Name}, nil
	case m.Event == "stop":
		return line.Event{Kind: line.Stop}, nil
	}
	return line.Event{}, nil
}

func (p *Protocol) start(m message) (line.Event, error) {
	if p.stream != "" {
		return line.Event{}, line.Refused("a second start came")
	}
	f := m.Start.MediaFormat
	switch {
	case f.Encoding == "audio/x-mulaw" && f.SampleRate == 8000:
		p.format = line.Telephone
	case f.Encoding == "audio/x-l16" && (f.SampleRate == 8000 || f.SampleRate == 16000):
		p.format = line.Format{Codec: audio.PCM, Rate: f.SampleRate}
	default:
		return line.Event{}, line.Refused("the audio is %.40q at %d Hz; audio/x-mulaw at 8000, audio/x-l16 at 8000 or 16000 are spoken", f.Encoding, f.SampleRate)
	}
	if m.Start.StreamID == "" || len(m.Start.StreamID) > 256 {
		return line.Event{}, line.Refused("the start has no streamId of at most 256 bytes")
	}
	p.stream = m.Start.StreamID
	p.playHead = fmt.Appendf(nil, `{"event":"playAudio","media":{"contentType":"%s","sampleRate":%d,"payload":`, f.Encoding, f.SampleRate)
	call := line.Call{ID: m.Start.CallID, Format: p.format, Parameters: headers(m.ExtraHeaders)}
	call.From, call.To = call.Named("from", "From"), call.Named("to", "To")
	return line.Event{Kind: line.Start, Call: call}, call.Check()
}

// headers reads extra headers: name=value, with ; or , between them.
func headers(value any) map[string]string {
	text, _ := value.(string)
	all := map[string]string{}
	for _, pair := range strings.FieldsFunc(strings.Trim(text, "{}"), func(r rune) bool { return r == ';' || r == ',' }) {
		if name, value, ok := strings.Cut(pair, "="); ok {
			all[strings.TrimPrefix(strings.TrimSpace(name), "X-PH-")] = strings.TrimSpace(value)
		}
	}
	return all
}

// AppendAudio appends a message playAudio.
func (p *Protocol) AppendAudio(b, frame []byte) ([]byte, bool) {
	b = append(b, p.playHead...)
	return append(line.AppendPayload(b, frame), "}}"...), false
}

func (p *Protocol) append(b []byte, event string) []byte {
	b = append(b, `{"event":"`...)
	b = append(b, event...)
	b = append(b, `","streamId":`...)
	return line.AppendString(b, p.stream)
}

// AppendClear appends a message clearAudio.
func (p *Protocol) AppendClear(b []byte) []byte { return append(p.append(b, "clearAudio"), '}') }

// AppendMark appends a message checkpoint.
func (p *Protocol) AppendMark(b []byte, name string) []byte {
	b = append(p.append(b, "checkpoint"), `,"name":`...)
	return append(line.AppendString(b, name), '}')
}

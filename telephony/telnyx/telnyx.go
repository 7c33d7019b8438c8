// Package telnyx speaks the protocol of Telnyx media streaming, bidirectional in the mode rtp.
//
// Source: https://developers.telnyx.com/docs/voice/programmable-voice/media-streaming
package telnyx

import (
	"encoding/json"

	"vaak/audio"
	"vaak/telephony/line"
)

// Protocol is the protocol of one call. The zero value is ready.
type Protocol struct {
	format  line.Format
	started bool
}

var _ line.Protocol = (*Protocol)(nil)

type message struct {
	Event string `json:"event"`
	Start *struct {
		CallControlID string `json:"call_control_id"`
		From          string `json:"from"`
		To            string `json:"to"`
		MediaFormat   struct {
			Encoding   string `json:"encoding"`
			SampleRate int    `json:"sample_rate"`
		} `json:"media_format"`
		// An object, or a list of name and value, which depends on what started the stream.
		CustomParameters json.RawMessage `json:"custom_parameters"`
	} `json:"start"`
	Media *struct {
		Track   string `json:"track"`
		Payload string `json:"payload"`
	} `json:"media"`
	DTMF *struct {
		Digit string `json:"digit"`
	} `json:"dtmf"`
	Mark *struct {
		Name string `json:"name"`
	} `json:"mark"`
}

// Parse reads a message.
func (p *Protocol) Parse(data []byte, binary bool) (line.Event, error) {
	var m message
	if binary {
		return line.Event{}, line.Refused("Telnyx sends no binary messages")
	}
	if err := line.Decode(data, &m); err != nil {
		return line.Event{}, err
	}
	switch {
	case m.Event == "start" && m.Start != nil:
		return p.start(m)
	case !p.started:
		return line.Event{}, nil // connected
	case m.Event == "media" && m.Media != nil:
		if m.Media.Track == "outbound" {
			return line.Event{}, nil
		}
		audio, err := p.format.Payload(m.Media.Payload)
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

// formats are the encodings of a line that carry what the bridge sends. The stream must ask for
// the same codec in both directions.
var formats = map[string]line.Format{"": line.Telephone, "PCMU": line.Telephone, "PCMA": {Codec: audio.ALaw, Rate: 8000}}

func (p *Protocol) start(m message) (line.Event, error) {
	if p.started {
		return line.Event{}, line.Refused("a second start came")
	}
	f := m.Start.MediaFormat
	format, ok := formats[f.Encoding]
	if !ok || f.SampleRate != 0 && f.SampleRate != format.Rate {
		return line.Event{}, line.Refused("the audio is %.40q at %d Hz; PCMU or PCMA at 8000 is spoken", f.Encoding, f.SampleRate)
	}
	call := line.Call{ID: m.Start.CallControlID, From: m.Start.From, To: m.Start.To, Format: format, Parameters: parameters(m.Start.CustomParameters)}
	p.started, p.format = true, format
	return line.Event{Kind: line.Start, Call: call}, call.Check()
}

// parameters reads the custom parameters in either form; other forms have none.
func parameters(raw json.RawMessage) map[string]string {
	var object map[string]string
	if json.Unmarshal(raw, &object) == nil {
		return object
	}
	var list []struct{ Name, Value string }
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	object = map[string]string{}
	for _, entry := range list {
		object[entry.Name] = entry.Value
	}
	return object
}

// AppendAudio appends a message media.
func (p *Protocol) AppendAudio(b, frame []byte) ([]byte, bool) {
	b = append(b, `{"event":"media","media":{"payload":`...)
	return append(line.AppendPayload(b, frame), "}}"...), false
}

// AppendClear appends a message clear.
func (p *Protocol) AppendClear(b []byte) []byte { return append(b, `{"event":"clear"}`...) }

// AppendMark appends a message mark.
func (p *Protocol) AppendMark(b []byte, name string) []byte {
	b = append(b, `{"event":"mark","mark":{"name":`...)
	return append(line.AppendString(b, name), "}}"...)
}

// Package vonage speaks the protocol of WebSocket endpoints of Vonage's Voice API: audio in binary
// messages, 16-bit linear, everything else in JSON.
//
// Source: https://developer.vonage.com/en/voice/voice-api/concepts/websockets
package vonage

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vaak/audio"
	"vaak/telephony/line"
)

// Protocol is the protocol of one call. The zero value is ready.
type Protocol struct{ format line.Format }

var _ line.Protocol = (*Protocol)(nil)

// rates are what an endpoint may ask for, in Hz.
var rates = []int{8000, 16000, 24000}

// markField holds the name of a mark in the payload of a notification.
const markField = "vaak_mark"

// Parse reads a message. The headers of the endpoint are the parameters of the call; uuid, from
// and to among them are its id and the numbers.
func (p *Protocol) Parse(data []byte, binary bool) (line.Event, error) {
	started := p.format.Rate != 0
	if binary {
		if !started {
			return line.Event{}, line.Refused("audio came before websocket:connected")
		}
		return line.Event{Kind: line.Audio, Audio: data}, p.format.Whole(data)
	}
	var m map[string]any
	if err := line.Decode(data, &m); err != nil {
		return line.Event{}, err
	}
	event, _ := m["event"].(string)
	switch {
	case event == "websocket:connected":
		if started {
			return line.Event{}, line.Refused("a second websocket:connected came")
		}
		return p.start(m)
	case !started:
		return line.Event{}, nil
	case event == "websocket:dtmf":
		digit, _ := m["digit"].(string)
		return line.Digit(digit)
	case event == "websocket:notify":
		payload, _ := m["payload"].(map[string]any)
		name, _ := payload[markField].(string)
		return line.Event{Kind: line.Mark, Mark: name}, nil
	}
	return line.Event{}, nil
}

func (p *Protocol) start(m map[string]any) (line.Event, error) {
	contentType, _ := m["content-type"].(string)
	kind, parameter, _ := strings.Cut(strings.ReplaceAll(contentType, " ", ""), ";")
	rate, err := strconv.Atoi(strings.TrimPrefix(parameter, "rate="))
	if kind != "audio/l16" || err != nil || !slices.Contains(rates, rate) {
		return line.Event{}, line.Refused("content-type %.60q is not audio/l16;rate= with 8000, 16000 or 24000", contentType)
	}
	call := line.Call{Format: line.Format{Codec: audio.PCM, Rate: rate}, Parameters: map[string]string{}}
	add := func(from map[string]any) {
		for name, value := range from {
			if text, ok := value.(string); ok && name != "event" && name != "content-type" {
				call.Parameters[name] = text
			}
		}
	}
	add(m)
	if nested, ok := m["headers"].(map[string]any); ok {
		add(nested)
	}
	call.ID, call.From, call.To = call.Named("uuid", "call_uuid", "conversation_uuid"), call.Named("from"), call.Named("to")
	if call.ID == "" {
		call.ID = "vonage" // the operator has set no header with an id; the bridge has one of its own
	}
	p.format = call.Format
	return line.Event{Kind: line.Start, Call: call}, call.Check()
}

// AppendAudio appends a frame as it is.
func (p *Protocol) AppendAudio(b, frame []byte) ([]byte, bool) { return append(b, frame...), true }

// AppendClear appends the action clear.
func (p *Protocol) AppendClear(b []byte) []byte { return append(b, `{"action":"clear"}`...) }

// AppendMark appends the action notify.
func (p *Protocol) AppendMark(b []byte, name string) []byte {
	text, err := json.Marshal(map[string]any{"action": "notify", "payload": map[string]string{markField: name}})
	if err != nil {
		return b // cannot be: strings are always encoded
	}
	return append(b, text...)
}

package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"vaak/engine/remote/exchange"
	"vaak/engine/remote/wire"
)

// lineBytes bounds a line of events and of captions. The longest that servers send are sentences
// in one piece: a minute at 48 kHz has 7.7 MB in base64.
const lineBytes = 8 << 20

// events reads the samples' bytes of an answer in server-sent events:
//
//	event: speech.audio.delta
//	data: {"type":"speech.audio.delta","audio":"<base64>"}
//
// The line "event" may be missing, and so may the type where that line is there. The end is
// speech.audio.done or the data [DONE]; an end without is a failure. So are the events
// speech.audio.error and error. Other events and comments are passed over.
type events struct {
	lines *exchange.Lines
	text  string
	name  []byte // of the event, from its own line
	audio []byte // decoded, unread
	done  bool
}

func newEvents(r io.Reader, text string) *events {
	return &events{lines: exchange.NewLines(r, lineBytes), text: text}
}

func (e *events) Read(p []byte) (int, error) {
	for len(e.audio) == 0 {
		if e.done {
			return 0, io.EOF
		}
		line, err := e.lines.Next()
		if errors.Is(err, io.EOF) {
			return 0, &wire.Failure{Reason: wire.Broken, Status: http.StatusOK, Detail: "events end without a last one"}
		}
		if err != nil {
			return 0, err
		}
		if err := e.line(line); err != nil {
			return 0, err
		}
	}
	n := copy(p, e.audio)
	e.audio = e.audio[n:]
	return n, nil
}

func (e *events) line(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "":
		if len(line) == 0 {
			e.name = e.name[:0]
		}
		return nil // or a comment
	case "event":
		if len(value) <= 64 {
			e.name = append(e.name[:0], value...)
		}
		return nil
	case "data":
	case "id", "retry":
		return nil
	default:
		return broken("a line that is no event")
	}
	if string(value) == "[DONE]" {
		e.done = true
		return nil
	}
	var ev event
	if !ev.parse(value) {
		return broken("an event whose data is no JSON")
	}
	if len(ev.kind) == 0 {
		ev.kind = e.name
	}
	switch string(ev.kind) {
	case "speech.audio.delta":
		audio, ok := decode(ev.audio)
		if !ok {
			return broken("sound that is no base64")
		}
		e.audio = audio
	case "speech.audio.done":
		e.done = true
		switch string(ev.finish) {
		case "abort", "error":
			return &wire.Failure{Reason: wire.Failed, Status: http.StatusOK, Detail: "the server gave up in the middle"}
		}
	case "speech.audio.error", "error":
		return failed(value, e.text)
	default:
		if ev.failed {
			return failed(value, e.text)
		}
	}
	return nil
}

func broken(detail string) *wire.Failure {
	return &wire.Failure{Reason: wire.Broken, Status: http.StatusOK, Detail: detail}
}

func failed(data []byte, text string) *wire.Failure {
	f := &wire.Failure{Reason: wire.Failed, Status: http.StatusOK, Detail: "an error in the answer"}
	if m := exchange.Message(data[:min(len(data), 8<<10)], text); m != "" {
		f.Detail += ": " + m
	}
	return f
}

// event has the fields of an event's data that matter, as written.
type event struct {
	kind, audio, finish []byte
	failed              bool // has an error that is not null
}

// parse reads the fields at the top of a JSON object. Most of the data is one long string, so it
// is looked through once for where that ends and is not copied; encoding/json is asked only where
// a string has escapes.
func (e *event) parse(b []byte) bool {
	b = bytes.TrimSpace(b)
	if len(b) < 2 || b[0] != '{' {
		return false
	}
	b = bytes.TrimLeft(b[1:], spaces)
	if len(b) > 0 && b[0] == '}' {
		return len(b) == 1
	}
	for {
		name, rest, ok := quoted(b)
		if !ok {
			return false
		}
		rest = bytes.TrimLeft(rest, spaces)
		if len(rest) == 0 || rest[0] != ':' {
			return false
		}
		b = bytes.TrimLeft(rest[1:], spaces)
		var value []byte
		if len(b) > 0 && b[0] == '"' {
			value, rest, ok = quoted(b)
			if !ok {
				return false
			}
			switch string(name) {
			case "type":
				e.kind = value
			case "audio", "delta":
				e.audio = value
			case "finish_reason":
				e.finish = value
			case "error":
				e.failed = true
			}
		} else {
			value, rest, ok = other(b)
			if !ok {
				return false
			}
			if string(name) == "error" && string(value) != "null" {
				e.failed = true
			}
		}
		rest = bytes.TrimLeft(rest, spaces)
		switch {
		case len(rest) == 1 && rest[0] == '}':
			return true
		case len(rest) > 0 && rest[0] == ',':
			b = bytes.TrimLeft(rest[1:], spaces)
		default:
			return false
		}
	}
}

const spaces = " \t\r\n"

// quoted returns the string at the beginning of b and what follows it.
func quoted(b []byte) (value, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	end := bytes.IndexByte(b[1:], '"')
	if end < 0 {
		return nil, nil, false
	}
	value = b[1 : 1+end]
	if bytes.IndexByte(value, '\\') < 0 {
		return value, b[end+2:], true
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			var s string
			if json.Unmarshal(b[:i+1], &s) != nil {
				return nil, nil, false
			}
			return []byte(s), b[i+1:], true
		}
	}
	return nil, nil, false
}

// other returns the value at the beginning of b that is no string, and what follows it. It does not
// check more than where the value ends.
func other(b []byte) (value, rest []byte, ok bool) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			if depth == 0 {
				return nil, nil, false
			}
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return bytes.TrimRight(b[:i], spaces), b[i:], i > 0
			}
			depth--
		case ',':
			if depth == 0 {
				return bytes.TrimRight(b[:i], spaces), b[i:], i > 0
			}
		}
	}
	return nil, nil, false
}

// decode decodes base64 in place, with or without its padding.
func decode(b []byte) ([]byte, bool) {
	b = bytes.TrimRight(b, "=")
	n, err := base64.RawStdEncoding.Decode(b, b)
	return b[:n], err == nil
}

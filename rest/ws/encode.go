package ws

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"vaak/speech"
)

// appendString appends a JSON string.
func appendString(b []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		plain = plain && ' ' <= s[i] && s[i] < 0x7f && s[i] != '"' && s[i] != '\\'
	}
	if plain {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		return append(b, `""`...) // cannot be: strings are always encoded
	}
	return append(b, quoted...)
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return appendString(b, value)
}

// stretch is a piece of an alignment, timed from where the frame begins that
// carries it. It holds no characters where it is zero.
type stretch struct {
	characters []string
	starts     []int // of the characters, in ms of the session
	begin, end int   // of the frame and of the stretch, likewise
}

// appendStretch appends an alignment as the dialect writes it.
func appendStretch(b []byte, s stretch) []byte {
	if len(s.characters) == 0 {
		return append(b, "null"...)
	}
	list := func(n int, item func(int)) {
		b = append(b, '[')
		for i := range n {
			if i > 0 {
				b = append(b, ',')
			}
			item(i)
		}
		b = append(b, ']')
	}
	n := len(s.characters)
	b = append(b, `{"chars":`...)
	list(n, func(i int) { b = appendString(b, s.characters[i]) })
	b = append(b, `,"charStartTimesMs":`...)
	list(n, func(i int) { b = strconv.AppendInt(b, int64(s.starts[i]-s.begin), 10) })
	b = append(b, `,"charDurationsMs":`...)
	list(n, func(i int) {
		until := s.end
		if i+1 < n {
			until = s.starts[i+1]
		}
		b = strconv.AppendInt(b, int64(until-s.starts[i]), 10)
	})
	return append(b, '}')
}

// appendAudio appends a frame of audio of the dialect; context is "" where there
// is none.
func appendAudio(b, audio []byte, written, spoken stretch, context string) []byte {
	b = append(b, `{"audio":"`...)
	b = base64.StdEncoding.AppendEncode(b, audio)
	b = append(b, `","isFinal":null,"alignment":`...)
	b = appendStretch(b, written)
	b = append(b, `,"normalizedAlignment":`...)
	b = appendStretch(b, spoken)
	return appendContext(b, context)
}

// appendUnspoken appends a frame of the dialect that names text that is left out.
func appendUnspoken(b []byte, text, context string) []byte {
	b = append(b, `{"audio":null,"isFinal":null,"alignment":null,"normalizedAlignment":null`...)
	b = appendField(b, "leftOut", text)
	return appendContext(b, context)
}

// appendFinal appends the last frame of a session of the dialect; spoken is nil
// but for one that was cancelled by a client who asked how far it came.
func appendFinal(b []byte, context string, spoken *speech.Spoken) []byte {
	b = append(b, `{"audio":null,"isFinal":true,"alignment":null,"normalizedAlignment":null`...)
	if spoken != nil {
		b = append(b, `,"spoken":{"text":`...)
		b = appendString(b, spoken.Text)
		b = appendField(b, "remaining", spoken.Remaining)
		b = appendPosition(b, spoken)
		b = append(b, '}')
	}
	return appendContext(b, context)
}

func appendPosition(b []byte, s *speech.Spoken) []byte {
	b = append(b, `,"char_offset":`...)
	b = strconv.AppendInt(b, int64(s.Characters), 10)
	b = append(b, `,"audio_ms":`...)
	return strconv.AppendInt(b, milliseconds(s.Audio), 10)
}

// appendError appends an error of the dialect.
func appendError(b []byte, err error, context string) []byte {
	f, code := trouble(err)
	b = append(b, `{"message":`...)
	b = appendString(b, f.Msg)
	b = appendField(b, "error", f.Code)
	b = append(b, `,"code":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	return appendContext(b, context)
}

func appendContext(b []byte, context string) []byte {
	if context != "" {
		b = appendField(b, "contextId", context)
	}
	return append(b, '}')
}

// appendNativeError appends an error of the native socket.
func appendNativeError(b []byte, err error) []byte {
	f, _ := trouble(err)
	b = append(b, `{"type":"error"`...)
	b = appendField(b, "code", f.Code)
	b = appendField(b, "message", f.Msg)
	b = appendField(b, "error", f.Code)
	return append(b, '}')
}

// appendLeftOut appends a message of the native socket that names text that is left
// out.
func appendLeftOut(b []byte, text string) []byte {
	b = append(b, `{"type":"left_out"`...)
	b = appendField(b, "text", text)
	return append(b, '}')
}

// appendDone appends the last frame of a native session.
func appendDone(b []byte, characters int, audio time.Duration, requestID string) []byte {
	b = append(b, `{"type":"done","characters":`...)
	b = strconv.AppendInt(b, int64(characters), 10)
	b = append(b, `,"audio_ms":`...)
	b = strconv.AppendInt(b, milliseconds(audio), 10)
	b = appendField(b, "request_id", requestID)
	return append(b, '}')
}

// appendCancelled appends the last frame of a native session that was cancelled.
func appendCancelled(b []byte, s *speech.Spoken) []byte {
	b = append(b, `{"type":"cancelled"`...)
	b = appendField(b, "text_spoken", s.Text)
	b = appendField(b, "text_remaining", s.Remaining)
	b = appendPosition(b, s)
	return append(b, '}')
}

func milliseconds(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }

package message

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"vaak/speech"
	"vaak/speech/align"
)

// appendString appends a JSON string.
func appendString(b []byte, s string) []byte {
	// Plain ASCII without quotes and escapes needs no encoder.
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

// Stretch is the part of an alignment that one frame carries. Its times count from the beginning of
// the frame. The zero Stretch has no characters.
type Stretch struct {
	Characters []string
	Starts     []int // of the characters, in ms of the session
	Begin, End int   // where the frame begins and the stretch ends, in ms of the session
	Estimated  bool  // the times are estimated, as in align.Alignment
}

// appendStretch appends an alignment as the dialect writes it.
func appendStretch(b []byte, s Stretch) []byte {
	if len(s.Characters) == 0 {
		return append(b, "null"...)
	}
	// Written by hand, because a frame has three lists of hundreds of entries, several times a
	// second.
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
	n := len(s.Characters)
	b = append(b, `{"chars":`...)
	list(n, func(i int) { b = appendString(b, s.Characters[i]) })
	b = append(b, `,"charStartTimesMs":`...)
	list(n, func(i int) { b = strconv.AppendInt(b, int64(s.Starts[i]-s.Begin), 10) })
	b = append(b, `,"charDurationsMs":`...)
	list(n, func(i int) {
		// A character lasts until the next begins, the last one until the stretch ends.
		until := s.End
		if i+1 < n {
			until = s.Starts[i+1]
		}
		b = strconv.AppendInt(b, int64(until-s.Starts[i]), 10)
	})
	return append(b, '}')
}

// AppendAudio appends a frame of audio of the dialect; context is "" where there
// is none.
func AppendAudio(b, audio []byte, written, spoken Stretch, context string) []byte {
	b = append(b, `{"audio":"`...)
	b = base64.StdEncoding.AppendEncode(b, audio)
	b = append(b, `","isFinal":null,"alignment":`...)
	b = appendStretch(b, written)
	b = append(b, `,"normalizedAlignment":`...)
	b = appendStretch(b, spoken)
	if written.Estimated || spoken.Estimated {
		b = append(b, `,"estimated":true`...)
	}
	return appendContext(b, context)
}

// AppendUnspoken appends a frame of the dialect that names text that is left out.
func AppendUnspoken(b []byte, text, context string) []byte {
	b = append(b, `{"audio":null,"isFinal":null,"alignment":null,"normalizedAlignment":null`...)
	b = appendField(b, "leftOut", text)
	return appendContext(b, context)
}

// AppendFinal appends the last frame of a session of the dialect. Spoken is how far a session came
// that was cancelled by a client who asked for that, else nil.
func AppendFinal(b []byte, context string, spoken *speech.Spoken) []byte {
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

// AppendError appends an error of the dialect.
func AppendError(b []byte, err error, context string) []byte {
	f, code := Trouble(err)
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

// AppendNativeError appends an error of the native socket.
func AppendNativeError(b []byte, err error) []byte {
	f, _ := Trouble(err)
	b = append(b, `{"type":"error"`...)
	b = appendField(b, "code", f.Code)
	b = appendField(b, "message", f.Msg)
	b = appendField(b, "error", f.Code)
	return append(b, '}')
}

// AppendLeftOut appends a message of the native socket that names text that is left
// out.
func AppendLeftOut(b []byte, text string) []byte {
	b = append(b, `{"type":"left_out"`...)
	b = appendField(b, "text", text)
	return append(b, '}')
}

// AppendWords appends a message of the native socket with words and their times.
func AppendWords(b []byte, words []align.Word) []byte {
	b = append(b, `{"type":"words","words":[`...)
	for i, w := range words {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"text":`...)
		b = appendString(b, w.Text)
		b = append(b, `,"char_offset":`...)
		b = strconv.AppendInt(b, int64(w.Character), 10)
		b = append(b, `,"start_ms":`...)
		b = strconv.AppendInt(b, int64(w.At), 10)
		b = append(b, `,"end_ms":`...)
		b = strconv.AppendInt(b, int64(w.Until), 10)
		if w.Estimated {
			b = append(b, `,"estimated":true`...)
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// AppendDone appends the last frame of a native session. Engine is as in [speech.Info]; "" where
// nothing was spoken.
func AppendDone(b []byte, characters int, audio time.Duration, requestID, engine string) []byte {
	b = append(b, `{"type":"done","characters":`...)
	b = strconv.AppendInt(b, int64(characters), 10)
	b = append(b, `,"audio_ms":`...)
	b = strconv.AppendInt(b, milliseconds(audio), 10)
	b = appendField(b, "request_id", requestID)
	return appendEngine(b, engine)
}

// appendEngine ends a message with who spoke, if anybody did.
func appendEngine(b []byte, engine string) []byte {
	if engine != "" {
		b = appendField(b, "engine", engine)
	}
	return append(b, '}')
}

// AppendCancelled appends the last frame of a native session that was cancelled. Engine is as in
// [AppendDone].
func AppendCancelled(b []byte, s *speech.Spoken, engine string) []byte {
	b = append(b, `{"type":"cancelled"`...)
	b = appendField(b, "text_spoken", s.Text)
	b = appendField(b, "text_remaining", s.Remaining)
	b = appendPosition(b, s)
	return appendEngine(b, engine)
}

func milliseconds(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }

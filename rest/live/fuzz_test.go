package live

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"vaak/dictionary"
	"vaak/internal/fault"
	"vaak/rest/live/message"
)

var seeds = []string{
	``, `{}`, `null`, `[]`, `"a"`, `{"text":""}`, `{"text":" "}`, `{"text":"Hi. ","flush":true}`, `{"flush":true}`,
	`{"cancel":true,"played_ms":1e9}`, `{"cancel":true}`, `{"keepalive":true}`, `{"text":null,"voice_settings":null}`,
	`{"text":" ","voice_settings":{"speed":1e308},"generation_config":{"chunk_length_schedule":[null,-1,1e99]}}`,
	`{"text":"a","context_id":"c","flush":true,"close_context":true}`, `{"context_id":"c","close_context":true,"played_ms":0}`,
	`{"close_socket":true}`, `{"text":"a","try_trigger_generation":true}`, `{"text":"\ud83d\ude00 \u0000"}`,
	`{"pronunciation_dictionary_locators":[{"pronunciation_dictionary_id":"x","version_id":null}]}`,
	`{"text":" ","context_id":"c",` + locators(names, acronyms+"@"+acronymsFirst, names) + `}`, `{"text":"a","pronunciation_dictionary_locators":{}}`,
	`{"text":"a",` + locators(names, places, brands, foreign) + `}`, `{"pronunciation_dictionary_locators":[null,[],{"version_id":{}}]}`,
	`{"text":"a","context_id":""}`, "{\"text\":\"\xff\"}", `{"played_ms":-1}`, strings.Repeat("[", 100),
}

// FuzzParse: whatever is sent is a frame within bounds, or an error that a
// client may be told.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []message.Parser{message.ParseNative, message.ParseDialect} {
			got, err := parse(data)
			if err != nil {
				e, ok := errors.AsType[*fault.Error](err)
				if !ok || e.Code != fault.CodeInvalidMessage || !utf8.ValidString(e.Msg) {
					t.Errorf("parse(%q) = %v, want invalid_message", data, err)
				}
				continue
			}
			if got.Text != nil && !utf8.ValidString(*got.Text) {
				t.Errorf("parse(%q): text %q is not UTF-8", data, *got.Text)
			}
			for _, n := range got.Schedule {
				if n < message.MinChunk || n > message.MaxChunk {
					t.Errorf("parse(%q): %d is outside the bounds of a schedule", data, n)
				}
			}
			for _, l := range got.Dictionaries {
				if len(got.Dictionaries) > dictionary.MaxPerRequest || !utf8.ValidString(l.ID+l.Version) {
					t.Errorf("parse(%q): dictionaries %+v are out of bounds", data, got.Dictionaries)
				}
			}
			if got.Played != nil && (*got.Played < 0 || *got.Played > message.MaxPlayed) || len(got.Context) > message.MaxContextID {
				t.Errorf("parse(%q) = %+v, which is out of bounds", data, got)
			}
		}
	})
}

// FuzzSocket: whatever frames are sent, a socket answers in frames that clients
// can read, ends with a code, and leaves nothing behind.
func FuzzSocket(f *testing.F) {
	for i := range seeds {
		f.Add(byte(i), strings.Join(seeds[i:min(i+6, len(seeds))], "\n"))
	}
	f.Fuzz(func(t *testing.T, which byte, script string) {
		s := newSite(t, Config{Dictionaries: newLibrary(t)})
		stop := pipe(s)
		defer stop()
		conn, _, err := s.connect(context.Background(), paths[int(which)%len(paths)])
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			for line := range strings.Lines(script) {
				kind := websocket.TextMessage
				if strings.HasPrefix(line, "\x00") {
					kind = websocket.BinaryMessage
				}
				if conn.WriteMessage(kind, []byte(strings.TrimSuffix(line, "\n"))) != nil {
					return
				}
			}
			_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Minute))
		}()
		for {
			kind, data, err := conn.ReadMessage()
			if err != nil {
				if _, ok := errors.AsType[*websocket.CloseError](err); !ok {
					t.Errorf("%q ended with %v, want a close frame", script, err)
				}
				return
			}
			if kind == websocket.TextMessage && (!utf8.Valid(data) || len(data) > message.MaxMessage) {
				t.Errorf("%q was answered with a frame of %d bytes, %q", script, len(data), data)
			}
			if strings.Contains(string(data), "internal_error") {
				t.Errorf("%q was answered with %s", script, data)
			}
		}
	})
}

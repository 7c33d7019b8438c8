package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"vaak/engine/remote/wire"
)

func delta(pcm string) string {
	return `data: {"type":"speech.audio.delta","audio":"` + base64.StdEncoding.EncodeToString([]byte(pcm)) + `"}` + "\n\n"
}

const last = `data: {"type":"speech.audio.done"}` + "\n\n"

func TestEvents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, want string
		reason         wire.Reason
	}{
		{"types", delta("ab") + delta("cde") + last, "abcde", ""},
		{"names of events", "event: speech.audio.delta\r\ndata: {\"audio\":\"YWI=\"}\r\n\r\nevent: speech.audio.done\r\ndata: {}\r\n\r\n", "ab", ""},
		{"spaces and order", "data:{ \"audio\" : \"YWI\" ,\"n\":[1,{\"x\":\"]}\"}], \"type\":\"speech.audio.delta\" }\n\n" + last, "ab", ""},
		{"escapes", `data: {"type":"speech.audio.delta","audio":"\/\/\/\/"}` + "\n\n" + last, "\xff\xff\xff", ""},
		{"comments, ids and other events", ": ping\nid: 1\nretry: 5\n" + delta("a") + "data: {\"type\":\"speech.audio.note\",\"delta\":\"x\"}\n\n" + last, "a", ""},
		{"only the mark", delta("a") + "data: [DONE]\n\n", "a", ""},
		{"after the end", delta("a") + last + delta("b"), "a", ""},
		{"no error", `data: {"type":"speech.audio.delta","audio":"YQ==","error":null}` + "\n\n" + last, "a", ""},
		{"nothing", "", "", wire.Broken},
		{"no end", delta("a"), "a", wire.Broken},
		{"an error", delta("a") + `event: speech.audio.error` + "\n" + `data: {"type":"speech.audio.error","error":{"message":"bad luck with secret","partial_audio":true}}` + "\n\n", "a", wire.Failed},
		{"another error", `data: {"type":"error","error":{"message":"x"}}` + "\n\n", "", wire.Failed},
		{"an error without a type", `data: {"error":"x"}` + "\n\n", "", wire.Failed},
		{"given up", `data: {"type":"speech.audio.done","finish_reason":"abort"}` + "\n\n", "", wire.Failed},
		{"no base64", `data: {"type":"speech.audio.delta","audio":"!"}` + "\n\n", "", wire.Broken},
		{"no JSON", "data: {\"type\n\n", "", wire.Broken},
		{"a page", "<html>\n", "", wire.Broken},
		{"a long line", "data: " + strings.Repeat("x", lineBytes+1<<20), "", wire.Broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.DataErrReader(strings.NewReader(tt.in)), iotest.HalfReader(strings.NewReader(tt.in))} {
				got, err := io.ReadAll(newEvents(r, "a secret"))
				f, _ := errors.AsType[*wire.Failure](err)
				if string(got) != tt.want || (err == nil) != (tt.reason == "") || f != nil && f.Reason != tt.reason {
					t.Fatalf("%q, %v; want %q, %q", got, err, tt.want, tt.reason)
				}
				if f != nil && strings.Contains(f.Detail, "secret") {
					t.Errorf("the failure tells of the text: %v", f)
				}
			}
		})
	}
}

func TestCaptions(t *testing.T) {
	t.Parallel()
	in := `{"audio":"YWI=","audio_format":"audio/pcm","timestamps":[{"word":"x","start_time":0.1,"end_time":0.25},{"word":"","start_time":1,"end_time":1},{"word":"back","start_time":0.05,"end_time":0.06}]}` + "\n" +
		`{"audio":"Yw==","audio_format":"audio/pcm","timestamps":null}` + "\n\n" +
		`{"audio":"","audio_format":"audio/pcm","timestamps":[{"word":"y","start_time":0.3,"end_time":0.5}]}`
	c := newCaptions(strings.NewReader(in), "")
	got, err := io.ReadAll(c)
	if string(got) != "abc" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if s := fmt.Sprint(c.told()); s != "[{x 100ms 250ms} {y 300ms 500ms}]" {
		t.Errorf("words %s", s)
	}
	for in, reason := range map[string]wire.Reason{
		`{"detail":{"error":"x"}}`: wire.Failed,
		`{}`:                       wire.Failed,
		`{"audio":"YWI=","audio_format":"audio/mpeg"}`: wire.Broken,
		`{"audio":"?"}`:                      wire.Broken,
		`{"audio":`:                          wire.Broken,
		strings.Repeat(" ", lineBytes+1<<20): wire.Broken,
	} {
		_, err := io.ReadAll(newCaptions(strings.NewReader(in), ""))
		if f, ok := errors.AsType[*wire.Failure](err); !ok || f.Reason != reason {
			t.Errorf("%.40s: %v, want %s", in, err, reason)
		}
	}
}

// FuzzEvents compares the fields found in an event with those that encoding/json finds, and sees
// that what is cut in other pieces reads the same.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{delta("ab") + last, "event: error\ndata: {}\n\n", `data: {"a":[{"b":"\""}],"type":"x","audio":"YQ"}` + "\n", "data: [DONE]", ":\n\n", `data: {"error":nul}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		a, errA := io.ReadAll(newEvents(bytes.NewReader(in), ""))
		b, errB := io.ReadAll(newEvents(iotest.OneByteReader(bytes.NewReader(in)), ""))
		if !bytes.Equal(a, b) || (errA == nil) != (errB == nil) {
			t.Fatalf("%q, %v in one piece; %q, %v in many", a, errA, b, errB)
		}
		for line := range bytes.Lines(in) {
			line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data: "))
			var want map[string]json.RawMessage
			if json.Unmarshal(line, &want) != nil || want == nil {
				continue
			}
			var e event
			if !e.parse(bytes.Clone(line)) {
				t.Fatalf("no event: %q", line)
			}
			var kind string
			// The last of several fields of one name counts, as for encoding/json, unless it
			// is no string.
			if raw, ok := want["type"]; ok && json.Unmarshal(raw, &kind) == nil && bytes.Count(line, []byte("type")) == 1 && raw[0] == '"' && kind != string(e.kind) {
				t.Fatalf("type %q, want %q in %q", e.kind, kind, line)
			}
		}
	})
}

func FuzzCaptions(f *testing.F) {
	f.Add([]byte(`{"audio":"YWI=","audio_format":"audio/pcm","timestamps":[{"word":"x","start_time":0.1,"end_time":0.25}]}`))
	f.Add([]byte(`{"audio":"","timestamps":[{"word":"x","start_time":1e400,"end_time":-1}]}` + "\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c := newCaptions(bytes.NewReader(in), "")
		_, _ = io.ReadAll(c) // any error will do
		for i, w := range c.told() {
			if w.Start < 0 || w.End < w.Start || i > 0 && w.Start < c.told()[i-1].Start {
				t.Fatalf("words %v", c.told())
			}
		}
		for i, w := range headerWords(string(in)) {
			if w.Start < 0 || w.End < w.Start {
				t.Fatalf("word %d is %v", i, w)
			}
		}
	})
}

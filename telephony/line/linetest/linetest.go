// Package linetest tests the protocols of telephone providers.
package linetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vaak/telephony/line"
)

// Call is a recorded call: what the provider sends, and what that means.
type Call struct {
	Messages []Message
	// Want has a line for each event that is not Nothing, as [Describe] writes it.
	Want []string
	// Bad are messages that end the call, by what the error says.
	Bad map[string]Message
	// Frame, Clear and Mark are what is sent for the frame "abc…" of the format, for a clear, and
	// for the mark "m-1", as JSON or, of a binary message, as bytes.
	Frame, Clear, Mark string
}

// Message is a message of a provider.
type Message struct {
	Data   string
	Binary bool
}

// Describe writes an event on one line.
func Describe(e line.Event) string {
	switch e.Kind {
	case line.Start:
		c := e.Call
		return fmt.Sprintf("start %s from=%s to=%s %v %s/%d", c.ID, c.From, c.To, c.Parameters, c.Format.Codec, c.Format.Rate)
	case line.Audio:
		return fmt.Sprintf("audio %x", e.Audio)
	case line.DTMF:
		return "dtmf " + e.Digit
	case line.Mark:
		return "mark " + e.Mark
	case line.Stop:
		return "stop"
	}
	return "nothing"
}

// Run replays a call, checks what each message means, that the bad ones are refused behind it,
// and what is sent.
func Run(t *testing.T, open func() line.Protocol, c Call) {
	t.Helper()
	replay := func() (line.Protocol, []string, line.Format) {
		p := open()
		var got []string
		var format line.Format
		for _, m := range c.Messages {
			e, err := p.Parse([]byte(m.Data), m.Binary)
			if err != nil {
				t.Fatalf("%s: %v", m.Data, err)
			}
			if e.Kind == line.Start {
				format = e.Call.Format
			}
			if e.Kind != line.Nothing {
				got = append(got, Describe(e))
			}
		}
		return p, got, format
	}
	p, got, format := replay()
	if fmt.Sprint(got) != fmt.Sprint(c.Want) {
		t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.Want, "\n"))
	}
	for wrong, m := range c.Bad {
		p, _, _ := replay()
		if _, err := p.Parse([]byte(m.Data), m.Binary); !line.IsRefused(err) || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%.100s: %v, want an error with %q", m.Data, err, wrong)
		}
	}
	frame := []byte(strings.Repeat("abcd", format.Bytes(line.FrameTime)/4))
	audio, binary := p.AppendAudio([]byte("before"), frame)
	same(t, audio, c.Frame, binary)
	same(t, p.AppendClear([]byte("before")), c.Clear, false)
	same(t, p.AppendMark([]byte("before"), "m-1"), c.Mark, false)
}

func same(t *testing.T, got []byte, want string, binary bool) {
	t.Helper()
	text, ok := strings.CutPrefix(string(got), "before")
	if !ok {
		t.Errorf("%q does not begin with what was there", got)
	}
	if !binary {
		var a, b any
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := json.Unmarshal([]byte(want), &b); err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if fmt.Sprint(a) == fmt.Sprint(b) {
			return
		}
	}
	if text != want {
		t.Errorf("sent %.200q, want %.200q", text, want)
	}
}

// Fuzz checks that a protocol panics on no messages, that its first event is the start and there
// is only one, that audio is whole and short, and that it writes JSON after any start. Messages
// are separated by line ends; one that begins with ! is binary.
func Fuzz(f *testing.F, open func() line.Protocol, c Call) {
	var all []string
	for _, m := range c.Messages {
		if !m.Binary {
			all = append(all, strings.ReplaceAll(m.Data, "\n", " "))
		}
	}
	f.Add(strings.Join(all, "\n"))
	f.Add(strings.Join(all, "\n") + "\n!ab")
	for _, m := range c.Bad {
		f.Add(strings.Join(append(all[:len(all):len(all)], m.Data), "\n"))
	}
	f.Fuzz(func(t *testing.T, messages string) {
		p := open()
		var call *line.Call
		for m := range strings.SplitSeq(messages, "\n") {
			data, binary := strings.CutPrefix(m, "!")
			e, err := p.Parse([]byte(data), binary)
			if err != nil {
				return
			}
			switch {
			case e.Kind == line.Nothing:
			case e.Kind == line.Start && call == nil:
				call = &e.Call
				if call.Check() != nil {
					t.Fatalf("a call that is wrong was taken: %v", call.Check())
				}
			case call == nil || e.Kind == line.Start:
				t.Fatalf("%s is out of place", Describe(e))
			case e.Kind == line.Audio && call.Format.Whole(e.Audio) != nil:
				t.Fatalf("%d bytes of audio: %v", len(e.Audio), call.Format.Whole(e.Audio))
			}
		}
		if call == nil {
			return
		}
		for _, b := range [][]byte{p.AppendClear(nil), p.AppendMark(nil, "m-1")} {
			if !json.Valid(b) {
				t.Fatalf("%q is no JSON", b)
			}
		}
		if b, binary := p.AppendAudio(nil, make([]byte, 160)); !binary && !json.Valid(b) {
			t.Fatalf("%q is no JSON", b)
		}
	})
}

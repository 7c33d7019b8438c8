package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
	"pgregory.net/rapid"

	"vaak/audio"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

func TestSilences(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		name           string
		heard          []arrival
		sent, promised []time.Duration
		want           silences
	}{
		{"nothing came", nil, nil, nil, silences{}},
		{"all at once", []arrival{{50 * ms, 900 * ms}}, []time.Duration{0}, []time.Duration{900 * ms}, silences{}},
		{"in time", []arrival{{0, 100 * ms}, {200 * ms, 100 * ms}, {300 * ms, 100 * ms}}, []time.Duration{0}, []time.Duration{300 * ms}, silences{}},
		{"less than a block first, the rest of it in time", []arrival{{0, 20 * ms}, {100 * ms, 80 * ms}}, []time.Duration{0}, []time.Duration{100 * ms}, silences{}},
		{"late, the text was sent long before", []arrival{{100 * ms, 100 * ms}, {350 * ms, 100 * ms}}, []time.Duration{0}, []time.Duration{200 * ms},
			silences{underruns: 1, worst: 50 * ms}},
		{"what is late puts off what follows", []arrival{{100 * ms, 100 * ms}, {350 * ms, 100 * ms}, {450 * ms, 100 * ms}, {551 * ms, 100 * ms}}, []time.Duration{0}, []time.Duration{400 * ms},
			silences{underruns: 2, worst: 50 * ms}},
		{"late, the text too", []arrival{{0, 100 * ms}, {950 * ms, 100 * ms}}, []time.Duration{0, 900 * ms}, []time.Duration{100 * ms, 200 * ms},
			silences{waited: 750 * ms}},
		{"late, and the text was a part of it", []arrival{{0, 100 * ms}, {970 * ms, 100 * ms}}, []time.Duration{0, 900 * ms}, []time.Duration{100 * ms, 200 * ms},
			silences{underruns: 1, worst: 10 * ms, waited: 760 * ms}},
		{"late, nothing was promised", []arrival{{0, 100 * ms}, {900 * ms, 100 * ms}}, []time.Duration{0}, []time.Duration{100 * ms}, silences{waited: 700 * ms}},
		{"promised by text that was never sent", []arrival{{0, 100 * ms}, {900 * ms, 100 * ms}}, []time.Duration{0}, []time.Duration{100 * ms, 200 * ms}, silences{waited: 700 * ms}},
	} {
		var got silences
		got.listen(tt.heard, tt.sent, tt.promised)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(silences{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestSilencesLaws checks that it does not matter how audio that comes at one
// time is cut, and that text which comes later never makes more underruns.
func TestSilencesLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		times := func(label string, n int) []time.Duration {
			list := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 3000), func(n int) time.Duration { return time.Duration(n) * time.Millisecond }), n, n).Draw(t, label)
			slices.Sort(list)
			return list
		}
		n := rapid.IntRange(1, 20).Draw(t, "frames")
		var frames, halves []arrival
		for _, at := range times("at", n) {
			a := arrival{at, time.Duration(rapid.IntRange(0, 150).Draw(t, "half")) * 2 * time.Millisecond}
			frames = append(frames, a)
			halves = append(halves, arrival{at, a.audio / 2}, arrival{at, a.audio / 2})
		}
		sent, promised := times("sent", 5), times("promised", 5)
		var whole, cut, later silences
		whole.listen(frames, sent, promised)
		cut.listen(halves, sent, promised)
		if whole != cut {
			t.Fatalf("in halves: %+v, want %+v", cut, whole)
		}
		for i := range sent {
			sent[i] += 100 * time.Millisecond
		}
		later.listen(frames, sent, promised)
		if later.underruns > whole.underruns || later.worst > whole.worst || later.waited < whole.waited {
			t.Fatalf("with later text: %+v, after %+v", later, whole)
		}
	})
}

func TestReplyParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]reply{
		`{"type":"done","characters":3,"audio_ms":4,"request_id":"x"}`:                    {last: true},
		`{"type":"cancelled","text_spoken":"a","text_remaining":"b"}`:                     {last: true},
		`{"audio":"AAAA","isFinal":null,"alignment":null}`:                                {bytes: 3},
		`{"audio":null,"isFinal":true,"contextId":"a"}`:                                   {last: true, context: "a"},
		`{"audio":"AAAAAA==","isFinal":null,"contextId":"b","alignment":{"chars":["a"]}}`: {bytes: 4, context: "b"},
	} {
		var got reply
		if err := got.parse([]byte(text)); err != nil || got != want {
			t.Errorf("parse(%s) = %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{`{"message":"m","error":"insufficient_quota","code":1008}`, `{"type":"error","message":"m"}`, `[]`, ``, `{"audio":"?"}`} {
		if err := new(reply).parse([]byte(bad)); err == nil {
			t.Errorf("parse(%s) gives no error", bad)
		}
	}
}

func FuzzReplyParse(f *testing.F) {
	f.Add([]byte(`{"audio":"AAAA","isFinal":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r reply
		if err := r.parse(b); err == nil && r.bytes > len(b) {
			t.Errorf("parse(%q): %d bytes of audio", b, r.bytes)
		}
	})
}

func TestMeetings(t *testing.T) {
	t.Parallel()
	for _, m := range meetings(rig.FullPlan) {
		const longest = longestFed * time.Second / 2 // none is spoken slower than two words a second
		if m.lead > 0 && m.mode == bySentence && m.lead+time.Second < longest {
			t.Errorf("%s: text is %v ahead, a sentence may sound %v", m.name, m.lead, longest)
		}
	}
	p := rig.FullPlan
	p.Listeners = 7
	if m := meetings(p); m[1].n != 50 || m[3].n != 7 || m[4].n != 7 {
		t.Errorf("with 7 listeners: %+v", m)
	}
}

// echo is a native socket that speaks a tenth of a second for every message of
// text, once so many have come.
func echo(t *testing.T, after int) *server.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" || r.URL.Query().Get("voice") == "" {
			http.Error(w, "no key or no voice", http.StatusUnauthorized)
			return
		}
		ws, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		for n := 1; ; n++ {
			var m struct {
				Text   *string
				Cancel bool
			}
			switch err := ws.ReadJSON(&m); {
			case err != nil:
				return
			case m.Cancel:
				_ = ws.WriteJSON(message{"type": "cancelled"})
				return
			case *m.Text == "":
				_ = ws.WriteJSON(message{"type": "done"})
				return
			case *m.Text == "fail":
				_ = ws.WriteJSON(message{"type": "error", "error": "invalid_message", "message": "no"})
				return
			case n >= after:
				_ = ws.WriteMessage(websocket.BinaryMessage, make([]byte, 2*server.VaakRate/10))
			}
		}
	}))
	t.Cleanup(s.Close)
	return &server.Server{Name: "echo", Addr: s.Listener.Addr().String(), Key: "k"}
}

func TestTalk(t *testing.T) {
	t.Parallel()
	s := echo(t, 3)
	p := newTalk(newDictation(two(), 0, 8), eagerly, 0)
	if err := p.open(s, &net.Dialer{}); err != nil {
		t.Fatal(err)
	}
	if err := p.attend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.sent) != len(p.text.tokens)+1 || p.audio() != time.Duration(len(p.text.tokens)-2)*100*time.Millisecond {
		t.Errorf("%d messages and %v of audio for %d tokens", len(p.sent), p.audio(), len(p.text.tokens))
	}
	for i, at := range p.sent[:len(p.text.tokens)] {
		if at < p.due[i] {
			t.Errorf("token %d was sent at %v, before its time %v", i, at, p.due[i])
		}
	}
	if d, early := p.delay(2); early || d <= 0 {
		t.Errorf("delay from the token that is answered = %v, early: %v", d, early)
	}
	if _, early := p.delay(len(p.text.tokens)); !early {
		t.Error("audio that came before the end is not early")
	}
	var r met
	r.mode = eagerly
	r.add(p, nil)
	if len(r.first) != 1 || len(r.broken) != 1 { // 0.9 s of audio for a text of 4 s
		t.Errorf("a session with too little audio: %+v", r)
	}
}

func TestTalkFails(t *testing.T) {
	t.Parallel()
	s := echo(t, 1)
	p := newTalk(newDictation([]sentence{{tokens: []string{" fail"}}}, 0, 1), eagerly, 0)
	if err := p.open(s, &net.Dialer{}); err != nil {
		t.Fatal(err)
	}
	if err := p.attend(t.Context()); !errors.Is(err, errUnheard) || !strings.Contains(err.Error(), "invalid_message") {
		t.Errorf("attend = %v, want what the server says", err)
	}
	s.Key = "other"
	if err := p.open(s, &net.Dialer{}); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("open with a wrong key = %v, want the status", err)
	}
}

func TestTalkIsLeft(t *testing.T) {
	t.Parallel()
	ctx, leave := context.WithCancel(t.Context())
	p := newTalk(newDictation(two(), 0, 10000), bySentence, time.Second)
	if err := p.open(echo(t, 1), &net.Dialer{}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.attend(ctx) }()
	<-p.first
	leave()
	if err := <-ended; err != nil {
		t.Errorf("attend = %v when its context ends, want no error", err)
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	e := exit{path: socketPath(nativeSocket), begin: message{"text": "a"}, end: message{"cancel": true}}
	last, answer, err := e.take(t.Context(), echo(t, 1), 0)
	if err != nil || last != 0 || answer <= 0 {
		t.Errorf("take = %v, %v, %v; want no audio after it, and an answer", last, answer, err)
	}
}

func TestAskChunks(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		mu.Lock()
		asked = append(asked, string(text))
		mu.Unlock()
		_, _ = w.Write(make([]byte, server.WavHeader+2*server.VaakRate/2))
	}))
	t.Cleanup(h.Close)
	s := &server.Server{Addr: h.Listener.Addr().String(), Header: server.WavHeader, Format: audio.Format{SampleRate: server.VaakRate}}
	s.Request = func(t corpus.Sample) []byte {
		return fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(t.Text), t.Text)
	}
	p := newTalk(newDictation(two(), 1, 12), eagerly, 0)
	if err := p.askChunks(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Ii jj kk ll.", "A bb ccc, dd", "ee ff gg hh."}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	if p.audio().Round(time.Millisecond) != 1500*time.Millisecond {
		t.Errorf("%v of audio, want the 1.5 s without the headers", p.audio())
	}
	if d, early := p.delay(eagerly.firstToken(p.text)); early || d <= 0 {
		t.Errorf("delay = %v, early: %v", d, early)
	}
}

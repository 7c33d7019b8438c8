package telephony

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"vaak/internal/telemetry"
	"vaak/telephony/agent"
	"vaak/telephony/line"
	"vaak/telephony/live"
	"vaak/telephony/pace"
)

// speaker is a speech server that says 20 ms for each character as soon as it is flushed, and can
// be lost in the middle of a call. The real one is in the tests of cmd/vaak.
type speaker struct {
	mu   sync.Mutex
	lose int // how many utterances are lost when they are flushed
	said []string
}

func (s *speaker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer ws.Close()
	text := ""
	for spoken := 0; ; {
		var m struct {
			Text          *string
			Flush, Cancel bool
			Played        int `json:"played_ms"`
		}
		if ws.ReadJSON(&m) != nil {
			return
		}
		switch {
		case m.Cancel:
			n := min(m.Played/20, len(text))
			_ = ws.WriteJSON(map[string]any{"type": "cancelled", "text_spoken": text[:n], "text_remaining": text[n:]})
			return
		case m.Text != nil && *m.Text == "":
			s.mu.Lock()
			s.said = append(s.said, text)
			s.mu.Unlock()
			_ = ws.WriteJSON(map[string]any{"type": "done"})
			return
		case m.Text != nil:
			text += *m.Text
		case m.Flush:
			s.mu.Lock()
			lost := s.lose > 0
			s.lose--
			s.mu.Unlock()
			if lost {
				return
			}
			pcm := strings.Repeat("\x10\x27\xf0\xd8", (len(text)-spoken)*live.SampleRate/50/2)
			spoken = len(text)
			if ws.WriteMessage(websocket.BinaryMessage, []byte(pcm)) != nil {
				return
			}
		}
	}
}

func wsURL(s *httptest.Server) string { return "ws" + strings.TrimPrefix(s.URL, "http") }

// TestConduct: many calls at once are interrupted, cleared and ended in any order. It is for the
// race detector above all; a speech server that is lost before it has said anything is tried again.
func TestConduct(t *testing.T) {
	t.Parallel()
	speech := &speaker{lose: 2}
	server := httptest.NewServer(speech)
	defer server.Close()
	calls := make(chan *websocket.Conn, 10)
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil); err == nil {
			calls <- ws
		}
	}))
	defer desk.Close()
	client, err := live.New(server.URL, "key")
	if err != nil {
		t.Fatal(err)
	}
	tel, err := telemetry.New(telemetry.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(Config{Speech: client, AgentURL: wsURL(desk), SendAudio: true, BargeIn: true, Lead: 60 * time.Millisecond, Telemetry: tel})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	front := httptest.NewServer(b)
	defer front.Close()

	loud := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(strings.Repeat("\x80", 10)+strings.Repeat("\x00", 10), 8)))
	var all sync.WaitGroup
	var begin sync.Mutex // so that each call gets its own agent
	for range 4 {
		all.Go(func() {
			begin.Lock()
			phone, _, err := websocket.DefaultDialer.Dial(wsURL(front)+"/twilio", nil)
			if err != nil {
				begin.Unlock()
				t.Error(err)
				return
			}
			defer phone.Close()
			send := func(m string) {
				if err := phone.WriteMessage(websocket.TextMessage, []byte(m)); err != nil {
					t.Error(err)
				}
			}
			send(`{"event":"start","start":{"streamSid":"MZ1","callSid":"CA1"}}`)
			boss := <-calls
			begin.Unlock()
			defer boss.Close()
			await := func(kind string) (e agent.Event) {
				_ = boss.SetReadDeadline(time.Now().Add(time.Minute))
				for e.Type != kind {
					e = agent.Event{}
					if err := boss.ReadJSON(&e); err != nil {
						t.Errorf("waiting for %s: %v", kind, err)
						return e
					}
				}
				return e
			}
			ask := func(commands ...string) {
				for _, c := range commands {
					if err := boss.WriteMessage(websocket.TextMessage, []byte(c)); err != nil {
						t.Error(err)
					}
				}
			}
			var hearing sync.WaitGroup
			heard := make(chan int, 1)
			hearing.Go(func() {
				for n := 0; ; n++ {
					if _, _, err := phone.ReadMessage(); err != nil {
						return
					}
					if n == 20 {
						heard <- n
					}
				}
			})
			await("start")
			text := strings.Repeat("some words ", 20)
			ask(`{"type":"text","text":"`+text+`"}`, `{"type":"flush"}`)
			<-heard
			for range 10 {
				send(`{"event":"media","media":{"payload":"` + loud + `"}}`)
			}
			if e := await("speech_started"); !e.BargeIn { // before the report
				t.Errorf("speech_started = %+v", e)
			}
			if e := await("spoken").Spoken; e == nil || !e.Interrupted || e.Text+e.Remaining != text || e.Text == "" || e.Remaining == "" {
				t.Errorf("spoken = %+v", e)
			}
			ask(`{"type":"text","text":"dropped"}`, `{"type":"end"}`, `{"type":"text","text":"Cleared. "}`, `{"type":"mark","name":"m"}`, `{"type":"text","text":"Cleared."}`, `{"type":"clear"}`)
			if e := await("spoken").Spoken; e == nil || !e.Interrupted || e.Text+e.Remaining != "Cleared. Cleared." {
				t.Errorf("spoken = %+v", e)
			}
			ask(`{"type":"settings","voice":"other"}`, `{"type":"text","text":"Bye."}`, `{"type":"mark","name":"bye"}`, `{"type":"hangup"}`)
			if e := await("mark"); e.Name != "bye" {
				t.Errorf("mark = %+v", e)
			}
			if e := await("stop"); e.Reason != reasonAgent {
				t.Errorf("stop = %+v", e)
			}
			hearing.Wait()
		})
	}
	all.Wait()
	speech.mu.Lock()
	defer speech.mu.Unlock()
	for _, text := range speech.said {
		if text != "Bye." {
			t.Errorf("%q was said to the end", text)
		}
	}
	if len(speech.said) != 4 {
		t.Errorf("%d turns were said to the end, want 4", len(speech.said))
	}
}

// nowhere is a line that takes everything.
type nowhere struct{}

func (nowhere) Send([]byte) error { return nil }
func (nowhere) Mark(string) error { return nil }
func (nowhere) Clear() error      { return nil }

// TestClearedTwice: what is cleared while the server is asked what was heard of the phrase before is
// reported too.
func TestClearedTwice(t *testing.T) {
	t.Parallel()
	var got []string
	m := &mouth{
		player: pace.New(nowhere{}, pace.Config{Format: line.Telephone, Reached: func(string) {}}), marks: map[string]func(){}, wake: make(chan struct{}, 1),
		tell: func(e agent.Event) { got = append(got, fmt.Sprint(e.Spoken.Turn, " ", e.Spoken.Remaining)) }, idle: func() {},
	}
	for _, text := range []string{"One.", "Two.", "Three."} {
		m.say(text)
		if m.active == nil { // as run has it
			m.active, m.queue = m.queue[0], nil
		}
		if err := m.clear(false, func(bool) {}); err != nil {
			t.Fatal(err)
		}
	}
	m.finish(m.active, nil)
	if want := []string{"1 One.", "2 Two.", "3 Three."}; !slices.Equal(got, want) {
		t.Errorf("the agent is told of %q, want %q", got, want)
	}
}

package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// asking is a server whose one tool, "consult", asks a person.
func asking() *server.MCPServer {
	p := server.NewMCPServer("test", "1", server.WithToolCapabilities(false))
	p.AddTool(mcp.NewTool("consult"), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c, progress := ClientOf(ctx), ProgressOf(ctx, req.Params.Meta)
		defer progress.Flush()
		if !c.Asks {
			return mcp.NewToolResultText("cannot ask"), nil
		}
		answer, err := Ask(ctx, "Well?", json.RawMessage(`{"type":"object","properties":{}}`), progress)
		switch {
		case errors.Is(err, ErrUnanswered):
			return mcp.NewToolResultText("unanswered"), nil
		case err != nil:
			return nil, err
		}
		return mcp.NewToolResultText(c.Name + " says " + string(answer)), nil
	})
	return p
}

// stream is where an answer is written while somebody reads it.
type stream struct {
	*httptest.ResponseRecorder
	mu  sync.Mutex
	buf bytes.Buffer
}

func newStream() *stream { return &stream{ResponseRecorder: httptest.NewRecorder()} }

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// events are what was written so far.
func (s *stream) events() []string {
	return events(http.Header{"Content-Type": {eventStream}}, []byte(s.String()))
}

// questionID is the id of the first question of an answer.
func (s *stream) questionID(t *testing.T) string {
	t.Helper()
	for _, e := range s.events() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal([]byte(e), &m) == nil && m.Method == "elicitation/create" {
			return string(m.ID)
		}
	}
	t.Fatalf("no question in %s", s)
	return ""
}

// consult begins a call of a client with a session; done is closed when it is answered.
func consult(ctx context.Context, h *Handler, session string, body string) (s *stream, done chan struct{}) {
	s, done = newStream(), make(chan struct{})
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body))
	setHeaders(r, []string{sessionName, session})
	go func() {
		defer close(done)
		before(h).ServeHTTP(s, r)
	}()
	return s, done
}

// TestPatience lets people think: the call waits for a quarter of an hour, says so all
// the while, and is answered even when nobody answers it.
func TestPatience(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		after time.Duration // that the person answers; 0 is never
		want  string
	}{
		{"at once", time.Millisecond, `tester says {"action":"accept"}`},
		{"after a while", 14*time.Minute + 59*time.Second, `tester says {"action":"accept"}`},
		{"never", 0, "unanswered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := asking()
				h := newHandler(t, Config{Server: p, Sessions: true})
				session := record(h, http.MethodPost, hello).header.Get(sessionName)
				began := time.Now()
				s, done := consult(t.Context(), h, session, call(1, "consult", nil))
				synctest.Wait()
				id := s.questionID(t)
				if tt.after > 0 {
					time.Sleep(tt.after)
					if a := record(h, http.MethodPost, `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept"}}`, sessionName, session); a.status != http.StatusAccepted {
						t.Errorf("answer = %d %s", a.status, a.last())
					}
				}
				<-done
				took, all := time.Since(began), s.events()
				if got := text(all[len(all)-1]); got != tt.want {
					t.Errorf("result = %s, want %s", got, tt.want)
				}
				if tt.after == 0 && took != Patience {
					t.Errorf("nobody answered, and it took %s, want %s", took, Patience)
				}
				beats := int(took / heartbeat)
				if n := strings.Count(s.String(), ": waiting\n\n"); n < beats-1 || n > beats {
					t.Errorf("%d heartbeats in %s, want %d", n, took, beats)
				}
				if n := strings.Count(s.String(), "notifications/progress"); n < beats-1 || n > beats {
					t.Errorf("told of progress %d times in %s, want %d", n, took, beats)
				}
				if withdrawn := strings.Contains(s.String(), "notifications/cancelled"); withdrawn != (tt.after == 0) {
					t.Errorf("the question is withdrawn: %t in %s", withdrawn, s)
				}
				nothingWaits(t, h, p, session, id)
			})
		})
	}
}

// nothingWaits wants that a question left nothing behind.
func nothingWaits(t *testing.T, h *Handler, p *server.MCPServer, session, id string) {
	t.Helper()
	if asked, told := known(h, p); asked+told != 0 {
		t.Errorf("the library keeps %d and %d sessions", asked, told)
	}
	if a := record(h, http.MethodPost, `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept"}}`, sessionName, session); a.status < 400 || a.status >= 500 {
		t.Errorf("another answer = %d %s, want a refusal", a.status, a.last())
	}
	if x, ok := h.sessions.find(owner{}, session); ok && x.questions.waiting != nil {
		t.Errorf("%d questions wait", len(x.questions.waiting))
	}
}

// TestQuestionsEnd has clients that go away, cancel or end their session, and a server
// that stops.
func TestQuestionsEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(h *Handler, session string, leave func())
		want string // of the result, "" where nobody is there to read one
	}{
		{"gone", func(_ *Handler, _ string, leave func()) { leave() }, ""},
		{"cancelled", func(h *Handler, session string, _ func()) {
			record(h, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, sessionName, session)
		}, "context canceled"},
		{"stopping", func(h *Handler, _ string, _ func()) { h.StopAsking() }, "unanswered"},
		{"session ended", func(h *Handler, session string, _ func()) {
			record(h, http.MethodDelete, "", sessionName, session)
		}, "unanswered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := asking()
				h := newHandler(t, Config{Server: p, Sessions: true})
				session := record(h, http.MethodPost, hello).header.Get(sessionName)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				began := time.Now()
				s, done := consult(ctx, h, session, call(1, "consult", nil))
				synctest.Wait()
				id := s.questionID(t)
				tt.end(h, session, leave)
				<-done
				if took := time.Since(began); took > 0 {
					t.Errorf("the call ends %s later", took)
				}
				if all := s.events(); !strings.Contains(all[len(all)-1], tt.want) {
					t.Errorf("result = %s, want %s", all[len(all)-1], tt.want)
				}
				nothingWaits(t, h, p, session, id)
				if tt.name == "stopping" {
					s, done := consult(ctx, h, session, call(2, "consult", nil))
					<-done
					if !strings.Contains(s.String(), "cannot ask") {
						t.Errorf("a question of a server that stops = %s", s)
					}
				}
			})
		})
	}
}

// TestQuestionIsOnesOwn answers a question from elsewhere.
func TestQuestionIsOnesOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHandler(t, Config{Server: asking(), Sessions: true})
		begin := func() string { return record(h, http.MethodPost, hello).header.Get(sessionName) }
		session, other := begin(), begin()
		s, done := consult(t.Context(), h, session, call(1, "consult", nil))
		synctest.Wait()
		id := s.questionID(t)
		for _, tt := range []struct{ session, id string }{{other, id}, {"", id}, {session, `"ask-1"`}, {session, "1"}, {session, "0"}} {
			if a := record(h, http.MethodPost, `{"jsonrpc":"2.0","id":`+tt.id+`,"result":{"action":"accept"}}`, sessionName, tt.session); a.status < 400 || a.status >= 500 {
				t.Errorf("answer %s of session own: %t = %d %s, want a refusal", tt.id, tt.session == session, a.status, a.last())
			}
		}
		for i, want := range []int{202, 404} {
			if a := record(h, http.MethodPost, `{"jsonrpc":"2.0","id":`+id+`,"result":{"n":`+string(rune('0'+i))+`}}`, sessionName, session); a.status != want && (want == 202 || a.status < 400) {
				t.Errorf("answer %d = %d %s, want %d", i, a.status, a.last(), want)
			}
		}
		<-done
		if all := s.events(); text(all[len(all)-1]) != `tester says {"n":0}` {
			t.Errorf("result = %s, want the first answer", all[len(all)-1])
		}
	})
}

// TestQuestionsOfAClient are bounded, as calls are.
func TestQuestionsOfAClient(t *testing.T) {
	t.Parallel()
	var q questions
	var drops []func()
	for range maxQuestions {
		_, c, drop := q.add()
		if c == nil {
			t.Fatal("there is no room for a question")
		}
		drops = append(drops, drop)
	}
	if _, c, _ := q.add(); c != nil {
		t.Errorf("there is room for more than %d", maxQuestions)
	}
	for _, drop := range drops {
		drop()
	}
	if q.waiting != nil {
		t.Errorf("%d wait", len(q.waiting))
	}
}

// TestStdioQuestions asks over standard input and output, many at once, and hangs up
// on the last.
func TestStdioQuestions(t *testing.T) {
	t.Parallel()
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Stdio(t.Context(), Config{Server: asking()}, inR, outW)
		outW.Close()
	}()
	lines := bufio.NewScanner(out)
	next := func() (m struct {
		ID     json.RawMessage
		Method string
	}, line string) {
		if !lines.Scan() {
			t.Fatalf("no answer: %v", lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		return m, lines.Text()
	}
	say := func(message string) {
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	say(hello)
	next()
	var ids []string
	for i := range 5 {
		say(`{"jsonrpc":"2.0","id":` + string(rune('1'+i)) + `,"method":"tools/call","params":{"name":"consult"}}`)
		m, line := next()
		if m.Method != "elicitation/create" {
			t.Fatalf("question = %s", line)
		}
		ids = append(ids, string(m.ID))
	}
	say(`{"jsonrpc":"2.0","id":"nobody","result":{}}`)
	for i := 4; i > 0; i-- { // the last first
		say(`{"jsonrpc":"2.0","id":` + ids[i] + `,"result":{"n":` + string(rune('0'+i)) + `}}`)
		m, line := next()
		if string(m.ID) != string(rune('1'+i)) || text(line) != `tester says {"n":`+string(rune('0'+i))+`}` {
			t.Errorf("result of call %d = %s", i+1, line)
		}
	}
	in.Close()
	for {
		m, line := next()
		if m.Method == "notifications/cancelled" {
			continue
		}
		if text(line) != "unanswered" {
			t.Errorf("result of who hung up = %s", line)
		}
		break
	}
	if err := receive(t, ended, "end"); err != nil {
		t.Errorf("Stdio = %v, want nil", err)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for capability, want := range map[string]bool{
		`null`: false, `{}`: true, `{"form":{}}`: true, `{"form":{},"url":{}}`: true, `{"url":{}}`: false, `{"form":null,"url":{}}`: false, `{"other":{}}`: true,
	} {
		var e *mcp.ElicitationCapability
		if err := json.Unmarshal([]byte(capability), &e); err != nil {
			t.Fatal(err)
		}
		if got := forms(e); got != want {
			t.Errorf("forms(%s) = %t, want %t", capability, got, want)
		}
	}
}

package mcp_test

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/croissant/publish"
	"vaak/edge"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/mcp"
)

// clerk takes enquiries as a test says.
type clerk func(ctx context.Context, said enquiry.AgentInput) (enquiry.Step, error)

func (c clerk) Advance(ctx context.Context, _ enquiry.Source, _ enquiry.Form, said enquiry.AgentInput) (enquiry.Step, error) {
	return c(ctx, said)
}

func (clerk) Check(_ context.Context, f enquiry.Form) (enquiry.Draft, error) {
	return enquiry.Draft{Form: f}, nil
}

func (clerk) Terms() enquiry.Terms {
	return enquiry.Terms{Contact: operator, Keep: enquiry.DefaultKeep}
}

// serveClerk returns the handler of a server with that clerk; nobody listens on a
// network, so that time can be the test's own.
func serveClerk(t testing.TB, c clerk) http.Handler {
	t.Helper()
	datasets := published(t)
	s, err := mcp.New(mcp.Config{Catalogue: datasets, Croissant: publish.New(datasets, ""), Enquiries: c, Sessions: true})
	if err != nil {
		t.Fatal(err)
	}
	return edge.Chain(s.Handler(mcp.Catalogue), edge.Identify)
}

// wire is an answer that is read while it is written.
type wire struct {
	*httptest.ResponseRecorder
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *wire) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

func newWire() *wire { return &wire{ResponseRecorder: httptest.NewRecorder()} }

// tell sends a message to a handler and returns the answer.
func tell(ctx context.Context, h http.Handler, message string, header http.Header) *wire {
	w := newWire()
	w.tell(ctx, h, message, header)
	return w
}

// tell sends a message to a handler that answers here.
func (w *wire) tell(ctx context.Context, h http.Handler, message string, header http.Header) {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/", strings.NewReader(message))
	maps.Copy(r.Header, header)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	h.ServeHTTP(w, r)
}

const olderHello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"older","version":"3"}}}`

// TestThinkingTakesTime has a person answer after longer than a call may run: the call
// is not cut off, and has its whole time again afterwards.
func TestThinkingTakesTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var left []time.Duration // of each run of the tool
		h := serveClerk(t, func(ctx context.Context, said enquiry.AgentInput) (enquiry.Step, error) {
			deadline, _ := ctx.Deadline()
			left = append(left, time.Until(deadline))
			if said.Answer == nil {
				return enquiry.Step{Status: enquiry.Asking, Question: "Send?", State: "sealed"}, nil
			}
			if *said.Answer != (enquiry.Answer{Action: enquiry.Accept, Send: true}) || said.State != "sealed" || !said.CanAsk {
				t.Errorf("said = %+v", said)
			}
			return enquiry.Step{Status: enquiry.Sent, Receipt: &enquiry.Receipt{ID: "enq_1", Intent: enquiry.Quote}}, nil
		})
		session := http.Header{"Mcp-Session-Id": {tell(t.Context(), h, olderHello, nil).Header().Get("Mcp-Session-Id")}}
		stream, done := newWire(), make(chan struct{})
		go func() {
			defer close(done)
			stream.tell(t.Context(), h, request(1, "send_enquiry", form()), session)
		}()
		synctest.Wait()
		time.Sleep(14 * time.Minute)
		id := between(t, stream.String(), `"id":"`, `"`)
		if a := tell(t.Context(), h, `{"jsonrpc":"2.0","id":"`+id+`","result":{"action":"accept","content":{"send":true}}}`, session); a.Code != http.StatusAccepted {
			t.Errorf("answer = %d %s", a.Code, a)
		}
		<-done
		if !strings.Contains(stream.String(), `"enquiry_id":"enq_1"`) {
			t.Errorf("result = %s", stream)
		}
		if len(left) != 2 || left[0] != 30*time.Second || left[1] != 30*time.Second {
			t.Errorf("the tool ran with %v left, want 30 s twice", left)
		}
	})
}

// between is what stands between two texts.
func between(t *testing.T, s, before, after string) string {
	t.Helper()
	_, s, ok := strings.Cut(s, before)
	s, _, found := strings.Cut(s, after)
	if !ok || !found {
		t.Fatalf("no %s in %s", before, s)
	}
	return s
}

// TestClerksThatErr have the tool ask who cannot be asked, ask for ever, or fail.
func TestClerksThatErr(t *testing.T) {
	t.Parallel()
	asks := 0
	always := func(context.Context, enquiry.AgentInput) (enquiry.Step, error) {
		asks++
		return enquiry.Step{Status: enquiry.Asking, Question: "Send?", State: "s"}, nil
	}
	for _, tt := range []struct {
		name  string
		clerk clerk
		want  string
	}{
		{"asks who cannot be asked", always, "internal_error: internal error. Try once more; if it fails again, tell the person."},
		{"is away", func(context.Context, enquiry.AgentInput) (enquiry.Step, error) {
			return enquiry.Step{}, fault.Down(fault.CodeStoreUnavailable, 5*time.Second, nil, "the database is away")
		}, "store_unavailable: the database is away. Try again in 5 s."},
		{"has had enough", func(context.Context, enquiry.AgentInput) (enquiry.Step, error) {
			return enquiry.Step{}, &fault.Error{Kind: fault.RateLimited, Code: enquiry.CodeTooMany, Msg: "5 enquiries came within the hour", RetryAfter: time.Hour}
		}, "too_many_enquiries: 5 enquiries came within the hour. Nothing was sent. Try again in an hour."},
		{"panics", func(context.Context, enquiry.AgentInput) (enquiry.Step, error) { panic("no") }, "internal_error: "},
	} {
		r := decodeResult(t, []byte(tell(t.Context(), serveClerk(t, tt.clerk), request(1, "send_enquiry", form()), nil).String()))
		if !r.IsError || !strings.HasPrefix(r.text(), tt.want) {
			t.Errorf("a clerk that %s: %q, want %q", tt.name, r.text(), tt.want)
		}
	}
	asks = 0
	srv := httptest.NewServer(serveClerk(t, always))
	defer srv.Close()
	w := takesEnquiries{url: srv.URL}
	if o := w.legacy(t, "2025-06-18", `{"elicitation":{}}`).call(form(), says(`{"action":"cancel"}`)); !o.IsError || len(o.asked) != 3 || asks != 4 {
		t.Errorf("a clerk that asks for ever: %d questions in %d runs, %s; want 3", len(o.asked), asks, o.text())
	}
}

// TestStateAndAnswersAreHandedOn as they came, whatever is missing: the service judges.
func TestStateAndAnswersAreHandedOn(t *testing.T) {
	t.Parallel()
	var got enquiry.AgentInput
	h := serveClerk(t, func(_ context.Context, said enquiry.AgentInput) (enquiry.Step, error) {
		got = said
		return enquiry.Step{Status: enquiry.Waiting}, nil
	})
	agreed := &enquiry.Answer{Action: enquiry.Accept, Send: true}
	for _, tt := range []struct {
		elicitation string
		retry       retry
		want        enquiry.AgentInput
	}{
		{"", retry{}, enquiry.AgentInput{}},
		{"{}", retry{}, enquiry.AgentInput{CanAsk: true}},
		{"{}", retry{"s", yes}, enquiry.AgentInput{CanAsk: true, State: "s", Answer: agreed}},
		{"", retry{"s", yes}, enquiry.AgentInput{State: "s", Answer: agreed}},
		{"{}", retry{state: "s"}, enquiry.AgentInput{CanAsk: true, State: "s"}},
		{"{}", retry{answers: yes}, enquiry.AgentInput{CanAsk: true, Answer: agreed}},
		{"{}", retry{"s", `{"other":{"action":"accept"}}`}, enquiry.AgentInput{CanAsk: true, State: "s"}},
	} {
		got = enquiry.AgentInput{}
		tell(t.Context(), h, modernEnquiry(1, form(), tt.elicitation, tt.retry), modernHeaders)
		if a, b := encodeJSON(got), encodeJSON(tt.want); a != b {
			t.Errorf("with elicitation %q and %+v the service is told %s, want %s", tt.elicitation, tt.retry, a, b)
		}
	}
}

package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/edge"
	"vaak/enquiry"
	"vaak/enquiry/enquirytest"
	"vaak/internal/seal"
	"vaak/mcp"
)

// takesEnquiries is a catalogue that takes enquiries, over a store in memory, with a
// clock that a test moves.
type takesEnquiries struct {
	*enquirytest.Memory
	service *enquiry.Service
	tools   *mcp.Server
	handler http.Handler
	url     string        // where it is served
	ahead   *atomic.Int64 // of the real time, in nanoseconds
}

// operator answers the enquiries of tests.
const operator = "licensing@data.example.org"

func newEnquiries(t testing.TB, policy enquiry.Policy, all ...catalogue.Dataset) takesEnquiries {
	t.Helper()
	return newEnquiriesAt(t, catalogueURL, policy, all...)
}

func newEnquiriesAt(t testing.TB, publicURL string, policy enquiry.Policy, all ...catalogue.Dataset) takesEnquiries {
	t.Helper()
	return served(t, unserved(t, publicURL, policy, all...))
}

// withoutMails is one that no mail server takes mails of.
func withoutMails(t testing.TB) takesEnquiries {
	t.Helper()
	return served(t, configured(t, catalogueURL, func(c *enquiry.Config) { c.MailsLinks = false }))
}

func served(t testing.TB, w takesEnquiries) takesEnquiries {
	t.Helper()
	srv := httptest.NewServer(w.handler)
	t.Cleanup(srv.Close)
	w.url = srv.URL
	return w
}

// unserved is one that listens on no network, so that time can be the test's own.
func unserved(t testing.TB, publicURL string, policy enquiry.Policy, all ...catalogue.Dataset) takesEnquiries {
	t.Helper()
	return configured(t, publicURL, func(c *enquiry.Config) { c.Policy = policy }, all...)
}

func configured(t testing.TB, publicURL string, change func(*enquiry.Config), all ...catalogue.Dataset) takesEnquiries {
	t.Helper()
	if all == nil {
		all = typical()[:2]
	}
	w := takesEnquiries{ahead: new(atomic.Int64)}
	now := func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }
	w.Memory = &enquirytest.Memory{Now: now}
	c := publishAt(t, catalogueURL, all...)
	var err error
	cfg := enquiry.Config{
		Store: w.Memory, Catalogue: c, Secret: seal.New([]byte(strings.Repeat("k", seal.MinBytes))),
		Addresses: enquiry.Addresses{From: "noreply@data.example.org", Operator: operator},
		PublicURL: publicURL, MailsLinks: true, Now: now, Limits: enquiry.Limits{Sender: 5, Client: 20_000, All: 20_000},
		Links: enquiry.LinkLimits{Address: 20_000, Client: 20_000, All: 20_000},
	}
	change(&cfg)
	if w.service, err = enquiry.New(cfg); err != nil {
		t.Fatal(err)
	}
	w.tools, err = mcp.New(mcp.Config{
		Catalogue: c, Croissant: publish.New(c, catalogueURL), Enquiries: w.service,
		PublicURL: publicURL, Version: "test", Sessions: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.handler = edge.Chain(w.tools.Handler(mcp.Catalogue), edge.Identify, edge.Locate(edge.NewClients(nil)))
	return w
}

// form are good arguments of send_enquiry, with changes.
func form(changes ...any) map[string]any {
	args := map[string]any{
		"name": "Asha Rao", "email": "asha@example.org", "company": "Rao Labs", "intent": "quote", "dataset": typical()[0].Slug,
		"message": "200 hours for a voice agent, by June.", "agent": "Scout 2",
	}
	for i := 0; i < len(changes); i += 2 {
		args[changes[i].(string)] = changes[i+1]
	}
	return args
}

// asked is a question as a client gets it.
type asked struct {
	Message         string
	RequestedSchema json.RawMessage
}

// outcome is what a call of send_enquiry came to.
type outcome struct {
	toolResult
	Status    string
	EnquiryID string `json:"enquiry_id"`
	Received  bool
	Dataset   map[string]string
	Next      string
	Consent   string
	Form      string `json:"form_url"`
	Token     string `json:"confirmation_token"`
	Expires   string `json:"expires_at"`
	Contact   string
	asked     []asked
}

func outcomeOf(t testing.TB, message []byte) (o outcome) {
	t.Helper()
	o.toolResult = decodeResult(t, message)
	if !o.IsError {
		if err := json.Unmarshal(o.StructuredContent, &o); err != nil {
			t.Fatalf("%v in %s", err, message)
		}
	}
	return o
}

// retry is what a client of 2026-07-28 sends beside the arguments.
type retry struct {
	state   string
	answers string // JSON of inputResponses, "" for none
}

// modernEnquiry is a call as clients of 2026-07-28 send it; elicitation is JSON of the
// capability, "" for none.
func modernEnquiry(id int, args map[string]any, elicitation string, r retry) string {
	capabilities := `{}`
	if elicitation != "" {
		capabilities = `{"elicitation":` + elicitation + `}`
	}
	params := map[string]any{"name": "send_enquiry", "arguments": args, "_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": map[string]any{"name": "modern", "version": "7"},
		"io.modelcontextprotocol/clientCapabilities": json.RawMessage(capabilities),
	}}
	if r.state != "" {
		params["requestState"] = r.state
	}
	if r.answers != "" {
		params["inputResponses"] = json.RawMessage(r.answers)
	}
	return encodeJSON(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

func encodeJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var modernHeaders = http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"send_enquiry"}}

// modern sends a call by HTTP and returns the whole answer.
func (w takesEnquiries) modern(t testing.TB, args map[string]any, elicitation string, r retry) []byte {
	t.Helper()
	return w.answer(t, modernEnquiry(1, args, elicitation, r))
}

// answer has the handler answer a message without a network, which is quicker.
func (w takesEnquiries) answer(t testing.TB, message string) []byte {
	t.Helper()
	return []byte(tell(t.Context(), w.handler, message, modernHeaders).String())
}

// questionOf is the question in an answer to a modern call, and the state with it.
func questionOf(t testing.TB, message []byte) (q asked, state string) {
	t.Helper()
	var m struct {
		Result struct {
			ResultType    string
			RequestState  string
			InputRequests map[string]struct {
				Method string
				Params asked
			}
		}
	}
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	got, ok := m.Result.InputRequests["consent"]
	if m.Result.ResultType != "input_required" || len(m.Result.InputRequests) != 1 || !ok || got.Method != "elicitation/create" || m.Result.RequestState == "" {
		t.Fatalf("answer = %s, want the question of consent", message)
	}
	return got.Params, m.Result.RequestState
}

// ask has a modern client asked, which must be so, and returns the state.
func (w takesEnquiries) ask(t testing.TB, args map[string]any) string {
	t.Helper()
	_, state := questionOf(t, w.modern(t, args, `{}`, retry{}))
	return state
}

// yes is the answer of a person who agrees.
const yes = `{"consent":{"action":"accept","content":{"send":true}}}`

// reply is what a legacy client answers to a question: a result or an error, in JSON.
type reply func(asked) (member, value string)

// says is a reply with a result.
func says(result string) reply {
	return func(asked) (string, string) { return "result", result }
}

// legacy is a client of a version up to 2025-11-25 over HTTP.
type legacy struct {
	t       testing.TB
	url     string
	session string
	version string
}

func (w takesEnquiries) legacy(t testing.TB, version, capabilities string) legacy {
	t.Helper()
	resp, body := post(t, w.url, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":`+capabilities+`,"clientInfo":{"name":"older","version":"3"}}}`, nil)
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" || !strings.Contains(string(body), version) {
		t.Fatalf("initialize = %s, session %q", body, id)
	}
	return legacy{t, w.url, id, version}
}

func (c legacy) header() http.Header {
	return http.Header{"Mcp-Session-Id": {c.session}, "Mcp-Protocol-Version": {c.version}}
}

// begin sends a call and returns the answer as it comes.
func (c legacy) begin(ctx context.Context, message string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(message))
	if err != nil {
		return nil, err
	}
	req.Header = c.header()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	maps.Copy(req.Header, header)
	return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
}

// call calls send_enquiry and answers each question.
func (c legacy) call(args map[string]any, answer reply) outcome {
	c.t.Helper()
	resp, err := c.begin(c.t.Context(), request(1, "send_enquiry", args), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			c.t.Fatal(err)
		}
		return outcomeOf(c.t, body)
	}
	var questions []asked
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		q, result := c.event(data, answer)
		if result != nil {
			o := outcomeOf(c.t, result)
			o.asked = questions
			return o
		}
		questions = append(questions, q)
	}
	c.t.Fatal("the stream ended without a result")
	return outcome{}
}

// event answers a question, or returns the message that is none.
func (c legacy) event(data string, answer reply) (q asked, result []byte) {
	c.t.Helper()
	id, q, ok := question(data)
	if !ok {
		return q, []byte(data)
	}
	member, value := answer(q)
	resp, body := post(c.t, c.url, `{"jsonrpc":"2.0","id":`+id+`,"`+member+`":`+value+`}`, c.header())
	if resp.StatusCode != http.StatusAccepted {
		c.t.Errorf("answer %s = %d %s, want 202", value, resp.StatusCode, body)
	}
	return q, nil
}

// question reads a question of the server, and its id as it must be sent back.
func question(message string) (id string, q asked, ok bool) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params asked
	}
	if json.Unmarshal([]byte(message), &m) != nil || m.Method != "elicitation/create" {
		return "", asked{}, false
	}
	return string(m.ID), m.Params, true
}

// overStdio calls send_enquiry as a legacy client on standard input does.
func (w takesEnquiries) overStdio(t testing.TB, version, capabilities string, args map[string]any, answer reply) (o outcome) {
	t.Helper()
	inR, in := io.Pipe()
	out, outW := io.Pipe()
	var served sync.WaitGroup
	served.Go(func() {
		err := w.tools.ServeStdio(t.Context(), inR, outW, mcp.Catalogue)
		if err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
		outW.Close()
	})
	defer served.Wait()
	defer in.Close()
	say := func(message string) {
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(out)
	next := func() []byte {
		if !lines.Scan() {
			t.Fatalf("no answer: %v", lines.Err())
		}
		return []byte(lines.Text())
	}
	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + capabilities + `,"clientInfo":{"name":"local","version":"1"}}}`)
	next()
	say(request(1, "send_enquiry", args))
	for {
		message := next()
		id, q, ok := question(string(message))
		if !ok {
			questions := o.asked
			o = outcomeOf(t, message)
			o.asked = questions
			return o
		}
		o.asked = append(o.asked, q)
		member, value := answer(q)
		say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"%s":%s}`, id, member, value))
	}
}

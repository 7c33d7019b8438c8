package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/enquiry/enquirytest"
	"vaak/internal/fault"
	"vaak/internal/seal"
)

// counter is the real service, with what was asked of it.
type counter struct {
	*enquiry.Service
	kept *enquirytest.Memory

	mu      sync.Mutex
	sources []enquiry.Source
	forms   []enquiry.Form
	ways    []enquiry.Method
}

func (c *counter) Submit(ctx context.Context, src enquiry.Source, f enquiry.Form, by enquiry.Method) (enquiry.Receipt, error) {
	c.mu.Lock()
	c.sources, c.forms, c.ways = append(c.sources, src), append(c.forms, f), append(c.ways, by)
	c.mu.Unlock()
	return c.Service.Submit(ctx, src, f, by)
}

// newEnquiries returns the real service over a store in memory, at noon; perhaps with
// other limits.
func newEnquiries(t testing.TB, c catalogue.Reader, limits ...enquiry.Limits) *counter {
	t.Helper()
	noon := func() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }
	m := &enquirytest.Memory{Now: noon}
	cfg := enquiry.Config{
		Store: m, Catalogue: c, Secret: seal.New(bytes.Repeat([]byte{7}, seal.MinBytes)), Now: noon,
		Addresses: enquiry.Addresses{From: "vaak@example.org", Operator: "data@example.org"}, PublicURL: "https://x.test",
	}
	if len(limits) > 0 {
		cfg.Limits = limits[0]
	}
	s, err := enquiry.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &counter{Service: s, kept: m}
}

// stub answers every enquiry alike.
type stub struct {
	submit func(context.Context) (enquiry.Receipt, error)
}

func (s stub) Submit(ctx context.Context, _ enquiry.Source, _ enquiry.Form, _ enquiry.Method) (enquiry.Receipt, error) {
	return s.submit(ctx)
}

func (stub) Check(context.Context, enquiry.Form) (enquiry.Draft, error) {
	return enquiry.Draft{}, nil
}

func (stub) Refuse(context.Context, enquiry.Source, enquiry.Method, string) {}

func enquire(body string, header ...string) *http.Request {
	return request("POST", "/api/catalogue/enquiry", body, append([]string{"Content-Type", "application/json"}, header...)...)
}

// person is an enquiry with more fields; a question unless they have an intent.
func person(more string) string {
	body := `{"name":"Asha Rao","email":"asha@example.org"`
	if !strings.Contains(more, `"intent"`) {
		body += `,"intent":"collection"`
	}
	if more != "" {
		body += "," + more
	}
	return body + "}"
}

func TestEnquiry(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	d, err := c.Dataset(t.Context(), "s-03")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, body string
		want       enquiry.Form
		dataset    any
	}{
		{"all fields", `{"agent":"bot/1","message":"Hello\nthere","dataset":"s-03","intent":"quote","company":"Bank","email":"asha@example.org","name":"Asha Rao"}`,
			enquiry.Form{Name: "Asha Rao", Email: "asha@example.org", Company: "Bank", Intent: "quote", Dataset: "s-03", Message: "Hello\nthere", Agent: "bot/1"},
			map[string]any{"id": d.ID, "slug": "s-03", "title": d.Title, "url": d.URL}},
		{"by id", person(`"intent":"sample","dataset":"` + d.ID + `"`), enquiry.Form{Name: "Asha Rao", Email: "asha@example.org", Intent: "sample", Dataset: d.ID},
			map[string]any{"id": d.ID, "slug": "s-03", "title": d.Title, "url": d.URL}},
		{"nulls", person(`"intent":"sample","dataset":null,"message":null,"company":null,"agent":null`), enquiry.Form{Name: "Asha Rao", Email: "asha@example.org", Intent: "sample"}, nil},
		{"more properties", person(`"intent":"quote","Name":5,"telephone":[{}],"consent":true`), enquiry.Form{Name: "Asha Rao", Email: "asha@example.org", Intent: "quote"}, nil},
		{"a question", person(`"intent":"question","message":"\u0928\u092e\u0938\u094d\u0924\u0947?"`), enquiry.Form{Name: "Asha Rao", Email: "asha@example.org", Intent: "question", Message: "नमस्ते?"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEnquiries(t, c)
			h := newHandler(t, Config{Catalogue: c, Enquiries: e})
			w := do(h, enquire(tt.body, "X-Request-Id", "req-1", "Xi-Api-Key", "nobody's"))
			var got map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 202 {
				t.Fatalf("%d %s, want 202", w.Code, w.Body)
			}
			next, _ := got["next"].(string)
			if next == "" {
				t.Error("next is empty")
			}
			want := map[string]any{"received": true, "intent": string(tt.want.Intent), "dataset": tt.dataset, "next": next, "contact": "data@example.org"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]enquiry.Form{tt.want}, e.forms); diff != "" {
				t.Errorf("the form (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]enquiry.Source{{Client: "\xc0\x00\x02\x01", RequestID: "req-1"}}, e.sources); diff != "" {
				t.Errorf("the source (-want +got):\n%s", diff)
			}
			if e.ways[0] != enquiry.ByREST || len(e.kept.Sent) != 1 || w.Header().Get("X-Enquiry-Id") != e.kept.Sent[0].Enquiry.ID {
				t.Errorf("sent by %q, %d are kept, x-enquiry-id is %q", e.ways[0], len(e.kept.Sent), w.Header().Get("X-Enquiry-Id"))
			}
			if cache := w.Header().Get("Cache-Control"); cache != "no-store" {
				t.Errorf("Cache-Control is %q, want no-store", cache)
			}
		})
	}
}

// TestEnquiryMedia sends what is taken for JSON, and what is not.
func TestEnquiryMedia(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c, Enquiries: newEnquiries(t, c)})
	for _, tt := range []struct {
		header []string
		status int
	}{
		{[]string{"Content-Type", ""}, 202},
		{[]string{"Content-Type", "application/json; charset=utf-8"}, 202},
		{[]string{"Content-Type", "application/vnd.enquiry+json"}, 202},
		{[]string{"Accept", "text/html"}, 202},
		{[]string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{[]string{"Content-Type", "multipart/form-data; boundary=x"}, 415},
		{[]string{"Content-Type", "text/plain"}, 415},
		{[]string{"Content-Encoding", "gzip"}, 415},
	} {
		w := do(h, enquire(person(""), tt.header...))
		if w.Code != tt.status {
			t.Errorf("%q: %d %s, want %d", tt.header, w.Code, w.Body, tt.status)
		}
		if tt.status == 415 {
			if e := catalogueFailure(t, w, 415); e.Error != fault.CodeUnsupportedMedia {
				t.Errorf("%q: error %q", tt.header, e.Error)
			}
		}
	}
}

// TestEnquiryAgain: the same again is the same answer, and one enquiry.
func TestEnquiryAgain(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e})
	first := do(h, enquire(person(`"dataset":"s-03","message":"Hello"`)))
	for i, body := range []string{
		person(`"dataset":"s-03","message":"Hello"`),
		person(`"message":"\u0048ello","dataset":"s-03","more":1`),
		" " + person(`"dataset":"s-03","message":"Hello","company":null`) + "\n",
	} {
		w := do(h, enquire(body))
		if w.Code != 202 || w.Body.String() != first.Body.String() || w.Header().Get("X-Enquiry-Id") != first.Header().Get("X-Enquiry-Id") {
			t.Errorf("%d: %d %s, want 202 %s", i, w.Code, w.Body, first.Body)
		}
	}
	if len(e.kept.Sent) != 1 {
		t.Errorf("%d enquiries are kept, want 1", len(e.kept.Sent))
	}
	if w := do(h, enquire(person(`"dataset":"s-04","message":"Hello"`))); w.Code != 202 || w.Header().Get("X-Enquiry-Id") == first.Header().Get("X-Enquiry-Id") {
		t.Errorf("another: %d with the id of the first", w.Code)
	}
}

// TestEnquiryRefusalsAreWrittenDown: what the service does not see has its line, too,
// one for a client and an hour.
func TestEnquiryRefusalsAreWrittenDown(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e})
	for range 2 {
		for _, r := range []*http.Request{
			enquire(`{"name":5}`), enquire(person(`"message":[]`)), enquire(`{"email":7}`), enquire(`{"name":"A","email":"nobody"}`),
			enquire(person(""), "Origin", "https://evil.test"), enquire(`[]`), enquire(`{`),
		} {
			do(h, r)
		}
	}
	// Of the third, the name is what is wrong first.
	want := []string{"name 4", "message 2", "email 2", "origin 2"}
	var got []string
	for _, l := range e.kept.Journal {
		got = append(got, fmt.Sprint(l.Code, " ", l.Times))
		if l.Outcome != enquiry.OutcomeRefused || l.Method != enquiry.ByREST || l.Client == "" || l.Source.RequestID == "" {
			t.Errorf("the line is %+v", l)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the journal (-want +got):\n%s", diff)
	}
}

// TestForeignEnquiriesAreLimited: what is written down of an address is bounded.
func TestForeignEnquiriesAreLimited(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e, PublicRate: 2})
	for range 5 {
		do(h, enquire(person(""), "Origin", "https://evil.test"))
	}
	if n := e.kept.Journal[0].Times; n != 2 {
		t.Errorf("%d refusals reached the journal, want 2", n)
	}
}

// TestLongestEnquiry: at its longest an enquiry fits in UTF-8, and escaped it does not.
func TestLongestEnquiry(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c, Enquiries: newEnquiries(t, c)})
	for sign, status := range map[string]int{"😀": 202, `\ud83d\ude00`: 413, "\\u0928": 202} {
		line := strings.Repeat(sign, enquiry.MaxLine)
		w := do(h, enquire(`{"name":"`+line+`","email":"asha@example.org","intent":"question","company":"`+line+`","agent":"`+line+`","message":"`+strings.Repeat(sign, enquiry.MaxMessage)+`"}`))
		if w.Code != status {
			t.Errorf("of %s: %d %s, want %d", sign, w.Code, w.Body, status)
		}
	}
	text, err := CatalogueOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), `\\uXXXX`); n != 2 {
		t.Errorf("the description tells of escapes %d times, want 2", n)
	}
}

func TestEnquiryLimits(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e})
	text := func(i int, email string) string {
		return `{"name":"A","email":"` + email + `","intent":"question","message":"no. ` + string(rune('a'+i)) + `"}`
	}
	for i, email := range []string{"asha@example.org", "Asha@example.org", "asha+a@example.org", "asha+b@example.org", "asha@Example.org"} {
		do(h, enquire(`{"name":"A","email":"asha@example.org"}`)) // refused: it does not count
		if w := do(h, enquire(text(i, email))); w.Code != 202 {
			t.Fatalf("enquiry %d: %d %s", i+1, w.Code, w.Body)
		}
	}
	w := do(h, enquire(text(5, "asha+c@example.org")))
	if f := catalogueFailure(t, w, 429); f.Error != "too_many_enquiries" || f.RetryAfter != 3600 || f.Parameter != "" {
		t.Errorf("the sixth: %s", w.Body)
	}
	if w.Header().Get("Retry-After") != "3600" || w.Header().Get("Retry-After-Ms") != "3600000" {
		t.Errorf("the sixth: %v, want Retry-After 3600", w.Header())
	}
	if w := do(h, enquire(text(0, "asha@example.org"))); w.Code != 202 {
		t.Errorf("the first again: %d %s, want 202", w.Code, w.Body)
	}
	if w := do(h, enquire(text(0, "bina@example.org"))); w.Code != 202 {
		t.Errorf("of another person: %d %s, want 202", w.Code, w.Body)
	}
	if len(e.kept.Sent) != 6 {
		t.Errorf("%d are kept, want 6", len(e.kept.Sent))
	}
}

// TestEnquiryClientLimit: an address may not send under ever new names, and others
// are not held up.
func TestEnquiryClientLimit(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c, Enquiries: newEnquiries(t, c)})
	send := func(i int, remote string) *httptest.ResponseRecorder {
		r := enquire(`{"name":"A","email":"p` + string(rune('a'+i)) + `@example.org","intent":"quote"}`)
		r.RemoteAddr = remote
		return do(h, r)
	}
	for i := range 20 {
		if w := send(i, "[2001:db8::"+string(rune('1'+i%9))+"]:1"); w.Code != 202 {
			t.Fatalf("enquiry %d: %d %s", i+1, w.Code, w.Body)
		}
	}
	if w := send(20, "[2001:db8::ff]:1"); w.Code != 429 {
		t.Errorf("one more of the /64: %d, want 429", w.Code)
	}
	if w := send(20, "[2001:db8:0:1::1]:1"); w.Code != 202 {
		t.Errorf("another /64: %d, want 202", w.Code)
	}
}

// TestEnquirySharesThePublicRate: requests count with all others of the address.
func TestEnquirySharesThePublicRate(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e, PublicRate: 2})
	if w := get(t, h, "/api/catalogue/datasets"); w.Code != 200 {
		t.Fatalf("the list: %d", w.Code)
	}
	if w := do(h, enquire(person(""))); w.Code != 202 || w.Header().Get("X-Ratelimit-Remaining-Requests") != "0" {
		t.Errorf("an enquiry: %d %v", w.Code, w.Header())
	}
	w := do(h, enquire(person(`"message":"more"`)))
	if f := catalogueFailure(t, w, 429); f.Error != fault.CodeRateLimited || f.RetryAfter < 1 || f.RetryAfter > 61 || len(e.forms) != 1 {
		t.Errorf("one more: %s; %d reached the service", w.Body, len(e.forms))
	}
}

func TestEnquiryFailures(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	for _, tt := range []struct {
		err    error
		status int
		code   string
		retry  string
	}{
		{fault.Down(fault.CodeStoreUnavailable, 0, io.ErrUnexpectedEOF, "the store is down"), 503, fault.CodeStoreUnavailable, "1"},
		{fault.Down(fault.CodeStoreUnavailable, 2500*time.Millisecond, io.ErrUnexpectedEOF, "the store is down"), 503, fault.CodeStoreUnavailable, "3"},
		{&fault.Error{Kind: fault.RateLimited, Code: enquiry.CodeTooMany, Msg: "m", RetryAfter: 72 * time.Hour}, 429, enquiry.CodeTooMany, "3600"},
		{errors.New("asha@example.org broke it"), 500, fault.CodeInternal, ""},
		{context.DeadlineExceeded, 500, fault.CodeInternal, ""},
	} {
		h := newHandler(t, Config{Catalogue: c, Enquiries: stub{func(context.Context) (enquiry.Receipt, error) { return enquiry.Receipt{}, tt.err }}})
		w := do(h, enquire(person("")))
		if f := catalogueFailure(t, w, tt.status); f.Error != tt.code || w.Header().Get("Retry-After") != tt.retry || strings.Contains(w.Body.String(), "asha") {
			t.Errorf("%v: %s, Retry-After %q; want %s and %q", tt.err, w.Body, w.Header().Get("Retry-After"), tt.code, tt.retry)
		}
	}
	h := newHandler(t, Config{Catalogue: c, Enquiries: stub{func(context.Context) (enquiry.Receipt, error) { panic("ouch") }}})
	catalogueFailure(t, do(h, enquire(person(""))), 500)
}

// TestEnquirerLeaves: a client that leaves is told nothing, and nobody is blamed.
func TestEnquirerLeaves(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	began := make(chan struct{})
	srv := httptest.NewServer(newHandler(t, Config{
		Logger: slog.New(slog.NewJSONHandler(&log, nil)), Catalogue: newCatalogue(t),
		Enquiries: stub{func(ctx context.Context) (enquiry.Receipt, error) {
			close(began)
			<-ctx.Done()
			return enquiry.Receipt{}, ctx.Err()
		}},
	}))
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", srv.URL+"/api/catalogue/enquiry", strings.NewReader(person("")))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-began
		cancel()
	}()
	if res, err := http.DefaultClient.Do(r); err == nil {
		res.Body.Close()
		t.Error("the cancelled request was answered")
	}
	srv.Close()
	if !strings.Contains(log.String(), `"code":"client_closed_request"`) || strings.Contains(log.String(), "ERROR") {
		t.Errorf("log:\n%s", &log)
	}
}

// TestEnquiryOrigins: pages of others cannot send in a visitor's name.
func TestEnquiryOrigins(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	e := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: e})
	for _, tt := range []struct {
		header []string
		status int
	}{
		{nil, 202},
		{[]string{"Origin", "http://example.com"}, 202}, // that of the requests themselves
		{[]string{"Origin", "https://evil.test", "Sec-Fetch-Site", "same-origin"}, 202},
		{[]string{"Sec-Fetch-Site", "none"}, 202},
		{[]string{"Origin", "https://evil.test"}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Origin", "https://evil.test", "Sec-Fetch-Site", "cross-site", "Content-Type", ""}, 403},
		{[]string{"Origin", "https://sub.example.com", "Sec-Fetch-Site", "same-site"}, 403},
	} {
		sent := len(e.forms)
		w := do(h, enquire(person(""), tt.header...))
		if w.Code != tt.status || (len(e.forms) > sent) != (tt.status == 202) {
			t.Errorf("%q: %d %s, want %d", tt.header, w.Code, w.Body, tt.status)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%q: scripts of other origins may read the answer", tt.header)
		}
		if tt.status == 403 {
			if f := catalogueFailure(t, w, 403); f.Error != "origin_not_allowed" {
				t.Errorf("%q: %s", tt.header, w.Body)
			}
		}
	}
	w := do(h, request("OPTIONS", "/api/catalogue/enquiry", "", "Origin", "https://evil.test", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type"))
	for _, name := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers"} {
		if got := w.Header().Get(name); got != "" {
			t.Errorf("the preflight is answered with %s: %q", name, got)
		}
	}
	if w.Code != 204 || w.Header().Get("Allow") != "POST, OPTIONS" {
		t.Errorf("the preflight: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		w := do(h, request(method, "/api/catalogue/enquiry", ""))
		if catalogueFailure(t, w, 405); w.Header().Get("Allow") != "POST" {
			t.Errorf("%s: Allow %q, want POST", method, w.Header().Get("Allow"))
		}
	}
	catalogueFailure(t, do(h, request("POST", "/api/catalogue/enquiry/", person(""))), 404)
}

// TestEnquiryLeftOut: without the service nothing else is missing.
func TestEnquiryLeftOut(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	without := newHandler(t, Config{Catalogue: c})
	with := newHandler(t, Config{Catalogue: c, Enquiries: newEnquiries(t, c)})
	for _, method := range []string{"POST", "GET", "OPTIONS"} {
		if e := catalogueFailure(t, do(without, request(method, "/api/catalogue/enquiry", person(""))), 404); e.Error != "not_found" {
			t.Errorf("%s: %+v", method, e)
		}
	}
	for _, path := range []string{"/openapi.json", "/api/catalogue/openapi.json", "/api/catalogue/datasets"} {
		a, b := get(t, without, path), get(t, with, path)
		if a.Code != 200 || a.Body.String() != b.Body.String() {
			t.Errorf("%s: %d without enquiries, %d with; or their bodies differ", path, a.Code, b.Code)
		}
	}
	alone := newHandler(t, Config{Enquiries: newEnquiries(t, c)}) // and no catalogue
	if w := do(alone, enquire(person(""))); w.Code != 404 {
		t.Errorf("without a catalogue: %d, want 404", w.Code)
	}
}

// TestEnquiryIsNotLogged: neither who asks nor what stands in the log.
func TestEnquiryIsNotLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := newCatalogue(t)
	h := newHandler(t, Config{Catalogue: c, Enquiries: newEnquiries(t, c), Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for _, body := range []string{
		`{"name":"Secretia","email":"secretia@example.org","intent":"question","message":"secretia asks","company":"secretia & co"}`,
		`{"name":"Secretia","email":"secretia@","intent":"question","message":"secretia asks"}`,
		`{"name":"Secretia","email":"secretia@example.org","intent":"secretia"}`,
		`{"name":"Secretia","email":"secretia@example.org","intent":"quote","dataset":"secretia"}`,
		`{"secretia":1,"secretia":2}`,
	} {
		do(h, enquire(body))
	}
	do(h, request("POST", "/api/catalogue/enquiry?email=secretia@example.org", `{}`))
	do(h, request("GET", "/enquiry/confirm/secretia-token", ""))
	do(h, request("GET", "/enquiry/confirm/secretia-token/", ""))
	if n := strings.Count(log.String(), "\n"); n != 8 || strings.Contains(strings.ToLower(log.String()), "secretia") {
		t.Errorf("%d lines, want 8 without what was typed:\n%s", n, &log)
	}
}

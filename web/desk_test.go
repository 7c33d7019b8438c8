package web_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/enquiry/enquirytest"
	"vaak/internal/seal"
	"vaak/web"
)

// sampled is a catalogue whose datasets have a sample of two files.
type sampled struct {
	*library
	broken bool // the second file cannot be read
}

func (l *sampled) Filed(ctx context.Context, slugOrID string) (*catalogue.Stored, error) {
	s, err := l.library.Filed(ctx, slugOrID)
	if err != nil {
		return nil, err
	}
	s.Files = append(s.Files, catalogue.File{Name: "sample/sample.wav", ContentType: "audio/wav", SizeBytes: 4}, catalogue.File{Name: "sample/segments.csv", ContentType: "text/csv", SizeBytes: 812})
	return s, nil
}

func (l *sampled) Content(_ context.Context, _, name string) (catalogue.Content, error) {
	if l.broken && name == "sample/segments.csv" {
		return catalogue.Content{}, errors.New("secret detail")
	}
	return catalogue.Content{Body: closed{strings.NewReader("RIFF")}}, nil
}

// closed is a reader that can be closed, and sought as a file.
type closed struct{ *strings.Reader }

func (closed) Close() error { return nil }

// office is the pages with the real service and desk, on a store in memory.
type office struct {
	*web.Handler
	memory  *enquirytest.Memory
	service *enquiry.Service
	desk    *enquiry.Desk
	shelves *sampled
}

func newOffice(t testing.TB) *office {
	t.Helper()
	o := &office{memory: &enquirytest.Memory{}, shelves: &sampled{library: shelves()}}
	secret := seal.New(bytes.Repeat([]byte{7}, 32))
	addresses := enquiry.Addresses{From: "enquiries@vaak.example", Operator: "licensing@vaak.example"}
	var err error
	if o.service, err = enquiry.New(enquiry.Config{Store: o.memory, Catalogue: o.shelves, Secret: secret, Addresses: addresses, PublicURL: origin, MailsLinks: true}); err != nil {
		t.Fatal(err)
	}
	if o.desk, err = enquiry.NewDesk(enquiry.DeskConfig{Records: o.memory, Catalogue: o.shelves, Secret: secret, Addresses: addresses, PublicURL: origin}); err != nil {
		t.Fatal(err)
	}
	cfg := askingConfig(newClerk(), o.shelves)
	cfg.Enquiries, cfg.Samples = o.service, o.desk
	if o.Handler, err = web.New(cfg); err != nil {
		t.Fatal(err)
	}
	return o
}

// send sends a form and returns the id of the enquiry.
func (o *office) send(t testing.TB, change ...string) string {
	t.Helper()
	w := post(t, o, "/enquiry", filled(change...).Encode())
	id, ok := strings.CutPrefix(w.Header().Get("Location"), "/enquiry/received/")
	if w.Code != http.StatusSeeOther || !ok {
		t.Fatalf("POST /enquiry = %d to %q, want 303", w.Code, w.Header().Get("Location"))
	}
	return id
}

// release returns the path of a link to the sample.
func (o *office) release(t testing.TB, terms enquiry.ReleaseTerms) string {
	t.Helper()
	link, _, err := o.desk.Release(t.Context(), o.send(t, "intent", "sample"), terms)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(link, origin)
}

// The form, sent twice, is one enquiry, and its page says what happens next.
func TestFormReachesTheStore(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.send(t)
	if again := o.send(t); again != id || len(o.memory.Sent) != 1 {
		t.Errorf("sent twice it is %s and %s, %d kept; want one", id, again, len(o.memory.Sent))
	}
	e := o.memory.Sent[0].Enquiry
	if e.Method != enquiry.ByPage || e.Message != "Two hundred hours,\nby June." || e.About == nil || o.memory.Sent[0].Client == "" {
		t.Errorf("kept %+v of client %q", e, o.memory.Sent[0].Client)
	}
	w := get(t, o, "/enquiry/received/"+id)
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "replies by e-mail with a quote") || strings.Contains(body, "asha") {
		t.Errorf("the page of %s = %d, want 200 with what is next and nothing that was typed", id, w.Code)
	}
	for field, text := range map[string]string{"email": "asha", "name": "", "message": strings.Repeat("x", 5001), "company": strings.Repeat("x", 201), "dataset": "none", "intent": "buy"} {
		if w := post(t, o, "/enquiry", filled(field, text).Encode()); w.Code != http.StatusBadRequest {
			t.Errorf("a form with a bad %s = %d, want 400", field, w.Code)
		}
	}
	for i := range 4 {
		o.send(t, "message", strings.Repeat("x", i+1))
	}
	w = post(t, o, "/enquiry", filled("message", "the sixth").Encode())
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "3600" || !strings.Contains(w.Body.String(), "the sixth") {
		t.Errorf("the sixth = %d, Retry-After %q; want 429, 3600 and the form again", w.Code, w.Header().Get("Retry-After"))
	}
}

// What an agent prepared waits until the person sends it, and is sent once.
func TestLinkReachesTheStore(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	form := enquiry.Form{Name: "Asha Rao", Email: "asha@example.org", Intent: enquiry.Quote, Dataset: "hindi-bank-calls", Message: "Two hundred hours"}
	step, err := o.service.Advance(t.Context(), enquiry.Source{Agent: "finder", AgentVersion: "1.2"}, form, enquiry.AgentInput{})
	if err != nil || step.Status != enquiry.Waiting {
		t.Fatalf("Advance = %+v, %v; want a mail with a link", step, err)
	}
	path := strings.TrimPrefix(o.memory.LastLink(o.service), origin)
	for range 3 {
		if w := get(t, o, path); w.Code != 200 || !strings.Contains(w.Body.String(), "finder 1.2") || !strings.Contains(w.Body.String(), "Two hundred hours") {
			t.Errorf("GET of the link = %d, want 200 with the enquiry", w.Code)
		}
	}
	post(t, o, path, "")
	if len(o.memory.Sent) != 0 {
		t.Fatal("looking at the link, or sending it without the box, sent it")
	}
	first, second := post(t, o, path, "consent=yes"), post(t, o, path, "consent=yes")
	if first.Code != 303 || second.Code != 303 || first.Header().Get("Location") != second.Header().Get("Location") || len(o.memory.Sent) != 1 {
		t.Errorf("sent twice: %d, %d, %d kept; want one", first.Code, second.Code, len(o.memory.Sent))
	}
	if w := get(t, o, path); !strings.Contains(w.Body.String(), "Sent already") {
		t.Errorf("GET of the link = %d, want it to say that it was sent", w.Code)
	}
	form.Message = "Another question"
	if step, err = o.service.Advance(t.Context(), enquiry.Source{Agent: "finder"}, form, enquiry.AgentInput{}); err != nil {
		t.Fatal(err)
	}
	for _, d := range o.shelves.sets {
		d.Status = catalogue.Suspended
	}
	unsent := strings.TrimPrefix(o.memory.LastLink(o.service), origin)
	for _, w := range []*httptest.ResponseRecorder{get(t, o, unsent), post(t, o, unsent, "consent=yes"), post(t, o, unsent, "")} {
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "cannot be sent any more") {
			t.Errorf("a link about a dataset that is gone = %d, want 404 in words", w.Code)
		}
	}
	o.checkSent(t, path, first.Header().Get("Location"))
	if n, err := o.memory.Purge(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Fatalf("Purge = %d, %v, want 1", n, err)
	}
	o.checkSent(t, path, first.Header().Get("Location"))
	if body := get(t, o, first.Header().Get("Location")).Body.String(); !strings.Contains(body, "deleted by now") {
		t.Error("the page of what is purged does not say so")
	}
}

// checkSent says that a link leads to what was received.
func (o *office) checkSent(t *testing.T, link, received string) {
	t.Helper()
	w := get(t, o, link)
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "Sent already") || !strings.Contains(body, received) || strings.Contains(body, "othing was sent") {
		t.Errorf("GET of a link that was sent = %d, want 200 with the way to %s", w.Code, received)
	}
	for _, sheet := range []string{"consent=yes", ""} {
		if w := post(t, o, link, sheet); w.Code != 303 || w.Header().Get("Location") != received {
			t.Errorf("POST of %q to a link that was sent = %d to %q, want 303 to %s", sheet, w.Code, w.Header().Get("Location"), received)
		}
	}
	if w := get(t, o, received); w.Code != 200 {
		t.Errorf("GET %s = %d, want 200", received, w.Code)
	}
}

func TestSampleIsOffered(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.release(t, enquiry.ReleaseTerms{Licence: "For ears alone.\n<b>All</b> of it.", Downloads: 2, For: time.Hour})
	for range 5 {
		w := get(t, o, path)
		body := w.Body.String()
		all := checkMarkup(t, body)
		for _, want := range []string{"For ears alone.\n&lt;b&gt;All", "2 downloads left", "sample/sample.wav", "812 bytes", "Hindi bank calls", `method="post"`} {
			if w.Code != 200 || !strings.Contains(body, want) {
				t.Fatalf("GET of the link = %d, lacks %q", w.Code, want)
			}
		}
		if _, ticked := input(all, "consent").attrs["checked"]; ticked {
			t.Error("the box is ticked")
		}
		checkPrivate(t, w)
	}
	if w := post(t, o, path, "accept=yes"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "Tick the box") || !strings.Contains(w.Body.String(), "2 downloads left") {
		t.Errorf("POST without the box = %d, want 400 and nothing taken", w.Code)
	}
	for want := 2; want > 0; want-- {
		w := post(t, o, path, "consent=yes")
		if w.Code != 200 || w.Header().Get("Content-Type") != "application/zip" || w.Header().Get("Content-Disposition") != "attachment; filename=hindi-bank-calls-sample.zip" {
			t.Fatalf("POST = %d, %v; want a ZIP archive", w.Code, w.Header())
		}
		checkPrivate(t, w)
		checkArchive(t, w.Body.Bytes())
	}
	for _, w := range []int{post(t, o, path, "consent=yes").Code, get(t, o, path).Code} {
		if w != http.StatusNotFound {
			t.Errorf("a link that was used up = %d, want 404", w)
		}
	}
}

func checkArchive(t *testing.T, body []byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("hindi-bank-calls-sample/LICENCE.txt")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil || !strings.HasPrefix(string(text), "For ears alone.") || len(z.File) != 3 {
		t.Errorf("the archive has %d files and the licence %q, %v", len(z.File), text, err)
	}
}

func TestNoGoodLinkToASample(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.release(t, enquiry.ReleaseTerms{Licence: "x"})
	bare, query, _ := strings.Cut(path, "?")
	for _, bad := range []string{
		bare, path + "0", strings.Replace(path, "expires=", "expires=9", 1), "/enquiry/sample/rel_other?" + query, bare + "?expires=a&signature=b", "/enquiry/sample/%3Cscript%3E?" + query, bare + "?%zz",
	} {
		for _, w := range []*httptest.ResponseRecorder{get(t, o, bad), post(t, o, bad, "consent=yes"), post(t, o, bad, "")} {
			if body := w.Body.String(); w.Code != http.StatusNotFound || !strings.Contains(body, "leads to no sample") || strings.Contains(body, "<script>") {
				t.Errorf("%s = %d, want 404 in words", bad, w.Code)
			}
		}
	}
	if get(t, o, path).Code != 200 {
		t.Error("the good link is not good any more")
	}
}

// A bundle that breaks off breaks the connection: nobody has half for whole.
func TestBundleBreaksOff(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	path := o.release(t, enquiry.ReleaseTerms{Licence: "x"})
	o.shelves.broken = true
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("it ended with %v, want the connection to be broken", v)
		}
	}()
	post(t, o, path, "consent=yes")
}

package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vaak/edge"
	"vaak/enquiry"
	"vaak/internal/fault"
	"vaak/web"
)

// filled is a form as a person sends it.
func filled(change ...string) url.Values {
	v := url.Values{
		"name": {"Asha Rao"}, "email": {"asha@example.org"}, "company": {"Dhvani"}, "intent": {"quote"}, "dataset": {"hindi-bank-calls"},
		"message": {"Two hundred hours,\r\nby June."}, "consent": {"yes"},
	}
	for i := 0; i+1 < len(change); i += 2 {
		v.Set(change[i], change[i+1])
		if change[i+1] == "" {
			v.Del(change[i])
		}
	}
	return v
}

// post sends a form as a browser does. A header that is "" is left out.
func post(t testing.TB, h http.Handler, path, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if !slices.Contains(header, "Origin") {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i+1] == "" {
			r.Header.Del(header[i])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// input returns the field of a name in a form; the one that is chosen of several.
func input(all []element, name string) element {
	var found element
	for _, e := range all {
		if e.attrs["name"] == name && slices.Contains([]string{"input", "textarea"}, e.name) {
			if _, chosen := e.attrs["checked"]; chosen || found.name == "" {
				found = e
			}
		}
	}
	return found
}

func TestEnquiryIsSent(t *testing.T) {
	t.Parallel()
	c := newClerk()
	w := post(t, asking(t, c), "/enquiry", filled("agent", "sneaky").Encode())
	if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/enquiry/received/"+sentID {
		t.Fatalf("POST /enquiry = %d to %q, want 303 to the page that says so", w.Code, got)
	}
	want := enquiry.Form{Name: "Asha Rao", Email: "asha@example.org", Company: "Dhvani", Intent: enquiry.Quote, Dataset: "hindi-bank-calls", Message: "Two hundred hours,\nby June."}
	if len(c.submitted) != 1 || c.submitted[0] != want || c.by[0] != enquiry.ByPage {
		t.Errorf("sent %+v by %q, want %+v by the page", c.submitted, c.by, want)
	}
}

// The client is counted by its address, and all whose address is not known as one.
func TestEnquirySource(t *testing.T) {
	t.Parallel()
	c := newClerk()
	h := asking(t, c)
	post(t, h, "/enquiry", filled().Encode())
	located := edge.Chain(h, edge.Identify, edge.Locate(edge.NewClients(nil)))
	post(t, located, "/enquiry", filled().Encode(), "X-Request-Id", "req-7")
	post(t, located, "/enquiry/confirm/"+token, "consent=yes", "X-Request-Id", "req-8")
	remote := netip.MustParseAddr("192.0.2.1").As4() // of httptest
	for i, want := range []enquiry.Source{{Client: "unknown"}, {Client: string(remote[:]), RequestID: "req-7"}, {Client: string(remote[:]), RequestID: "req-8"}} {
		if c.sources[i] != want {
			t.Errorf("source %d is %+v, want %+v", i, c.sources[i], want)
		}
	}
}

func TestEnquiryIsRefused(t *testing.T) {
	t.Parallel()
	limited := fault.New(fault.RateLimited, "too_many_enquiries", "", "too many enquiries from this address; try again in an hour")
	limited.RetryAfter = time.Hour
	for _, tt := range []struct {
		name   string
		body   string
		fails  error
		status int
		field  string // that is at fault
		says   string
	}{
		{"no consent", filled("consent", "").Encode(), nil, 400, "consent", "Tick the box"},
		{"consent of another value", filled("consent", "no").Encode(), nil, 400, "consent", "Tick the box"},
		{"consent twice", filled().Encode() + "&consent=yes", nil, 400, "consent", "sent twice"},
		{"no name", filled("name", "").Encode(), nil, 400, "name", "Name is missing."},
		{"no address", filled("email", "asha").Encode(), nil, 400, "email", "not &#34;asha&#34;."},
		{"no message", filled("intent", "question", "message", "").Encode(), nil, 400, "message", "a question needs one"},
		{"name twice", filled().Encode() + "&name=Other", nil, 400, "name", "Name was sent twice"},
		{"no UTF-8", filled().Encode() + "&x=%ff&company=%ff", nil, 400, "company", "UTF-8"},
		{"no escape", filled("message", "").Encode() + "&message=100%", nil, 400, "message", "escape"},
		{"unknown dataset", filled("dataset", "gone").Encode(), nil, 400, "", "No dataset has the slug or id"},
		{"limit", filled().Encode(), limited, 429, "", "Too many enquiries from this address"},
		{"away", filled().Encode(), fault.Down(fault.CodeStoreUnavailable, 3*time.Second, errors.New("secret detail"), "the database is away"), 503, "", "The database is away."},
		{"broken", filled().Encode(), errors.New("secret detail"), 500, "", "Something broke on our side"},
		{"too large", filled().Encode() + "&x=" + strings.Repeat("a", 64<<10), nil, 413, "message", "over 64 KiB"},
		{"nothing", "", nil, 400, "consent", "Tick the box"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClerk()
			c.fails = tt.fails
			w := post(t, asking(t, c), "/enquiry", tt.body)
			body := w.Body.String()
			if w.Code != tt.status || !strings.Contains(body, tt.says) || strings.Contains(body, "secret") {
				t.Errorf("POST /enquiry = %d, want %d with %q and no detail", w.Code, tt.status, tt.says)
			}
			if tt.status == 429 && w.Header().Get("Retry-After") != "3600" || tt.status == 503 && w.Header().Get("Retry-After") != "3" {
				t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
			}
			if got := w.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control is %q, want no-store", got)
			}
			checkForm(t, body, tt.field)
			if tt.field == "consent" && c.did() > 0 {
				t.Error("it was sent without consent")
			}
		})
	}
}

// checkForm says what every form has that was refused: the way to what is wrong,
// and a box that is not ticked.
func checkForm(t *testing.T, body, field string) {
	t.Helper()
	all := checkMarkup(t, body)
	if !slices.ContainsFunc(all, func(e element) bool {
		_, focused := e.attrs["autofocus"]
		return e.attrs["role"] == "alert" && focused && e.attrs["tabindex"] == "-1"
	}) {
		t.Error("nothing that is told at once says what is wrong")
	}
	if _, ticked := input(all, "consent").attrs["checked"]; ticked {
		t.Error("the box is ticked")
	}
	if field == "" {
		return
	}
	if !strings.Contains(body, `<a href="#ask-`+field+`"`) {
		t.Errorf("the summary does not lead to %s", field)
	}
	if e := input(all, field); e.attrs["aria-invalid"] != "true" || !strings.Contains(e.attrs["aria-describedby"], "ask-"+field+"-problem") {
		t.Errorf("the field %s does not say that it is wrong: %v", field, e.attrs)
	}
}

// What was typed is in the form again, letter by letter, whatever it is.
func TestTypedIsKept(t *testing.T) {
	t.Parallel()
	h := asking(t, newClerk())
	for _, text := range []string{
		hostile, "नमस्ते, हमें बातचीत चाहिए", "வணக்கம்", "مرحبا، نحتاج إلى التسجيلات", "\n\n  lines\n\tand space  ", "</textarea><b>", "{{.}} ${x} %s", "a\u202eb", `"><script>`,
		strings.Repeat("क", 3000),
	} {
		w := post(t, h, "/enquiry", filled("message", text, "company", strings.TrimSpace(text), "name", "", "intent", "sample").Encode())
		all := elements(t, w.Body.String())
		if got := input(all, "message").text; got != "\n"+text { // a browser takes the first line end off
			t.Errorf("the message %q came back as %q", text, got)
		}
		if got := input(all, "company").attrs["value"]; got != strings.TrimSpace(text) {
			t.Errorf("the company %q came back as %q", text, got)
		}
		if got := input(all, "intent").attrs["value"]; got != "sample" {
			t.Errorf("the intent came back as %q, want sample", got)
		}
		if got := input(all, "dataset").attrs["value"]; got != "hindi-bank-calls" {
			t.Errorf("the dataset came back as %q", got)
		}
		checkMarkup(t, w.Body.String())
	}
	// A form that is too large comes back as far as it fitted.
	w := post(t, h, "/enquiry", "name=Asha&intent=question&message="+strings.Repeat("%E0%A4%95", 9000))
	all := elements(t, w.Body.String())
	if got := input(all, "message").text; w.Code != 413 || input(all, "name").attrs["value"] != "Asha" || !strings.HasPrefix(got, "\nककक") || len(got) < 20_000 {
		t.Errorf("a form that is too large = %d with a message of %d bytes, want 413 with what fitted", w.Code, len(got))
	}
}

func TestEnquiryForm(t *testing.T) {
	t.Parallel()
	h := asking(t, newClerk())
	for _, tt := range []struct {
		path    string
		status  int
		intents string // offered
		chosen  string
		says    []string
	}{
		{"/enquiry", 200, "collection question", "", []string{"Ask a person", "licensing@vaak.example", "2 years"}},
		{"/enquiry?intent=collection", 200, "collection question", "collection", nil},
		{"/enquiry?intent=quote", 200, "quote sample collection question", "quote", nil},
		{"/enquiry?dataset=hindi-bank-calls&intent=sample", 200, "quote sample collection question", "sample", []string{"Hindi bank calls", `name="dataset" value="hindi-bank-calls"`}},
		{"/enquiry?dataset=" + hindi().ID, 200, "quote sample collection question", "", []string{`name="dataset" value="hindi-bank-calls"`}},
		{"/enquiry?intent=%3Cscript%3E&dataset=", 200, "collection question", "", nil},
		{"/enquiry?dataset=%3Cscript%3E", 404, "", "", []string{"There is no such dataset"}},
		{"/enquiry?dataset=bengali-radio-plays", 200, "quote collection question", "", nil},
		{"/catalogue/datasets/hindi-bank-calls", 200, "quote sample collection question", "", []string{`id="ask"`, "data@example.org", `name="dataset" value="hindi-bank-calls"`}},
		{"/catalogue/datasets/odia-bare", 200, "quote collection question", "", []string{`id="ask"`, `href="#ask"`}},
	} {
		w := get(t, h, tt.path)
		body := w.Body.String()
		all := checkMarkup(t, body)
		var offered []string
		chosen := ""
		for _, e := range all {
			if e.attrs["name"] == "intent" {
				offered = append(offered, e.attrs["value"])
				if _, ok := e.attrs["checked"]; ok {
					chosen += e.attrs["value"]
				}
			}
		}
		if w.Code != tt.status || strings.Join(offered, " ") != tt.intents || chosen != tt.chosen {
			t.Errorf("GET %s = %d, offers %q, chosen %q; want %d, %q, %q", tt.path, w.Code, offered, chosen, tt.status, tt.intents, tt.chosen)
		}
		for _, want := range tt.says {
			if !strings.Contains(body, want) {
				t.Errorf("GET %s lacks %q", tt.path, want)
			}
		}
		if tt.status == 200 {
			checkFields(t, tt.path, all)
			if got := w.Header().Get("Referrer-Policy"); got != "same-origin" {
				t.Errorf("GET %s has Referrer-Policy %q; under no-referrer the form comes from the origin null", tt.path, got)
			}
		}
	}
}

// checkFields says what the fields of the empty form are like.
func checkFields(t *testing.T, path string, all []element) {
	t.Helper()
	for name, want := range map[string]map[string]string{
		"name":    {"autocomplete": "name", "maxlength": "200", "type": "text"},
		"email":   {"autocomplete": "email", "maxlength": "254", "type": "email"},
		"company": {"autocomplete": "organization", "maxlength": "200"},
		"message": {"maxlength": "5000", "aria-describedby": "ask-message-hint"},
		"consent": {"type": "checkbox", "value": "yes", "aria-describedby": "ask-terms"},
	} {
		e := input(all, name)
		for attribute, value := range want {
			if e.attrs[attribute] != value {
				t.Errorf("%s: %s has %s %q, want %q", path, name, attribute, e.attrs[attribute], value)
			}
		}
		if _, required := e.attrs["required"]; required != slices.Contains([]string{"name", "email", "consent"}, name) {
			t.Errorf("%s: %s required is %v", path, name, required)
		}
		if !slices.ContainsFunc(all, func(l element) bool { return l.name == "label" && l.attrs["for"] == e.attrs["id"] }) && name != "consent" {
			t.Errorf("%s: %s has no label", path, name)
		}
	}
	if _, ticked := input(all, "consent").attrs["checked"]; ticked {
		t.Errorf("%s: the box is ticked", path)
	}
	if e := input(all, "agent"); e.name != "" {
		t.Errorf("%s asks for an agent", path)
	}
}

func TestReceived(t *testing.T) {
	t.Parallel()
	h := asking(t, newClerk())
	w := get(t, h, "/enquiry/received/"+sentID)
	body := w.Body.String()
	checkMarkup(t, body)
	for _, want := range []string{"A licence quote", "Hindi bank calls", "within two working days", "mailto:licensing@vaak.example", sentID, "noindex"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, not := range []string{"priya@example.org", "नमस्ते", "प्रिया"} {
		if strings.Contains(body, not) {
			t.Errorf("the page shows %q, which a person typed", not)
		}
	}
	checkPrivate(t, w)
	for _, id := range []string{"enq_none", "x", "%3Cscript%3E", strings.Repeat("a", 5000)} {
		if w := get(t, h, "/enquiry/received/"+id); w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "<script>") {
			t.Errorf("GET /enquiry/received/%.40s = %d, want 404", id, w.Code)
		}
	}
}

// What is deleted is not said to be kept.
func TestReceivedOfPurged(t *testing.T) {
	t.Parallel()
	c := newClerk()
	const kept, deleted = "What you sent is kept for 2 years", "What you typed is deleted by now"
	for _, tt := range []struct {
		purged    bool
		says, not string
	}{{false, kept, deleted}, {true, deleted, kept}} {
		c.purged = tt.purged
		body := get(t, asking(t, c), "/enquiry/received/"+sentID).Body.String()
		checkMarkup(t, body)
		if !strings.Contains(body, tt.says) || strings.Contains(body, tt.not) || strings.Contains(body, "answers by e-mail, as") == tt.purged {
			t.Errorf("purged %v: the page does not say %q, or says %q, or what happens next", tt.purged, tt.says, tt.not)
		}
	}
}

// checkPrivate says how a page is sent that is for one person.
func checkPrivate(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "ETag": "",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %q", policy)
	}
}

// Where nobody takes enquiries nothing speaks of them; where somebody does they are
// found, but not in the sitemap.
func TestEnquiriesAreOptional(t *testing.T) {
	t.Parallel()
	without, with := withCatalogue(t, shelves()), asking(t, newClerk())
	for _, path := range []string{"/", "/catalogue", "/llms.txt", "/catalogue/datasets/hindi-bank-calls", "/catalogue/datasets/none", "/sitemap.xml"} {
		if strings.Contains(get(t, without, path).Body.String(), "nquiry") {
			t.Errorf("%s speaks of enquiries where nobody takes them", path)
		}
	}
	for _, path := range []string{"/", "/catalogue", "/llms.txt", "/catalogue/datasets/hindi-bank-calls"} {
		if !strings.Contains(get(t, with, path).Body.String(), "/enquiry") {
			t.Errorf("%s does not lead to the form", path)
		}
	}
	if strings.Contains(get(t, with, "/sitemap.xml").Body.String(), "/enquiry") {
		t.Error("the sitemap has pages of enquiries")
	}
	for _, path := range []string{"/enquiry", "/enquiry/confirm/" + token, sampleAt, "/enquiry/received/" + sentID} {
		if w := get(t, without, path); w.Code != http.StatusNotFound {
			t.Errorf("GET %s without enquiries = %d, want 404", path, w.Code)
		}
	}
	for name, change := range map[string]func(*web.Config){
		"Enquiries": func(c *web.Config) { c.Samples = nil }, "Samples": func(c *web.Config) { c.Enquiries = nil },
	} {
		cfg := askingConfig(newClerk(), shelves())
		change(&cfg)
		h, err := web.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for path, of := range map[string]string{"/enquiry": "Enquiries", "/enquiry/confirm/" + token: "Enquiries", sampleAt: "Samples"} {
			if got := get(t, h, path).Code == http.StatusOK; got != (of == name) {
				t.Errorf("with %s alone GET %s is there: %v", name, path, got)
			}
		}
		cfg.Catalogue, cfg.Croissant = nil, nil
		if _, err := web.New(cfg); err == nil {
			t.Errorf("New with %s and no catalogue: no error", name)
		}
	}
}

func TestEnquiryPatterns(t *testing.T) {
	t.Parallel()
	c := newClerk()
	h := asking(t, c)
	patterns := h.Patterns()
	mux := http.NewServeMux()
	for _, p := range patterns {
		mux.Handle(p, h)
	}
	for _, p := range []string{"/enquiry", "/enquiry/confirm/{token}", "/enquiry/sample/{id}"} {
		for _, method := range []string{"GET ", "POST "} {
			if !slices.Contains(patterns, method+p) {
				t.Errorf("Patterns() lacks %s%s", method, p)
			}
		}
	}
	if !slices.IsSorted(patterns) || slices.Contains(patterns, "POST /enquiry/received/{id}") {
		t.Errorf("Patterns() = %q", patterns)
	}
	if w := post(t, mux, "/enquiry", filled().Encode()); w.Code != http.StatusSeeOther || get(t, mux, w.Header().Get("Location")).Code != http.StatusOK {
		t.Errorf("POST /enquiry through a mux = %d to %q", w.Code, w.Header().Get("Location"))
	}
	if w := post(t, mux, "/enquiry/confirm/"+token, "consent=yes"); w.Code != http.StatusSeeOther || fmt.Sprint(c.confirmed) != "["+token+"]" {
		t.Errorf("POST of a link through a mux = %d, confirmed %q", w.Code, c.confirmed)
	}
}

// What is asked for may be away when a page is made.
func TestEnquiryPagesAreAway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want int
	}{
		{fault.Down(fault.CodeStoreUnavailable, 3*time.Second, nil, "the database is away"), 503},
		{errors.New("secret detail"), 500},
	} {
		c := newClerk()
		c.away = tt.err
		h := asking(t, c)
		for _, path := range []string{"/enquiry/confirm/" + token, sampleAt, "/enquiry/received/" + sentID} {
			w := get(t, h, path)
			if w.Code != tt.want || strings.Contains(w.Body.String(), "secret") || tt.want == 503 && w.Header().Get("Retry-After") != "3" {
				t.Errorf("GET %s with %v = %d, want %d and no detail", path, tt.err, w.Code, tt.want)
			}
		}
		// A catalogue that is away loses nothing that was typed, the dataset included.
		cfg := askingConfig(newClerk(), &library{down: tt.err})
		h, err := web.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if w := get(t, h, "/enquiry?dataset=x"); w.Code != tt.want {
			t.Errorf("GET of the form with %v = %d, want %d", tt.err, w.Code, tt.want)
		}
		w := post(t, h, "/enquiry", filled("name", "").Encode())
		if e := input(elements(t, w.Body.String()), "dataset"); w.Code != 400 || e.attrs["value"] != "hindi-bank-calls" {
			t.Errorf("POST with a catalogue that is away = %d with the dataset %q", w.Code, e.attrs["value"])
		}
	}
}

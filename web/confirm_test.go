package web_test

import (
	"errors"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"vaak/enquiry"
	"vaak/internal/fault"
)

const confirmAt = "/enquiry/confirm/" + token

func TestConfirmShowsAll(t *testing.T) {
	t.Parallel()
	w := get(t, asking(t, newClerk()), confirmAt)
	body := w.Body.String()
	all := checkMarkup(t, body)
	for _, want := range []string{
		"प्रिया शर्मा", "priya@example.org", "ध्वनि प्रयोगशाला", "A licence quote", "“<bdi>Hindi bank calls ", "नमस्ते,\nहमें दो सौ घंटे चाहिए।\n\nவணக்கம்!", "Finder", "finder 1.2",
		"4 March 2026, 05:06 UTC", "6 March 2026, 05:06 UTC", "Nothing has been sent", "A program prepared it", "2 years", "licensing@vaak.example",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	box := input(all, "consent")
	if _, ticked := box.attrs["checked"]; ticked {
		t.Error("the box is ticked")
	}
	if _, required := box.attrs["required"]; !required {
		t.Error("the box is not required")
	}
	if !strings.Contains(body, `action="`+confirmAt+`" method="post"`) {
		t.Error("the form is not sent to the page itself")
	}
	checkPrivate(t, w)
}

// Nothing that was typed can act, turn the order around, or hide.
func TestConfirmIsInert(t *testing.T) {
	t.Parallel()
	c := newClerk()
	clean := len(elements(t, get(t, asking(t, c), confirmAt).Body.String()))
	f := &c.waits.Draft.Form
	odd := hostile + "\u202eevil\u2066\u200b\ufeff\U000E0041\u0007\u2028" + strings.Repeat("x", 4000)
	f.Name, f.Email, f.Company, f.Message, f.Agent = odd, odd, odd, odd, odd
	c.waits.Draft.About.Title, c.waits.Agent, f.Intent = odd, odd, enquiry.Intent(odd)
	h := asking(t, c)
	body := get(t, h, confirmAt).Body.String()
	if n := len(checkMarkup(t, body)); n != clean {
		t.Errorf("%d elements, %d with a clean enquiry", n, clean)
	}
	if strings.ContainsAny(body, "\u202e\u2066\u200b\ufeff\U000E0041\u0007\u2028") {
		t.Error("the page holds characters that hide or turn text around")
	}
	if want := "evil⟨U+2066⟩⟨U+200B⟩⟨U+FEFF⟩⟨U+E0041⟩⟨U+0007⟩⟨U+2028⟩"; strings.Count(html.UnescapeString(body), hostile+"⟨U+202E⟩"+want) < 7 {
		t.Errorf("the page does not write what hides as %q in each field", want)
	}
	f.Message = "क्\u200dष می\u200cخواهم 👩\u200d🔬\nnext"
	if body := get(t, h, confirmAt).Body.String(); !strings.Contains(body, f.Message) {
		t.Error("joiners, which scripts need, are not shown as they are")
	}
}

func TestConfirmSends(t *testing.T) {
	t.Parallel()
	c := newClerk()
	h := asking(t, c)
	w := post(t, h, confirmAt, "consent=yes")
	if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/enquiry/received/"+sentID || len(c.confirmed) != 1 {
		t.Errorf("POST = %d to %q, %d sent; want 303 and one", w.Code, got, len(c.confirmed))
	}
	c.waits.Sent = sentID
	w = get(t, h, confirmAt)
	body := w.Body.String()
	checkMarkup(t, body)
	if w.Code != 200 || !strings.Contains(body, "Sent already") || !strings.Contains(body, "/enquiry/received/"+sentID) || strings.Contains(body, "<form") || strings.Contains(body, "Nothing has been sent") {
		t.Errorf("what was sent already = %d, want 200 with its id and no form", w.Code)
	}
}

// What was sent is told so, whatever became of it since, and however it is sent again.
func TestConfirmSentAlready(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]error{
		"again": nil, "its dataset is gone": fault.BadParameter("dataset", "dataset is not known"), "broken": errors.New("secret"),
	} {
		c := newClerk()
		c.waits.Sent, c.fails = sentID, fails
		h := asking(t, c)
		for _, body := range []string{"consent=yes", "", "consent=yes&consent=yes"} {
			w := post(t, h, confirmAt, body)
			if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != "/enquiry/received/"+sentID {
				t.Errorf("%s: POST of %q = %d to %q, want 303 to the page that says what was received", name, body, w.Code, got)
			}
		}
	}
	c := newClerk()
	c.waits = enquiry.Waits{Sent: sentID} // what was typed is deleted
	w := get(t, asking(t, c), confirmAt)
	body := w.Body.String()
	checkMarkup(t, body)
	if w.Code != 200 || !strings.Contains(body, "Sent already") || !strings.Contains(body, sentID) || strings.Contains(body, "Name</dt>") {
		t.Errorf("what is deleted = %d, want 200 with the id and without a letter that is empty", w.Code)
	}
}

func TestConfirmIsRefused(t *testing.T) {
	t.Parallel()
	limited := fault.New(fault.RateLimited, "too_many_enquiries", "", "too many enquiries from this address; try again in an hour")
	limited.RetryAfter = time.Hour
	for _, tt := range []struct {
		name, path, body string
		fails            error
		status           int
		says             string
		sends            bool
	}{
		{"no box", confirmAt, "", nil, 400, "Tick the box", false},
		{"another value", confirmAt, "consent=on", nil, 400, "Tick the box", false},
		{"twice", confirmAt, "consent=yes&consent=yes", nil, 400, "twice", false},
		{"large", confirmAt, "consent=yes&x=" + strings.Repeat("a", 64<<10), nil, 413, "over 64 KiB", false},
		{"unknown", "/enquiry/confirm/other", "consent=yes", nil, 404, "Nothing waits at this link", false},
		{"limit", confirmAt, "consent=yes", limited, 429, "Too many enquiries", true},
		{"away", confirmAt, "consent=yes", fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "the database is away"), 503, "The database is away.", true},
		{"broken", confirmAt, "consent=yes", errors.New("secret"), 500, "it is sent once", true},
		{"of an older version", confirmAt, "consent=yes", fault.New(fault.NotFound, enquiry.CodeLinkUnmailed, "", "it went through a program"), 404, "Ask the program to send the enquiry again", true},
		{"expired meanwhile", confirmAt, "consent=yes", fault.New(fault.NotFound, "enquiry_link_not_found", "", "it is over"), 404, "Nothing waits", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClerk()
			c.fails = tt.fails
			w := post(t, asking(t, c), tt.path, tt.body)
			body := w.Body.String()
			checkMarkup(t, body)
			if w.Code != tt.status || !strings.Contains(body, tt.says) || strings.Contains(body, "secret") || (len(c.confirmed) > 0) != tt.sends {
				t.Errorf("POST %s = %d with %d tried, want %d with %q", tt.path, w.Code, len(c.confirmed), tt.status, tt.says)
			}
			if tt.status != 404 && !strings.Contains(body, "priya@example.org") {
				t.Error("the enquiry is not shown again")
			}
			if got := w.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control is %q, want no-store", got)
			}
		})
	}
}

func TestUnknownLinks(t *testing.T) {
	t.Parallel()
	h := asking(t, newClerk())
	for _, path := range []string{"/enquiry/confirm/none", "/enquiry/confirm/%3Cscript%3E", "/enquiry/confirm/" + strings.Repeat("a", 9000), "/enquiry/confirm/%ff"} {
		w := get(t, h, path)
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "Nothing waits at this link") || strings.Contains(w.Body.String(), "<script>") {
			t.Errorf("GET %.60s = %d, want 404 in words", path, w.Code)
		}
	}
}

// What no browser sends is refused, whoever's headers are missing: the box is for people.
func TestFormsAreOfBrowsers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, body string
		header     []string
		status     int
		refused    string
	}{
		{"/enquiry", filled().Encode(), []string{"Sec-Fetch-Site", ""}, 403, "page browser"},
		{confirmAt, "consent=yes", []string{"Sec-Fetch-Site", ""}, 403, "mailed_link browser"},
		{"/enquiry", filled().Encode(), []string{"Sec-Fetch-Site", "same-origin"}, 303, ""},
		{"/enquiry", filled().Encode(), []string{"Origin", origin}, 303, ""},
		{confirmAt, "consent=yes", []string{"Origin", "null"}, 303, ""}, // as over plain HTTP, where the page tells nobody where it is
	} {
		c := newClerk()
		w := post(t, asking(t, c), tt.path, tt.body, tt.header...)
		if w.Code != tt.status || strings.Join(c.refused, " ") != tt.refused || (c.did() > 0) != (tt.status == 303) {
			t.Errorf("POST %s with %q = %d, refused %q, %d done; want %d, %q", tt.path, tt.header, w.Code, c.refused, c.did(), tt.status, tt.refused)
		}
		if tt.status == 403 && !strings.Contains(w.Body.String(), "POST /api/catalogue/enquiry") {
			t.Errorf("POST %s does not say what programs do", tt.path)
		}
	}
}

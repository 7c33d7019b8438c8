package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vaak/internal/fault"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ field, words, want string }{
		{"cap", "cap 5 is outside 1 to 9", "Characters a month 5 is outside 1 to 9."},
		{"rpm", `rpm "lots" is not a whole number`, `Requests a minute "lots" is not a whole number.`},
		{"rpm", `rpm "rpm" is not a whole number`, `Requests a minute "rpm" is not a whole number.`},
		{"expires", "expires 2020-01-02T00:00:00Z is not in the future", "The end 2020-01-02T00:00:00Z is not in the future."},
		{"label", "label is empty; 1 to 200 characters are needed", "Label is empty; 1 to 200 characters are needed."},
		{"label", `label "rpm auto_renew" has a control character`, `Label "rpm auto_renew" has a control character.`},
		{"label", `label "a\"auto_renew\"b" is odd`, `Label "a\"auto_renew\"b" is odd.`},
		{"renewal_plan", `renewal_plan "x" needs auto_renew`, `Renewed on "x" needs “Renew by a month whenever it ends”.`},
		{"rules", `only_languages holds "klingon"; did you mean "kn"?`, `“Only in” holds "klingon"; did you mean "kn"?`},
		{"capital", "capital letters", "Capital letters."},
		{"", "Nothing was saved. Tick the box!", "Nothing was saved. Tick the box!"},
		{"", "there is no key \"x\"", "There is no key \"x\"."},
		{"", `"x" holds bytes`, `"x" holds bytes.`},
		{"", "é is no letter of it…", "É is no letter of it…"},
		{"", "", ""},
	} {
		words, field := sentence(fmt.Errorf("read: %w", fault.BadParameter(tt.field, "%s", tt.words)))
		if words != tt.want || field != tt.field {
			t.Errorf("sentence(%q of %q) = %q of %q, want %q", tt.words, tt.field, words, field, tt.want)
		}
	}
	if words, field := sentence(errors.New("disk /var is full")); strings.Contains(words, "disk") || field != "" {
		t.Errorf("the sentence of a fault of ours is %q of %q", words, field)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("cap 5", "cap")
	f.Add(`"\\" \xff _`, "")
	f.Fuzz(func(t *testing.T, words, field string) {
		if got := plain(words, field); words != "" && got == "" || plain(got, "") != got {
			t.Errorf("plain(%q, %q) = %q, and again %q", words, field, got, plain(got, ""))
		}
	})
}

// TestFormsHavePages looks at addresses that only take a form, as somebody does who
// reloads the page of one that failed.
func TestFormsHavePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, want := range map[string]string{
		"/o/" + w.acme.ID + "/keys/key_a%2Fb/revoke":     "/o/" + w.acme.ID + "/keys",
		"/o/" + w.acme.ID + "/dictionaries/import":       "/o/" + w.acme.ID + "/dictionaries",
		"/organisations/" + w.acme.ID + "/lots":          "/organisations/" + w.acme.ID,
		"/organisations/" + w.acme.ID + "/lots?x=//evil": "/organisations/" + w.acme.ID,
		"/organisations/%3Cscript%3E/name":               "/organisations/%3Cscript%3E",
		"/me/password":                                   "/me",
		"/system/audit":                                  "/system",
	} {
		for _, b := range []*browser{w.as(t, w.operator), {t: t, h: w.Console}} {
			moved(t, b.get(path), want)
			moved(t, b.do(http.MethodHead, path, nil), want)
		}
		page(t, w.as(t, w.operator).do(http.MethodDelete, path, nil, "Origin", site), http.StatusMethodNotAllowed)
	}
	rec := w.as(t, w.operator).get("/signout")
	if page(t, rec, http.StatusMethodNotAllowed); rec.Header().Get("Allow") != "POST" {
		t.Errorf("Allow: %q", rec.Header().Get("Allow"))
	}
}

// TestWellKnownFiles asks for what browsers and crawlers ask for on their own, of nobody
// who is signed in.
func TestWellKnownFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, kind := range map[string]string{"/favicon.ico": "image/x-icon", "/robots.txt": "text/plain; charset=utf-8"} {
		a := httptest.NewRecorder()
		w.ServeHTTP(a, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if a.Code != http.StatusOK || a.Header().Get("Content-Type") != kind || a.Body.Len() == 0 {
			t.Errorf("%s = %d %q, %d bytes; want 200 and %s", path, a.Code, a.Header().Get("Content-Type"), a.Body.Len(), kind)
		}
		if path == "/robots.txt" && a.Body.String() != "User-agent: *\nDisallow: /\n" {
			t.Errorf("the console invites crawlers: %s", a.Body)
		}
	}
}

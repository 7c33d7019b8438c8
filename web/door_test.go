package web_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Only forms of this site are taken, and those of programs that are no browsers.
func TestForeignForms(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/enquiry", "/enquiry/confirm/" + token, sampleAt} {
		for _, tt := range []struct {
			fetch, origin string
			pass          bool
		}{
			{"", "", true}, {"same-origin", origin, true}, {"same-origin", "null", true}, {"none", "", true}, {"", origin, true}, {"", "http://example.com", true}, // the name that was asked
			{"cross-site", "https://evil.test", false}, {"same-site", "https://sub.example.com", false}, {"cross-site", "null", false}, {"cross-site", "", false},
			{"", "https://evil.test", false}, {"", "http://example.com.evil.test", false}, {"same-site", "", false},
			{"", "null", path != "/enquiry"}, // pages with a secret address have no other origin over plain HTTP
		} {
			c := newClerk()
			c.fails = errors.New("far enough")
			header := []string{}
			if tt.fetch != "" {
				header = append(header, "Sec-Fetch-Site", tt.fetch)
			}
			if tt.origin != "" {
				header = append(header, "Origin", tt.origin)
			}
			w := post(t, asking(t, c), path, filled().Encode(), header...)
			if (w.Code == http.StatusForbidden) == tt.pass || (c.did() > 0) != tt.pass {
				t.Errorf("POST %s with Sec-Fetch-Site %q, Origin %q = %d and %d done, want pass %v", path, tt.fetch, tt.origin, w.Code, c.did(), tt.pass)
			}
			if body := w.Body.String(); !tt.pass && (!strings.Contains(body, "Sent from another site") || strings.Contains(body, "Asha")) {
				t.Errorf("POST %s from elsewhere does not say so, or shows what it was sent", path)
			}
		}
	}
}

func TestOnlyForms(t *testing.T) {
	t.Parallel()
	c := newClerk()
	h := asking(t, c)
	for _, path := range []string{"/enquiry", "/enquiry/confirm/" + token, sampleAt} {
		for _, media := range []string{"", "application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=utf-16", "application/x-www-form-urlencoded, text/html"} {
			if w := post(t, h, path, filled().Encode(), "Content-Type", media); w.Code != http.StatusUnsupportedMediaType {
				t.Errorf("POST %s of type %q = %d, want 415", path, media, w.Code)
			}
		}
		if w := post(t, h, path, filled().Encode(), "Content-Encoding", "gzip"); w.Code != http.StatusUnsupportedMediaType {
			t.Errorf("POST %s compressed = %d, want 415", path, w.Code)
		}
	}
	if c.did() > 0 {
		t.Error("something was done with what is no form")
	}
	if w := post(t, h, "/enquiry", filled().Encode(), "Content-Type", "Application/X-WWW-Form-Urlencoded; Charset=UTF-8"); w.Code != http.StatusSeeOther {
		t.Errorf("a form that says its charset = %d, want 303", w.Code)
	}
}

// Whatever opens addresses sends nothing, and takes nothing.
func TestLookingHasNoEffect(t *testing.T) {
	t.Parallel()
	c := newClerk()
	h := asking(t, c)
	query := "?" + filled().Encode()
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete, "SEND"} {
		for _, path := range []string{"/enquiry" + query, "/enquiry/confirm/" + token + query, sampleAt + "&consent=yes", "/enquiry/received/" + sentID} {
			r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(filled().Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			want := http.StatusOK
			if method != http.MethodGet && method != http.MethodHead {
				want = http.StatusMethodNotAllowed
			}
			if w.Code != want {
				t.Errorf("%s %s = %d, want %d", method, path, w.Code, want)
			}
			if method == http.MethodHead && w.Body.Len() > 0 {
				t.Errorf("HEAD %s has a body", path)
			}
		}
	}
	if n := c.did(); n > 0 {
		t.Errorf("%d things were done by looking", n)
	}
	if w := post(t, h, "/enquiry/received/"+sentID, ""); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST of the page that says what was received = %d, Allow %q; want 405", w.Code, w.Header().Get("Allow"))
	}
	if w := post(t, h, "/enquiry?consent=yes", filled("consent", "").Encode()); w.Code != 400 || c.did() > 0 {
		t.Errorf("consent in the address = %d, want 400 and nothing sent", w.Code)
	}
}

package console

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

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
		for _, b := range []*browser{w.as(t, w.operator), {t: t, h: w.Site}} {
			moved(t, b.get(path), want)
			moved(t, b.do(http.MethodHead, path, nil), want)
		}
		shown(t, w.as(t, w.operator).do(http.MethodDelete, path, nil, "Origin", site), http.StatusMethodNotAllowed)
	}
	rec := w.as(t, w.operator).get("/signout")
	if shown(t, rec, http.StatusMethodNotAllowed); rec.Header().Get("Allow") != "POST" {
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

package rest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vaak/edge"
)

// forms are pages with forms.
type forms struct{ http.Handler }

func (forms) Counted(pattern string) bool {
	return strings.HasPrefix(pattern, "POST ") || pattern == "/llms.txt"
}

func (forms) Patterns() []string {
	return []string{"GET /{$}", "/llms.txt", "GET /enquiry", "POST /enquiry", "GET /enquiry/confirm/{token}", "POST /enquiry/confirm/{token}", "GET /enquiry/sample/{id}", "POST /enquiry/sample/{id}"}
}

// tell answers with what is known of a request.
func tell(w http.ResponseWriter, r *http.Request) {
	scope, located := edge.ClientScope(r.Context())
	err := r.ParseForm()
	_, _ = fmt.Fprintf(w, "%s %t %x %q %v", r.Method, located, scope, r.PostForm.Get("name"), err)
}

func fill(path, form string, header ...string) *http.Request {
	return request("POST", path, form, append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...)
}

func TestForms(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Pages: forms{http.HandlerFunc(tell)}, PublicRate: 100})
	for _, path := range []string{"/enquiry", "/enquiry/confirm/abc", "/enquiry/sample/rel_1"} {
		for _, tt := range []struct {
			r    *http.Request
			want string
		}{
			{fill(path, "name=Asha+Rao"), `POST true c0000201 "Asha Rao" <nil>`},
			{fill(path, ""), `POST true c0000201 "" <nil>`},
			{request("GET", path, ""), `GET true c0000201 "" <nil>`},
		} {
			if w := do(h, tt.r); w.Code != 200 || w.Body.String() != tt.want {
				t.Errorf("%s %s = %d %s, want %s", tt.r.Method, path, w.Code, w.Body, tt.want)
			}
		}
		w := do(h, request("PUT", path, ""))
		if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("PUT %s = %d, Allow %q", path, w.Code, w.Header().Get("Allow"))
		}
		w = do(h, request("OPTIONS", path, "", "Origin", "https://evil.test", "Access-Control-Request-Method", "POST"))
		if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("Allow") != "GET, HEAD, POST, OPTIONS" {
			t.Errorf("the preflight of %s: %d %v", path, w.Code, w.Header())
		}
	}
	if w := do(h, fill("/", "name=a")); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST / = %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// TestFormsCount: forms count to the minute of their client, and so do pages that say it. Reading
// others does not.
func TestFormsCount(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{PublicRate: 3, Pages: forms{http.HandlerFunc(tell)}})
	for i := range 5 {
		w := do(h, fill("/enquiry", "name=a"))
		if i < 3 && w.Code != 200 || i >= 3 && (w.Code != 429 || w.Header().Get("Retry-After") == "" || w.Header().Get("Content-Type") != "text/plain; charset=utf-8") {
			t.Errorf("form %d: %d %s %v, want three to pass", i+1, w.Code, w.Body, w.Header())
		}
		if w := do(h, request("GET", "/enquiry", "")); w.Code != 200 {
			t.Errorf("GET /enquiry = %d", w.Code)
		}
	}
	for _, path := range []string{"/v1/voices", "/llms.txt"} {
		if w := do(h, request("GET", path, "")); w.Code != 429 {
			t.Errorf("%s in the minute = %d, want 429", path, w.Code)
		}
	}
}

// TestTokensOfLinksAreNotLogged: neither of those that lead somewhere nor of those
// that were copied badly.
func TestTokensOfLinksAreNotLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHandler(t, Config{Pages: forms{http.HandlerFunc(tell)}, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	for _, r := range []*http.Request{
		request("GET", "/enquiry/confirm/sesame", ""), fill("/enquiry/confirm/sesame", "name=sesame"), request("PUT", "/enquiry/confirm/sesame", ""),
		request("GET", "/enquiry/confirm/sesame/", ""), request("GET", "/enquiry/confirm/sesame/..", ""), request("GET", "/enquiry/sample/rel_1?signature=sesame", ""),
	} {
		do(h, r)
	}
	if n := strings.Count(log.String(), "\n"); n != 6 || strings.Contains(log.String(), "sesame") {
		t.Errorf("%d lines, want 6 without the token:\n%s", n, &log)
	}
}

// TestPageIsFlushed: what a page sends arrives while it is being made.
func TestPageIsFlushed(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	srv := httptest.NewServer(newHandler(t, Config{Pages: forms{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, piece := range []string{"one\n", "two\n", "three\n"} {
			_, _ = io.WriteString(w, piece)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			select {
			case <-read:
			case <-t.Context().Done():
				return
			}
		}
	})}}))
	defer srv.Close()
	res, err := http.Post(srv.URL+"/enquiry/sample/rel_1", "application/x-www-form-urlencoded", strings.NewReader("accept=yes"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		read <- struct{}{}
	}
}

// TestLongPage: an answer may take as long as it takes.
func TestLongPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dial := inMemory(t, newHandler(t, Config{Pages: forms{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 4 {
				select {
				case <-r.Context().Done():
					return
				case <-time.After(10 * time.Minute):
				}
				if _, err := io.WriteString(w, "0123456789"); err != nil {
					return
				}
			}
		})}}))
		c := dial()
		go func() {
			_, _ = io.WriteString(c, "POST /enquiry/sample/rel_1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\naccept=yes")
		}()
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(res.Body); err != nil || len(got) != 40 {
			t.Errorf("a long answer: %d bytes, %v", len(got), err)
		}
		_ = c.Close()
	})
}

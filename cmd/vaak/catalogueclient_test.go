package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// startCatalogue starts a server of the catalogue alone, without an engine to be
// found, on a new data directory; database "" is that of the directory.
func startCatalogue(t testing.TB, database string, flags ...string) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	s.env = append(os.Environ(), "VAAK_ESPEAK_WORKER="+filepath.Join(s.dir, "none"), "VAAK_DATA_DIR="+s.dir)
	if database != "" {
		s.env = append(s.env, "VAAK_DATABASE="+database)
	}
	s.serve(append([]string{"--services", "catalogue"}, flags...)...)
	return s
}

// soon waits up to a minute until ok, and fails the test when it does not come to it.
func soon(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !eventually(ok) {
		t.Fatalf("%s: not within a minute", what)
	}
}

// exchange sends a request with headers as "Name: value" and returns what came back.
func (a answered) exchange(r *http.Request, headers []string) answered {
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		a.body = err.Error()
		return a
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	a.status, a.header, a.body = resp.StatusCode, resp.Header, string(text)
	if err != nil {
		a.status, a.body = 0, err.Error()
	}
	return a
}

// fetch asks for a path or an address, with headers as "Name: value", and follows
// no redirect. The status 0 says that there was no answer.
func (s *server) fetch(method, at string, headers ...string) answered {
	s.t.Helper()
	a := answered{what: method + " " + at}
	if strings.HasPrefix(at, "/") {
		at = s.public + at
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, at, nil)
	if err != nil {
		s.t.Fatalf("%s: %v", a.what, err)
	}
	return a.exchange(r, headers)
}

// refused checks the status of an answer and its error in the catalogue's shape.
func (a answered) refused(t testing.TB, status int, code string) (e struct {
	Error, Code, Message, Parameter, Slug string
	DidYouMean                            []string
	RetryAfterSeconds                     int
}) {
	t.Helper()
	err := json.Unmarshal([]byte(a.body), &e)
	if err != nil || a.status != status || e.Error != code || e.Code != code || e.Message == "" {
		t.Errorf("%s = %d %.300s, want %d %s", a.what, a.status, a.body, status, code)
	}
	return e
}

// held is what the tests read of a record.
type held struct {
	ID, Slug, Status, URL, Record, Croissant, Manifest string
	Sample                                             struct {
		URL       string
		SizeBytes int64
		SHA256    string
		Streams   []struct{ URL string }
	}
}

// record returns the record of a dataset, which must be there.
func (s *server) record(slug string) (r held) {
	s.t.Helper()
	a := s.fetch(http.MethodGet, "/api/catalogue/datasets/"+slug)
	if err := json.Unmarshal([]byte(a.body), &r); err != nil || a.status != http.StatusOK {
		s.t.Fatalf("%s = %d %.300s, %v", a.what, a.status, a.body, err)
	}
	return r
}

// listed returns the slugs that the list has.
func (s *server) listed(query string) (slugs []string) {
	s.t.Helper()
	var list struct {
		Count    int
		Datasets []struct{ Slug string }
	}
	a := s.fetch(http.MethodGet, "/api/catalogue/datasets"+query)
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || a.status != http.StatusOK {
		s.t.Fatalf("%s = %d %.300s, %v", a.what, a.status, a.body, err)
	}
	for _, d := range list.Datasets {
		slugs = append(slugs, d.Slug)
	}
	if list.Count != len(slugs) {
		s.t.Errorf("%s: count %d of %q", a.what, list.Count, slugs)
	}
	return slugs
}

// noFaults checks that the log tells of no 5xx, no warning and no panic.
func noFaults(t *testing.T, s *server) {
	t.Helper()
	for line := range strings.Lines(s.log.String()) {
		var l struct {
			Level, Msg string
			Status     int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Status >= 500 || l.Level == "ERROR" || l.Level == "WARN" {
			if strings.Contains(line, "context canceled") || strings.Contains(line, "Error fetching jobs") {
				continue // it was stopping, or another process was writing: jobs are fetched again
			}
			t.Errorf("the log has %s", line)
		}
	}
}

// sends posts a body to a path, with headers as "Name: value". The status 0 says that
// there was no answer.
func (s *server) sends(path, kind, body string, headers ...string) answered {
	s.t.Helper()
	a := answered{what: "POST " + path}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.public+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	return a.exchange(r, headers)
}

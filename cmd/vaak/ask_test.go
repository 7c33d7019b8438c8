package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"
)

// answered is the answer to one request.
type answered struct {
	what   string // the request, for failure lines
	status int
	header http.Header
	body   string
	took   time.Duration
}

// code returns the stable code of an error.
func (a answered) code() string {
	var e struct{ Error struct{ Code string } }
	if json.Unmarshal([]byte(a.body), &e) != nil {
		return ""
	}
	return e.Error.Code
}

// expect checks the status and the code of an error; "" is none.
func (a answered) expect(t testing.TB, status int, code string) {
	t.Helper()
	if a.status != status || a.code() != code {
		t.Errorf("%s = %d %q, want %d %q: %.300s", a.what, a.status, a.code(), status, code, a.body)
	}
}

// ask sends a request with a key, or without one when that is "", and a body
// unless that is nil. The status 0 says that there was no answer.
func (s *server) ask(method, path, key string, body any) answered {
	s.t.Helper()
	a := answered{what: method + " " + path}
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.public+path, sent)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream, audio/*")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	began := ran()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		a.body = err.Error()
		return a
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	a.status, a.header, a.body, a.took = resp.StatusCode, resp.Header, string(text), ran()-began
	if err != nil {
		a.status, a.body = 0, err.Error()
	}
	return a
}

// say speaks a short text with a key.
func (s *server) say(key, text string) answered {
	s.t.Helper()
	return s.ask(http.MethodPost, "/v1/audio/speech", key, map[string]any{"input": text, "lang": "en", "response_format": "pcm"})
}

// standing is what the tests read of GET /v1/usage.
type standing struct {
	Plan  struct{ ID string }
	Month struct {
		Used int64 `json:"characters_used"`
	}
	Balance struct {
		Remaining int64 `json:"characters_remaining"`
		Granted   int64 `json:"total_granted"`
	}
}

// usage asks how the organisation of a key stands.
func (s *server) usage(key string) (u standing) {
	s.t.Helper()
	a := s.ask(http.MethodGet, "/v1/usage", key, nil)
	a.expect(s.t, http.StatusOK, "")
	if err := json.Unmarshal([]byte(a.body), &u); err != nil {
		s.t.Errorf("%s: %v", a.what, err)
	}
	return u
}

package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vaak/store/storetest/pgtest"
)

// TestRevokedWhileItSpeaks revokes a key from another process while a stream of
// it runs: the next request is refused at once, and the stream ends within a
// second.
func TestRevokedWhileItSpeaks(t *testing.T) {
	slow(t)
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		revokeWhileItSpeaks(t, start(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		revokeWhileItSpeaks(t, startOn(t, pgtest.DSN(t)))
	})
}

func revokeWhileItSpeaks(t *testing.T, s *server) {
	resp, err := http.DefaultClient.Do(s.request(t.Context(), long(story)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	org, _, _ := strings.Cut(s.vaak("org", "list"), "\t")
	id, _, _ := strings.Cut(s.vaak("key", "list", "--org", org), "\t")
	s.vaak("key", "revoke", id)
	revoked := time.Now()
	if _, err := s.speak(map[string]any{"input": "Hello."}); err == nil || !strings.Contains(err.Error(), "invalid_api_key") {
		t.Errorf("the next request: %v, want invalid_api_key", err)
	}
	ended := func() bool { return bytes.Contains([]byte(s.log.String()), []byte("sessions ended")) }
	if !eventually(ended) {
		t.Fatal("the stream does not end")
	}
	if took := time.Since(revoked); took > time.Second {
		t.Errorf("the stream ended %v after its key was revoked, want at most 1 s", took)
	}
	// What was on its way still comes; the whole answer does not.
	got, err := io.Copy(io.Discard, resp.Body)
	if err == nil {
		t.Errorf("the stream came to a good end, with %d bytes", got)
	}
}

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

// TestLengthyRevokedWhileItSpeaks revokes a key from another process while a stream of
// it runs: the next request is refused, and the stream ends. The usual time, which
// is logged, is under a second; a busy machine may take longer.
func TestLengthyRevokedWhileItSpeaks(t *testing.T) {
	slow(t)
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		revokeWhileItSpeaks(t, start(t), false)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		revokeWhileItSpeaks(t, startOn(t, pgtest.DSN(t)), true)
	})
}

func revokeWhileItSpeaks(t *testing.T, s *server, postgres bool) {
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
	refused := func() bool {
		_, err := s.speak(map[string]any{"input": "Hello."})
		return err != nil && strings.Contains(err.Error(), "invalid_api_key")
	}
	// PostgreSQL tells the server, which may be a moment later than the command.
	if !refused() && !(postgres && eventually(refused)) {
		t.Error("the next request is not refused")
	}
	ended := func() bool { return bytes.Contains([]byte(s.log.String()), []byte("sessions ended")) }
	if !eventually(ended) {
		t.Fatal("the stream does not end")
	}
	t.Logf("the stream ended %v after its key was revoked", time.Since(revoked))
	// What was on its way still comes; the whole answer does not.
	got, err := io.Copy(io.Discard, resp.Body)
	if err == nil {
		t.Errorf("the stream came to a good end, with %d bytes", got)
	}
}

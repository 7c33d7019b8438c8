package main

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// TestAnswersAreKept asks the same twice, over a restart, and with the cache
// turned off.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	const room = "--cache-bytes=100000000"
	s := start(t, room)
	body := map[string]any{"input": story, "response_format": "pcm", "stream": true}
	first := s.cached(body, "miss")
	if !bytes.Equal(first, s.cached(body, "hit")) {
		t.Error("a kept answer differs from the first")
	}
	body["speed"] = 1.2
	s.cached(body, "miss")
	delete(body, "speed")
	s.stop()
	s.serve(room)
	if !bytes.Equal(first, s.cached(body, "hit")) {
		t.Error("an answer kept over a restart differs from the first")
	}
	s.stop()
	s.serve("--cache-bytes=0")
	for range 2 {
		if !bytes.Equal(first, s.cached(body, "")) {
			t.Error("an answer that is made again differs from the first")
		}
	}
	s.stop()
}

// cached speaks body and checks what the answer says of the cache.
func (s *server) cached(body map[string]any, want string) []byte {
	s.t.Helper()
	resp, err := http.DefaultClient.Do(s.request(s.t.Context(), body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if got := resp.Header.Get("X-Cache"); err != nil || resp.StatusCode != http.StatusOK || got != want {
		s.t.Errorf("status %d, x-cache %q, %v; want %q", resp.StatusCode, got, err, want)
	}
	return b
}

package main

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"vaak/store/storetest/pgtest"
)

// TestLengthyLiveRevoked revokes a key whose sockets speak, wait in the middle of a text
// and idle: each is told and closed within a second of a usual machine, and those
// of another key go on.
func TestLengthyLiveRevoked(t *testing.T) {
	slow(t)
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		liveRevoked(t, start(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		liveRevoked(t, startOn(t, pgtest.DSN(t)))
	})
}

func liveRevoked(t *testing.T, s *server) {
	org, key := s.customer("Revoked", "unlimited")
	id, _, _ := strings.Cut(s.vaak("key", "list", "--org", org), "\t")
	var doomed, others []*socket
	for _, kind := range kinds {
		for _, deed := range []string{"idles", "waits", "speaks"} {
			c, a := s.dial(key, kind, "")
			if c == nil {
				t.Fatalf("%s: %s", a.what, a.body)
			}
			doomed = append(doomed, c)
			switch deed {
			case "waits":
				c.say("A sentence. And half")
			case "speaks":
				c.say(strings.Repeat(story, 40))
				c.flush()
				c.begun()
			}
		}
		other := s.connect(kind)
		other.say(story)
		others = append(others, other)
	}
	s.vaak("key", "revoke", id)
	began := ran()
	var wg sync.WaitGroup
	for _, c := range doomed {
		wg.Go(func() {
			got := c.listen()
			if got.code != "invalid_api_key" || got.closed != websocket.ClosePolicyViolation {
				t.Errorf("a %s socket of a revoked key ended with %s, want invalid_api_key and 1008", c.kind, got)
			}
		})
	}
	wg.Wait()
	t.Logf("all ended %v after the key was revoked", (ran() - began).Round(time.Millisecond))
	if took := ran() - began; took > 10*time.Second {
		t.Errorf("the sockets ended %v after the key was revoked", took)
	}
	if c, a := s.dial(key, "native", ""); c != nil || a.status != 401 {
		t.Errorf("dial with a revoked key = %d %s, want 401", a.status, a.body)
	}
	for _, c := range others {
		c.end()
		if got := c.listen(); !got.whole() {
			t.Errorf("a %s socket of another key ended with %s", c.kind, got)
		}
	}
	s.stop()
}

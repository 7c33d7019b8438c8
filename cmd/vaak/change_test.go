package main

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

// TestLengthyChangesReachEveryServer changes a plan, and which plan an organisation is
// on, by commands while two servers run: both go by it, and are told rather than find it.
func TestLengthyChangesReachEveryServer(t *testing.T) {
	slow(t)
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		first := start(t)
		second := *first
		second.serve()
		changes(t, first, &second)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		f := startFleet(t, 2, 10)
		changes(t, f.servers...)
	})
}

func changes(t *testing.T, servers ...*server) {
	s := servers[0]
	s.vaak("plan", "set", "first", "--characters", "1000", "--rpm", "100001", "--streams", "11")
	s.vaak("plan", "set", "second", "--characters", "2000", "--rpm", "200001", "--streams", "21")
	org, key := s.customer("Changed", "first")
	expect := func(what, plan string, rpm, streams int) {
		t.Helper()
		began := ran()
		for i, s := range servers {
			var a answered
			seen := func() bool {
				a = s.ask(http.MethodGet, "/v1/usage", key, nil)
				return a.header.Get("X-Ratelimit-Limit-Requests") == strconv.Itoa(rpm) &&
					a.header.Get("X-Ratelimit-Limit-Concurrent") == strconv.Itoa(streams)
			}
			// A change that nobody is told of is seen when what is cached is 5 s old.
			if !eventually(seen) || ran()-began > 4*time.Second {
				t.Errorf("%s: after %v server %d has %v, want %d requests and %d streams", what, ran()-began, i, a.header, rpm, streams)
			}
			if got := s.usage(key).Plan.ID; got != plan {
				t.Errorf("%s: server %d is on plan %q, want %q", what, i, got, plan)
			}
		}
		t.Logf("%s: seen by all after %v", what, (ran() - began).Round(time.Millisecond))
	}
	expect("at first", "first", 100001, 11)
	s.vaak("plan", "set", "first", "--characters", "1000", "--rpm", "100002", "--streams", "12")
	expect("vaak plan set", "first", 100002, 12)
	s.vaak("subscription", "set", "--org", org, "--plan", "second")
	expect("vaak subscription set", "second", 200001, 21)
	expires := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	s.vaak("subscription", "set", "--org", org, "--plan", "first", "--expires", expires)
	expect("vaak subscription set --expires", "first", 100002, 12)
	s.vaak("plan", "set", "first", "--characters", "1000", "--rpm", "1", "--streams", "12")
	for i, s := range servers {
		refused := func() bool {
			return s.ask(http.MethodGet, "/v1/usage", key, nil).status == http.StatusTooManyRequests
		}
		if !eventually(refused) {
			t.Errorf("server %d lets more through than the new limit", i)
		}
	}
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// repeat sends a request with an idempotency key.
func (s *server) repeat(path, key, name string, body any) answered {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.public+path, bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	headers := []string{"Content-Type: application/json", "Idempotency-Key: " + name}
	if key != "" {
		headers = append(headers, "Authorization: Bearer "+key)
	}
	return answered{what: "POST " + path + " as " + name}.exchange(r, headers)
}

// replayed reports whether an answer is that to a repeat.
func (a answered) replayed() bool { return a.header.Get("Idempotent-Replayed") == "true" }

// busy is a plan on which many requests pass.
func (s *server) busy(name string) (key string) {
	s.vaak("plan", "set", "busy", "--characters", "1000000", "--rpm", "100000", "--streams", "100")
	_, key = s.customer(name, "busy")
	return key
}

// TestLengthyIdempotency repeats requests of every sort.
func TestLengthyIdempotency(t *testing.T) {
	slow(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, s *server) {
		key := s.busy("Repeats")
		repeatsAtOnce(t, key, s)
		s.repeatsForms(key)
		s.repeatsNothing(key)
		s.repeatsDictionaries(key)
		s.repeatsLarge(key)
		s.repeatsForGone(key)
		s.stop()
	})
}

// TestLengthyIdempotencyOnTwoServers repeats a request on two servers at once.
func TestLengthyIdempotencyOnTwoServers(t *testing.T) {
	slow(t)
	t.Parallel()
	f := startFleet(t, 2, 100)
	repeatsAtOnce(t, f.servers[0].key, f.servers...)
}

// repeatsAtOnce sends 200 requests with one key at the same moment: one is spoken and charged.
func repeatsAtOnce(t *testing.T, key string, servers ...*server) {
	t.Helper()
	const text = "Two hundred ask, and one speaks."
	before := servers[0].usage(key).Month.Used
	var first, again atomic.Int64
	var mu sync.Mutex
	bodies := map[string]int{}
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			a := servers[i%len(servers)].repeat("/v1/audio/speech", key, "at-once", map[string]any{"input": text, "lang": "en"})
			if a.status != http.StatusOK || a.header.Get("Character-Cost") != fmt.Sprint(len(text)) || a.header.Get("Content-Type") != "audio/wav" {
				t.Errorf("%s = %d %v %.200s", a.what, a.status, a.header, a.body)
				return
			}
			if a.replayed() {
				again.Add(1)
			} else {
				first.Add(1)
			}
			mu.Lock()
			defer mu.Unlock()
			bodies[a.body]++
		})
	}
	all.Wait()
	used := servers[0].usage(key).Month.Used - before
	t.Logf("200 repeats on %d servers: %d ran, %d were replayed, %d answers differ, %d characters charged for %d", len(servers), first.Load(), again.Load(), len(bodies)-1, used, len(text))
	if first.Load() != 1 || again.Load() != 199 || len(bodies) != 1 || used != int64(len(text)) {
		t.Error("want one run, 199 repeats, one answer, one charge")
	}
}

// repeatsForms repeats each form of a request to speak.
func (s *server) repeatsForms(key string) {
	s.t.Helper()
	voice := "/v1/text-to-speech/" + s.someVoice()
	for i, tt := range []struct {
		path string
		body object
	}{
		{"/v1/audio/speech", object{"input": "Native.", "response_format": "pcm", "stream": true}},
		{"/v1/audio/speech", object{"input": "Native.", "stream_format": "sse"}},
		{voice + "?output_format=pcm_24000", object{"text": "Dialect."}},
		{voice + "/stream?output_format=mp3_44100_128", object{"text": "Dialect."}},
		{voice + "/with-timestamps", object{"text": "Dialect."}},
		{voice + "/stream/with-timestamps", object{"text": "Dialect."}},
	} {
		before, name := s.usage(key).Month.Used, fmt.Sprint("form-", i)
		first, again := s.repeat(tt.path, key, name, tt.body), s.repeat(tt.path, key, name, tt.body)
		if first.status != 200 || first.replayed() || again.status != 200 || !again.replayed() || first.body != again.body || first.body == "" ||
			first.header.Get("Content-Type") != again.header.Get("Content-Type") || first.header.Get("X-Request-Id") == again.header.Get("X-Request-Id") {
			s.t.Errorf("%s: first %d %v, %d bytes; then %d %v, %d bytes", tt.path, first.status, first.header, len(first.body), again.status, again.header, len(again.body))
		}
		text, _ := cmp.Or(tt.body["input"], tt.body["text"]).(string)
		if used := s.usage(key).Month.Used - before; used != int64(len(text)) {
			s.t.Errorf("%s was charged %d for %d", tt.path, used, len(text))
		}
		other := s.repeat(tt.path, key, name, object{"input": "Other.", "text": "Other."})
		other.expect(s.t, 422, "idempotency_key_reuse")
	}
	// The key belongs to its route and organisation.
	a := s.repeat("/v1/audio/speech", s.key, "form-0", object{"input": "Native.", "response_format": "pcm", "stream": true})
	if a.status != 200 || a.replayed() {
		s.t.Errorf("with the key of another organisation: %d, replayed %v", a.status, a.replayed())
	}
}

func (s *server) someVoice() string {
	a := s.say(s.key, "a")
	return a.header.Get("X-Voice-Id")
}

// repeatsNothing checks that refusals are not kept, and what keys are refused.
func (s *server) repeatsNothing(key string) {
	s.t.Helper()
	for range 2 {
		a := s.repeat("/v1/audio/speech", key, "refused", object{"input": "Hello.", "speed": 9})
		a.expect(s.t, 400, "invalid_parameter")
		if a.replayed() {
			s.t.Error("a refusal is replayed")
		}
	}
	if a := s.repeat("/v1/audio/speech", key, "refused", object{"input": "Hello."}); a.status != 200 || a.replayed() {
		s.t.Errorf("corrected: %d %v", a.status, a.replayed())
	}
	for _, bad := range []string{"", strings.Repeat("k", 256), "two words", "\u00e9"} {
		s.repeat("/v1/audio/speech", key, bad, object{"input": "Hello."}).expect(s.t, 400, "invalid_parameter")
		s.repeat("/v1/text-to-speech/"+s.someVoice(), key, bad, object{"text": "Hello."}).expect(s.t, 422, "invalid_parameter")
	}
	if a := s.repeat("/v1/audio/speech", key, strings.Repeat("~", 255), object{"input": "Hello."}); a.status != 200 {
		s.t.Errorf("a key of 255 characters: %d %s", a.status, a.body)
	}
}

// repeatsDictionaries repeats requests that make and change a dictionary.
func (s *server) repeatsDictionaries(key string) {
	s.t.Helper()
	const base = "/v1/pronunciation-dictionaries"
	rules := func(alias string) object {
		return object{"name": "Words", "rules": []any{object{"string_to_replace": "API", "alias": alias}}}
	}
	var all sync.WaitGroup
	var made [20]answered
	for i := range made {
		all.Go(func() { made[i] = s.repeat(base+"/add-from-rules", key, "make", rules("A P I")) })
	}
	all.Wait()
	var d struct{ ID string }
	for _, a := range made {
		if a.status != 200 || a.body != made[0].body {
			s.t.Errorf("%s = %d %s, want %s", a.what, a.status, a.body, made[0].body)
		}
		_ = json.Unmarshal([]byte(a.body), &d)
	}
	first := s.repeat(base+"/"+d.ID+"/add-rules", key, "change", rules("a pea eye"))
	again := s.repeat(base+"/"+d.ID+"/add-rules", key, "change", rules("a pea eye"))
	if first.status != 200 || again.body != first.body || !again.replayed() {
		s.t.Errorf("edits: %d %s, then %d %s", first.status, first.body, again.status, again.body)
	}
	versions := s.ask(http.MethodGet, base+"/"+d.ID+"/versions", key, nil)
	if n := strings.Count(versions.body, `"version_id"`); n != 2 {
		s.t.Errorf("%d versions, want 2: %s", n, versions.body)
	}
	list := s.ask(http.MethodGet, base, key, nil)
	if n := strings.Count(list.body, `"name":"Words"`); n != 1 {
		s.t.Errorf("%d dictionaries, want 1: %s", n, list.body)
	}
}

// repeatsLarge repeats a request whose answer is too large to keep: it is made again, and not
// charged again.
func (s *server) repeatsLarge(key string) {
	s.t.Helper()
	body := object{"input": strings.Repeat("A long text is spoken here, and again. ", 60), "lang": "en", "sample_rate": 48000}
	first := s.repeat("/v1/audio/speech", key, "large", body)
	used := s.usage(key).Month.Used
	again := s.repeat("/v1/audio/speech", key, "large", body)
	if len(first.body) <= 4<<20 || first.body != again.body || first.replayed() || !again.replayed() || !strings.Contains(again.header.Get("X-Notice"), "not charged") {
		s.t.Errorf("%d bytes, then %d, replayed %v, notice %q", len(first.body), len(again.body), again.replayed(), again.header.Get("X-Notice"))
	}
	if now := s.usage(key).Month.Used; now != used {
		s.t.Errorf("made again, it was charged %d", now-used)
	}
	other := s.repeat("/v1/audio/speech", key, "large", object{"input": "Other."})
	other.expect(s.t, 422, "idempotency_key_reuse")
}

// repeatsForGone repeats a stream whose client left after its first bytes: the repeat gets all
// of it, and both are charged once.
func (s *server) repeatsForGone(key string) {
	s.t.Helper()
	text := strings.Repeat("The client leaves, and the speech goes on. ", 8)
	before := s.usage(key).Month.Used
	ctx, leave := context.WithCancel(s.t.Context())
	defer leave()
	sent, err := json.Marshal(object{"input": text, "lang": "en", "response_format": "pcm", "stream": true})
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.public+"/v1/audio/speech", bytes.NewReader(sent))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", "gone")
	r.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		s.t.Error(err)
	}
	leave()
	_ = resp.Body.Close()
	a := s.repeat("/v1/audio/speech", key, "gone", object{"input": text, "lang": "en", "response_format": "pcm", "stream": true})
	whole := s.repeat("/v1/audio/speech", key, "gone-not", object{"input": text, "lang": "en", "response_format": "pcm", "stream": true})
	if a.status != 200 || a.body != whole.body || a.body == "" {
		s.t.Errorf("after the client left: %d, %d bytes, want %d", a.status, len(a.body), len(whole.body))
	}
	// The JSON encoder sorts the members of an object, as repeat does, so the bodies are equal.
	if used := s.usage(key).Month.Used - before; used != int64(2*len(text)) {
		s.t.Errorf("charged %d for two texts of %d", used, len(text))
	}
}

// caught waits until a request with an idempotency key runs; false when it was answered before that
// could be seen.
func caught(t *testing.T, db *sql.DB, done <-chan answered) bool {
	t.Helper()
	for {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM idempotent_requests WHERE status = 0").Scan(&n); err != nil {
			t.Fatal(err)
		}
		select {
		case a := <-done:
			a.expect(t, http.StatusOK, "")
			return false
		default:
		}
		if n > 0 {
			return true
		}
	}
}

// TestLengthyIdempotencyKilled kills the server that runs a request, at a moment that differs
// each time: the repeat on another server gets the answer, and the text is charged once.
func TestLengthyIdempotencyKilled(t *testing.T) {
	slow(t)
	t.Parallel()
	f := startFleet(t, 2, 100)
	db, err := sql.Open("pgx", f.dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	text := strings.Repeat("A server dies while it speaks. ", 6)
	spoken := 0
	for i := range 3 {
		var name string
		body := map[string]any{"input": text, "lang": "en", "response_format": "pcm", "stream": i == 1}
		victim := f.servers[0]
		for runs := false; !runs; {
			spoken++
			name = fmt.Sprint("killed-", spoken)
			done := make(chan answered, 1)
			go func() { done <- victim.repeat("/v1/audio/speech", victim.key, name, body) }()
			if i == 2 {
				<-done // it has answered, and may be killed before it has kept the answer
				break
			}
			runs = caught(t, db, done)
		}
		_ = victim.cmd.Process.Signal(syscall.SIGKILL)
		<-victim.done
		a := f.servers[1].repeat("/v1/audio/speech", victim.key, name, body)
		if a.status == http.StatusConflict {
			a = f.servers[1].repeat("/v1/audio/speech", victim.key, name, body)
		}
		if a.status != 200 || len(a.body) == 0 {
			t.Errorf("the repeat = %d %.200s", a.status, a.body)
		}
		again := &server{t: t, dir: victim.dir, env: victim.env, key: victim.key}
		again.serve() // which posts what the old one has left in its backlog
		f.servers[0] = again
		soon(t, "the charge", func() bool { return f.charged() == int64(spoken*len(text)) })
		if a := again.repeat("/v1/audio/speech", again.key, name, body); a.status != 200 || !a.replayed() {
			t.Errorf("the second repeat = %d, replayed %v", a.status, a.replayed())
		}
	}
	if n := f.charged(); n != int64(spoken*len(text)) {
		t.Errorf("charged %d, want %d", n, spoken*len(text))
	}
}

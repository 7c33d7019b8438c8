package main

import (
	"database/sql"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver sqlite
)

// TestLengthySlowCommit has another process keep the database's lock for a second, again and
// again, while streams begin: none is refused, and all are charged.
func TestLengthySlowCommit(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	s.vaak("plan", "set", "large", "--characters", "1000000", "--rpm", "1000000", "--streams", "100")
	s.key = s.vaak("key", "create", "--org", s.vaak("org", "create", "Large", "--plan", "large"))
	small := s.vaak("key", "create", "--org", s.vaak("org", "create", "Small", "--plan", "starter"))
	const text = "The lighthouse keeper waits."
	s.say(s.key, text).expect(t, http.StatusOK, "") // which tells the balance

	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "vaak.db")+"?_pragma=busy_timeout(60000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	done := make(chan struct{})
	var locker sync.WaitGroup
	locker.Go(func() {
		for {
			tx, err := db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Errorf("lock: %v", err)
				return
			}
			<-time.After(time.Second) // what the commits of others wait for
			if err := tx.Rollback(); err != nil {
				t.Errorf("unlock: %v", err)
			}
			select {
			case <-done:
				return
			case <-time.After(150 * time.Millisecond):
			}
		}
	})
	var mu sync.Mutex
	var first []time.Duration
	var spoken atomic.Int64
	var clients sync.WaitGroup
	for range 6 {
		clients.Go(func() {
			for n := 0; n < 8; n++ {
				began := time.Now()
				resp, err := http.DefaultClient.Do(s.request(t.Context(), map[string]any{"input": text, "lang": "en", "response_format": "pcm", "stream": true}))
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.ReadFull(resp.Body, make([]byte, 1))
				took := time.Since(began)
				body, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if strings.Contains(string(body), "overloaded") { // by what else the machine does
					n--
					continue
				}
				if resp.StatusCode != http.StatusOK || err != nil {
					t.Errorf("a stream was answered %d, %v: %s", resp.StatusCode, err, body[:min(len(body), 200)])
					continue
				}
				spoken.Add(int64(len(text)))
				mu.Lock()
				first = append(first, took)
				mu.Unlock()
			}
		})
	}
	clients.Go(func() { // one whose balance is too small to be started on is waited for
		s.say(small, text).expect(t, http.StatusOK, "")
	})
	clients.Wait()
	close(done)
	locker.Wait()
	slices.Sort(first)
	if len(first) > 0 {
		t.Logf("%d streams: first audio after %v at the median, %v at the 99th percentile", len(first), first[len(first)/2], first[len(first)*99/100])
	}
	want := spoken.Load() + int64(len(text))
	if !eventually(func() bool { return s.usage(s.key).Month.Used == want }) {
		t.Errorf("%d characters are charged, want %d", s.usage(s.key).Month.Used, want)
	}
	if got := s.usage(small).Month.Used; got != int64(len(text)) {
		t.Errorf("the small organisation is charged %d characters, want %d", got, len(text))
	}
	s.stop()
}

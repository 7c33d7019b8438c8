package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// successor starts another server on the same data and addresses.
func (s *server) successor() *server {
	s.t.Helper()
	next := *s
	next.serve("--listen", strings.TrimPrefix(s.public, "http://"), "--admin-listen", strings.TrimPrefix(s.admin, "http://"))
	return &next
}

// rolling is what goes on while servers are replaced.
type rolling struct {
	first              *server
	want               []byte // of a long stream
	requests, streams  atomic.Int64
	toRequest, toSpeak int64
	fresh              http.Client // has a new connection for each request
}

func (r *rolling) enough() bool {
	return r.requests.Load() >= r.toRequest && r.streams.Load() >= r.toSpeak
}

// ask sends one short request on a connection of its own.
func (r *rolling) ask() error {
	resp, err := r.fresh.Do(r.first.request(context.Background(), map[string]any{"input": "Hello.", "response_format": "pcm"}))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || len(b) == 0) {
		err = fmt.Errorf("status %d, %d bytes", resp.StatusCode, len(b))
	}
	r.requests.Add(1)
	return err
}

// listen takes a long stream in, a bit at a time, as a listener does.
func (r *rolling) listen() error {
	resp, err := r.fresh.Do(r.first.request(context.Background(), story1000))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var got bytes.Buffer
	for err == nil {
		<-tick.C
		_, err = io.CopyN(&got, resp.Body, 1<<15)
	}
	r.streams.Add(1)
	if err != io.EOF || !bytes.Equal(got.Bytes(), r.want) {
		return fmt.Errorf("%w after %d of %d bytes", err, got.Len(), len(r.want))
	}
	return nil
}

var story1000 = map[string]any{"input": strings.Repeat(story, 9), "stream": true, "response_format": "pcm", "lang": "en"}

// roll replaces servers under load.
func roll(t *testing.T, restarts, requests, streams int64) {
	rolled := int64(0)
	s := start(t)
	r := &rolling{first: s, want: s.mustSpeak(story1000), toRequest: requests, toSpeak: streams}
	r.fresh.Transport = &http.Transport{DisableKeepAlives: true}
	var done atomic.Bool
	var load sync.WaitGroup
	for i := range 8 {
		act := r.ask
		if i%2 == 0 {
			act = r.listen
		}
		load.Go(func() {
			for !done.Load() && !t.Failed() {
				if err := act(); err != nil {
					t.Errorf("after %d requests and %d streams: %v", r.requests.Load(), r.streams.Load(), err)
				}
			}
		})
	}
	defer load.Wait()
	defer done.Store(true)
	for current := s; ; rolled++ {
		if rolled >= restarts && r.enough() || t.Failed() {
			done.Store(true)
			load.Wait()
			current.stop()
			break
		}
		next := current.successor()
		current.stop()
		current = next
	}
	t.Logf("%d restarts, %d requests, %d streams", rolled, r.requests.Load(), r.streams.Load())
}

func TestLengthyRollingRestartLosesNothing(t *testing.T) {
	slow(t)
	roll(t, 3, 300, 20)
}

// TestSoakRolling is the same for long.
func TestSoakRolling(t *testing.T) {
	soak(t)
	roll(t, 20, 10_000, 200)
}

// TestStrangerIsRefused starts a server of another database, by mistake, at the
// addresses of one that runs.
func TestStrangerIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	stranger := *s
	stranger.dir = t.TempDir()
	stranger.env = append(append(os.Environ(), s.env...), "VAAK_DATA_DIR="+stranger.dir)
	for _, flags := range [][]string{
		{"--listen", strings.TrimPrefix(s.public, "http://"), "--admin-listen", "127.0.0.1:0"},
		{"--listen", "127.0.0.1:0", "--admin-listen", strings.TrimPrefix(s.admin, "http://")},
	} {
		status, stderr := stranger.fails(append([]string{"serve"}, flags...)...)
		if status != 1 || !strings.Contains(stderr, "address already in use") {
			t.Errorf("serve %q = %d, %s; want 1 and that the address is in use", flags, status, stderr)
		}
	}
	s.mustSpeak(map[string]any{"input": "Alone."})
}

// TestNotReadyAtOnce: who asks while a server drains is told.
func TestNotReadyAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	resp, err := http.DefaultClient.Do(s.request(t.Context(), long(story)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ready := func() int {
		resp, err := http.Get(s.admin + "/readyz")
		if err != nil {
			return 0
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	if !eventually(func() bool { return ready() == http.StatusServiceUnavailable }) {
		t.Errorf("/readyz of a server that drains = %d, want 503", ready())
	}
}

// TestDrainTimeout: a listener that takes forever does not keep a server.
func TestDrainTimeout(t *testing.T) {
	t.Parallel()
	s := start(t, "--drain-timeout", "500ms")
	resp, err := http.DefaultClient.Do(s.request(t.Context(), long(story)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_ = s.end(syscall.SIGTERM)
	if status := s.cmd.ProcessState.ExitCode(); status != 1 || !strings.Contains(s.log.String(), "drain timeout") {
		t.Errorf("exit %d, want 1 and why; log: %s", status, s.log)
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ask asks the listener for operators. The connection is not kept, so that it is
// not among what is counted.
func (s *server) ask(ctx context.Context, path string) ([]byte, error) {
	if s.admin == "" {
		return nil, fmt.Errorf("%s has no listener for operators", s.name)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.admin+path, nil)
	if err != nil {
		return nil, err
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: status %d", path, resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}

// parseMetric finds the value of a metric without labels.
func parseMetric(text []byte, name string) (float64, error) {
	for sc := bufio.NewScanner(bytes.NewReader(text)); sc.Scan(); {
		if rest, ok := strings.CutPrefix(sc.Text(), name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(rest), 64)
		}
	}
	return 0, fmt.Errorf("no metric %q", name)
}

// holdings is what a server holds at one moment.
type holdings struct {
	goroutines, sockets, speakers int
	rss, heap                     int64 // bytes; heap is what is in use of it, stacks too
}

func (s *server) holdings(ctx context.Context) (holdings, error) {
	text, err := s.ask(ctx, "/metrics")
	if err != nil {
		return holdings{}, err
	}
	var h holdings
	for name, take := range map[string]func(float64){
		"go_goroutines":                 func(v float64) { h.goroutines = int(v) },
		"go_memstats_heap_inuse_bytes":  func(v float64) { h.heap += int64(v) },
		"go_memstats_stack_inuse_bytes": func(v float64) { h.heap += int64(v) },
	} {
		v, err := parseMetric(text, name)
		if err != nil {
			return h, err
		}
		take(v)
	}
	sockets, err := openSockets(s.pid())
	if err != nil {
		return h, err
	}
	speakers, err := s.utterances()
	if err != nil {
		return h, err
	}
	m, err := readMemory(s.pid())
	h.sockets, h.speakers, h.rss = sockets, len(speakers), m.rss<<10
	return h, err
}

// exceeds reports whether a server holds more than before of what must be given
// back.
func (h holdings) exceeds(before holdings) bool {
	return h.goroutines > before.goroutines || h.sockets > before.sockets || h.speakers > before.speakers
}

// collect has a server collect its garbage. It must have been started with
// profiles, one of which does that first.
func (s *server) collect(ctx context.Context) error {
	_, err := s.ask(ctx, "/debug/pprof/heap?gc=1")
	return err
}

// steady returns what a server holds once that has not changed for a while.
func (s *server) steady(ctx context.Context) (holdings, error) {
	const look, while = 100 * time.Millisecond, 2 * time.Second
	var last holdings
	for since, began := time.Now(), time.Now(); time.Since(since) < while && time.Since(began) < restTime; pause(ctx, look) {
		h, err := s.holdings(ctx)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return h, err
		}
		if h.goroutines != last.goroutines || h.sockets != last.sockets || h.speakers != last.speakers {
			since = time.Now()
		}
		last = h
	}
	return last, nil
}

// restTime is how long a server may take to give back what it holds.
const restTime = 10 * time.Second

// settle returns what a server holds once that is no more than before, or what
// it still holds after [restTime].
func (s *server) settle(ctx context.Context, before holdings) (holdings, error) {
	for deadline := time.Now().Add(restTime); ; pause(ctx, 100*time.Millisecond) {
		h, err := s.holdings(ctx)
		if err != nil || !h.exceeds(before) || time.Now().After(deadline) {
			return h, err
		}
		if ctx.Err() != nil {
			return h, ctx.Err()
		}
	}
}

// openSockets counts those of a process. Its other open files come and go with
// the connections to its database.
func openSockets(pid int) (n int, err error) {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, err := os.ReadDir(dir)
	for _, f := range files {
		// One that was closed meanwhile is none.
		if to, err := os.Readlink(filepath.Join(dir, f.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n, err
}

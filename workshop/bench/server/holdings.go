package server

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
func (s *Server) ask(ctx context.Context, path string) ([]byte, error) {
	if s.admin == "" {
		return nil, fmt.Errorf("%s has no listener for operators", s.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
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

// Holdings is what a server holds at one moment.
type Holdings struct {
	Goroutines, Sockets, Speakers int
	RSS, Heap                     int64 // bytes; heap is what is in use of it, stacks too
}

func (s *Server) holdings(ctx context.Context) (Holdings, error) {
	text, err := s.ask(ctx, "/metrics")
	if err != nil {
		return Holdings{}, err
	}
	var h Holdings
	for name, take := range map[string]func(float64){
		"go_goroutines":                 func(v float64) { h.Goroutines = int(v) },
		"go_memstats_heap_inuse_bytes":  func(v float64) { h.Heap += int64(v) },
		"go_memstats_stack_inuse_bytes": func(v float64) { h.Heap += int64(v) },
	} {
		v, err := parseMetric(text, name)
		if err != nil {
			return h, err
		}
		take(v)
	}
	sockets, err := openSockets(s.Pid())
	if err != nil {
		return h, err
	}
	speakers, err := s.Utterances()
	if err != nil {
		return h, err
	}
	m, err := readMemory(s.Pid())
	h.Sockets, h.Speakers, h.RSS = sockets, len(speakers), m.rss<<10
	return h, err
}

// exceeds reports whether a server holds more than before of what must be given
// back.
func (h Holdings) exceeds(before Holdings) bool {
	return h.Goroutines > before.Goroutines || h.Sockets > before.Sockets || h.Speakers > before.Speakers
}

// collect has a server collect its garbage. It must have been started with
// profiles, one of which does that first.
func (s *Server) collect(ctx context.Context) error {
	_, err := s.ask(ctx, "/debug/pprof/heap?gc=1")
	return err
}

// Steady returns what a server holds once that has not changed for a while.
func (s *Server) Steady(ctx context.Context) (Holdings, error) {
	const look, while = 100 * time.Millisecond, 2 * time.Second
	var last Holdings
	for since, began := time.Now(), time.Now(); time.Since(since) < while && time.Since(began) < RestTime; Pause(ctx, look) {
		h, err := s.holdings(ctx)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return h, err
		}
		if h.Goroutines != last.Goroutines || h.Sockets != last.Sockets || h.Speakers != last.Speakers {
			since = time.Now()
		}
		last = h
	}
	return last, nil
}

// RestTime is how long a server may take to give back what it holds.
const RestTime = 10 * time.Second

// Settle returns what a server holds once that is no more than before, or what
// it still holds after [restTime].
func (s *Server) Settle(ctx context.Context, before Holdings) (Holdings, error) {
	for deadline := time.Now().Add(RestTime); ; Pause(ctx, 100*time.Millisecond) {
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

// Lean returns what a server holds: what is resident as it is, and the heap
// without garbage.
func (s *Server) Lean(ctx context.Context) (Holdings, error) {
	h, err := s.holdings(ctx)
	if err == nil {
		err = s.collect(ctx)
	}
	if err != nil {
		return h, err
	}
	clean, err := s.holdings(ctx)
	h.Heap = clean.Heap
	return h, err
}

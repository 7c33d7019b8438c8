package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// visit says how a crowd of listeners comes and how long it stays.
type visit struct {
	arrive time.Duration // all come within it, at random
	speech time.Duration // how long a text sounds, about
	strict bool          // the first refusal, underrun or broken stream ends it
	weigh  bool          // the server's memory is looked at when all have come
}

// turnout is what became of a crowd.
type turnout struct {
	clients  int
	first    []time.Duration // of those that were admitted: until the first byte of audio
	refusals []time.Duration // of those that were refused: until the answer
	broken   []error         // of those that got neither, or no end
	heard    heard

	wall   time.Duration // from the start until the last had left
	used   usage
	memory footprint
}

// good reports whether everyone heard everything in time.
func (t turnout) good() bool {
	return len(t.first) == t.clients && len(t.broken) == 0 && t.heard.troubled == 0 && t.heard.streams == t.clients
}

// crowd is many listeners on their way.
type crowd struct {
	server   *server
	requests [][]byte
	player   *player
	trouble  func() // ends a strict visit; else nil

	mu     sync.Mutex
	result turnout
}

// attend has a crowd come, one text for each, and waits until all have left.
func attend(ctx context.Context, s *server, texts []sample, v visit) (turnout, error) {
	if err := errors.Join(enoughFiles(len(texts)), s.waitIdle()); err != nil {
		return turnout{}, err
	}
	before, err := s.usage()
	if err != nil {
		return turnout{}, err
	}
	staying, leave := context.WithCancel(ctx)
	defer leave()
	c := &crowd{server: s, result: turnout{clients: len(texts)}}
	if v.strict {
		c.trouble = leave
	}
	for _, t := range texts {
		c.requests = append(c.requests, s.request(t))
	}
	c.player = newPlayer(c.trouble)
	began := time.Now()
	coming := c.gather(staying, v.arrive)
	if v.weigh {
		pause(staying, v.arrive)
		c.result.memory, err = s.footprint()
	}
	coming.Wait()
	defer context.AfterFunc(staying, func() { c.player.stop() })()
	c.result.heard = c.player.finish()
	c.result.wall = time.Since(began)
	c.result.broken = append(c.result.broken, c.result.heard.broken...)
	err = errors.Join(err, ctx.Err(), s.waitIdle())
	after, uerr := s.usage()
	c.result.used = after.since(before)
	return c.result, errors.Join(err, uerr)
}

// gather has everyone set out at their time, and returns what to wait for until
// all have been admitted or have not.
func (c *crowd) gather(ctx context.Context, within time.Duration) *sync.WaitGroup {
	var coming sync.WaitGroup
	began := time.Now()
	for i, at := range arrivals(len(c.requests), within) {
		coming.Go(func() {
			pause(ctx, time.Until(began.Add(at)))
			if ctx.Err() != nil {
				return
			}
			if err := c.come(ctx, c.requests[i]); err != nil && ctx.Err() == nil {
				c.note(func(t *turnout) { t.broken = append(t.broken, err) })
				c.complain()
			}
		})
	}
	return &coming
}

// arrivals returns the times at which n listeners come: the gaps are exponential,
// as those of strangers are, scaled so that the last one comes in time. They are
// the same in every run.
func arrivals(n int, within time.Duration) []time.Duration {
	const seed = 5
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	sums, sum := make([]float64, n), 0.0
	for i := range sums {
		sum += random.ExpFloat64()
		sums[i] = sum
	}
	times := make([]time.Duration, n)
	for i := range times {
		times[i] = time.Duration(sums[i] / sum * float64(within))
	}
	return times
}

// come is one listener: it connects, asks, and has what it gets played.
func (c *crowd) come(ctx context.Context, request []byte) error {
	began := time.Now()
	conn, err := connect(c.server, &afar)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, conn.close)()
	status, err := conn.send(request)
	if err != nil {
		conn.close()
		return err
	}
	if status == http.StatusServiceUnavailable && conn.retry {
		took := time.Since(began)
		conn.close()
		c.note(func(t *turnout) { t.refusals = append(t.refusals, took) })
		c.complain()
		return nil
	}
	l, err := open(conn, c.server, status)
	if err != nil {
		conn.close()
		return err
	}
	took := l.playback.due.Add(-block).Sub(began)
	c.note(func(t *turnout) { t.first = append(t.first, took) })
	c.player.add(l)
	return nil
}

func (c *crowd) note(what func(*turnout)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	what(&c.result)
}

// complain ends a strict visit.
func (c *crowd) complain() {
	if c.trouble != nil {
		c.trouble()
	}
}

// pause waits, but not longer than the context lives.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// enoughFiles says whether so many connections may be open. The runtime has
// raised the limit as far as it goes.
func enoughFiles(connections int) error {
	const others = 100
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("getrlimit: %w", err)
	}
	if limit.Cur < uint64(connections+others) {
		return fmt.Errorf("%d connections need more than the %d open files that are allowed: raise ulimit -n", connections, limit.Cur)
	}
	return nil
}

package listeners

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/server"
)

// Visit says how a crowd of listeners comes and how long it stays.
type Visit struct {
	Arrive time.Duration // all come within it, at random
	Speech time.Duration // how long a text sounds, about
	Brief  bool          // when the first text has sounded, what is left is read as fast as it comes
	Strict bool          // the first refusal, underrun or broken stream ends it
	Weigh  bool          // the server's memory is looked at when all have come
}

// Turnout is what became of a crowd.
type Turnout struct {
	Clients  int
	First    []time.Duration // of those that were admitted: until the first byte of audio
	Refusals []time.Duration // of those that were refused: until the answer
	Broken   []error         // of those that got neither, or no end
	Heard    Heard

	Busiest float64       // of the time while they came, the greatest share of all cores that was in use, over busySpan
	Wall    time.Duration // from the start until the last had left
	Used    server.Usage
	Memory  server.Footprint
}

// Good reports whether everyone heard everything in time.
func (t Turnout) Good() bool {
	return len(t.First) == t.Clients && len(t.Broken) == 0 && t.Heard.Troubled == 0 && t.Heard.streams == t.Clients
}

// crowd is many listeners on their way.
type crowd struct {
	server   *server.Server
	requests [][]byte
	player   *player
	trouble  func() // ends a strict visit; else nil

	mu     sync.Mutex
	result Turnout
}

// Attend has a crowd come, one text for each, and waits until all have left.
func Attend(ctx context.Context, s *server.Server, texts []corpus.Sample, v Visit) (Turnout, error) {
	if err := errors.Join(EnoughFiles(len(texts)), s.WaitIdle()); err != nil {
		return Turnout{}, err
	}
	before, err := s.Usage()
	if err != nil {
		return Turnout{}, err
	}
	staying, leave := context.WithCancel(ctx)
	defer leave()
	c := &crowd{server: s, result: Turnout{Clients: len(texts)}}
	if v.Strict {
		c.trouble = leave
	}
	for _, t := range texts {
		c.requests = append(c.requests, s.Request(t))
	}
	c.player = newPlayer(c.trouble)
	began := time.Now()
	coming := c.gather(staying, v.Arrive)
	busiest := watchCores(staying, began.Add(v.Arrive))
	if v.Weigh {
		server.Pause(staying, v.Arrive)
		c.result.Memory, err = s.Footprint()
	}
	coming.Wait()
	c.result.Busiest = <-busiest
	defer context.AfterFunc(staying, func() { c.player.stop() })()
	if v.Brief {
		server.Pause(staying, time.Until(began.Add(max(v.Arrive, v.Speech))))
		c.player.hurry()
	}
	c.result.Heard = c.player.finish()
	c.result.Wall = time.Since(began)
	c.result.Broken = append(c.result.Broken, c.result.Heard.Broken...)
	err = errors.Join(err, ctx.Err(), s.WaitIdle())
	after, uerr := s.Usage()
	c.result.Used = after.Since(before)
	return c.result, errors.Join(err, uerr)
}

// busySpan is how long the cores must be in use to count as busy.
const busySpan = 3 * time.Second

// watchCores looks at the cores until a time, and then sends the greatest share that was in use
// over busySpan.
func watchCores(ctx context.Context, until time.Time) <-chan float64 {
	found := make(chan float64, 1)
	go func() {
		const step = busySpan / 3
		seen, busiest := []server.Ticks{server.ReadTicks()}, 0.0
		for time.Now().Before(until) && ctx.Err() == nil {
			server.Pause(ctx, step)
			seen = append(seen, server.ReadTicks())
			if n := len(seen) - 1; n >= 3 {
				busiest = max(busiest, seen[n].Since(seen[n-3]).Busy())
			}
		}
		found <- busiest
	}()
	return found
}

// gather has everyone set out at their time, and returns what to wait for until
// all have been admitted or have not.
func (c *crowd) gather(ctx context.Context, within time.Duration) *sync.WaitGroup {
	var coming sync.WaitGroup
	began := time.Now()
	for i, at := range Arrivals(len(c.requests), within) {
		coming.Go(func() {
			server.Pause(ctx, time.Until(began.Add(at)))
			if ctx.Err() != nil {
				return
			}
			if err := c.come(ctx, c.requests[i]); err != nil && ctx.Err() == nil {
				c.note(func(t *Turnout) { t.Broken = append(t.Broken, err) })
				c.complain()
			}
		})
	}
	return &coming
}

// Arrivals returns the times at which n listeners come: the gaps are exponential,
// as those of strangers are, scaled so that the last one comes in time. They are
// the same in every run.
func Arrivals(n int, within time.Duration) []time.Duration {
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
	conn, err := client.Connect(c.server, &client.Afar)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, conn.Close)()
	status, err := conn.Send(request)
	if err != nil {
		conn.Close()
		return err
	}
	if status == http.StatusServiceUnavailable && conn.Retry {
		took := time.Since(began)
		conn.Close()
		c.note(func(t *Turnout) { t.Refusals = append(t.Refusals, took) })
		c.complain()
		return nil
	}
	l, err := open(conn, c.server, status)
	if err != nil {
		conn.Close()
		return err
	}
	took := l.playback.due.Add(-Block).Sub(began)
	c.note(func(t *Turnout) { t.First = append(t.First, took) })
	c.player.add(l)
	return nil
}

func (c *crowd) note(what func(*Turnout)) {
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

// EnoughFiles says whether so many connections may be open. The runtime has
// raised the limit as far as it goes.
func EnoughFiles(connections int) error {
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

// Verdict says in a word how a crowd fared.
func (t Turnout) Verdict() string {
	switch {
	case t.Good():
		return "good"
	case len(t.Broken) > 0:
		return "broken"
	case len(t.Refusals) > 0:
		return "refused"
	default:
		return "underrun"
	}
}

// String tells of a crowd in one line.
func (t Turnout) String() string {
	h := t.Heard
	return fmt.Sprintf("%d came, %d admitted (first byte p50 %s, p99 %s), %d refused, %d broken %.200v, %d with underruns (%d, worst %s), in %.1f s, CPU %.1f s, clients %.1f s and %.1f %% late by up to %s",
		t.Clients, len(t.First), report.Millis(report.Percentile(t.First, 0.5)), report.Millis(report.Percentile(t.First, 0.99)), len(t.Refusals), len(t.Broken), errors.Join(t.Broken...),
		h.Troubled, h.Underruns, report.Millis(h.Worst), t.Wall.Seconds(), (t.Used.Server + t.Used.Speakers).Seconds(), t.Used.Clients.Seconds(), 100*h.Tardiness(), report.Millis(h.Latest))
}

// Share returns which part of all cores something took.
func (t Turnout) Share(used time.Duration) float64 {
	return used.Seconds() / max(t.Wall.Seconds(), 1e-9) / float64(runtime.NumCPU())
}

package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// idleLimit is what an idle socket may cost, in KiB.
const idleLimit = 100

// crew is sockets that are open and idle.
type crew struct {
	sockets []*socket
	readers sync.WaitGroup
	last    atomic.Int64 // when a frame last came, in ns of Unix time
	lost    atomic.Int64 // sockets that the server has closed
	leaving atomic.Bool
}

// open opens a socket, says something and goes on reading it.
func (c *crew) open(s *server.Server, path string, say []message) error {
	k, err := dialSocket(s, path, &net.Dialer{})
	if err != nil {
		return err
	}
	c.sockets = append(c.sockets, k)
	for _, m := range say {
		if err := k.send(m); err != nil {
			return err
		}
	}
	c.last.Store(time.Now().UnixNano())
	if len(say) > 0 {
		if err := k.firstAudio(); err != nil {
			return err
		}
	}
	c.readers.Go(func() {
		for {
			if _, err := k.quiet(); err != nil {
				break
			}
			c.last.Store(time.Now().UnixNano())
		}
		if !c.leaving.Load() {
			c.lost.Add(1)
		}
	})
	return nil
}

// quiet is next for a socket on which nothing need come.
func (k *socket) quiet() (int, error) {
	if err := k.ws.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
	}
	_, b, err := k.ws.ReadMessage()
	return len(b), err
}

// calm waits until nothing has come for a while.
func (c *crew) calm(ctx context.Context) {
	const quiet = time.Second
	for time.Since(time.Unix(0, c.last.Load())) < quiet && ctx.Err() == nil {
		server.Pause(ctx, quiet/10)
	}
}

// close leaves all sockets.
func (c *crew) close() {
	c.leaving.Store(true)
	for _, k := range c.sockets {
		k.close()
	}
	c.readers.Wait()
}

// Memory measures what sockets cost on which nothing happens.
func Memory(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	list, err := sentences()
	if err != nil {
		return nil, err
	}
	text := list[0].text() + " "
	kinds := []struct {
		name, path string
		say        []message
	}{
		{"native, no text yet", socketPath(nativeSocket, "inactivity_timeout", "180"), nil},
		{"multi-stream-input, a context that has spoken", socketPath(multiSocket, "inactivity_timeout", "180"), []message{{"text": text, "context_id": "a", "flush": true}}},
	}
	n := b.Plan.LiveIdle
	out := &report.Table{Header: []string{"sockets", "server before, MiB", "with them, MiB", "goroutines a socket", "heap and stacks a socket, KiB", "resident a socket, KiB"}}
	for _, k := range kinds {
		before, after, err := weighIdle(ctx, b, k.path, k.say, n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		each := func(bytes int64) float64 { return float64(bytes) / 1024 / float64(n) }
		heap, rss := each(after.Heap-before.Heap), each(after.RSS-before.RSS)
		out.Add(fmt.Sprintf("%s: %d", k.name, n), report.Mebibytes(before.RSS>>10), report.Mebibytes(after.RSS>>10),
			report.Ratio(float64(after.Goroutines-before.Goroutines)/float64(n)), report.Ratio(heap), report.Ratio(rss))
		name := fmt.Sprintf("Live, %s, %d idle: KiB a socket, ", k.name, n)
		report.AtMost(&b.Report, name+"resident", rss, idleLimit, report.Ratio)
		report.AtMost(&b.Report, name+"heap and stacks", heap, idleLimit, report.Ratio)
	}
	return []report.Part{
		report.Prose("Sockets that are open and on which nothing happens, each kind on a server of its own that has just been started and has served a few of that kind: " +
			"what the server keeps for later of what it has needed before would hide the growth. What is resident has garbage in it, too; the heap was collected for the look. Buffers of the sockets are the kernel's and not in it."),
		out,
	}, nil
}

// weighIdle looks at a new server before and after so many sockets were opened.
func weighIdle(ctx context.Context, b *rig.Bench, path string, say []message, n int) (before, after server.Holdings, err error) {
	if err := listeners.EnoughFiles(n); err != nil {
		return before, after, err
	}
	s, err := b.Another(ctx)
	if err != nil {
		return before, after, err
	}
	defer s.Stop()
	const few = 10
	if _, err = holdIdle(ctx, s, path, say, few); err != nil {
		return before, after, err
	}
	if before, err = s.Lean(ctx); err != nil {
		return before, after, err
	}
	after, err = holdIdle(ctx, s, path, say, n)
	return before, after, err
}

// holdIdle returns what a server holds while so many sockets are idle.
func holdIdle(ctx context.Context, s *server.Server, path string, say []message, n int) (server.Holdings, error) {
	var c crew
	defer c.close()
	for i := range n {
		if err := errors.Join(ctx.Err(), c.open(s, path, say)); err != nil {
			return server.Holdings{}, fmt.Errorf("socket %d of %d: %w", i+1, n, err)
		}
	}
	c.calm(ctx)
	h, err := s.Lean(ctx)
	if lost := c.lost.Load(); err == nil && lost > 0 {
		err = fmt.Errorf("the server has closed %d of %d idle sockets", lost, n)
	}
	return h, err
}

package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// speakAll has every client speak the text so many times, one after the other,
// and returns the bytes of all bodies without their headers. All answers must
// have the same length.
func speakAll(s *server, t sample, clients, times int) (int64, error) {
	request := s.request(t)
	var total, length atomic.Int64
	var g group
	for range clients {
		g.Go(func() error {
			c, err := dial(s)
			if err != nil {
				return err
			}
			defer c.close()
			for range times {
				n, err := c.whole(request)
				if err != nil {
					return err
				}
				if !length.CompareAndSwap(0, n) && length.Load() != n {
					return fmt.Errorf("answers to one request have %d and %d bytes", length.Load(), n)
				}
				total.Add(n - int64(s.header))
			}
			return nil
		})
	}
	err := g.Wait()
	if err != nil {
		err = fmt.Errorf("%s, %d clients: %w", s.name, clients, err)
	}
	return total.Load(), err
}

// stretch is what happened in a stretch of time with clients that never pause.
type stretch struct {
	audio  float64 // seconds received
	wall   time.Duration
	served time.Duration // processor time of the server, its workers and utterances
	load   time.Duration // processor time of this process, which is the clients
}

// sustain lets the clients speak the text over and over and looks at a stretch
// of it that begins after warm.
func sustain(s *server, t sample, clients int, warm, length time.Duration) (stretch, error) {
	request := s.request(t)
	var received atomic.Int64
	var stopped atomic.Bool
	var g group
	failed := make(chan struct{})
	var fail sync.Once
	var all []*client
	for range clients {
		c, err := dial(s)
		if err != nil {
			return stretch{}, err
		}
		all = append(all, c)
	}
	for _, c := range all {
		g.Go(func() error {
			for {
				err := c.ask(request)
				if err == nil {
					_, err = c.count(func(n int) { received.Add(int64(n)) })
				}
				if stopped.Load() {
					return nil // whatever went wrong, it was the stop
				}
				if err != nil {
					fail.Do(func() { close(failed) })
					return err
				}
			}
		})
	}
	st, err := observe(s, &received, failed, warm, length)
	stopped.Store(true)
	for _, c := range all {
		c.close()
	}
	if err := errors.Join(g.Wait(), err, s.waitIdle()); err != nil {
		return st, fmt.Errorf("%s, %d clients: %w", s.name, clients, err)
	}
	return st, nil
}

// observe takes the differences between two moments.
func observe(s *server, received *atomic.Int64, failed <-chan struct{}, warm, length time.Duration) (stretch, error) {
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-failed:
		}
	}
	wait(warm)
	began, err := look(s, received)
	if err != nil {
		return stretch{}, err
	}
	wait(length)
	ended, err := look(s, received)
	return stretch{
		audio:  s.seconds(ended.bytes - began.bytes),
		wall:   ended.at.Sub(began.at),
		served: ended.served - began.served,
		load:   ended.load - began.load,
	}, err
}

type moment struct {
	at           time.Time
	bytes        int64
	served, load time.Duration
}

func look(s *server, received *atomic.Int64) (moment, error) {
	served, err := s.runningCPU()
	if err != nil {
		return moment{}, err
	}
	load, err := ownTime()
	return moment{time.Now(), received.Load(), served, load}, err
}

// audience is streams that are played.
type audience struct{ player *player }

// listen opens so many streams of the text, spread over one second, and returns
// when all run at playback speed.
func listen(s *server, t sample, n int) (*audience, error) {
	a, err := assemble(s, t, n)
	if err != nil {
		return nil, err
	}
	if err := s.calm(); err != nil {
		return nil, errors.Join(err, a.stop(s))
	}
	return a, nil
}

// assemble is listen that does not wait until the server's buffers are full.
func assemble(s *server, t sample, n int) (*audience, error) {
	a := &audience{newPlayer(nil)}
	request := s.request(t)
	for i := range n {
		if err := a.join(s, request); err != nil {
			err = fmt.Errorf("%s, stream %d of %d: %w", s.name, i+1, n, err)
			return nil, errors.Join(err, a.stop(s))
		}
		nap(time.Second / time.Duration(n))
	}
	return a, nil
}

// join opens one stream more.
func (a *audience) join(s *server, request []byte) error {
	c, err := dialAfar(s)
	if err != nil {
		return err
	}
	status, err := c.send(request)
	if err != nil {
		c.close()
		return err
	}
	l, err := open(c, s, status)
	if err != nil {
		c.close()
		return err
	}
	a.player.add(l)
	return nil
}

// stop leaves all streams and waits until the server has seen it.
func (a *audience) stop(s *server) error {
	h := a.player.stop()
	err := errors.Join(h.broken...)
	if h.streams > 0 {
		err = errors.Join(err, errors.New("a stream ended while it was to be listened to"))
	}
	return errors.Join(err, s.waitIdle())
}

// calm returns when the server is busy for less than half of what the cores
// could do: at first it fills the buffers of its streams as fast as it can.
func (s *server) calm() error {
	const look = 200 * time.Millisecond
	before, err := s.runningCPU()
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		time.Sleep(look)
		now, err := s.runningCPU()
		if err != nil {
			return err
		}
		if now-before < look*time.Duration(runtime.NumCPU())/2 {
			return nil
		}
		before = now
	}
	return fmt.Errorf("%s does not come to rest", s.name)
}

package client

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/server"
)

// SpeakAll has every client speak the text so many times, one after the other,
// and returns the bytes of all bodies without their headers. All answers must
// have the same length.
func SpeakAll(s *server.Server, t corpus.Sample, clients, times int) (int64, error) {
	request := s.Request(t)
	var total, length atomic.Int64
	var g Group
	for range clients {
		g.Go(func() error {
			c, err := Dial(s)
			if err != nil {
				return err
			}
			defer c.Close()
			for range times {
				n, err := c.Whole(request)
				if err != nil {
					return err
				}
				if !length.CompareAndSwap(0, n) && length.Load() != n {
					return fmt.Errorf("answers to one request have %d and %d bytes", length.Load(), n)
				}
				total.Add(n - int64(s.Header))
			}
			return nil
		})
	}
	err := g.Wait()
	if err != nil {
		err = fmt.Errorf("%s, %d clients: %w", s.Name, clients, err)
	}
	return total.Load(), err
}

// stretch is what happened in a stretch of time with clients that never pause.
type stretch struct {
	Audio  float64 // seconds received
	Wall   time.Duration
	Served time.Duration // processor time of the server, its workers and utterances
	Load   time.Duration // processor time of this process, which is the clients
}

// Sustain lets the clients speak the text over and over and looks at a stretch
// of it that begins after warm.
func Sustain(s *server.Server, t corpus.Sample, clients int, warm, length time.Duration) (stretch, error) {
	request := s.Request(t)
	var received atomic.Int64
	var stopped atomic.Bool
	var g Group
	failed := make(chan struct{})
	var fail sync.Once
	var all []*Client
	for range clients {
		c, err := Dial(s)
		if err != nil {
			return stretch{}, err
		}
		all = append(all, c)
	}
	for _, c := range all {
		g.Go(func() error {
			for {
				err := c.Ask(request)
				if err == nil {
					_, err = c.Count(func(n int) { received.Add(int64(n)) })
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
		c.Close()
	}
	if err := errors.Join(g.Wait(), err, s.WaitIdle()); err != nil {
		return st, fmt.Errorf("%s, %d clients: %w", s.Name, clients, err)
	}
	return st, nil
}

// observe takes the differences between two moments.
func observe(s *server.Server, received *atomic.Int64, failed <-chan struct{}, warm, length time.Duration) (stretch, error) {
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
		Audio:  s.Seconds(ended.bytes - began.bytes),
		Wall:   ended.at.Sub(began.at),
		Served: ended.served - began.served,
		Load:   ended.load - began.load,
	}, err
}

type moment struct {
	at           time.Time
	bytes        int64
	served, load time.Duration
}

func look(s *server.Server, received *atomic.Int64) (moment, error) {
	served, err := s.RunningCPU()
	if err != nil {
		return moment{}, err
	}
	load, err := library.OwnTime()
	return moment{time.Now(), received.Load(), served, load}, err
}

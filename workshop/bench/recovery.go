package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// bystanders is how many streams run when the worker is killed.
const bystanders = 8

// recovery kills Vaak's worker and measures what that costs those who are
// served and the one who asks next.
func recovery(ctx context.Context, b *bench) ([]part, error) {
	const wanted = 50 * time.Millisecond
	long, err := newSample(english, 5000)
	if err != nil {
		return nil, err
	}
	short, err := newSample(english, 20)
	if err != nil {
		return nil, err
	}
	length, err := bodyLength(b.vaak, long)
	if err != nil {
		return nil, err
	}
	out := &table{header: []string{"kill", "first audio just before", "first audio of the next request", "streams that ran on to their last byte"}}
	worst, lost := time.Duration(0), 0
	for i := range b.plan.kills {
		before, after, intact, err := killUnder(b.vaak, long, short, length)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		worst, lost = max(worst, after), lost+bystanders-intact
		out.add(fmt.Sprint(i+1), millis(before), millis(after), fmt.Sprintf("%d of %d", intact, bystanders))
	}
	atMost(&b.report, "The worker is killed: first audio of the next request, worst", worst, wanted, millis)
	atMost(&b.report, "The worker is killed: streams that it cost", float64(lost), 0, whole)
	return []part{
		prose(fmt.Sprintf("`kill -9` of Vaak's worker process while %d streams of 5,000 characters run, whose buffers are full, then at once a request of 20 characters on another connection. "+
			"A worker that dies often is replaced after a pause, which grows, so later kills cost more.", bystanders)),
		out,
	}, nil
}

func bodyLength(s *server, t sample) (int64, error) {
	c, err := dial(s)
	if err != nil {
		return 0, err
	}
	defer c.close()
	return c.whole(s.request(t))
}

// killUnder returns the time to first audio of the last request before the kill
// and of the first after it, and how many of the streams that ran got all of
// their bytes.
func killUnder(s *server, long, short sample, length int64) (before, after time.Duration, intact int, err error) {
	var streams []*client
	defer func() {
		for _, c := range streams {
			c.close()
		}
	}()
	for range bystanders {
		c, err := dialAfar(s)
		if err != nil {
			return 0, 0, 0, err
		}
		streams = append(streams, c)
		if err := c.ask(s.request(long)); err != nil {
			return 0, 0, 0, err
		}
	}
	if err := s.calm(); err != nil {
		return 0, 0, 0, err
	}
	c, err := dial(s)
	if err != nil {
		return 0, 0, 0, err
	}
	defer c.close()
	if before, err = c.firstOf(s, short); err != nil {
		return 0, 0, 0, err
	}
	if err := s.killWorkers(); err != nil {
		return 0, 0, 0, err
	}
	if after, err = c.firstOf(s, short); err != nil {
		return 0, 0, 0, fmt.Errorf("the request after the kill: %w", err)
	}
	for _, c := range streams {
		if n, err := c.count(nil); err == nil && n == length {
			intact++
		}
	}
	return before, after, intact, s.waitIdle()
}

// firstOf is first, with the rest of the response read too.
func (c *client) firstOf(s *server, t sample) (time.Duration, error) {
	d, err := c.first(s.request(t), s.header)
	if err != nil {
		return 0, err
	}
	return d, c.drain()
}

func (s *server) killWorkers() error {
	workers, err := s.workers()
	if err != nil {
		return err
	}
	if len(workers) == 0 {
		return errors.New("there is no worker to kill")
	}
	for _, pid := range workers {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return fmt.Errorf("kill the worker: %w", err)
		}
	}
	return nil
}

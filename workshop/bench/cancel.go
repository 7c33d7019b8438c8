package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// cancelling measures how long a process goes on speaking to a client that has
// left.
func cancelling(ctx context.Context, b *bench) ([]part, error) {
	const wanted = 10 * time.Millisecond
	t, err := newSample(english, 5000)
	if err != nil {
		return nil, err
	}
	names := []string{"nothing else", fmt.Sprintf("%d streams at playback speed", b.plan.streams)}
	out := &table{header: []string{"meanwhile", "naive p50", "naive p99", "Vaak p50", "Vaak p99"}}
	for i, name := range names {
		row := []string{name}
		for _, s := range []*server{b.naive, b.vaak} {
			times, err := leaveUnder(ctx, s, t, i*b.plan.streams, b.plan)
			if err != nil {
				return nil, err
			}
			row = append(row, millis(percentile(times, 0.5)), millis(percentile(times, 0.99)))
			if s == b.vaak {
				atMost(&b.report, "A client leaves: its process is gone, p99, meanwhile "+name, percentile(times, 0.99), wanted, millis)
			}
		}
		out.add(row...)
	}
	return []part{
		prose(fmt.Sprintf("From the client closing its connection until the process that spoke to it has ended, %d times. "+
			"The text has 5,000 characters; the client reads for up to 20 ms and leaves.", b.plan.cancels)),
		out,
	}, nil
}

// leaveUnder takes the times of clients that leave while streams run.
func leaveUnder(ctx context.Context, s *server, t sample, streams int, p plan) ([]time.Duration, error) {
	if err := s.waitIdle(); err != nil {
		return nil, err
	}
	a, err := listen(s, t, streams)
	if err != nil {
		return nil, err
	}
	if streams > 0 {
		if err := s.settled(); err != nil {
			return nil, errors.Join(err, a.stop(s))
		}
	}
	var times []time.Duration
	for i := 0; i < p.cancels && err == nil; i++ {
		var d time.Duration
		// From 0 to 20 ms in an order without a pattern.
		d, err = leave(s, t, time.Duration(i*7%20)*time.Millisecond)
		times = append(times, d)
		nap(p.rest)
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		err = fmt.Errorf("%s, under %d streams: %w", s.name, streams, err)
	}
	return times, errors.Join(err, a.stop(s))
}

// leave begins a stream, reads it for a while, closes the connection and
// returns the time until every process that spoke to it has ended.
func leave(s *server, t sample, after time.Duration) (time.Duration, error) {
	others, err := s.utterances()
	if err != nil {
		return 0, err
	}
	c, err := dial(s)
	if err != nil {
		return 0, err
	}
	defer c.close() // again does no harm
	if _, err := c.first(s.request(t), s.header); err != nil {
		return 0, err
	}
	for until := time.Now().Add(after); time.Now().Before(until); {
		if _, err := c.next(); err != nil {
			return 0, err
		}
	}
	speaker, err := s.newcomer(others)
	for err == nil && speaker == none { // one part of the text is done, the next not begun
		if _, err = c.next(); err == nil {
			speaker, err = s.newcomer(others)
		}
	}
	if err != nil {
		return 0, err
	}
	began := time.Now()
	c.close()
	err = speaker.await()
	return time.Since(began), err
}

// settled waits until no stream has gone on to the next part of its text, and
// so to another process, for two seconds.
func (s *server) settled() error {
	var last []int
	for since, began := time.Now(), time.Now(); time.Since(since) < 2*time.Second; nap(100 * time.Millisecond) {
		now, err := s.utterances()
		if err != nil {
			return err
		}
		slices.Sort(now)
		if !slices.Equal(now, last) {
			last, since = now, time.Now()
		}
		if time.Since(began) > time.Minute {
			return errors.New("streams do not settle")
		}
	}
	return nil
}

// process is a process by its descriptor, which no later one can take over.
type process int

// none is no process.
const none process = -1

// newcomer returns a process that speaks and is not among the others, or none.
// Its descriptor belongs to the caller.
func (s *server) newcomer(others []int) (process, error) {
	now, err := s.utterances()
	if err != nil {
		return none, err
	}
	for _, pid := range now {
		if slices.Contains(others, pid) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return none, fmt.Errorf("pidfd of %d: %w", pid, err)
		}
		return process(fd), nil
	}
	return none, nil
}

// await returns when the process has ended, whether or not its parent knows
// it yet, and closes its descriptor.
func (p process) await() error {
	defer unix.Close(int(p))
	fds := []unix.PollFd{{Fd: int32(p), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, int(patience.Milliseconds()))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n == 0 {
			err = errors.New("a process speaks on after its client has left")
		}
		return err
	}
}

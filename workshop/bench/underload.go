package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// underLoad measures the time to first audio of those who come while others
// listen.
func underLoad(ctx context.Context, b *bench) ([]part, error) {
	long, err := newSample(english, 5000)
	if err != nil {
		return nil, err
	}
	out := &table{header: []string{"streams at playback speed", "first audio p50", "p90", "p99", "longest", "streams with underruns"}}
	for _, n := range b.plan.loads {
		times, heard, err := arriveUnder(ctx, b.vaak, long, n, b.plan.underLoad)
		if err != nil {
			return nil, fmt.Errorf("under %d streams: %w", n, err)
		}
		out.add(fmt.Sprint(n), millis(percentile(times, 0.5)), millis(percentile(times, 0.9)), millis(percentile(times, 0.99)), millis(percentile(times, 1)), fmt.Sprint(heard.troubled))
	}
	return []part{
		prose(fmt.Sprintf("Vaak, English, pcm. While so many streams of 5,000 characters are played, whose buffers are full, requests of 200 characters come one at a time on a kept-alive connection, %d of them, each for a text of its own "+
			"and %s after the last byte of the one before.", b.plan.underLoad, betweenRequests)),
		out,
	}, nil
}

// betweenRequests is the pause of one who asks again and again.
const betweenRequests = 20 * time.Millisecond

// arriveUnder returns the times to first audio of requests that come while n
// streams are played, and what those heard.
func arriveUnder(ctx context.Context, s *server, long sample, n, requests int) (times []time.Duration, h heard, err error) {
	if err := s.waitIdle(); err != nil {
		return nil, h, err
	}
	a, err := listen(s, long, n)
	if err != nil {
		return nil, h, err
	}
	c, err := dial(s)
	if err != nil {
		return nil, h, errors.Join(err, a.stop(s))
	}
	defer c.close()
	for i := range requests {
		var took [2]time.Duration
		if took, err = c.timed(ctx, s, i); err != nil {
			break
		}
		times = append(times, took[0])
	}
	err = errors.Join(err, a.stop(s))
	return times, a.player.heard, err
}

// timed sends a short request, the text of which is that listener's only, and
// returns the times until the first audio and until the last.
func (c *client) timed(ctx context.Context, s *server, listener int) (took [2]time.Duration, err error) {
	t, err := newShuffled(english, 200, listener)
	if err != nil {
		return took, err
	}
	pause(ctx, betweenRequests)
	if err := ctx.Err(); err != nil {
		return took, err
	}
	began := time.Now()
	if took[0], err = c.first(s.request(t), s.header); err != nil {
		return took, err
	}
	err = c.drain()
	took[1] = time.Since(began)
	return took, err
}

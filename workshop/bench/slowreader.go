package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// slowSips is how often a slow reader takes a byte.
const slowSips = time.Second

// neighbours is how many clients send short requests beside slow readers.
const neighbours = 4

// slowReading measures what readers that hardly read cost the others.
func slowReading(ctx context.Context, b *bench) ([]part, error) {
	const wanted = 2.0
	counts := []int{0, b.plan.slowReaders}
	var first, last [2]rounds
	for round := range b.plan.rounds {
		for i := range counts {
			i = (i + round) % len(counts) // neither always goes first
			f, l, err := beside(ctx, b.vaak, counts[i], b.plan.slowRequests)
			if err != nil {
				return nil, fmt.Errorf("beside %d slow readers: %w", counts[i], err)
			}
			first[i], last[i] = append(first[i], f), append(last[i], l)
		}
	}
	out := &table{header: []string{"slow readers", "first audio p50", "p99", "whole p50", "p99"}}
	for i, n := range counts {
		out.add(fmt.Sprint(n), millis(first[i].p50()), millis(first[i].p99()), millis(last[i].p50()), millis(last[i].p99()))
	}
	name := fmt.Sprintf("Beside %d readers of a byte a second ÷ without: ", b.plan.slowReaders)
	atMost(&b.report, name+"first audio p99", over(first[1].p99(), first[0].p99()), wanted, ratio)
	atMost(&b.report, name+"whole p99", over(last[1].p99(), last[0].p99()), wanted, ratio)
	return []part{
		prose(fmt.Sprintf("%d clients send requests of 200 characters (English, pcm, streamed), each for a text of its own and %s after the answer to the one before, %d for every figure. "+
			"Slow readers have asked for 5,000 characters and take a byte a second, through receive buffers of 128 KiB.",
			neighbours, betweenRequests, first[0].count())),
		out,
	}, nil
}

// beside returns the times until the first audio and until the last of requests
// beside so many slow readers.
func beside(ctx context.Context, s *server, slow, requests int) (first, last []time.Duration, err error) {
	if err := s.waitIdle(); err != nil {
		return nil, nil, err
	}
	long, err := newSample(english, 5000)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var readers group
	for range slow {
		c, err := dialAfar(s)
		if err != nil {
			cancel()
			return nil, nil, errors.Join(err, readers.Wait())
		}
		readers.Go(func() error { return c.sip(ctx, s.request(long)) })
	}
	err = s.calm()
	var mu sync.Mutex
	var others group
	for i := range neighbours {
		others.Go(func() error {
			c, err := dial(s)
			if err != nil {
				return err
			}
			defer c.close()
			for j := range requests {
				took, err := c.timed(ctx, s, i*requests+j)
				if err != nil {
					return err
				}
				mu.Lock()
				first, last = append(first, took[0]), append(last, took[1])
				mu.Unlock()
			}
			return nil
		})
	}
	err = errors.Join(err, others.Wait())
	cancel()
	return first, last, errors.Join(err, readers.Wait(), s.waitIdle())
}

// sip asks, reads a byte now and then until the context ends, and closes the
// connection.
func (c *client) sip(ctx context.Context, request []byte) error {
	defer c.close()
	if err := c.ask(request); err != nil {
		return err
	}
	var one [1]byte
	for ctx.Err() == nil {
		if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		if _, err := c.conn.Read(one[:]); err != nil {
			return fmt.Errorf("a slow reader: %w", err)
		}
		pause(ctx, slowSips)
	}
	return nil
}

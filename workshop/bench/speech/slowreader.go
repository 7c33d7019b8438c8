package speech

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// neighbours is how many clients send short requests beside slow readers.
const neighbours = 4

// SlowReaders measures what readers that hardly read cost the others.
func SlowReaders(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	const wanted = 2.0
	counts := []int{0, b.Plan.SlowReaders}
	var first, last [2]report.Rounds
	for round := range b.Plan.Rounds {
		for i := range counts {
			i = (i + round) % len(counts) // neither always goes first
			f, l, err := beside(ctx, b.Vaak, counts[i], b.Plan.SlowRequests)
			if err != nil {
				return nil, fmt.Errorf("beside %d slow readers: %w", counts[i], err)
			}
			first[i], last[i] = append(first[i], f), append(last[i], l)
		}
	}
	out := &report.Table{Header: []string{"slow readers", "first audio p50", "p99", "whole p50", "p99"}}
	for i, n := range counts {
		out.Add(fmt.Sprint(n), report.Millis(first[i].P50()), report.Millis(first[i].P99()), report.Millis(last[i].P50()), report.Millis(last[i].P99()))
	}
	name := fmt.Sprintf("Beside %d readers of a byte a second ÷ without: ", b.Plan.SlowReaders)
	report.AtMost(&b.Report, name+"first audio p99", report.Over(first[1].P99(), first[0].P99()), wanted, report.Ratio)
	report.AtMost(&b.Report, name+"whole p99", report.Over(last[1].P99(), last[0].P99()), wanted, report.Ratio)
	return []report.Part{
		report.Prose(fmt.Sprintf("%d clients send requests of 200 characters (English, pcm, streamed), each for a text of its own and %s after the answer to the one before, %d for every figure. "+
			"Slow readers have asked for 5,000 characters and take a byte a second, through receive buffers of 128 KiB.",
			neighbours, client.BetweenRequests, first[0].Count())),
		out,
	}, nil
}

// beside returns the times until the first audio and until the last of requests
// beside so many slow readers.
func beside(ctx context.Context, s *server.Server, slow, requests int) (first, last []time.Duration, err error) {
	if err := s.WaitIdle(); err != nil {
		return nil, nil, err
	}
	long, err := corpus.New(corpus.English, 5000)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var readers client.Group
	for range slow {
		c, err := client.DialAfar(s)
		if err != nil {
			cancel()
			return nil, nil, errors.Join(err, readers.Wait())
		}
		readers.Go(func() error { return c.Sip(ctx, s.Request(long)) })
	}
	err = s.Calm()
	var mu sync.Mutex
	var others client.Group
	for i := range neighbours {
		others.Go(func() error {
			c, err := client.Dial(s)
			if err != nil {
				return err
			}
			defer c.Close()
			for j := range requests {
				took, err := c.Timed(ctx, s, i*requests+j)
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
	return first, last, errors.Join(err, readers.Wait(), s.WaitIdle())
}

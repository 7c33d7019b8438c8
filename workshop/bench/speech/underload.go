package speech

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// UnderLoad measures the time to first audio of those who come while others
// listen.
func UnderLoad(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	long, err := corpus.New(corpus.English, 5000)
	if err != nil {
		return nil, err
	}
	out := &report.Table{Header: []string{"streams at playback speed", "first audio p50", "p90", "p99", "longest", "streams with underruns"}}
	for _, n := range b.Plan.Loads {
		times, heard, err := arriveUnder(ctx, b.Vaak, long, n, b.Plan.UnderLoad)
		if err != nil {
			return nil, fmt.Errorf("under %d streams: %w", n, err)
		}
		out.Add(fmt.Sprint(n), report.Millis(report.Percentile(times, 0.5)), report.Millis(report.Percentile(times, 0.9)), report.Millis(report.Percentile(times, 0.99)), report.Millis(report.Percentile(times, 1)), fmt.Sprint(heard.Troubled))
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("Vaak, English, pcm. While so many streams of 5,000 characters are played, whose buffers are full, requests of 200 characters come one at a time on a kept-alive connection, %d of them, each for a text of its own "+
			"and %s after the last byte of the one before.", b.Plan.UnderLoad, client.BetweenRequests)),
		out,
	}, nil
}

// arriveUnder returns the times to first audio of requests that come while n
// streams are played, and what those heard.
func arriveUnder(ctx context.Context, s *server.Server, long corpus.Sample, n, requests int) (times []time.Duration, h listeners.Heard, err error) {
	if err := s.WaitIdle(); err != nil {
		return nil, h, err
	}
	a, err := listeners.Gather(s, long, n)
	if err != nil {
		return nil, h, err
	}
	c, err := client.Dial(s)
	if err != nil {
		return nil, h, errors.Join(err, a.Stop(s))
	}
	defer c.Close()
	for i := range requests {
		var took [2]time.Duration
		if took, err = c.Timed(ctx, s, i); err != nil {
			break
		}
		times = append(times, took[0])
	}
	err = errors.Join(err, a.Stop(s))
	return times, a.Player.Heard, err
}

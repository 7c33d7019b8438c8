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

// Cancel measures how long a process goes on speaking to a client that has
// left.
func Cancel(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	const wanted = 10 * time.Millisecond
	t, err := corpus.New(corpus.English, 5000)
	if err != nil {
		return nil, err
	}
	names := []string{"nothing else", fmt.Sprintf("%d streams at playback speed", b.Plan.Streams)}
	out := &report.Table{Header: []string{"meanwhile", "naive p50", "naive p99", "Vaak p50", "Vaak p99"}}
	for i, name := range names {
		row := []string{name}
		for _, s := range []*server.Server{b.Naive, b.Vaak} {
			times, err := leaveUnder(ctx, s, t, i*b.Plan.Streams, b.Plan)
			if err != nil {
				return nil, err
			}
			row = append(row, report.Millis(report.Percentile(times, 0.5)), report.Millis(report.Percentile(times, 0.99)))
			if s == b.Vaak {
				report.AtMost(&b.Report, "A client leaves: its process is gone, p99, meanwhile "+name, report.Percentile(times, 0.99), wanted, report.Millis)
			}
		}
		out.Add(row...)
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("From the client closing its connection until the process that spoke to it has ended, %d times. "+
			"The text has 5,000 characters; the client reads for up to 20 ms and leaves.", b.Plan.Cancels)),
		out,
	}, nil
}

// leaveUnder takes the times of clients that leave while streams run.
func leaveUnder(ctx context.Context, s *server.Server, t corpus.Sample, streams int, p rig.Plan) ([]time.Duration, error) {
	if err := s.WaitIdle(); err != nil {
		return nil, err
	}
	a, err := listeners.Gather(s, t, streams)
	if err != nil {
		return nil, err
	}
	if streams > 0 {
		if err := s.Settled(); err != nil {
			return nil, errors.Join(err, a.Stop(s))
		}
	}
	var times []time.Duration
	for i := 0; i < p.Cancels && err == nil; i++ {
		var d time.Duration
		// From 0 to 20 ms in an order without a pattern.
		d, err = leave(s, t, time.Duration(i*7%20)*time.Millisecond)
		times = append(times, d)
		server.Nap(p.Rest)
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		err = fmt.Errorf("%s, under %d streams: %w", s.Name, streams, err)
	}
	return times, errors.Join(err, a.Stop(s))
}

// leave begins a stream, reads it for a while, closes the connection and
// returns the time until every process that spoke to it has ended.
func leave(s *server.Server, t corpus.Sample, after time.Duration) (time.Duration, error) {
	others, err := s.Utterances()
	if err != nil {
		return 0, err
	}
	c, err := client.Dial(s)
	if err != nil {
		return 0, err
	}
	defer c.Close() // again does no harm
	if _, err := c.First(s.Request(t), s.Header); err != nil {
		return 0, err
	}
	for until := time.Now().Add(after); time.Now().Before(until); {
		if _, err := c.Next(); err != nil {
			return 0, err
		}
	}
	speaker, err := s.Newcomer(others)
	for err == nil && speaker == server.None { // one part of the text is done, the next not begun
		if _, err = c.Next(); err == nil {
			speaker, err = s.Newcomer(others)
		}
	}
	if err != nil {
		return 0, err
	}
	began := time.Now()
	c.Close()
	err = speaker.Await()
	return time.Since(began), err
}

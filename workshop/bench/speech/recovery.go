package speech

import (
	"context"
	"fmt"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// bystanders is how many streams run when the worker is killed.
const bystanders = 8

// Recovery kills Vaak's worker and measures what that costs those who are
// served and the one who asks next.
func Recovery(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	const wanted = 50 * time.Millisecond
	long, err := corpus.New(corpus.English, 5000)
	if err != nil {
		return nil, err
	}
	short, err := corpus.New(corpus.English, 20)
	if err != nil {
		return nil, err
	}
	length, err := BodyLength(b.Vaak, long)
	if err != nil {
		return nil, err
	}
	out := &report.Table{Header: []string{"kill", "first audio just before", "first audio of the next request", "streams that ran on to their last byte"}}
	worst, lost := time.Duration(0), 0
	for i := range b.Plan.Kills {
		before, after, intact, err := killUnder(b.Vaak, long, short, length)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		worst, lost = max(worst, after), lost+bystanders-intact
		out.Add(fmt.Sprint(i+1), report.Millis(before), report.Millis(after), fmt.Sprintf("%d of %d", intact, bystanders))
	}
	report.AtMost(&b.Report, "The worker is killed: first audio of the next request, worst", worst, wanted, report.Millis)
	report.AtMost(&b.Report, "The worker is killed: streams that it cost", float64(lost), 0, report.Whole)
	return []report.Part{
		report.Prose(fmt.Sprintf("`kill -9` of Vaak's worker process while %d streams of 5,000 characters run, whose buffers are full, then at once a request of 20 characters on another connection. "+
			"A worker that dies often is replaced after a pause, which grows, so later kills cost more.", bystanders)),
		out,
	}, nil
}

func BodyLength(s *server.Server, t corpus.Sample) (int64, error) {
	c, err := client.Dial(s)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	return c.Whole(s.Request(t))
}

// killUnder returns the time to first audio of the last request before the kill
// and of the first after it, and how many of the streams that ran got all of
// their bytes.
func killUnder(s *server.Server, long, short corpus.Sample, length int64) (before, after time.Duration, intact int, err error) {
	var streams []*client.Client
	defer func() {
		for _, c := range streams {
			c.Close()
		}
	}()
	for range bystanders {
		c, err := client.DialAfar(s)
		if err != nil {
			return 0, 0, 0, err
		}
		streams = append(streams, c)
		if err := c.Ask(s.Request(long)); err != nil {
			return 0, 0, 0, err
		}
	}
	if err := s.Calm(); err != nil {
		return 0, 0, 0, err
	}
	c, err := client.Dial(s)
	if err != nil {
		return 0, 0, 0, err
	}
	defer c.Close()
	if before, err = c.FirstOf(s, short); err != nil {
		return 0, 0, 0, err
	}
	if err := s.KillWorkers(); err != nil {
		return 0, 0, 0, err
	}
	if after, err = c.FirstOf(s, short); err != nil {
		return 0, 0, 0, fmt.Errorf("the request after the kill: %w", err)
	}
	for _, c := range streams {
		if n, err := c.Count(nil); err == nil && n == length {
			intact++
		}
	}
	return before, after, intact, s.WaitIdle()
}

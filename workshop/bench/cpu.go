package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// cpuClients is how many clients speak at once while processor time is taken.
const cpuClients = 8

// cpuCase is a text whose processor time is measured.
type cpuCase struct {
	sample
	rounds   int
	requests int     // over all clients, a round
	limit    float64 // how many times the bare sum Vaak may take

	pcm  []int16 // what the library makes of the text
	rate int     // of pcm, Hz

	library, resampler, naive, vaak []time.Duration // per second of audio, round by round
	ratios                          []float64
}

// processor measures the processor time of a second of audio.
func processor(ctx context.Context, b *bench) ([]part, error) {
	cases, err := cpuCases(b.plan)
	if err != nil {
		return nil, err
	}
	for i := range b.plan.cpuRounds {
		for _, c := range cases {
			if i >= c.rounds {
				continue
			}
			if err := c.round(ctx, b); err != nil {
				return nil, err
			}
		}
	}
	t := &table{header: []string{"language, characters", "bare library", "bare resampler", "bare sum", "naive", "Vaak", "Vaak ÷ bare sum", "in the rounds"}}
	for _, c := range cases {
		library, resampler := median(c.library), median(c.resampler)
		t.add(fmt.Sprintf("%s, %s", c.lang.name, characters(c.size)), micros(library), micros(resampler), micros(library+resampler),
			micros(median(c.naive)), micros(median(c.vaak)), ratio(median(c.ratios)),
			ratio(slices.Min(c.ratios))+" to "+ratio(slices.Max(c.ratios)))
		atMost(&b.report, fmt.Sprintf("Processor time ÷ bare sum, %s, %s characters", c.lang.name, characters(c.size)),
			median(c.ratios), c.limit, ratio)
	}
	return []part{
		prose(fmt.Sprintf("Microseconds of processor time per second of audio, with %d clients that each send one request after the other; "+
			"%d rounds in English, %d in the other languages. "+
			"The bare sum is the library alone on the same text, plus the resampler alone, 22,050 to 24,000 Hz, fed from memory "+
			"with the library's samples in frames of %s. The library is measured just before and just after Vaak, since the speed of a "+
			"machine that is shared drifts. The naive server does not resample.", cpuClients, cases[0].rounds, cases[1].rounds, characters(chunk))),
		t,
	}, nil
}

func cpuCases(p plan) ([]*cpuCase, error) {
	var cases []*cpuCase
	add := func(l language, size, rounds, requests int, limit float64) error {
		t, err := newSample(l, size)
		cases = append(cases, &cpuCase{sample: t, rounds: rounds, requests: requests, limit: limit})
		return err
	}
	for i, l := range languages {
		rounds := p.rounds
		if i == 0 {
			rounds = p.cpuRounds
		}
		if err := add(l, 5000, rounds, p.cpu5000, 1.4); err != nil {
			return nil, err
		}
	}
	if err := add(english, 200, p.cpuRounds, p.cpu200, 1.5); err != nil {
		return nil, err
	}
	return cases, add(english, 20, p.cpuRounds, p.cpu20, 2.5)
}

// round takes the figures of the servers and, around those of Vaak, the bare
// ones.
func (c *cpuCase) round(ctx context.Context, b *bench) (err error) {
	if c.pcm == nil {
		if c.pcm, c.rate, err = b.library.record(ctx, c.sample); err != nil {
			return err
		}
	}
	if len(c.naive) < b.plan.rounds {
		naive, err := c.serve(b.naive)
		if err != nil {
			return err
		}
		c.naive = append(c.naive, naive)
	}
	library, resampler, err := c.bare(ctx, b.library)
	if err != nil {
		return err
	}
	vaak, err := c.serve(b.vaak)
	if err != nil {
		return err
	}
	library2, resampler2, err := c.bare(ctx, b.library)
	if err != nil {
		return err
	}
	library, resampler = (library+library2)/2, (resampler+resampler2)/2
	c.library, c.resampler = append(c.library, library), append(c.resampler, resampler)
	c.vaak = append(c.vaak, vaak)
	c.ratios = append(c.ratios, over(vaak, library+resampler))
	return nil
}

// bareAudio is how many seconds of audio the library makes at least while it is
// measured.
const bareAudio = 500

// bare measures the library and the resampler, each alone.
func (c *cpuCase) bare(ctx context.Context, l library) (speaking, resampling time.Duration, err error) {
	times := bareAudio*c.rate/max(len(c.pcm), 1) + 1
	s, err := l.speak(ctx, c.sample, times, false, "")
	if err != nil {
		return 0, 0, err
	}
	resampling, err = resampleCost(c.pcm, c.rate, vaakRate)
	return s.cost().cpu, resampling, err
}

// serve has a server speak the text and returns what it took per second.
func (c *cpuCase) serve(s *server) (time.Duration, error) {
	used, bytes, err := s.spend(c.sample, c.requests/cpuClients)
	return perSecond(used, s.seconds(bytes)), err
}

// spend has the clients have the text spoken so many times each, and returns
// the processor time that it took and the bytes of audio that came of it.
func (s *server) spend(t sample, times int) (used time.Duration, bytes int64, err error) {
	if err := s.waitIdle(); err != nil {
		return 0, 0, err
	}
	began, err := s.reapedCPU()
	if err != nil {
		return 0, 0, err
	}
	if bytes, err = speakAll(s, t, cpuClients, times); err != nil {
		return 0, 0, err
	}
	if err := s.waitIdle(); err != nil {
		return 0, 0, err
	}
	ended, err := s.reapedCPU()
	return ended - began, bytes, err
}

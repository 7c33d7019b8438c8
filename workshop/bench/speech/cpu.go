package speech

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// cpuClients is how many clients speak at once while processor time is taken.
const cpuClients = 4

// cpuCase is a text whose processor time is measured.
type cpuCase struct {
	corpus.Sample
	rounds   int
	requests int     // over all clients, a round
	limit    float64 // how many times the bare sum Vaak may take

	pcm  []int16 // what the library makes of the text
	rate int     // of pcm, Hz

	library, resampler, naive, vaak []time.Duration // per second of audio, round by round
	ratios                          []float64
}

// Processor measures the processor time of a second of audio.
func Processor(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	cases, err := cpuCases(b.Plan)
	if err != nil {
		return nil, err
	}
	for i := range b.Plan.CpuRounds {
		for _, c := range cases {
			if i >= c.rounds {
				continue
			}
			if err := c.round(ctx, b); err != nil {
				return nil, err
			}
		}
	}
	t := &report.Table{Header: []string{"language, characters", "bare library", "bare resampler", "bare sum", "naive", "Vaak", "Vaak ÷ bare sum", "in the rounds"}}
	for _, c := range cases {
		library, resampler := report.Median(c.library), report.Median(c.resampler)
		t.Add(fmt.Sprintf("%s, %s", c.Lang.Name, report.Characters(c.Size)), report.Micros(library), report.Micros(resampler), report.Micros(library+resampler),
			report.Micros(report.Median(c.naive)), report.Micros(report.Median(c.vaak)), report.Ratio(report.Median(c.ratios)),
			report.Ratio(slices.Min(c.ratios))+" to "+report.Ratio(slices.Max(c.ratios)))
		report.AtMost(&b.Report, fmt.Sprintf("Processor time ÷ bare sum, %s, %s characters", c.Lang.Name, report.Characters(c.Size)),
			report.Median(c.ratios), c.limit, report.Ratio)
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("Microseconds of processor time per second of audio, with %d clients that each send one request after the other; "+
			"%d rounds in English, %d in the other languages. "+
			"The bare sum is the library alone on the same text, plus the resampler alone, 22,050 to 24,000 Hz, fed from memory "+
			"with the library's samples in frames of %s. The library is measured just before and just after Vaak, since the speed of a "+
			"machine that is shared drifts. The naive server does not resample.", cpuClients, cases[0].rounds, cases[1].rounds, report.Characters(library.Chunk))),
		t,
	}, nil
}

func cpuCases(p rig.Plan) ([]*cpuCase, error) {
	var cases []*cpuCase
	add := func(l corpus.Language, size, rounds, requests int, limit float64) error {
		t, err := corpus.New(l, size)
		cases = append(cases, &cpuCase{Sample: t, rounds: rounds, requests: requests, limit: limit})
		return err
	}
	for i, l := range corpus.Languages {
		rounds := p.Rounds
		if i == 0 {
			rounds = p.CpuRounds
		}
		if err := add(l, 5000, rounds, p.Cpu5000, 1.05); err != nil {
			return nil, err
		}
	}
	if err := add(corpus.English, 200, p.CpuRounds, p.Cpu200, 1.25); err != nil {
		return nil, err
	}
	return cases, add(corpus.English, 20, p.CpuRounds, p.Cpu20, 1.4)
}

// round takes the figures of the servers and, around those of Vaak, the bare
// ones.
func (c *cpuCase) round(ctx context.Context, b *rig.Bench) (err error) {
	if c.pcm == nil {
		if c.pcm, c.rate, err = b.Library.Record(ctx, c.Sample); err != nil {
			return err
		}
	}
	if len(c.naive) < b.Plan.Rounds {
		naive, err := c.serve(b.Naive)
		if err != nil {
			return err
		}
		c.naive = append(c.naive, naive)
	}
	library, resampler, err := c.bare(ctx, b.Library)
	if err != nil {
		return err
	}
	vaak, err := c.serve(b.Vaak)
	if err != nil {
		return err
	}
	library2, resampler2, err := c.bare(ctx, b.Library)
	if err != nil {
		return err
	}
	library, resampler = (library+library2)/2, (resampler+resampler2)/2
	c.library, c.resampler = append(c.library, library), append(c.resampler, resampler)
	c.vaak = append(c.vaak, vaak)
	c.ratios = append(c.ratios, report.Over(vaak, library+resampler))
	return nil
}

// bare measures the library and the resampler, each alone.
func (c *cpuCase) bare(ctx context.Context, l library.Library) (speaking, resampling time.Duration, err error) {
	times := library.BareAudio*c.rate/max(len(c.pcm), 1) + 1
	s, err := l.Speak(ctx, c.Sample, times, false, "")
	if err != nil {
		return 0, 0, err
	}
	resampling, err = library.ResampleCost(c.pcm, c.rate, server.VaakRate)
	return s.Cost().CPU, resampling, err
}

// serve has a server speak the text and returns what it took per second.
func (c *cpuCase) serve(s *server.Server) (time.Duration, error) {
	used, bytes, err := spend(s, c.Sample, c.requests/cpuClients)
	return library.PerSecond(used, s.Seconds(bytes)), err
}

// spend has the clients have the text spoken so many times each, and returns
// the processor time that it took and the bytes of audio that came of it.
func spend(s *server.Server, t corpus.Sample, times int) (used time.Duration, bytes int64, err error) {
	if err := s.WaitIdle(); err != nil {
		return 0, 0, err
	}
	began, err := s.ReapedCPU()
	if err != nil {
		return 0, 0, err
	}
	if bytes, err = client.SpeakAll(s, t, cpuClients, times); err != nil {
		return 0, 0, err
	}
	if err := s.WaitIdle(); err != nil {
		return 0, 0, err
	}
	ended, err := s.ReapedCPU()
	return ended - began, bytes, err
}

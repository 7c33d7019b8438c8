// Package growth measures figures against what they might grow with, at sizes a decade apart, and
// finds by which power they do.
package growth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// Measure measures all that grows.
func Measure(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	all := []report.Part{report.Prose("Each figure at sizes that are a decade apart, and the power of the size with which it grows: the slope of a line through the logarithms, by least squares. " +
		"0 is a figure that stays, 1 one that grows as its size does, 2 a quadratic one. A fixed cost can hide what grows at all sizes but the largest, so the last step counts too, by itself; " +
		fmt.Sprintf("it has %.1f more, since two figures alone hold more noise. ", lastSlack) +
		fmt.Sprintf("Processor time is that of the server process, to the nanosecond, unless it says otherwise; the least of %d blocks of %s of requests on one kept-alive connection, since garbage is collected in some.", blocks, b.Plan.GrowthBlock))}
	for _, measure := range []func(context.Context, *rig.Bench) ([]series, string, error){texts, crowds} {
		found, prose, err := measure(ctx, b)
		if err != nil {
			return nil, err
		}
		all = append(all, tell(b, found, prose)...)
	}
	g, err := newGround(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, a := range axes(b.Plan) {
		found, err := g.measure(ctx, a)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("%s: %w", a.of, err)
		}
		all = append(all, tell(b, found, a.prose)...)
	}
	return all, nil
}

// tell notes the targets of series of one size and prints them.
func tell(b *rig.Bench, found []series, prose string) []report.Part {
	for _, s := range found {
		s.judge(&b.Report)
		fmt.Fprintf(b.Log, "        %s by %s: %.4g, exponent %.2f, last %.2f\n", s.figure, s.of, s.values, s.whole(), s.last())
	}
	return []report.Part{report.Prose(prose), table(found)}
}

// blocks is how often the processor time of requests is taken.
const blocks = 3

// processor has requests made for a while and returns the processor time of a server that one takes,
// in µs: the least of the blocks, as what disturbs one only adds to it. A block is long enough for
// the kernel, which counts what a thread has run since its last tick when the thread stops.
func processor(s *server.Server, block time.Duration, request func() error) (float64, error) {
	least := math.Inf(1)
	for range blocks {
		before, err := s.ProcessTime()
		if err != nil {
			return 0, err
		}
		done := 0
		for began := time.Now(); done == 0 || time.Since(began) < block; done++ {
			if err := request(); err != nil {
				return 0, err
			}
		}
		after, err := s.ProcessTime()
		if err != nil {
			return 0, err
		}
		least = min(least, float64((after-before)/time.Microsecond)/float64(done))
	}
	return least, nil
}

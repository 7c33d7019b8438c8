package speech

import (
	"context"
	"fmt"
	"time"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
)

// formatCase is a format whose processor time is measured.
type formatCase struct {
	format audio.Format
	bare   []library.Sum
	served []time.Duration
	ratios []float64
}

// formats returns what can be asked for, complete, in the order of the contract.
func formats() ([]audio.Format, error) {
	var all []audio.Format
	for _, c := range codec.Available() {
		f, err := codec.Check(audio.Format{Codec: c})
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// Formats measures the processor time that each format takes.
func Formats(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	all, err := formats()
	if err != nil {
		return nil, err
	}
	text, err := corpus.New(corpus.English, 5000)
	if err != nil {
		return nil, err
	}
	m, err := b.Library.Material(ctx, text)
	if err != nil {
		return nil, err
	}
	length, err := BodyLength(b.Vaak, text)
	if err != nil {
		return nil, err
	}
	seconds := b.Vaak.Seconds(length) // the text front end puts its own pauses
	cases := make([]formatCase, len(all))
	// What is measured after one format is what is measured before the next.
	alone, err := b.Library.Alone(ctx, m)
	if err != nil {
		return nil, err
	}
	for range b.Plan.Rounds {
		for i, f := range all {
			cases[i].format = f
			if alone, err = cases[i].round(ctx, b, m, seconds, alone); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Codec, err)
			}
		}
	}
	t := &report.Table{Header: []string{"format", "samples, Hz", "kbit/s", "bare library", "bare resampler", "bare encoder", "bare sum", "Vaak", "Vaak ÷ bare sum"}}
	for _, c := range cases {
		s := medianSum(c.bare)
		t.Add(string(c.format.Codec), fmt.Sprint(codec.InputRate(c.format)), kbps(c.format), report.Micros(s.Library), report.Micros(s.Resampler), report.Micros(s.Encoder),
			report.Micros(s.Total()), report.Micros(report.Median(c.served)), report.Ratio(report.Median(c.ratios)))
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("Microseconds of processor time per second of audio, English, 5,000 characters, streamed, %d requests from %d clients at a time, in %d rounds. "+
			"The bare encoder is Vaak's, alone, fed from memory in blocks of %s samples, at the rate that it takes; the bare resampler ends at that rate. "+
			"The bare parts are measured just before and just after Vaak. Sample rates and bit rates are the defaults; formats that this machine does not have are not listed.",
			b.Plan.Cpu5000, cpuClients, b.Plan.Rounds, report.Characters(library.EncoderBlock))),
		t,
	}, nil
}

// round takes the figures of Vaak and, around them, the bare ones. The library alone was measured just
// before; it returns what that has taken just after.
func (c *formatCase) round(ctx context.Context, b *rig.Bench, m library.Material, seconds float64, alone time.Duration) (time.Duration, error) {
	before, err := library.Chain(m, c.format, alone)
	if err != nil {
		return 0, err
	}
	times := b.Plan.Cpu5000 / cpuClients
	used, _, err := spend(b.Vaak.In(c.format), m.Sample, times)
	if err != nil {
		return 0, err
	}
	if alone, err = b.Library.Alone(ctx, m); err != nil {
		return 0, err
	}
	after, err := library.Chain(m, c.format, alone)
	if err != nil {
		return 0, err
	}
	bare, served := before.Mean(after), library.PerSecond(used, float64(cpuClients*times)*seconds)
	c.bare, c.served = append(c.bare, bare), append(c.served, served)
	c.ratios = append(c.ratios, report.Over(served, bare.Total()))
	return alone, nil
}

// medianSum returns the medians of the parts.
func medianSum(sums []library.Sum) library.Sum {
	var speaking, resampler, encoder []time.Duration
	for _, s := range sums {
		speaking, resampler, encoder = append(speaking, s.Library), append(resampler, s.Resampler), append(encoder, s.Encoder)
	}
	return library.Sum{Library: report.Median(speaking), Resampler: report.Median(resampler), Encoder: report.Median(encoder)}
}

// kbps prints the bit rate of a format, which all but the lossless ones have.
func kbps(f audio.Format) string {
	if f.BitrateKbps == 0 {
		return "—"
	}
	return fmt.Sprint(f.BitrateKbps)
}

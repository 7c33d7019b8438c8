package main

import (
	"context"
	"fmt"
	"time"

	"vaak/audio"
	"vaak/audio/codec"
)

// formatCase is a format whose processor time is measured.
type formatCase struct {
	format audio.Format
	bare   []sum
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

// encoding measures the processor time that each format takes.
func encoding(ctx context.Context, b *bench) ([]part, error) {
	all, err := formats()
	if err != nil {
		return nil, err
	}
	text, err := newSample(english, 5000)
	if err != nil {
		return nil, err
	}
	m, err := b.library.material(ctx, text)
	if err != nil {
		return nil, err
	}
	length, err := bodyLength(b.vaak, text)
	if err != nil {
		return nil, err
	}
	seconds := b.vaak.seconds(length) // the text front end puts its own pauses
	cases := make([]formatCase, len(all))
	for range b.plan.rounds {
		for i, f := range all {
			cases[i].format = f
			if err := cases[i].round(ctx, b, m, seconds); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Codec, err)
			}
		}
	}
	t := &table{header: []string{"format", "samples, Hz", "kbit/s", "bare library", "bare resampler", "bare encoder", "bare sum", "Vaak", "Vaak ÷ bare sum"}}
	for _, c := range cases {
		s := medianSum(c.bare)
		t.add(string(c.format.Codec), fmt.Sprint(codec.InputRate(c.format)), kbps(c.format), micros(s.library), micros(s.resampler), micros(s.encoder),
			micros(s.total()), micros(median(c.served)), ratio(median(c.ratios)))
	}
	return []part{
		prose(fmt.Sprintf("Microseconds of processor time per second of audio, English, 5,000 characters, streamed, %d requests from %d clients at a time, in %d rounds. "+
			"The bare encoder is Vaak's, alone, fed from memory in blocks of %s samples, at the rate that it takes; the bare resampler ends at that rate. "+
			"The bare parts are measured just before and just after Vaak. Sample rates and bit rates are the defaults; formats that this machine does not have are not listed.",
			b.plan.cpu5000, cpuClients, b.plan.rounds, characters(encoderBlock))),
		t,
	}, nil
}

// round takes the figures of Vaak and, around them, the bare ones.
func (c *formatCase) round(ctx context.Context, b *bench, m material, seconds float64) error {
	before, err := b.library.sum(ctx, m, c.format)
	if err != nil {
		return err
	}
	times := b.plan.cpu5000 / cpuClients
	used, _, err := b.vaak.in(c.format).spend(m.sample, times)
	if err != nil {
		return err
	}
	after, err := b.library.sum(ctx, m, c.format)
	if err != nil {
		return err
	}
	bare, served := before.mean(after), perSecond(used, float64(cpuClients*times)*seconds)
	c.bare, c.served = append(c.bare, bare), append(c.served, served)
	c.ratios = append(c.ratios, over(served, bare.total()))
	return nil
}

// medianSum returns the medians of the parts.
func medianSum(sums []sum) sum {
	var library, resampler, encoder []time.Duration
	for _, s := range sums {
		library, resampler, encoder = append(library, s.library), append(resampler, s.resampler), append(encoder, s.encoder)
	}
	return sum{median(library), median(resampler), median(encoder)}
}

// kbps prints the bit rate of a format, which all but the lossless ones have.
func kbps(f audio.Format) string {
	if f.BitrateKbps == 0 {
		return "—"
	}
	return fmt.Sprint(f.BitrateKbps)
}

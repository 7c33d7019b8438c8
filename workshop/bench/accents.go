package main

import (
	"context"
	"fmt"
	"time"

	"vaak/lang"
	"vaak/voice"
)

// accented is one text by one voice.
type accented struct {
	sample
	native string
	vaak   rounds
}

// accents measures the time to the first byte of audio of English in voices of
// English and of other languages, in turn.
func accents(ctx context.Context, b *bench) ([]part, error) {
	var cells []*accented
	for _, size := range lengths[:2] {
		t, err := newSample(english, size)
		if err != nil {
			return nil, err
		}
		for _, code := range []lang.Code{"en", "hi", "ta", "fr"} {
			l, _ := lang.Lookup(code)
			t.lang.voice = voice.Default(code).ID
			cells = append(cells, &accented{sample: t, native: l.Name})
		}
	}
	p := &prober{s: b.vaak, rest: b.plan.rest}
	defer p.close()
	for range b.plan.rounds {
		took := make([][]time.Duration, len(cells))
		for range b.plan.requests {
			for i, c := range cells {
				d, err := p.probe(c.sample)
				if err != nil {
					return nil, err
				}
				took[i] = append(took[i], d)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		for i, c := range cells {
			c.vaak = append(c.vaak, took[i])
		}
	}
	t := &table{header: []string{"voice of, characters", "p50", "p99", "÷ English voice"}}
	for i, c := range cells {
		own := cells[i-i%(len(cells)/2)]
		t.add(fmt.Sprintf("%s, %s", c.native, characters(c.size)), millis(c.vaak.p50()), millis(c.vaak.p99()), ratio(over(c.vaak.p50(), own.vaak.p50())))
	}
	return []part{
		prose(fmt.Sprintf("The time to the first byte of English audio in voices of several native languages, which say it with their own sounds, "+
			"%d requests for every figure, one at a time and the voices in turn.", cells[0].vaak.count())),
		t,
	}, nil
}

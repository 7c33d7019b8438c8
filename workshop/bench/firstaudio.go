package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// lengths are those of the texts, in code points.
var lengths = []int{20, 500, 5000}

// cell is one language and length, on every system.
type cell struct {
	sample
	bare, naive, vaak rounds
}

// firstAudio measures the time from writing a request to the first byte of
// audio, with nothing else going on.
func firstAudio(ctx context.Context, b *bench) ([]part, error) {
	var cells []*cell
	for _, l := range languages {
		for _, n := range lengths {
			t, err := newSample(l, n)
			if err != nil {
				return nil, err
			}
			cells = append(cells, &cell{sample: t})
		}
	}
	naive, vaak := &prober{s: b.naive, rest: b.plan.rest}, &prober{s: b.vaak, rest: b.plan.rest}
	defer naive.close()
	defer vaak.close()
	for range b.plan.rounds {
		for _, c := range cells {
			if err := c.round(ctx, b, naive, vaak); err != nil {
				return nil, err
			}
		}
	}
	return firstAudioParts(b, cells), nil
}

// round measures the library alone, then the servers in turn.
func (c *cell) round(ctx context.Context, b *bench, naive, vaak *prober) error {
	s, err := b.library.speak(ctx, c.sample, b.plan.requests, true, "")
	if err != nil {
		return err
	}
	var bare, slow, fast []time.Duration
	for _, r := range s.repetitions {
		bare = append(bare, r.first)
	}
	for i := range b.plan.requests {
		turn := []struct {
			p    *prober
			into *[]time.Duration
		}{{naive, &slow}, {vaak, &fast}}
		if i%2 == 1 {
			turn[0], turn[1] = turn[1], turn[0]
		}
		for _, t := range turn {
			d, err := t.p.probe(c.sample)
			if err != nil {
				return err
			}
			*t.into = append(*t.into, d)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	c.bare, c.naive, c.vaak = append(c.bare, bare), append(c.naive, slow), append(c.vaak, fast)
	return nil
}

// prober sends one request at a time, each when the server is idle.
type prober struct {
	s    *server
	rest time.Duration
	c    *client
}

// drained is the length up to which a response is read to its end. Of longer
// texts the connection is closed after the first audio, and the next request
// gets a new one, which has answered something else before.
const drained = 20

func (p *prober) probe(t sample) (time.Duration, error) {
	if p.c == nil {
		var err error
		if p.c, err = dial(p.s); err != nil {
			return 0, err
		}
	}
	nap(p.rest)
	d, err := p.c.first(p.s.request(t), p.s.header)
	if err != nil {
		return 0, fmt.Errorf("%s, %s, %d characters: %w", p.s.name, t.lang.code, t.size, err)
	}
	if t.size <= drained {
		err = p.c.drain()
	} else {
		p.close()
	}
	return d, errors.Join(err, p.s.waitIdle())
}

func (p *prober) close() {
	if p.c != nil {
		p.c.close()
		p.c = nil
	}
}

func firstAudioParts(b *bench, cells []*cell) []part {
	t := &table{header: []string{"language, characters", "bare p50", "bare p99", "naive p50", "naive p99", "Vaak p50", "Vaak p99", "Vaak ÷ naive"}}
	for _, c := range cells {
		t.add(fmt.Sprintf("%s, %s", c.lang.name, characters(c.size)),
			millis(c.bare.p50()), millis(c.bare.p99()), millis(c.naive.p50()), millis(c.naive.p99()),
			millis(c.vaak.p50()), millis(c.vaak.p99()), ratio(over(c.vaak.p50(), c.naive.p50())))
	}
	growth := &table{header: []string{"p50 at 5,000 ÷ p50 at 20 characters", "naive", "Vaak"}}
	for i := 0; i < len(cells); i += len(lengths) {
		short, long := cells[i], cells[i+len(lengths)-1]
		growth.add(short.lang.name, ratio(over(long.naive.p50(), short.naive.p50())), ratio(over(long.vaak.p50(), short.vaak.p50())))
		firstAudioTargets(&b.report, cells[i:i+len(lengths)], b.metered)
	}
	return []part{
		prose(fmt.Sprintf("From the client writing the request, on a kept-alive connection, to the first byte of audio in its hands "+
			"(of the naive server's WAV, the first after the header); for the bare library, from the call to the first samples. "+
			"One request at a time, %d for every figure, the servers in turn, each request %s after both servers had fallen idle. "+
			"A text of 20 characters is then read to its end; of longer ones the client closes the connection.",
			cells[0].vaak.count(), b.plan.rest)),
		t, growth,
	}
}

// firstAudioTargets judges the cells of one language, which ascend in length.
func firstAudioTargets(r *report, cells []*cell, metered bool) {
	short, long := cells[0], cells[len(cells)-1]
	limit := 2500 * time.Microsecond
	switch {
	case metered:
		limit = 5 * time.Millisecond // the characters are on disk before the first byte goes out
	case short.lang.code == "ru":
		limit = 3500 * time.Microsecond // its dictionary takes longest to load
	}
	var p50, p99 time.Duration
	share := 0.0
	for _, c := range cells {
		p50, p99 = max(p50, c.vaak.p50()), max(p99, c.vaak.p99())
		share = max(share, over(c.vaak.p50(), c.naive.p50()))
	}
	name := "First audio, " + short.lang.name + ", "
	atMost(r, name+"p50 at any length", p50, limit, millis)
	atMost(r, name+"p99 at any length", p99, 10*time.Millisecond, millis)
	atMost(r, name+"p50 at 5,000 characters ÷ at 20", over(long.vaak.p50(), short.vaak.p50()), 1.5, ratio)
	atMost(r, name+"p50 ÷ the naive server's, at any length", share, 0.3, ratio)
}

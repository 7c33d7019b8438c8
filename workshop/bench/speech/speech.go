// Package speech measures speech over HTTP: how soon and how cheaply it is made, how many
// streams there can be, and what clients that leave, read slowly or kill a worker cost the
// others.
package speech

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// Lengths are those of the texts, in code points.
var Lengths = []int{20, 500, 5000}

// cell is one language and length, on every system.
type cell struct {
	corpus.Sample
	bare, naive, vaak report.Rounds
}

// FirstAudio measures the time from writing a request to the first byte of
// audio, with nothing else going on.
func FirstAudio(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	var cells []*cell
	for _, l := range corpus.Languages {
		for _, n := range Lengths {
			t, err := corpus.New(l, n)
			if err != nil {
				return nil, err
			}
			cells = append(cells, &cell{Sample: t})
		}
	}
	naive, vaak := &Prober{S: b.Naive, Rest: b.Plan.Rest}, &Prober{S: b.Vaak, Rest: b.Plan.Rest}
	defer naive.Close()
	defer vaak.Close()
	for range b.Plan.Rounds {
		for _, c := range cells {
			if err := c.round(ctx, b, naive, vaak); err != nil {
				return nil, err
			}
		}
	}
	return firstAudioParts(b, cells), nil
}

// perTurn is how many requests Vaak gets before the other one, which gets half as many. Each
// request of the naive server starts a program, which takes the processors' caches; a server
// that answers a request after each of those would be measured with them empty, as none is in
// service.
const perTurn = 10

// round measures the library alone, then the servers in turn.
func (c *cell) round(ctx context.Context, b *rig.Bench, naive, vaak *Prober) error {
	s, err := b.Library.Speak(ctx, c.Sample, b.Plan.Requests, true, "")
	if err != nil {
		return err
	}
	var bare, slow, fast []time.Duration
	for _, r := range s.Repetitions {
		bare = append(bare, r.First)
	}
	for sent := 0; sent < b.Plan.Requests; sent += perTurn {
		each := min(perTurn, b.Plan.Requests-sent)
		turn := []struct {
			p     *Prober
			into  *[]time.Duration
			times int
		}{{naive, &slow, max(each/2, 1)}, {vaak, &fast, each}}
		if sent/perTurn%2 == 1 {
			turn[0], turn[1] = turn[1], turn[0]
		}
		for _, t := range turn {
			for range t.times {
				d, err := t.p.Probe(c.Sample)
				if err != nil {
					return err
				}
				*t.into = append(*t.into, d)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	c.bare, c.naive, c.vaak = append(c.bare, bare), append(c.naive, slow), append(c.vaak, fast)
	return nil
}

// Prober sends one request at a time, each when the server is idle.
type Prober struct {
	S    *server.Server
	Rest time.Duration
	c    *client.Client
}

// drained is the length up to which a response is read to its end. Of longer
// texts the connection is closed after the first audio, and the next request
// gets a new one, which has answered something else before.
const drained = 20

func (p *Prober) Probe(t corpus.Sample) (time.Duration, error) {
	if p.c == nil {
		var err error
		if p.c, err = client.Dial(p.S); err != nil {
			return 0, err
		}
	}
	server.Nap(p.Rest)
	d, err := p.c.First(p.S.Request(t), p.S.Header)
	if err != nil {
		return 0, fmt.Errorf("%s, %s, %d characters: %w", p.S.Name, t.Lang.Code, t.Size, err)
	}
	if t.Size <= drained {
		err = p.c.Drain()
	} else {
		p.Close()
	}
	return d, errors.Join(err, p.S.WaitIdle())
}

func (p *Prober) Close() {
	if p.c != nil {
		p.c.Close()
		p.c = nil
	}
}

func firstAudioParts(b *rig.Bench, cells []*cell) []report.Part {
	t := &report.Table{Header: []string{"language, characters", "bare p50", "bare p99", "naive p50", "naive p99", "Vaak p50", "Vaak p99", "Vaak ÷ naive"}}
	for _, c := range cells {
		t.Add(fmt.Sprintf("%s, %s", c.Lang.Name, report.Characters(c.Size)),
			report.Millis(c.bare.P50()), report.Millis(c.bare.P99()), report.Millis(c.naive.P50()), report.Millis(c.naive.P99()),
			report.Millis(c.vaak.P50()), report.Millis(c.vaak.P99()), report.Ratio(report.Over(c.vaak.P50(), c.naive.P50())))
	}
	growth := &report.Table{Header: []string{"p50 at 5,000 ÷ p50 at 20 characters", "naive", "Vaak"}}
	for i := 0; i < len(cells); i += len(Lengths) {
		short, long := cells[i], cells[i+len(Lengths)-1]
		growth.Add(short.Lang.Name, report.Ratio(report.Over(long.naive.P50(), short.naive.P50())), report.Ratio(report.Over(long.vaak.P50(), short.vaak.P50())))
		firstAudioTargets(&b.Report, cells[i:i+len(Lengths)])
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("From the client writing the request, on a kept-alive connection, to the first byte of audio in its hands "+
			"(of the naive server's WAV, the first after the header); for the bare library, from the call to the first samples. "+
			"One request at a time, %d for every figure of Vaak, the servers in turn, %d requests of it and half as many of the naive server, a request %s after the server had fallen idle. "+
			"A text of 20 characters is then read to its end; of longer ones the client closes the connection.",
			cells[0].vaak.Count(), perTurn, b.Plan.Rest)),
		t, growth,
	}
}

// firstAudioTargets judges the cells of one language, which ascend in length.
func firstAudioTargets(r *report.Report, cells []*cell) {
	short, long := cells[0], cells[len(cells)-1]
	var p50, p99 time.Duration
	share := 0.0
	for _, c := range cells {
		p50, p99 = max(p50, c.vaak.P50()), max(p99, c.vaak.P99())
		share = max(share, report.Over(c.vaak.P50(), c.naive.P50()))
	}
	name := "First audio, " + short.Lang.Name + ", "
	report.AtMost(r, name+"p50 at any length", p50, 900*time.Microsecond, report.Millis)
	report.AtMost(r, name+"p99 at any length", p99, 3*time.Millisecond, report.Millis)
	report.AtMost(r, name+"p50 at 5,000 characters ÷ at 20", report.Over(long.vaak.P50(), short.vaak.P50()), 1.15, report.Ratio)
	report.AtMost(r, name+"p50 ÷ the naive server's, at any length", share, 0.3, report.Ratio)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"vaak/audio"
)

// goal is what is wanted of a format under many streams.
type goal struct {
	codec audio.Codec
	share float64 // of the ceiling that the streams reach at least; where the search begins
	least int     // streams; 0 is no target, also for share
	usual int     // streams at which the first byte is to come soon
}

// goals begin with the formats that are measured unless others are named.
var goals = []goal{
	{codec: audio.PCM, share: 0.5, least: 700, usual: 400},
	{codec: audio.MP3, share: 0.7, least: 400, usual: 200},
	{codec: audio.Opus, share: 0.5},
}

// goalOf returns the goal of a format, which may want nothing.
func goalOf(c audio.Codec) goal {
	for _, g := range goals {
		if g.codec == c {
			return g
		}
	}
	return goal{codec: c, share: 0.5}
}

// capacity is how many streams of one format run at playback speed.
type capacity struct {
	goal    goal
	bench   *bench
	server  *server
	perSec  float64 // characters that are spoken in a second
	ceiling float64 // streams that both cores could make if there were only the bare sum
	most    int     // streams that all heard everything in time
	tried   []string
	trials  []trial
}

// trial is a crowd that is told of.
type trial struct {
	name string
	turnout
}

// The names of trials.
const (
	givenNumber = "given"
	foundNumber = "found"
	usualLoad   = "usual load"
	twiceAsMany = "twice as many"
)

// newCapacity prepares for a format.
func newCapacity(b *bench, g goal, f audio.Format) (*capacity, error) {
	const size = 1000
	c := &capacity{goal: g, bench: b, server: b.vaak.in(f)}
	t, err := newShuffled(english, size, 0)
	if err != nil {
		return nil, err
	}
	length, err := bodyLength(b.vaak, t)
	c.perSec = size / max(b.vaak.seconds(length), 1)
	return c, err
}

// measure finds the number and looks at what else is wanted.
func (c *capacity) measure(ctx context.Context) error {
	before, err := c.bare(ctx)
	if err != nil {
		return err
	}
	c.setCeiling(before)
	p := c.bench.plan
	if p.listeners > 0 {
		return c.look(ctx, givenNumber, p.listeners, p.full)
	}
	if err := c.find(ctx); err != nil {
		return err
	}
	if c.goal.least > 0 {
		if err := c.look(ctx, usualLoad, p.scaled(c.goal.usual), p.full); err != nil {
			return err
		}
		twice := 2 * max(p.scaled(c.goal.least), c.most)
		if err := c.look(ctx, twiceAsMany, twice, p.full); err != nil {
			return err
		}
	}
	after, err := c.bare(ctx)
	if err != nil {
		return err
	}
	c.setCeiling(before.mean(after))
	return nil
}

// bare measures the parts alone, on a text of the kind that the listeners hear.
func (c *capacity) bare(ctx context.Context) (sum, error) {
	t, err := newShuffled(english, 5000, 0)
	if err != nil {
		return sum{}, err
	}
	m, err := c.bench.library.material(ctx, t)
	if err != nil {
		return sum{}, err
	}
	return c.bench.library.sum(ctx, m, c.server.format)
}

func (c *capacity) setCeiling(bare sum) {
	c.ceiling = float64(runtime.NumCPU()) * over(time.Second, bare.total())
}

// find searches for the number with short texts, and confirms it with long
// ones; a number that long texts refute goes down.
func (c *capacity) find(ctx context.Context) error {
	const lower, confirmations = 0.95, 3
	p := c.bench.plan
	s := search{guess: p.scaled(int(c.goal.share * c.ceiling)), most: p.scaled(int(c.ceiling)), factor: 1.25, precision: 1.06, tries: p.searches}
	for n, more := s.next(); more; n, more = s.next() {
		t, err := c.attend(ctx, n, p.search)
		if err != nil {
			return err
		}
		s.tell(n, t.good())
		c.tried = append(c.tried, fmt.Sprintf("%d %s", n, t.verdict()))
	}
	for i, n := 0, s.good; i < confirmations && n > 0; i, n = i+1, int(lower*float64(n)) {
		if err := c.look(ctx, foundNumber, n, p.full); err != nil {
			return err
		}
		last := c.trials[len(c.trials)-1].turnout
		c.tried = append(c.tried, fmt.Sprintf("%d with long texts %s", n, last.verdict()))
		if last.good() {
			c.most = n
			return nil
		}
	}
	return nil
}

// verdict says in a word how a crowd fared.
func (t turnout) verdict() string {
	switch {
	case t.good():
		return "good"
	case len(t.broken) > 0:
		return "broken"
	case len(t.refusals) > 0:
		return "refused"
	default:
		return "underrun"
	}
}

// look has a crowd come and tells of it.
func (c *capacity) look(ctx context.Context, name string, n int, v visit) error {
	v.weigh = true
	t, err := c.attend(ctx, n, v)
	c.trials = append(c.trials, trial{name, t})
	return err
}

// attend has n listeners come, each for a text of its own.
func (c *capacity) attend(ctx context.Context, n int, v visit) (turnout, error) {
	texts := make([]sample, n)
	for i := range texts {
		var err error
		if texts[i], err = newShuffled(english, int(v.speech.Seconds()*c.perSec), i); err != nil {
			return turnout{}, err
		}
	}
	t, err := attend(ctx, c.server, texts, v)
	fmt.Fprintf(c.bench.log, "        %s, %s\n", c.goal.codec, t)
	if err != nil {
		err = fmt.Errorf("%s, %d streams: %w", c.goal.codec, n, err)
	}
	return t, err
}

// String tells of a crowd in one line.
func (t turnout) String() string {
	h := t.heard
	return fmt.Sprintf("%d came, %d admitted (first byte p50 %s, p99 %s), %d refused, %d broken %.200v, %d with underruns (%d, worst %s), in %.1f s, CPU %.1f s, clients %.1f s and %.1f %% late by up to %s",
		t.clients, len(t.first), millis(percentile(t.first, 0.5)), millis(percentile(t.first, 0.99)), len(t.refusals), len(t.broken), errors.Join(t.broken...),
		h.troubled, h.underruns, millis(h.worst), t.wall.Seconds(), (t.used.server + t.used.speakers).Seconds(), t.used.clients.Seconds(), 100*h.tardiness(), millis(h.latest))
}

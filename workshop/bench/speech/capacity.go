package speech

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"vaak/audio"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// goal is what is wanted of a format under many streams.
type goal struct {
	codec audio.Codec
	share float64 // of the ceiling that the streams reach at least; where the search begins
	usual int     // streams at which the first byte is to come soon; 0 is no target but the share
}

// goals begin with the formats that are measured unless others are named.
var goals = []goal{
	{codec: audio.PCM, share: 0.8, usual: 400},
	{codec: audio.MP3, share: 0.8, usual: 200},
	{codec: audio.Opus, share: 0.75},
}

// goalOf returns the goal of a format.
func goalOf(c audio.Codec) goal {
	for _, g := range goals {
		if g.codec == c {
			return g
		}
	}
	return goal{codec: c, share: 0.75}
}

// capacity is how many streams of one format run at playback speed.
type capacity struct {
	goal    goal
	bench   *rig.Bench
	server  *server.Server
	perSec  float64 // characters that are spoken in a second
	ceiling float64 // streams that both cores could make if there were only the bare sum
	most    int     // streams that all heard everything in time
	tried   []string
	trials  []trial
}

// trial is a crowd that is told of.
type trial struct {
	name string
	listeners.Turnout
}

// The names of trials.
const (
	givenNumber = "given"
	foundNumber = "found"
	usualLoad   = "usual load"
	twiceAsMany = "twice as many"
)

// newCapacity prepares for a format.
func newCapacity(b *rig.Bench, g goal, f audio.Format) (*capacity, error) {
	const size = 1000
	c := &capacity{goal: g, bench: b, server: b.Vaak.In(f)}
	t, err := corpus.Shuffled(corpus.English, size, 0)
	if err != nil {
		return nil, err
	}
	length, err := BodyLength(b.Vaak, t)
	c.perSec = size / max(b.Vaak.Seconds(length), 1)
	return c, err
}

// measure finds the number and looks at what else is wanted.
func (c *capacity) measure(ctx context.Context) error {
	before, err := c.bare(ctx)
	if err != nil {
		return err
	}
	c.setCeiling(before)
	p := c.bench.Plan
	if p.Listeners > 0 {
		given := p.Full
		given.Brief, given.Strict = false, false
		return c.look(ctx, givenNumber, p.Listeners, given)
	}
	if err := c.find(ctx); err != nil {
		return err
	}
	if c.goal.usual > 0 {
		// All are there at once in a visit that is as short as this, too.
		brief := p.Search
		brief.Strict = false
		played := brief
		played.Brief = false // so that it takes what streams at playback speed take
		if err := c.look(ctx, usualLoad, c.least(), played); err != nil {
			return err
		}
		if err := c.look(ctx, twiceAsMany, 2*max(c.most, c.least()), brief); err != nil {
			return err
		}
	}
	after, err := c.bare(ctx)
	if err != nil {
		return err
	}
	c.setCeiling(before.Mean(after))
	return nil
}

// bare measures the parts alone, on a text of the kind that the listeners hear.
func (c *capacity) bare(ctx context.Context) (library.Sum, error) {
	t, err := corpus.Shuffled(corpus.English, 5000, 0)
	if err != nil {
		return library.Sum{}, err
	}
	m, err := c.bench.Library.Material(ctx, t)
	if err != nil {
		return library.Sum{}, err
	}
	return c.bench.Library.Sum(ctx, m, c.server.Format)
}

func (c *capacity) setCeiling(bare library.Sum) {
	c.ceiling = float64(runtime.NumCPU()) * report.Over(time.Second, bare.Total())
}

// leastShare is the part of the ceiling below which no number is tried where no usual load is named.
const leastShare = 0.2

// least returns the number below which none is tried.
func (c *capacity) least() int {
	if c.goal.usual > 0 {
		return c.bench.Plan.Scaled(c.goal.usual)
	}
	return c.bench.Plan.Scaled(int(leastShare * c.ceiling))
}

// find searches for the number with short texts, and confirms it with long
// ones; a number that long texts refute goes down.
func (c *capacity) find(ctx context.Context) error {
	const lower = 0.95
	p := c.bench.Plan
	s := search{guess: p.Scaled(int(c.goal.share * c.ceiling)), least: c.least(), most: p.Scaled(int(c.ceiling)), factor: 1.25, precision: 1.06, tries: p.Searches}
	for n, more := s.next(); more; n, more = s.next() {
		t, err := c.attend(ctx, n, p.Search)
		if err != nil {
			return err
		}
		s.tell(n, t.Good(), len(t.First))
		c.tried = append(c.tried, fmt.Sprintf("%d %s", n, t.Verdict()))
	}
	long := p.Full
	long.Weigh = true
	for n := s.good; n >= s.least; n = min(int(lower*float64(n)), n-1) {
		t, err := c.attend(ctx, n, long)
		if err != nil {
			return err
		}
		c.tried = append(c.tried, fmt.Sprintf("%d with long texts %s", n, t.Verdict()))
		if t.Good() {
			c.most = n
			c.trials = append(c.trials, trial{foundNumber, t})
			return nil
		}
	}
	return nil
}

// look has a crowd come and tells of it.
func (c *capacity) look(ctx context.Context, name string, n int, v listeners.Visit) error {
	v.Weigh = true
	t, err := c.attend(ctx, n, v)
	c.trials = append(c.trials, trial{name, t})
	return err
}

// attend has n listeners come, each for a text of its own.
func (c *capacity) attend(ctx context.Context, n int, v listeners.Visit) (listeners.Turnout, error) {
	texts := make([]corpus.Sample, n)
	for i := range texts {
		var err error
		if texts[i], err = corpus.Shuffled(corpus.English, int(v.Speech.Seconds()*c.perSec), i); err != nil {
			return listeners.Turnout{}, err
		}
	}
	t, err := listeners.Attend(ctx, c.server, texts, v)
	fmt.Fprintf(c.bench.Log, "        %s, %s\n", c.goal.codec, t)
	if err != nil {
		err = fmt.Errorf("%s, %d streams: %w", c.goal.codec, n, err)
	}
	return t, err
}

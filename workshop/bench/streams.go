package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// streaming measures how many streams run at playback speed at once.
func streaming(ctx context.Context, b *bench) ([]part, error) {
	var all []*capacity
	for _, f := range b.formats {
		c, err := newCapacity(b, goalOf(f.Codec), f)
		if err == nil {
			err = c.measure(ctx)
		}
		if err != nil {
			return nil, err
		}
		c.judge(&b.report)
		all = append(all, c)
	}
	p := b.plan
	found := &table{header: []string{"format", "ceiling", "streams", "of the ceiling", "the search"}}
	for _, c := range all {
		found.add(string(c.goal.codec), whole(c.ceiling), fmt.Sprint(c.most), ratio(float64(c.most)/max(c.ceiling, 1)), strings.Join(c.tried, ", "))
	}
	return []part{
		prose(fmt.Sprintf("How many listeners hear everything in time. Each opens a connection of its own, asks for a text that no other one has, about %s long, "+
			"and plays what it gets in blocks of %s, reading at the speed of the playback and at most a block ahead of it: block k must have come whole at start + (k+1) × %s, where start is the first byte of audio. "+
			"A block that a look at its time or later does not find is an underrun; it stops the playback until it comes, as in a player. "+
			"A listener that the machine lets look too late finds more, not less, so it does not count against the server: how often that happened is told. "+
			"Bytes become time by the sample rate, mp3 by its bit rate, and Opus by the positions that the pages of Ogg name.",
			lasting(p.full.speech), block, block)),
		prose(fmt.Sprintf("Listeners come at random, by exponential gaps from a fixed seed: over %s in the search, which uses texts of %s and ends a step at its first underrun or refusal, "+
			"over %s with texts of %s where the number is confirmed, at the usual load and at twice as many. "+
			"The search begins at the share of the ceiling that is wanted, goes up or down by a quarter and halves until 6 %% are left, in at most %d steps; a number that long texts refute goes down by a twentieth, twice at most. "+
			"A number counts when nobody was refused and nobody missed a block. "+
			"The ceiling is %d cores ÷ (bare library + bare resampler + bare encoder), with no server and no clients at all. "+
			"It is what goes on for ever; as much of a text as the server and the sockets' buffers hold is made ahead of its time, so that a crowd that comes within %s and listens for %s needs up to a third less than that while it is there.",
			lasting(p.search.arrive), lasting(p.search.speech), lasting(p.full.arrive), lasting(p.full.speech), p.searches, runtime.NumCPU(), lasting(p.full.arrive), lasting(p.full.speech))),
		found,
		prose("What the listeners heard. The first byte is counted from before they connect, a refusal (503, Retry-After) likewise; twice as many is twice the number found, or twice what is wanted if that is more."),
		heardTable(all),
		prose("What it took. The shares are of all cores, over the time of the run. Memory is that of the server, its worker and all utterances (a sample of them, by `Pss`) when all had come."),
		tookTable(all),
	}, nil
}

func heardTable(all []*capacity) part {
	t := &table{header: []string{"format, streams", "admitted", "first byte p50", "p99", "refused", "refusal p50", "p99", "longest", "broken", "with underruns", "underruns", "worst"}}
	for _, c := range all {
		for _, r := range c.trials {
			t.add(fmt.Sprintf("%s, %s: %d", c.goal.codec, r.name, r.clients), fmt.Sprint(len(r.first)),
				millis(percentile(r.first, 0.5)), millis(percentile(r.first, 0.99)), fmt.Sprint(len(r.refusals)),
				millis(percentile(r.refusals, 0.5)), millis(percentile(r.refusals, 0.99)), millis(percentile(r.refusals, 1)),
				fmt.Sprint(len(r.broken)), fmt.Sprint(r.heard.troubled), fmt.Sprint(r.heard.underruns), millis(r.heard.worst))
		}
	}
	return t
}

func tookTable(all []*capacity) part {
	t := &table{header: []string{"format, streams", "server, µs per audio s", "worker and utterances, µs per audio s", "server and all, share", "clients, share", "clients late over 10 ms", "latest", "memory, MiB"}}
	for _, c := range all {
		for _, r := range c.trials {
			audio := r.heard.audio.Seconds()
			all := r.memory.server + r.memory.workers + r.memory.utterances
			t.add(fmt.Sprintf("%s, %s: %d", c.goal.codec, r.name, r.clients),
				micros(perSecond(r.used.server, audio)), micros(perSecond(r.used.speakers, audio)),
				percent(r.share(r.used.server+r.used.speakers)), percent(r.share(r.used.clients)),
				percent(r.heard.tardiness()), millis(r.heard.latest), mebibytes(all))
		}
	}
	return t
}

// share returns which part of all cores something took.
func (t turnout) share(used time.Duration) float64 {
	return used.Seconds() / max(t.wall.Seconds(), 1e-9) / float64(runtime.NumCPU())
}

// tardiness returns how often the player itself was too late.
func (h heard) tardiness() float64 { return float64(h.belated) / float64(max(h.looks, 1)) }

// judge notes what is wanted and whether it was reached.
func (c *capacity) judge(r *report) {
	const (
		soon   = 25 * time.Millisecond // the first byte
		prompt = 50 * time.Millisecond // a refusal
	)
	if c.goal.least == 0 {
		return
	}
	name := fmt.Sprintf("Streams, %s: ", c.goal.codec)
	atLeast(r, name+"number without an underrun ÷ ceiling", float64(c.most)/max(c.ceiling, 1), c.goal.share, ratio)
	atLeast(r, name+"number without an underrun", float64(c.most), float64(c.goal.least), whole)
	for _, u := range c.trials {
		at := fmt.Sprintf("%sat %d, ", name, u.clients)
		switch u.name {
		case usualLoad:
			atMost(r, at+"first byte p99", percentile(u.first, 0.99), soon, millis)
			atMost(r, at+"streams refused or broken", float64(u.clients-len(u.first)+len(u.heard.broken)), 0, whole)
		case twiceAsMany:
			atMost(r, at+"admitted streams with underruns or broken", float64(u.heard.troubled+len(u.broken)), 0, whole)
			atMost(r, at+"longest refusal", percentile(u.refusals, 1), prompt, millis)
		}
	}
}

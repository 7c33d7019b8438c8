package speech

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"vaak/workshop/bench/library"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
)

// Streams measures how many streams run at playback speed at once.
func Streams(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	var all []*capacity
	for _, f := range b.Formats {
		c, err := newCapacity(b, goalOf(f.Codec), f)
		if err == nil {
			err = c.measure(ctx)
		}
		if err != nil {
			return nil, err
		}
		c.judge(&b.Report)
		all = append(all, c)
	}
	const ahead = 20 * time.Second
	p := b.Plan
	found := &report.Table{Header: []string{"format", "ceiling", "streams", "of the ceiling", "the search"}}
	for _, c := range all {
		found.Add(string(c.goal.codec), report.Whole(c.ceiling), fmt.Sprint(c.most), report.Ratio(float64(c.most)/max(c.ceiling, 1)), strings.Join(c.tried, ", "))
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("How many listeners hear everything in time. Each opens a connection of its own, asks for a text that no other one has, about %s long, "+
			"and plays what it gets in blocks of %s, reading at the speed of the playback and at most a block ahead of it: block k must have come whole at start + (k+1) × %s, where start is the first byte of audio. "+
			"A block that a look at its time or later does not find is an underrun; it stops the playback until it comes, as in a player. "+
			"A listener that the machine lets look too late finds more, not less, so it does not count against the server: how often that happened is told. "+
			"Bytes become time by the sample rate, mp3 by its bit rate, and Opus by the positions that the pages of Ogg name.",
			report.Lasting(p.Full.Speech), listeners.Block, listeners.Block)),
		report.Prose(fmt.Sprintf("Listeners come at random, by exponential gaps from a fixed seed: over %s in the search, at the usual load and at twice as many, which use texts of %s; "+
			"over %s with texts of %s where the number is confirmed. When the first text has sounded all listeners are there, and fewer from then on: what is left is read as fast as it comes, to the end; only the usual load is played to its end. "+
			"A step of the search and a confirmation end at their first underrun or refusal. "+
			"The search begins at the share of the ceiling that is wanted and goes up by a quarter. It goes down after a refusal to a quarter of the way from the number that was admitted until then, but by 6 to 36 %%; after an underrun by a fifth. "+
			"Between a good and a bad number it halves until 6 %% are left. After %d steps it ends as soon as a number is good, or when the usual load is not (%.1f of the ceiling, if none is told). A number that long texts refute goes down by a twentieth, to the usual load at the lowest. "+
			"A number counts when nobody was refused and nobody missed a block. "+
			"The ceiling is %d cores ÷ (bare library + bare resampler + bare encoder), with no server and no clients at all. "+
			"It is what goes on for ever; as much of a text as the server and the sockets' buffers hold, up to some %s, is made ahead of its time, so that a crowd that comes within %s and listens for %s needs up to %.0f %% less than that while it is there.",
			report.Lasting(p.Search.Arrive), report.Lasting(p.Search.Speech), report.Lasting(p.Full.Arrive), report.Lasting(p.Full.Speech), p.Searches, leastShare, runtime.NumCPU(), report.Lasting(ahead), report.Lasting(p.Full.Arrive), report.Lasting(p.Full.Speech), 100*report.Over(ahead, max(ahead, p.Full.Speech)))),
		found,
		report.Prose("What the listeners heard. The first byte is counted from before they connect, a refusal (503, Retry-After) likewise; twice as many is twice the number found, or twice the usual load if none was."),
		heardTable(all),
		report.Prose("What it took. The shares are of all cores, over the time of the run; the busiest seconds are those while listeners came, when audio is made ahead for them: where the cores have nothing left then, they are what limits the number. What is read as fast as it comes costs the server less than what is played, so that the usual load alone tells what playing takes. Memory is that of the server, its worker and all utterances (a sample of them, by `Pss`) when all had come."),
		tookTable(all),
	}, nil
}

func heardTable(all []*capacity) report.Part {
	t := &report.Table{Header: []string{"format, streams", "admitted", "first byte p50", "p99", "refused", "refusal p50", "p99", "longest", "broken", "with underruns", "underruns", "worst"}}
	for _, c := range all {
		for _, r := range c.trials {
			t.Add(fmt.Sprintf("%s, %s: %d", c.goal.codec, r.name, r.Clients), fmt.Sprint(len(r.First)),
				report.Millis(report.Percentile(r.First, 0.5)), report.Millis(report.Percentile(r.First, 0.99)), fmt.Sprint(len(r.Refusals)),
				report.Millis(report.Percentile(r.Refusals, 0.5)), report.Millis(report.Percentile(r.Refusals, 0.99)), report.Millis(report.Percentile(r.Refusals, 1)),
				fmt.Sprint(len(r.Broken)), fmt.Sprint(r.Heard.Troubled), fmt.Sprint(r.Heard.Underruns), report.Millis(r.Heard.Worst))
		}
	}
	return t
}

func tookTable(all []*capacity) report.Part {
	t := &report.Table{Header: []string{"format, streams", "server, µs per audio s", "worker and utterances, µs per audio s", "server and all, share", "clients, share", "all cores, busiest 3 s", "clients late over 10 ms", "latest", "memory, MiB"}}
	for _, c := range all {
		for _, r := range c.trials {
			audio := r.Heard.Audio.Seconds()
			all := r.Memory.Server + r.Memory.Workers + r.Memory.Utterances
			t.Add(fmt.Sprintf("%s, %s: %d", c.goal.codec, r.name, r.Clients),
				report.Micros(library.PerSecond(r.Used.Server, audio)), report.Micros(library.PerSecond(r.Used.Speakers, audio)),
				report.Percent(r.Share(r.Used.Server+r.Used.Speakers)), report.Percent(r.Share(r.Used.Clients)), report.Percent(r.Busiest),
				report.Percent(r.Heard.Tardiness()), report.Millis(r.Heard.Latest), report.Mebibytes(all))
		}
	}
	return t
}

// judge notes what is wanted and whether it was reached.
func (c *capacity) judge(r *report.Report) {
	const (
		soon   = 25 * time.Millisecond // the first byte
		prompt = 20 * time.Millisecond // a refusal
	)
	name := fmt.Sprintf("Streams, %s: ", c.goal.codec)
	report.AtLeast(r, name+"number without an underrun ÷ ceiling", float64(c.most)/max(c.ceiling, 1), c.goal.share, report.Ratio)
	for _, u := range c.trials {
		at := fmt.Sprintf("%sat %d, ", name, u.Clients)
		switch u.name {
		case usualLoad:
			report.AtMost(r, at+"first byte p99", report.Percentile(u.First, 0.99), soon, report.Millis)
			report.AtMost(r, at+"streams refused or broken", float64(u.Clients-len(u.First)+len(u.Heard.Broken)), 0, report.Whole)
		case twiceAsMany:
			report.AtMost(r, at+"admitted streams with underruns or broken", float64(u.Heard.Troubled+len(u.Broken)), 0, report.Whole)
			report.AtMost(r, at+"longest refusal", report.Percentile(u.Refusals, 1), prompt, report.Millis)
		}
	}
}

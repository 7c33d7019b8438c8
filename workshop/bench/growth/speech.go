package growth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
	"vaak/workshop/bench/speech"
)

// texts measures speech against the length of its text.
func texts(ctx context.Context, b *rig.Bench) ([]series, string, error) {
	const shortest, most = 5, 400 // characters of the first size; requests
	used := series{of: "characters of a text", figure: "processor time, server and engine, ms", kind: linear}
	first := series{of: used.of, figure: "first audio p50, ms", kind: flat}
	p := &speech.Prober{S: b.Vaak, Rest: b.Plan.Rest}
	defer p.Close()
	for _, decade := range b.Plan.Decades {
		size := decade / 100 * shortest
		t, err := corpus.New(corpus.English, size)
		if err != nil {
			return nil, "", err
		}
		var times []time.Duration
		for range b.Plan.Requests {
			d, err := p.Probe(t)
			if err = errors.Join(err, ctx.Err()); err != nil {
				return nil, "", err
			}
			times = append(times, d)
		}
		before, err := b.Vaak.ReapedCPU()
		if err != nil {
			return nil, "", err
		}
		count := max(3, min(most, b.Plan.GrowthText/size))
		if _, err := client.SpeakAll(b.Vaak, t, 1, count); err != nil {
			return nil, "", err
		}
		if err := b.Vaak.WaitIdle(); err != nil {
			return nil, "", err
		}
		after, err := b.Vaak.ReapedCPU()
		if err != nil {
			return nil, "", err
		}
		used.add(len([]rune(t.Text)), (after-before).Seconds()*1e3/float64(count))
		first.add(len([]rune(t.Text)), report.Percentile(times, 0.5).Seconds()*1e3)
	}
	return []series{used, first}, "Length of a text in characters, English, up to the most that a request may have. Of longer texts the client leaves after the first audio; for the processor time it hears all.", nil
}

func (s *series) add(size int, value float64) {
	s.sizes, s.values = append(s.sizes, size), append(s.values, value)
}

// crowds measures streams at playback speed against their number.
func crowds(ctx context.Context, b *rig.Bench) ([]series, string, error) {
	const most = 300
	used := series{of: "listeners", figure: "processor time, server and engine, µs a second of audio", kind: flat}
	memory := series{of: used.of, figure: "memory beyond that of an idle server, MiB", kind: linear}
	long, err := corpus.New(corpus.English, 5000)
	if err != nil {
		return nil, "", err
	}
	for _, decade := range b.Plan.Decades {
		n := min(decade/100, most)
		list := make([]corpus.Sample, n)
		for i := range list {
			// The voice speaks about 15 characters a second.
			if list[i], err = corpus.Shuffled(corpus.English, int(15*b.Plan.GrowthSpeech.Seconds()), i); err != nil {
				return nil, "", err
			}
		}
		t, err := listeners.Attend(ctx, b.Vaak, list, listeners.Visit{Arrive: time.Duration(n) * b.Plan.GrowthArrive / most, Speech: b.Plan.GrowthSpeech})
		if err != nil {
			return nil, "", err
		}
		fmt.Fprintf(b.Log, "        %s\n", t)
		used.add(n, report.Over(t.Used.Server+t.Used.Speakers, t.Heard.Audio)*1e6)
	}
	if err := hold(ctx, b, &memory, long, most); err != nil {
		return nil, "", err
	}
	return []series{used, memory}, fmt.Sprintf("Listeners at playback speed, pcm, each with a text of its own of %s; the largest number is %d, which two cores serve without a refusal. "+
		"Memory is that under texts of 5,000 characters, when the buffers are full: the heap and stacks of the server after a collection, and its other processes, shared pages counted once.", report.Lasting(b.Plan.GrowthSpeech), most), nil
}

// hold adds what a server holds beyond that of an idle one under a growing number of streams of a
// text, whose buffers are full. They come a part at a time, as so many at once would be refused.
func hold(ctx context.Context, b *rig.Bench, memory *series, t corpus.Sample, most int) error {
	const part = 50
	s, err := b.Another(ctx) // which holds no buffers of those before
	if err != nil {
		return err
	}
	defer s.Stop()
	first, err := listeners.Gather(s, t, 1) // what the first one makes is kept
	if err == nil {
		err = first.Stop(s)
	}
	if err != nil {
		return err
	}
	idle, err := live(ctx, s)
	if err != nil {
		return err
	}
	a, err := listeners.Assemble(s, t, 0)
	if err != nil {
		return err
	}
	there := 0
	for _, decade := range b.Plan.Decades {
		n := min(decade/100, most)
		for ; there < n && err == nil; there += min(n-there, part) {
			if err = a.Add(s, t, min(n-there, part)); err == nil {
				err = s.Calm()
			}
		}
		if err == nil {
			var held float64
			held, err = live(ctx, s)
			memory.add(n, max(held-idle, 0.01))
		}
	}
	return errors.Join(err, a.Stop(s))
}

// live returns the memory of a server without its garbage, and of its other processes, in MiB.
func live(ctx context.Context, s *server.Server) (float64, error) {
	own, err := s.Lean(ctx)
	if err != nil {
		return 0, err
	}
	all, err := s.Footprint()
	return float64(own.Heap)/(1<<20) + float64(all.Workers+all.Utterances)/1024, err
}

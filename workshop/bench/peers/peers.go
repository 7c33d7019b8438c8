// Package peers measures Vaak beside other servers of text to speech that come from PyPI, need no
// weights of a model, and speak with espeak-ng too.
package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"vaak/audio/codec"
	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// Lengths of the texts, in code points.
const short, long = 20, 500

// clients are how many ask at once for the throughput.
var clients = []int{1, 8}

// figures are what was measured of a system.
type figures struct {
	*system
	first    [2]report.Rounds // of short and long texts
	requests [2][]float64     // a second, by clients, round by round
	audio    [2][]float64     // seconds of it a second
	used     []float64        // processor time of a second of audio, ms
	memory   int64            // KiB, idle, after all that
	spoken   int              // texts, so that none is spoken twice
}

// Measure measures the peers that can be had, and Vaak.
func Measure(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	dir, err := os.MkdirTemp(b.Dir, "peers-")
	if err != nil {
		return nil, err
	}
	python, err := install(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return []report.Part{report.Prose("Not measured: the peers could not be installed from PyPI, which takes Python 3.11 with `venv` and the network: " + lastLine(err.Error()) + "."), report.Prose(absent)}, nil
	}
	all := []*figures{{system: &system{name: "Vaak", formats: formatNames(), server: atTheirRate(b.Vaak), dial: overHTTP}}}
	var missing []string
	for _, p := range known {
		s, err := p.start(ctx, python, dir)
		if err != nil {
			fmt.Fprintf(b.Log, "        %s: %v\n", p.name, err)
			missing = append(missing, fmt.Sprintf("%s did not start: %s.", p.name, lastLine(err.Error())))
			continue
		}
		defer s.server.Stop()
		all = append(all, &figures{system: s})
	}
	for range b.Plan.Rounds {
		for _, f := range all {
			if err := errors.Join(f.round(b.Plan), ctx.Err()); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	for _, f := range all {
		m, err := f.server.Footprint()
		if err != nil {
			return nil, err
		}
		f.memory = m.Server + m.Workers
	}
	judge(&b.Report, all)
	return []report.Part{
		report.Prose(fmt.Sprintf("Other servers that speak with the same espeak-ng, in the same minutes: all run, and the rounds visit each in turn. English, in the voice `%s` at %d words a minute, each text once only, since some keep what they have spoken; "+
			"Vaak is asked for pcm at 22,050 Hz, the rate of the others; at 24,000 Hz, its default, it resamples, which the sections on processor time show. It authenticates, counts and settles each request, which none of them does. "+
			"%d requests for every figure of the first audio, one at a time, then %s of clients that never pause, with texts of %d characters. Processor time is that of one client, of the server and all its processes. "+
			"Memory is resident, of the server and its workers when idle; pages that workers share count in each.",
			corpus.English.Library.Voice, corpus.English.Library.Rate, all[0].first[0].Count(), report.Lasting(b.Plan.Throughput), long)),
		tableOf(all),
		report.Prose(descriptions()),
		report.Prose(strings.Join(append(missing, absent), " ")),
	}, nil
}

// atTheirRate returns Vaak as one that is asked for the sample rate of the others, which do not
// resample. It is the same process.
func atTheirRate(vaak *server.Server) *server.Server {
	other := *vaak
	other.Format.SampleRate = libraryRate
	other.Request = func(t corpus.Sample) []byte {
		body, err := json.Marshal(map[string]any{
			"input": t.Text, "voice": t.Lang.Voice, "lang": t.Lang.Code, "stream": true, "response_format": "pcm", "sample_rate": libraryRate,
		})
		if err != nil {
			panic(err) // only strings and booleans
		}
		return fmt.Appendf(nil, "POST /v1/audio/speech HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			other.Addr, other.Key, len(body), body)
	}
	return &other
}

// libraryRate is that of espeak-ng, in Hz.
const libraryRate = 22050

// absent tells what cannot be had.
const absent = "Not compared: wyoming-ovos-tts 0.2.0, which does not start with wyoming 1.10.2, whose voices must say their version; ovos-tts-server 1.13.4, the newest, which does not load the last plugin of espeak; " +
	"gTTS, which is a client of a service; LocalAI, which no package registry has: it is built with, or fetches, what speaks from elsewhere; servers that need weights."

// round measures a system once.
func (f *figures) round(p rig.Plan) error {
	one, err := f.dial(f.server)
	if err != nil {
		return err
	}
	defer one.Close()
	if _, _, err := one.speak(f.next(short)); err != nil { // the first on a connection
		return err
	}
	for i, size := range []int{short, long} {
		var times []time.Duration
		for range p.Peers {
			server.Nap(p.Rest)
			first, _, err := one.speak(f.next(size))
			if err != nil {
				return err
			}
			times = append(times, first)
		}
		f.first[i] = append(f.first[i], times)
	}
	for i, n := range clients {
		if err := f.sustain(i, n, p.Throughput); err != nil {
			return err
		}
	}
	return f.server.WaitIdle()
}

// next returns a text that the system has not spoken.
func (f *figures) next(size int) corpus.Sample {
	f.spoken++
	t, err := corpus.Shuffled(corpus.English, size, f.spoken)
	if err != nil {
		panic(err) // the corpus is built in
	}
	return t
}

// sustain has n clients ask for a while, each for what no other one has had.
func (f *figures) sustain(at, n int, length time.Duration) error {
	texts := make(chan corpus.Sample)
	stop := make(chan struct{})
	go func() {
		defer close(texts)
		for {
			t := f.next(long)
			select {
			case texts <- t:
			case <-stop:
				return
			}
		}
	}()
	var requests, bytes atomic.Int64
	if err := f.server.WaitIdle(); err != nil {
		return err
	}
	before, err := f.server.ReapedCPU()
	if err != nil {
		return err
	}
	began := time.Now()
	var g client.Group
	for range n {
		g.Go(func() error {
			c, err := f.dial(f.server)
			if err != nil {
				return err
			}
			defer c.Close()
			for time.Since(began) < length {
				_, size, err := c.speak(<-texts)
				if err != nil {
					return err
				}
				requests.Add(1)
				bytes.Add(size)
			}
			return nil
		})
	}
	err = g.Wait()
	wall := time.Since(began).Seconds()
	close(stop)
	for range texts { // until the one who makes them has stopped
	}
	if err = errors.Join(err, f.server.WaitIdle()); err != nil {
		return err
	}
	after, err := f.server.ReapedCPU()
	seconds := f.server.Seconds(bytes.Load())
	f.requests[at] = append(f.requests[at], float64(requests.Load())/wall)
	f.audio[at] = append(f.audio[at], seconds/wall)
	if n == 1 {
		f.used = append(f.used, (after-before).Seconds()*1e3/seconds)
	}
	return err
}

func tableOf(all []*figures) report.Part {
	t := &report.Table{Header: []string{"server", "first audio, 20 characters, p50", "p99", "500 characters, p50", "p99", "requests a second, 1 client", "8 clients", "audio s a second, 1 client", "8 clients", "processor, ms per audio s", "memory, MiB", "formats"}}
	for _, f := range all {
		cells := []string{f.title()}
		for _, r := range f.first {
			cells = append(cells, report.Millis(r.P50()), report.Millis(r.P99()))
		}
		for _, r := range append(f.requests[:], f.audio[:]...) {
			cells = append(cells, report.Whole(report.Median(r)))
		}
		t.Add(append(cells, report.Ratio(report.Median(f.used)), report.Mebibytes(f.memory), f.formats)...)
	}
	return t
}

// judge notes how Vaak, the first, does beside the best of the others.
func judge(r *report.Report, all []*figures) {
	if len(all) < 2 {
		return
	}
	vaak, best, most := all[0], all[1].first[1].P50(), 0.0
	for _, f := range all[1:] {
		best, most = min(best, f.first[1].P50()), max(most, report.Median(f.audio[1]))
	}
	report.AtMost(r, "First audio, 500 characters, p50 ÷ the fastest peer's", report.Over(vaak.first[1].P50(), best), 0.5, report.Ratio)
	report.AtLeast(r, "Seconds of audio a second, 8 clients ÷ the busiest peer's", report.Median(vaak.audio[1])/max(most, 1), 1, report.Ratio)
}

func formatNames() string {
	var names []string
	for _, c := range codec.Available() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// lastLine is what a failed program said last.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], ".")
}

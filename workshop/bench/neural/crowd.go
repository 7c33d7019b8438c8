package neural

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vaak/engine/onnx/worker"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/server"
)

// wanted is how many listeners hear everything in time at least, on two cores.
const wanted = 12

// What is wanted of many listeners.
const (
	soon   = 350 * time.Millisecond // the first byte
	prompt = 50 * time.Millisecond  // a refusal
)

// wordsOf is how many words the sentences of listeners have, which last some five seconds.
const wordsOf = 11

// texts returns a text of about so many seconds for each of n listeners.
func (n *bench) texts(count int, d time.Duration) []corpus.Sample {
	all := make([]corpus.Sample, count)
	for i := range all {
		all[i] = n.sample(strings.Join(n.sentences(max(1, int(d.Seconds()/5)), wordsOf, 1000*count+i), " "))
	}
	return all
}

// crowds returns an empty table of crowds.
func crowds() *report.Table {
	return &report.Table{Header: []string{"listeners", "admitted", "first byte p50", "p99", "refused", "longest refusal", "with underruns", "broken", "all cores, share"}}
}

// attend has so many listeners come, and adds what became of them to a table.
func (n *bench) attend(ctx context.Context, out *report.Table, count int, v listeners.Visit) (listeners.Turnout, error) {
	t, err := listeners.Attend(ctx, n.server, n.texts(count, v.Speech), v)
	fmt.Fprintf(n.Log, "        neural, %s\n", t)
	out.Add(fmt.Sprint(count), fmt.Sprint(len(t.First)), report.Millis(report.Percentile(t.First, 0.5)), report.Millis(report.Percentile(t.First, 0.99)),
		fmt.Sprint(len(t.Refusals)), report.Millis(report.Percentile(t.Refusals, 1)), fmt.Sprint(t.Heard.Troubled), fmt.Sprint(len(t.Broken)), report.Percent(t.Share(t.Used.Server+t.Used.Speakers)))
	return t, err
}

// few measures one and four listeners of a dear voice.
func (n *bench) few(ctx context.Context) ([]report.Part, error) {
	out := crowds()
	const most = 4
	for _, count := range []int{1, most} {
		v := listeners.Visit{Arrive: n.Plan.Dear.Arrive * time.Duration(count) / most, Speech: n.Plan.Dear.Speech}
		if _, err := n.attend(ctx, out, count, v); err != nil {
			return nil, err
		}
	}
	return []report.Part{report.Prose(fmt.Sprintf("Listeners at playback speed, each about %s.", report.Lasting(n.Plan.Dear.Speech))), out}, nil
}

// listeners measures how many hear everything in time.
func (n *bench) listeners(ctx context.Context) ([]report.Part, error) {
	out := crowds()
	v := n.Plan.Dear
	most := 0
	for _, count := range n.Plan.Neural {
		t, err := n.attend(ctx, out, count, v)
		if err != nil {
			return nil, err
		}
		if !t.Good() {
			break
		}
		most = count
		if count == wanted {
			report.AtMost(&n.Report, fmt.Sprintf("Neural voice, %d listeners, first byte p99", count), report.Percentile(t.First, 0.99), soon, report.Millis)
		}
	}
	report.AtLeast(&n.Report, "Neural voice, listeners without a late block", float64(most), wanted, report.Whole)
	// Twice as many, or what can be tried: the surplus is refused, and nobody is interrupted.
	t, err := n.attend(ctx, out, 2*max(most, n.Plan.Neural[0]), v)
	if err != nil {
		return nil, err
	}
	report.AtMost(&n.Report, "Neural voice, twice as many listeners, admitted ones with underruns or broken", float64(t.Heard.Troubled+len(t.Broken)), 0, report.Whole)
	report.AtMost(&n.Report, "Neural voice, twice as many listeners, longest refusal", report.Percentile(t.Refusals, 1), prompt, report.Millis)
	return []report.Part{
		report.Prose(fmt.Sprintf("Listeners at playback speed, as in the section on streams: each with sentences of its own of some five seconds, about %s of them. The numbers go up until somebody misses a block, then twice the last good one is tried.", report.Lasting(v.Speech))),
		out,
	}, nil
}

// beside measures embedded voices while neural ones speak.
func (n *bench) beside(ctx context.Context) ([]report.Part, error) {
	neural, others := n.Plan.Neural[0]/2, n.Plan.Scaled(100)
	if neural = max(1, neural); others < 3 {
		others = 3
	}
	v := n.Plan.Dear
	cheap := make([]corpus.Sample, others)
	for i := range cheap {
		var err error
		if cheap[i], err = corpus.Shuffled(corpus.English, int(v.Speech.Seconds()*15), i); err != nil {
			return nil, err
		}
	}
	type result struct {
		listeners.Turnout
		err error
	}
	results := make(chan result, 1)
	go func() {
		t, err := listeners.Attend(ctx, n.server, n.texts(neural, v.Speech+v.Arrive), listeners.Visit{Arrive: v.Arrive / 4, Speech: v.Speech})
		results <- result{t, err}
	}()
	t, err := listeners.Attend(ctx, n.server, cheap, v)
	dear := <-results
	if err = errors.Join(err, dear.err); err != nil {
		return nil, err
	}
	out := &report.Table{Header: []string{"voice", "listeners", "first byte p50", "p99", "refused", "with underruns", "broken"}}
	for _, r := range []struct {
		name string
		listeners.Turnout
	}{{"embedded", t}, {"neural", dear.Turnout}} {
		out.Add(r.name, fmt.Sprint(r.Clients), report.Millis(report.Percentile(r.First, 0.5)), report.Millis(report.Percentile(r.First, 0.99)), fmt.Sprint(len(r.Refusals)), fmt.Sprint(r.Heard.Troubled), fmt.Sprint(len(r.Broken)))
	}
	name := fmt.Sprintf("%d embedded listeners beside %d neural ones, ", others, neural)
	report.AtMost(&n.Report, name+"first byte p99", report.Percentile(t.First, 0.99), 25*time.Millisecond, report.Millis)
	report.AtMost(&n.Report, name+"with underruns, refused or broken", float64(troubled(t)+troubled(dear.Turnout)), 0, report.Whole)
	return []report.Part{report.Prose("Embedded voices beside neural ones, all at playback speed."), out}, nil
}

// troubled returns how many of a crowd were refused, did not hear their stream to its end, or
// not in time.
func troubled(t listeners.Turnout) int { return len(t.Refusals) + len(t.Broken) + t.Heard.Troubled }

// memory measures what a voice takes in a worker of its own.
func (n *bench) memory(ctx context.Context) ([]report.Part, error) {
	p, err := n.process()
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }()
	look := func() (int64, error) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
		if err != nil {
			return 0, err
		}
		return server.ParseKiB(status, "RssAnon")
	}
	if _, err := p.Version(ctx); err != nil {
		return nil, err
	}
	empty, err := look()
	if err != nil {
		return nil, err
	}
	// What all voices share, such as the numbers of the noise, comes with the first.
	first := n.job(n.lengths[1].symbols)
	if _, err := n.chunks(ctx, p, first); err != nil {
		return nil, err
	}
	before, err := look()
	if err != nil {
		return nil, err
	}
	second := first
	if second.Model, err = n.copyOfModel(); err != nil {
		return nil, err
	}
	if _, err := p.Facts(ctx, second); err != nil {
		return nil, err
	}
	loaded, err := look()
	if err != nil {
		return nil, err
	}
	if _, err := n.chunks(ctx, p, second); err != nil {
		return nil, err
	}
	idle, err := look()
	if err != nil {
		return nil, err
	}
	busy, err := n.four(ctx, p, second.Model, look)
	if err != nil {
		return nil, err
	}
	loaded, idle, busy = loaded-before, idle-before, busy-before
	out := &report.Table{Header: []string{"of a worker", "MiB"}}
	for _, r := range []struct {
		name string
		kib  int64
	}{
		{"without a voice", empty}, {"with one, idle after a sentence", before}, {"a voice more, loaded", loaded},
		{"a voice more, idle after a sentence", idle}, {"a voice more, with four streams", busy},
	} {
		out.Add(r.name, report.Mebibytes(r.kib))
	}
	const mib = 1024
	report.AtMost(&n.Report, "Neural voice, idle, MiB", float64(idle)/mib, 130, report.Whole)
	report.AtMost(&n.Report, "Neural voice with four streams, MiB", float64(busy)/mib, 350, report.Whole)
	return []report.Part{report.Prose("Memory that is not of files (`RssAnon`), in a worker of neural voices."), out}, nil
}

// copyOfModel returns the path of a copy, which a worker takes for another model.
func (n *bench) copyOfModel() (string, error) {
	b, err := os.ReadFile(n.model)
	if err != nil {
		return "", err
	}
	path := filepath.Join(n.dir, "copy.onnx")
	return path, os.WriteFile(path, b, 0o600)
}

// four speaks four sentences of different lengths at once, again and again, and returns the most
// memory in use meanwhile.
func (n *bench) four(ctx context.Context, p *worker.Process, model string, look func() (int64, error)) (most int64, err error) {
	done := make(chan error, 4)
	for i := range 4 {
		go func() {
			var err error
			for k := range 3 {
				if err == nil {
					j := n.job(n.lengths[(i+k)%3].symbols)
					j.Model = model
					_, err = n.chunks(ctx, p, j)
				}
			}
			done <- err
		}()
	}
	for running := 4; running > 0; {
		select {
		case e := <-done:
			running--
			err = errors.Join(err, e)
		case <-time.After(20 * time.Millisecond):
		}
		kib, e := look()
		err = errors.Join(err, e)
		most = max(most, kib)
	}
	return most, err
}

package neural

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"vaak/engine/onnx/ort"
	"vaak/engine/onnx/worker"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/speech"
)

var quiet = slog.New(slog.DiscardHandler)

// bare is the runtime with the model as it is published.
type bare struct {
	*bench
	session *ort.Session
	output  string
}

func openBare(n *bench, model []byte) (*bare, error) {
	lib, err := ort.Open(n.library)
	if err != nil {
		return nil, err
	}
	s, err := lib.NewSession(model, ort.Options{})
	if err != nil {
		return nil, err
	}
	return &bare{n, s, s.Outputs()[0].Name}, nil
}

// spent is what a sentence took.
type spent struct {
	wall, processor, audio time.Duration
	first                  time.Duration // until the first audio
}

func (s spent) factor() float64 { return report.Over(s.processor, s.audio) }

// speak computes a sentence of so many symbols as a whole.
func (b *bare) speak(ctx context.Context, symbols int) (spent, error) {
	in := b.inputs(symbols)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, before := time.Now(), threadTime()
	out, err := b.session.Run(ctx, in, b.output)
	if err != nil {
		return spent{}, fmt.Errorf("bare runtime: %w", err)
	}
	samples := 1
	for _, d := range out[0].Dims {
		samples *= int(d)
	}
	wall := time.Since(began)
	return spent{wall: wall, processor: threadTime() - before, audio: b.audioOf(samples), first: wall}, nil
}

// threadTime returns how long a processor has worked for the calling thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// chunks computes the same in a worker, chunk by chunk.
func (n *bench) chunks(ctx context.Context, p *worker.Process, j worker.Job) (spent, error) {
	began := time.Now()
	t, err := p.Do(ctx, j)
	if err != nil {
		return spent{}, err
	}
	defer t.Close()
	var s spent
	samples := 0
	for {
		c, ok, err := t.Chunk(ctx)
		if err != nil {
			return s, err
		}
		if s.first == 0 {
			s.first = time.Since(began)
		}
		if !ok {
			break
		}
		samples += len(c.PCM)
	}
	s.wall, s.processor, s.audio = time.Since(began), t.Busy(), n.audioOf(samples)
	return s, nil
}

// cost measures what a second of audio costs in chunks and as a whole.
func (n *bench) cost(ctx context.Context) ([]report.Part, error) {
	p, err := n.process()
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }()
	out := &report.Table{Header: []string{"sentence", "bare, real-time factor", "Vaak, real-time factor", "Vaak ÷ bare", "bare, first audio", "worker, first audio"}}
	times := n.runs(3)
	for i, l := range n.lengths {
		j := n.job(l.symbols)
		// The first run makes what later ones keep. A longer text adds little to that, which the median
		// leaves out.
		if i == 0 {
			if _, err := n.chunks(ctx, p, j); err != nil {
				return nil, err
			}
			if _, err := n.bare.speak(ctx, l.symbols); err != nil {
				return nil, err
			}
		}
		var whole, cut, ratio []float64
		var wholeFirst, cutFirst []time.Duration
		var audio time.Duration
		for range times {
			a, err := n.bare.speak(ctx, l.symbols)
			if err != nil {
				return nil, err
			}
			b, err := n.chunks(ctx, p, j)
			if err != nil {
				return nil, err
			}
			audio = b.audio
			whole, cut, ratio = append(whole, a.factor()), append(cut, b.factor()), append(ratio, b.factor()/a.factor())
			wholeFirst, cutFirst = append(wholeFirst, a.first), append(cutFirst, b.first)
		}
		out.Add(lasting(audio), fmt.Sprintf("%.3f", report.Median(whole)), fmt.Sprintf("%.3f", report.Median(cut)), report.Ratio(report.Median(ratio)),
			report.Millis(report.Median(wholeFirst)), report.Millis(report.Median(cutFirst)))
		if l.seconds > 2 && n.kind == worker.Piper { // of a short one the calls are much
			report.AtMost(&n.Report, fmt.Sprintf("Neural voice, real-time factor ÷ the bare runtime's, %d s", l.seconds), report.Median(ratio), 1.15, report.Ratio)
		}
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("The real-time factor is processor time of the thread that computes, in seconds for a second of audio. The two take turns, %d times for each sentence.", times)),
		out,
	}, nil
}

// bareEvery is after how many requests the bare runtime computes the whole graph, whose time hardly
// differs from run to run.
const bareEvery = 3

// firstAudio measures how soon the server's first byte of audio comes, with nothing else going on.
func (n *bench) firstAudio(ctx context.Context) ([]report.Part, error) {
	prober := &speech.Prober{S: n.server, Rest: n.Plan.Rest}
	defer prober.Close()
	times := n.runs(max(3, n.Plan.Requests/5))
	out := &report.Table{Header: []string{"sentence", "bare whole p50", "Vaak p50", "Vaak p99", "Vaak ÷ bare"}}
	for _, l := range n.lengths {
		var first, whole []time.Duration
		seconds := 0.0
		for i := range times {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var d time.Duration
			var err error
			if i == 0 {
				d, seconds, err = n.heard(n.sentence(l.words, i))
			} else {
				d, err = prober.Probe(n.sentence(l.words, i))
			}
			if err != nil {
				return nil, err
			}
			first = append(first, d)
			if i%bareEvery > 0 {
				continue
			}
			s, err := n.bare.speak(ctx, int(math.Round(seconds/float64(l.seconds)*float64(l.symbols))))
			if err != nil {
				return nil, err
			}
			whole = append(whole, s.first)
		}
		p50 := report.Percentile(first, 0.5)
		out.Add(fmt.Sprintf("%.1f s", seconds), report.Millis(report.Percentile(whole, 0.5)), report.Millis(p50), report.Millis(report.Percentile(first, 0.99)), report.Ratio(report.Over(p50, report.Percentile(whole, 0.5))))
		if l.soon > 0 {
			report.AtMost(&n.Report, fmt.Sprintf("Neural voice, first audio p50, sentence of %d s", l.seconds), p50, l.soon, report.Millis)
		}
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("From writing the request to the first byte of audio, %d times for each row, each sentence another one. Of the bare runtime it is the time of the whole graph, of about as many symbols, after every third.", times)),
		out,
	}, nil
}

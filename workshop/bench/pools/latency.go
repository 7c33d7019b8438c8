package pools

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/server"
)

// What Vaak may add to the first audio of a server.
const (
	addedP50 = 2 * time.Millisecond
	addedP99 = 8 * time.Millisecond
)

// busy is how many streams run while latency and cost are measured.
const busy = 100

// brief is a text of one short word, which is soon read to its end.
const brief = "Go."

// firsts are times to the first audio of a server asked directly and through Vaak.
type firsts struct{ direct, vaak []time.Duration }

// added returns by how much a percentile through Vaak is above the same of the server.
func (f firsts) added(p float64) time.Duration {
	return report.Percentile(f.vaak, p) - report.Percentile(f.direct, p)
}

// measure has clients ask both in turn, so often in all.
func (m *bench) measure(ctx context.Context, p *pool, clients, requests int) (firsts, error) {
	var all firsts
	var mu sync.Mutex
	var group client.Group
	for lane := range clients {
		group.Go(func() error {
			f, err := m.lane(ctx, p, lane, requests/clients)
			mu.Lock()
			defer mu.Unlock()
			all.direct, all.vaak = append(all.direct, f.direct...), append(all.vaak, f.vaak...)
			return err
		})
	}
	return all, group.Wait()
}

// lane asks a server directly and through Vaak, in turn.
func (m *bench) lane(ctx context.Context, p *pool, lane, requests int) (f firsts, err error) {
	text := p.sample(brief)
	member := p.direct()
	first := map[*server.Server]func(*client.Client, []byte) (time.Duration, error){
		member: firstSample(p.kind == "vllm-omni"), m.vaak: firstSample(false),
	}
	conns := map[*server.Server]*client.Client{}
	for s := range first {
		if conns[s], err = client.Dial(s); err != nil {
			return f, err
		}
		defer conns[s].Close()
	}
	ask := func(s *server.Server) (time.Duration, error) {
		server.Nap(m.Plan.Rest)
		d, err := first[s](conns[s], s.Request(text))
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.Name, err)
		}
		return d, conns[s].Drain()
	}
	// The first ones open connections from Vaak to the server.
	const warm = 3
	for i := range warm + requests {
		turn := []*server.Server{member, m.vaak}
		if (i+lane)%2 == 1 {
			turn[0], turn[1] = turn[1], turn[0]
		}
		for _, s := range turn {
			d, err := ask(s)
			if err = errors.Join(err, ctx.Err()); err != nil {
				return f, err
			}
			switch {
			case i < warm:
			case s == member:
				f.direct = append(f.direct, d)
			default:
				f.vaak = append(f.vaak, d)
			}
		}
	}
	return f, nil
}

// firstSample returns how the time until the first sample is taken: of bare samples, or of events.
func firstSample(events bool) func(*client.Client, []byte) (time.Duration, error) {
	if !events {
		return func(c *client.Client, request []byte) (time.Duration, error) { return c.First(request, 0) }
	}
	return func(c *client.Client, request []byte) (time.Duration, error) {
		began := time.Now()
		if err := c.Ask(request); err != nil {
			return 0, err
		}
		var got []byte
		for {
			b, err := c.Next()
			if err != nil {
				return 0, fmt.Errorf("before the first audio: %w", err)
			}
			got = append(got, b...)
			event, _, whole := bytes.Cut(got, []byte("\n\n"))
			if !whole {
				continue
			}
			samples, err := decode(event)
			if err == nil && len(samples) < 2 {
				err = io.ErrUnexpectedEOF
			}
			return time.Since(began), err
		}
	}
}

// decode returns the samples of an event.
func decode(event []byte) ([]byte, error) {
	var data []byte
	for line := range bytes.Lines(event) {
		if rest, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			data = append(data, rest...)
		}
	}
	var fields struct{ Type, Audio string }
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("event %.80q: %w", event, err)
	}
	return base64.StdEncoding.DecodeString(fields.Audio)
}

func latencies() *report.Table {
	return &report.Table{Header: []string{"servers", "streams meanwhile", "direct p50", "direct p99", "Vaak p50", "Vaak p99", "added p50", "added p99"}}
}

func (f firsts) row(t *report.Table, name string, streams int) {
	t.Add(name, fmt.Sprint(streams), report.Millis(report.Percentile(f.direct, 0.5)), report.Millis(report.Percentile(f.direct, 0.99)),
		report.Millis(report.Percentile(f.vaak, 0.5)), report.Millis(report.Percentile(f.vaak, 0.99)), report.Millis(f.added(0.5)), report.Millis(f.added(0.99)))
}

// firstAudio measures what Vaak adds to the first audio, one request at a time.
func (m *bench) firstAudio(ctx context.Context) ([]report.Part, error) {
	out := latencies()
	requests := m.Plan.Rounds * m.Plan.Requests
	for _, one := range []struct{ pool, title string }{{events, "vLLM-Omni, events"}, {raw, "any OpenAI server, bare samples"}} {
		f, err := m.measure(ctx, m.pools[one.pool], 1, requests)
		if err != nil {
			return nil, err
		}
		f.row(out, one.title, 0)
		report.AtMost(&m.Report, "Pools, first audio added to the server's, p50, "+one.title, f.added(0.5), addedP50, report.Millis)
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("First audio, one request at a time, %d of each. What is added is the difference of the two percentiles.", requests)),
		out,
	}, nil
}

// texts returns one text for each of n listeners, which sounds about as long as d.
func (p *pool) texts(n int, d time.Duration) ([]corpus.Sample, error) {
	const perSecond = 19 // characters of a server of remotetest
	all := make([]corpus.Sample, n)
	for i := range all {
		t, err := corpus.Shuffled(corpus.English, int(d.Seconds()*perSecond), i)
		if err != nil {
			return nil, err
		}
		all[i] = p.sample(t.Text)
	}
	return all, nil
}

// turnout is what became of a crowd.
type turnout struct {
	listeners.Turnout
	err error
}

// attend has listeners come to the voice of a pool.
func (m *bench) attend(ctx context.Context, p *pool, n int, v listeners.Visit) (listeners.Turnout, error) {
	texts, err := p.texts(n, v.Speech)
	if err != nil {
		return listeners.Turnout{}, err
	}
	t, err := listeners.Attend(ctx, m.vaak, texts, v)
	fmt.Fprintf(m.Log, "        pools, %s\n", t)
	return t, err
}

// crowd measures many streams at playback speed: what one costs and takes, and what Vaak adds to
// the first audio meanwhile.
func (m *bench) crowd(ctx context.Context) ([]report.Part, error) {
	n := m.Plan.Scaled(busy)
	cost := &report.Table{Header: []string{"the server sends pieces of", "streams", "first byte p50", "p99", "with underruns", "broken or refused", "CPU per stream-second", "of it Vaak itself", "a stream more, MiB"}}
	v := m.Plan.Pooled
	v.Weigh = true
	for _, one := range []struct{ pool, piece string }{{paced, "20 ms"}, {coarse, "100 ms"}} {
		idle, err := m.vaak.Footprint()
		if err != nil {
			return nil, err
		}
		t, err := m.attend(ctx, m.pools[one.pool], n, v)
		if err != nil {
			return nil, err
		}
		each := func(d time.Duration) time.Duration {
			return time.Duration(report.Over(d, t.Heard.Audio) * float64(time.Second))
		}
		used := each(t.Used.Server + t.Used.Speakers)
		growth := "—" // what the first ones made is kept for the others
		if one.pool == paced {
			growth = fmt.Sprintf("%.2f", float64(t.Memory.Server-idle.Server)/1024/float64(n))
		}
		cost.Add(one.piece, fmt.Sprint(n), report.Millis(report.Percentile(t.First, 0.5)), report.Millis(report.Percentile(t.First, 0.99)), fmt.Sprint(t.Heard.Troubled), fmt.Sprint(len(t.Broken)+len(t.Refusals)),
			report.Millis(used), report.Millis(each(t.Used.Server)), growth)
		name := fmt.Sprintf("Pools, %d streams in pieces of %s, ", n, one.piece)
		report.AtMost(&m.Report, name+"CPU per stream-second", used, 2*time.Millisecond, report.Millis)
		report.AtMost(&m.Report, name+"with underruns, refused or broken", float64(t.Heard.Troubled+len(t.Broken)+len(t.Refusals)), 0, report.Whole)
	}
	f, err := m.beside(ctx, n)
	if err != nil {
		return nil, err
	}
	out := latencies()
	f.row(out, "vLLM-Omni, events", n)
	report.AtMost(&m.Report, fmt.Sprintf("Pools, first audio added to the server's, p50 beside %d streams", n), f.added(0.5), addedP50, report.Millis)
	report.AtMost(&m.Report, fmt.Sprintf("Pools, first audio added to the server's, p99 beside %d streams", n), f.added(0.99), addedP99, report.Millis)
	return []report.Part{
		report.Prose(fmt.Sprintf("Streams of pcm at playback speed, of texts of about %s, from a server that makes %d seconds of audio in a second. "+
			"Processor time is that of Vaak and its worker, from before the first request until the last stream has ended, for each second of audio that was heard; "+
			"memory is that of Vaak's process, resident, when all streams run.", report.Lasting(v.Speech), pace)),
		cost,
		report.Prose(fmt.Sprintf("First audio meanwhile, %d requests of each in three lanes, of the server that also serves the streams.", len(f.vaak))),
		out,
	}, nil
}

// beside measures first audio while so many streams of the same server run.
func (m *bench) beside(ctx context.Context, n int) (firsts, error) {
	const lanes = 3
	v := m.Plan.Pooled
	v.Speech *= 3 // they are left when enough was measured
	done := make(chan turnout, 1)
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	go func() {
		t, err := m.attend(ctx, m.pools[paced], n, v)
		done <- turnout{t, err}
	}()
	// A second more, in which the buffers of the last ones fill.
	server.Pause(ctx, v.Arrive+min(time.Second, v.Speech/4))
	f, err := m.measure(ctx, m.pools[paced], lanes, lanes*max(1, m.Plan.UnderLoad/lanes))
	early := false
	select {
	case t := <-done:
		early = m.Plan.Pooled.Speech > 10*time.Second // in a quick run they may have ended
		err = errors.Join(err, t.err)
	default:
		leave() // enough was heard
		<-done
	}
	if early {
		err = errors.Join(err, errors.New("the streams ended before the requests beside them"))
	}
	return f, err
}

package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// cancelLimit is how long after its cancellation a session may send audio, for
// all but one of a hundred.
const cancelLimit = 10 * time.Millisecond

// exit is a way in which a client ends a session that speaks.
type exit struct {
	name    string
	path    string
	context string
	begin   message // has more spoken than is waited for
	end     message // ends it; nil hangs up
}

// exits are the ways that are answered, then the one that is not.
func exits(t corpus.Sample) []exit {
	multi := socketPath(multiSocket, "auto_mode", "true")
	return []exit{
		{name: "native, cancel", path: socketPath(nativeSocket), begin: message{"text": t.Text + " "}, end: message{"cancel": true, "played_ms": 100}},
		{name: "multi-stream-input, close_context", path: multi, context: "a",
			begin: message{"text": t.Text + " ", "context_id": "a"}, end: message{"context_id": "a", "close_context": true}},
		{name: "hanging up", path: socketPath(nativeSocket), begin: message{"text": t.Text + " "}},
	}
}

// Cancel measures for how long a session that was cancelled sends audio, and
// what many that were leave behind.
func Cancel(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	t, err := corpus.New(corpus.English, 4000)
	if err != nil {
		return nil, err
	}
	list, err := measuredSentences(b.Vaak)
	if err != nil {
		return nil, err
	}
	out := &report.Table{Header: []string{"how, meanwhile", "last audio p50", "p99", "answer p50", "p99"}}
	for _, others := range []int{0, b.Plan.LiveStarts} {
		if err := cancelBeside(ctx, b, exits(t), list, others, out); err != nil {
			return nil, fmt.Errorf("beside %d sessions: %w", others, err)
		}
	}
	left, err := leftBehind(ctx, b, exits(t))
	if err != nil {
		return nil, err
	}
	return append([]report.Part{
		report.Prose(fmt.Sprintf("A session is given 4,000 characters at once and read as fast as it comes; up to 20 ms after the first audio the client cancels it, %d times in each row: "+
			"natively with `cancel`, and on the socket of many contexts with `close_context` of what was not flushed. From the sending of that message until the last frame of audio, "+
			"0 if none came any more, and until the answer. Meanwhile nothing else, or sessions in eager mode that are fed as fast as they are spoken.", b.Plan.LiveCancels)),
		out,
	}, left...), nil
}

// cancelBeside takes the times beside so many sessions that speak.
func cancelBeside(ctx context.Context, b *rig.Bench, ways []exit, list []sentence, others int, out *report.Table) (err error) {
	if err := b.Vaak.WaitIdle(); err != nil {
		return err
	}
	crowd, err := startTalks(ctx, b.Vaak, list, others)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, crowd.stop(), b.Vaak.WaitIdle()) }()
	for _, e := range ways {
		if e.end == nil {
			continue
		}
		var audio, answers []time.Duration
		for i := range b.Plan.LiveCancels {
			// From 0 to 20 ms in an order without a pattern.
			last, answer, err := e.take(ctx, b.Vaak, time.Duration(i*7%20)*time.Millisecond)
			if err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			audio, answers = append(audio, last), append(answers, answer)
			server.Nap(b.Plan.Rest)
		}
		name := fmt.Sprintf("%s, beside %d sessions", e.name, others)
		out.Add(name, report.Millis(report.Percentile(audio, 0.5)), report.Millis(report.Percentile(audio, 0.99)), report.Millis(report.Percentile(answers, 0.5)), report.Millis(report.Percentile(answers, 0.99)))
		report.AtMost(&b.Report, "Live, "+name+": last audio p99", report.Percentile(audio, 0.99), cancelLimit, report.Millis)
	}
	return nil
}

// take has a session begin, ends it a while after its first audio, and returns
// how much later its last audio and its answer came.
func (e exit) take(ctx context.Context, s *server.Server, after time.Duration) (last, answer time.Duration, err error) {
	conn, err := dialSocket(s, e.path, &net.Dialer{})
	if err != nil {
		return 0, 0, err
	}
	defer conn.close()
	defer context.AfterFunc(ctx, conn.close)()
	if err := conn.send(e.begin); err != nil {
		return 0, 0, err
	}
	if err := conn.firstAudio(); err != nil || e.end == nil {
		return 0, 0, err
	}
	type heard struct {
		audio, answer time.Time
		err           error
	}
	ended := make(chan heard, 1)
	go func() {
		var h heard
		h.audio, h.answer, h.err = conn.lastAudio()
		ended <- h
	}()
	server.Nap(after)
	began := time.Now()
	err = conn.send(e.end)
	h := <-ended
	if err = errors.Join(err, h.err); err == nil && h.answer.Before(began) {
		err = errors.New("the session had ended before it was cancelled")
	}
	return max(h.audio.Sub(began), 0), h.answer.Sub(began), err
}

// firstAudio reads up to the first frame of audio.
func (k *socket) firstAudio() error {
	for {
		r, err := k.next()
		if err != nil || r.bytes > 0 {
			return err
		}
		if r.last {
			return errors.New("the session ended before its first audio")
		}
	}
}

// lastAudio reads up to the last frame, and returns when it and the last with
// audio came.
func (k *socket) lastAudio() (audio, end time.Time, err error) {
	for {
		r, err := k.next()
		if err != nil {
			return audio, end, errors.Join(errUnheard, err)
		}
		if r.bytes > 0 {
			audio = r.at
		}
		if r.last {
			return audio, r.at, nil
		}
	}
}

// talks are sessions that speak beside what is measured.
type talks struct {
	leave   context.CancelFunc
	running client.Group
}

// talksLength is how long sessions speak beside what is measured, at most.
const talksLength = 10 * time.Minute

// startTalks begins sessions that are fed as fast as they are spoken, within a
// second, and returns when all of them speak.
func startTalks(ctx context.Context, s *server.Server, list []sentence, n int) (*talks, error) {
	ctx, leave := context.WithCancel(ctx)
	a := &talks{leave: leave}
	var all []*talk
	for i := range n {
		p := newTalk(dictationLasting(list, i, talksLength), eagerly, eagerLead)
		if err := p.open(s, &client.Afar); err != nil {
			return nil, errors.Join(err, a.stop())
		}
		a.running.Go(func() error { return p.attend(ctx) })
		all = append(all, p)
		server.Nap(time.Second / time.Duration(n))
	}
	late := time.After(server.Patience)
	for _, p := range all {
		select {
		case <-p.first:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), a.stop())
		case <-late:
			return nil, errors.Join(errors.New("a session does not begin to speak"), a.stop())
		}
	}
	if n > 0 {
		return a, s.Calm()
	}
	return a, nil
}

// stop ends all sessions. One that ended by itself is an error.
func (a *talks) stop() error {
	a.leave()
	return a.running.Wait()
}

// interrupting is how many clients interrupt sessions at a time.
const interrupting = 8

// leftBehind ends many sessions in all ways and looks at what the server holds
// before and after.
func leftBehind(ctx context.Context, b *rig.Bench, ways []exit) ([]report.Part, error) {
	s, err := b.Another(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	if err := interrupt(ctx, s, ways, interrupting*len(ways)); err != nil { // so that what stays for good is there
		return nil, err
	}
	before, err := s.Steady(ctx)
	if err != nil {
		return nil, err
	}
	if err := interrupt(ctx, s, ways, b.Plan.LiveInterrupted); err != nil {
		return nil, err
	}
	after, err := s.Settle(ctx, before)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("Live, after %d interrupted sessions: ", b.Plan.LiveInterrupted)
	report.AtMost(&b.Report, name+"goroutines more", float64(after.Goroutines-before.Goroutines), 0, report.Whole)
	report.AtMost(&b.Report, name+"open sockets more", float64(after.Sockets-before.Sockets), 0, report.Whole)
	report.AtMost(&b.Report, name+"processes that speak", float64(after.Speakers), 0, report.Whole)
	t := &report.Table{Header: []string{"", "goroutines", "open sockets", "processes that speak", "resident, MiB"}}
	for _, row := range []struct {
		name string
		server.Holdings
	}{{"before", before}, {"after", after}} {
		t.Add(row.name, fmt.Sprint(row.Goroutines), fmt.Sprint(row.Sockets), fmt.Sprint(row.Speakers), report.Mebibytes(row.RSS>>10))
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("What another Vaak, which has just been started and has served a few, holds before and after %d sessions, a third of which were ended in each of these two ways and a third by hanging up without a word, all while they spoke and %d at a time; "+
			"as soon as it is no more than before, or after %s.", b.Plan.LiveInterrupted, interrupting, report.Lasting(server.RestTime))),
		t,
	}, nil
}

// interrupt begins so many sessions and ends them in all ways in turn.
func interrupt(ctx context.Context, s *server.Server, ways []exit, n int) error {
	var g client.Group
	room := make(chan struct{}, interrupting)
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		room <- struct{}{}
		g.Go(func() error {
			defer func() { <-room }()
			_, _, err := ways[i%len(ways)].take(ctx, s, time.Duration(i*7%20)*time.Millisecond)
			return err
		})
	}
	return errors.Join(g.Wait(), ctx.Err(), s.WaitIdle())
}

package pools

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"vaak/engine/remote/remotetest"
	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/server"
)

// mourners is how many streams run when a server dies.
const mourners = 60

// How the time of a death goes.
const (
	absence = 5 * time.Second // until the server is back
	window  = 2 * time.Second // in which requests are counted
	even    = 5 * time.Second // within which they are to be even again
)

// vocabulary returns words of the corpus whose tones differ in pitch, so that each can be told.
func vocabulary() ([]string, error) {
	b, err := corpus.Files.ReadFile("en.txt")
	if err != nil {
		return nil, err
	}
	taken := map[float64]bool{}
	var all []string
	for _, w := range remotetest.Split(string(b)) {
		plain := !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
		if len(w) >= 4 && plain && !taken[remotetest.Pitch(w)] {
			taken[remotetest.Pitch(w)] = true
			all = append(all, w)
		}
	}
	return all, nil
}

// story returns a text of sentences of eight words that sounds at least as long as d.
func story(words []string, d time.Duration, number int) string {
	const length = 8
	random := rand.New(rand.NewPCG(11, uint64(number)))
	words = slices.Clone(words)
	var b strings.Builder
	for sounds := time.Duration(0); sounds < d; {
		random.Shuffle(len(words), func(i, k int) { words[i], words[k] = words[k], words[i] })
		s := strings.Join(words[:length], " ")
		s = strings.ToUpper(s[:1]) + s[1:] + ". "
		b.WriteString(s)
		sounds += remotetest.Duration(s)
	}
	return strings.TrimSpace(b.String())
}

// listener hears one stream at playback speed and keeps what it heard.
type listener struct {
	text string
	came time.Time // when it asked

	began   time.Time     // of its first byte; zero before
	pcm     []byte        // heard
	longest time.Duration // by which sound came too late
	err     error
}

// listen asks for a text and reads the answer as it is played, and what is left when playing ends as
// fast as it comes.
func (l *listener) listen(ctx, playing context.Context, s *server.Server, p *pool) error {
	c, err := client.Connect(s, &client.Afar)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, c.Close)()
	defer c.Close()
	if err := c.Ask(s.Request(p.sample(l.text))); err != nil {
		return err
	}
	for {
		b, err := c.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if l.began.IsZero() {
			l.began = time.Now()
		}
		ahead := l.ahead(s)
		l.longest = max(l.longest, -ahead)
		l.pcm = append(l.pcm, b...)
		if ahead = l.ahead(s); ahead > listeners.Block {
			server.Pause(playing, ahead-listeners.Block)
		}
	}
}

// ahead returns how much of what was read has not been played yet.
func (l *listener) ahead(s *server.Server) time.Duration {
	return time.Duration(s.Seconds(int64(len(l.pcm)))*float64(time.Second)) - time.Since(l.began)
}

// heard says what a listener heard.
type heard struct {
	missing  int // words of the text that were not heard whole
	repeated int // words that were heard again
	cut      int // words that were heard in part
}

// heard compares what was heard with the text, whose words are among these. A word that breaks off
// and is not said again is missing; if it is said again, it is repeated.
func (l *listener) heard(words []string) heard {
	pcm := make([]int16, len(l.pcm)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(l.pcm[2*i:]))
	}
	return compare(remotetest.Split(l.text), remotetest.Words(pcm, server.VaakRate, words))
}

func compare(want, got []string) heard {
	same := common(want, got)
	h := heard{missing: len(want) - same}
	for _, w := range got {
		if w == "?" || strings.HasSuffix(w, "~") {
			h.cut++
		}
	}
	h.repeated = max(0, len(got)-same-min(h.cut, h.missing))
	return h
}

// common returns the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// death kills one of three servers under listeners and starts it again.
func (m *bench) death(ctx context.Context) ([]report.Part, error) {
	p := m.pools[trio]
	n := max(m.Plan.Scaled(mourners), 6)
	// The last ones come after the server has died, before it is back.
	arrive, lasts := 8*time.Second, 30*time.Second
	words, err := vocabulary()
	if err != nil {
		return nil, err
	}
	all := make([]*listener, n)
	var running sync.WaitGroup
	playing, hurry := context.WithCancel(ctx)
	defer hurry()
	began := time.Now()
	for i, at := range listeners.Arrivals(n, arrive) {
		l := &listener{text: story(words, lasts, i), came: began.Add(at)}
		all[i] = l
		running.Go(func() {
			server.Pause(ctx, time.Until(l.came))
			l.err = l.listen(ctx, playing, m.vaak, p)
		})
	}
	killed, took, err := m.killOne(ctx, p, began.Add(arrive*3/4))
	hurry() // nothing more happens: the words that are left need not take their time
	running.Wait()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	var r result
	var longest []time.Duration
	for _, l := range all {
		r.count(l, l.heard(words), killed)
		longest = append(longest, l.longest)
		if l.err != nil {
			fmt.Fprintf(m.Log, "        pools, a stream failed: %v\n", l.err)
		}
	}
	out := &report.Table{Header: []string{"when the server died", "streams", "failed", "heard every word", "repeated a word", "words missing", "words cut"}}
	for _, row := range []struct {
		name string
		tally
	}{{"running", r.running}, {"not begun", r.later}} {
		out.Add(row.name, fmt.Sprint(row.streams), fmt.Sprint(row.failed), fmt.Sprint(row.whole), fmt.Sprint(row.repeated), fmt.Sprint(row.missing), fmt.Sprint(row.cut))
	}
	evened := "not within the run"
	if took > 0 {
		evened = fmt.Sprintf("%.1f s", took.Seconds())
	} else {
		took = time.Hour
	}
	report.AtMost(&m.Report, "Pools, a server dies, failed streams that had not begun", float64(r.later.failed), 0, report.Whole)
	report.AtLeast(&m.Report, "Pools, a server dies, running streams that hear every word", float64(r.running.whole)/max(1, float64(r.running.streams)), 0.95, report.Percent)
	report.AtMost(&m.Report, "Pools, a server dies, streams that repeat a word", float64(r.running.repeated+r.later.repeated), 0, report.Whole)
	report.AtMost(&m.Report, "Pools, a server is back, until its load is even", took, even, func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) })
	return []report.Part{
		report.Prose(fmt.Sprintf("%d streams at playback speed, of texts of %s, on three servers. While the last quarter of them comes, one server is killed with SIGKILL; %s later it is back. When its load is even, what is left is read as fast as it comes. "+
			"Each word has a tone of its own, from which what was heard is read back and compared with the text.", n, report.Lasting(lasts), report.Lasting(absence))),
		out,
		report.Prose(fmt.Sprintf("Until load was even: %s after the server was back, from when on it got at least two thirds of its share of the sentences within %s. "+
			"The longest time that a listener waited for sound was %s (p50 %s).", evened, report.Lasting(window), report.Millis(report.Percentile(longest, 1)), report.Millis(report.Percentile(longest, 0.5)))),
	}, nil
}

// tally counts streams.
type tally struct{ streams, failed, whole, repeated, missing, cut int }

// result has the streams that ran when the server died, and those that began later.
type result struct{ running, later tally }

func (r *result) count(l *listener, h heard, killed time.Time) {
	t := &r.later
	if !l.began.IsZero() && l.began.Before(killed) {
		t = &r.running
	}
	t.streams++
	switch {
	case l.err != nil:
		t.failed++
	case h == heard{}:
		t.whole++
	}
	if h.repeated > 0 {
		t.repeated++
	}
	t.missing += h.missing
	t.cut += h.cut
}

// killOne kills the first server at its time and starts it again. It returns when the server died
// and how long it then took until its load was even; 0 if it never was while streams ran.
func (m *bench) killOne(ctx context.Context, p *pool, at time.Time) (killed time.Time, took time.Duration, err error) {
	server.Pause(ctx, time.Until(at))
	killed = time.Now()
	p.servers[0].Kill()
	server.Pause(ctx, absence)
	if err := p.servers[0].Restart(); err != nil {
		return killed, 0, err
	}
	back := time.Now()
	type look struct {
		at       time.Time
		requests []int
	}
	var looks []look
	for time.Since(back) < 3*even && ctx.Err() == nil {
		l := look{at: time.Now()}
		for _, s := range p.servers {
			c, err := s.Count()
			if err != nil {
				return killed, 0, err
			}
			l.requests = append(l.requests, c.Requests)
		}
		looks = append(looks, l)
		// The newest window that is over; it begins with the first look after its start.
		i := slices.IndexFunc(looks, func(first look) bool { return l.at.Sub(first.at) <= window+200*time.Millisecond })
		if first := looks[i]; l.at.Sub(first.at) >= window {
			sum := 0
			for k := range l.requests {
				sum += l.requests[k] - first.requests[k]
			}
			if share := l.requests[0] - first.requests[0]; sum > 0 && 3*len(p.servers)*share >= 2*sum {
				return killed, max(first.at.Sub(back), time.Millisecond), nil
			}
		}
		server.Pause(ctx, 100*time.Millisecond)
	}
	return killed, 0, nil
}

package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
	"vaak/workshop/bench/speech"
)

// meeting is many live sessions at once.
type meeting struct {
	name   string
	n      int
	naive  bool // of the naive server, which is asked for chunks
	times  int  // that it is held
	mode   mode
	within time.Duration // all begin
	speech time.Duration // how long a text sounds, about
	lead   time.Duration // how far the text is ahead of the sound; 0: it comes as fast as a model writes
	prompt time.Duration // limit of the first chunk's p99; 0 is none
}

// How far the text is ahead of the sound when it is fed about as fast as it is
// spoken: some words more than eager mode waits for, and more than the longest
// sentence sounds.
const (
	eagerLead    = 3 * time.Second
	sentenceLead = 8 * time.Second
)

// longestFed is how many words a sentence has at most that is fed to a crowd.
const longestFed = 18

// meetings are what is measured, one row each.
func meetings(p rig.Plan) []meeting {
	const prompt = 60 * time.Millisecond
	eager, sentences := p.LiveEager, p.LiveSentence
	if p.Listeners > 0 {
		eager, sentences = p.Listeners, p.Listeners
	}
	return []meeting{
		{"naive server, all begin within 1 s, eager", p.LiveStarts, true, 1, eagerly, time.Second, p.LiveSpeech / 2, 0, 0},
		{"all begin within 1 s, eager", p.LiveStarts, false, p.Rounds, eagerly, time.Second, p.LiveSpeech / 2, 0, prompt},
		{"all begin within 1 s, sentence", p.LiveStarts, false, p.Rounds, bySentence, time.Second, p.LiveSpeech / 2, 0, prompt},
		{"fed as fast as it is spoken, eager", eager, false, 1, eagerly, p.LiveArrive, p.LiveArrive + p.LiveSpeech, eagerLead, 0},
		{"fed as fast as it is spoken, sentence", sentences, false, 1, bySentence, p.LiveArrive, p.LiveArrive + p.LiveSpeech, sentenceLead, 0},
	}
}

// met is what became of a meeting.
type met struct {
	meeting
	first    []time.Duration // from the token that completes the first chunk
	heard    silences        // of all together
	troubled int             // sessions with underruns
	broken   []error
	tardy    time.Duration // by which this process sent a token too late
	audio    time.Duration
	wall     time.Duration
	used     server.Usage
}

// Crowd measures many live sessions at once.
func Crowd(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	list, err := measuredSentences(b.Vaak)
	if err != nil {
		return nil, err
	}
	var all []met
	for _, m := range meetings(b.Plan) {
		r := met{meeting: m}
		for range m.times {
			s := b.Vaak
			if m.naive {
				s = b.Naive
			}
			if err := r.meet(ctx, s, list); err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
		}
		fmt.Fprintf(b.Log, "        %s: %d, first chunk p50 %s, p99 %s, %d with underruns (%d, worst %s), %d broken %.300v\n", m.name, m.n,
			report.Millis(report.Percentile(r.first, 0.5)), report.Millis(report.Percentile(r.first, 0.99)), r.troubled, r.heard.underruns, report.Millis(r.heard.worst), len(r.broken), errors.Join(r.broken...))
		all = append(all, r)
	}
	return liveCrowdParts(b, all), nil
}

// measuredSentences returns the sentences that crowds are fed with, and how long
// the server speaks each of them alone.
func measuredSentences(s *server.Server) ([]sentence, error) {
	list, err := sentences()
	if err != nil {
		return nil, err
	}
	list = ofWords(list, 5, longestFed)
	for i, one := range list {
		n, err := speech.BodyLength(s, corpus.Sample{Lang: corpus.English, Text: one.text()})
		if err != nil {
			return nil, err
		}
		list[i].sound = time.Duration(s.Seconds(n) * float64(time.Second))
	}
	return list, nil
}

// dictationLasting returns a text that sounds about as long, and begins with the
// sentence of that number.
func dictationLasting(list []sentence, from int, d time.Duration) dictation {
	words, sound := 0, time.Duration(0)
	for i := from; sound < d; i++ {
		s := list[i%len(list)]
		words, sound = words+s.words(), sound+s.sound
	}
	return newDictation(list, from, words)
}

// meet has sessions begin, and waits until all have ended.
func (r *met) meet(ctx context.Context, s *server.Server, list []sentence) error {
	if err := errors.Join(listeners.EnoughFiles(r.n), s.WaitIdle()); err != nil {
		return err
	}
	before, err := s.Usage()
	if err != nil {
		return err
	}
	began := time.Now()
	var mu sync.Mutex
	var group sync.WaitGroup
	for i, at := range listeners.Arrivals(r.n, r.within) {
		group.Go(func() {
			p := newTalk(dictationLasting(list, i, r.speech), r.mode, r.lead)
			server.Pause(ctx, time.Until(began.Add(at)))
			err := r.hold(ctx, p, s)
			mu.Lock()
			defer mu.Unlock()
			r.add(p, err)
		})
	}
	group.Wait()
	r.wall += time.Since(began)
	if err := errors.Join(ctx.Err(), s.WaitIdle()); err != nil {
		return err
	}
	after, err := s.Usage()
	r.used = r.used.Plus(after.Since(before))
	return err
}

// hold holds a session.
func (r *met) hold(ctx context.Context, p *talk, s *server.Server) error {
	if r.naive {
		return p.askChunks(ctx, s)
	}
	if err := p.open(s, &client.Afar); err != nil {
		return err
	}
	return p.attend(ctx)
}

// add adds a session that has ended.
func (r *met) add(p *talk, err error) {
	promised := p.text.promises(r.mode)
	audio := p.audio()
	if want := slices.Max(promised); err == nil && audio < want {
		err = fmt.Errorf("%.2f s of audio came for a text that sounds %.2f s at least", audio.Seconds(), want.Seconds())
	}
	if err != nil {
		r.broken = append(r.broken, err)
	}
	if len(p.heard) == 0 {
		return
	}
	d, _ := p.delay(r.mode.firstToken(p.text))
	r.first = append(r.first, d)
	var h silences
	h.listen(p.heard, p.sent, promised)
	if h.underruns > 0 {
		r.troubled++
	}
	r.heard = silences{r.heard.underruns + h.underruns, max(r.heard.worst, h.worst), r.heard.waited + h.waited}
	r.tardy, r.audio = max(r.tardy, p.tardy), r.audio+audio
}

// firstToken returns the token that completes the first chunk, which may be the
// end of the text.
func (m mode) firstToken(f dictation) int {
	token := f.decider(func(t tally) bool {
		return t.ended > 0 || m == eagerly && t.complete >= chunkWords+peekWords
	})
	if token < 0 {
		return len(f.tokens)
	}
	return token
}

func liveCrowdParts(b *rig.Bench, all []met) []report.Part {
	p := b.Plan
	heard := &report.Table{Header: []string{"sessions", "first chunk p50", "p99", "longest", "with underruns", "underruns", "worst", "broken", "waited for text, s a session"}}
	took := &report.Table{Header: []string{"sessions", "audio, s", "server, µs per audio s", "worker and utterances, µs per audio s", "server and all, share", "clients, share", "clients late by up to"}}
	for _, r := range all {
		name := fmt.Sprintf("%s: %d", r.name, r.n)
		heard.Add(name, report.Millis(report.Percentile(r.first, 0.5)), report.Millis(report.Percentile(r.first, 0.99)), report.Millis(report.Percentile(r.first, 1)),
			fmt.Sprint(r.troubled), fmt.Sprint(r.heard.underruns), report.Millis(r.heard.worst), fmt.Sprint(len(r.broken)), report.Ratio(r.heard.waited.Seconds()/float64(max(r.n*r.times, 1))))
		t := listeners.Turnout{Wall: r.wall}
		took.Add(name, report.Whole(r.audio.Seconds()), report.Micros(library.PerSecond(r.used.Server, r.audio.Seconds())), report.Micros(library.PerSecond(r.used.Speakers, r.audio.Seconds())),
			report.Percent(t.Share(r.used.Server+r.used.Speakers)), report.Percent(t.Share(r.used.Clients)), report.Millis(r.tardy))
		judgeMeeting(&b.Report, name, r)
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("Sessions on the native socket, each fed by a goroutine of its own with sentences of 5 to %d words and a text that sounds about %s, or %s where all begin within 1 s, "+
			"over connections as in the streams above. "+
			"The first chunk is counted from the sending of the token that completes it, as before. Where all begin within 1 s the text comes at %d tokens a second; "+
			"where it is fed about as fast as it is spoken it comes at that rate until it is %s ahead of the sound, of sentence mode %s, and then with it; those begin at random within %s, and once; the others %d times, and their percentiles are over all sessions. "+
			"Of the naive server, which knows no sockets, the same words are asked four at a time, in a request each, when as many more are known as eager mode waits for.",
			longestFed, report.Lasting(p.LiveArrive+p.LiveSpeech), report.Lasting(p.LiveSpeech/2), tokensPerSecond, report.Lasting(eagerLead), report.Lasting(sentenceLead), report.Lasting(p.LiveArrive), p.Rounds)),
		report.Prose(fmt.Sprintf("What has come is played from its first byte on in blocks of %s, as in the streams. A block that is late is an underrun as far as the text that it speaks was sent %s before: "+
			"of eager mode all sentences that are over and all but the last %d complete words, of sentence mode all sentences that are over, of both the whole text after its end. "+
			"How long they sound at least is %.0f %% of what each sentence sounds when it is spoken alone. A session that ends with less is broken.",
			listeners.Block, textGrace, chunkWords+peekWords-1, 100*certain)),
		heard,
		report.Prose("What it took, as for the streams; the clients are late when they send a token after its time."),
		took,
	}
}

func judgeMeeting(r *report.Report, name string, m met) {
	if m.naive {
		return
	}
	if m.prompt > 0 {
		report.AtMost(r, "Live, "+name+", first chunk p99", report.Percentile(m.first, 0.99), m.prompt, report.Millis)
	}
	report.AtMost(r, "Live, "+name+", sessions with underruns or broken", float64(m.troubled+len(m.broken)), 0, report.Whole)
}

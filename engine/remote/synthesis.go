package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"vaak/engine"
	"vaak/engine/remote/pool"
	"vaak/engine/remote/settings"
	"vaak/engine/remote/wire"
	"vaak/internal/fault"
	"vaak/text"
)

const (
	// mostAhead is how much sound may be there that the listener has not taken; then no more is
	// read from the member.
	mostAhead = 10 * time.Second
	// leastLead is the lead of the listener at which a sentence is passed on though it is not
	// whole.
	leastLead = 300 * time.Millisecond
	// mostHeld is how much of a sentence that is passed on as it comes is held back, as far as
	// the lead of the listener allows: if the rest does not come, it is cut at a pause.
	mostHeld = 500 * time.Millisecond
	// comfortable is the lead of the listener from which sound is passed on in pieces of at least
	// worthTurn: each piece costs a turn, an encoding and a write.
	comfortable, worthTurn = 600 * time.Millisecond, 200 * time.Millisecond
	// mostTries is how many members of a pool may fail to say a sentence, and mostAsked how many
	// are asked for it at most: those that are busy or not there cost little.
	mostTries, mostAsked = 3, 8
	// maxText is how many bytes an utterance may have.
	maxText = 1 << 20
)

// Synthesize speaks u.
func (e *Engine) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	st, v, leave, err := e.enter(u.Voice)
	if err != nil {
		return err
	}
	defer leave()
	switch {
	case !v.traits.Speaks(u.Language):
		return fault.BadParameter("lang", "language %q is not spoken by voice %s", u.Language, u.Voice.ID)
	case len(u.Text) > maxText:
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "input", "an utterance of %d bytes is over %d", len(u.Text), maxText)
	}
	s := &synthesis{
		e: e, st: st, v: v, u: u, sink: sink, rate: v.traits.SampleRate, last: -1,
		news: make(chan struct{}, 1), taken: make(chan struct{}, 1),
	}
	for _, p := range divide(u.Text) {
		s.pieces = append(s.pieces, &piece{part: p})
	}
	if len(s.pieces) == 0 {
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	var fetching sync.WaitGroup
	fetching.Go(func() { s.fetch(ctx) })
	err = s.speak(ctx)
	stop(errUnneeded)
	fetching.Wait()
	return err
}

// synthesis is the work on one utterance. One goroutine fetches its sentences, and another hands
// their sound to the sink.
type synthesis struct {
	e    *Engine
	st   *state
	v    *spoken
	u    engine.Utterance
	sink engine.Sink
	rate int

	// Of the goroutine that fetches.
	rung int

	mu     sync.Mutex // guards what follows, and the pieces
	pieces []*piece
	ahead  int           // samples that are there and not handed over
	wanted int           // samples of a piece that the goroutine that hands over waits for
	news   chan struct{} // something has come
	taken  chan struct{} // something was handed over

	// Of the goroutine that hands over.
	position int // samples of the body that the sink has
	last     int // sample of the last word; -1 before the first
	began    time.Time
	room     int
}

// piece is a sentence, or a part of one that another member goes on with.
type piece struct {
	part
	guess  guess
	by     engine.Origin
	whole  bool           // all of its sound is there
	pcm    []int16        // what has come of it
	handed int            // samples of pcm that were handed over
	exact  []guessed      // the words, where the server has told them; else nil
	inner  bool           // it must be whole before it is handed over, for the times of its words
	err    error          // nobody says it
	rung   *settings.Rung // a voice of another engine says this and what follows

	start int   // sample of the utterance at which it begins
	at    []int // when its words begin, once it is whole
	told  int   // words that the sink knows of
}

// signal tells a goroutine that waits that something has changed.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// piece returns a piece by its number; nil if there are fewer.
func (s *synthesis) piece(i int) *piece {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.pieces) {
		return nil
	}
	return s.pieces[i]
}

func (s *synthesis) samples(d time.Duration) int { return int(d * time.Duration(s.rate) / time.Second) }

func (s *synthesis) time(samples int) time.Duration {
	return time.Duration(samples) * time.Second / time.Duration(s.rate)
}

// fetch fetches the sentences one after the other.
func (s *synthesis) fetch(ctx context.Context) {
	for i := 0; ; i++ {
		p := s.piece(i)
		if p == nil || s.awaitRoom(ctx) != nil {
			return
		}
		err := s.fetchPiece(ctx, p)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		s.mu.Lock()
		if p.rung == nil {
			p.err = err
		}
		s.mu.Unlock()
		signal(s.news)
		return
	}
}

// awaitRoom waits until the listener has taken enough of what is there.
func (s *synthesis) awaitRoom(ctx context.Context) error {
	for {
		s.mu.Lock()
		full := s.ahead >= s.samples(mostAhead)
		s.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-s.taken:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// errInstead means that a voice of another engine goes on.
var errInstead = errors.New("a voice of another engine goes on")

// fetchPiece has somebody say a piece: the members of the pool of the rung, then those of the next
// rungs. The error is nil also if only a part of it was said, which cut has made a whole.
func (s *synthesis) fetchPiece(ctx context.Context, p *piece) error {
	guessing := s.guess(ctx, p)
	var failed error
	for ; s.rung < len(s.v.Rungs); s.rung++ {
		r := &s.v.Rungs[s.rung]
		g := s.st.pools[r.Pool]
		if g == nil {
			if _, _, err := s.e.instead(r.Voice, s.u.Language); err != nil {
				failed = cmp.Or(failed, err)
				continue
			}
			s.mu.Lock()
			p.rung = r
			s.mu.Unlock()
			return errInstead
		}
		if !s.speaks(r) {
			continue
		}
		done, err := s.fetchFrom(ctx, g, r, p, guessing)
		if done || ctx.Err() != nil {
			return err
		}
		failed = err
		if s.rung+1 < len(s.v.Rungs) {
			g.figure.replaced.Add(1)
		}
	}
	return unavailable(s.v.ID, failed)
}

// speaks reports whether the pool of a rung speaks the language of the utterance.
func (s *synthesis) speaks(r *settings.Rung) bool {
	g := s.st.pools[r.Pool]
	if g == nil {
		return true
	}
	codes := g.settings.Load().Languages
	return len(codes) == 0 || slices.Contains(codes, s.u.Language)
}

// guess begins to guess how a piece is said. What it returns waits for the result, once.
func (s *synthesis) guess(ctx context.Context, p *piece) func() guess {
	rough := guessByLetters(s.u.Text, p.Span)
	s.mu.Lock()
	p.guess = rough
	s.mu.Unlock()
	if !s.u.Timed {
		return func() guess { return rough }
	}
	better := make(chan guess, 1)
	go func() { better <- s.e.guess(ctx, s.u.Language, s.u.Region, s.u.Text, p.Span) }()
	return sync.OnceValue(func() guess { return <-better })
}

// fetchFrom has members of a pool say a piece. done says that it was said, as far as the piece goes
// now; the error is of the last member.
func (s *synthesis) fetchFrom(ctx context.Context, g *group, r *settings.Rung, p *piece, guessing func() guess) (done bool, err error) {
	var failed error
	var avoid []string
	for tries := 0; tries < mostTries && len(avoid) < mostAsked; {
		member, err := s.fetchOnce(ctx, g, r, p, guessing, avoid)
		if err == nil || ctx.Err() != nil {
			return err == nil, err
		}
		f := &wire.Failure{}
		if errors.As(err, &f) {
			g.log.Warn("a member of a pool did not speak", "member", member, "voice", s.v.ID, "error", f)
		}
		if !s.withdraw(p) {
			s.cut(p)
			g.figure.resumed.Add(1)
			return true, nil
		}
		down := &pool.DownError{}
		switch {
		case errors.As(err, &down) && down.Avoided && len(avoid) > 0: // what was wrong may have passed
			avoid = nil
			tries++
		case member == "" || errors.As(err, &f) && f.Reason == wire.Refused:
			return false, cmp.Or(failed, err) // the others would say the same
		default:
			failed, avoid = err, append(avoid, member)
			if f.Reason != wire.Unreachable && f.Reason != wire.Busy {
				tries++
			}
		}
		g.figure.retries.Add(1)
	}
	return false, failed
}

// withdraw takes back what has come of a piece, unless some of it was handed over.
func (s *synthesis) withdraw(p *piece) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.handed > 0 {
		return false
	}
	s.ahead -= len(p.pcm)
	p.pcm = nil
	return true
}

// fetchOnce has one member say a piece. It returns the member that was asked, with an error too.
func (s *synthesis) fetchOnce(ctx context.Context, g *group, r *settings.Rung, p *piece, guessing func() guess, avoid []string) (string, error) {
	set := g.settings.Load()
	about := time.Duration(p.guess.total * s.v.pace.get() * float64(time.Second))
	s.mu.Lock()
	p.by = engine.Origin{Place: set.Name}
	p.inner = set.Times && s.u.Timed
	s.mu.Unlock()
	a, member, err := g.begin(ctx, s.ask(r, p, set.Kind.Parameters, set.Times), about, avoid)
	if err != nil {
		return member, err
	}
	better := guessing()
	s.mu.Lock()
	p.guess = better
	s.mu.Unlock()
	t := &trimmer{rate: s.rate, to: func(pcm []int16) { s.come(p, pcm) }}
	err = s.receive(ctx, a, t, p)
	words := a.answer.Words()
	a.close(err)
	if !isEnd(err) {
		return member, err
	}
	s.finish(p, t, words)
	return member, nil
}

// ask returns what a member is asked for.
func (s *synthesis) ask(r *settings.Rung, p *piece, takes []engine.Parameter, times bool) wire.Ask {
	ask := wire.Ask{
		Text: p.In(s.u.Text), Voice: r.Name, Language: s.u.Language, Region: s.u.Region, Reference: r.Reference,
		Sampling: merged(s.u.Sampling, r.Sampling, takes), Times: times && s.u.Timed,
	}
	if ask.Region == "" && ask.Language == s.v.Native {
		ask.Region = s.v.Region
	}
	return ask
}

// merged returns the parameters of a request, with the usual ones of the voice where it sets none.
// The request was checked by the ranges of the first rung; those of others may be narrower.
func merged(asked, usual engine.Sampling, takes []engine.Parameter) engine.Sampling {
	within := func(name string, asked, usual *float64) *float64 {
		v := cmp.Or(asked, usual)
		i := slices.IndexFunc(takes, func(p engine.Parameter) bool { return p.Name == name })
		if v == nil || i < 0 {
			return v
		}
		return new(min(max(*v, takes[i].Min), takes[i].Max))
	}
	return engine.Sampling{
		Temperature:       within("temperature", asked.Temperature, usual.Temperature),
		TopP:              within("top_p", asked.TopP, usual.TopP),
		TopK:              within("top_k", asked.TopK, usual.TopK),
		MinP:              within("min_p", asked.MinP, usual.MinP),
		RepetitionPenalty: within("repetition_penalty", asked.RepetitionPenalty, usual.RepetitionPenalty),
		PresencePenalty:   within("presence_penalty", asked.PresencePenalty, usual.PresencePenalty),
		Seed:              cmp.Or(asked.Seed, usual.Seed),
	}
}

// receive receives the sound of a piece. The error is io.EOF when all of it is there.
func (s *synthesis) receive(ctx context.Context, a *asking, t *trimmer, p *piece) error {
	filter, err := t.filter(rateOf(*a.g.settings.Load()))
	if err != nil {
		return err
	}
	// Models may babble without end.
	most := 10*time.Second + time.Duration(4*p.guess.total*max(1, s.v.pace.get())*float64(time.Second))
	for {
		sound, err := a.next(ctx)
		if isEnd(err) {
			if err := filter.Close(); err != nil {
				return err
			}
			if early := s.early(p, t); early != nil {
				return early
			}
			return err
		}
		if err != nil {
			return err
		}
		if err := filter.WritePCM(sound); err != nil {
			return err
		}
		if a.played() > most {
			return &wire.Failure{Reason: wire.Silent, Detail: fmt.Sprintf("the answer does not end: %s have come", a.played())}
		}
		if p.inner {
			continue // nobody takes of it before it is whole
		}
		if err := s.awaitRoom(ctx); err != nil {
			return err
		}
	}
}

// early returns a failure if a whole answer is none.
func (s *synthesis) early(p *piece, t *trimmer) error {
	if !t.begun {
		return &wire.Failure{Reason: wire.Empty, Detail: "only silence came"}
	}
	const share = 0.3 // of what such a sentence takes
	s.mu.Lock()
	got := s.time(len(p.pcm)).Seconds()
	s.mu.Unlock()
	if want := p.guess.total * s.v.pace.get(); s.v.pace.known() && want > 1 && got < share*want {
		return &wire.Failure{Reason: wire.Broken, Detail: fmt.Sprintf("the answer ends after %.1f s of about %.1f", got, want)}
	}
	return nil
}

// come takes sound of a piece.
func (s *synthesis) come(p *piece, pcm []int16) {
	s.mu.Lock()
	if p.pcm == nil {
		// Room for about all of it: growing piece by piece costs as much as decoding.
		const most = 20.0 // seconds
		about := min(1.2*p.guess.total*s.v.pace.get(), most)
		p.pcm = make([]int16, 0, max(len(pcm), int(about*float64(s.rate))))
	}
	p.pcm = append(p.pcm, pcm...)
	s.ahead += len(pcm)
	enough := len(p.pcm)-p.handed >= s.wanted || s.ahead >= s.samples(mostAhead)
	s.mu.Unlock()
	if enough {
		signal(s.news)
	}
}

// Silence behind a sentence: at least so much, and at most so much of what the model makes. Behind the
// last one there is some for the words whose beginnings were expected later.
const (
	leastTail               = 5 * time.Millisecond
	leastPause, mostPause   = 150 * time.Millisecond, 400 * time.Millisecond
	leastBreath, mostBreath = 40 * time.Millisecond, 250 * time.Millisecond
)

// finish makes a piece whole.
func (s *synthesis) finish(p *piece, t *trimmer, words []wire.Word) {
	s.v.pace.learn(s.time(len(p.pcm)).Seconds(), p.guess.total)
	exact, ok := told(s.u.Text, p.Span, words)
	for i := range exact {
		exact[i].at -= s.time(t.dropped).Seconds()
	}
	sound := len(p.pcm)
	switch last := p.End == len(s.u.Text); {
	case last && !s.u.Continues:
		t.tail(leastTail, leadKept)
	case p.ends:
		t.tail(leastPause, mostPause)
	default:
		t.tail(leastBreath, mostBreath)
	}
	s.mu.Lock()
	if ok {
		p.exact = exact
	}
	p.complete(sound, s.rate)
	s.mu.Unlock()
	signal(s.news)
}

// complete makes a piece whole, whose first samples are its sound, and finds its words in them.
// The mutex is held.
func (p *piece) complete(sound, rate int) {
	p.whole = true
	if p.exact == nil {
		p.at = p.guess.scaled(p.pcm[:sound], rate)
		return
	}
	p.guess.words = p.exact
	p.at = nil
	for _, w := range p.exact {
		p.at = append(p.at, int(max(0, w.at)*float64(rate)))
	}
}

// cut ends a piece of which some was handed over and the rest does not come: at a pause, if one was
// held back, or with what is there. The words that have not begun become a piece of their own.
func (s *synthesis) cut(p *piece) {
	const gap = 25 * time.Millisecond
	s.mu.Lock()
	defer s.mu.Unlock()
	defer signal(s.news)
	unheard := p.pcm[p.handed:]
	at := lastPause(unheard, s.samples(gap))
	paused := at >= 0
	if paused {
		s.ahead -= len(unheard) - at
		p.pcm = p.pcm[:p.handed+at]
	}
	sound := len(p.pcm)
	next := p.guess.begun(s.time(sound).Seconds()/s.v.pace.get(), len(pauses(p.pcm, s.samples(gap))), paused)
	next = max(next, p.told)
	for w := p.guess.words; next > 0 && next < len(w) && w[next].Start < w[next-1].End; {
		next++ // several words are read for the same letters
	}
	if !paused { // the next member does not begin in the middle of a word
		p.pcm = append(p.pcm, make([]int16, s.samples(leastBreath))...)
		s.ahead += s.samples(leastBreath)
	}
	p.at = nil
	for _, w := range p.guess.words[:min(next, len(p.guess.words))] {
		p.at = append(p.at, min(int(w.at*s.v.pace.get()*float64(s.rate)), sound))
	}
	p.whole = true
	if next >= len(p.guess.words) {
		return // all words have begun
	}
	rest := &piece{part: part{Span: text.Span{Start: p.guess.words[next].Start, End: p.End}, ends: p.ends}}
	p.guess.words, p.End, p.ends = p.guess.words[:next], rest.Start, false
	i := slices.Index(s.pieces, p)
	s.pieces = slices.Insert(s.pieces, i+1, rest)
}

// speak hands the pieces over, one after the other.
func (s *synthesis) speak(ctx context.Context) error {
	for i := 0; ; i++ {
		p := s.piece(i)
		if p == nil {
			return nil
		}
		p.start = s.position
		for state := waits; state != ended; {
			var err error
			if state, err = s.hand(ctx, p, i); err != nil {
				return err
			}
			if state == replaced {
				return s.sayInstead(ctx, p)
			}
		}
	}
}

// progress tells how far a piece was handed over.
type progress uint8

const (
	waits    progress = iota // more comes
	ended                    // all was handed over
	replaced                 // a voice of another engine says it
)

// hand hands over what there is of a piece, or waits for it.
func (s *synthesis) hand(ctx context.Context, p *piece, number int) (progress, error) {
	if ctx.Err() != nil {
		return ended, context.Cause(ctx)
	}
	s.mu.Lock()
	n, wait := s.ready(p, number)
	if n == 0 {
		whole, failed, instead := p.whole && p.handed == len(p.pcm), p.err, p.rung != nil
		s.mu.Unlock()
		switch {
		case whole:
			return ended, nil
		case instead:
			return replaced, nil
		case failed != nil:
			return ended, failed
		}
		return waits, s.await(ctx, wait)
	}
	if s.room <= 0 {
		s.mu.Unlock()
		var err error
		s.room, _, err = s.sink.Room(ctx)
		return waits, err // what was there may have been taken back meanwhile
	}
	n = min(n, s.room)
	words := s.words(p, p.handed+n)
	frame := engine.Frame{PCM: p.pcm[p.handed : p.handed+n], Words: words, Estimated: p.exact == nil, By: p.by}
	p.handed += n
	s.ahead -= n
	s.mu.Unlock()
	signal(s.taken)
	if s.began.IsZero() {
		s.began = s.e.clock()
	}
	s.room -= n
	s.position += n
	return waits, s.sink.Frame(frame)
}

// await waits for news, for so long at most; 0 waits for ever.
func (s *synthesis) await(ctx context.Context, most time.Duration) error {
	var timeout <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-s.news:
	case <-timeout:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// lead returns how much sound the listener has left of this utterance, if it is played since its
// first sample was there.
func (s *synthesis) lead() time.Duration {
	if s.began.IsZero() {
		return 0
	}
	return s.time(s.position) - s.e.clock().Sub(s.began)
}

// ready returns how many samples of a piece may be handed over now. If none may, wait says after how
// long to look again, where nothing else happens; 0 waits for news. s.mu is held.
func (s *synthesis) ready(p *piece, number int) (samples int, wait time.Duration) {
	s.wanted = 1
	there := len(p.pcm) - p.handed
	switch {
	case p.whole:
		return there, 0
	case p.inner:
		return 0, 0
	}
	lead := s.lead()
	if p.handed == 0 && number > 0 && lead > leastLead && s.ahead < s.samples(mostAhead) {
		s.wanted = math.MaxInt // all of it: the listener does not need it yet
		return 0, lead - leastLead
	}
	held := s.samples(min(mostHeld, max(0, lead/2)))
	if lead > comfortable {
		if s.wanted = held + s.samples(worthTurn); there < s.wanted {
			return 0, lead - comfortable
		}
	}
	if there > held {
		return there - held, 0
	}
	if there == 0 {
		return 0, 0
	}
	const again = 20 * time.Millisecond
	return 0, max(0, lead-2*s.time(there)) + again
}

// words returns the words of a piece that the sink is to know of before it has so many samples of
// it. s.mu is held.
func (s *synthesis) words(p *piece, upto int) []engine.Word {
	var all []engine.Word
	for ; p.told < len(p.guess.words); p.told++ {
		w := p.guess.words[p.told]
		at := int(w.at * s.v.pace.get() * float64(s.rate))
		if p.whole {
			at = p.at[p.told]
		} else if at >= upto {
			break
		}
		sample := p.start + max(at, p.handed)
		if sample = max(sample, s.last+1); p.whole && sample >= p.start+len(p.pcm) && len(p.pcm) > 0 {
			sample = p.start + len(p.pcm) - 1
			if sample <= s.last {
				continue // too many words for the sound
			}
		}
		all, s.last = append(all, engine.Word{Start: w.Start, End: w.End, Sample: sample}), sample
	}
	return all
}

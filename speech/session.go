package speech

import (
	"context"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech/chunk"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/text/respell"
	"vaak/voice"
)

// Limits of a session.
const (
	// MaxUnended is how many code points may wait that nothing can be said of yet,
	// because no word has ended.
	MaxUnended = 5000
	// MaxSessionCharacters is how many code points a session takes in all. What was not
	// spoken of them waits, so that a caller is heard who cancels.
	MaxSessionCharacters = 100_000
)

// SessionRequest says how a session speaks. The zero value of every field is its
// default.
type SessionRequest struct {
	// Voice and Language are as in [Request]; without a language it is told from
	// the first text.
	Voice    string
	Language string
	// Format is as in [Request].
	Format audio.Format
	// Speed is as in [Request], for the whole session.
	Speed    float64
	Sampling Sampling
	// Chunks says how the text is cut.
	Chunks chunk.Config
	// Dictionaries are as in [Request]. Their rules are scoped by the language that was
	// asked for, or told from the first text, however the language of the text changes.
	Dictionaries respell.Dictionaries
	// Idle is how long the session waits for its caller when there is nothing to
	// say; 0 is for ever. The time that is spent speaking does not count.
	Idle time.Duration
	// Turns lets the sessions of one connection speak one at a time; nil is a
	// session alone.
	Turns *Turns
}

// Session is live speech: text is added as it is written, while [Service.Run]
// speaks it. All its methods may be called while it runs, by any goroutine.
type Session struct {
	caller account.Caller
	req    SessionRequest
	format audio.Format
	hint   lang.Tag
	voice  voice.Voice // zero until the language tells it

	wake chan struct{}   // holds a token when there may be something to do
	life context.Context // of the session, ended by Cancel
	stop context.CancelFunc
	over chan struct{} // closed when Run has returned

	mu      sync.Mutex
	chunker *chunk.Chunker
	text    []byte // all that was added
	added   int    // code points of it
	touched time.Time
	when    []heard // what was heard when, once Run has returned
	heard   int     // samples that were
	second  float64 // samples of a second
}

// Open checks what a session asks for and returns one for [Service.Run]. Nothing
// is charged or held yet.
func (s *Service) Open(caller account.Caller, req SessionRequest) (*Session, error) {
	var err error
	if req.Speed, err = checkSpeed(req.Speed); err != nil {
		return nil, err
	}
	if err := req.Sampling.check(); err != nil {
		return nil, err
	}
	session := &Session{caller: caller, req: req, wake: make(chan struct{}, 1), over: make(chan struct{}), touched: time.Now()}
	if session.format, err = codec.Check(req.Format); err != nil {
		return nil, err
	}
	if session.hint, err = lang.Resolve(req.Language); err != nil {
		return nil, err
	}
	if code := session.hint.Code; code != "" && s.engines[code] == nil {
		return nil, notSpoken(code)
	}
	if req.Voice != "" || session.hint.Code != "" {
		if session.voice, err = s.voice(req.Voice, session.hint.Code); err != nil {
			return nil, err
		}
	}
	session.life, session.stop = context.WithCancel(context.Background())
	session.Cut(req.Chunks)
	return session, nil
}

// Afford says whether a caller has any characters left; else the error is of
// kind QuotaExceeded.
func (s *Service) Afford(ctx context.Context, caller account.Caller) error {
	hold, err := s.ledger.Reserve(ctx, caller, 1)
	if err == nil {
		hold.Cancel()
	}
	return err
}

// Format returns what the session is sent as, complete.
func (s *Session) Format() audio.Format { return s.format }

// Notices tells what is not done as it was asked, in sentences.
func (s *Session) Notices() []string { return codec.Notices(s.req.Format, s.format) }

// Cut changes how the text is cut, before any of it was added.
func (s *Session) Cut(c chunk.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.added > 0 {
		return
	}
	s.chunker = chunk.New(c)
	if s.hint.Code != "" {
		s.know(s.hint)
		return
	}
	s.terms(func(first string) lang.Tag {
		var m frontend.Memory
		return m.Tell(first).Language
	})
}

// told has the language of the session known from here on.
func (s *Session) told(language lang.Tag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.know(language)
}

// know has the abbreviations of a language known, and the terms of dictionaries that
// are scoped by it.
func (s *Session) know(language lang.Tag) {
	s.chunker.Abbreviations(func(word string) bool { return frontend.Abbreviation(language.Code, word) })
	s.terms(func(string) lang.Tag { return language })
}

// terms has no term of the dictionaries cut. Scope returns the language that scopes
// them where a text is what is said next.
func (s *Session) terms(scope func(text string) lang.Tag) {
	if len(s.req.Dictionaries) == 0 {
		return
	}
	s.chunker.Whole(func(next string) (parts []text.Span, settled int) {
		matches, settled := s.req.Dictionaries.FindOpen(next, scope(next))
		for _, m := range matches {
			parts = append(parts, m.Span)
		}
		return parts, settled
	})
}

// Add adds a fragment of text, of any length. The error is of kind Invalid, and
// of code max_character_limit_exceeded when more than [MaxUnended] code points
// wait for the end of a word or more than [MaxSessionCharacters] were added; the
// session cannot go on then.
func (s *Session) Add(text string) error {
	if !utf8.ValidString(text) {
		return fault.BadParameter("text", "text is not valid UTF-8")
	}
	n := utf8.RuneCountInString(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touched = time.Now()
	defer s.rouse()
	if s.added+n > MaxSessionCharacters {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "text",
			"a session takes %d characters; this would make it %d", MaxSessionCharacters, s.added+n)
	}
	s.added += n
	s.text = append(s.text, text...)
	s.chunker.Add(text)
	if unended := s.chunker.Unended(); unended > MaxUnended {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "text",
			"%d characters wait for the end of a word; at most %d may", unended, MaxUnended)
	}
	return nil
}

// size returns how many code points were added.
func (s *Session) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.added
}

// Flush has everything spoken that was added, now.
func (s *Session) Flush() { s.tell((*chunk.Chunker).Flush) }

// Trigger has what was added spoken if it is enough: 50 characters up to the end
// of a word.
func (s *Session) Trigger() { s.tell((*chunk.Chunker).Trigger) }

// End says that no more text comes: what waits is spoken and Run returns.
func (s *Session) End() { s.tell((*chunk.Chunker).End) }

// Touch says that the caller is still there, though it adds nothing.
func (s *Session) Touch() { s.tell(func(*chunk.Chunker) {}) }

func (s *Session) tell(what func(*chunk.Chunker)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touched = time.Now()
	what(s.chunker)
	s.rouse()
}

// rouse wakes the run.
func (s *Session) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Spoken says how far a session that was cancelled has come.
type Spoken struct {
	Text       string        // that was heard
	Remaining  string        // the rest of what was added
	Characters int           // code points of Text
	Audio      time.Duration // that was heard
}

// Cancel ends the session at once: nothing more is written and Run returns nil.
// Played is how much of the audio the listener has heard; less than 0 means all
// that was written. It waits until Run, which must have been called, returns.
func (s *Session) Cancel(played time.Duration) Spoken {
	s.stop()
	<-s.over
	s.mu.Lock()
	defer s.mu.Unlock()
	sample := s.heard
	if played >= 0 {
		sample = min(sample, int(played.Seconds()*s.second))
	}
	characters := charactersAt(s.when, sample)
	audio := time.Duration(0)
	if sample > 0 {
		audio = time.Duration(float64(sample) / s.second * float64(time.Second))
	}
	at := 0
	for range characters {
		_, n := utf8.DecodeRune(s.text[at:])
		at += n
	}
	return Spoken{Text: string(s.text[:at]), Remaining: string(s.text[at:]), Characters: characters, Audio: audio}
}

// next waits for the next chunk; queued says that the run has just finished the
// one before. Last says that no other follows. The error is io.EOF when all was
// said.
func (s *Session) next(ctx context.Context, queued bool, waiting func()) (c chunk.Chunk, last bool, err error) {
	var since time.Time
	for {
		s.mu.Lock()
		c, ok := s.chunker.Next(queued)
		done, touched := s.chunker.Done(), s.touched
		s.mu.Unlock()
		switch {
		case ok:
			return c, done, nil
		case done:
			return c, true, io.EOF
		}
		if since.IsZero() {
			waiting()
			since = time.Now()
		}
		queued = false
		if touched.Before(since) {
			touched = since
		}
		if err := s.wait(ctx, touched); err != nil {
			return c, false, err
		}
	}
}

// take extends the chunk that was returned last by so many bytes of what follows
// it; see [chunk.Chunker.Take].
func (s *Session) take(bytes int) (c chunk.Chunk, last, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok = s.chunker.Take(bytes)
	return c, s.chunker.Done(), ok
}

// wait waits until something may have come, which may take as long as the
// request allows from when something last came.
func (s *Session) wait(ctx context.Context, touched time.Time) error {
	var expired <-chan time.Time
	if s.req.Idle > 0 {
		timer := time.NewTimer(time.Until(touched.Add(s.req.Idle)))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-s.wake:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-expired:
		return fault.New(fault.Idle, fault.CodeInputTimeout, "",
			"nothing came for %g s; send text, or keep the session alive", s.req.Idle.Seconds())
	}
}

// conclude notes how far a run has come.
func (s *Session) conclude(p *performance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.when, s.heard, s.second = p.said.when, p.said.samples, float64(p.chain.rate)*p.chain.speed
}

package speech

import (
	"cmp"
	"context"
	"fmt"
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
	// MaxUnended is how many code points of an unfinished word may wait. Nothing can be
	// said of a word before its end is there.
	MaxUnended = 5000
	// MaxSessionCharacters is how many code points may be added to a session in all. Text
	// that is not spoken yet waits in memory and does not block Add, so that a caller who
	// cancels is heard at once.
	MaxSessionCharacters = 100_000
)

// SessionRequest says how a session is to speak. The zero value of every field is its
// default.
type SessionRequest struct {
	// Voice and Language are as in [Request]. Without a language, the first text decides
	// it.
	Voice    string
	Language string
	// Format is as in [Request].
	Format audio.Format
	// Speed is as in [Request], for the whole session.
	Speed float64
	// Sampling is as in [Request].
	Sampling Sampling
	// Strict refuses parameters of Sampling that are outside the range of the voice: when the
	// session is opened, or with the first text where that decides the voice. Otherwise they have
	// no effect.
	Strict bool
	// Chunks says how the text is cut into what is spoken at a time.
	Chunks chunk.Config
	// Dictionaries are as in [Request]. The language that limits their rules is the one
	// asked for, or the one of the first text, even when later text is in another.
	Dictionaries respell.Dictionaries
	// Idle is how long the session waits for input when there is nothing to say; 0 means
	// for ever. Time spent speaking does not count.
	Idle time.Duration
	// Style says how the text is read.
	Style frontend.Style
	// Turns makes the sessions of one connection speak one at a time; nil is for a session
	// that is alone.
	Turns *Turns
}

// Session is live speech: the caller adds text as it is written, while [Service.Run]
// speaks it. All methods are safe for concurrent use, also while Run is running.
type Session struct {
	caller account.Caller
	req    SessionRequest
	format audio.Format
	hint   lang.Tag
	prior  lang.Prior
	voice  voice.Voice // zero until the language is known; then it belongs to Run

	notices []string // about what was asked
	clauses bool     // the voice speaks whole clauses; of several that it may be, one does

	wake     chan struct{}   // capacity 1; holds a token when Run may have something to do
	life     context.Context // the lifetime of the session, ended by Cancel
	stop     context.CancelFunc
	finished chan struct{} // closed when Run has returned

	mu               sync.Mutex
	chunker          *chunk.Chunker
	text             sessionText
	added            int // code points of text
	lastInput        time.Time
	history          []heardMark // what was heard when; set when Run returns
	heard            int         // samples that were sent; set when Run returns
	samplesPerSecond float64     // of the engine, per second of audio as heard
}

// Open checks what a session asks for and returns the session, to be given to
// [Service.Run]. Nothing is charged or reserved yet.
func (s *Service) Open(caller account.Caller, req SessionRequest) (*Session, error) {
	var err error
	if req.Speed, err = checkSpeed(req.Speed); err != nil {
		return nil, err
	}
	if err := checkSampling(req.Sampling); err != nil {
		return nil, err
	}
	session := &Session{caller: caller, req: req, wake: make(chan struct{}, 1), finished: make(chan struct{}), lastInput: time.Now()}
	if session.format, err = codec.Check(req.Format); err != nil {
		return nil, err
	}
	if session.hint, err = lang.Resolve(req.Language); err != nil {
		return nil, err
	}
	if code := session.hint.Code; code != "" && !s.engines.Speaks(code) {
		return nil, notSpoken(code)
	}
	if err := s.offers(session.hint.Code); err != nil {
		return nil, err
	}
	session.prior = s.prior
	if req.Voice != "" || session.hint.Code != "" {
		// Without a name and a language, sessionRun.chooseVoice chooses the voice later.
		if session.voice, err = s.voice(req.Voice, session.hint.Code); err != nil {
			return nil, err
		}
		session.prior = session.prior.Voiced(session.voice.Native)
	}
	session.clauses = s.speaksClauses(session)
	if err := s.tell(session); err != nil {
		return nil, err
	}
	session.text = newSessionText(req.Style)
	session.life, session.stop = context.WithCancel(context.Background())
	session.Cut(req.Chunks)
	return session, nil
}

// Afford returns an error of kind QuotaExceeded if the caller has no characters left.
func (s *Service) Afford(ctx context.Context, caller account.Caller) error {
	hold, err := s.ledger.Reserve(ctx, caller, 1)
	if err == nil {
		hold.Cancel()
	}
	return err
}

// Format returns the complete format in which the session's audio is sent.
func (s *Session) Format() audio.Format { return s.format }

// Notices tells, in sentences, what is not done as it was asked, as far as it is known before the
// text.
func (s *Session) Notices() []string { return s.notices }

// tell makes the notices of a session. The error is one for which it is refused.
func (s *Service) tell(session *Session) error {
	session.notices = codec.Notices(session.req.Format, session.format)
	if session.voice.ID == "" {
		return nil
	}
	code := cmp.Or(session.hint.Code, session.voice.Native)
	by, err := s.speakerFor(session.voice, code)
	if err != nil {
		return nil // running the session says why
	}
	_, notices, err := checkKnobs(session.req.Sampling, by)
	switch {
	case err != nil && session.req.Strict:
		return err
	case err != nil:
		notices = []string{"without effect: " + err.Error()}
	}
	session.notices = append(session.notices, notices...)
	if session.clauses && session.req.Chunks.Mode == chunk.Eager {
		session.notices = append(session.notices, fmt.Sprintf("voice %s speaks whole clauses: text waits for the end of its clause, or for a flush", session.voice.ID))
	}
	if notice := standIn(session.voice, by, code); notice != "" {
		session.notices = append(session.notices, notice)
	}
	return nil
}

// Cut changes how the text is cut. It has no effect once text was added.
func (s *Session) Cut(c chunk.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.added > 0 {
		return
	}
	c.Clauses = s.clauses
	s.chunker = chunk.New(c)
	if s.hint.Code != "" {
		s.useLanguage(s.hint)
		return
	}
	// The language is not known yet. Each term is then looked up in the language that the
	// text would be detected as if the session began with it.
	s.protectTerms(func(first string) lang.Tag {
		m := frontend.NewMemory(s.prior)
		return m.Tell(first).Language
	})
}

// speaksClauses reports whether a session must be cut into whole clauses; see [engine.Traits]. While
// the voice is not known, it must be if one of the voices that it may have speaks so.
func (s *Service) speaksClauses(session *Session) bool {
	clauses := func(v voice.Voice, code lang.Code) bool {
		if v.Engine == "" {
			return false // the roster has no such voice
		}
		by, err := s.speakerFor(v, code)
		return err == nil && by.traits.Clauses
	}
	if v := session.voice; v.ID != "" {
		return clauses(v, cmp.Or(session.hint.Code, v.Native)) || clauses(v, v.Native)
	}
	for code, id := range s.defaults {
		if v, ok := s.voices.ByID(id); ok && clauses(v, code) {
			return true
		}
	}
	return false
}

// setClauses sets whether the session is cut into whole clauses, once its voice is known.
func (s *Session) setClauses(whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clauses = whole
	s.chunker.Clauses(whole)
}

// setLanguage sets the language of the session, once it is known.
func (s *Session) setLanguage(language lang.Tag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.useLanguage(language)
}

// useLanguage makes the chunker use the abbreviations of a language, and the dictionary
// terms that are limited to it. s.mu is held.
func (s *Session) useLanguage(language lang.Tag) {
	s.chunker.Abbreviations(func(word string) bool { return frontend.Abbreviation(language.Code, word) })
	s.protectTerms(func(string) lang.Tag { return language })
}

// protectTerms keeps the chunker from cutting inside a term of the dictionaries. scope
// returns the language that limits their rules, given the text to be said next.
func (s *Session) protectTerms(scope func(text string) lang.Tag) {
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

// Add adds text of any length. The error is of kind Invalid. Its code is
// max_character_limit_exceeded if more than [MaxUnended] code points wait for the end of
// a word, or if more than [MaxSessionCharacters] were added in all; the session cannot go
// on then.
func (s *Session) Add(text string) error {
	if !utf8.ValidString(text) {
		return fault.BadParameter("text", "text is not valid UTF-8")
	}
	n := utf8.RuneCountInString(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastInput = time.Now()
	defer s.notify()
	if s.added+n > MaxSessionCharacters {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "text",
			"a session takes %d characters; this would make it %d", MaxSessionCharacters, s.added+n)
	}
	s.added += n
	s.pass(s.text.add(text))
	if unended := s.chunker.Unended() + s.text.waiting(); unended > MaxUnended {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "text",
			"%d characters wait for the end of a word; at most %d may", unended, MaxUnended)
	}
	return nil
}

// pass gives text that is to be read to the chunker. s.mu is held.
func (s *Session) pass(text string) {
	if text != "" {
		s.chunker.Add(text)
	}
}

// size returns the code points added so far.
func (s *Session) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.added
}

// Flush asks for everything added so far to be spoken now.
func (s *Session) Flush() {
	s.command(func(c *chunk.Chunker) {
		s.pass(s.text.flush())
		c.Flush()
	})
}

// Trigger asks for what was added to be spoken if it is at least 50 characters up to the
// end of a word.
func (s *Session) Trigger() { s.command((*chunk.Chunker).Trigger) }

// End says that no more text comes: Run speaks what waits and then returns.
func (s *Session) End() {
	s.command(func(c *chunk.Chunker) {
		s.pass(s.text.flush())
		s.text.ended = true
		c.End()
	})
}

// Touch restarts the wait that [SessionRequest.Idle] limits, without adding text.
func (s *Session) Touch() { s.command(func(*chunk.Chunker) {}) }

// command gives the chunker a command of the caller's, and wakes the run.
func (s *Session) command(what func(*chunk.Chunker)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastInput = time.Now()
	what(s.chunker)
	s.notify()
}

// notify wakes the run, if it waits. A token that is already there is enough: the run
// looks at everything when it wakes.
func (s *Session) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Spoken tells how far a cancelled session has come.
type Spoken struct {
	Text       string        // the text that was heard
	Remaining  string        // the text that was added and not heard
	Characters int           // code points of Text
	Audio      time.Duration // how much audio was heard
}

// Cancel ends the session at once: nothing more is written and Run returns nil. played is
// how much of the audio the listener has heard; a negative value means all that was
// written. Cancel waits until Run returns, so Run must have been called.
func (s *Session) Cancel(played time.Duration) Spoken {
	// history and heard are set by Run when it ends, so they are read only after it.
	s.stop()
	<-s.finished
	s.mu.Lock()
	defer s.mu.Unlock()
	sample := s.heard
	if played >= 0 {
		// A client cannot have heard more than was written to it.
		sample = min(sample, int(played.Seconds()*s.samplesPerSecond))
	}
	characters := charactersAt(s.history, sample)
	audio := time.Duration(0)
	if sample > 0 {
		audio = time.Duration(float64(sample) / s.samplesPerSecond * float64(time.Second))
	}
	at := 0
	// The text is bytes, and history counts code points.
	for range characters {
		_, n := utf8.DecodeRune(s.text.added[at:])
		at += n
	}
	return Spoken{Text: string(s.text.added[:at]), Remaining: string(s.text.added[at:]), Characters: characters, Audio: audio}
}

// next waits for the next chunk, and calls waiting if there is none yet. queued says that
// the run has just finished the chunk before. last reports whether no other chunk
// follows. The error is io.EOF after the last chunk.
func (s *Session) next(ctx context.Context, queued bool, waiting func()) (c chunk.Chunk, last bool, err error) {
	var since time.Time
	for {
		s.mu.Lock()
		c, ok := s.chunker.Next(queued)
		done, touched := s.chunker.Done(), s.lastInput
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
		// The time that Run spent speaking does not count as waiting: the caller may well
		// send nothing while it is heard.
		if touched.Before(since) {
			touched = since
		}
		if err := s.wait(ctx, touched); err != nil {
			return c, false, err
		}
	}
}

// extendChunk extends the chunk returned last by so many bytes of the text that follows
// it; see [chunk.Chunker.Extend].
func (s *Session) extendChunk(bytes int) (c chunk.Chunk, last, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok = s.chunker.Extend(bytes)
	return c, s.chunker.Done(), ok
}

// wait waits until something may have been added. The error is of kind Idle when nothing
// came for [SessionRequest.Idle] since lastInput.
func (s *Session) wait(ctx context.Context, lastInput time.Time) error {
	var expired <-chan time.Time
	if s.req.Idle > 0 {
		timer := time.NewTimer(time.Until(lastInput.Add(s.req.Idle)))
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

// conclude stores how far the audio of a run has come, for Cancel.
func (s *Session) conclude(p *performance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history, s.heard, s.samplesPerSecond = p.progress.history, p.progress.samples, float64(p.chain.rate)*p.chain.speed
}

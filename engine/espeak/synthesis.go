package espeak

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/espeak/accent"
	"vaak/internal/pause"
	"vaak/voice"
)

// errAllSent ends a child that has spoken everything that is heard.
var errAllSent = errors.New("all heard")

// A piece is a part of the engine form, spoken by one child.
type piece struct {
	text         string
	first        int   // the code point of the form at which it begins
	origin       []int // if not nil, the code point of the form for each code point of text
	endPause     bool
	phonemeWords []accent.Place // if not nil, text is phonemes, and these are the words in it
}

// span returns the code points of the form from which a word of the piece was made.
func (p piece) span(w wireWord) (from, to int) {
	if p.phonemeWords == nil {
		return p.at(w.position), p.at(w.position + w.length)
	}
	i, found := slices.BinarySearchFunc(p.phonemeWords, w.position, func(l accent.Place, at int) int { return cmp.Compare(l.At, at) })
	if !found {
		i--
	}
	if i < 0 {
		return p.at(0), p.at(0)
	}
	if w.length == 0 {
		return p.at(p.phonemeWords[i].Start), p.at(p.phonemeWords[i].Start)
	}
	return p.at(p.phonemeWords[i].Start), p.at(p.phonemeWords[i].End)
}

// part returns bytes from to to of a piece.
func (p piece) part(from, to int, endPause bool) piece {
	skipped := utf8.RuneCountInString(p.text[:from])
	q := piece{text: p.text[from:to], first: p.first + skipped, endPause: endPause}
	if p.origin != nil {
		q.origin = p.origin[skipped : skipped+utf8.RuneCountInString(q.text)]
	}
	return q
}

// at returns the code point of the form for code point i of the piece.
func (p piece) at(i int) int {
	switch {
	case p.origin == nil:
		return p.first + i
	case len(p.origin) == 0:
		return p.first
	case i >= len(p.origin):
		return p.origin[len(p.origin)-1] + 1
	default:
		return p.origin[i]
	}
}

// defused returns the piece with its text defused; ok is false if that changes nothing,
// because it is defused already.
func (p piece) defused() (q piece, ok bool) {
	d := defuse(p.text)
	if d.text == p.text {
		return p, false
	}
	for i, from := range d.origin {
		d.origin[i] = p.at(from)
	}
	return piece{text: d.text, first: p.first, origin: d.origin, endPause: p.endPause}, true
}

// synthesis is the work on one utterance, by as many children as it takes.
type synthesis struct {
	e       *Engine
	u       engine.Utterance
	set     Parameters
	reader  string         // the voice that reads the text, if another speaks it
	accent  *accent.Accent // how that other one speaks it; nil if one voice does both
	out     *output
	strict  bool        // this is a control sentence: report errors instead of leaving text out
	server  *forkServer // the server to use; nil picks one by the voice
	tries   int         // children so far
	audible bool        // sound was heard
}

// maxTries limits the children of one utterance. Text that needs more than a few dozen is an
// attack.
const maxTries = 512

// These limit how often in a row a child may be lost without coming further than the one
// before it. After lostBeforeControl a control sentence shows whether the engine works at
// all. After maxLost the text is taken for the cause: it may make every child hang.
const (
	lostBeforeControl = 2
	maxLost           = 5
	// maxLostControl is the limit for the child of a control sentence.
	maxLostControl = 3
)

// voices returns a name for the library's voices that the utterance needs.
func (s *synthesis) voices() string { return s.set.Voice + " " + s.reader }

// speak speaks a piece in whatever way works. If a child is lost, another one speaks the
// same text again. If the library crashes over the text, the text is defused, and if that
// does not help, cut in two.
func (s *synthesis) speak(ctx context.Context, p piece) error {
	start, most := s.out.pos, maxLost
	if s.strict {
		most = maxLostControl
	}
	err := s.child(ctx, p)
	for lost, sent := 1, s.out.sent; errors.Is(err, errLost) && lost < most; lost++ {
		s.countFailure(p, err)
		if lost == lostBeforeControl {
			if err := s.control(ctx); err != nil {
				return err
			}
		}
		s.out.pos = start // the samples of the failed attempt do not count; sent keeps those handed over
		err = s.child(ctx, p)
		if s.out.sent > sent { // it came further, so this is not the same failure
			lost, sent = 0, s.out.sent
		}
	}
	// A refused voice may mean that the library's data is gone.
	if errors.Is(err, errRefused) {
		if down := s.control(ctx); down != nil {
			return down
		}
	}
	if !errors.Is(err, errLost) && !errors.Is(err, errCrashed) {
		return err
	}
	s.countFailure(p, err)
	if s.strict {
		return err
	}
	s.out.pos = start
	if q, ok := p.defused(); ok {
		return s.speak(ctx, q)
	}
	// Defused text crashed too: find the part that causes it.
	left, right, ok := bisect(p)
	if !ok || s.tries > maxTries {
		return s.omit(ctx, p)
	}
	if err := s.speak(ctx, left); err != nil {
		return err
	}
	return s.speak(ctx, right)
}

// omit leaves out a piece that cannot be spoken, if a control sentence can.
func (s *synthesis) omit(ctx context.Context, p piece) error {
	if err := s.control(ctx); err != nil {
		return err
	}
	s.e.leftOut.Add(1)
	s.e.log.Error("text that espeak cannot speak was left out", "bytes", len(p.text), "voice", s.set.Voice)
	return s.out.omit(p)
}

// control returns an error if the engine is down: if it cannot speak a sentence that any
// working engine can.
func (s *synthesis) control(ctx context.Context) error {
	if s.strict {
		return nil
	}
	return s.e.hear(ctx, engine.Utterance{Text: voice.PreviewText(s.u.Language), Language: s.u.Language, Region: s.u.Region, Voice: s.u.Voice}, s.set, nil)
}

// countFailure counts and logs a child that did not finish.
func (s *synthesis) countFailure(p piece, err error) {
	s.e.crashes.Add(1)
	s.e.log.Warn("espeak child failed", "error", err, "bytes", len(p.text), "voice", s.set.Voice, "sample", s.out.pos)
}

// maxQuiet is how many samples at the start may be silent before that is suspicious: 2 s.
const maxQuiet = 2 * 22050

// child has one child speak a piece, and a second one if the first is silent. A library
// that has lost its dictionary, or gets no memory for it, reads nothing and reports no
// error, so silence may be the fault of that child alone. A piece that two children are
// silent about, while the voice speaks its control sentence, is left out.
func (s *synthesis) child(ctx context.Context, p piece) error {
	start := s.out.pos
	err := s.attempt(ctx, p, false)
	if !errors.Is(err, errSilent) {
		return err
	}
	if err := s.control(ctx); err != nil {
		return err
	}
	s.out.pos = start
	if err = s.attempt(ctx, p, true); !errors.Is(err, errSilent) {
		return err
	}
	s.out.pos = start
	return s.omit(ctx, p)
}

// errSilent is the error of a child that makes no sound for letters or digits.
var errSilent = errors.New("espeak child is silent")

// attempt has one child speak a piece. The error wraps errSilent if the piece should sound
// and does not; nothing was handed over then. The second attempt takes a long silence at
// the beginning for a pause.
func (s *synthesis) attempt(ctx context.Context, p piece, second bool) error {
	s.tries++
	r := request{set: s.set, text: p.text}
	if s.accent != nil {
		said, err := s.phonemes(ctx, p)
		if err != nil {
			return err
		}
		// Nothing of the piece is spoken: only signs, or the reader failed silently.
		if len(said.Places) == 0 {
			if s.mustSound(p) {
				return errSilent
			}
			return s.out.finish()
		}
		if len(said.Text) > maxText {
			return fmt.Errorf("%w: it has %d bytes in phonemes", errCrashed, len(said.Text)) // so that it is cut into smaller pieces
		}
		r.text, p.phonemeWords = said.Text, said.Places
		r.flags |= flagPhonemes
	}
	if p.endPause {
		r.flags |= flagEndPause
	}
	start := s.out.pos
	var quiet []frame // held back until sound is heard, since nothing handed over can be taken back
	samples := 0      // in quiet
	err := s.ask(ctx, r, s.out.Room, func(f frame) error {
		if s.audible {
			return s.out.frame(f, p, start)
		}
		quiet, samples = append(quiet, f.clone()), samples+len(f.pcm)
		if louder(f.pcm, controlLevel) == 0 {
			if samples < maxQuiet {
				return nil
			}
			if s.mustSound(p) && !second {
				return errSilent
			}
		}
		s.audible = true
		// Sound proves that the voices work.
		s.e.failures.forget(s.voices())
		return s.out.frames(quiet, p, start)
	})
	switch {
	case err == nil && !s.audible && s.mustSound(p):
		return errSilent
	case errors.Is(err, errAllSent):
		return nil
	case err != nil:
		return err
	}
	if !s.audible {
		if err := s.out.frames(quiet, p, start); err != nil {
			return err
		}
	}
	return s.out.finish()
}

// mustSound reports whether a piece has letters or digits, so that silence is suspicious.
// The silence of a control sentence is judged by the caller.
func (s *synthesis) mustSound(p piece) bool {
	return !s.strict && strings.ContainsFunc(p.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// helloTimeout is how long after the first failure workers may fail to greet before the engine
// counts as down.
const helloTimeout = 900 * time.Millisecond

// ask has a child answer a request. If the worker is just being replaced it tries again.
func (s *synthesis) ask(ctx context.Context, r request, room room, take func(frame) error) error {
	server := s.server
	if server == nil {
		server = s.e.servers.pick(r.set.Voice)
	}
	var limited context.Context // nil before the first failure
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 160*time.Millisecond) {
		err := s.e.converse(ctx, server, r, room, take)
		if errors.Is(err, errGone) {
			continue // there are few spare children, and the next is not one in the end
		}
		if !errors.Is(err, errNoHello) {
			return err
		}
		if limited == nil {
			var cancel context.CancelFunc
			limited, cancel = pause.Within(ctx, helloTimeout)
			defer cancel()
		} else if limited.Err() != nil {
			return down(err)
		}
		server = s.e.servers.any // a server with a loaded voice may have been closed just now
		if err := pause.For(ctx, wait); err != nil {
			return err
		}
	}
}

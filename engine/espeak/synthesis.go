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
	"vaak/voice"
)

// errHeard ends a child that has spoken all that is to be heard.
var errHeard = errors.New("all heard")

// A piece is a part of the engine form that one child speaks.
type piece struct {
	text     string
	first    int   // the code point of the form that it begins with
	origin   []int // if set, the code point of the form that each of its code points came from
	endPause bool
	places   []accent.Place // if set, the text is phonemes, whose words are from these code points of it
}

// span returns the code points of the form that a word of the piece came from.
func (p piece) span(w wireWord) (from, to int) {
	if p.places == nil {
		return p.at(w.position), p.at(w.position + w.length)
	}
	i, found := slices.BinarySearchFunc(p.places, w.position, func(l accent.Place, at int) int { return cmp.Compare(l.At, at) })
	if !found {
		i--
	}
	if i < 0 {
		return p.at(0), p.at(0)
	}
	if w.length == 0 {
		return p.at(p.places[i].Start), p.at(p.places[i].Start)
	}
	return p.at(p.places[i].Start), p.at(p.places[i].End)
}

// part returns the bytes from..to of a piece.
func (p piece) part(from, to int, endPause bool) piece {
	skipped := utf8.RuneCountInString(p.text[:from])
	q := piece{text: p.text[from:to], first: p.first + skipped, endPause: endPause}
	if p.origin != nil {
		q.origin = p.origin[skipped : skipped+utf8.RuneCountInString(q.text)]
	}
	return q
}

// at returns the code point of the form that code point i came from.
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

// defused returns the piece with its text defused; ok is false when that
// changes nothing, as it does the second time.
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

// synthesis is one utterance on its way through as many children as it needs.
type synthesis struct {
	e      *Engine
	u      engine.Utterance
	set    Parameters
	reader string         // the voice that reads the text, where another speaks it
	accent *accent.Accent // with which that one does; nil where one does both
	out    *output
	strict bool        // it is a control sentence: nothing is left out
	server *forkServer // to ask; nil is the one that has loaded the voice, if any
	tries  int
	heard  bool // there was sound in it
}

// maxTries bounds the children of one utterance. Text that needs more than a
// few dozen is an attack.
const maxTries = 512

// How often in a row a child may be lost before it came further than the one before,
// until it is asked whether the engine speaks at all, and until the text is blamed: it
// may make every child hang.
const (
	doubtful = 2
	maxLost  = 5
	// mostLost is how often in a row the child of a control sentence may be.
	mostLost = 3
)

// voices names what the utterance needs of the library.
func (s *synthesis) voices() string { return s.set.Voice + " " + s.reader }

// speak speaks a piece, whatever it takes. A child that was lost is replaced
// by one with the same text; text that the library crashes over is defused,
// and bisected when that does not help.
func (s *synthesis) speak(ctx context.Context, p piece) error {
	start, most := s.out.pos, maxLost
	if s.strict {
		most = mostLost
	}
	err := s.child(ctx, p)
	for lost, sent := 1, s.out.sent; errors.Is(err, errLost) && lost < most; lost++ {
		s.failed(p, err)
		if lost == doubtful {
			if err := s.control(ctx); err != nil {
				return err
			}
		}
		s.out.pos = start
		err = s.child(ctx, p)
		if s.out.sent > sent {
			lost, sent = 0, s.out.sent
		}
	}
	if errors.Is(err, errRefused) {
		if down := s.control(ctx); down != nil {
			return down
		}
	}
	if !errors.Is(err, errLost) && !errors.Is(err, errCrashed) {
		return err
	}
	s.failed(p, err)
	if s.strict {
		return err
	}
	s.out.pos = start
	if q, ok := p.defused(); ok {
		return s.speak(ctx, q)
	}
	left, right, ok := bisect(p)
	if !ok || s.tries > maxTries {
		return s.leaveOut(ctx, p)
	}
	if err := s.speak(ctx, left); err != nil {
		return err
	}
	return s.speak(ctx, right)
}

// leaveOut leaves out a piece that cannot be spoken, while others can be.
func (s *synthesis) leaveOut(ctx context.Context, p piece) error {
	if err := s.control(ctx); err != nil {
		return err
	}
	s.e.leftOut.Add(1)
	s.e.log.Error("text that espeak cannot speak was left out", "bytes", len(p.text), "voice", s.set.Voice)
	return s.out.leaveOut(p)
}

// control finds out whether the engine is down, by a sentence that it can speak.
func (s *synthesis) control(ctx context.Context) error {
	if s.strict {
		return nil
	}
	return s.e.hear(ctx, engine.Utterance{Text: voice.PreviewText(s.u.Language), Language: s.u.Language, Region: s.u.Region, Voice: s.u.Voice}, s.set, nil)
}

// failed counts and logs a child that did not speak to the end.
func (s *synthesis) failed(p piece, err error) {
	s.e.crashes.Add(1)
	s.e.log.Warn("espeak child failed", "error", err, "bytes", len(p.text), "voice", s.set.Voice, "sample", s.out.pos)
}

// mostQuiet is how many samples may be silent at first before that is suspicious.
const mostQuiet = 2 * 22050

// child has one child speak a piece.
func (s *synthesis) child(ctx context.Context, p piece) error {
	s.tries++
	r := request{set: s.set, text: p.text}
	if s.accent != nil {
		said, err := s.say(ctx, p)
		if err != nil {
			return err
		}
		if len(said.Places) == 0 {
			return cmp.Or(s.silent(ctx, p), s.out.finish())
		}
		if len(said.Text) > maxText {
			return fmt.Errorf("%w: it has %d bytes in phonemes", errCrashed, len(said.Text)) // smaller pieces have fewer
		}
		r.text, p.places = said.Text, said.Places
		r.flags |= flagPhonemes
	}
	if p.endPause {
		r.flags |= flagEndPause
	}
	start := s.out.pos
	var quiet []frame // nothing that is handed over can be taken back
	samples := 0      // of them
	err := s.ask(ctx, r, s.out.Room, func(f frame) error {
		if s.heard {
			return s.out.take(f, p, start)
		}
		quiet, samples = append(quiet, f.clone()), samples+len(f.pcm)
		if louder(f.pcm, controlLevel) == 0 {
			if samples < mostQuiet {
				return nil
			}
			if err := s.silent(ctx, p); err != nil {
				return err
			}
		}
		s.heard = true
		s.e.refusals.forget(s.voices())
		return s.out.takeAll(quiet, p, start)
	})
	switch {
	case err == nil && !s.heard:
		err = s.silent(ctx, p)
	case errors.Is(err, errHeard):
		return nil
	}
	if err != nil {
		return err
	}
	if !s.heard {
		if err := s.out.takeAll(quiet, p, start); err != nil {
			return err
		}
	}
	return s.out.finish()
}

// silent is called when nothing is heard of a piece. That is suspicious
// where it has letters or digits: a library that has lost its dictionary reads nothing and says so
// to nobody.
func (s *synthesis) silent(ctx context.Context, p piece) error {
	if strings.ContainsFunc(p.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return s.control(ctx)
	}
	return nil
}

// noHello is for how long, in all, workers may fail to begin with an answer.
const noHello = 1200 * time.Millisecond

// ask has a child answer a request, and waits for a worker that is just being
// replaced.
func (s *synthesis) ask(ctx context.Context, r request, room room, take func(frame) error) error {
	server := s.server
	if server == nil {
		server = s.e.servers.pick(r.set.Voice)
	}
	began := time.Now()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 160*time.Millisecond) {
		err := s.e.converse(ctx, server, r, room, take)
		if !errors.Is(err, errDown) {
			return err
		}
		if time.Since(began) > noHello {
			return down(err)
		}
		server = s.e.servers.any // one with a loaded voice may have been ended just now
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

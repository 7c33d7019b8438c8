package speech

import (
	"context"
	"io"
	"unicode/utf8"

	"vaak/account"
	"vaak/audio/codec"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech/passage"
	"vaak/text/frontend"
)

// Recite speaks a text of any length into one answer, part by part as it is read from
// from. It ignores req.Text. Only the part being spoken and what follows it closely are in
// memory. The answer is a stream; if w is a [codec.Rewriter] it is a file, with exact
// lengths in its header.
//
// Without a language in the request each part is spoken in its own language. A later part
// keeps the language of the part before unless it is clearly in another. The first part
// decides the voice. Pauses between parts are as long as inside a request.
//
// Errors, charges and calls of w are as with [Service.Speak] of a stream, with these
// differences. A [Watcher] is not called. The answer is not cached. A part may be refused
// after earlier parts were spoken, if it is not UTF-8 or the balance is spent.
func (s *Service) Recite(ctx context.Context, caller account.Caller, req Request, from *passage.Reader, w io.Writer) (Result, error) {
	first, err := from.Next(ctx)
	if err == io.EOF {
		err = fault.BadParameter("input", "input is empty; there is no text to speak")
	}
	if err != nil {
		return Result{}, err
	}
	req.Text, req.Stream = first.Text, true
	if first.Cut {
		req.NextText = first.After
	}
	parts := &recital{from: from, part: first}
	a, err := s.prepare(ctx, req, parts)
	if err != nil {
		return Result{}, err
	}
	a.recital = parts
	a.recital.memory = frontend.NewMemory(a.prior)
	// The language memory must know the first part, in whose language later parts go on.
	a.recital.memory.Tell(first.Text)
	from.Abbreviations(func(word string) bool { return frontend.Abbreviation(a.info.Language, word) })
	return a.speak(ctx, caller, w)
}

// recital is the state of an answer whose text comes in several parts.
type recital struct {
	from   *passage.Reader
	part   passage.Part // the part being said
	memory frontend.Memory
	// markdown carries lists and code blocks from part to part.
	markdown frontend.Parts
}

// goesOn reports whether more text follows the part being said, as far as is known.
func (r *recital) goesOn() bool { return r != nil && !r.part.Last }

// mode returns how the answer is encoded: as a file if its header can be written when its
// length is known, else as a stream.
func (a *answer) mode(w io.Writer) codec.Mode {
	if _, again := w.(codec.Rewriter); !a.req.Stream || a.recital != nil && again {
		return codec.File
	}
	return codec.Stream
}

// recite says the parts after the first.
func (a *answer) recite(ctx context.Context, p *performance) error {
	for a.recital.goesOn() {
		p.timing.notify() // the timing of a silent part has no bytes to go with; it must not pile up
		part, err := a.recital.next(ctx, p)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.nextPart(part); err != nil {
			return err
		}
		n := utf8.RuneCountInString(part.Text) - countUnread(a.text, part.Text)
		a.info.Characters += n
		p.out.funds.ask(ctx, n)
		p.progress.nextText(part.Text)
		if err := p.leaveOut(a.text.Unread.Spans); err != nil {
			return err
		}
		if err := a.say(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// next waits for the next part of the text. The source may be slow, so the stream gives
// up its turn and does not count as pressing the scheduler meanwhile.
func (r *recital) next(ctx context.Context, p *performance) (passage.Part, error) {
	p.endTurn(0)
	p.stream.Pause()
	defer p.stream.Resume()
	return r.from.Next(ctx)
}

// nextPart prepares a part to be said.
func (a *answer) nextPart(part passage.Part) (err error) {
	// A part that was cut inside a sentence needs the words before the cut for its prosody.
	before := ""
	if a.recital.part.Cut {
		before = tail(a.req.Text, 100*contextWords)
	}
	a.recital.part = part
	a.req.Text, a.req.PreviousText, a.req.NextText = part.Text, before, ""
	if part.Cut {
		a.req.NextText = part.After
	}
	a.text, err = a.prepare(part.Text)
	return err
}

// prepare takes a part through the front end, in the language asked for or in its own.
func (a *answer) prepare(part string) (frontend.Prepared, error) {
	front := a.service.frontFor(a.req, a.recital).Expecting(a.prior)
	if a.hint.Code != "" {
		return front.Prepare(part, a.hint)
	}
	// A later part may be in a language that no engine speaks. The answer has begun, so it
	// is spoken in the language of the answer instead of being refused.
	told := a.recital.memory.Tell(part)
	if !a.service.engines.Speaks(told.Language.Code) {
		told.Language = lang.Tag{Code: a.info.Language}
	}
	return front.PrepareTold(part, told)
}

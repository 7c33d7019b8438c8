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

// Recite speaks a text of any length into one answer, part by part as it is read:
// req.Text is not used and what is not spoken yet is not in memory. The answer is a
// stream; if w is a [codec.Rewriter] it is a file, with exact lengths.
//
// Without a language each part is spoken in the one that it is in: a later part in
// the one of the part before unless it is clearly in another. The voice is that of
// the first part. Between parts are the pauses that would be there inside a request.
//
// Errors, charges and what w is told are as with [Service.Speak] of a stream, except
// that no [Watcher] is told, that nothing is kept, and that a part may be refused
// after others were spoken: then the text is not UTF-8, or the balance is spent.
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
	a, err := s.prepare(ctx, req)
	if err != nil {
		return Result{}, err
	}
	a.rest = &recital{from: from, part: first}
	a.rest.memory.Tell(first.Text)
	from.Abbreviations(func(word string) bool { return frontend.Abbreviation(a.info.Language, word) })
	return a.speak(ctx, caller, w)
}

// recital is where an answer of several parts stands.
type recital struct {
	from   *passage.Reader
	part   passage.Part // that is being said
	memory frontend.Memory
}

// goesOn reports whether the text goes on after what is being said of it, as far as
// is known.
func (r *recital) goesOn() bool { return r != nil && !r.part.Last }

// mode returns how the answer is encoded: as a file where its head can be written again.
func (a *answer) mode(w io.Writer) codec.Mode {
	if _, again := w.(codec.Rewriter); !a.req.Stream || a.rest != nil && again {
		return codec.File
	}
	return codec.Stream
}

// recite says the parts after the first.
func (a *answer) recite(ctx context.Context, p *performance) error {
	for a.rest.goesOn() {
		p.timing.follow() // what a silent part says goes with no bytes, and would pile up
		part, err := a.rest.next(ctx, p)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.begin(part); err != nil {
			return err
		}
		n := utf8.RuneCountInString(part.Text)
		a.info.Characters += n
		p.out.held.ask(ctx, n)
		p.said.begin(part.Text)
		if err := a.say(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// next waits for the next part. Meanwhile the stream has no turn and is not counted.
func (r *recital) next(ctx context.Context, p *performance) (passage.Part, error) {
	p.endTurn(0)
	p.stream.Pause()
	defer p.stream.Resume()
	return r.from.Next(ctx)
}

// begin makes a part ready to be said.
func (a *answer) begin(part passage.Part) (err error) {
	before := ""
	if a.rest.part.Cut {
		before = tail(a.req.Text, 100*contextWords)
	}
	a.rest.part = part
	a.req.Text, a.req.PreviousText, a.req.NextText = part.Text, before, ""
	if part.Cut {
		a.req.NextText = part.After
	}
	a.text, err = a.read(part.Text)
	return err
}

// read takes a part through the front end.
func (a *answer) read(part string) (frontend.Prepared, error) {
	front := a.service.front.With(frontend.Respelling{Dictionaries: a.req.Dictionaries})
	if a.hint.Code != "" {
		return front.Prepare(part, a.hint)
	}
	told := a.rest.memory.Tell(part)
	if a.service.engines[told.Language.Code] == nil {
		told.Language = lang.Tag{Code: a.info.Language}
	}
	return front.PrepareTold(part, told)
}

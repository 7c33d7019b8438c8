package speech

import (
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech/chunk"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/text/respell"
)

// tongue knows the language of a session, sentence by sentence.
type tongue struct {
	front        *frontend.Frontend
	dictionaries respell.Dictionaries
	hint         lang.Tag // that was asked for
	memory       frontend.Memory
	told         frontend.Told // of the sentence
	grown        int           // code points by which respelling made the text longer
}

// read puts a part of a sentence in words; begins says that the sentence begins
// with it.
func (t *tongue) read(s string, begins bool) (frontend.Prepared, error) {
	if t.hint.Code != "" {
		return t.front.Prepare(s, t.hint)
	}
	if begins {
		t.told = t.memory.Tell(s)
	}
	return t.front.PrepareTold(s, t.told)
}

// within has rules of dictionaries scoped by a language; zero is that of each text.
func (t *tongue) within(scope lang.Tag) {
	t.front = t.front.With(frontend.Respelling{Dictionaries: t.dictionaries, Request: scope, Most: frontend.MaxGrowth * MaxCharacters})
}

// freeGrowth is by how many code points the text of a session may always grow: what
// makes it long enough for more may not have come yet.
const freeGrowth = 1024

// grow notes that the text of a session, of which so many code points were added until
// now, grew by some more when it was respelled. The error is as that of
// [frontend.Frontend.Prepare].
func (t *tongue) grow(by, added int) error {
	t.grown += by
	if most := max((frontend.MaxGrowth-1)*added, freeGrowth); t.grown > most {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "text",
			"the pronunciation dictionaries make the %d characters of the session %d longer; at most %d are allowed", added, t.grown, most)
	}
	return nil
}

// part is an utterance of a chunk.
type part struct {
	utterance
	pause  time.Duration // before it
	joined bool          // to the utterance before
}

// script returns what is to be said for a chunk, with what is known around it.
// Where words on both sides of its end are read as one, the chunk is extended by
// them; where those were said before, or more of them than is known follows, it is
// read alone. White space at the end of what was flushed is carried.
func (l *live) script(c chunk.Chunk, last bool) (_ chunk.Chunk, _ bool, script []part, err error) {
	begins := c.Before == ""
	for {
		if ends(c, last) {
			said := strings.TrimRightFunc(c.Text, unicode.IsSpace)
			l.carried, c.Text = c.Text[len(said):], said
		}
		p, err := l.tongue.read(c.Before+c.Text+c.After, begins)
		if err != nil {
			return c, last, nil, err
		}
		if err := l.cast(p); err != nil {
			return c, last, nil, err
		}
		in := text.Span{Start: len(c.Before), End: len(c.Before) + len(c.Text)}
		if c.After == "" {
			in.End = math.MaxInt // with what is added at the end
		}
		if more := reach(p, in) - in.End; more > 0 && l.extend(&c, &last, more) {
			begins = false
			continue
		}
		if err := l.tongue.grow(p.Grown(in), l.session.size()); err != nil {
			return c, last, nil, err
		}
		script, ok := l.parts(p, in)
		if !ok {
			if p, err = l.tongue.read(c.Text, false); err != nil {
				return c, last, nil, err
			}
			script, _ = l.parts(p, text.Span{End: math.MaxInt})
		}
		if n := len(script); n > 0 {
			end := &script[n-1]
			end.Continues = c.Ends && !last && frontend.EndsSentence(end.Text)
		}
		return c, last, script, nil
	}
}

// extend extends a chunk by so many bytes of what follows it, or a few more, and
// reports whether so much is there in whole words.
func (l *live) extend(c *chunk.Chunk, last *bool, bytes int) bool {
	more, done, ok := l.session.take(bytes)
	if !ok {
		return false
	}
	l.unasked += utf8.RuneCountInString(more.Text)
	c.Text += more.Text
	c.After, c.Ends, c.Follows, *last = more.After, more.Ends, more.Follows, done
	return true
}

// cast chooses the voice by the language of the first text that has any.
func (l *live) cast(p frontend.Prepared) error {
	if l.info.Language == "" && len(p.Opening) > 0 {
		if err := l.service.speaks(p); err != nil {
			return err
		}
		l.info.Language = p.Language.Code
		l.session.told(p.Language)
		if l.session.hint.IsZero() {
			l.tongue.within(p.Language)
		}
	}
	if l.session.voice.ID != "" || len(p.Opening) == 0 {
		return nil
	}
	v, err := l.service.voice("", l.info.Language)
	if err != nil {
		return fault.New(fault.Internal, fault.CodeInternal, "", "no voice: %v", err)
	}
	l.session.voice, l.info.Voice = v, v.ID
	return nil
}

// spoken returns the language of a sentence, or that of the session if no engine
// speaks it.
func (l *live) spoken(of lang.Tag) lang.Tag {
	if l.service.engines[of.Code] == nil {
		return lang.Tag{Code: l.info.Language}
	}
	return of
}

// parts returns what is said of a part of a text that was prepared; ok is false
// when something is read that was made of more than the part.
func (l *live) parts(p frontend.Prepared, in text.Span) (script []part, ok bool) {
	said := 0
	for run := range p.Runs() {
		out, ok := inside(run.Map, in)
		if !ok {
			return nil, false
		}
		if out.Len() == 0 {
			continue
		}
		u := part{utterance: l.service.utterance(run, l.spoken(p.Language), l.session.voice)}
		u.Text, u.After = out.In(run.Text), run.Text[out.End:]
		u.Before = lastWords(run.Text[:out.Start], contextWords)
		if out.Start == 0 {
			u.pause = run.Pause
		}
		u.joined = u.Before != "" && len(script) == 0
		u.Continues = !run.Last && u.After == "" && run.EndsSentence()
		u.back = shift(run.Map.Slice(out), -in.Start)
		end := u.back.Back(text.Span{Start: 0, End: out.Len()}).End
		u.written = text.Span{Start: said, End: max(said, end)}
		said = u.written.End
		script = append(script, u)
	}
	return script, true
}

// shift moves what a map, which is changed, leads to.
func shift(m text.Map, n int) text.Map {
	for i := range m {
		m[i].In = m[i].In.Shift(n)
	}
	return m
}

package speech

import (
	"math"
	"strings"
	"time"
	"unicode"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech/chunk"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/text/respell"
)

// sessionReader takes the text of a session through the front end, and remembers the
// language of each sentence: chunks that end inside a sentence share its language.
type sessionReader struct {
	front        *frontend.Frontend
	dictionaries respell.Dictionaries
	hint         lang.Tag // the language asked for; zero if none was
	memory       frontend.Memory
	sentence     frontend.Told // the language of the current sentence
	growth       int           // code points that respelling has added to the text so far
}

// read takes a part of a sentence through the front end. begins reports whether the
// sentence begins with it.
func (t *sessionReader) read(s string, begins bool) (frontend.Prepared, error) {
	if t.hint.Code != "" {
		return t.front.Prepare(s, t.hint)
	}
	if begins {
		t.sentence = t.memory.Tell(s)
	}
	return t.front.PrepareTold(s, t.sentence)
}

// setScope limits the rules of the dictionaries to those of a language; zero stands for
// the language of each text.
func (t *sessionReader) setScope(scope lang.Tag) {
	t.front = t.front.With(frontend.Respelling{Dictionaries: t.dictionaries, Request: scope, Most: frontend.MaxGrowth * MaxCharacters})
}

// freeGrowth is by how many code points respelling may always make a session's text
// longer. The limit is proportional to the text added so far, which may be a few words
// yet.
const freeGrowth = 1024

// countGrowth records that respelling added by code points to the text of a session, of
// which added code points have come so far. It returns the error of
// [frontend.Frontend.Prepare] when the sum exceeds the limit.
func (t *sessionReader) countGrowth(by, added int) error {
	t.growth += by
	if most := max((frontend.MaxGrowth-1)*added, freeGrowth); t.growth > most {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "text",
			"the pronunciation dictionaries make the %d characters of the session %d longer; at most %d are allowed", added, t.growth, most)
	}
	return nil
}

// part is an utterance made from a chunk, with how it connects to the one before.
type part struct {
	utterance
	pause  time.Duration // before it
	joined bool          // continues the sentence of the utterance before
}

// script returns the utterances to be said for a chunk, with the text known around it.
//
// Words on both sides of the chunk's end may have to be read as one, as in "$5" and
// "million". Then the chunk is extended by the words after its end. If the words before
// its start were said already, or if not enough words follow yet, the chunk is read
// without its surroundings. White space at the end of a flushed chunk is carried over.
//
// unread are the spans of the chunk that are left out because of their script.
func (l *sessionRun) script(c chunk.Chunk, last bool) (_ chunk.Chunk, _ bool, script []part, unread []text.Span, err error) {
	begins := c.Before == ""
	for {
		if flushedEnd(c, last) {
			trimmed := strings.TrimRightFunc(c.Text, unicode.IsSpace)
			l.carried, c.Text = c.Text[len(trimmed):], trimmed
		}
		p, err := l.reader.read(c.Before+c.Text+c.After, begins)
		// The chunk is read together with its surroundings, and then only what was made
		// from the chunk itself is said: that is how "5" is known to be a part of "$5".
		if err != nil {
			return c, last, nil, nil, err
		}
		if err := l.chooseVoice(p); err != nil {
			return c, last, nil, nil, err
		}
		in := text.Span{Start: len(c.Before), End: len(c.Before) + len(c.Text)}
		if c.After == "" {
			in.End = math.MaxInt // also what the front end adds behind the last character
		}
		// Each round adds at least a byte to the chunk and extend fails at the end of the
		// text, so this loop ends.
		if more := extendedEnd(p, in) - in.End; more > 0 && l.extend(&c, &last, more) {
			begins = false
			continue
		}
		if err := l.reader.countGrowth(p.Grown(in), l.session.size()); err != nil {
			return c, last, nil, nil, err
		}
		unread = unreadIn(p, in, len(c.Text))
		script, ok := l.parts(p, in)
		if !ok {
			// Something was made of the chunk and of text that was said before it.
			if p, err = l.reader.read(c.Text, false); err != nil {
				return c, last, nil, nil, err
			}
			script, _ = l.parts(p, text.Span{End: math.MaxInt})
		}
		if n := len(script); n > 0 {
			end := &script[n-1]
			// As inside a request: the voice falls less at the end of a sentence when
			// another follows.
			end.Continues = c.Ends && !last && frontend.EndsSentence(end.Text)
			if end.speaker.traits.Clauses && !c.Ends {
				end.Continues = true // there is no edge that would have the pause after the clause
			}
		}
		return c, last, script, unread, nil
	}
}

// unreadIn returns what is left out of a chunk of so many bytes, which lies in a span of a
// prepared text.
func unreadIn(p frontend.Prepared, in text.Span, size int) []text.Span {
	var all []text.Span
	for _, s := range p.Unread.Spans {
		s = s.Shift(-in.Start)
		if s.Start, s.End = max(s.Start, 0), min(s.End, size); s.Start < s.End {
			all = append(all, s)
		}
	}
	return all
}

// extend extends a chunk by so many bytes of the text that follows it, up to the end of a
// word. It returns false if less than that has come in whole words.
func (l *sessionRun) extend(c *chunk.Chunk, last *bool, bytes int) bool {
	more, done, ok := l.session.extendChunk(bytes)
	if !ok {
		return false
	}
	l.unreserved += l.session.take(&l.written, len(more.Text))
	c.Text += more.Text
	c.After, c.Ends, c.Follows, *last = more.After, more.Ends, more.Follows, done
	return true
}

// chooseVoice sets the voice and the language of the session, once a text shows a
// language.
func (l *sessionRun) chooseVoice(p frontend.Prepared) error {
	if l.info.Language == "" && len(p.Opening) > 0 {
		if err := l.service.speaks(p); err != nil {
			return err
		}
		l.info.Language = p.Language.Code
		l.session.setLanguage(p.Language)
		if l.session.hint.IsZero() {
			l.reader.setScope(p.Language)
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
	by, err := l.service.speakerFor(v, l.info.Language)
	if err != nil {
		return nil // saying the text tells why nobody speaks
	}
	l.session.setClauses(by.traits.Clauses)
	if l.session.req.Strict {
		_, _, err = checkKnobs(l.session.req.Sampling, by)
	}
	return err
}

// spokenLanguage returns the language in which to speak a sentence: its own, or that of
// the session if no engine speaks its own.
func (l *sessionRun) spokenLanguage(of lang.Tag) lang.Tag {
	if !l.service.engines.Speaks(of.Code) {
		return lang.Tag{Code: l.info.Language}
	}
	return of
}

// parts returns the utterances for the part of a prepared text that lies in a span. ok is
// false if something is read that was made from text inside and outside the span.
func (l *sessionRun) parts(p frontend.Prepared, in text.Span) (script []part, ok bool) {
	done := 0
	for run := range p.Runs() {
		out, ok := inside(run.Map, in)
		if !ok {
			return nil, false
		}
		if out.Len() == 0 {
			continue
		}
		u := part{utterance: l.service.utterance(run, l.spokenLanguage(p.Language), l.session.voice, l.session.req.Sampling)}
		u.Text, u.After = out.In(run.Text), run.Text[out.End:]
		u.Before = lastWords(run.Text[:out.Start], contextWords)
		if out.Start == 0 {
			u.pause = run.Pause
		}
		// Pieces of a voice that speaks whole clauses follow each other as sentences do.
		u.joined = u.Before != "" && len(script) == 0 && !u.speaker.traits.Clauses
		u.Continues = !run.Last && u.After == "" && run.EndsSentence()
		// The map must lead to the chunk, but the prepared text began before the chunk.
		u.back = shift(run.Map.Slice(out), -in.Start)
		end := u.back.Back(text.Span{Start: 0, End: out.Len()}).End
		u.written = text.Span{Start: done, End: max(done, end)}
		done = u.written.End
		script = append(script, u)
	}
	return script, true
}

// shift moves all inputs of a map by n bytes, in place.
func shift(m text.Map, n int) text.Map {
	for i := range m {
		m[i].In = m[i].In.Shift(n)
	}
	return m
}

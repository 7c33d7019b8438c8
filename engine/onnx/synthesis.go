package onnx

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"vaak/engine"
	"vaak/engine/espeak/accent"
	"vaak/engine/ipa"
	"vaak/engine/onnx/symbols"
	"vaak/engine/onnx/worker"
	"vaak/internal/fault"
	"vaak/text"
)

// usualSeed is the seed of the noise of requests without one.
const usualSeed = 1

// sentencePause is the silence behind a sentence that is followed by others.
const sentencePause = 200 * time.Millisecond

// shortClause is how many symbols a clause has at least that is computed by itself, by models
// whose sound comes only when all of it is there: about two seconds of speech.
const shortClause = 24

// maxText is how many bytes an utterance may have.
const maxText = 1 << 20

// Synthesize speaks u. If the worker is lost, another continues after the samples that the sink
// already has.
func (e *Engine) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	v, err := e.find(u.Voice)
	if err != nil {
		return err
	}
	if !v.traits.Speaks(u.Language) {
		return fault.BadParameter("lang", "language %q is not spoken by voice %s", u.Language, u.Voice.ID)
	}
	if n := len(u.Text); n > maxText {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, "input", "an utterance of %d bytes is over %d", n, maxText)
	}
	if u.Text == "" {
		return nil
	}
	whole, body := ipa.Join(u.Before, u.Text, u.After)
	reading, err := e.read(ctx, v, u, whole)
	if err != nil {
		return err
	}
	encoded := v.encoder.Encode(reading, symbols.Options{Body: body, Short: shortClause})
	e.figure.replaced.Add(int64(encoded.Replaced))
	e.figure.dropped.Add(int64(encoded.Dropped))
	s := &synthesis{e: e, v: v, u: u, sink: sink, pause: u.Continues && ends(reading, body), leftOut: merge(within(reading.LeftOut, body), unspoken(encoded))}
	err = s.speak(ctx, encoded.Pieces)
	v.down.note(err)
	// Also of an utterance that was interrupted.
	audio := time.Duration(s.position) * time.Second / time.Duration(v.traits.SampleRate)
	e.figure.audio.Add(int64(audio))
	e.figure.busy.Add(int64(s.busy))
	v.cost.add(s.busy, audio)
	return err
}

func (e *Engine) read(ctx context.Context, v *spoken, u engine.Utterance, whole string) (ipa.Reading, error) {
	if u.Language == v.speaker.Language {
		return e.reader.Transcribe(ctx, u.Language, v.reader, whole)
	}
	r, err := e.reader.Transcribe(ctx, u.Language, u.Region, whole)
	if err != nil {
		return r, err
	}
	adapted, ok := accent.Adapt(v.speaker.Language, u.Language, r)
	if !ok {
		return r, fault.BadParameter("lang", "language %q is not spoken by voice %s", u.Language, u.Voice.ID)
	}
	return adapted, nil
}

// within returns the spans inside the body, counted from its start.
func within(all []text.Span, body text.Span) []text.Span {
	var in []text.Span
	for _, s := range all {
		s.Start, s.End = max(s.Start, body.Start), min(s.End, body.End)
		if s.Start < s.End {
			in = append(in, s.Shift(-body.Start))
		}
	}
	return in
}

// ends reports whether the body of a reading ends where a sentence does, or something without a mark,
// such as a headline.
func ends(r ipa.Reading, body text.Span) bool {
	end := false
	for _, c := range r.Clauses {
		for _, w := range c.Words {
			if w.Start < body.Start {
				continue
			}
			if w.Start >= body.End {
				return end && c.Words[0].Start >= body.End
			}
			end = c.EndsSentence() || c.Mark == 0
		}
	}
	return end
}

// unspoken returns the words of which the voice knows no symbol.
func unspoken(e symbols.Encoding) []text.Span {
	var silent, heard []text.Span
	for _, p := range e.Pieces {
		for _, w := range p.Words {
			if at := (text.Span{Start: w.Start, End: w.End}); w.From < w.To {
				heard = append(heard, at)
			} else if at.Start < at.End {
				silent = append(silent, at)
			}
		}
	}
	// A number is read as several words, of which one may be heard.
	return slices.DeleteFunc(silent, func(s text.Span) bool {
		return slices.ContainsFunc(heard, func(h text.Span) bool { return h.Start < s.End && s.Start < h.End })
	})
}

// merge returns the spans of both lists in their order, without what is in them twice.
func merge(a, b []text.Span) []text.Span {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b text.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	var apart []text.Span
	end := 0
	for _, s := range all {
		s.Start = max(s.Start, end)
		if s.Start < s.End {
			apart, end = append(apart, s), s.End
		}
	}
	return apart
}

// synthesis is the work on one utterance.
type synthesis struct {
	e        *Engine
	v        *spoken
	u        engine.Utterance
	sink     engine.Sink
	leftOut  []text.Span // not reported yet
	pause    bool        // follows the sound
	position int         // samples of the body that the sink has
	last     int         // sample of the last word; -1 before the first
	room     int         // samples that the sink still wants
	busy     time.Duration
}

func (s *synthesis) speak(ctx context.Context, pieces []symbols.Piece) error {
	s.last = -1
	var body []symbols.Piece
	for _, p := range pieces {
		if p.From < p.To {
			body = append(body, p)
		}
	}
	for i, p := range body {
		last := i == len(body)-1
		if err := s.piece(ctx, p, i == 0, last); err != nil {
			return err
		}
		if !last && p.Ends {
			if err := s.rest(ctx); err != nil {
				return err
			}
		}
	}
	// What comes behind the last word.
	if err := s.words(nil); err != nil {
		return err
	}
	// Where context follows in the same piece, the model has made the pause.
	if n := len(body); s.pause && n > 0 && body[n-1].To == len(body[n-1].IDs) {
		return s.rest(ctx)
	}
	return nil
}

// rest is silent as long as between sentences.
func (s *synthesis) rest(ctx context.Context) error {
	return s.hand(ctx, engine.Body, make([]int16, int(sentencePause*time.Duration(s.v.traits.SampleRate)/time.Second)))
}

// job returns what the worker is to compute for a piece.
func (s *synthesis) job(p symbols.Piece, first, last bool) worker.Job {
	j := worker.Job{
		Kind: s.v.model.Kind, Model: s.v.model.ModelPath(), Digest: s.v.model.Digest, Whole: s.v.model.Whole, Hop: s.v.hop,
		IDs: p.IDs, From: p.From, To: p.To, Speaker: s.v.number, Scales: s.v.scales, Seed: usualSeed,
		Gain: float32(s.v.speaker.Gain),
	}
	if s.v.style != nil {
		j.Style = s.v.style(len(p.IDs) - 2) // without the two that frame it
	}
	if t := s.u.Sampling.Temperature; t != nil {
		j.Scales[0] *= float32(*t)
		j.Scales[2] *= float32(*t)
	}
	if seed := s.u.Sampling.Seed; seed != nil {
		j.Seed = uint64(*seed)
	}
	// Without more to follow, the sound ends with the last word.
	if n := len(p.Words); last && !s.u.Continues && n > 0 {
		j.To = max(j.From, p.Words[n-1].To)
	}
	if first && s.u.Before != "" {
		j.Lead = s.u.Edge
	}
	if last && s.u.After != "" {
		j.Trail = s.u.Edge
	}
	return j
}

// mostLost is how often in a row a worker may be lost over a piece without coming further.
const mostLost = 3

// piece speaks a piece.
func (s *synthesis) piece(ctx context.Context, p symbols.Piece, first, last bool) error {
	j := s.job(p, first, last)
	w := &wording{piece: p, start: s.position}
	for lost := 0; ; {
		if err := s.wantRoom(ctx); err != nil {
			return err
		}
		sent := j.Skip
		err := s.take(ctx, &j, w)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, worker.ErrDown):
			return fault.Down(fault.CodeEngineUnavailable, time.Second, err, "engine onnx is down")
		case !errors.Is(err, worker.ErrLost):
			return s.refusal(err)
		case j.Skip > sent:
			lost = 0
		}
		if lost++; lost >= mostLost {
			return fault.Down(fault.CodeEngineUnavailable, time.Second, err, "engine onnx is down")
		}
	}
}

// refusal returns the error of a worker as callers understand it.
func (s *synthesis) refusal(err error) error {
	r, ok := errors.AsType[*worker.Refusal](err)
	if !ok {
		return err
	}
	s.e.log.Error("a neural voice cannot speak", "voice", s.v.speaker.ID, "error", r)
	if r.Bad {
		return fault.Down(fault.CodeEngineUnavailable, time.Minute, r, "voice %s cannot speak", s.v.speaker.ID)
	}
	return fault.Down(fault.CodeOverloaded, time.Second, r, "voice %s cannot speak now", s.v.speaker.ID)
}

// marks returns the words of a piece, whose ids end at some samples, in an utterance of which
// start samples are before the piece.
func marks(p symbols.Piece, ends []int, start int) []engine.Word {
	at := func(id int) int {
		if id <= 0 || id > len(ends) {
			return 0
		}
		return ends[id-1]
	}
	var all []engine.Word
	for _, w := range p.Words {
		if w.From < w.To {
			all = append(all, engine.Word{Start: w.Start, End: w.End, Sample: start + at(w.From) - at(p.From)})
		}
	}
	return all
}

// words tells the sink where words begin, and between them what is left out.
func (s *synthesis) words(all []engine.Word) error {
	for len(all) > 0 || len(s.leftOut) > 0 {
		n := 0
		for n < len(all) && (len(s.leftOut) == 0 || all[n].Start < s.leftOut[0].Start) {
			n++
		}
		var f engine.Frame
		for _, w := range all[:n] {
			// Two words cannot begin at one sample; the second of them lasts for none.
			if w.Sample > s.last {
				f.Words, s.last = append(f.Words, w), w.Sample
			}
		}
		if len(f.Words) > 0 {
			if err := s.sink.Frame(f); err != nil {
				return err
			}
		}
		if all = all[n:]; len(s.leftOut) == 0 || len(all) == 0 && n > 0 {
			return nil // what is left out behind them is told with the next words, or at the end
		}
		m := 0
		for m < len(s.leftOut) && (len(all) == 0 || s.leftOut[m].Start <= all[0].Start) {
			m++
		}
		if err := s.sink.Frame(engine.Frame{LeftOut: s.leftOut[:m]}); err != nil {
			return err
		}
		s.leftOut = s.leftOut[m:]
	}
	return nil
}

// wording are the words of a piece, which begins at a sample of the utterance.
type wording struct {
	piece symbols.Piece
	start int
	told  bool
}

// tell tells the sink the words of a piece, once.
func (s *synthesis) tell(w *wording, ends []int) error {
	if w.told {
		return nil
	}
	w.told = true
	return s.words(marks(w.piece, ends, w.start))
}

// take has the worker compute a job and hands its sound over. Skip of the job counts the samples
// that the sink has.
func (s *synthesis) take(ctx context.Context, j *worker.Job, w *wording) error {
	t, err := s.e.process.Load().Do(ctx, *j)
	if err != nil {
		return err
	}
	defer func() {
		s.busy += t.Busy()
		t.Close()
	}()
	for {
		// Also where some room is left: a sink that has encoded what it got has given the
		// processor to others, and what is computed next needs its own turn.
		s.room = 0
		if err := s.wantRoom(ctx); err != nil {
			return err
		}
		c, ok, err := t.Chunk(ctx)
		if err != nil {
			return err
		}
		if !c.Before { // the lead comes before the words
			if err := s.tell(w, t.Ends()); err != nil {
				return err
			}
		}
		if !ok {
			return nil
		}
		part := engine.Body
		switch {
		case c.Before:
			part = engine.Lead
		case c.After:
			part = engine.Trail
		}
		n := len(c.PCM)
		if err := s.hand(ctx, part, c.PCM); err != nil {
			return err
		}
		j.Skip += n
	}
}

// wantRoom waits until the sink wants more.
func (s *synthesis) wantRoom(ctx context.Context) error {
	if s.room > 0 {
		return nil
	}
	var err error
	s.room, _, err = s.sink.Room(ctx)
	return err
}

// hand hands samples over, as many at a time as the sink wants.
func (s *synthesis) hand(ctx context.Context, part engine.Part, pcm []int16) error {
	for len(pcm) > 0 {
		if err := s.wantRoom(ctx); err != nil {
			return err
		}
		n := min(s.room, len(pcm))
		if err := s.sink.Frame(engine.Frame{Part: part, PCM: pcm[:n]}); err != nil {
			return err
		}
		if s.room -= n; part == engine.Body {
			s.position += n
		}
		pcm = pcm[n:]
	}
	return nil
}

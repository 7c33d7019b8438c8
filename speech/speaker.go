package speech

import (
	"context"
	"time"

	"vaak/audio"
	"vaak/audio/resample"
	"vaak/engine"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech/schedule"
	"vaak/text/frontend"
	"vaak/voice"
)

// speaker is who says an utterance: a voice on an engine.
type speaker struct {
	voice   voice.Voice
	engine  engine.Engine
	traits  engine.Traits
	instead error // why it speaks instead of the requested voice; nil if it is that one
}

// replaces reports whether the speaker speaks because the requested voice cannot be used now,
// though it speaks the language.
func (s speaker) replaces() bool { return s.instead != nil && fault.KindOf(s.instead) != fault.Invalid }

// speakerFor returns who speaks a language for a voice: the voice, or the nearest one of the
// roster if the engine of an added voice does not speak the language, or cannot be used and the
// deployment allows it to be replaced.
func (s *Service) speakerFor(v voice.Voice, code lang.Code) (speaker, error) {
	e, traits, why := s.engines.For(v, code)
	if why == nil {
		return speaker{voice: v, engine: e, traits: traits}, nil
	}
	if v.Engine == "" || fault.KindOf(why) != fault.Invalid && !s.fallback {
		return speaker{}, why
	}
	near := voice.Nearest(v)
	e, traits, err := s.engines.For(near, code)
	if err != nil {
		return speaker{}, err
	}
	return speaker{near, e, traits, why}, nil
}

// fallback returns the id of the speaker if it replaces the requested voice.
func (s speaker) fallback() voice.ID {
	if !s.replaces() {
		return ""
	}
	return s.voice.ID
}

// standIns tells, in a sentence for each, which languages of the opening of a text another voice
// than the requested one speaks.
func (s *Service) standIns(v voice.Voice, front frontend.Prepared) []string {
	var notices []string
	told := map[lang.Code]bool{}
	for _, r := range front.Opening {
		by, err := s.speakerFor(v, r.Language)
		if err != nil || by.instead == nil || told[r.Language] {
			continue
		}
		told[r.Language] = true
		notices = append(notices, standIn(v, by, r.Language))
	}
	return notices
}

// standIn tells that a speaker speaks a language instead of a voice, and why; "" if it is the voice.
func standIn(v voice.Voice, by speaker, code lang.Code) string {
	if by.instead == nil {
		return ""
	}
	l, _ := lang.Lookup(code)
	reason := "does not speak " + l.Name
	if by.replaces() {
		reason = "cannot be used now"
	}
	return cannotSpeak(v.ID, reason, by.voice.ID, by.voice.Name)
}

// terms say how the engine of a voice uses the turns of a stream.
type terms struct {
	// loan is how long it may keep a turn. An engine that hangs must not keep other streams
	// from their turns.
	loan time.Duration
	// short is how much audio it makes in a turn, and long how much when the listener has
	// plenty, which costs less than several short turns.
	short, long time.Duration
	// computes says that its turns are for computing: encoding, which takes a hundredth of
	// that, needs none.
	computes bool
}

var (
	usualTerms = terms{loan: 250 * time.Millisecond, short: schedule.Unit, long: 700 * time.Millisecond}
	// A dear voice computes for a long time, hands its audio over at once, and divides its work
	// itself. Its turn must not be given away while it computes.
	dearTerms = terms{loan: 10 * time.Second, short: 1200 * time.Millisecond, long: 1200 * time.Millisecond, computes: true}
)

// dear reports whether the voice takes so much of a processor that its streams are counted by it.
func (s speaker) dear() bool { return s.traits.Load > 0 }

func (s speaker) terms() terms {
	if s.dear() {
		return dearTerms
	}
	return usualTerms
}

// dearest returns the speaker, or that of the voice's own language if it is dear: text in that
// language may follow, and a stream is admitted once.
func (s *Service) dearest(by speaker, v voice.Voice) speaker {
	if by.dear() || v.Engine == "" {
		return by
	}
	if own, err := s.speakerFor(v, v.Native); err == nil && own.dear() {
		return own
	}
	return by
}

// admit admits a stream to the processors. Streams of dear voices have slots of their own, or
// they would keep those of the others waiting. Those of remote voices take turns only to be
// encoded.
func (s *Service) admit(by speaker, kind schedule.Kind) (*schedule.Stream, error) {
	switch {
	case by.traits.Remote:
		return s.schedule.AdmitRemote(kind)
	case by.dear():
		return s.dear.AdmitLoad(kind, by.traits.Load)
	}
	return s.schedule.Admit(kind)
}

// synthesizeAt has an utterance said into a sink that takes PCM at a rate.
func synthesizeAt(ctx context.Context, rate int, u utterance, to engine.Sink) error {
	from := u.speaker.traits.SampleRate
	if from == rate {
		return u.speaker.engine.Synthesize(ctx, u.Utterance, to)
	}
	c := &converter{to: to, from: from, rate: rate, part: engine.Lead}
	u.Edge = c.native(u.Edge)
	if err := u.speaker.engine.Synthesize(ctx, u.Utterance, c); err != nil {
		return err
	}
	return c.flush()
}

// converter is a sink that changes the rate of what it receives and passes it on.
type converter struct {
	to         engine.Sink
	from, rate int
	part       engine.Part  // of the frames that filter holds
	filter     audio.Writer // nil before the first frame of the part
	words      []engine.Word
	by         engine.Origin // of the frame received last
	estimated  bool          // likewise
}

// native returns a number of samples at the engine's rate.
func (c *converter) native(samples int) int {
	return int(int64(samples) * int64(c.from) / int64(c.rate))
}

// Room returns the room of the other sink.
func (c *converter) Room(ctx context.Context) (int, bool, error) {
	n, ahead, err := c.to.Room(ctx)
	if n > c.from*60 { // also keeps native from an overflow
		return n, ahead, err
	}
	return max(1, c.native(n)), ahead, err
}

// Frame converts a frame. Its words come before their sound, which the filter may hold back.
func (c *converter) Frame(f engine.Frame) error {
	if f.Part != c.part {
		if err := c.flush(); err != nil {
			return err
		}
		c.part = f.Part
	}
	c.by, c.estimated = f.By, f.Estimated
	if c.filter == nil {
		filter, err := resample.NewWriter(partWriter{c}, c.from, c.rate)
		if err != nil {
			return err
		}
		c.filter = filter
	}
	if len(f.Words) > 0 || len(f.LeftOut) > 0 {
		c.words = c.words[:0]
		for _, w := range f.Words {
			w.Sample = int(int64(w.Sample) * int64(c.rate) / int64(c.from))
			c.words = append(c.words, w)
		}
		if err := c.to.Frame(engine.Frame{Part: f.Part, Words: c.words, LeftOut: f.LeftOut, Estimated: f.Estimated, By: f.By}); err != nil {
			return err
		}
	}
	return c.filter.WritePCM(f.PCM)
}

// flush passes on what the filter holds of a part that has ended.
func (c *converter) flush() error {
	if c.filter == nil {
		return nil
	}
	filter := c.filter
	c.filter = nil
	return filter.Close()
}

// partWriter passes converted PCM on as frames of the current part.
type partWriter struct{ c *converter }

func (w partWriter) WritePCM(pcm []int16) error {
	return w.c.to.Frame(engine.Frame{Part: w.c.part, PCM: pcm, Estimated: w.c.estimated, By: w.c.by})
}

func (partWriter) Close() error { return nil }

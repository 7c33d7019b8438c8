package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/engine"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// Speech is the complete result of an utterance.
type Speech struct {
	PCM         []int16
	Words       []engine.Word
	Lead, Trail []int16
}

// Speak synthesizes u and collects its frames. It fails the test if the engine fails.
func Speak(t testing.TB, e engine.Engine, u engine.Utterance) Speech {
	t.Helper()
	var s Speech
	err := e.Synthesize(t.Context(), u, engine.SinkFunc(s.Frame))
	if err != nil {
		t.Fatalf("Synthesize(%s, %d bytes) = %v", u.Language, len(u.Text), err)
	}
	return s
}

// errOrder means that the frames are not in the order of their parts.
var errOrder = errors.New("a frame comes too late, or has words and is not of the body")

// Frame adds a frame. It returns an error if the frame may not follow the others.
func (s *Speech) Frame(f engine.Frame) error {
	late := f.Part == engine.Lead && len(s.PCM)+len(s.Trail) > 0 || f.Part == engine.Body && len(s.Trail) > 0
	if late || f.Part != engine.Body && len(f.Words) > 0 {
		return errOrder
	}
	switch f.Part {
	case engine.Lead:
		s.Lead = append(s.Lead, f.PCM...)
	case engine.Trail:
		s.Trail = append(s.Trail, f.PCM...)
	default:
		s.PCM = append(s.PCM, f.PCM...)
		s.Words = append(s.Words, f.Words...)
	}
	return nil
}

// English returns an utterance in English in the default voice.
func English(text string) engine.Utterance {
	return engine.Utterance{Text: text, Language: "en", Voice: voice.DefaultVoice()}
}

// suite is an engine that is checked, and the voices it is checked with.
type suite struct {
	engine.Engine
	voice func(lang.Code) voice.Voice
}

// english returns an utterance in English.
func (s suite) english(text string) engine.Utterance {
	return engine.Utterance{Text: text, Language: "en", Voice: s.voice("en")}
}

// Run checks that an engine keeps the contract of package engine. It must speak English, in
// which most of the checks are made. voices returns the voice to check a language with; nil
// takes the default ones of the roster.
func Run(t *testing.T, checked engine.Engine, voices func(lang.Code) voice.Voice) {
	if voices == nil {
		voices = voice.Default
	}
	e := suite{checked, voices}
	if !slices.Contains(e.Languages(), lang.Code("en")) {
		t.Fatalf("%s speaks %v; the checks need English too", e.Name(), e.Languages())
	}
	t.Run("speaks every language it declares", func(t *testing.T) { testLanguages(t, e) })
	t.Run("words are true", func(t *testing.T) { testWords(t, e) })
	t.Run("same utterance, same samples", func(t *testing.T) { testDeterminism(t, e) })
	t.Run("context and lookahead are not heard", func(t *testing.T) { testContext(t, e) })
	t.Run("edges lie beside the text", func(t *testing.T) { testEdges(t, e) })
	t.Run("continues keeps the pause", func(t *testing.T) { testContinues(t, e) })
	t.Run("cancel", func(t *testing.T) { testCancel(t, e) })
	t.Run("sink's error stops it", func(t *testing.T) { testSinkError(t, e) })
	t.Run("makes no more than there is room for", func(t *testing.T) { testRoom(t, e) })
	t.Run("refuses a language it does not speak", func(t *testing.T) {
		u := e.english("hello")
		u.Language = "tlh"
		err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(engine.Frame) error { return nil }))
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("Synthesize in tlh = %v, want an error of kind invalid", err)
		}
	})
}

func testLanguages(t *testing.T, e suite) {
	for _, code := range e.Languages() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			u := engine.Utterance{Text: voice.PreviewText(code), Language: code, Voice: e.voice(code)}
			s := Speak(t, e, u)
			if got := e.seconds(t, len(s.PCM)); got < 0.5 || got > 30 {
				t.Errorf("%s speaks its preview in %.2f s", code, got)
			}
			if len(s.Words) == 0 || quiet(s.PCM) {
				t.Errorf("%s: %d words, quiet = %v", code, len(s.Words), quiet(s.PCM))
			}
			checkWords(t, u, s)
		})
	}
}

func testWords(t *testing.T, e suite) {
	u := e.english("One two three, 1,234 apples and “quoted” words — naïve café 🙂 end.")
	s := Speak(t, e, u)
	checkWords(t, u, s)
	for _, want := range []string{"One", "three", "apples", "naïve", "café", "end"} {
		i := strings.Index(u.Text, want)
		if !slices.ContainsFunc(s.Words, func(w engine.Word) bool { return w.Start <= i && i < w.End }) {
			t.Errorf("no word covers %q; words %v", want, s.Words)
		}
	}
}

// checkWords checks that words lie inside the utterance and ascend.
func checkWords(t *testing.T, u engine.Utterance, s Speech) {
	t.Helper()
	last := engine.Word{}
	for i, w := range s.Words {
		switch {
		case w.Start < 0 || w.End < w.Start || w.End > len(u.Text):
			t.Errorf("word %d %+v is outside the %d bytes of the text", i, w, len(u.Text))
		case w.Sample < 0 || w.Sample > len(s.PCM):
			t.Errorf("word %d %+v is outside the %d samples", i, w, len(s.PCM))
		case w.Start < last.Start || i > 0 && w.Sample <= last.Sample:
			t.Errorf("word %d %+v comes after %+v", i, w, last)
		}
		last = w
	}
}

func testDeterminism(t *testing.T, e suite) {
	if !e.traits(t).Deterministic {
		return
	}
	u := e.english("The quick brown fox jumps over the lazy dog, twice.")
	want := Speak(t, e, u)
	var wg sync.WaitGroup
	for i, code := range e.Languages() {
		if i%8 != 0 {
			continue
		}
		other := engine.Utterance{Text: voice.PreviewText(code), Language: code, Voice: e.voice(code)}
		wg.Go(func() { Speak(t, e, other) })
		wg.Go(func() {
			if got := Speak(t, e, u); !got.Equal(want) {
				t.Errorf("beside %s the utterance differs: %d samples, want %d", code, len(got.PCM), len(want.PCM))
			}
		})
	}
	wg.Wait()
}

func testContext(t *testing.T, e suite) {
	whole := Speak(t, e, e.english("Once upon a time seven ships left a harbour"))
	u := e.english("seven ships")
	u.Before, u.After = "Once upon a time", "left a harbour"
	s := Speak(t, e, u)
	checkWords(t, u, s)
	if len(s.PCM) == 0 || len(s.PCM) > len(whole.PCM)*2/3 {
		t.Errorf("%d samples of %d are heard, want the middle only", len(s.PCM), len(whole.PCM))
	}
	if len(s.Words) != 2 || s.Words[0].Start != 0 || s.Words[0].Sample != 0 {
		t.Errorf("words %+v, want two, the first at sample 0", s.Words)
	}
}

// testEdges asks for edges of several lengths. Text must sound the same with each, and a
// longer edge must contain a shorter one, next to the text.
func testEdges(t *testing.T, e suite) {
	u := e.english("seven ships")
	u.Before, u.After = "Once upon a time", "left a harbour"
	none := Speak(t, e, u)
	if len(none.Lead)+len(none.Trail) > 0 {
		t.Errorf("%d samples before the text and %d after it, want none", len(none.Lead), len(none.Trail))
	}
	rate := e.traits(t).SampleRate
	long := edged(t, e, u, rate/2)
	for _, edge := range []int{1, 100, rate / 50} {
		s := edged(t, e, u, edge)
		if e.traits(t).Deterministic && !(s.Equal(none) && slices.Equal(s.Lead, long.Lead[max(0, len(long.Lead)-edge):]) &&
			slices.Equal(s.Trail, long.Trail[:min(edge, len(long.Trail))])) {
			t.Errorf("with an edge of %d the samples differ", edge)
		}
	}
	u.Before = ""
	if s := edged(t, e, u, 100); len(s.Lead) > 0 {
		t.Errorf("%d samples before a text with no context", len(s.Lead))
	}
	u.After = ""
	if s := edged(t, e, u, 100); len(s.Trail) > 0 {
		t.Errorf("%d samples after a text with no lookahead", len(s.Trail))
	}
}

func edged(t *testing.T, e suite, u engine.Utterance, edge int) Speech {
	t.Helper()
	u.Edge = edge
	s := Speak(t, e, u)
	checkWords(t, u, s)
	if len(s.Lead) > edge || len(s.Trail) > edge {
		t.Errorf("edges of %d and %d samples, want at most %d", len(s.Lead), len(s.Trail), edge)
	}
	return s
}

func testContinues(t *testing.T, e suite) {
	u := e.english("This is a sentence.")
	end := Speak(t, e, u)
	u.Continues = true
	if on := Speak(t, e, u); len(on.PCM) <= len(end.PCM) {
		t.Errorf("%d samples when speech continues, %d when it ends; want more", len(on.PCM), len(end.PCM))
	}
}

func testCancel(t *testing.T, e suite) {
	cause := fmt.Errorf("left")
	ctx, cancel := context.WithCancelCause(t.Context())
	first := make(chan struct{})
	done := make(chan error, 1)
	var once sync.Once
	go func() {
		done <- e.Synthesize(ctx, e.english(strings.Repeat("All work and no play. ", 400)), engine.SinkFunc(func(engine.Frame) error {
			once.Do(func() { close(first) })
			<-ctx.Done() // as when the reader has stalled
			return nil
		}))
	}()
	select {
	case <-first:
	case err := <-done:
		t.Fatalf("Synthesize = %v before it made a frame", err)
	}
	cancel(cause)
	select {
	case err := <-done:
		if !errors.Is(err, cause) {
			t.Errorf("cancelled Synthesize = %v, want the cause", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Synthesize goes on after its context was cancelled")
	}
}

func testSinkError(t *testing.T, e suite) {
	frames := 0
	err := e.Synthesize(t.Context(), e.english(strings.Repeat("Enough is enough. ", 50)), engine.SinkFunc(func(engine.Frame) error {
		frames++
		return errSink
	}))
	if !errors.Is(err, errSink) || frames != 1 {
		t.Errorf("Synthesize = %v after %d frames, want the sink's error after 1", err, frames)
	}
}

// limitedSink has room for a quarter of a second at a time, and fails after some calls.
type limitedSink struct {
	piece, rooms int // samples that Room grants, and the calls before it fails
	since, most  int // samples since the last call of Room, and the most of them so far
}

var errFull = errors.New("no more room")

func (n *limitedSink) Room(context.Context) (int, bool, error) {
	n.since = 0
	if n.rooms--; n.rooms < 0 {
		return 0, false, errFull
	}
	return n.piece, false, nil
}

func (n *limitedSink) Frame(f engine.Frame) error {
	n.since += len(f.PCM)
	n.most = max(n.most, n.since)
	return nil
}

func testRoom(t *testing.T, e suite) {
	sink := &limitedSink{piece: e.traits(t).SampleRate / 4, rooms: 8}
	err := e.Synthesize(t.Context(), e.english(strings.Repeat("Little by little. ", 50)), sink)
	if !errors.Is(err, errFull) {
		t.Errorf("Synthesize = %v when there is no more room, want the error of Room", err)
	}
	if got := e.seconds(t, sink.most); got > 0.8 {
		t.Errorf("%.2f s of audio came without asking for room, want a quarter and a frame at most", got)
	}
}

// Rate returns the sample rate of the default voice.
func Rate(t testing.TB, e engine.Engine) int {
	t.Helper()
	traits, err := e.Voice(voice.DefaultVoice())
	if err != nil {
		t.Fatal(err)
	}
	return traits.SampleRate
}

// traits returns what the engine makes of the voice of the checks.
func (s suite) traits(t *testing.T) engine.Traits {
	t.Helper()
	traits, err := s.Engine.Voice(s.voice("en"))
	if err != nil {
		t.Fatal(err)
	}
	return traits
}

func (s suite) seconds(t *testing.T, samples int) float64 {
	return float64(samples) / float64(s.traits(t).SampleRate)
}

func quiet(pcm []int16) bool {
	return !slices.ContainsFunc(pcm, func(s int16) bool { return s > 1000 || s < -1000 })
}

// Equal reports whether two results sound the same, to the sample, and have the same words.
func (s Speech) Equal(o Speech) bool {
	return slices.Equal(s.PCM, o.PCM) && slices.Equal(s.Words, o.Words)
}

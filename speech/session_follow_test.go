package speech_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vaak/account"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech"
	"vaak/speech/align"
	"vaak/speech/chunk"
)

// failer is a test or a draw of one.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// laws checks what holds of every stream: frames follow one another up to the end
// of the audio, and each character of the text is told once, in order.
func (f *follower) laws(t failer, what, text string, rate int) {
	t.Helper()
	end := 0
	var written strings.Builder
	for i, w := range f.written {
		s := f.spoken[i]
		if w.Begin != end || s.Begin != w.Begin || s.End != w.End {
			t.Errorf("%s: frame %d is %d to %d written, %d to %d spoken; the one before ends at %d", what, i, w.Begin, w.End, s.Begin, s.End, end)
		}
		end = w.End
		for _, a := range []align.Alignment{w, s} {
			if broken := ascends(a); broken != "" {
				t.Errorf("%s: frame %d: %s: %+v", what, i, broken, a)
			}
		}
		written.WriteString(strings.Join(w.Characters, ""))
	}
	if written.String() != text {
		t.Errorf("%s: told %q, want %q", what, written.String(), text)
	}
	if want := int(math.Round(float64(len(f.got())/2) * 1000 / float64(rate))); end < want-1 || end > want+1 {
		t.Errorf("%s: the last frame ends at %d ms, the audio at %d", what, end, want)
	}
}

func ascends(a align.Alignment) string {
	if len(a.Characters) != len(a.Starts) {
		return "not as many starts as characters"
	}
	at := a.Begin
	for i, s := range a.Starts {
		if s < at || i == 0 && s != a.Begin {
			return fmt.Sprintf("character %d begins at %d", i, s)
		}
		if utf8.RuneCountInString(a.Characters[i]) != 1 {
			return fmt.Sprintf("character %d is %q", i, a.Characters[i])
		}
		at = s
	}
	if at > a.End {
		return "it ends too early"
	}
	return ""
}

// TestFollowerIsToldEverything has two engines, all modes and several speeds.
func TestFollowerIsToldEverything(t *testing.T) {
	t.Parallel()
	texts := [][]string{
		{"Hello th", "ere. The bill is $5 mil", "lion, due on May 3, 2024, and nobody knows how it will be ", "paid at all. ", flush, "Good", "bye!"},
		{"Good morning. ", flush, "How are", flush, " you", flush, " ", flush, "today? ", "Fine."},
		{"मुझे meeting में 10:30 बजे जाना है। ", "Then we go home. ", "और फिर?"},
		{"😀 Sure, I can help! ", "😀 😀 ", flush, "What is it? ", "😀"},
		{"おはようございます。会議は", "2024年5月3日に始まります。", "はい！"},
		{" Leading spaces\n\nand <b>tags</b> <break time=\"500ms\"/> and “so on” — e\u0301te\u0301."},
	}
	for _, e := range []engine.Engine{enginetest.Tone{}, openEspeak(t)} {
		s := newService(t, speech.Config{Engines: engine.Set{e}})
		for _, steps := range texts {
			text := strings.ReplaceAll(strings.Join(steps, ""), flush, "")
			for _, mode := range []chunk.Mode{chunk.Sentence, chunk.Eager, chunk.Schedule, chunk.Auto} {
				for _, speed := range []float64{1, []float64{0.7, 1.5}[mode%2]} {
					w := &follower{}
					format := audio.Format{Codec: audio.PCM, SampleRate: []int{22050, 24000, 8000}[int(mode)%3]}
					say(t, s, speech.SessionRequest{Format: format, Speed: speed, Chunks: chunk.Config{Mode: mode, ChunkWords: 2}}, w, steps...)
					w.laws(t, fmt.Sprintf("%s, mode %d, speed %g, %q", e.Name(), mode, speed, text), text, format.SampleRate)
				}
			}
		}
	}
}

// TestFollowerOfSlowText has each step said before the next comes.
func TestFollowerOfSlowText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		steps := []string{"Hello there. ", flush, "😀 ", flush, "It is $5 ", flush, "million and 3 ", "or 4 more", flush, " things. ", " ", "😀"}
		text := strings.ReplaceAll(strings.Join(steps, ""), flush, "")
		for _, mode := range []chunk.Mode{chunk.Sentence, chunk.Eager, chunk.Schedule, chunk.Auto} {
			for _, format := range []audio.Format{native, {Codec: audio.PCM, SampleRate: 48000}} {
				w := &follower{}
				slowly(t, s, speech.SessionRequest{Language: "en", Format: format, Chunks: chunk.Config{Mode: mode, ChunkWords: 1, PeekWords: 1}}, w, steps...)
				w.laws(t, fmt.Sprintf("mode %d", mode), text, format.SampleRate)
			}
		}
	})
}

// TestFollowerOfSpeak has whole and streamed requests.
func TestFollowerOfSpeak(t *testing.T) {
	t.Parallel()
	for _, e := range []engine.Engine{enginetest.Tone{}, openEspeak(t)} {
		s := newService(t, speech.Config{Engines: engine.Set{e}})
		for _, text := range []string{"Hello. The bill is $5 million, due on May 3, 2024 😀. ", "- **One** [two](https://x.org)\n- `three`\n\n```\nfour\n```\n", "मुझे meeting में जाना है। Then <break time=\"2s\"/> we go.", " 😀 ok"} {
			for _, speed := range []float64{0.7, 1, 1.5} {
				for _, stream := range []bool{false, true} {
					w := &follower{}
					req := speech.Request{Text: text, Speed: speed, Stream: stream, Format: audio.Format{Codec: audio.PCM, SampleRate: 24000}}
					if _, err := s.Speak(t.Context(), account.Local, req, w); err != nil {
						t.Fatal(err)
					}
					w.laws(t, fmt.Sprintf("%s, speed %g, stream %v, %q", e.Name(), speed, stream, text), text, 24000)
				}
			}
		}
	}
}

// TestFollowerLaws has random texts in random pieces.
func TestFollowerLaws(t *testing.T) {
	t.Parallel()
	s := newService(t, speech.Config{})
	words := []string{"a", "word", "$5", "million", "3", ".", ", ", " ", " ", ". ", "! ", "नमस्ते", "你好", "。", "😀", "<b>", "4th ", "e\u0301", "Dr. ", "10:30 ", "10 ", "000 ", "5 ", "kg ", "\n", "-", "https://x.org/y", flush}
	rapid.Check(t, func(r *rapid.T) {
		steps := append(rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(r, "steps"), "end")
		text := strings.ReplaceAll(strings.Join(steps, ""), flush, "")
		mode := chunk.Mode(rapid.IntRange(0, 3).Draw(r, "mode"))
		w := &follower{}
		res := say(t, s, speech.SessionRequest{Language: "en", Format: native, Chunks: chunk.Config{Mode: mode, ChunkWords: rapid.IntRange(1, 4).Draw(r, "words"), PeekWords: 1}}, w, steps...)
		w.laws(r, fmt.Sprintf("mode %d, %q", mode, steps), text, native.SampleRate)
		if res.Charged != utf8.RuneCountInString(text) {
			r.Errorf("charged %d for %q", res.Charged, text)
		}
	})
}

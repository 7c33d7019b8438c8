package espeak

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/voice"
)

// abroad has everything spoken by voices of another language.
type abroad struct{ *Engine }

func (a abroad) Synthesize(ctx context.Context, u engine.Utterance, sink engine.Sink) error {
	return a.Engine.Synthesize(ctx, inForeignVoice(u), sink)
}

// inForeignVoice returns an utterance with a Hindi voice, a Hindi one with a French.
func inForeignVoice(u engine.Utterance) engine.Utterance {
	u.Voice = voice.Default("hi")
	if u.Language == "hi" {
		u.Voice = voice.Default("fr")
	}
	return u
}

// by returns an utterance that a voice of another language speaks.
func by(native, code lang.Code, text string) engine.Utterance {
	return engine.Utterance{Text: text, Language: code, Voice: voice.Default(native)}
}

func TestAccentedEngine(t *testing.T) {
	e := open(t, 0)
	enginetest.Run(t, abroad{e}, nil)
	if crashes, _ := e.Crashes(); crashes != 0 {
		t.Errorf("%d children crashed", crashes)
	}
}

// TestAccentedVoiceIsItsOwn: who has an accent speaks with the library's voice of
// the native language, and in the language itself nothing changes.
func TestAccentedVoiceIsItsOwn(t *testing.T) {
	e := open(t, 0)
	never, err := Open(Config{Worker: enginetest.Worker(t), WarmVoices: -1, Accented: func(lang.Code, lang.Code) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := never.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, tt := range []struct {
		native, code lang.Code
		voice        string // of the library
	}{
		{"hi", "en", "hi"}, {"fr", "en", "fr"}, {"ta", "hi", "ta"}, {"en", "hi", "en-us"}, {"ja", "de", "ja"},
		{"hi", "zh", "cmn-latn-pinyin"}, // whose tones no Hindi sounds stand for
		{"hi", "hi", "hi"},
		{"mai", "hi", "hi"}, // it is read by one and the same voice
	} {
		u := by(tt.native, tt.code, voice.PreviewText(tt.code))
		set, _ := ParametersOf(u)
		if name, _, _ := strings.Cut(set.Voice, "+"); name != tt.voice {
			t.Errorf("%s by a voice of %s is spoken by %s, want %s", tt.code, tt.native, name, tt.voice)
		}
		got, plain := enginetest.Speak(t, e, u), enginetest.Speak(t, never, u)
		own, _ := voiceName(tt.code)
		if same := got.Equal(plain); same != (tt.voice == own) {
			t.Errorf("%s by a voice of %s: the same as without an accent = %v", tt.code, tt.native, same)
		}
		if len(got.Words) != len(plain.Words) {
			t.Errorf("%s by a voice of %s: %d words, want %d", tt.code, tt.native, len(got.Words), len(plain.Words))
		}
	}
}

// TestAccentedWordsAreInTheirPlaces: each word is told where it is written,
// joined ones together.
func TestAccentedWordsAreInTheirPlaces(t *testing.T) {
	e := open(t, 0)
	for _, tt := range []struct {
		native, code lang.Code
		text         string
		words        string // with bars between
	}{
		{"hi", "en", "The price of the ticket, in the old town: is it nice?", "The|price|of the|ticket|in the|old|town|is|it|nice"},
		{"fr", "en", "“Well,” she said (twice) — naïve café.", "“Well,|she|said|(twice)|naïve|café."},
		{"ta", "hi", "नमस्ते, यह मेरी आवाज़ है। क्या हाल है?", "नमस्ते,|यह|मेरी|आवाज़|है।|क्या|हाल|है?"},
		{"hi", "ar", "مرحبا، هذا صوتي.", "مرحبا،|هذا|صوتي."},
		{"hi", "en", "mail me @ home: 5 % + 3 & 7 = x", "mail|me|@|home|5|%|+|3|&|7|=|x"},
		{"ru", "de", "Guten Abend! Schöne Grüße aus München.", "Guten|Abend!|Schöne|Grüße|aus|München."},
	} {
		s := enginetest.Speak(t, e, by(tt.native, tt.code, tt.text))
		var got []string
		for _, w := range s.Words {
			got = append(got, tt.text[w.Start:w.End])
		}
		trim := func(s string) string {
			return strings.NewReplacer(",", "", ".", "", "!", "", "?", "", ":", "").Replace(s)
		}
		if trim(strings.Join(got, "|")) != trim(tt.words) {
			t.Errorf("%s by a voice of %s: words %q, want %q", tt.code, tt.native, got, tt.words)
		}
	}
}

// TestNoPhonemesOfTheCaller: what looks like phonemes in a text is text.
func TestNoPhonemesOfTheCaller(t *testing.T) {
	e := open(t, 0)
	for _, text := range []string{"say [[h@l'oU]] now", "]] [[_:_:]] [[", "a|b|c", "[[" + strings.Repeat("_:", 40) + "]]"} {
		u := by("hi", "en", text)
		r, err := e.Read(t.Context(), u.Language, u.Text, false)
		if err != nil {
			t.Fatal(err)
		}
		_, a := e.accented.of(u)
		said := a.Say(r.Form, r.Clauses).Text
		for _, word := range strings.Split(said, "]]") {
			if _, phonemes, _ := strings.Cut(word, "[["); strings.ContainsAny(phonemes, "[] ") {
				t.Errorf("%q is said as %q", text, said)
			}
		}
		own := enginetest.Speak(t, e, by("en", "en", text))
		if s := enginetest.Speak(t, e, u); len(s.PCM) > 2*len(own.PCM) {
			t.Errorf("%q lasts %d samples, and %d in its own voice", text, len(s.PCM), len(own.PCM))
		}
	}
}

// TestSignsAreSaid: what the language's own voice has a word for has one in an
// accent, too.
func TestSignsAreSaid(t *testing.T) {
	e := open(t, 0)
	for _, text := range []string{"+", "@ @", "+ + +", "~", "× ×", "%", "5 % 3"} {
		own, said := enginetest.Speak(t, e, by("en", "en", text)), enginetest.Speak(t, e, by("hi", "en", text))
		if len(said.Words) == 0 || len(said.PCM) < len(own.PCM)/2 {
			t.Errorf("%q: %d words and %d samples, want about %d and %d", text, len(said.Words), len(said.PCM), len(own.Words), len(own.PCM))
		}
	}
}

// TestNothingToSay: text without words is no error in any voice.
func TestNothingToSay(t *testing.T) {
	e := open(t, 0)
	for _, text := range []string{"...", "🙂", " ", "—", "?!"} {
		var s enginetest.Speech
		if err := e.Synthesize(t.Context(), by("hi", "en", text), engine.SinkFunc(s.Frame)); err != nil {
			t.Errorf("Synthesize(%q) = %v", text, err)
		}
	}
}

func TestAccentedLostChild(t *testing.T) {
	e := open(t, 300*time.Millisecond)
	u := by("hi", "en", strings.Repeat(paragraph+" ", 10))
	speakInterrupted(t, e, u, 10, syscall.SIGKILL)
}

// TestAccentedLostReader kills the child that reads before another speaks.
func TestAccentedLostReader(t *testing.T) {
	e := open(t, 300*time.Millisecond)
	u := by("hi", "en", paragraph)
	want := enginetest.Speak(t, e, u)
	kills := 0
	e.onChild = func(pid int) {
		if kills++; kills == 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have answered by now
		}
	}
	if got := enginetest.Speak(t, e, u); !got.Equal(want) {
		t.Errorf("%d samples and %d words, want the same %d and %d", len(got.PCM), len(got.Words), len(want.PCM), len(want.Words))
	}
	if n := waitForChildren(t, e, 0); n != 0 || kills < 2 {
		t.Errorf("%d children are left of %d", n, kills)
	}
}

// TestAccentedCrash has text read that the library crashes over; it is spoken all
// the same, to its end.
func TestAccentedCrash(t *testing.T) {
	e := open(t, 0)
	text := "before " + strings.Repeat("a.b.c.d.", 60) + " after"
	s := enginetest.Speak(t, e, by("hi", "en", text))
	crashes, leftOut := e.Crashes()
	if crashes == 0 || leftOut != 0 {
		t.Errorf("%d children crashed and %d pieces were left out, want some and none", crashes, leftOut)
	}
	last := s.Words[len(s.Words)-1]
	if got := text[last.Start:last.End]; got != "after" {
		t.Errorf("the last word is %q, want after", got)
	}
}

// TestReadInAnotherRegion: a region's own way of reading is kept in an accent.
func TestReadInAnotherRegion(t *testing.T) {
	e := open(t, 0)
	u := by("hi", "en", "The car was parked in the yard after the dance.")
	british := u
	british.Region = "GB"
	if enginetest.Speak(t, e, u).Equal(enginetest.Speak(t, e, british)) {
		t.Error("British English is read as American is")
	}
}

// BenchmarkAccent compares speech with an accent and without, to the first audio
// and to the end.
func BenchmarkAccent(b *testing.B) {
	e, err := Open(Config{Worker: enginetest.Worker(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	for _, text := range []struct{ name, text string }{{"sentence", "Hello there, this is one sentence of some length."}, {"paragraph", strings.Repeat(paragraph+" ", 10)}} {
		for _, native := range []lang.Code{"en", "hi"} {
			u := by(native, "en", text.text)
			for range 10 {
				enginetest.Speak(b, e, u)
			}
			e.servers.pending.Wait()
			b.Run(text.name+"/"+string(native), func(b *testing.B) {
				first, samples := time.Duration(0), 0
				for b.Loop() {
					began, heard := time.Now(), false
					err := e.Synthesize(b.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
						if !heard {
							first, heard = first+time.Since(began), true
						}
						samples += len(f.PCM)
						return nil
					}))
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(first.Microseconds())/float64(b.N), "us-to-first")
				b.ReportMetric(float64(samples)/float64(e.SampleRate())/b.Elapsed().Seconds(), "x-real-time")
			})
		}
	}
}

package espeak_test

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
)

//go:embed testdata/words.tsv
var wordsTSV string

// openEngine opens an engine without voices of its own.
func openEngine(t *testing.T) *espeak.Engine {
	t.Helper()
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t), WarmVoices: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return e
}

// envelope is the energy of audio, hop by hop, in decibels.
type envelope struct {
	db  []float64
	hop int // samples
}

// hear measures audio in frames of 2 ms, each half over the one before.
func hear(pcm []int16, rate int) envelope {
	e := envelope{hop: rate / 1000}
	for at := 0; at+2*e.hop <= len(pcm); at += e.hop {
		sum := 1.0
		for _, x := range pcm[at : at+2*e.hop] {
			sum += float64(x) * float64(x)
		}
		e.db = append(e.db, 10*math.Log10(sum))
	}
	return e
}

// loudest returns the hop of most energy between two samples.
func (e envelope) loudest(from, to int) int {
	best := min(from/e.hop, len(e.db)-1)
	for i := best; i < min(to/e.hop, len(e.db)); i++ {
		if e.db[i] > e.db[best] {
			best = i
		}
	}
	return best
}

// onset returns the sample at which a word between two samples begins to be
// heard, the first audible hop behind the longest silence since a hop of the word
// before it, and the hop at which it is loudest.
func (e envelope) onset(before, from, to int) (sample, peak int) {
	peak = e.loudest(from, to)
	loud := func(i int) bool { return e.db[i] > e.db[peak]-audible }
	best, longest, quiet := 0, 0, 0
	if before == 0 {
		quiet = len(e.db) // nothing was said yet
	}
	for i := before; i <= peak; i++ {
		if !loud(i) {
			quiet++
			continue
		}
		if quiet >= longest {
			best, longest = i, quiet
		}
		quiet = 0
	}
	return best * e.hop, peak
}

// audible is how far below the loudest of its word a sound is told from silence,
// in decibels. The library's silence is 75 below and more; the soft fricatives
// that Spanish words begin with are 45 to 50 below.
const audible = 55

// lags speaks words as sentences of their own and returns how much later than it
// is marked each is heard, in milliseconds.
func lags(t *testing.T, e *espeak.Engine, code lang.Code, words []string) []float64 {
	t.Helper()
	u := engine.Utterance{Text: sentences(words), Language: code, Voice: voice.Default(code)}
	s := enginetest.Speak(t, e, u)
	if len(s.Words) != len(words) {
		t.Fatalf("%s: %d words are reported of %q", code, len(s.Words), u.Text)
	}
	env := hear(s.PCM, e.SampleRate())
	all, peak := make([]float64, len(words)), 0
	for i, w := range s.Words {
		end := len(s.PCM)
		if i+1 < len(s.Words) {
			end = s.Words[i+1].Sample
		}
		var onset int
		onset, peak = env.onset(peak, w.Sample, end)
		all[i] = float64(onset-w.Sample) * 1000 / float64(e.SampleRate())
	}
	return all
}

// TestWordsBeginWhereTheyAreHeard speaks a hundred words between pauses. Those
// that begin with a vowel or a nasal are heard at once, fricatives and voiced
// plosives after 10 ms, and unvoiced plosives after the 40 to 50 ms of their
// closure, which is part of the word: there is nothing to correct.
func TestWordsBeginWhereTheyAreHeard(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	var all []float64
	for line := range strings.Lines(wordsTSV) {
		code, list, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(list)
		for i, lag := range lags(t, e, lang.Code(code), words) {
			all = append(all, lag)
			if math.Abs(lag) > 60 {
				t.Errorf("%s %q is heard %.0f ms after its mark, want at most 60", code, words[i], lag)
			}
		}
	}
	if len(all) != 100 {
		t.Fatalf("%d words, want 100", len(all))
	}
	slices.Sort(all)
	t.Logf("words are heard %.0f to %.0f ms after their marks, half of them within %.0f", all[0], all[99], all[50])
}

// TestGlottalStopsAreSilent measures the longest closure that words begin with,
// that of the Arabic hamza.
func TestGlottalStopsAreSilent(t *testing.T) {
	t.Parallel()
	words := []string{"أرنب", "أبيض", "أسد"}
	for i, lag := range lags(t, openEngine(t), "ar", words) {
		if lag < 40 || lag > 80 {
			t.Errorf("%q is heard %.0f ms after its mark, want 40 to 80", words[i], lag)
		}
	}
}

// sentences returns words as sentences of one word. They begin with a capital
// letter, for the library sees no end of a sentence before a small one.
func sentences(words []string) string {
	var b strings.Builder
	for _, w := range words {
		r, n := utf8.DecodeRuneInString(w)
		b.WriteString(string(unicode.ToTitle(r)) + w[n:] + ". ")
	}
	return strings.TrimSpace(b.String())
}

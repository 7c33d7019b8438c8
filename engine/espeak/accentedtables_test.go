package espeak

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak/accent"
	"vaak/lang"
	"vaak/voice"
)

// How many of the words that the library marks must have their place in the text by
// the phonemes, too: over all languages, and in each.
const (
	agreed     = 0.98
	agreedEach = 0.90
)

// TestWordsStandWhereTheLibraryHasThem compares the places of words that are found
// by what is read with the positions of the word events of the library when it
// speaks the same text itself.
func TestWordsStandWhereTheLibraryHasThem(t *testing.T) {
	t.Parallel()
	e := open(t, 0)
	var report strings.Builder
	all, same := 0, 0
	for line := range strings.Lines(udhrTSV) {
		hint, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || line[0] == '#' {
			continue
		}
		tag, err := lang.Resolve(hint)
		if err != nil {
			t.Fatal(err)
		}
		events := wordEvents(t, e, tag.Code, text)
		reading, err := e.Read(t.Context(), tag.Code, text, false)
		if err != nil {
			t.Fatal(err)
		}
		native := lang.Code("en")
		if tag.Code == native {
			native = "hi"
		}
		found := map[int]bool{}
		for _, p := range accent.New(native, tag.Code).Say(reading.Form, reading.Clauses).Places {
			found[p.Start] = true
		}
		hits := 0
		for _, at := range events {
			if found[at] {
				hits++
			}
		}
		all, same = all+len(events), same+hits
		share := float64(hits) / float64(max(1, len(events)))
		fmt.Fprintf(&report, "%-8s %4d of %4d words, %.1f %%\n", hint, hits, len(events), 100*share)
		if len(events) < 20 || share < agreedEach {
			t.Errorf("%s: %d of %d words stand where the library has them, want %.0f %%", hint, hits, len(events), 100*agreedEach)
		}
	}
	if share := float64(same) / float64(max(1, all)); share < agreed {
		t.Errorf("%d of %d words stand where the library has them, want %.0f %%", same, all, 100*agreed)
	}
	t.Logf("%d of %d words, %.2f %%\n%s", same, all, 100*float64(same)/float64(max(1, all)), report.String())
}

// wordEvents returns the code points of the form at which the library's own voice
// has words begin. It names some twice, and ends of clauses with no length. With a
// mark that stands alone it counts the space before a word to that.
func wordEvents(t *testing.T, e *Engine, code lang.Code, text string) []int {
	t.Helper()
	set, ok := parametersOf(engine.Utterance{Language: code, Text: text}, newAccents(func(_, _ lang.Code) bool { return false }), nil)
	if !ok {
		t.Fatalf("%s is not spoken", code)
	}
	o := newOutput(engine.Utterance{Language: code, Text: text}, engine.SinkFunc(func(engine.Frame) error { return nil }))
	form := []rune(o.form.text)
	s := &synthesis{e: e, set: set, out: o}
	var at []int
	err := s.ask(t.Context(), request{set: set, text: o.form.text}, o.Room, func(f frame) error {
		for _, w := range f.words {
			p := w.position
			for p < len(form) && w.length > 0 && (form[p] == ' ' || form[p] == '.') {
				p++
			}
			if w.length > 0 && p < len(form) && !slices.Contains(at, p) {
				at = append(at, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestNativeSource: is_native_source is "false" where the library has no usable voice
// of the native language, so that another's stands in. English, Portuguese and
// Chinese only choose a variety of their own.
func TestNativeSource(t *testing.T) {
	t.Parallel()
	varieties := map[lang.Code]bool{"en": true, "pt": true, "zh": true}
	for _, v := range voice.All() {
		_, other := standIns[v.Native]
		want := !other || varieties[v.Native]
		if v.NativeSource != want {
			t.Errorf("%s (%s): is_native_source is %v, want %v", v.Name, v.Native, v.NativeSource, want)
		}
	}
}

// TestQualityBand: quality_band is "basic" where so few of the phonemes of running
// text are vowels that the orthography must leave some out.
func TestQualityBand(t *testing.T) {
	t.Parallel()
	for _, v := range voice.All() {
		want := voice.Standard
		if share := accent.VowelShare(v.Native); share == 0 {
			t.Errorf("%s has no phonemes", v.Native)
		} else if share < voice.LeastVowels {
			want = voice.Basic
		}
		if v.QualityBand != want {
			t.Errorf("%s (%s): quality_band is %q, want %q: %.1f %% of phonemes are vowels", v.Name, v.Native, v.QualityBand, want, 100*accent.VowelShare(v.Native))
		}
	}
}

// TestReader: what reads a text, by script.
func TestReader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code lang.Code
		text string
		want string
	}{{"mai", "", "hi"}, {"sd", "", "sd"}, {"sd", "सिन्धी", "hi"}} {
		if got, ok := Reader(tt.code, tt.text); !ok || got != tt.want {
			t.Errorf("Reader(%s, %q) = %q, %v, want %q", tt.code, tt.text, got, ok, tt.want)
		}
	}
	if got, ok := Reader("xx", ""); ok {
		t.Errorf("Reader(xx) = %q", got)
	}
}

// TestReadClauses: a reading has all of the text in order, in both spellings, with as
// many words.
func TestReadClauses(t *testing.T) {
	t.Parallel()
	e := open(t, 0)
	for _, l := range lang.All() {
		ipa, err := e.Read(t.Context(), l.Code, voice.PreviewText(l.Code), false)
		if err != nil {
			t.Fatal(err)
		}
		mnemonics, err := e.Read(t.Context(), l.Code, voice.PreviewText(l.Code), true)
		if err != nil {
			t.Fatal(err)
		}
		end, words, same := 0, 0, 0
		for _, c := range ipa.Clauses {
			if c.End < end || c.End > len(ipa.Form) {
				t.Errorf("%s: a clause ends at %d behind %d of %d", l.Code, c.End, end, len(ipa.Form))
			}
			end = c.End
			words += len(c.Words)
		}
		for _, c := range mnemonics.Clauses {
			same += len(c.Words)
		}
		if end != len(ipa.Form) || words < 3 || words != same {
			t.Errorf("%s: %d words up to %d of %d, %d in mnemonics", l.Code, words, end, len(ipa.Form), same)
		}
	}
	if _, err := e.Read(t.Context(), "xx", "text", false); err == nil {
		t.Error("an unknown language is read")
	}
}

// TestAnAccentIsHeard: a pair that the table has as mapped is spoken by the voice of
// the native language, one that is native or the speaker's own is not.
func TestAnAccentIsHeard(t *testing.T) {
	t.Parallel()
	e := open(t, 0)
	plain, err := Open(Config{Worker: enginetest.Worker(t), WarmVoices: -1, Accented: func(_, _ lang.Code) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for _, pair := range [][2]lang.Code{{"hi", "en"}, {"ta", "hi"}, {"fr", "en"}, {"mai", "hi"}, {"en", "en"}} {
		u := engine.Utterance{Text: voice.PreviewText(pair[1]), Language: pair[1], Voice: voice.Default(pair[0])}
		mapped := accent.IsMapped(pair[0], pair[1])
		if same := enginetest.Speak(t, e, u).Equal(enginetest.Speak(t, plain, u)); same == mapped {
			t.Errorf("%s in a voice of %s sounds the same with and without accent: %v, but it is %s", pair[1], pair[0], same, accent.KindOf(pair[0], pair[1]))
		}
	}
}

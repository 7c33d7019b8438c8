package espeak_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/engine/espeak/accent"
	"vaak/engine/ipa"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// checkReading fails unless the words and clauses of a reading are in order and inside its
// text, and nothing is left in their phonemes that is not heard.
func checkReading(t *testing.T, name string, r ipa.Reading) {
	t.Helper()
	clause, last := 0, ipa.Word{}
	for _, c := range r.Clauses {
		if c.Start != clause || c.End < c.Start || c.End > len(r.Text) {
			t.Errorf("%s: clause %d to %d behind %d of %d bytes", name, c.Start, c.End, clause, len(r.Text))
		}
		clause = c.End
		for _, w := range c.Words {
			if w.Start < last.Start || w.End < last.End || w.Start >= w.End || w.End > len(r.Text) {
				t.Errorf("%s: word %q is %d to %d behind %d to %d", name, w, w.Start, w.End, last.Start, last.End)
				continue
			}
			if !utf8.ValidString(r.Text[w.Start:w.End]) {
				t.Errorf("%s: %q is no text", name, r.Text[w.Start:w.End])
			}
			last = w
			for _, p := range w.Phonemes {
				if p == "" || strings.ContainsAny(p, "|() ") {
					t.Errorf("%s: %q has phoneme %q", name, r.Text[w.Start:w.End], p)
				}
			}
		}
	}
}

// lines formats a reading: a line for each clause, with what each word was written as. A plus
// sign stands at a word that is joined to the one before it.
func lines(r ipa.Reading) (all []string) {
	for _, c := range r.Clauses {
		var b strings.Builder
		for _, w := range c.Words {
			sign := "="
			if w.Joined {
				sign = "+"
			}
			b.WriteString(r.Text[w.Start:w.End] + sign + strings.Join(w.Phonemes, "|") + " ")
		}
		if c.Mark != 0 {
			b.WriteRune(c.Mark)
		}
		all = append(all, strings.TrimSpace(b.String()))
	}
	return all
}

func TestTranscribe(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	for _, tt := range []struct {
		code   lang.Code
		region string
		text   string
		want   []string
	}{
		{"en", "", "  “Hello, world!” Isn't it?", []string{"Hello=h|ə|l|ˈoʊ ,", "world=w|ˈɜː|l|d !", "Isn't=ˈɪ|z|ə|n|t it=ɪ|t ?"}},
		{"en", "GB", "Hello.", []string{"Hello=h|ə|l|ˈəʊ ."}},
		{"hi", "", "यह क्या है। हाँ।", []string{"यह=j|ˌə|h क्या=kː|j|aː है=h|ɛː ।", "हाँ=h|ˈa\u0303 ।"}},
		{"de", "", "Grüße aus Köln, heute", []string{"Grüße=ɡ|ɾ|ˈyː|s|ə aus=ˌaʊ|s Köln=k|ˈœ|l|n ,", "heute=h|ˈɔø|t|ə"}},
		{"vi", "", "Xin chào, bạn.", []string{"Xin=s|ˈi|n chào=tʃ|ˈaː2|w ,", "bạn=b|ˈaː6|n ."}},
		{"zh", "", "你好。是", []string{"你=n|ˈi2 好=χ|ˈɑu2 。", "是=s.|ˈi.5"}},
		{"ar", "", "كيف حالك؟ نعم", []string{"كيف=k|ˈa|j|f|a حالك=ħ|ˈaː|l|i|k ؟", "نعم=n|ˈa|ʕ|a|m"}},
		{"en", "", "Wait... what — nine P M. Then so?!", []string{"Wait=w|ˈeɪ|t …", "what=w|ˌʌ|t —", "nine=n|ˈaɪ|n P=p|ˈiː M=ˈɛ|m .", "Then=ð|ˈɛ|n so=s|ˈoʊ ?"}},
		{"en", "", "of the world", []string{"of=ʌ|v the+ð|ə world=w|ˈɜː|l|d"}},
		{"hi", "", "", nil},
	} {
		r, err := e.Transcribe(t.Context(), tt.code, tt.region, tt.text)
		if err != nil {
			t.Fatal(err)
		}
		checkReading(t, string(tt.code), r)
		if got := lines(r); !slices.Equal(got, tt.want) {
			t.Errorf("%s %q is read %q, want %q", tt.code, tt.text, got, tt.want)
		}
	}
	if _, err := e.Transcribe(t.Context(), "xx", "", "a"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an unknown language: %v", err)
	}
}

// TestLengthyTranscribeLanguages reads a sentence of every language.
func TestLengthyTranscribeLanguages(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	for _, l := range lang.All() {
		if l.Code == "ja" && testing.Short() {
			continue // its dictionary takes long to load with the race detector
		}
		text := voice.PreviewText(l.Code)
		r, err := e.Transcribe(t.Context(), l.Code, "", text)
		if err != nil {
			t.Fatal(err)
		}
		checkReading(t, string(l.Code), r)
		if n := len(r.Clauses); r.Words() < 4 || r.Clauses[n-1].End != len(text) || len(r.LeftOut) > 0 {
			t.Errorf("%s: %d words of %q, %v left out: %q", l.Code, r.Words(), text, r.LeftOut, lines(r))
		}
	}
}

// TestTranscribeCrash: the library crashes over this text, and all of it is read.
func TestTranscribeCrash(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	text := "Then " + strings.Repeat("a.b.c.d.", 60) + " end"
	r, err := e.Transcribe(t.Context(), "en", "", text)
	if err != nil {
		t.Fatal(err)
	}
	checkReading(t, "en", r)
	if crashes, _ := e.Crashes(); crashes == 0 || r.Words() < 200 || len(r.LeftOut) > 0 {
		t.Errorf("%d crashes, %d words, %v left out", crashes, r.Words(), r.LeftOut)
	}
	n := len(r.Clauses)
	if words := r.Clauses[n-1].Words; len(words) == 0 || text[words[len(words)-1].Start:] != "end" {
		t.Errorf("the end is %q", lines(r)[n-1])
	}
}

func TestTranscribeTones(t *testing.T) {
	t.Parallel()
	r, err := openEngine(t).Transcribe(t.Context(), "zh", "", "妈麻马骂。你好吗？")
	if err != nil {
		t.Fatal(err)
	}
	var tones []uint8
	for _, c := range r.Clauses {
		for _, w := range c.Words {
			tones = append(tones, w.Tone)
		}
	}
	if want := []uint8{1, 2, 3, 4, 3, 3, 5}; !slices.Equal(tones, want) {
		t.Errorf("tones %v, want %v", tones, want)
	}
}

func TestAdapt(t *testing.T) {
	t.Parallel()
	e := openEngine(t)
	for _, tt := range []struct {
		native, spoken lang.Code
		text           string
		want           []string
	}{
		{"hi", "en", "Hello, world.", []string{"Hello=h|ə|l|ˈoː ,", "world=ʋ|ˈə|l|ɖ ."}},
		{"en", "de", "Grüße aus Köln.", []string{"Grüße=ɡ|ɹ|ˈiː|s|ə aus=ˌaʊ|s Köln=k|ˈɛ|l|n ."}},
		{"en", "en", "Hello.", []string{"Hello=h|ə|l|ˈoʊ ."}},
	} {
		r, err := e.Transcribe(t.Context(), tt.spoken, "", tt.text)
		if err != nil {
			t.Fatal(err)
		}
		before := lines(r)
		adapted, ok := accent.Adapt(tt.native, tt.spoken, r)
		checkReading(t, string(tt.native), adapted)
		if got := lines(adapted); !ok || !slices.Equal(got, tt.want) {
			t.Errorf("%s in a voice of %s is read %q, %v, want %q", tt.spoken, tt.native, got, ok, tt.want)
		}
		if got := lines(r); !slices.Equal(got, before) {
			t.Errorf("Adapt changed the reading to %q", got)
		}
	}
	if _, ok := accent.Adapt("en", "zh", ipa.Reading{}); ok {
		t.Error("a tonal language is spoken without tones")
	}
}

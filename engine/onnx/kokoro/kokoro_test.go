package kokoro

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/engine/ipa"
	"vaak/engine/onnx/symbols"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

func openEngine(t *testing.T) *espeak.Engine {
	t.Helper()
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t), WarmVoices: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// spell returns the symbols of ids, with | for those that frame a piece.
func spell(ids []int64) string {
	names := map[int64]string{0: "|"}
	for s, id := range Standard() {
		names[id] = s
	}
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(names[id])
	}
	return b.String()
}

// check fails unless an encoding keeps what its documentation says.
func check(t *testing.T, s string, most int, got symbols.Encoding) {
	t.Helper()
	last := 0
	for _, p := range got.Pieces {
		at := 0
		for _, w := range p.Words {
			if w.Start < last || w.End < w.Start || w.End > len(s) || w.From < at || w.To < w.From || w.From < p.From || w.To > p.To {
				t.Errorf("%q: word %+v behind byte %d and id %d of %+v", s, w, last, at, p)
			}
			last, at = w.Start, w.To
		}
		n := len(p.IDs)
		if n < 2 || n > most+2 || p.IDs[0] != 0 || p.IDs[n-1] != 0 || slices.Contains(p.IDs[1:n-1], 0) || p.From < 0 || p.To < p.From || p.To > n {
			t.Errorf("%q: piece %+v", s, p)
		}
	}
}

func TestLengthyEncode(t *testing.T) {
	t.Parallel()
	engine := openEngine(t)
	for _, tt := range []struct {
		code         lang.Code
		region, text string
		want         string
	}{
		{"en", "US", "Hello, world!", "|həlˈO, wˈɜɹld!|"},
		{"en", "US", "Wait… what — really? “Yes,” he said (maybe).", "|wˈAt… wˌʌt — ɹˈiəli? “jˈɛs,” hi sˈɛd (mˈAbi).|"},
		{"en", "US", "The button's a little beautiful chocolate toy.", "|ðə bˈʌtnz ə lˈɪTᵊl bjˈuTifᵊl ʧˈɑklət tˈY.|"},
		{"en", "US", "Of the world.", "|ʌvðə wˈɜɹld.|"},
		{"en", "GB", "There, no fear; go on.", "|ðˈɛː, nˈQ fˈɪə; ɡˌQ ˈɒn.|"},
		{"es", "", "¿Qué tal? Muy bien, gracias.", "|kˈe tˈal? mˈuj βjˈen, ɡɾˈaθjas.|"},
		{"fr", "", "« Bonjour », dit-il.", "|“bɔ\u0303ʒˈuʁ”, dˈitˈil.|"},
		{"hi", "", "यह क्या है। हाँ!", "|jˌəh kːjaː hɛː. hˈa\u0303!|"},
		{"it", "", "Ciao, la pizza.", "|ʧˈao, la pˈiʦːa.|"},
		{"ja", "", "今日は、東京です。", "|kʲoːβa, toːkʲoːdesɯ.|"},
		{"pt", "", "Olá, bom dia.", "|olˈa, bˈoŋ ʤˈiæ.|"},
		{"zh", "", "你好，我是中国人。", "|ni↓xau↓, wo↓ʂɨ↘ꭧʊ→ŋkwo↗ɻə↗n.|"},
	} {
		if tt.code == "ja" && testing.Short() {
			continue // its dictionary takes long to load with the race detector
		}
		r, err := engine.Transcribe(t.Context(), tt.code, tt.region, tt.text)
		if err != nil {
			t.Fatal(err)
		}
		got := NewEncoder(Standard(), tt.code, tt.region).Encode(r, symbols.Options{Body: text.Span{End: len(tt.text)}})
		check(t, tt.text, MaxSymbols, got)
		if len(got.Pieces) != 1 || spell(got.Pieces[0].IDs) != tt.want {
			t.Errorf("%s %q is %q, want %q", tt.code, tt.text, spell(got.Pieces[0].IDs), tt.want)
		}
	}
}

// TestLengthyPreviews counts the symbols of previews that are not in the vocabulary.
func TestLengthyPreviews(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a sentence of every language")
	}
	t.Parallel()
	engine := openEngine(t)
	var b strings.Builder
	for _, s := range []Speaker{{Language: "en", Region: "US"}, {Language: "en", Region: "GB"}, {Language: "es"}, {Language: "fr"}, {Language: "hi"}, {Language: "it"}, {Language: "ja"}, {Language: "pt"}, {Language: "zh"}} {
		preview := voice.PreviewText(s.Language)
		r, err := engine.Transcribe(t.Context(), s.Language, s.Region, preview)
		if err != nil {
			t.Fatal(err)
		}
		e := NewEncoder(Standard(), s.Language, s.Region)
		got := e.Encode(r, symbols.Options{Body: text.Span{End: len(preview)}})
		check(t, preview, MaxSymbols, got)
		fmt.Fprintf(&b, "%s %s: %d symbols, %d replaced, %d dropped: %s\n", s.Language, s.Region, got.Symbols(), got.Replaced, got.Dropped, spell(got.Pieces[0].IDs))
		if got.Replaced+got.Dropped > got.Symbols()/20 {
			t.Errorf("%s: %d of %d symbols are unknown", s.Language, got.Replaced+got.Dropped, got.Symbols())
		}
	}
	t.Log("\n" + b.String())
}

// TestDivide: a long text is divided behind its sentences, clauses and words, in that order.
func TestDivide(t *testing.T) {
	t.Parallel()
	engine := openEngine(t)
	e := NewEncoder(Standard(), "en", "US")
	for _, tt := range []struct {
		name, text  string
		most, short int
		first, end  string // the end of the first and of the last piece
	}{
		{"sentences", strings.Repeat("This is a sentence, of two clauses. ", 40), 0, 0, "klˈɔzᵻz.|", "klˈɔzᵻz.|"},
		{"a short limit", strings.Repeat("This is a sentence, of two clauses. ", 4), 100, 0, "klˈɔzᵻz.|", "klˈɔzᵻz.|"},
		{"a clause at a time", "Well, this is a clause of it, this is another, and this is the last.", 0, 12, "ɪt,|", "lˈæst.|"},
		{"clauses", strings.Repeat("this is a clause of it, ", 60), 0, 0, "ɪt,|", "ɪt,|"},
		{"words", strings.Repeat("wonder ", 120), 0, 0, "ɚ|", "ɚ|"},
		{"one word", strings.Repeat("wonder", 10), 32, 0, "", ""},
		{"nothing", " … ", 0, 0, "", ""},
	} {
		r, err := engine.Transcribe(t.Context(), "en", "US", tt.text)
		if err != nil {
			t.Fatal(err)
		}
		got := e.Encode(r, symbols.Options{Body: text.Span{End: len(tt.text)}, Most: tt.most, Short: tt.short})
		most := MaxSymbols
		if tt.most > 0 {
			most = tt.most
		}
		check(t, tt.text, most, got)
		n := len(got.Pieces)
		if tt.name == "nothing" {
			if n > 0 {
				t.Errorf("%s: %+v", tt.name, got)
			}
			continue
		}
		if n < 2 {
			t.Errorf("%s: %d pieces", tt.name, n)
			continue
		}
		if tt.first == "" {
			continue
		}
		words := 0
		for _, p := range got.Pieces {
			words += len(p.Words)
		}
		if words != r.Words() {
			t.Errorf("%s: %d words of %d", tt.name, words, r.Words())
		}
		first, end := spell(got.Pieces[0].IDs), spell(got.Pieces[n-1].IDs)
		if !strings.HasSuffix(first, strings.ReplaceAll(tt.first, "ɚ", "əɹ")) || !strings.HasSuffix(end, strings.ReplaceAll(tt.end, "ɚ", "əɹ")) {
			t.Errorf("%s: the first piece is %q, the last %q", tt.name, first, end)
		}
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	engine, e := openEngine(t), NewEncoder(Standard(), "en", "US")
	all, body := ipa.Join("I say", "hello, my friends", "all day")
	r, err := engine.Transcribe(t.Context(), "en", "US", all)
	if err != nil {
		t.Fatal(err)
	}
	got := e.Encode(r, symbols.Options{Body: body})
	check(t, "hello, my friends", MaxSymbols, got)
	p := got.Pieces[0]
	if s := spell(p.IDs[p.From:p.To]); s != "həlˈO, mI fɹˈɛndz " || len(p.Words) != 3 {
		t.Errorf("the text is %q with the words %+v", s, p.Words)
	}
}

func FuzzEncode(f *testing.F) {
	for _, s := range [][2]string{{"Hello, you (and) “me”", "h|ə"}, {"", ""}, {"…", "ʲ"}, {"a. b", "\xff"}, {"語「」", "1|ˈ"}, {"!!!!", strings.Repeat("a", 900)}} {
		f.Add(s[0], s[1], 1, 3, 0)
	}
	encoders := []*Encoder{NewEncoder(Standard(), "en", "US"), NewEncoder(Standard(), "zh", ""), NewEncoder(Standard(), "ja", ""), NewEncoder(Standard(), "fr", "")}
	f.Fuzz(func(t *testing.T, s, word string, from, to, most int) {
		from = min(max(from, 0), len(s))
		to = min(max(to, from), len(s))
		r := ipa.Reading{Text: s}
		for i := range s {
			w := ipa.Word{Start: i, End: i + 1, Phonemes: strings.Split(word, "|"), Tone: uint8(i)}
			if i%4 > 0 {
				r.Clauses = append(r.Clauses, ipa.Clause{Start: i, End: i + 1, Words: []ipa.Word{w}, Break: i%3 == 0})
			}
		}
		limit := MaxSymbols
		if most > 0 {
			limit = min(max(most, least), limit)
		}
		for _, e := range encoders {
			check(t, s, limit, e.Encode(r, symbols.Options{Body: text.Span{Start: from, End: to}, Foreign: from > 1, Most: most}))
		}
	})
}

package piper

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/engine/espeak/accent"
	"vaak/engine/ipa"
	"vaak/engine/onnx/symbols"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// usual are the symbols of most published voices, in the order of their ids (DEFAULT_PHONEME_ID_MAP
// of piper-phonemize 1.1).
const usual = "_^$ !'(),-.:;?abcdefhijklmnopqrstuvwxyzæçðøħŋœǀǁǂǃɐɑɒɓɔɕɖɗɘəɚɛɜɞɟɠɡɢɣɤɥɦɧɨɪɫɬɭɮɯɰɱɲɳɴɵɶɸɹɺɻɽɾʀʁʂʃʄʈʉʊʋʌʍʎʏʐʑʒʔʕʘʙʛʜʝʟʡʢʲˈˌːˑ˞βθχᵻⱱ0123456789" +
	"\u0327\u0303\u032a\u032f\u0329ʰˤε↓#\"↑\u033a\u033bgʦX"

// usualIDs returns the map of usual.
func usualIDs() map[string][]int64 {
	ids := map[string][]int64{}
	for i, s := range strings.Split(usual, "") {
		ids[s] = []int64{int64(i)}
	}
	return ids
}

// configOf returns a usual configuration with some keys replaced; a nil value removes the key.
func configOf(t *testing.T, changes map[string]any) []byte {
	t.Helper()
	c := map[string]any{
		"audio":          map[string]any{"sample_rate": 22050, "quality": "medium"},
		"espeak":         map[string]any{"voice": "en-us"},
		"inference":      map[string]any{"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
		"phoneme_type":   "espeak",
		"phoneme_map":    map[string]any{},
		"phoneme_id_map": usualIDs(),
		"num_symbols":    256, "num_speakers": 1, "speaker_id_map": map[string]any{},
		"piper_version": "1.0.0", "dataset": "tiny",
		"language": map[string]any{"code": "en_US", "family": "en", "region": "US", "name_english": "English"},
	}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// encoderOf returns the encoder of a configuration.
func encoderOf(t *testing.T, changes map[string]any) *Encoder {
	t.Helper()
	c, err := Parse(configOf(t, changes))
	if err != nil {
		t.Fatal(err)
	}
	return NewEncoder(c)
}

// spell returns the symbols of ids, without the PADs.
func spell(e *Encoder, ids []int64) string {
	names := map[int64]string{}
	for s, id := range e.config.IDs {
		names[id[0]] = s
	}
	var b strings.Builder
	for _, id := range ids {
		if s := names[id]; s != pad {
			b.WriteString(s)
		}
	}
	return b.String()
}

func openEngine(t *testing.T) *espeak.Engine {
	t.Helper()
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t), WarmVoices: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// whole encodes a text without context.
func whole(t *testing.T, engine *espeak.Engine, e *Encoder, s string) symbols.Encoding {
	t.Helper()
	r, err := engine.Transcribe(t.Context(), e.config.Language, e.config.Reader, s)
	if err != nil {
		t.Fatal(err)
	}
	got := e.Encode(r, symbols.Options{Body: text.Span{End: len(s)}})
	check(t, e, s, got)
	return got
}

// check fails unless an encoding keeps what its documentation says.
func check(t *testing.T, e *Encoder, s string, got symbols.Encoding) {
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
		if n := len(p.IDs); n < 3 || p.IDs[0] != 1 || p.IDs[1] != 0 || p.IDs[n-1] != 2 || p.From < 0 || p.To < p.From || p.To > n {
			t.Errorf("%q: piece %+v", s, p)
		}
		for i, id := range p.IDs {
			if (id == 0) != (i%2 == 1) {
				t.Errorf("%q: id %d is %d", s, i, id)
			}
		}
	}
}

// TestEncodeIDs has the ids that phonemes_to_ids of Piper makes.
func TestEncodeIDs(t *testing.T) {
	t.Parallel()
	e := encoderOf(t, nil)
	r := ipa.Reading{Text: "Hi, so.", Clauses: []ipa.Clause{
		{Start: 0, End: 4, Mark: ',', Words: []ipa.Word{{Start: 0, End: 2, Phonemes: []string{"h", "ˈaɪ"}}}},
		{Start: 4, End: 7, Mark: '.', Words: []ipa.Word{{Start: 4, End: 6, Phonemes: []string{"s", "ˌoː"}}}},
	}}
	want := symbols.Encoding{Pieces: []symbols.Piece{{
		IDs: []int64{1, 0, 20, 0, 120, 0, 14, 0, 74, 0, 8, 0, 3, 0, 31, 0, 121, 0, 27, 0, 122, 0, 10, 0, 2},
		To:  25, Words: []symbols.Word{{Start: 0, End: 2, From: 2, To: 10}, {Start: 4, End: 6, From: 14, To: 22}},
		Ends: true,
	}}}
	if d := cmp.Diff(want, e.Encode(r, symbols.Options{Body: text.Span{End: 7}})); d != "" {
		t.Error(d)
	}
	// With context on both sides.
	if d := cmp.Diff([]symbols.Piece{{
		IDs: want.Pieces[0].IDs, From: 14, To: 25, Words: []symbols.Word{{Start: 0, End: 2, From: 14, To: 22}},
		Ends: true,
	}}, e.Encode(r, symbols.Options{Body: text.Span{Start: 4, End: 7}}).Pieces); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]symbols.Piece{{
		IDs: want.Pieces[0].IDs, From: 0, To: 14, Words: []symbols.Word{{Start: 0, End: 2, From: 2, To: 10}},
		Ends: true,
	}}, e.Encode(r, symbols.Options{Body: text.Span{End: 3}}).Pieces); d != "" {
		t.Error(d)
	}
}

// TestEncode has what Piper's own phonemizer (piper-tts 1.8.0) makes of the same texts, but
// for the space behind an ellipsis.
func TestEncode(t *testing.T) {
	t.Parallel()
	engine := openEngine(t)
	for _, tt := range []struct {
		voice, text string
		want        []string
	}{
		{"en-us", "Hello", []string{"^həlˈoʊ$"}},
		{"en-us", "Hello there. How are you? Fine, thanks: good; yes! no", []string{"^həlˈoʊ ðˈɛɹ.$", "^hˈaʊ ɑːɹ juː?$", "^fˈaɪn, θˈæŋks: ɡˈʊd; jˈɛs!$", "^nˈoʊ$"}},
		{"en-us", "Wait… what — really – yes -- no (maybe) “so.” And", []string{"^wˈeɪt wˌʌt; ɹˈiəli; jˈɛs nˈoʊ mˈeɪbiː sˈoʊ.$", "^ænd$"}},
		{"en-us", "¿what? ¡no!", []string{"^wˈʌt?$", "^nˈoʊ!$"}},
		{"hi", "यह क्या है। हाँ,", []string{"^jˌəh kːjaː hɛː$", "^hˈa\u0303, $"}},
		{"vi", "Xin chào, bạn.", []string{"^sˈin tʃˈaː2w, bˈaː6n.$"}},
		{"ar", "مرحبا، كيف حالك؟ جيد؛ نعم", []string{"^mrħbˈaː, kˈajfa ħˈaːlik?$", "^dʒˈajjid; nˈaʕam$"}},
		{"fr", "« Bonjour », dit-il : oui !", []string{"^bɔ\u0303ʒˈuʁ, dˈitˈil: wˈi!$"}},
		{"en-us", "3 a.m. then?! He said \"no.\" Yes", []string{"^θɹˈiː ˌeɪˈɛm ðˈɛn?$", "^hiː sˈɛd nˈoʊ.$", "^jˈɛs$"}},
		{"en-us", "one\ntwo\n\nthree", []string{"^wˈʌn tˈuː$", "^θɹˈiː$"}},
		{"en-us", "of the world and in the end, it is.", []string{"^ʌvðə wˈɜːld ænd ɪnðɪ ˈɛnd, ɪɾ ˈɪz.$"}},
		{"de", "…", nil},
	} {
		e := encoderOf(t, map[string]any{"espeak": map[string]any{"voice": tt.voice}})
		var got []string
		for _, p := range whole(t, engine, e, tt.text).Pieces {
			got = append(got, spell(e, p.IDs))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s %q is %q, want %q", tt.voice, tt.text, got, tt.want)
		}
	}
}

// TestContext: a text is encoded the same with what stands before and behind it, and the ids
// of both are told apart.
func TestContext(t *testing.T) {
	t.Parallel()
	engine, e := openEngine(t), encoderOf(t, nil)
	for _, tt := range []struct {
		before, text, after string
		body                []string
	}{
		{"", "hello, my friends", "", []string{"^həlˈoʊ, maɪ fɹˈɛndz$"}},
		{"I say", "hello, my friends", "all day", []string{"həlˈoʊ, maɪ fɹˈɛndz "}},
		{"Stop.", "Hello, my friends.", "Good day.", []string{"", "^həlˈoʊ, maɪ fɹˈɛndz.$", ""}},
		{"Stop.", "", "Good day.", []string{"", ""}},
		{"and in", "the end", "", []string{"ðɪ ˈɛnd$"}},
		{"", "and in", "the end", []string{"^ænd ɪn"}},
	} {
		all, body := ipa.Join(tt.before, tt.text, tt.after)
		r, err := engine.Transcribe(t.Context(), "en", "US", all)
		if err != nil {
			t.Fatal(err)
		}
		got := e.Encode(r, symbols.Options{Body: body})
		check(t, e, tt.text, got)
		var parts []string
		for _, p := range got.Pieces {
			parts = append(parts, spell(e, p.IDs[p.From:p.To]))
			for _, w := range p.Words {
				if tt.text[w.Start:w.End] == "friends" && spell(e, p.IDs[w.From:w.To]) != "fɹˈɛndz" {
					t.Errorf("%q: friends is %q", all, spell(e, p.IDs[w.From:w.To]))
				}
			}
		}
		if !slices.Equal(parts, tt.body) {
			t.Errorf("%q of %q is %q, want %q", tt.text, all, parts, tt.body)
		}
	}
}

// TestSymbols has symbols that a voice does not know, and keys that change them.
func TestSymbols(t *testing.T) {
	t.Parallel()
	few := map[string][]int64{}
	for i, s := range strings.Split("_^$ .,abdeijklmnoprstuvwzəɛɪʃɡŋɹːˈ", "") {
		few[s] = []int64{int64(i)}
	}
	wide := map[string][]int64{"aɪ": {200}, "ŋ": {44, 45}}
	maps.Copy(wide, usualIDs())
	wide["ŋ"] = []int64{44, 45}
	for _, tt := range []struct {
		name              string
		changes           map[string]any
		word              string
		foreign           bool
		want              string
		replaced, dropped int
	}{
		{"all known", nil, "h|ə|l|ˈoʊ", false, "həlˈoʊ", 0, 0},
		{"few", map[string]any{"phoneme_id_map": few}, "ʂ|ˌɚ|g|ʧ|t̪|1", false, "ʃəɹɡtʃt", 4, 3},
		{"not learned", nil, "ʁ|y|t", true, "ɹit", 2, 0},
		{"learned elsewhere", nil, "ʁ|y|t", false, "ʁyt", 0, 0},
		{"no sound", nil, "ꙮ|t", false, "t", 0, 1},
		{"frames", nil, "^|t_|$", false, "t", 0, 3},
		{"a map", map[string]any{"phoneme_map": map[string]any{"a": []string{"e", "ɪ"}}}, "b|a", false, "beɪ", 0, 0},
		{"a cluster", map[string]any{"phoneme_id_map": wide, "vowel_clusters": [][]string{{"a", "ɪ"}}}, "b|aɪ|a", false, "baɪa", 0, 0},
	} {
		e := encoderOf(t, tt.changes)
		r := ipa.Reading{Text: "a", Clauses: []ipa.Clause{{End: 1, Words: []ipa.Word{{End: 1, Phonemes: strings.Split(tt.word, "|")}}}}}
		got := e.Encode(r, symbols.Options{Body: text.Span{End: 1}, Foreign: tt.foreign})
		p := got.Pieces[0]
		if s := spell(e, p.IDs[p.Words[0].From:p.Words[0].To]); s != tt.want || got.Replaced != tt.replaced || got.Dropped != tt.dropped {
			t.Errorf("%s: %q, %d replaced, %d dropped, want %q, %d, %d", tt.name, s, got.Replaced, got.Dropped, tt.want, tt.replaced, tt.dropped)
		}
	}
	e := encoderOf(t, map[string]any{"phoneme_id_map": wide, "vowel_clusters": [][]string{{"a", "ɪ"}}})
	r := ipa.Reading{Text: "a", Clauses: []ipa.Clause{{End: 1, Words: []ipa.Word{{End: 1, Phonemes: []string{"aɪ", "ŋ"}}}}}}
	if got, want := e.Encode(r, symbols.Options{}).Pieces[0].IDs, []int64{1, 0, 200, 0, 44, 45, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("ids %v, want %v", got, want)
	}
}

// TestText: the characters of a text are the symbols of some voices.
func TestText(t *testing.T) {
	t.Parallel()
	ids := map[string][]int64{}
	for i, s := range strings.Split("_^$ .,абвгиййук\u0306", "") {
		ids[s] = []int64{int64(i)}
	}
	e := encoderOf(t, map[string]any{"phoneme_type": "text", "phoneme_id_map": ids, "espeak": map[string]any{"voice": "uk"}})
	s := "Буй  гук."
	got := e.Encode(ipa.Reading{Text: s}, symbols.Options{Body: text.Span{End: len(s)}})
	check(t, e, s, got)
	if len(got.Pieces) != 1 || spell(e, got.Pieces[0].IDs) != "^буи\u0306 гук.$" || len(got.Pieces[0].Words) != 2 {
		t.Errorf("%+v is %q", got, spell(e, got.Pieces[0].IDs))
	}
	if w := got.Pieces[0].Words[1]; s[w.Start:w.End] != "гук" {
		t.Errorf("word 1 is %q", s[w.Start:w.End])
	}
}

// TestLengthyPreviews counts the symbols of each language's preview that the usual map does not have.
func TestLengthyPreviews(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a sentence of every language")
	}
	t.Parallel()
	engine := openEngine(t)
	var b strings.Builder
	all, unknown := 0, 0
	for _, l := range lang.All() {
		e := encoderOf(t, map[string]any{"espeak": map[string]any{"voice": string(l.Code)}})
		s := voice.PreviewText(l.Code)
		got := whole(t, engine, e, s)
		n := got.Symbols() / 2
		all, unknown = all+n, unknown+got.Replaced+got.Dropped
		if got.Replaced+got.Dropped > 0 {
			var missing []string
			r, _ := engine.Transcribe(t.Context(), l.Code, e.config.Reader, s)
			for _, c := range r.Clauses {
				for _, w := range c.Words {
					for _, symbol := range e.symbols(w.String()) {
						if known, found := e.find(symbol, false); found != symbols.Exact {
							if found == symbols.Dropped && accent.IsSound(symbol) {
								t.Errorf("%s: nothing stands for %s", l.Code, symbol)
							}
							missing = append(missing, symbol+">"+strings.Join(known, ""))
						}
					}
				}
			}
			slices.Sort(missing)
			fmt.Fprintf(&b, "%-4s %3d symbols, %2d replaced, %2d dropped: %q\n", l.Code, n, got.Replaced, got.Dropped, slices.Compact(missing))
		}
		if n < 10 {
			t.Errorf("%s: %d symbols", l.Code, n)
		}
	}
	t.Logf("of %d symbols %d are unknown:\n%s", all, unknown, b.String())
}

// TestLengthyAdapted: what voices speak with the sounds of their own language has no symbol that they
// have not learned, whatever language it is from.
func TestLengthyAdapted(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a sentence of every language")
	}
	t.Parallel()
	engine := openEngine(t)
	encoders := map[lang.Code]*Encoder{}
	for _, native := range []lang.Code{"en", "de", "es", "fr", "hi", "ru", "ar", "vi", "zh", "pl", "sw", "tr"} {
		encoders[native] = encoderOf(t, map[string]any{"espeak": map[string]any{"voice": string(native)}})
	}
	adapted, own, all, foreign, unknown := 0, 0, 0, 0, 0
	for _, l := range lang.All() {
		s := voice.PreviewText(l.Code)
		r, err := engine.Transcribe(t.Context(), l.Code, "", s)
		if err != nil {
			t.Fatal(err)
		}
		for native, e := range encoders {
			a, ok := accent.Adapt(native, l.Code, r)
			got := e.Encode(a, symbols.Options{Body: text.Span{End: len(s)}, Foreign: native != l.Code})
			check(t, e, s, got)
			if !ok {
				own, foreign, unknown = own+1, foreign+got.Symbols()/2, unknown+got.Replaced+got.Dropped
				continue
			}
			adapted, all = adapted+1, all+got.Symbols()/2
			if native == l.Code {
				continue
			}
			if got.Replaced > 0 || a.Words() < r.Words()*9/10 {
				t.Errorf("%s in a voice of %s: %d of %d symbols replaced, %d of %d words", l.Code, native, got.Replaced, got.Symbols()/2, a.Words(), r.Words())
			}
		}
	}
	t.Logf("%d pairs with %d symbols are adapted; of %d symbols of %d others %d are replaced or dropped", adapted, all, foreign, own, unknown)
}

func FuzzEncode(f *testing.F) {
	for _, s := range [][2]string{{"Hello, you", "h|ə"}, {"", ""}, {"…", "ʲ"}, {"a. b", "\xff"}, {"語", "1|ˈ"}, {"0", "_"}} {
		f.Add(s[0], s[1], 1, 3)
	}
	c := &Config{Phonemes: Espeak, Language: "en", IDs: usualIDs()}
	e := NewEncoder(c)
	f.Fuzz(func(t *testing.T, s, word string, from, to int) {
		from = min(max(from, 0), len(s))
		to = min(max(to, from), len(s))
		r := ipa.Reading{Text: s}
		for i := range s {
			w := ipa.Word{Start: i, End: i + 1, Phonemes: strings.Split(word, "|")}
			mark, _ := utf8.DecodeRuneInString(s[i:])
			r.Clauses = append(r.Clauses, ipa.Clause{Start: i, End: i + 1, Words: []ipa.Word{w}, Mark: mark, Break: i%3 == 0})
		}
		check(t, e, s, e.Encode(r, symbols.Options{Body: text.Span{Start: from, End: to}, Foreign: from > 1}))
	})
}

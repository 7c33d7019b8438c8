package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vaak/catalogue"
	"vaak/catalogue/transcript"
)

// near compares figures that were computed in another order.
var near = cmpopts.EquateApprox(0, 1e-5)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"I don't know, OK?", []string{"I", "don't", "know", "OK"}},
		{"नमस्ते, मैं ठीक हूँ।", []string{"नमस्ते", "मैं", "ठीक", "हूँ"}},
		{"क्\u200dष और श्\u200cव", []string{"क्\u200dष", "और", "श्\u200cव"}},
		{"வணக்கம், எப்படி இருக்கீங்க?", []string{"வணக்கம்", "எப்படி", "இருக்கீங்க"}},
		{"میں ٹھیک ہوں۔ شکریہ", []string{"میں", "ٹھیک", "ہوں", "شکریہ"}},
		{"chal-raha hai yaar", []string{"chal", "raha", "hai", "yaar"}},
		{"12 ₹500 १२ 3.5 4G", []string{"4G"}},
		{"<noise> haan [laughter] ji [background noise] (uh) theek", []string{"haan", "ji", "theek"}},
		{"<v>x</v> call(s)", []string{"x", "call"}},
		{"(haan ji) ((theek hai))", []string{"haan", "ji", "theek", "hai"}},
		{"a < b and c > d [", []string{"a", "b", "and", "c", "d"}},
		{"[x [noise] y", []string{"x", "y"}},
		{"[" + strings.Repeat("x", 70) + "] y", []string{strings.Repeat("x", 70), "y"}},
		{"<unk>हाँ<unk>", []string{"हाँ"}},
	} {
		if diff := cmp.Diff(tt.want, slices.Collect(spokenWords(tt.text))); diff != "" {
			t.Errorf("spokenWords(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestScriptOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		word, script string
		latin        bool
	}{
		{"hello", "Latn", true},
		{"café", "Latn", true},
		{"4G", "Latn", true},
		{"नमस्ते", "Deva", false},
		{"वाक्\u200dय", "Deva", false},
		{"கவிதா", "Taml", false},
		{"میں", "Arab", false},
		{"appनाम", "Latn", false}, // three letters to two
		{"okजी", "Latn", false},   // two to one
		{"aज", "Latn", false},     // the first of two
		{"जa", "Deva", false},
		{"カタカナー", "Kana", false},
	} {
		if script, latin := scriptOf(tt.word); script != tt.script || latin != tt.latin {
			t.Errorf("scriptOf(%q) = %q, %t, want %q, %t", tt.word, script, latin, tt.script, tt.latin)
		}
	}
}

func ref(v float64) *float64 { return &v }

// TestLexical compares with figures that were computed by hand.
func TestLexical(t *testing.T) {
	t.Parallel()
	mono := Recording{Layout: "mono", DurationS: 60, Speech: [][]Interval{{{Start: 0, End: 20}, {Start: 30, End: 40}}}}
	dual := Recording{Layout: "dual", DurationS: 30, Speech: [][]Interval{{{Start: 0, End: 10}}, {{Start: 5, End: 10}, {Start: 20, End: 25}}}}
	for _, tt := range []struct {
		name     string
		segments []transcript.Segment
		rec      Recording
		want     catalogue.Lexical
	}{
		{"nothing at all", nil, Recording{}, catalogue.Lexical{}},
		// Times alone, as RTTM has them, tell of segments and of no words.
		{"times without text", []transcript.Segment{{Start: 0, End: 10}, {Start: 30, End: 40}}, mono, catalogue.Lexical{
			Segments: 2, EmptySegments: 2, Coverage: ref(20. / 30), IoU: ref(20. / 30),
		}},
		// A minute of which the first ten seconds are transcribed: how the rest goes
		// nobody knows.
		{"transcribed in part", []transcript.Segment{{Start: 0, End: 5, Text: "one two three four"}, {Start: 4, End: 10, Text: "five six"}, {Start: 30, End: 40}}, mono, catalogue.Lexical{
			Words: 6, Types: 6, WordsPerMin: ref(36), Articulation: ref(36), CodeMixIndex: ref(0), SwitchesPer100: ref(0), EnglishShare: 1,
			ScriptShare: map[string]float64{"Latn": 1}, Segments: 3, EmptySegments: 1, Coverage: ref(20. / 30), IoU: ref(20. / 30),
		}},
		// A word of no script that can be told mixes nothing that anybody knows, and
		// segments without a length hold no time.
		{"nothing to divide by", []transcript.Segment{{Start: 7, End: 7, Text: "ー"}}, mono, catalogue.Lexical{
			Words: 1, Types: 1, ScriptShare: map[string]float64{"Zyyy": 1}, Segments: 1, Coverage: ref(0), IoU: ref(0),
		}},
		// Six words, six types, in the 20 s that segments with text hold, all of them
		// speech, of which there are 30 s in all. Segments hold [0,10], [10,20] and
		// [45,50]: 20 s of the speech, 35 s together with it.
		{"Hindi", []transcript.Segment{
			{Start: 0, End: 10, Text: "नमस्ते, आप कैसे हैं?"}, {Start: 10, End: 20, Text: "मैं ठीक <noise> 12"}, {Start: 45, End: 50, Text: " "},
		}, mono, catalogue.Lexical{
			Words: 6, Types: 6, WordsPerMin: ref(18), Articulation: ref(18), CodeMixIndex: ref(0), SwitchesPer100: ref(0), ScriptShare: map[string]float64{"Deva": 1},
			Segments: 3, EmptySegments: 1, Coverage: ref(20. / 30), IoU: ref(20. / 35),
		}},
		// Segments of 4 and 2 words: one of 4 is Latin (index 25), one of 2 (50),
		// and one of 3 is Devanagari, all Latin; the mean is 25. Switches: नहीं|sir,
		// sir|जी; okay|हाँ: three in nine words. They are in 4 s; laughter is text.
		{"Hinglish", []transcript.Segment{
			{Start: 0, End: 1, Text: "मैंने नहीं sir जी"}, {Start: 1, End: 2, Text: "okay हाँ"}, {Start: 2, End: 3, Text: "matlab haan OKAY"}, {Start: 3, End: 4, Text: "[laughter] 99"},
		}, Recording{Layout: "mono", DurationS: 9}, catalogue.Lexical{
			Words: 9, Types: 8, WordsPerMin: ref(135), EnglishShare: 5. / 9, ScriptShare: map[string]float64{"Deva": 4. / 9, "Latn": 5. / 9},
			CodeMixIndex: ref(25), SwitchesPer100: ref(300. / 9), Segments: 4, IoU: ref(0),
		}},
		// Segments with text hold 17 s of the recording, and 13 s of the speech of the
		// channel that each is on: six words. Channel 1 is covered from 0 to 8, channel 2 from 20 to 25; of
		// channel 2, 26 to 31 is none of its speech, and 31 is after the audio.
		{"Tamil, two channels", []transcript.Segment{
			{Start: 0, End: 8, Channel: 1, Text: "வணக்கம் எப்படி இருக்கீங்க"}, {Start: 20, End: 25, Channel: 2, Text: "நல்லா இருக்கேன்"},
			{Start: 26, End: 31, Channel: 2, Text: "sari"},
		}, dual, catalogue.Lexical{
			Words: 6, Types: 6, WordsPerMin: ref(360. / 17), Articulation: ref(360. / 13), CodeMixIndex: ref(0), EnglishShare: 1. / 6, ScriptShare: map[string]float64{"Taml": 5. / 6, "Latn": 1. / 6},
			SwitchesPer100: ref(0), Segments: 3, TimeErrors: 1, Coverage: ref(13. / 20), IoU: ref(13. / 25),
		}},
		// Without channels the union counts: speech 0-10 and 20-25, segments 0-12.
		{"Urdu, channels not told", []transcript.Segment{
			{Start: 0, End: 8, Text: "میں ٹھیک ہوں"}, {Start: 6, End: 12, Channel: 1, Text: "میں"},
		}, dual, catalogue.Lexical{
			Words: 4, Types: 3, WordsPerMin: ref(20), Articulation: ref(24), CodeMixIndex: ref(0), SwitchesPer100: ref(0), ScriptShare: map[string]float64{"Arab": 1},
			Segments: 2, Coverage: ref(10. / 15), IoU: ref(10. / 17),
		}},
		// The channels of a mix are no speakers: 10 s in which anybody speaks, of
		// which the segments hold 5, with 3 besides.
		{"English, stereo", []transcript.Segment{{Start: 5, End: 10, Channel: 1, Text: "two words"}, {Start: 20, End: 23, Channel: 2, Text: "yes"}},
			Recording{Layout: "stereo", DurationS: 30, Speech: [][]Interval{{{Start: 0, End: 10}}, {{Start: 5, End: 10}}}}, catalogue.Lexical{
				Words: 3, Types: 3, WordsPerMin: ref(180. / 8), Articulation: ref(36), CodeMixIndex: ref(0), SwitchesPer100: ref(0), EnglishShare: 1, ScriptShare: map[string]float64{"Latn": 1},
				Segments: 2, Coverage: ref(0.5), IoU: ref(5. / 13),
			}},
		// NFC and case do not make types: café is written in two ways. Two of the six
		// words are in a second of the recording, in which nothing was heard.
		{"English, times that are wrong", []transcript.Segment{
			{Start: 5, End: 4, Text: "Café CAFE\u0301 straße STRASSE"}, {Start: 59, End: 60.04, Text: "I"}, {Start: 59, End: 60.06, Text: "i"},
			{Start: math.NaN(), End: 1, Text: ""}, {Start: 0, End: math.Inf(1), Text: ""},
		}, mono, catalogue.Lexical{
			Words: 6, Types: 3, WordsPerMin: ref(120), CodeMixIndex: ref(0), SwitchesPer100: ref(0), EnglishShare: 1, ScriptShare: map[string]float64{"Latn": 1},
			Segments: 5, EmptySegments: 2, TimeErrors: 4, Coverage: ref(0), IoU: ref(0),
		}},
		// The scripts of Japanese are one language.
		{"Japanese", []transcript.Segment{{Start: 0, End: 1, Text: "カタカナ"}, {Start: 1, End: 2, Text: "ひ"}, {Start: 2, End: 3, Text: "日ひ"}},
			Recording{Layout: "mono", DurationS: 60}, catalogue.Lexical{
				Words: 4, Types: 3, WordsPerMin: ref(80), CodeMixIndex: ref(0), SwitchesPer100: ref(0), ScriptShare: map[string]float64{"Kana": 0.25, "Hira": 0.5, "Hani": 0.25}, Segments: 3, IoU: ref(0),
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.Method = "transcript"
			got := Lexical(tt.segments, tt.rec)
			if got.ScriptShare == nil {
				t.Error("ScriptShare is nil")
			}
			if diff := cmp.Diff(tt.want, got, near, cmpopts.EquateEmpty(), others); diff != "" {
				t.Errorf("Lexical (-want +got):\n%s", diff)
			}
		})
	}
}

// others are the figures that TestLengthyTruth judges.
var others = cmpopts.IgnoreFields(catalogue.Lexical{}, "Numerals", "LanguageShare", "ChannelLanguages", "OutsideShare", "OutsideSigns",
	"ImplausibleSegments", "UnheardSegments", "AlignmentLagMs")

func TestTypeTokenRatio(t *testing.T) {
	t.Parallel()
	var segments []transcript.Segment
	for i := range 1100 { // 250 types in the first thousand, 350 in all
		word := fmt.Sprintf("w%dx", i%250)
		if i >= 1000 {
			word = fmt.Sprintf("later%d", i)
		}
		segments = append(segments, transcript.Segment{Text: word})
	}
	for n, want := range map[int]*float64{999: nil, 1000: ref(0.25), 1100: ref(0.25)} {
		if got := Lexical(segments[:n], Recording{}).TypeToken; !cmp.Equal(got, want) {
			t.Errorf("type-token ratio of %d words = %v, want %v", n, got, want)
		}
	}
	if got := Lexical(segments, Recording{}).Types; got != 350 {
		t.Errorf("types = %d, want 350", got)
	}
}

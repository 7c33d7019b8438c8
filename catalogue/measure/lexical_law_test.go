package measure

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/catalogue"
	"vaak/catalogue/transcript"
)

// drawTranscript draws segments, some of them with times that cannot be.
func drawTranscript(t *rapid.T) []transcript.Segment {
	text := rapid.SampledFrom([]string{
		"", " ", "नमस्ते sir", "haan", "வணக்கம்", "12", "[x]", "<", "(uh) میں", "日本 ひ", "aज जa", "\xff", "ー",
	})
	at := rapid.OneOf(rapid.Float64Range(-1, 100), rapid.SampledFrom([]float64{0, 1, 2, 50, math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300}))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) transcript.Segment {
		return transcript.Segment{
			Start: at.Draw(t, "start"), End: at.Draw(t, "end"), Channel: rapid.IntRange(-1, 3).Draw(t, "channel"),
			Speaker: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "speaker"), Text: text.Draw(t, "text"),
		}
	}), 0, 12).Draw(t, "segments")
}

// drawRecording draws the times of a recording.
func drawRecording(t *rapid.T) Recording {
	speech := rapid.Custom(func(t *rapid.T) Interval {
		start := rapid.Float64Range(0, 100).Draw(t, "start")
		return Interval{Start: start, End: start + rapid.Float64Range(0, 10).Draw(t, "for")}
	})
	return Recording{
		Layout:    rapid.SampledFrom([]string{"", "mono", "dual", "stereo"}).Draw(t, "layout"),
		DurationS: rapid.SampledFrom([]float64{0, 60, 100}).Draw(t, "duration"),
		Speech:    rapid.SliceOfN(rapid.SliceOfN(speech, 0, 5), 0, 3).Draw(t, "speech"),
	}
}

// TestLexicalLaws holds the figures of any transcript to their bounds.
func TestLexicalLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		segments, rec := drawTranscript(t), drawRecording(t)
		l := Lexical(segments, rec)
		if _, err := json.Marshal(l); err != nil {
			t.Fatalf("Lexical = %+v: %v", l, err) // NaN and Inf are no JSON
		}
		if again := Lexical(segments, rec); !cmp.Equal(l, again) {
			t.Fatalf("Lexical = %+v, then %+v", l, again)
		}
		sum := 0.0
		for _, share := range l.ScriptShare {
			sum += share
		}
		switch {
		case l.Words == 0 && (sum != 0 || l.CodeMixIndex != nil || l.SwitchesPer100 != nil || l.WordsPerMin != nil || l.Articulation != nil):
			t.Fatalf("Lexical without words = %+v", l)
		case l.Words > 0 && math.Abs(sum-1) > 1e-4,
			l.EnglishShare < 0, l.EnglishShare > l.ScriptShare["Latn"]+1e-4,
			l.CodeMixIndex != nil && (*l.CodeMixIndex < 0 || *l.CodeMixIndex > 100),
			l.SwitchesPer100 != nil && (*l.SwitchesPer100 < 0 || *l.SwitchesPer100 > 100),
			l.WordsPerMin != nil && *l.WordsPerMin <= 0, l.Articulation != nil && *l.Articulation <= 0,
			l.Types > l.Words, l.EmptySegments+l.TimeErrors > 2*l.Segments,
			l.Coverage != nil && (*l.Coverage < 0 || *l.Coverage > 1),
			l.IoU != nil && (*l.IoU < 0 || *l.IoU > 1),
			l.IoU != nil && l.Coverage != nil && *l.IoU > *l.Coverage+1e-4:
			t.Fatalf("Lexical = %+v", l)
		}
	})
}

// TestLexicalOfSpeech says that a transcript with the very times of speech agrees
// with it, whatever the layout.
func TestLexicalOfSpeech(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rec := drawRecording(t)
		var segments []transcript.Segment
		spoken := 0.0
		for i, channel := range rec.Speech {
			for _, v := range channel {
				segments = append(segments, transcript.Segment{Start: v.Start, End: v.End, Channel: i + 1})
				spoken += v.End - v.Start
			}
		}
		l := Lexical(segments, rec)
		if spoken == 0 {
			return
		}
		if l.Coverage == nil || math.Abs(*l.Coverage-1) > 1e-9 || l.IoU == nil || math.Abs(*l.IoU-1) > 1e-9 {
			t.Fatalf("coverage %v, IoU %v, want 1", l.Coverage, l.IoU)
		}
	})
}

// TestLabelsLaws holds the figures of any labels to their bounds.
func TestLabelsLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		segments := drawTranscript(t)
		l := Labels(segments)
		if l == nil {
			return
		}
		if _, err := json.Marshal(l); err != nil {
			t.Fatalf("Labels = %+v: %v", l, err)
		}
		sum := 0.0
		for _, share := range l.SpeechShare {
			sum += share
		}
		if len(l.Speakers) < 2 || len(l.SpeechShare) != len(l.Speakers) || math.Abs(sum-1) > 1e-4 ||
			l.OverlapRatio < 0 || l.OverlapRatio > 1 || l.FTO.Count != max(0, l.TurnCount-1) {
			t.Fatalf("Labels = %+v", l)
		}
		checkOffsets(t, l.FTO)
	})
}

func checkOffsets(t *rapid.T, f catalogue.FTO) {
	if f.Count == 0 {
		if !cmp.Equal(f, catalogue.FTO{}) {
			t.Fatalf("no offsets = %+v", f)
		}
		return
	}
	in := 0
	for _, n := range f.Histogram.Bins {
		in += n
	}
	s := f.Shares
	if in != f.Count || math.Abs(s.Under0+s.To200+s.To700+s.Over700-1) > 1e-4 || // they are rounded
		*f.P10 > *f.Median || *f.Median > *f.P90 {
		t.Fatalf("%d offsets = %+v", f.Count, f)
	}
}

// TestFloor compares the floor with looking at every unit.
func TestFloor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) unit {
			start := float64(rapid.IntRange(0, 20).Draw(t, "start"))
			return unit{Interval{Start: start, End: start + float64(rapid.IntRange(1, 9).Draw(t, "for"))}, rapid.IntRange(0, 3).Draw(t, "speaker")}
		}), 0, 12).Draw(t, "units")
		slices.SortStableFunc(units, func(a, b unit) int { return int(a.Start - b.Start) })
		f := newFloor(units)
		for speaker := range 5 {
			for at := range 22 {
				want, any := 0.0, false
				for _, u := range units {
					if u.speaker != speaker && u.Start <= float64(at) {
						want, any = max(want, u.End), true
					}
				}
				if got, ok := f.others(float64(at), speaker); got != want || ok != any {
					t.Fatalf("others(%d, %d) of %v = %v, %t, want %v, %t", at, speaker, units, got, ok, want, any)
				}
			}
		}
	})
}

// FuzzWords looks for text that is counted wrongly or forever.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"नमस्ते <noise> sir", "(uh) [x", "\xff<<<<", "क्\u200dष 4G"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := Lexical([]transcript.Segment{{Text: text}}, Recording{})
		if n := len(slices.Collect(spokenWords(text))); n != l.Words || l.Words > len(text) || l.EnglishShare > 1 {
			t.Errorf("Lexical(%q) = %+v; there are %d words", text, l, n)
		}
	})
}

package seam_test

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
)

//go:embed testdata/sentences.tsv
var sentencesTSV string

// What is asked of sentences that were spoken in chunks and joined, against the
// same ones spoken whole. Pitches are in semitones.
const (
	mostPitch      = 2.0  // the median error of a language
	mostPitchMean  = 1.0  // the mean of those of all languages
	mostLengthened = 0.01 // the duration, mean of a language

	// What the engine does better than that, so that it is not lost: the mean
	// error of a language, and the duration of the worst sentence.
	mostPitchError = 0.25
	furthestLength = 0.01
)

// TestProsody compares sentences that were spoken in chunks with whole ones. With
// -v it prints a table, with chunks beside that were spoken each alone.
func TestProsody(t *testing.T) {
	t.Parallel()
	e := open(t)
	var table strings.Builder
	table.WriteString("\n         pitch, semitones   duration            clicks\n" +
		"         median  mean       mean    furthest    seams  worst\n")
	sum := 0.0
	languages := []lang.Code{"en", "hi", "ta", "de"}
	for _, code := range languages {
		f, alone := compareAll(t, e, code)
		fmt.Fprintf(&table, "%s       %v\n", code, f)
		if testing.Verbose() {
			fmt.Fprintf(&table, "   alone %v\n", alone)
		}
		sum += median(f.errors)
		f.check(t, string(code))
	}
	if m := sum / float64(len(languages)); m > mostPitchMean {
		t.Errorf("the mean of the medians is %.2f semitones, want at most %v", m, mostPitchMean)
	}
	t.Log(table.String())
}

func open(t *testing.T) *espeak.Engine {
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

// TestProsodyOfEveryLanguage compares the previews of all languages that write
// spaces.
func TestProsodyOfEveryLanguage(t *testing.T) {
	t.Parallel()
	e := open(t)
	var f figures
	for _, code := range e.Languages() {
		u := engine.Utterance{Text: voice.PreviewText(code), Language: code, Voice: voice.Default(code)}
		if len(eager(u)) > 1 {
			f.compare(speakWhole(t, e, u), speakJoined(t, e, u, false), enginetest.Rate(t, e))
		}
	}
	f.check(t, "all languages")
	t.Logf("%d sentences: %v", len(f.ratios), f)
}

// compareAll compares the sentences of a language, joined and, if anybody looks,
// each chunk alone.
func compareAll(t *testing.T, e engine.Engine, code lang.Code) (chunked, alone figures) {
	for line := range strings.Lines(sentencesTSV) {
		c, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if lang.Code(c) != code {
			continue
		}
		u := engine.Utterance{Text: text, Language: code, Voice: voice.Default(code)}
		want := speakWhole(t, e, u)
		chunked.compare(want, speakJoined(t, e, u, false), enginetest.Rate(t, e))
		if testing.Verbose() {
			alone.compare(want, speakJoined(t, e, u, true), enginetest.Rate(t, e))
		}
	}
	return chunked, alone
}

// figures are what was measured of a language.
type figures struct {
	errors []float64 // semitones, a voiced frame each
	ratios []float64 // of durations, a sentence each
	clicks []float64 // of the sharpest bends at the seams to that of the whole sentence
}

func (f *figures) check(t *testing.T, code string) {
	t.Helper()
	if m := median(f.errors); m > mostPitch {
		t.Errorf("%s: the pitch is off by %.2f semitones, want at most %v", code, m, mostPitch)
	}
	if m := mean(f.errors); m > mostPitchError {
		t.Errorf("%s: the pitch is off by %.2f semitones in the mean, want at most %v", code, m, mostPitchError)
	}
	if r := mean(f.ratios); math.Abs(r-1) > mostLengthened {
		t.Errorf("%s: sentences last %.4f of the whole ones, want 1 within %v", code, r, mostLengthened)
	}
	if r := f.furthest(); math.Abs(r-1) > furthestLength {
		t.Errorf("%s: a sentence lasts %.4f of the whole one, want 1 within %v", code, r, furthestLength)
	}
	if worst := slices.Max(f.clicks); worst > 1 {
		t.Errorf("%s: a seam bends %.2f times as much as anything in its sentence", code, worst)
	}
}

// furthest returns the ratio of durations that is the farthest from 1.
func (f figures) furthest() float64 {
	return slices.MaxFunc(f.ratios, func(a, b float64) int { return cmp.Compare(math.Abs(a-1), math.Abs(b-1)) })
}

func (f figures) String() string {
	return fmt.Sprintf("%5.2f  %5.2f      %6.4f  %6.4f      %3d    %.2f",
		median(f.errors), mean(f.errors), mean(f.ratios), f.furthest(), len(f.clicks), slices.Max(f.clicks))
}

// compare adds a sentence. Moments correspond that lie at the same part of the
// same word.
func (f *figures) compare(want, got rendering, rate int) {
	f.ratios = append(f.ratios, float64(len(got.pcm))/float64(len(want.pcm)))
	a, b := newVoiced(want.pcm, rate), newVoiced(got.pcm, rate)
	for _, s := range common(want, got) {
		for at := 0.0; at < s.want.length(); at += float64(rate) / 50 {
			x := a.at(s.want.from + at)
			if x == 0 {
				continue
			}
			if y := b.at(s.got.from + at*s.got.length()/s.want.length()); y > 0 {
				f.errors = append(f.errors, semitones(x, y))
			}
		}
	}
	most := bend(want.pcm, 0, len(want.pcm))
	for _, s := range got.seams {
		f.clicks = append(f.clicks, bend(got.pcm, s-rate/200, s+rate/200)/most)
	}
}

// stretch is where a word is, in samples.
type stretch struct{ from, to float64 }

func (s stretch) length() float64 { return s.to - s.from }

type pair struct{ want, got stretch }

// common returns where the words are that both renderings report.
func common(want, got rendering) []pair {
	var ps []pair
	var starts []int
	for s := range want.words {
		if _, ok := got.words[s]; ok {
			starts = append(starts, s)
		}
	}
	slices.Sort(starts)
	for i, s := range starts {
		p := pair{
			want: stretch{float64(want.words[s]), float64(len(want.pcm))},
			got:  stretch{float64(got.words[s]), float64(len(got.pcm))},
		}
		if i+1 < len(starts) {
			p.want.to, p.got.to = float64(want.words[starts[i+1]]), float64(got.words[starts[i+1]])
		}
		ps = append(ps, p)
	}
	return ps
}

// bend returns the largest second difference of the samples from..to.
func bend(pcm []int16, from, to int) (most float64) {
	for i := max(from, 1); i < min(to, len(pcm)-1); i++ {
		d := float64(pcm[i-1]) - 2*float64(pcm[i]) + float64(pcm[i+1])
		most = max(most, d, -d)
	}
	return most
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

package speech_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/text"
	"vaak/text/frontend"
	"vaak/voice"
)

// leastPauses is the share of lines in which pauses of sentences are heard where the
// sentences end and nowhere else.
const leastPauses = 0.9

// What is heard as the end of a sentence: a silence that is by so many milliseconds longer
// than the same words have with a comma between them, or that is long whatever stands there.
const (
	longerThanComma = 40
	longPause       = 290
)

// TestLengthySentencePause speaks lines in which abbreviations, numbers and initials stand at the
// ends of sentences and inside them, and looks for the pauses in the audio.
func TestLengthySentencePause(t *testing.T) {
	t.Parallel()
	e := openEspeak(t)
	files, err := filepath.Glob("../text/frontend/testdata/ends/??.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of marked lines: %v", err)
	}
	right, all := 0, 0
	for _, file := range files {
		code := lang.Code(strings.TrimSuffix(filepath.Base(file), ".tsv"))
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		if testing.Short() {
			lines = []string{lines[0], lines[2]}
		}
		for _, line := range lines {
			kind, marked, _ := strings.Cut(line, "\t")
			s, want := strings.ReplaceAll(marked, "¦", ""), []int(nil)
			at := 0
			for part := range strings.SplitSeq(marked, "¦") {
				if at += len(part); at < len(s) {
					want = append(want, wordAt(s, at))
				}
			}
			got := pauses(t, e, s, code)
			if all++; slices.Equal(got, want) {
				right++
			} else {
				t.Logf("%s, %s: %q: pauses before %v, want %v", code, kind, marked, got, want)
			}
		}
	}
	t.Logf("%d of %d lines have their pauses", right, all)
	if share := float64(right) / float64(all); share < leastPauses {
		t.Errorf("%.3f of the lines have their pauses, want %v", share, leastPauses)
	}
}

// wordAt returns where the first word begins from a place on.
func wordAt(s string, at int) int {
	for i, r := range s[at:] {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return at + i
		}
	}
	return len(s)
}

// longestSilence returns the length of the longest silence in milliseconds.
func longestSilence(pcm []int16, rate int) int {
	hop, longest, quiet := rate/200, 0, 0
	for at := 0; at+hop <= len(pcm); at += hop {
		loud := slices.ContainsFunc(pcm[at:at+hop], func(x int16) bool { return x > 200 || x < -200 })
		if loud {
			quiet = 0
			continue
		}
		quiet++
		longest = max(longest, quiet)
	}
	return longest * 5
}

// pauses returns the places of a text before which the end of a sentence is heard.
func pauses(t *testing.T, e engine.Engine, s string, code lang.Code) (places []int) {
	t.Helper()
	p, err := frontend.New().Prepare(s, lang.Tag{Code: code})
	if err != nil {
		t.Fatal(err)
	}
	ended, joined := silences(t, e, s, code, p, nil), silences(t, e, s, code, p, strings.NewReplacer(". ", ", ", "! ", ", ", "? ", ", ", "। ", ", ", "۔ ", ", ", "؟ ", ", "))
	for at, ms := range ended {
		if without, ok := joined[at]; ms >= longPause || ok && ms >= without+longerThanComma {
			places = append(places, at)
		}
	}
	slices.Sort(places)
	return places
}

// silences speaks a text and returns the silence before each of its words, in milliseconds.
// Instead, if it is not nil, writes other marks, each as long as the other.
func silences(t *testing.T, e engine.Engine, s string, code lang.Code, p frontend.Prepared, instead *strings.Replacer) map[int]int {
	t.Helper()
	var pcm []int16
	type word struct{ at, sample int }
	var words []word
	for run := range p.Runs() {
		u := engine.Utterance{Text: run.Text, Language: run.Language, Voice: voice.Default(code), Continues: !run.Last && run.EndsSentence()}
		if instead != nil {
			u.Text, u.Continues = instead.Replace(u.Text), false
		}
		spoken := enginetest.Speak(t, e, u)
		for _, w := range spoken.Words {
			at := w.Start
			if instead != nil {
				// A mark of several bytes became one of one byte: only the characters are as many.
				at = byteAt(run.Text, utf8.RuneCountInString(u.Text[:at]))
			}
			words = append(words, word{run.Map.Back(text.Span{Start: at, End: at + 1}).Start, len(pcm) + w.Sample})
		}
		pcm = append(pcm, spoken.PCM...)
	}
	rate, all := enginetest.Rate(t, e), map[int]int{}
	for i := 1; i < len(words); i++ {
		// The closure of a plosive belongs to the word and is silent, too.
		end := min(len(pcm), words[i].sample+rate/50)
		if from, at := words[i-1].sample, wordAt(s, words[i].at); from < end {
			all[at] = max(all[at], longestSilence(pcm[from:end], rate))
		}
	}
	return all
}

// byteAt returns the byte at which the nth character of a text begins.
func byteAt(s string, n int) int {
	for i := range s {
		if n--; n < 0 {
			return i
		}
	}
	return len(s)
}

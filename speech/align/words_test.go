package align_test

import (
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"vaak/speech/align"
)

// spread returns the timing of a text whose characters last 10 ms each.
func spread(s string, begin int) align.Alignment {
	a := align.Alignment{Begin: begin, End: begin}
	for _, r := range s {
		a.Characters = append(a.Characters, string(r))
		a.Starts = append(a.Starts, a.End)
		a.End += 10
	}
	return a
}

func TestWordTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Hello there, you.":    {"Hello", "there,", "you."},
		"  spaces \n\t around": {"spaces", "around"},
		"a - b … c":            {"a", "b", "c"},
		"costs €5 + 3 %":       {"costs", "€5", "+", "3"},
		"नमस्ते दुनिया":        {"नमस्ते", "दुनिया"},
		"😀 grin 👩‍👩‍👧 ok":      {"😀", "grin", "👩‍👩‍👧", "ok"},
		"你好, ok吗":              {"你", "好,", "ok", "吗"},
		"สวัสดี":               {"ส", "วั", "ส", "ดี"},
		"don't stop":           {"don't", "stop"},
		"…":                    nil,
		"":                     nil,
	} {
		var w align.Words
		var got []string
		units := utf16.Encode([]rune(text))
		a, at := spread(text, 0), 0
		for at < len(a.Characters) { // in stretches of three characters, which cut words
			n := min(3, len(a.Characters)-at)
			part := align.Alignment{Characters: a.Characters[at : at+n], Starts: a.Starts[at : at+n], Begin: a.Starts[at], End: a.Starts[at] + 10*n}
			w.Add(part)
			at += n
			for _, h := range w.Take() {
				got = append(got, string(utf16.Decode(units[h.Unit:h.UnitEnd()])))
			}
		}
		w.Finish()
		for _, h := range w.Take() {
			got = append(got, string(utf16.Decode(units[h.Unit:h.UnitEnd()])))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("words of %q (-want +got):\n%s", text, diff)
		}
	}
}

func TestTimesOfWords(t *testing.T) {
	t.Parallel()
	var w align.Words
	w.Add(spread("😀ab cd", 0))
	w.Add(spread("e ", 500))
	guessed := spread("f", 520)
	guessed.Estimated = true
	w.Add(guessed)
	w.Finish()
	want := []align.Word{
		{Text: "😀ab", At: 0, Until: 30},
		{Text: "cde", Character: 4, Unit: 5, At: 40, Until: 510},
		{Text: "f", Character: 8, Unit: 9, At: 520, Until: 530, Estimated: true},
	}
	if diff := cmp.Diff(want, w.Take()); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if again := w.Take(); len(again) > 0 {
		t.Errorf("words are told twice: %v", again)
	}
}

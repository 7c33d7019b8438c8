package translit

import (
	"os"
	"strings"
	"testing"

	"vaak/lang"
)

// labelled reads a set of sentences: the language, a tab, the words. A word
// marked by * is English, one with "=hi" is of that language, others are of the
// language of the line.
func labelled(t *testing.T, file string) (sentences [][]string, labels [][]lang.Code) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		code, text, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		var words []string
		var want []lang.Code
		for word := range strings.FieldsSeq(text) {
			label := lang.Code(code)
			if code == "en" {
				label = ""
			}
			if w, english := strings.CutPrefix(word, "*"); english {
				word, label = w, ""
			}
			if w, other, ok := strings.Cut(word, "="); ok {
				word, label = w, lang.Code(other)
			}
			words, want = append(words, strings.Trim(word, ",.?!")), append(want, label)
		}
		sentences, labels = append(sentences, words), append(labels, want)
	}
	return sentences, labels
}

func TestDevelopmentSet(t *testing.T) {
	t.Parallel()
	sentences, labels := labelled(t, "testdata/dev.tsv")
	right, all, whole := 0, 0, 0
	for k, words := range sentences {
		got := Label(words, lang.Tag{})
		before := right
		for j := range words {
			if all++; got[j] == labels[k][j] {
				right++
			}
		}
		if right-before == len(words) {
			whole++
		} else {
			t.Logf("Label(%q) = %q, want %q", words, got, labels[k])
		}
	}
	t.Logf("%d of %d words, %d of %d sentences whole", right, all, whole, len(sentences))
	if float64(right) < 0.95*float64(all) {
		t.Errorf("%d of %d words are right, want 95 %%", right, all)
	}
}

// englishWords returns the fragments of the English set as words.
func englishWords(t *testing.T) [][]string {
	t.Helper()
	data, err := os.ReadFile("testdata/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for line := range strings.Lines(string(data)) {
		var words []string
		for word := range strings.FieldsSeq(line) {
			if word = strings.Trim(word, ",.?!:"); word != "" {
				words = append(words, word)
			}
		}
		all = append(all, words)
	}
	return all
}

func TestEnglishIsLeftAlone(t *testing.T) {
	t.Parallel()
	all, wrong := 0, 0
	for _, words := range englishWords(t) {
		for _, hint := range []lang.Tag{{}, {Code: "en", Region: "IN"}, {Code: "hi"}} {
			for k, label := range Label(words, hint) {
				if all++; label != "" {
					wrong++
					t.Logf("Label(%q, %v)[%d] = %q", words, hint, k, label)
				}
			}
		}
		if code, share := Detect(strings.Join(words, " ")); code != "" {
			t.Errorf("Detect(%q) = %q, %v, want none", words, code, share)
		}
	}
	if wrong*1000 > all {
		t.Errorf("%d of %d English words are labelled Indian, want 0.1 %% at most", wrong, all)
	}
}

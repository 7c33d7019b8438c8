package lang_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
)

// readPlausible reads the languages as which a word of another may be told: those that share many
// of its words, and those of single words, by the language and the word.
func readPlausible(t *testing.T) (sharers, words map[string]string) {
	t.Helper()
	sharers, words = map[string]string{}, map[string]string{}
	for _, row := range readTexts(t, "testdata/plausible.tsv") {
		others, list, ok := strings.Cut(row[1], "\t")
		if !ok {
			sharers[row[0]] = row[1]
			continue
		}
		for _, w := range strings.Fields(list) {
			words[row[0]+" "+w] = others
		}
	}
	return sharers, words
}

// TestSingleWords detects each word of the test texts alone. These are of the language of law,
// so many are rare. What is told a sharer is right or not by chance; nothing may be absurd but a
// few words.
func TestSingleWords(t *testing.T) {
	t.Parallel()
	texts := readPieces(t)
	sharers, shared := readPlausible(t)
	for _, tt := range []struct {
		code   lang.Code
		right  int // percent at least
		absurd int // percent at most
	}{
		{"en", 99, 0}, {"hi", 95, 1}, {"mr", 56, 1}, {"ne", 35, 0}, {"bn", 100, 0}, {"ta", 100, 0}, {"te", 100, 0}, {"ur", 90, 1},
		{"ar", 96, 0}, {"fa", 59, 0}, {"es", 86, 0}, {"fr", 78, 2}, {"de", 94, 2}, {"pt", 64, 2}, {"it", 75, 2}, {"ru", 99, 1},
		{"tr", 90, 3}, {"pl", 93, 3}, {"id", 87, 2}, {"vi", 95, 5}, {"nl", 75, 5}, {"uk", 85, 0},
	} {
		words := map[string]bool{}
		for _, w := range strings.Fields(texts[tt.code]) {
			if w = strings.TrimFunc(w, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }); w != "" {
				words[strings.ToLower(w)] = true
			}
		}
		right, absurd := 0, map[lang.Code]int{}
		for w := range words {
			plausible := strings.Fields(sharers[string(tt.code)] + " " + shared[string(tt.code)+" "+w])
			switch got := lang.Detect(w); {
			case got == tt.code:
				right++
			case !slices.Contains(plausible, string(got)):
				absurd[got]++
			}
		}
		wrong := 0
		for _, n := range absurd {
			wrong += n
		}
		codes := slices.SortedFunc(maps.Keys(absurd), func(a, b lang.Code) int { return cmp.Or(absurd[b]-absurd[a], cmp.Compare(a, b)) })
		list := ""
		for _, c := range codes {
			list += fmt.Sprintf(" %s %d", c, absurd[c])
		}
		r, a := 100*right/len(words), (100*wrong+len(words)-1)/len(words)
		t.Logf("%s: %d words, %d %% told right, %d %% a sharer, %d %% absurd:%s", tt.code, len(words), r, 100-r-a, a, list)
		if r < tt.right || a > tt.absurd {
			t.Errorf("%s: %d %% told right, want %d %%; %d %% absurd, want at most %d %%", tt.code, r, tt.right, a, tt.absurd)
		}
	}
}

// readTexts reads a table of texts: the languages that may be told, and the texts.
func readTexts(t *testing.T, name string) (rows [][2]string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		codes, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok && !strings.HasPrefix(line, "#") {
			rows = append(rows, [2]string{codes, text})
		}
	}
	return rows
}

// TestShortTexts tells greetings and other short texts.
func TestShortTexts(t *testing.T) {
	t.Parallel()
	for _, row := range readTexts(t, "testdata/short.tsv") {
		if got := lang.Detect(row[1]); !slices.Contains(strings.Fields(row[0]), string(got)) {
			t.Errorf("Detect(%q) = %s, want %s", row[1], got, row[0])
		}
	}
}

// TestImplausible checks that no word is told a language to which it cannot belong.
func TestImplausible(t *testing.T) {
	t.Parallel()
	for _, row := range readTexts(t, "testdata/implausible.tsv") {
		never, texts, _ := strings.Cut(row[1], "\t")
		for text := range strings.SplitSeq(texts, "|") {
			if got := lang.Detect(text); slices.Contains(strings.Fields(never), string(got)) {
				t.Errorf("Detect(%q) = %s; it is %s", text, got, row[0])
			}
		}
	}
}

// leastNames is the percentage of names that must be told the language of their context.
const leastNames = 97

// TestNames tells names the language of their context: of the session, else English.
func TestNames(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	opening := map[lang.Code]string{"": "", "hi": "मैं घर जा रहा हूँ", "de": "Ich gehe jetzt nach Hause", "ta": "நான் வீட்டிற்கு போகிறேன்", "tr": "Şimdi eve gidiyorum"}
	for context, first := range opening {
		all, kept := 0, 0
		for line := range strings.Lines(string(b)) {
			name := strings.TrimSpace(line)
			if strings.HasPrefix(name, "#") {
				continue
			}
			var m lang.Memory
			want := cmp.Or(context, "en")
			if first != "" {
				m.Detect(first)
			}
			all++
			if got := m.Detect(name); got == want {
				kept++
			} else {
				t.Logf("%q after %q is told %s", name, first, got)
			}
		}
		if t.Logf("after %q: %d of %d names", first, kept, all); 100*kept < leastNames*all {
			t.Errorf("after %q %d of %d names are told its language", first, kept, all)
		}
	}
}

// leastWords is the number of everyday words that each language's list must have.
const leastWords = 500

// TestCommonWords detects everyday words of the lists alone, as they are written in a sentence and
// with a capital letter. A word may be told as another language that has it: one that the pairs of
// languages allow, or one that the list of shared words names.
func TestCommonWords(t *testing.T) {
	t.Parallel()
	plausible, shared := readPlausible(t)
	words := map[string][]string{}
	for _, row := range readTexts(t, "testdata/common.tsv") {
		words[row[0]] = append(words[row[0]], strings.Fields(row[1])...)
	}
	for _, tt := range []struct {
		code   string
		right  float64 // percent at least
		absurd int     // words at most
	}{
		{"hi", 99, 0}, {"mr", 60, 0}, {"ne", 45, 0}, {"bn", 99.5, 0}, {"ta", 100, 0}, {"te", 100, 0}, {"ur", 96, 0}, {"ar", 91, 0},
		{"es", 94, 0}, {"fr", 81, 0}, {"de", 86, 0}, {"pt", 69, 0}, {"ru", 99, 0}, {"tr", 88, 1},
	} {
		all := len(words[tt.code])
		if all < leastWords {
			t.Errorf("%s has %d everyday words, want %d", tt.code, all, leastWords)
		}
		for _, capital := range []bool{false, true} {
			right, absurd := 0, []string{}
			for _, word := range words[tt.code] {
				w := word
				if r, n := utf8.DecodeRuneInString(w); capital {
					w = string(unicode.ToTitle(r)) + w[n:]
				}
				others := plausible[tt.code] + " " + shared[tt.code+" "+word]
				switch got := string(lang.Detect(w)); {
				case got == tt.code:
					right++
				case !slices.Contains(strings.Fields(others), got):
					absurd = append(absurd, got+" "+w)
				}
			}
			t.Logf("%s, capital %t: of %d words %.1f %% told right, %.1f %% one that has them too, %.1f %% absurd: %v", tt.code, capital,
				all, percent(right, all), percent(all-right-len(absurd), all), percent(len(absurd), all), absurd)
			if percent(right, all) < tt.right || len(absurd) > tt.absurd {
				t.Errorf("%s, capital %t: %.1f %% told right, want %.1f %%; %d absurd, want at most %d: %v", tt.code, capital,
					percent(right, all), tt.right, len(absurd), tt.absurd, absurd)
			}
		}
	}
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

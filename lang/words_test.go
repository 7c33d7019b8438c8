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

	"vaak/lang"
)

// sharers are, for a language, those that share so many of its words that one of these alone may
// be told as theirs. Any other language is absurd.
var sharers = map[lang.Code]string{
	"en": "fr es de nl", "hi": "mr ne mai bho", "mr": "hi ne kok", "ne": "hi mr mai bho", "bn": "as", "ta": "", "te": "",
	"ur": "fa ar", "ar": "ur fa", "fa": "ar ur", "es": "pt it ca fr en ro", "fr": "en es it pt ca ro", "de": "en nl af da sv nb",
	"pt": "es it ca fr en ro", "it": "es fr pt ca en ro", "ru": "uk be bg mk sr", "tr": "az en", "pl": "cs sk en hr", "id": "ms en", "vi": "",
	"nl": "af de en", "uk": "ru be bg",
}

// TestSingleWords detects each word of the test texts alone. These are of the language of law,
// so many are rare. What is told a sharer is right or not by chance; nothing may be absurd but a
// few words.
func TestSingleWords(t *testing.T) {
	t.Parallel()
	texts := readPieces(t)
	for _, tt := range []struct {
		code   lang.Code
		right  int // percent at least
		absurd int // percent at most
	}{
		{"en", 99, 0}, {"hi", 85, 2}, {"mr", 58, 3}, {"ne", 41, 1}, {"bn", 98, 0}, {"ta", 100, 0}, {"te", 100, 0}, {"ur", 77, 3},
		{"ar", 94, 1}, {"fa", 49, 1}, {"es", 80, 2}, {"fr", 68, 3}, {"de", 88, 3}, {"pt", 53, 3}, {"it", 66, 4}, {"ru", 96, 1},
		{"tr", 77, 14}, {"pl", 89, 4}, {"id", 80, 3}, {"vi", 94, 6}, {"nl", 62, 8}, {"uk", 73, 2},
	} {
		words := map[string]bool{}
		for _, w := range strings.Fields(texts[tt.code]) {
			if w = strings.TrimFunc(w, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) }); w != "" {
				words[strings.ToLower(w)] = true
			}
		}
		right, absurd, plausible := 0, map[lang.Code]int{}, strings.Fields(sharers[tt.code])
		for w := range words {
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

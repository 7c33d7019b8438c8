package respell

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/lang"
	"vaak/lang/langtest"
)

// The texts of other packages' tests are in all supported languages and hold what
// texts hold: names, numbers, addresses, signs. Each of their words, and each of
// their shorter lines, can be the respelling of a rule and its term.
func TestEveryWordOfTheTestTextsPasses(t *testing.T) {
	t.Parallel()
	words := map[string]lang.Code{} // to the language of the text
	for line := range langtest.Lines(t, "../../lang/testdata/pieces.tsv.gz") {
		code, piece, _ := strings.Cut(line, "\t")
		addWords(words, piece, lang.Code(code))
	}
	languages := map[lang.Code]bool{}
	for _, code := range words {
		languages[code] = true
	}
	if n := len(lang.All()); len(languages) != n {
		t.Fatalf("the pieces have words of %d languages, want %d", len(languages), n)
	}
	for _, dir := range []string{"../normalize/testdata/golden", "../normalize/rbnf/testdata/outside", "../translit/testdata", "../segment/testdata"} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			code := lang.Code(strings.SplitN(e.Name(), ".", 2)[0])
			for line := range langtest.Lines(t, path) {
				if strings.HasPrefix(line, "#") {
					continue
				}
				for cell := range strings.SplitSeq(line, "\t") {
					addWords(words, cell, code)
					if n := utf8.RuneCountInString(cell); n <= MaxTerm && strings.TrimSpace(cell) != "" {
						words[cell] = code
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(words) < 30000 {
		t.Fatalf("the texts have %d words, want more", len(words))
	}
	refused, shown := 0, 0
	check := func(r Rule) {
		if err := Check([]Rule{r}); err != nil {
			if refused++; shown < 40 {
				shown++
				t.Errorf("%s: Check(%q, %q, only %v) = %v", words[r.Respelling], r.Term, r.Respelling, r.Only, err)
			}
		}
	}
	for word, code := range words {
		check(Rule{Term: word, Respelling: word})
		if _, ok := lang.Lookup(code); ok && strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
			check(Rule{Term: word, Respelling: word, Only: []string{string(code)}})
		}
	}
	t.Logf("%d of %d refused", refused, len(words))
}

func addWords(words map[string]lang.Code, text string, code lang.Code) {
	for w := range strings.FieldsSeq(text) {
		for runes := range slices.Chunk([]rune(w), MaxTerm) { // some scripts have no spaces
			words[string(runes)] = code
		}
	}
}

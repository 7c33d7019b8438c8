package locale_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
	"vaak/text/normalize/locale"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, err := range locale.Check() {
		t.Error(err)
	}
	files, err := filepath.Glob("data/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !norm.NFC.IsNormal(b) {
			t.Errorf("%s is not in NFC", name)
		}
		code := lang.Code(strings.TrimSuffix(filepath.Base(name), ".tsv"))
		if _, ok := lang.Lookup(code); !ok {
			t.Errorf("%s is of no language", name)
		}
	}
}

func TestAbsent(t *testing.T) {
	t.Parallel()
	for _, code := range []lang.Code{"zz", "", "../en"} {
		if l := locale.Of(code); l == nil || l.Word("point") != "" || l.Rows("abbr") != nil {
			t.Errorf("Of(%q) = %v, want an empty lexicon", code, l)
		}
	}
	if w := locale.For(lang.Tag{Code: "en", Region: "US"}).Word("date"); !strings.HasPrefix(w, "{month}") {
		t.Errorf("date of en-US = %q, want the month first", w)
	}
}

package rbnf

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

// latin writes Serbian as its list does.
var latin = strings.NewReplacer("а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "ђ", "đ", "е", "e", "ж", "ž", "з", "z",
	"и", "i", "ј", "j", "к", "k", "л", "l", "љ", "lj", "м", "m", "н", "n", "њ", "nj", "о", "o", "п", "p", "р", "r", "с", "s",
	"т", "t", "ћ", "ć", "у", "u", "ф", "f", "х", "h", "ц", "c", "ч", "č", "џ", "dž", "ш", "š")

// long writes the vowels of Nepali long.
var long = strings.NewReplacer("ि", "ी", "ु", "ू", "इ", "ई", "उ", "ऊ")

// spoken returns what a spelling says: letters and marks without the words for
// "and", which libraries and styles put in or leave out.
func spoken(words string, and []string) string {
	words = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune("\u200b\u200c\u200d\u00ad\u02bb\u02bc'’", r):
			return -1
		case unicode.IsLetter(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, norm.NFC.String(words))
	fields := slices.DeleteFunc(strings.Fields(words), func(w string) bool { return slices.Contains(and, w) })
	return strings.Join(fields, "")
}

// mainCardinal returns the set that numbers standing alone are said by.
func mainCardinal(f *Formatter) string {
	for _, set := range []string{"spellout-numbering", "spellout-cardinal", "spellout-cardinal-masculine", "spellout-cardinal-common"} {
		if f.Has(set) {
			return set
		}
	}
	i := slices.IndexFunc(f.Sets(), func(s string) bool { return strings.HasPrefix(s, "spellout-cardinal") })
	if i < 0 {
		return ""
	}
	return f.Sets()[i]
}

// TestAgreesWithOutside compares with the lists of libraries that derive their
// words from elsewhere. Where the two differ for good the floor is below one.
func TestAgreesWithOutside(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/outside/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lists: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".tsv")
		code, _, _ := strings.Cut(name, ".")
		code, region, _ := strings.Cut(code, "-")
		f := Of(lang.Tag{Code: lang.Code(code), Region: region})
		if f == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			against(t, f, name, file)
		})
	}
}

// against compares the numbers of one list that the formatter has words for.
func against(t *testing.T, f *Formatter, name, file string) {
	t.Helper()
	e := outside[name]
	set := e.set
	if set == "" {
		set = mainCardinal(f)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c tally
	for line := range strings.Lines(string(text)) {
		number, want, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		got, ok := f.Format(set, number)
		if !ok {
			continue
		}
		if name == "sr" {
			got = latin.Replace(got)
		}
		if name == "ne" { // Nepali has one i and one u, which are written in two ways each
			got, want = long.Replace(got), long.Replace(want)
		}
		c.add(spoken(got, e.and) == spoken(want, e.and), number+": "+got+" / "+want)
	}
	t.Logf("%s: %d of %d (%.3f), floor %.2f %s", name, c.same, c.all, c.share(), e.floor, e.why)
	if c.share() < e.floor {
		t.Errorf("%s agrees with the list in %.3f, want %.2f; first differences: %s", name, c.share(), e.floor, strings.Join(c.first, "; "))
	}
	if len(c.first) > 0 && testing.Verbose() {
		t.Log("  ", strings.Join(c.first, "\n   "))
	}
}

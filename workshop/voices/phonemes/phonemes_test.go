package phonemes

import (
	"math"
	"strings"
	"testing"

	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/engine/espeak/accent"
	"vaak/lang"
)

// TestPhonemesAreAsCounted counts again what languages of each kind of reading have. The
// golden lines of the languages are part of what is counted, and grow, so shares may move a
// little, and a rare phoneme may be new.
func TestPhonemesAreAsCounted(t *testing.T) {
	const common = 0.1 // percent of the phonemes; one so frequent must be in the table
	if testing.Short() {
		t.Skip("it reads long texts")
	}
	t.Chdir("../../..") // the root of the repository, where the program is run
	texts, err := runningTexts("lang/testdata/pieces.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	e, err := espeak.Open(espeak.Config{Worker: enginetest.Worker(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, code := range []lang.Code{"en", "hi", "ta", "pl", "zh", "ja", "he"} {
		c, err := countPhonemes(t.Context(), e, code, texts[code])
		if err != nil {
			t.Fatal(err)
		}
		share := func(p spelled) float64 { return 100 * float64(c.times[p]) / float64(c.total) }
		inTable := map[spelled]bool{}
		for _, p := range accent.Inventory(code) {
			counted := spelled{p.Mnemonic, p.IPA}
			inTable[counted] = true
			if got := share(counted); got == 0 || math.Abs(got-p.Share) > 1+p.Share/4 {
				t.Errorf("%s: %s [%s] is %.2f %% of the phonemes, the table has %.2f", code, p.Mnemonic, p.IPA, got, p.Share)
			}
		}
		for _, p := range c.phonemes() {
			if !inTable[p] && share(p) >= common {
				t.Errorf("%s: %s [%s] is %.2f %% of the phonemes, and not in the table", code, p.mnemonic, p.ipa, share(p))
			}
		}
	}
}

func TestSideBySide(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, ipa, mnemonics, wantX, wantY string }{
		{"alike", "h|ə|l", "h|@|l", "h ə l", "h @ l"},
		{"a pause", "h|ə", "h|@|_|", "h ə", "h @"},
		{"palatal", "n|ʲ|a", "n|;|a", "nʲ a", "n|; a"},
		{"palatal in one", "nʲ|a", "n|;|a", "nʲ a", "n|; a"},
		{"a silent mark", "a||n", "a|;|n", "a  n", "a ; n"},
		{"a glide", "k|a", "k|@-|a|_", "k a", "k a"},
		{"not alike", "k|a|t|a", "k|a", "", ""},
	} {
		x, y, ok := sideBySide(strings.Split(tt.ipa, "|"), strings.Split(tt.mnemonics, "|"))
		if got := strings.Join(x, " "); got != tt.wantX || strings.Join(y, " ") != tt.wantY || ok != (tt.wantX != "") {
			t.Errorf("%s: %q and %q, %v", tt.name, x, y, ok)
		}
	}
}

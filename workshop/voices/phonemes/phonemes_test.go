package phonemes

import (
	"strings"
	"testing"

	"vaak/engine/enginetest"
	"vaak/engine/espeak"
	"vaak/engine/espeak/accent"
	"vaak/lang"
)

// TestPhonemesAreAsCounted counts again what languages of each kind of reading have.
func TestPhonemesAreAsCounted(t *testing.T) {
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
		own, counted := accent.Inventory(code), c.phonemes()
		if len(own) != len(counted) {
			t.Errorf("%s: %d phonemes, the table has %d", code, len(counted), len(own))
			continue
		}
		for i, p := range own {
			if p.Mnemonic != counted[i].mnemonic || p.IPA != counted[i].ipa {
				t.Errorf("%s: phoneme %d is %v, the table has %s [%s]", code, i, counted[i], p.Mnemonic, p.IPA)
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

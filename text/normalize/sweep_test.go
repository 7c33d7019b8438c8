package normalize

import (
	"strings"
	"testing"
	"unicode"

	"vaak/lang"
	"vaak/text/normalize/cldr"
	"vaak/text/normalize/symbol"
)

// swept are the signs that no engine may get.
const swept = "/@#º_~〜～·²³•%‰°+=*^|\\<>&§©®™№€$£¥₹×÷±≠≤≥≈√∞→←µ½¼⅓¹⁵₂①Ⅳ℃♥★✓٪″′†…"

// TestNoSignLeft puts each sign into each place of a text of each language. No sign may be
// left but punctuation, and no digit.
func TestNoSignLeft(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		t.Run(string(l.Code), func(t *testing.T) {
			t.Parallel()
			word := cldr.ForRegion(lang.Tag{Code: l.Code}).Months[2]
			misses := 0
			for _, r := range swept {
				c := string(r)
				for _, frame := range []string{
					"S", "w S w", "wSw", "w S", "Sw", "5S", "S5", "5 S", "S 5", "5S5", "5 S 5", "wS5", "5Sw", "w S 5", "5 S w", "SS", "wSSw", "w SS w",
					"5SS5", "w SSS w", "(S)", "w (Sw)", "SwS", "w, S w.", "abc1S2d", "1S2S3", "ASB", "x5Sy6", "5,S", "5.S5", "12:30S", "₹5S", "5 kmS", "kmSh",
				} {
					s := strings.NewReplacer("S", c, "w", word).Replace(frame)
					out, _ := Run(s, l.Code, lang.Tag{})
					if left := leftSign(out); left != 0 && (l.Code != "ca" || left != '·') { // col·legi
						if misses++; misses < 8 {
							t.Errorf("Run(%q) = %q, which has %q", s, out, left)
						}
					}
				}
			}
			if misses > 0 {
				t.Errorf("%d texts", misses)
			}
		})
	}
}

// leftSign returns the first character of a text that an engine may not get, 0 for none.
func leftSign(s string) rune {
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) && r != 'º' && r != 'ª', unicode.IsMark(r), unicode.IsSpace(r), r == 0x200C, r == 0x200D, r == '۽', r == '۾':
		case !symbol.Punctuates(r):
			return r
		}
	}
	return 0
}

package rbnf

import (
	"strings"
	"testing"

	"vaak/lang"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code, region, set, number, want string
	}{
		{"en", "US", "spellout-cardinal", "0", "zero"},
		{"en", "US", "spellout-cardinal", "1234567", "one million two hundred thirty-four thousand five hundred sixty-seven"},
		{"en", "IN", "spellout-cardinal", "1234567", "twelve lakh thirty-four thousand five hundred sixty-seven"},
		{"en", "US", "spellout-cardinal", "-5", "minus five"},
		{"en", "US", "spellout-cardinal", "-0.50", "minus zero point five zero"},
		{"en", "US", "spellout-cardinal", "007", "seven"},
		{"en", "US", "spellout-ordinal", "121", "one hundred twenty-first"},
		{"en", "US", "spellout-ordinal", "-3", "minus third"},
		{"en", "US", "spellout-numbering-year", "2026", "twenty twenty-six"},
		{"en", "US", "spellout-numbering", "3.14", "three point one four"},
		{"en", "US", "spellout-numbering", "-Inf", "minus infinity"},
		{"de", "DE", "spellout-cardinal-masculine", "21", "einundzwanzig"},
		{"ru", "RU", "spellout-cardinal-masculine", "3.14", "три целых четырнадцать сотых"},
		{"bn", "IN", "spellout-cardinal", "7", "সাত"},
		{"en", "US", "spellout-cardinal", "1000000000000000000", ""},
		{"en", "US", "spellout-cardinal", "99999999999999999999", ""},
		{"en", "US", "spellout-ordinal", "2.5", ""},
		{"en", "US", "no-such-set", "2", ""},
		{"en", "US", "%2d-year", "2", ""},
		{"en", "US", "spellout-cardinal", strings.Repeat("9", 5000), ""},
		{"en", "US", "spellout-cardinal", "1." + strings.Repeat("9", 5000), ""},
		{"en", "US", "spellout-cardinal", strings.Repeat("0", 5000) + "9", "nine"},
		{"en", "IN", "spellout-cardinal", "10000000", "one crore"},
		{"hi", "IN", "spellout-cardinal", "12345678", "एक करोड़ तेईस लाख पैंतालीस हज़ार छह सौ अठहत्तर"},
		{"ro", "RO", "spellout-cardinal-feminine", "21000", "douăzeci și una de mii"},
		{"pl", "PL", "spellout-ordinal-masculine", "1950", "tysiąc dziewięćset pięćdziesiąty"},
		{"be", "BY", "spellout-cardinal-masculine", "1", "адзін"},
		{"sr", "RS", "spellout-cardinal-masculine", "3000000", "три милиона"},
		{"sl", "SI", "spellout-cardinal-masculine", "2000003", "dva milijona trije"},
		{"ar", "EG", "spellout-cardinal-masculine", "3000000", "ثلاثة ملايين"},
		{"am", "ET", "spellout-cardinal", "24", "ሃያ አራት"},
		{"ta", "IN", "spellout-cardinal", "1231", "ஆயிரத்து இருநூற்று முப்பத்து ஒன்று"},
		{"ta", "IN", "spellout-cardinal", "300000", "மூன்று லட்சம்"},
		{"nb", "NO", "spellout-cardinal-masculine", "2", "to"},
		{"en", "US", "spellout-cardinal", "", ""},
		{"en", "US", "spellout-cardinal", "-", ""},
		{"en", "US", "spellout-cardinal", "1.", ""},
		{"en", "US", "spellout-cardinal", "1,000", ""},
	} {
		f := Of(lang.Tag{Code: lang.Code(tt.code), Region: tt.region})
		if f == nil {
			t.Fatalf("Of(%s) = nil", tt.code)
		}
		got, ok := f.Format(tt.set, tt.number)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: Format(%q, %q) = %q, %v, want %q", tt.code, tt.set, tt.number, got, ok, tt.want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	tag := lang.Tag{Code: "fr", Region: "CH"}
	first := Of(tag)
	if first == nil {
		t.Fatalf("Of(%s) = nil", tag)
	}
	if again := Of(tag); again != first {
		t.Errorf("Of(%s) is made twice", tag)
	}
	if f := Of(lang.Tag{Code: "xx"}); f != nil {
		t.Errorf("Of(xx) has the sets %q, want nil", f.Sets())
	}
}

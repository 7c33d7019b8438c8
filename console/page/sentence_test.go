package page

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vaak/internal/fault"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ field, words, want string }{
		{"cap", "cap 5 is outside 1 to 9", "Characters a month 5 is outside 1 to 9."},
		{"rpm", `rpm "lots" is not a whole number`, `Requests a minute "lots" is not a whole number.`},
		{"rpm", `rpm "rpm" is not a whole number`, `Requests a minute "rpm" is not a whole number.`},
		{"expires", "expires 2020-01-02T00:00:00Z is not in the future", "The end 2020-01-02T00:00:00Z is not in the future."},
		{"label", "label is empty; 1 to 200 characters are needed", "Label is empty; 1 to 200 characters are needed."},
		{"label", `label "rpm auto_renew" has a control character`, `Label "rpm auto_renew" has a control character.`},
		{"label", `label "a\"auto_renew\"b" is odd`, `Label "a\"auto_renew\"b" is odd.`},
		{"renewal_plan", `renewal_plan "x" needs auto_renew`, `Renewed on "x" needs “Renew by a month whenever it ends”.`},
		{"rules", `only_languages holds "klingon"; did you mean "kn"?`, `“Only in” holds "klingon"; did you mean "kn"?`},
		{"capital", "capital letters", "Capital letters."},
		{"", "Nothing was saved. Tick the box!", "Nothing was saved. Tick the box!"},
		{"", "there is no key \"x\"", "There is no key \"x\"."},
		{"", `"x" holds bytes`, `"x" holds bytes.`},
		{"", "é is no letter of it…", "É is no letter of it…"},
		{"", "", ""},
	} {
		words, field := Sentence(fmt.Errorf("read: %w", fault.BadParameter(tt.field, "%s", tt.words)))
		if words != tt.want || field != tt.field {
			t.Errorf("Sentence(%q of %q) = %q of %q, want %q", tt.words, tt.field, words, field, tt.want)
		}
	}
	if words, field := Sentence(errors.New("disk /var is full")); strings.Contains(words, "disk") || field != "" {
		t.Errorf("the sentence of a fault of ours is %q of %q", words, field)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("cap 5", "cap")
	f.Add(`"\\" \xff _`, "")
	f.Fuzz(func(t *testing.T, words, field string) {
		if got := plain(words, field); words != "" && got == "" || plain(got, "") != got {
			t.Errorf("plain(%q, %q) = %q, and again %q", words, field, got, plain(got, ""))
		}
	})
}

package normalize

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/normalize/locale"
	"vaak/text/normalize/rbnf"
)

// setColumns are the columns of keys that name rule sets, which must exist.
var setColumns = map[string]int{
	"cardinal": 0, "counting": 0, "counting.noun": 1, "gender": 1, "ordinal": 0, "ordinal.suffix": 1, "ordinal.before": 1,
	"ordinal.after": 1, "ordinal.prefix": 1, "ordinal.noun": 1, "year": 0,
	"roman.ordinal": 1, "roman.after": 1,
}

// patternKeys are the keys whose patterns may name rule sets.
var patternKeys = strings.Fields("counter percent unit money time.24 time.24.hour fraction.other ordinal.pattern ordinal.suffix ordinal.prefix date date.day-month date.month-year " +
	"date.month-first date.month-first.day-month year.era decade time time.hour time.second time.12 time.12.hour roman.ordinal roman.after")

var field = regexp.MustCompile(`\{([a-z-]+)(?::([a-z0-9-]+))?\}`)

// fields are the names that patterns may hold.
var fieldNames = strings.Fields("a b c n f d m h s y r month month-alone period unit-h unit-m unit-s weekday date major minor -")

// TestLexicons says whether what lexicons name exists: rule sets, units of CLDR
// and fields.
func TestLexicons(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		for _, region := range []string{"", "US", "GB", "IN", "CH", "AT", "PT", "MX", "CA", "TW", "HK", "PK"} {
			tag := lang.Tag{Code: l.Code, Region: region}
			lex := locale.For(tag)
			if region != "" && lex == locale.Of(l.Code) {
				continue
			}
			checkSets(t, tag, lex)
			checkPatterns(t, tag, lex)
			checkUnits(t, tag, lex)
		}
	}
}

func checkSets(t *testing.T, tag lang.Tag, lex *locale.Lexicon) {
	t.Helper()
	num := rbnf.Of(tag)
	for key, column := range setColumns {
		for _, r := range lex.Rows(key) {
			if set := r.Value(column); set != "" && set != "+" && !strings.Contains(set, "{") && (num == nil || !num.Has(set)) {
				t.Errorf("%s: %s: no rule set %q", tag.Code, key, set)
			}
		}
	}
}

func checkPatterns(t *testing.T, tag lang.Tag, lex *locale.Lexicon) {
	t.Helper()
	num := rbnf.Of(tag)
	for _, key := range patternKeys {
		for _, r := range lex.Rows(key) {
			for _, m := range field.FindAllStringSubmatch(strings.Join(r, "\t"), -1) {
				if !slices.Contains(fieldNames, m[1]) {
					t.Errorf("%s: %s: no field {%s}", tag.Code, key, m[1])
				}
				if m[2] != "" && (num == nil || !num.Has(m[2])) {
					t.Errorf("%s: %s: no rule set %q", tag.Code, key, m[2])
				}
			}
		}
	}
}

func checkUnits(t *testing.T, tag lang.Tag, lex *locale.Lexicon) {
	t.Helper()
	q := For(tag).quantities
	for _, r := range lex.Rows("unit.symbol") {
		if !q.KnowsUnit(r.Value(1)) {
			t.Errorf("%s: unit.symbol %s: no unit %q", tag.Code, r[0], r.Value(1))
		}
	}
	for _, r := range lex.Rows("money.symbol") {
		if !q.KnowsCurrency(r.Value(1)) {
			t.Errorf("%s: money.symbol %s: no currency %q", tag.Code, r[0], r.Value(1))
		}
	}
	for _, r := range lex.Rows("money") {
		if len(r[0]) != 3 || strings.ToUpper(r[0]) != r[0] {
			t.Errorf("%s: money: %q is no ISO 4217 code", tag.Code, r[0])
		}
	}
}

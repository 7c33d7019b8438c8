package normalize

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/normalize/locale"
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
			checkSets(t, For(tag), lex)
			checkPatterns(t, For(tag), lex)
			checkUnits(t, For(tag), lex)
		}
	}
}

func checkSets(t *testing.T, n *Normalizer, lex *locale.Lexicon) {
	t.Helper()
	for key, column := range setColumns {
		for _, r := range lex.Rows(key) {
			if set := r.Value(column); set != "" && set != "+" && !strings.Contains(set, "{") && (n.num == nil || !n.num.Has(set)) {
				t.Errorf("%s: %s: no rule set %q", n.code, key, set)
			}
		}
	}
}

func checkPatterns(t *testing.T, n *Normalizer, lex *locale.Lexicon) {
	t.Helper()
	for _, key := range patternKeys {
		for _, r := range lex.Rows(key) {
			for _, m := range field.FindAllStringSubmatch(strings.Join(r, "\t"), -1) {
				if !slices.Contains(fieldNames, m[1]) {
					t.Errorf("%s: %s: no field {%s}", n.code, key, m[1])
				}
				if m[2] != "" && (n.num == nil || !n.num.Has(m[2])) {
					t.Errorf("%s: %s: no rule set %q", n.code, key, m[2])
				}
			}
		}
	}
}

func checkUnits(t *testing.T, n *Normalizer, lex *locale.Lexicon) {
	t.Helper()
	for _, r := range lex.Rows("unit.symbol") {
		if n.unitOf(r.Value(1)) == nil {
			t.Errorf("%s: unit.symbol %s: no unit %q", n.code, r[0], r.Value(1))
		}
	}
	for _, r := range lex.Rows("money.symbol") {
		if n.tables.coins[r.Value(1)] == nil {
			t.Errorf("%s: money.symbol %s: no currency %q", n.code, r[0], r.Value(1))
		}
	}
	for _, r := range lex.Rows("money") {
		if len(r[0]) != 3 || strings.ToUpper(r[0]) != r[0] {
			t.Errorf("%s: money: %q is no ISO 4217 code", n.code, r[0])
		}
	}
}

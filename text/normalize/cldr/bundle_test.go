package cldr

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"vaak/lang"
)

func TestSize(t *testing.T) {
	t.Parallel()
	if got, want := len(packed), 1_200_000; got > want {
		t.Errorf("extract has %d bytes, want at most %d", got, want)
	}
}

// Every segment inflates to the size that the index gives, and every record in
// it is one that the reader knows.
func TestSegments(t *testing.T) {
	t.Parallel()
	a := bundle()
	if len(a.entries) < 130 {
		t.Errorf("%d locales, want 130 or more", len(a.entries))
	}
	for name, e := range a.entries {
		text := inflate(e.segment, a.preset)
		if len(text) != e.segment.size || len(text) == 0 && e.base == "" {
			t.Errorf("%s inflates to %d bytes, want %d", name, len(text), e.segment.size)
		}
		if e.base != "" && (a.entries[e.base] == nil || a.entries[e.base].base != "") {
			t.Errorf("%s differs from %s, which is not whole", name, e.base)
		}
		for f := fields(text); len(f) > 0; {
			if key := f.next(); !known(key) {
				t.Errorf("%s has an unknown record %q", name, key)
			}
			f.next()
		}
	}
	for tag, name := range a.aliases {
		if a.entries[name] == nil || a.entries[tag] != nil {
			t.Errorf("alias %s of %s is of no use", tag, name)
		}
	}
}

func known(key string) bool {
	kind, _, keyed := strings.Cut(key, "/")
	if keyed {
		return slices.Contains([]string{"unit", "currency", "symbol"}, kind)
	}
	var l Locale
	return l.setNames(key, "") || l.text(key) != nil || slices.Contains([]string{"indian", "plural", "ordinal"}, key)
}

// Every language of the table has a locale of its own with what a reader of
// numbers cannot do without.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, row := range lang.All() {
		l := Of(row.Code)
		if l != Of(row.Code) || l == Of("") {
			t.Errorf("Of(%s) is not one locale of its own", row.Code)
		}
		if l.Decimal == "" || l.Group == "" || len(l.DateOrder) != 3 || l.LongDate == "" {
			t.Errorf("Of(%s) = %q %q %q %q, want symbols and patterns", row.Code, l.Decimal, l.Group, l.DateOrder, l.LongDate)
		}
		for _, names := range [][]string{l.Months[:], l.MonthsAlone[:], l.Days[:]} {
			if slices.Contains(names, "") {
				t.Errorf("Of(%s) has names %q, want all", row.Code, names)
			}
		}
	}
}

// english are words that only English text has among the names of units and
// currencies.
var english = strings.Fields("the of and dollars pounds rupees kilometers meters hours days years degrees seconds minutes feet parts dots sign arrow dash")

// No language carries English names: outside the Latin script none has a name
// all in Latin letters, within it none has English words, and none has root's.
func TestNoEnglish(t *testing.T) {
	t.Parallel()
	for name := range bundle().entries {
		code, _, _ := strings.Cut(name, "-")
		if code == "en" || name == root {
			continue
		}
		row, _ := lang.Lookup(lang.Code(code))
		latin := row.Scripts[0] == "Latn" && !strings.HasSuffix(name, "-Cyrl") || strings.HasSuffix(name, "-Latn")
		for _, text := range texts(bundle().locale(name)) {
			if !latin && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }) {
				t.Errorf("%s has %q, in Latin letters", name, text)
			}
			for _, word := range strings.Fields(text) {
				if latin && slices.Contains(english, word) && !allowed[code+" "+word] {
					t.Errorf("%s has %q, in English", name, text)
				}
			}
			if slices.Contains([]string{"AM", "PM", "BCE", "CE", "M01", "Sun"}, text) {
				t.Errorf("%s has %q of root", name, text)
			}
		}
	}
}

// allowed are words of other languages, or borrowed by them, that look English.
var allowed = map[string]bool{
	"fr dollars": true, "fr minutes": true, "nl of": true, "af of": true, "ca parts": true,
	"da pounds": true, "da rupees": true, "it and": true,
}

// Currency names that equal the English ones are few in any language.
func TestCurrenciesDifferFromEnglish(t *testing.T) {
	t.Parallel()
	en := Of("en").Currencies
	for _, row := range lang.All()[1:] {
		var same []string
		for code, forms := range Of(row.Code).Currencies {
			if strings.EqualFold(forms[Other], en[code][Other]) || forms[Other] == code {
				same = append(same, code)
			}
		}
		if len(same) > 6 {
			t.Errorf("%s names %s as English does", row.Code, slices.Sorted(slices.Values(same)))
		}
	}
}

// texts lists all names of a locale without the places of numbers.
func texts(l *Locale) []string {
	out := slices.Concat(l.Months[:], l.MonthsAlone[:], l.Days[:], l.DaysShort[:], []string{l.AM, l.PM, l.Noon, l.Midnight, l.BC, l.AD, l.Per})
	for _, u := range l.Units {
		out = append(out, slices.Collect(maps.Values(u.Forms))...)
		out = append(out, u.Per)
	}
	for _, f := range l.Currencies {
		out = append(out, slices.Collect(maps.Values(f))...)
	}
	out = append(out, slices.Collect(maps.Values(l.Symbols))...)
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// A damaged extract reads as one with less in it, without a panic.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(packed[:2000]), 0)
	f.Add([]byte("\x00\x00\x00\x00\x03und\x00\x02\x01x"), 3)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		a := open(string(data))
		if a.locale(root) == nil {
			t.Error("no root")
		}
		for name := range a.entries {
			if len(name) > len(data) || a.locale(name) == nil {
				t.Errorf("locale %q of %d bytes", name, len(data))
			}
		}
	})
}

func TestDecodeAllocations(t *testing.T) {
	a := bundle()
	for _, name := range []string{"en", "ru", "ar", "ta", "zh-Hant-HK"} {
		if n := testing.AllocsPerRun(5, func() { a.decode(a.entries[name]) }); n > 1500 {
			t.Errorf("decode(%s) allocates %v times, want at most 1500", name, n)
		}
	}
	if n := testing.AllocsPerRun(5, func() { Of("ru"); ForRegion(lang.Tag{Code: "ru"}) }); n > 2 {
		t.Errorf("Of and ForRegion allocate %v times, want at most 2", n)
	}
}

func BenchmarkDecode(b *testing.B) {
	a := bundle()
	for _, name := range []string{"en", "ru", "ar", "pl", "ta", "en-IN", "bho"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.decode(a.entries[name])
			}
		})
	}
}

func BenchmarkPlural(b *testing.B) {
	l := Of("ru")
	b.ReportAllocs()
	for b.Loop() {
		o, _ := NewOperands("1234567.50")
		l.Plural(o)
	}
}

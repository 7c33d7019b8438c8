package rbnf

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
	"vaak/text/normalize/cldr"
)

// FuzzParse takes any rules and any number: nothing may panic or run on, and the
// words are bounded and in NFC.
func FuzzParse(f *testing.F) {
	f.Add("%a: 0: =%b==%b=; %b: 0: =%a==%a=;", "0")
	f.Add("%a: x.x: [<< and ]>%%f>; 0: z; 1: o; 10: << >>>;%%f: 10: <%a<<; 1000: <0<;", "17.05")
	f.Add("%a: -x: m >>; 0: $(cardinal,one{x}other{y})$; 100/1000>>: [<<|>>];", "-99999999999999999999.1")
	f.Add("%a:\n0: z;\n1100>: << h[ >%a>];\nInf: i;NaN: n;", "18446744073709551615")
	for _, code := range []lang.Code{"en", "ja", "hu"} {
		f.Add(cldr.Of(code).Rules, "-1234567.89")
	}
	f.Fuzz(func(t *testing.T, rules, number string) {
		formatter, err := Parse(rules, cldr.Of("pl"))
		if err != nil {
			return
		}
		for _, set := range formatter.Sets() {
			words, ok := formatter.Format(set, number)
			if !ok && words != "" || len(words) > 2*maxWords {
				t.Fatalf("Format(%q, %q) = %d bytes, %v", set, number, len(words), ok)
			}
			if utf8.ValidString(rules) && !norm.NFC.IsNormalString(words) {
				t.Fatalf("Format(%q, %q) = %q, not in NFC", set, number, words)
			}
		}
	})
}

func BenchmarkFormat(b *testing.B) {
	for _, code := range []lang.Code{"en", "hi", "ta", "ru", "pl", "de", "ja"} {
		b.Run(string(code), func(b *testing.B) {
			f := Of(lang.Tag{Code: code})
			set := mainCardinal(f)
			b.ReportAllocs()
			for b.Loop() {
				f.Format(set, "7654321")
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, code := range []lang.Code{"en", "hi", "pl", "ru"} {
		b.Run(string(code), func(b *testing.B) {
			l := cldr.Of(code)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(l.Rules, l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

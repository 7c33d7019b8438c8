package frontend_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/frontend"
)

// written returns n code points of running text in a language that is full of
// numbers, dates, money and the like: its golden cases, one after another.
func written(tb testing.TB, code lang.Code, n int) string {
	tb.Helper()
	file, err := os.ReadFile(filepath.Join("..", "normalize", "testdata", "golden", string(code)+".tsv"))
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(file)) {
		if column := strings.Split(line, "\t"); len(column) > 2 {
			b.WriteString(column[1] + ". ")
		}
	}
	r := []rune(strings.Repeat(b.String(), 1+n/max(1, b.Len()/4)))
	return string(r[:min(n, len(r))])
}

// BenchmarkPrepare takes 5,000 characters of written forms through the whole
// chain, in every language.
func BenchmarkLanguages(b *testing.B) {
	frontend.Warm(lang.All())
	for _, l := range lang.All() {
		b.Run(string(l.Code), func(b *testing.B) {
			s := written(b, l.Code, 5000)
			for b.Loop() {
				p, err := frontend.New().Prepare(s, lang.Tag{Code: l.Code})
				if err != nil {
					b.Fatal(err)
				}
				for range p.Runs() {
				}
			}
		})
	}
}

// BenchmarkLatin takes 5,000 characters in Latin letters through the whole chain, whose
// languages are told word by word: romanised Hindi, English, and both with clauses of
// others.
func BenchmarkLatin(b *testing.B) {
	frontend.Warm(lang.All())
	for _, t := range []struct {
		name, text string
		hint       lang.Tag
	}{
		{"Hindi", "mere timer ko 5 minutes ke liye pause karo aur kal subah meeting ka reminder set kar dena. ", lang.Tag{}},
		{"HindiHinted", "mere timer ko 5 minutes ke liye pause karo aur kal subah meeting ka reminder set kar dena. ", lang.Tag{Code: "hi"}},
		{"English", "The quick brown fox jumps over the lazy dog, and nobody in the garden has ever seen it before. ", lang.Tag{}},
		{"Indonesian", "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama di depan hukum. ", lang.Tag{}},
		{"Clauses", "I already told you, no puedo salir esta noche porque mi madre está enferma, so we can talk tomorrow. ", lang.Tag{}},
	} {
		b.Run(t.name, func(b *testing.B) {
			s := strings.Repeat(t.text, 1+5000/len(t.text))[:5000]
			for b.Loop() {
				p, err := frontend.New().Prepare(s, t.hint)
				if err != nil {
					b.Fatal(err)
				}
				for range p.Runs() {
				}
			}
		})
	}
}

package frontend_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

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

// running returns n code points of running text in each language.
func running(tb testing.TB, n int) map[lang.Code]string {
	tb.Helper()
	file, err := os.Open(filepath.Join("..", "..", "lang", "testdata", "pieces.tsv.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	texts := map[lang.Code]string{}
	for line := range strings.Lines(string(all)) {
		code, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		r := []rune(strings.Repeat(text+" ", 1+n/max(1, utf8.RuneCountInString(text))))
		texts[lang.Code(code)] = string(r[:n])
	}
	return texts
}

// BenchmarkLanguages takes 5,000 characters through the whole chain, in every language: of
// written forms, one after another, and of running text. The metric cpu-ms/op is processor time, with
// that of the garbage collector, and so does not depend on what else runs.
func BenchmarkLanguages(b *testing.B) {
	frontend.Warm(lang.All())
	prose := running(b, 5000)
	for _, l := range lang.All() {
		for _, kind := range []struct{ name, text string }{{"forms", written(b, l.Code, 5000)}, {"prose", prose[l.Code]}} {
			if kind.text == "" {
				b.Fatalf("no %s in %s", kind.name, l.Code)
			}
			b.Run(string(l.Code)+"/"+kind.name, func(b *testing.B) {
				began := used(b)
				for b.Loop() {
					p, err := frontend.New().Prepare(kind.text, lang.Tag{Code: l.Code})
					if err != nil {
						b.Fatal(err)
					}
					for range p.Runs() {
					}
				}
				b.ReportMetric((used(b)-began).Seconds()*1e3/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// used returns the processor time of this process.
func used(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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

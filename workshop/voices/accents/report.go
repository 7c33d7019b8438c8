package accents

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"vaak/engine/espeak/accent"
	"vaak/lang"
	"vaak/workshop/voices/rig"
)

// results is what was measured of all pairs: by native language, then by the
// language that is spoken.
type results struct {
	natives, spoken []lang.Code
	pairs           []measured
	crashes         int64
	scenes          map[lang.Code]scene
}

// What English and Hindi must have in the voices of the languages of India and its
// neighbours, beside what every pair must.
const (
	indianMostCost = 0.3
	indianShortest = 0.75
	indianLongest  = 1.25
	indianFaint    = -20
)

// indian are the native languages of India and its neighbours: those that the
// language table has with India, Nepal and Sri Lanka, beside English.
var indian = []lang.Code{
	"hi", "bn", "ta", "te", "mr", "gu", "kn", "ml", "pa", "or", "as", "ur", "ne", "sd",
	"kok", "mai", "doi", "brx", "ks", "mni", "sat", "bho", "si",
}

// violations says in sentences what the pairs fail.
func (s results) violations() []string {
	var list []string
	fail := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if want := len(s.natives) * len(s.spoken); len(s.pairs) != want {
		fail("%d pairs, want %d", len(s.pairs), want)
	}
	if s.crashes > 0 {
		fail("%d children crashed or left text out", s.crashes)
	}
	for _, m := range s.pairs {
		for _, fault := range m.faults() {
			fail("%s in a voice of %s: %s", m.Spoken, m.Native, fault)
		}
	}
	return list
}

// faults says what a pair fails, spoken as its kind says.
func (m measured) faults() (list []string) {
	duration, silent := m.Duration, m.Silent
	if m.Kind == accent.Own {
		duration, silent = m.Plain, m.plain.silent()
	}
	if silent > 0 || len(m.plain.words) == 0 {
		list = append(list, fmt.Sprintf("%d words have no sound", silent))
	}
	if duration < accent.Shortest || duration > accent.Longest {
		list = append(list, fmt.Sprintf("it lasts %.2f times as long as in the language's own voice", duration))
	}
	if m.Names > 0 {
		list = append(list, fmt.Sprintf("%d letters are named", m.Names))
	}
	if m.isIndian() && m.Kind == accent.Mapped && (m.Missed > 0 || m.Cost > indianMostCost ||
		m.Duration < indianShortest || m.Duration > indianLongest || m.Faintest < indianFaint) {
		list = append(list, fmt.Sprintf("it is not spoken well: %d phonemes without a counterpart, cost %.2f, duration %.2f, faintest word %d dB", m.Missed, m.Cost, m.Duration, m.Faintest))
	}
	return list
}

// isIndian says whether a pair is English or Hindi in a voice of India or its
// neighbours.
func (m measured) isIndian() bool {
	return m.Native != m.Spoken && (m.Spoken == "en" || m.Spoken == "hi") && slices.Contains(indian, m.Native) ||
		m.Native == "en" && m.Spoken == "hi"
}

// count returns how many pairs are of a kind.
func (s results) count(k accent.Kind) (n int) {
	for _, m := range s.pairs {
		if m.Kind == k {
			n++
		}
	}
	return n
}

// share returns how many of the pairs of different languages are mapped.
func (s results) share() float64 {
	mapped, all := 0, 0
	for _, m := range s.pairs {
		if m.Native != m.Spoken {
			all++
			if m.Kind == accent.Mapped {
				mapped++
			}
		}
	}
	return float64(mapped) / float64(max(1, all))
}

// quantiles are those of a distribution that are printed.
var quantiles = []float64{0, 0.01, 0.05, 0.5, 0.95, 0.99, 1}

// distribution returns the quantiles of what was measured of the pairs that are
// spoken with other sounds than the language's own, or were to be.
func (s results) distribution(of func(measured) float64) []float64 {
	var x, q []float64
	for _, m := range s.pairs {
		if m.Kind != accent.Native {
			x = append(x, of(m))
		}
	}
	slices.Sort(x)
	for _, p := range quantiles {
		q = append(q, x[int(p*float64(len(x)-1))])
	}
	return q
}

// distributions are those that are printed.
var distributions = []struct {
	name, format string
	of           func(measured) float64
}{
	{"share without a counterpart, %", "%.1f", func(m measured) float64 { return 100 * float64(m.Missed) / float64(max(1, m.Sounds)) }},
	{"mean distance", "%.2f", func(m measured) float64 { return m.Cost }},
	{"duration against the language's own voice", "%.2f", func(m measured) float64 { return m.Duration }},
	{"level of the faintest word, dB", "%.0f", func(m measured) float64 { return float64(m.Faintest) }},
	{"phonemes heard", "%.0f", func(m measured) float64 { return float64(m.Segments) }},
}

// report prints what was measured, for a person.
func (s results) report(w io.Writer) {
	fmt.Fprintf(w, "\nEnglish and Hindi in voices of India and its neighbours\n%-7s %-6s %-7s %6s %5s %8s %8s\n", "native", "spoken", "kind", "missed", "cost", "duration", "faintest")
	for _, m := range s.pairs {
		if m.isIndian() {
			fmt.Fprintf(w, "%-7s %-6s %-7s %6d %5.2f %8.2f %8d\n", m.Native, m.Spoken, m.Kind, m.Missed, m.Cost, m.Duration, m.Faintest)
		}
	}
	fmt.Fprintf(w, "\n%-45s", "quantiles")
	for _, p := range quantiles {
		fmt.Fprintf(w, "%7.0f%%", 100*p)
	}
	fmt.Fprintln(w)
	for _, d := range distributions {
		fmt.Fprintf(w, "%-45s", d.name)
		for _, x := range s.distribution(d.of) {
			fmt.Fprintf(w, "%8s", fmt.Sprintf(d.format, x))
		}
		fmt.Fprintln(w)
	}
	if len(s.violations()) == 0 {
		fmt.Fprintf(w, "\n%d × %d pairs rendered: all audible, duration within 0.5-2 times the language's own voice, no letter names, no crash\n", len(s.natives), len(s.spoken))
	}
	fmt.Fprintf(w, "%d mapped, %d native, %d with the language's own phonemes; truly accented are %.1f %% of the pairs of different languages\n",
		s.count(accent.Mapped), s.count(accent.Native), s.count(accent.Own), 100*s.share())
}

// write writes the table, the picture and the part of the document under a root.
func (s results) write(root string) error {
	if err := os.WriteFile(filepath.Join(root, pairsPath), []byte(s.table()), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, mapPath), []byte(s.picture()), 0o644); err != nil {
		return err
	}
	return rig.WritePart(filepath.Join(root, rig.DocsPath), "accents", s.markdown())
}

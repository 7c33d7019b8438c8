// Package phonemes counts the phonemes that each language has of its own in running text, and
// makes the table of them.
package phonemes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"vaak/engine/espeak"
	"vaak/engine/espeak/accent"
	"vaak/lang"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

const phonemesPath = "engine/espeak/accent/phonemes.tsv"

// fewest is how often a phoneme occurs at the least to count as one of a
// language's own: a single one may be of a name.
const fewest = 2

// allophones are phonemes that occur in running text and must not stand for a
// sound of another language, with the reason.
var allophones = map[lang.Code]map[spelled]string{
	"en": {{"t#", "ɾ"}: "the flap of American English is heard as a d or an r outside of it"},
	"ko": {{"n'i", "nˈi"}: "a syllable that brings its own stress"},
}

// spelled is a phoneme as the library writes it.
type spelled struct{ mnemonic, ipa string }

// counted are the phonemes of one language.
type counted struct {
	code     lang.Code
	total    int
	times    map[spelled]int
	odd      int // words that IPA and mnemonics spell with different numbers of phonemes
	switched int // words of clauses with letters that another language's voice reads
}

// Measure counts the phonemes of running text and writes the table.
func Measure(ctx context.Context, o rig.Options, out, _ io.Writer) error {
	texts, err := runningTexts(o.Texts)
	if err != nil {
		return err
	}
	e, err := espeak.Open(espeak.Config{Worker: o.Worker})
	if err != nil {
		return err
	}
	defer e.Close()
	languages := lang.All()
	tables := make([]counted, len(languages))
	bar := rig.NewProgress(os.Stderr, "phonemes", len(languages))
	err = rig.ForEach(ctx, len(languages), func(ctx context.Context, i int) (err error) {
		tables[i], err = countPhonemes(ctx, e, languages[i].Code, texts[languages[i].Code])
		bar.Step()
		return err
	})
	bar.End()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(phonemesHeader)
	rows, total := 0, 0
	for _, t := range tables {
		for _, p := range t.phonemes() {
			if !accent.Known(t.code, p.ipa) {
				return fmt.Errorf("%s: phoneme %s is [%s], which package accent knows no sound of", t.code, p.mnemonic, p.ipa)
			}
			fmt.Fprintf(&b, "%s\t%s\t%s\t%.2f\n", t.code, p.mnemonic, p.ipa, 100*float64(t.times[p])/float64(t.total))
			rows++
		}
		total += t.total
		if t.odd > 0 || t.switched > 0 {
			fmt.Fprintf(out, "%s: of %d phonemes left out are %d words whose two spellings do not agree and %d of clauses that another voice reads in part\n", t.code, t.total, t.odd, t.switched)
		}
	}
	fmt.Fprintf(out, "%d phonemes of %d languages, counted in running text of %d\n", rows, len(tables), total)
	if !o.Write {
		return nil
	}
	return os.WriteFile(phonemesPath, []byte(b.String()), 0o644)
}

const phonemesHeader = `# The phonemes that occur in running text of each language.
#
# Made by "voices --write phonemes" from lang/testdata/pieces.tsv.gz, the spoken
# column of text/normalize/testdata/golden and voice/previews.tsv: the text in its
# engine form is read by the library in its own mnemonics and in IPA, and the two
# are put side by side. Left out are clauses that switch to another language's voice,
# phonemes that occur once, tones (zh, yue, vi), and allophones as listed in
# workshop/voices/phonemes/phonemes.go. The share is of all phonemes of the text, in percent.
# code	mnemonic	ipa	share
`

// mostGoldens is how many golden lines of a language are read. They are mostly numbers, and
// their files grow: all of them would make the shares those of the words of numbers.
const mostGoldens = 150

// runningTexts returns the text of every language.
func runningTexts(path string) (map[lang.Code]string, error) {
	texts, err := rig.ReadTexts(path)
	if err != nil {
		return nil, err
	}
	for _, l := range lang.All() {
		b, err := os.ReadFile(filepath.Join("text/normalize/testdata/golden", string(l.Code)+".tsv"))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		read := 0
		for line := range strings.Lines(string(b)) {
			if c := strings.Split(strings.TrimSpace(line), "\t"); len(c) >= 3 && !strings.HasPrefix(line, "#") && read < mostGoldens {
				texts[l.Code] += "\n" + c[2]
				read++
			}
		}
		texts[l.Code] += "\n" + voice.PreviewText(l.Code)
	}
	return texts, nil
}

// countPhonemes reads a text in both spellings.
func countPhonemes(ctx context.Context, e *espeak.Engine, code lang.Code, text string) (counted, error) {
	t := counted{code: code, times: map[spelled]int{}}
	inIPA, err := e.Read(ctx, code, text, false)
	if err != nil {
		return t, err
	}
	inMnemonics, err := e.Read(ctx, code, text, true)
	if err != nil {
		return t, err
	}
	for i, clause := range inIPA.Clauses {
		if i >= len(inMnemonics.Clauses) || len(inMnemonics.Clauses[i].Words) != len(clause.Words) {
			t.odd += len(clause.Words)
			continue
		}
		if n := accent.Switches(clause); n > 0 { // where the other voice ends is not told
			t.switched += len(clause.Words)
			continue
		}
		for j, word := range clause.Words {
			t.word(word, inMnemonics.Clauses[i].Words[j])
		}
	}
	return t, nil
}

// word counts the phonemes of a word.
func (t *counted) word(ipa, mnemonics string) {
	x, y, ok := sideBySide(strings.Split(ipa, "|"), strings.Split(mnemonics, "|"))
	if !ok {
		t.odd++
		return
	}
	for i := range x {
		p := spelled{strings.TrimLeft(y[i], "',%="), strings.TrimLeft(x[i], "ˈˌ")}
		if accent.Tonal(t.code) {
			p.mnemonic = strings.TrimRight(p.mnemonic, "0123456789")
			p.ipa = accent.Toneless(t.code, p.ipa)
		}
		if p.ipa == "" || strings.HasPrefix(p.mnemonic, "_") || strings.ContainsAny(p.mnemonic, "()") || !audible(p.ipa) {
			continue
		}
		t.times[p]++
		t.total++
	}
}

// audible says whether IPA has a sound of its own, not only a mark of the one
// before, as a pause of the library that is written as a figure.
func audible(ipa string) bool {
	r, _ := utf8.DecodeRuneInString(ipa)
	return r != 'ʲ' && (r < '0' || r > '9')
}

// phonemes returns those that are a language's own, the most frequent first.
func (t *counted) phonemes() []spelled {
	var all []spelled
	for p, n := range t.times {
		if _, not := allophones[t.code][p]; n >= fewest && !not {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b spelled) int {
		return cmp.Or(cmp.Compare(t.times[b], t.times[a]), cmp.Compare(a.mnemonic, b.mnemonic), cmp.Compare(a.ipa, b.ipa))
	})
	return all
}

// sideBySide puts the phonemes of a word in IPA beside the mnemonics. The library
// writes marks of its own only in mnemonics: what palatalizes the phoneme before
// (;), pauses (_) and glides into a vowel (@-).
func sideBySide(ipa, mnemonics []string) (x, y []string, ok bool) {
	if len(ipa) == len(mnemonics) {
		x, y = joinSoft(ipa, mnemonics)
		return x, y, true
	}
	heard := slices.DeleteFunc(slices.Clone(ipa), func(s string) bool { return strings.Trim(s, "ˈˌ") == "" })
	_, softened := joinSoft(mnemonics, mnemonics)
	for _, m := range [][]string{softened, mnemonics} {
		spoken := slices.DeleteFunc(slices.Clone(m), func(s string) bool { return s == "" || s[0] == '_' })
		full := slices.DeleteFunc(slices.Clone(spoken), func(s string) bool { return strings.Trim(s, "',") == "@-" })
		for _, pair := range [][2][]string{{ipa, m}, {heard, spoken}, {heard, full}} {
			if len(pair[0]) == len(pair[1]) {
				return pair[0], pair[1], true
			}
		}
	}
	return nil, nil, false
}

// joinSoft joins the mark that palatalizes a phoneme with that, where it is one
// that is heard: the library leaves it out of the IPA behind vowels.
func joinSoft(ipa, mnemonics []string) (x, y []string) {
	for i, m := range mnemonics {
		if n := len(y); m == ";" && n > 0 && ipa[i] != "" {
			y[n-1] += "|" + m
			if ipa[i] == "ʲ" {
				x[n-1] += ipa[i]
			}
			continue
		}
		x, y = append(x, ipa[i]), append(y, m)
	}
	return x, y
}

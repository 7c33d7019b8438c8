// Command languages writes docs/languages.md: how good each of the 80 languages is,
// judged by what the repository can measure.
//
//	reading    the kinds of written forms that have checked cases
//	           (text/normalize/testdata/golden)
//	sound      whether the voices have the phonemes of the language itself, and how
//	           many voices there are (package voice)
//	detection  the share of pieces of six words that are told right (package lang, on
//	           lang/testdata/pieces.tsv.gz)
//
// Run it from the root of the repository. A test fails when the page is not current.
package main

import (
	"bufio"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaak/lang"
	"vaak/voice"
)

// page is where the result goes, from the root of the repository.
const page = "docs/languages.md"

func main() {
	write := flag.Bool("write", false, "write "+page+" instead of printing it")
	flag.Parse()
	text, err := render(".")
	if err == nil && *write {
		err = os.WriteFile(page, []byte(text), 0o644)
	} else if err == nil {
		_, err = io.WriteString(os.Stdout, text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "languages:", err)
		os.Exit(1)
	}
}

// kinds are the kinds of written forms, as the golden cases name them.
var kinds = strings.Fields("cardinal ordinal decimal fraction percent date year time duration money measure telephone " +
	"digits electronic roman abbreviation acronym range ratio math address version symbol plain")

// quality is what was measured of a language.
type quality struct {
	lang.Language
	voices   int
	own      bool     // its voices have its own phonemes
	cases    int      // golden cases
	missing  []string // kinds without any
	detected float64  // share of pieces of six words, 0 to 1
}

// grade sums a quality up. The bounds are those that the page explains.
func (q quality) grade() string {
	switch {
	case !q.own || len(q.missing) > 6:
		return "basic"
	case len(q.missing) <= 1 && q.cases >= 60 && q.detected >= 0.95:
		return "strong"
	}
	return "good"
}

// render returns the page, made from the repository at root.
func render(root string) (string, error) {
	texts, err := pieces(filepath.Join(root, "lang/testdata/pieces.tsv.gz"))
	if err != nil {
		return "", err
	}
	var all []quality
	grades := map[string]int{}
	for _, l := range lang.All() {
		q := quality{Language: l, detected: detected(l.Code, texts[l.Code])}
		if q.cases, q.missing, err = read(filepath.Join(root, "text/normalize/testdata/golden", string(l.Code)+".tsv")); err != nil {
			return "", err
		}
		for _, v := range voice.All() {
			if v.Native == l.Code {
				q.voices, q.own = q.voices+1, v.NativeSource
			}
		}
		all = append(all, q)
		grades[q.grade()]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, head, len(kinds), grades["strong"], grades["good"], grades["basic"])
	for _, q := range all {
		fmt.Fprintf(&b, "| %s (`%s`) | %s | %s | %s | %.0f %% |\n", q.Name, q.Code, q.grade(), q.reading(), q.sound(), 100*q.detected)
	}
	b.WriteString(tail)
	return b.String(), nil
}

const head = `# Languages, and how good each is

This page is written by ` + "`make languages`" + ` from measurements. Three things decide how good a
language is:

- **Reading.** Written forms are of %d kinds: numbers, dates, times, money, measures, telephone
  numbers, abbreviations and so on. A kind counts when the language has checked cases of it.
  What has none is still read, by the general rules of the language.
- **Sound.** A language has its own phonemes, or it borrows those of a neighbour because the
  speech library has none for it. Borrowed sounds are understood, with an accent.
- **Detection.** The share of pieces of six words whose language is found when a request does
  not name it. A request that names it is not affected ([how it works](detection.md)).

| grade | what it means | languages |
|---|---|--:|
| strong | own sounds, at most one kind without cases, 60 cases or more, 95 %% detected or more | %d |
| good | own sounds, at most six kinds without cases | %d |
| basic | the rest: test it with your texts before you rely on it | %d |

A grade says what has been checked, not that every text is read right, and it does not
replace a listener. The cases come from grammars, CLDR and other sources that each
case names; no native speaker has judged the audio. The embedded engine is a formant
synthesizer: it is clear and fast, and it sounds like one.

| language | grade | reading: kinds without checked cases | voices | detected |
|---|---|---|---|--:|
`

const tail = `
Try any line: ` + "`bin/vaak text spoken --lang hi`" + ` prints how each line of its input is read.
To improve a language see "Add a language or its words" in
[CONTRIBUTING.md](../CONTRIBUTING.md).
`

func (q quality) reading() string {
	if len(q.missing) == 0 {
		return "none: all kinds are checked"
	}
	return strings.Join(q.missing, ", ")
}

func (q quality) sound() string {
	switch {
	case q.voices == 0:
		return "those of other languages"
	case !q.own:
		return fmt.Sprintf("%d, borrowed sounds", q.voices)
	}
	return fmt.Sprint(q.voices)
}

// read counts the golden cases of a file and lists the kinds that have none.
func read(file string) (cases int, missing []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, nil, err
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		class, _, _ := strings.Cut(line, "\t")
		kind, _, _ := strings.Cut(class, "@") // the region that a case is of stands behind it
		if !slices.Contains(kinds, kind) {
			return 0, nil, fmt.Errorf("%s: there is no kind %q", file, kind)
		}
		seen[kind] = true
		cases++
	}
	for _, k := range kinds {
		if !seen[k] {
			missing = append(missing, k)
		}
	}
	return cases, missing, nil
}

// pieces reads the test texts of detection, which the tables of package lang were not
// made from.
func pieces(file string) (map[lang.Code]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	texts := map[lang.Code]string{}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20) // a text is one line
	for s.Scan() {
		code, text, _ := strings.Cut(s.Text(), "\t")
		texts[lang.Code(code)] = text
	}
	return texts, s.Err()
}

// detected returns the share of pieces of a text that are told to be of its language: of
// six words, or of six characters where words are not written apart.
func detected(code lang.Code, text string) float64 {
	units, separator := strings.Fields(text), " "
	if code == "ja" || code == "zh" || code == "yue" {
		units, separator = strings.Split(text, ""), ""
	}
	const size = 6
	right, all := 0, 0
	for piece := range slices.Chunk(units, size) {
		if len(piece) < size {
			break // the remainder is shorter, so harder
		}
		all++
		if lang.Detect(strings.Join(piece, separator)) == code {
			right++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(right) / float64(all)
}

package main

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
	"vaak/lang/internal/gram"
)

// Words of a language that are kept, the most frequent: from a published list, and from text
// alone, whose rare words are mostly the trade's.
const (
	listedWords = 3000
	textWords   = 3000
)

// Frequencies that words get where nothing was counted.
const (
	everyday  = 4e-4 // of a word of everyday.tsv
	romanised = 4e-6 // in English, of an Indian word in Latin letters
	greeting  = 6e-3 // of a word of greetings.tsv
	trade     = 5e-4 // at most, of a word of a language without a published list: it is of the messages' trade
	listed    = 0.7  // weight of a published list relative to the text
)

// leastWord is the count below which a word of a text is taken for an accident.
const leastWord = 3

// listSize is the least size in words of what published lists were counted from.
const listSize = 10_000_000

// wordsOf returns the frequencies of the words of a language, and the number of words from
// which they were counted.
func (c counter) wordsOf(g gram.Group, code string) (m map[string]float64, size int) {
	m = map[string]float64{}
	text, size := c.textWords(g, code)
	ranked := c.ranked(g, code)
	if other := mixed[code]; other != "" {
		c.unmix(g, ranked, text, other)
	}
	for w, p := range text {
		if len(ranked) > 0 {
			p *= 1 - listed
		} else if utf8.RuneCountInString(w) == 1 {
			continue
		}
		m[w] = min(p, trade)
	}
	for i, w := range ranked {
		if w == "" {
			continue
		}
		m[w] += listed * zipf(i)
	}
	most := textWords
	if len(ranked) > 0 {
		most = listedWords
	}
	if code == "en" {
		most = 8000
	}
	keep(m, most)
	for i, w := range c.words[code] {
		if w := word(g, w); w != "" {
			m[w] = max(m[w], wordWeight/5/float64(i+8))
		}
	}
	for _, own := range []struct {
		words []string
		least float64
	}{{c.everyday[code], everyday}, {c.greetings[code], greeting}} {
		for _, w := range own.words {
			if w := word(g, w); w != "" {
				m[w] = max(m[w], own.least)
			}
		}
	}
	if len(ranked) > 0 {
		size = listSize
	}
	if code == "en" {
		for _, w := range c.romanised {
			if w := word(g, w); w != "" {
				m[w] = max(m[w], romanised)
			}
		}
		for i, words := range c.english {
			for _, w := range words {
				if w := word(g, w); w != "" {
					m[w] = max(m[w], rungs[min(i, len(rungs)-1)])
				}
			}
		}
	}
	return m, size
}

// mixed are the languages whose published list was made of text that is partly in another.
var mixed = map[string]string{"uk": "ru", "kk": "ru"}

// unmix empties the words of a list that the other language has and the text has not.
func (c counter) unmix(g gram.Group, ranked []string, text map[string]float64, other string) {
	theirs := map[string]bool{}
	for _, w := range c.ranked(g, other) {
		theirs[w] = true
	}
	for i, w := range ranked {
		if _, ours := text[w]; !ours && theirs[w] {
			ranked[i] = ""
		}
	}
}

// readLexicon returns the words of a lexicon of romanised words, in their own script and in Latin
// letters; none if there is no lexicon.
func readLexicon(name string) (words, romanised []string) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil
	}
	for line := range strings.Lines(string(b)) {
		w, latin, ok := strings.Cut(line, "\t")
		if ok && !strings.HasPrefix(line, "#") {
			words = append(words, w)
			romanised = append(romanised, strings.Fields(latin)...)
		}
	}
	return words, romanised
}

// rungs are the frequencies of the words in the lines of the English list of text/translit, the
// commoner words first.
var rungs = []float64{5e-5, 2e-5, 5e-6, 2e-6}

// readEnglish returns the English list, a line each.
func readEnglish(name string) (lines [][]string) {
	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close() // read only
	z, err := gzip.NewReader(f)
	if err != nil {
		log.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// keep deletes all but the most frequent words.
func keep(m map[string]float64, most int) {
	all := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
	for _, w := range all[min(len(all), most):] {
		delete(m, w)
	}
}

// textWords returns the frequencies of the words in a language's files. A long file counts for
// at most textCap bytes.
func (c counter) textWords(g gram.Group, code string) (m map[string]float64, size int) {
	m, sum := map[string]float64{}, 0.0
	files, _ := filepath.Glob(filepath.Join(c.texts, "text", code+".*.txt")) // the pattern is well formed
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		text := string(b[:min(len(b), 20*textCap)])
		weight := math.Min(1, 2*textCap/float64(len(text)))
		counts := map[string]float64{}
		for _, w := range splitWords(g, text) {
			counts[w]++
		}
		for w, n := range counts {
			if n >= leastWord {
				m[w] += n * weight
			}
			sum += n * weight
			size += int(n)
		}
	}
	for w := range m {
		m[w] /= sum
	}
	return m, size
}

// ranked returns a published list of words, the most frequent first; empty if there is none.
func (c counter) ranked(g gram.Group, code string) (list []string) {
	b, err := os.ReadFile(filepath.Join(c.texts, "lists", code))
	if err != nil {
		return nil
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if w := word(g, strings.TrimSpace(line)); w != "" && !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}

// word returns a word in lower case, or "" if it is not one word of the script.
func word(g gram.Group, s string) string {
	if w := splitWords(g, s); len(w) == 1 && utf8.RuneCountInString(w[0]) == utf8.RuneCountInString(s) {
		return w[0]
	}
	return ""
}

// splitWords returns the words of a script in a text, in lower case, as detection finds them.
func splitWords(g gram.Group, text string) []string {
	var (
		words []string
		w     []rune
	)
	for _, r := range text + " " {
		switch s := lang.ScriptOf(r); {
		case s == g.Script, s == "Zinh" && len(w) > 0:
			w = append(w, unicode.ToLower(r))
		case len(w) > 0:
			words = append(words, string(w))
			w = w[:0]
		}
	}
	return words
}

// groupWords writes the words of a script's languages; see writeWords.
func (c counter) groupWords(g gram.Group, to string) error {
	freq, sizes := map[string][]float64{}, make([]int, len(g.Codes))
	for i, code := range g.Codes {
		var words map[string]float64
		words, sizes[i] = c.wordsOf(g, code)
		for w, p := range words {
			if freq[w] == nil {
				freq[w] = make([]float64, len(g.Codes))
			}
			freq[w][i] = p
		}
	}
	return writeWords(g, freq, sizes, to)
}

// writeWords writes a word a line, then each language that has it with its frequency in units of
// 1e-7. The first line has no word, and the number of words that were counted for each language,
// if any.
func writeWords(g gram.Group, freq map[string][]float64, sizes []int, to string) (err error) {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	head := ""
	for i, size := range sizes {
		if size > 0 {
			head += fmt.Sprintf("\t%s%d", g.Codes[i], size)
		}
	}
	if _, err := fmt.Fprintln(z, head); err != nil {
		return err
	}
	for _, w := range slices.Sorted(maps.Keys(freq)) {
		line := w
		for i, p := range freq[w] {
			if n := math.Round(p / unit); n > 0 {
				line += fmt.Sprintf("\t%s%.0f", g.Codes[i], significant(n))
			}
		}
		if _, err := fmt.Fprintln(z, line); err != nil {
			return err
		}
	}
	return z.Close()
}

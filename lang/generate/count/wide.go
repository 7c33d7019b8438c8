package main

import (
	"bufio"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/lang/internal/gram"
)

// Words of the wide lists.
const leastWide = 1.5e-6 // the frequency from which a word is in them

// groupWide writes the wide lists of a script's languages in the format of groupWords: words that
// are too rare for those, but are known to be of a language. Where frequencies were published,
// these are taken, else the ranks of a published list.
func (c counter) groupWide(g gram.Group, to string) error {
	freq, sizes := map[string][]float64{}, make([]int, len(g.Codes))
	for i, code := range g.Codes {
		words := c.wideOf(g, code)
		if len(words) == 0 {
			continue
		}
		sizes[i] = listSize
		for w, p := range words {
			if freq[w] == nil {
				freq[w] = make([]float64, len(g.Codes))
			}
			freq[w][i] = p
		}
	}
	return writeWords(g, freq, sizes, to)
}

// wideOf returns the words of a language without names, with their frequencies; none if nothing
// was published. Names are the words that its spelling dictionary has with a capital letter only;
// where there is none, those that a few of the others have so. In German all nouns have one.
func (c counter) wideOf(g gram.Group, code string) map[string]float64 {
	m := c.frequent(g, code)
	if code == "de" {
		return m
	}
	own := c.names(code)
	for w := range m {
		n := 0
		for _, other := range g.Codes {
			if c.names(other)[w] {
				n++
			}
		}
		if own[w] || len(own) == 0 && n >= fewNames {
			delete(m, w)
		}
	}
	return m
}

// fewNames is the number of languages that have a word as a name from which on it is one in those
// that do not tell.
const fewNames = 3

// names returns the names in the dictionary of a language, in lower case.
func (c counter) names(code string) map[string]bool {
	if m, ok := c.namesOf[code]; ok {
		return m
	}
	m := map[string]bool{}
	c.namesOf[code] = m
	b, err := os.ReadFile(filepath.Join(c.texts, "names", code))
	if err != nil {
		return m // not each language has a dictionary
	}
	for w := range strings.Lines(string(b)) {
		m[strings.TrimSuffix(w, "\n")] = true
	}
	return m
}

// frequent returns the words of a language with their frequencies.
func (c counter) frequent(g gram.Group, code string) map[string]float64 {
	m := map[string]float64{}
	f, err := os.Open(filepath.Join(c.texts, "frequencies", code))
	if err != nil {
		if mixed[code] != "" {
			return nil // the list has words of another language
		}
		for i, w := range c.ranked(g, code) {
			if p := zipf(i); p >= leastWide {
				m[w] = p
			}
		}
		return m
	}
	defer f.Close() // read only
	for s := bufio.NewScanner(f); s.Scan(); {
		w, number, _ := strings.Cut(s.Text(), "\t")
		p, err := strconv.ParseFloat(number, 64)
		if err != nil {
			log.Fatalf("%s: %v", code, err)
		}
		if p >= leastWide && word(g, w) == w && utf8.RuneCountInString(w) > 1 {
			m[w] = p
		}
	}
	return m
}

// zipf returns the frequency of the word at a place in a published list, from 0: the law of Zipf
// and Mandelbrot, by which the sum over 10,000 words is about 1.
func zipf(place int) float64 { return 0.12 / (float64(place) + 2.7) }

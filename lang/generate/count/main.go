// Command count makes the word and gram frequencies in lang/generate/corpus from running text,
// which collect.py extracts from published packages.
//
// Usage: count [-words] [-wide] TEXTS CORPUS. TEXTS holds text/CODE.SOURCE.txt, with one sentence
// or message per line; grams/CODE, with one gram and its probability per line; lists/CODE, with
// one word per line, the most frequent first; frequencies/CODE, with one word and its frequency
// per line; and names/CODE, with one name per line. CORPUS holds words that we wrote: function words in
// words.tsv, others in everyday.tsv and greetings.tsv. The result is CORPUS/SCRIPT.tsv.gz with
// grams, CORPUS/SCRIPT.words.tsv.gz with words and CORPUS/SCRIPT.wide.tsv.gz with rarer words;
// -words makes only the latter two, and -wide only the last, from lists and frequencies.
package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaak/lang/internal/gram"
)

const (
	perLanguage = 2050 // grams kept for each language
	rare        = 2e-6 // lower frequencies indicate nothing
	unit        = 1e-7 // of the frequencies in the output
)

func main() {
	log.SetFlags(0)
	onlyWords := flag.Bool("words", false, "make only the words")
	onlyWide := flag.Bool("wide", false, "make only the rarer words")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: count [-words] [-wide] TEXTS CORPUS")
	}
	texts, corpus := flag.Arg(0), flag.Arg(1)
	c := counter{
		texts: texts, words: readWords(filepath.Join(corpus, "words.tsv")),
		everyday:  readWords(filepath.Join(corpus, "everyday.tsv")),
		greetings: readWords(filepath.Join(corpus, "greetings.tsv")), namesOf: map[string]map[string]bool{},
	}
	// Indian words in Latin letters count as English, in which they are told before text/translit
	// looks for them. Otherwise they go to languages with words that look alike.
	lists := filepath.Join(corpus, "../../../text/translit")
	c.english = readEnglish(filepath.Join(lists, "english.txt.gz"))
	for _, code := range slices.Sorted(maps.Keys(c.everyday)) {
		words, romanised := readLexicon(filepath.Join(lists, "lexicon", code+".tsv"))
		c.everyday[code] = append(c.everyday[code], words...)
		c.romanised = append(c.romanised, romanised...)
	}
	for _, code := range []string{"ta", "te", "kn", "ml", "gu", "pa"} { // they have scripts of their own
		_, romanised := readLexicon(filepath.Join(lists, "lexicon", code+".tsv"))
		c.romanised = append(c.romanised, romanised...)
	}
	for _, g := range gram.Groups() {
		if g.Edges && !*onlyWide {
			if err := c.groupWords(g, filepath.Join(corpus, g.Script+".words.tsv.gz")); err != nil {
				log.Fatal(err)
			}
		}
		if g.Edges {
			if err := c.groupWide(g, filepath.Join(corpus, g.Script+".wide.tsv.gz")); err != nil {
				log.Fatal(err)
			}
		}
		if *onlyWords || *onlyWide {
			continue
		}
		if err := c.group(g, filepath.Join(corpus, g.Script+".tsv.gz")); err != nil {
			log.Fatal(err)
		}
	}
}

// counter finds the texts of languages.
type counter struct {
	texts     string
	words     map[string][]string // function words by language
	everyday  map[string][]string // everyday words by language
	greetings map[string][]string // words of greetings by language
	romanised []string            // Indian words in Latin letters
	namesOf   map[string]map[string]bool
	english   [][]string // a list of English words, the commoner lines first
}

func (c counter) group(g gram.Group, to string) error {
	freq := map[string][]float64{} // by gram, then by language
	for i, code := range g.Codes {
		m, err := c.language(g, code)
		if err != nil {
			return err
		}
		for k, p := range m {
			if freq[k] == nil {
				freq[k] = make([]float64, len(g.Codes))
			}
			freq[k][i] = p
		}
	}
	return write(to, g, freq, choose(freq, len(g.Codes)))
}

// choose returns the grams that best distinguish a language from the others, sorted.
func choose(freq map[string][]float64, languages int) []string {
	type scored struct {
		gram  string
		score float64
	}
	kept := map[string]bool{}
	for i := range languages {
		var all []scored
		for k, f := range freq {
			mean := 0.0
			for _, p := range f {
				mean += p / float64(languages)
			}
			if s := f[i] * math.Log((f[i]+rare)/(mean+rare)); s > 0 {
				all = append(all, scored{k, s})
			}
		}
		slices.SortFunc(all, func(a, b scored) int {
			if a.score != b.score {
				return map[bool]int{true: -1, false: 1}[a.score > b.score]
			}
			return strings.Compare(a.gram, b.gram)
		})
		for _, s := range all[:min(len(all), perLanguage)] {
			kept[s.gram] = true
		}
	}
	list := make([]string, 0, len(kept))
	for k := range kept {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// write writes one line per gram: the gram, then each language that has it with its frequency,
// in units of 1e-7.
func write(to string, g gram.Group, freq map[string][]float64, grams []string) (err error) {
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
	for _, k := range grams {
		line := k
		for i, p := range freq[k] {
			if n := math.Round(p / unit); n >= 5 {
				line += fmt.Sprintf("\t%s%.0f", g.Codes[i], significant(n))
			}
		}
		if _, err := fmt.Fprintln(z, line); err != nil {
			return err
		}
	}
	return z.Close()
}

// significant rounds to two significant digits, which is all that the table needs.
func significant(n float64) float64 {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(n))-1))
	return math.Round(n/unit) * unit
}

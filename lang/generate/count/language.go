package main

import (
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
	"vaak/lang/internal/gram"
)

const (
	textCap    = 150_000 // the most bytes for which one source counts
	scarce     = 1.5     // lower counts are taken for accidents
	gramWeight = 2       // of published gram frequencies, relative to text
	wordWeight = 0.3     // of function words, relative to text
)

// source is a set of counted grams with its weight.
type source struct {
	counts map[string]float64
	totals [numKinds]float64
	weight float64
}

// language combines the sources of a language into the frequency of each gram among the grams
// of its kind.
func (c counter) language(g gram.Group, code string) (map[string]float64, error) {
	sources := []source{
		{c.text(g, code), [numKinds]float64{}, 1},
		{c.published(g, code), [numKinds]float64{}, gramWeight},
		{c.functionWords(g, code), [numKinds]float64{}, wordWeight},
	}
	for i := range sources {
		for k, n := range sources[i].counts {
			sources[i].totals[kind(k)] += n
		}
	}
	if sources[0].counts == nil {
		log.Printf("%s: no text", code)
	}
	m := map[string]float64{}
	for i, s := range sources {
		for k, n := range s.counts {
			if i == 0 && n < scarce {
				continue
			}
			kd, all := kind(k), 0.0
			for _, o := range sources {
				if o.totals[kd] > 0 {
					all += o.weight
				}
			}
			m[k] += s.weight / all * n / s.totals[kd]
		}
	}
	return m, nil
}

// Grams are compared within their kind: the kinds are lengths, with and without a word edge,
// and whole words.
const (
	wholeWord = 5
	numKinds  = 2 * (wholeWord + 1)
)

func kind(k string) int {
	n := min(utf8.RuneCountInString(k), wholeWord)
	if n < wholeWord && (k[0] == gram.Edge || k[len(k)-1] == gram.Edge) {
		n += wholeWord + 1
	}
	return n
}

// text counts the grams in a language's files. A long file counts for at most textCap bytes, so
// that no single source dominates.
func (c counter) text(g gram.Group, code string) map[string]float64 {
	m := map[string]float64{}
	files, _ := filepath.Glob(filepath.Join(c.texts, "text", code+".*.txt")) // the pattern is well formed
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		weight := math.Min(1, textCap/float64(len(b)))
		count(g, string(b[:min(len(b), 20*textCap)]), weight, m)
	}
	return m
}

// functionWords counts the function words of a language, the first with the highest weight.
func (c counter) functionWords(g gram.Group, code string) map[string]float64 {
	m := map[string]float64{}
	for i, w := range c.words[code] {
		count(g, w, 1/float64(i+8), m)
	}
	return m
}

func count(g gram.Group, text string, weight float64, m map[string]float64) {
	var w gram.Word
	flush := func() {
		w.Each(g.Edges, func(k []rune) { m[string(k)] += weight })
		w.Reset()
	}
	for _, r := range text {
		switch s := lang.ScriptOf(r); {
		case s == g.Script, s == "Zinh" && w.Len() > 0, g.Script == "Hani" && (s == "Hira" || s == "Kana"):
			w.Add(r)
		default:
			flush()
		}
	}
	flush()
}

// published reads gram frequencies that others have counted, which have no grams at word edges.
func (c counter) published(g gram.Group, code string) map[string]float64 {
	b, err := os.ReadFile(filepath.Join(c.texts, "grams", code))
	if err != nil || g.Script == "Deva" || !g.Edges { // too few of the languages have them
		return nil
	}
	m := map[string]float64{}
	for line := range strings.Lines(string(b)) {
		k, p, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		n, err := strconv.ParseFloat(p, 64)
		if err == nil && strings.IndexFunc(k, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) < 0 {
			m[k] += n
		}
	}
	return m
}

// readWords reads lines with a code and its words.
func readWords(name string) map[string][]string {
	b, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	m := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		if code, words, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			m[code] = strings.Fields(words)
		}
	}
	return m
}

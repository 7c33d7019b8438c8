package rig

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"vaak/lang"
)

// PerSet is how many sentences each of the two sets of a language has. With one,
// what is said counts for as much as who says it: the same voice is 2 dB from
// itself in the middle of all, with eight 0.8 dB.
const PerSet = 6

// Lengths of sentences, in code points: about 8 s of speech, 20 words of English.
const (
	spacedSentence = 120
	denseSentence  = 40 // of Chinese, Cantonese and Japanese, which set no spaces
)

// Sets are the sentences that a language is measured with: two sets that share
// none. They alternate through a text, so that both are about the same things.
type Sets struct{ A, B []string }

// Corpus holds the sentences by language.
type Corpus map[lang.Code]Sets

// ReadTexts reads a gzipped file of lines "code, tab, running text".
func ReadTexts(path string) (map[lang.Code]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	texts, err := parseTexts(unzipped)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return texts, nil
}

func parseTexts(r io.Reader) (map[lang.Code]string, error) {
	texts := map[lang.Code]string{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		code, text, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("line %.64q has no tab", lines.Text())
		}
		texts[lang.Code(code)] = text
	}
	return texts, lines.Err()
}

// ReadCorpus reads a file of running text and cuts it into sets.
func ReadCorpus(path string, PerSet int) (Corpus, error) {
	texts, err := ReadTexts(path)
	if err != nil {
		return nil, err
	}
	return newCorpus(texts, PerSet)
}

func newCorpus(texts map[lang.Code]string, PerSet int) (Corpus, error) {
	c := Corpus{}
	for code, text := range texts {
		pieces := sentences(text)
		if len(pieces) < 2*PerSet {
			return nil, fmt.Errorf("%s has text for %d sentences, want %d", code, len(pieces), 2*PerSet)
		}
		var s Sets
		for i, piece := range pieces[:2*PerSet] {
			if i%2 == 0 {
				s.A = append(s.A, piece)
			} else {
				s.B = append(s.B, piece)
			}
		}
		c[code] = s
	}
	return c, nil
}

// sentences cuts a text into pieces of one length, whatever it has of stops: an
// engine speaks each as a sentence. What is left at the end is dropped.
func sentences(text string) []string {
	var out []string
	if words := strings.Fields(text); utf8.RuneCountInString(text) < 20*len(words) {
		var line []string
		length := 0
		for _, w := range words {
			line = append(line, w)
			if length += utf8.RuneCountInString(w) + 1; length >= spacedSentence {
				out = append(out, strings.Join(line, " "))
				line, length = nil, 0
			}
		}
		return out
	}
	runes := []rune(text)
	for ; len(runes) >= denseSentence; runes = runes[denseSentence:] {
		out = append(out, string(runes[:denseSentence]))
	}
	return out
}

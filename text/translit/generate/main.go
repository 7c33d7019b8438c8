// Command generate makes text/translit/letters.bin.gz, by which languages in Latin letters
// are told apart by their letters. Run it with
//
//	go generate ./text/translit
//
// The output is the same in every run.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"log"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
	"vaak/text/translit"
	"vaak/text/translit/letters"
)

// elsewhere are the languages that are no Indian ones and not English.
var elsewhere = []string{"id", "tr", "es", "it", "pt", "fr", "de", "nl", "sw", "hr", "pl", "ro", "eu", "sq", "fi", "sv", "hu", "vi", "uz"}

// quarter is a quarter of a nat in steps.
const quarter = letters.Step / 4

func main() {
	log.SetFlags(0)
	models := new(letters.Models)
	for i, code := range translit.Codes() {
		models.Fill(i, indian(code))
	}
	n := len(translit.Codes())
	models.Fill(n, english())
	for i, c := range others() {
		models.Fill(n+1+i, c)
	}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	check(err)
	// A lane after the other, in quarters of a nat: that packs better, and tells as much.
	for lane := range n + 1 + len(elsewhere) {
		row := make([]byte, len(models))
		for i := range models {
			row[i] = models[i][lane] / quarter
		}
		_, err := zip.Write(row)
		check(err)
	}
	check(zip.Close())
	check(os.WriteFile("letters.bin.gz", out.Bytes(), 0o666))
	check(os.WriteFile("listed.bin", listed(), 0o666))
}

// mostListed is the number of frequent words of each language that count as evidence of it.
const mostListed = 4000

// listed returns the hashes of the skeletons of the frequent words, in order, each as its
// distance from the one before, with a bit for each language that has it.
func listed() []byte {
	languages := map[uint32]uint64{}
	for i, code := range translit.Codes() {
		n := 0
		for word := range strings.Lines(string(unzip("words/" + string(code) + ".txt.gz"))) {
			typed := translit.Typed(code, strings.TrimSpace(word))
			if len(typed) == 0 || n == mostListed {
				continue
			}
			if h, ok := translit.Skeleton(code, typed[0]); ok {
				languages[h] |= 1 << i
				n++
			}
		}
	}
	var out []byte
	before := uint32(0)
	for _, h := range slices.Sorted(maps.Keys(languages)) {
		out = binary.AppendUvarint(out, uint64(h-before))
		out = binary.AppendUvarint(out, languages[h])
		before = h
	}
	return out
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func unzip(name string) []byte {
	f, err := os.ReadFile(name)
	check(err)
	z, err := gzip.NewReader(bytes.NewReader(f))
	check(err)
	all, err := io.ReadAll(z)
	check(err)
	return all
}

// indian counts the ways to type the words of a language: those of its lexicon, and of its
// list of words, where frequent ones count more. Urdu is typed as Hindi is.
func indian(code lang.Code) *letters.Counts {
	c := new(letters.Counts)
	lists := []lang.Code{code}
	if code == "ur" {
		lists = append(lists, "hi")
	}
	for _, code := range lists {
		file, err := os.ReadFile("lexicon/" + string(code) + ".tsv")
		check(err)
		for line := range strings.Lines(string(file)) {
			column := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			typed := []string(nil)
			if len(column) > 1 {
				typed = strings.Fields(column[1])
			} else {
				typed = translit.Typed(code, column[0])
			}
			for _, t := range typed {
				c.Take(t, 6)
			}
		}
		rank := 0
		for word := range strings.Lines(string(unzip("words/" + string(code) + ".txt.gz"))) {
			rank++
			weight := 3 - math.Log10(float64(rank))/2 // from 3 to 1
			for k, t := range translit.Typed(code, strings.TrimSpace(word)) {
				c.Take(t, float32(weight)/float32(k+1))
			}
		}
	}
	return c
}

// english counts a word 1, 2 or 4 times by its rank, as English texts have frequent words
// more often. Names are no English words.
func english() *letters.Counts {
	c := new(letters.Counts)
	weight := float32(4)
	for line := range strings.Lines(string(unzip("english.txt.gz"))) {
		if weight < 1 {
			break
		}
		for word := range strings.FieldsSeq(line) {
			c.Take(word, weight)
		}
		weight /= 2
	}
	return c
}

// others returns the counts of the languages from elsewhere. Letters lose their marks, as
// they do when a word is looked up.
func others() []*letters.Counts {
	all := make([]*letters.Counts, len(elsewhere))
	for i := range all {
		all[i] = new(letters.Counts)
	}
	s := bufio.NewScanner(bytes.NewReader(unzip("../../lang/generate/corpus/Latn.tsv.gz")))
	for s.Scan() {
		column := strings.Split(s.Text(), "\t")
		gram := plain(column[0])
		if utf8.RuneCountInString(column[0]) != 3 || len(gram) != 3 {
			continue
		}
		for _, e := range column[1:] {
			code := strings.TrimRightFunc(e, unicode.IsDigit)
			if i := slices.Index(elsewhere, code); i >= 0 {
				n, err := strconv.Atoi(e[len(code):])
				check(err)
				all[i].TakeGram(gram, float32(n)/20)
			}
		}
	}
	check(s.Err())
	return all
}

func plain(gram string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(gram) {
		if r == 'ı' {
			r = 'i'
		}
		if r == '_' || 'a' <= r && r <= 'z' {
			b.WriteRune(r)
		}
	}
	return b.String()
}

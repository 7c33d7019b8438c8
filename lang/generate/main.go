// Command generate makes lang/grams.bin, the table that tells languages of one script apart,
// from the gram frequencies in corpus. Run it with
//
//	go generate ./lang
//
// The output is the same in every run. lang/grams.go describes its layout.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/lang/internal/gram"
)

const (
	unit     = 1e-7 // of the frequencies in corpus
	rare     = 2e-6 // the frequency from which a gram indicates something
	rareWord = 2e-8 // the frequency of a word that is in no list of a language
	unseen   = 0.1  // how often a word occurs that is not among so many words of text
	step     = 0.75 // nats of one level
	wordStep = 1.0  // nats of one level of a word
	levels   = 15
	least    = 2 // lower levels are noise
)

func main() {
	log.SetFlags(0)
	b, err := table("generate/corpus")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("grams.bin", b, 0o666); err != nil {
		log.Fatal(err)
	}
}

// table makes the whole file: the number of groups, a header for each, and what the headers
// point to.
func table(corpus string) ([]byte, error) {
	groups := gram.Groups()
	head, size := []byte{byte(len(groups))}, 1
	for _, g := range groups {
		size += 4 + 1 + 2*(1+4+4)
		for _, c := range g.Codes {
			size += 1 + len(c) + 1
		}
	}
	var body []byte
	for _, g := range groups {
		rows, err := readGrams(filepath.Join(corpus, g.Script+".tsv.gz"), g)
		if err != nil {
			return nil, err
		}
		words, missing, err := readWords(corpus, g)
		if err != nil {
			return nil, err
		}
		head = append(head, g.Script...)
		head = append(head, byte(len(g.Codes)))
		for i, c := range g.Codes {
			head = append(head, byte(len(c)))
			head = append(head, c...)
			head = append(head, missing[i])
		}
		for _, part := range [][]row{rows, words} {
			bits, index, data := pack(part)
			head = append(head, byte(bits))
			head = binary.LittleEndian.AppendUint32(head, uint32(size+len(body)))
			body = append(body, index...)
			head = binary.LittleEndian.AppendUint32(head, uint32(size+len(body)))
			body = append(body, data...)
		}
	}
	if len(head) != size {
		return nil, fmt.Errorf("headers have %d bytes, reckoned with %d", len(head), size)
	}
	return append(head, body...), nil
}

// row is a gram with the levels of the languages that have it.
type row struct {
	hash   uint32
	total  int // of the frequencies of all languages, in units
	levels []byte
	scarce bool // it is in the wide lists alone
}

// readWords reads the words of a group, and the names that are no evidence, which have no levels.
// It also returns the level, for each language, of words that only others have. Scripts without
// word edges have no words.
func readWords(corpus string, g gram.Group) (rows []row, missing []byte, err error) {
	missing = make([]byte, len(g.Codes))
	if !g.Edges {
		return nil, missing, nil
	}
	freq, sizes, err := frequencies(filepath.Join(corpus, g.Script+".words.tsv.gz"), g)
	if err != nil {
		return nil, nil, err
	}
	wide, wideSizes, err := frequencies(filepath.Join(corpus, g.Script+".wide.tsv.gz"), g)
	if err != nil {
		return nil, nil, err
	}
	scarce := map[string]bool{}
	en := slices.Index(g.Codes, "en")
	for w, f := range wide { // each language keeps the frequencies that it has
		if freq[w] == nil {
			if en >= 0 {
				f[en] = 0 // English has all its words from its own list
			}
			if among(f) < everywhere {
				freq[w], scarce[w] = f, true
			}
			continue
		}
		for i, n := range f {
			if freq[w][i] == 0 && g.Codes[i] != "en" && (en < 0 || quoted*n > max(freq[w][en], f[en])) {
				freq[w][i] = n
			}
		}
	}
	lowerEnglish(freq, wide, g)
	for i, n := range sizes {
		missing[i] = byte(math.Round(math.Log(1+unseen/float64(max(n, wideSizes[i]))/rareWord) / wordStep))
	}
	b, err := os.ReadFile(filepath.Join(corpus, "names.tsv"))
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(b)) {
		if script, names, _ := strings.Cut(line, "\t"); script == g.Script {
			for _, n := range strings.Fields(names) {
				freq[n] = nil
			}
		}
	}
	for _, w := range slices.Sorted(maps.Keys(freq)) {
		r := newRow(string(gram.Edge)+w+string(gram.Edge), freq[w], rareWord, wordStep)
		r.scarce = scarce[w] && freq[w] != nil
		if len(r.levels) > 0 || freq[w] == nil {
			rows = append(rows, r)
		}
	}
	return rows, missing, nil
}

// lowerEnglish lowers words that the list of English words has, without a frequency of their own,
// to the published frequency.
func lowerEnglish(freq, wide map[string][]int, g gram.Group) {
	en := slices.Index(g.Codes, "en")
	if en < 0 {
		return
	}
	for w, f := range freq {
		if f != nil && slices.Contains(listFrequencies, f[en]) {
			published := leastEnglish
			if wide[w] != nil {
				published = max(published, wide[w][en])
			}
			f[en] = min(f[en], published)
		}
	}
}

// listFrequencies are what the command in count gives the words of the English list, and
// leastEnglish is that of a word of which none is published, all in units.
var listFrequencies = []int{500, 200, 50, 20}

const leastEnglish = 20

// quoted is how much more frequent an English word is in English than in a language whose texts
// quote it.
const quoted = 10

// everywhere is the number of languages of a script that have a word in their wide lists alone
// from which on it is taken for a name or an international word, and left out.
const everywhere = 9

// among returns how many languages have a word.
func among(freq []int) (n int) {
	for _, f := range freq {
		if f > 0 {
			n++
		}
	}
	return n
}

// readGrams reads the grams of a group.
func readGrams(name string, g gram.Group) (rows []row, err error) {
	freq, _, err := frequencies(name, g)
	if err != nil {
		return nil, err
	}
	for _, w := range slices.Sorted(maps.Keys(freq)) {
		if g.Edges && utf8.RuneCountInString(w) < gram.Shortest {
			continue
		}
		if r := newRow(w, freq[w], rare, step); len(r.levels) > 0 {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// newRow returns the row of a gram with its frequencies in units.
func newRow(s string, units []int, rare, step float64) row {
	freq, total := make([]float64, len(units)), 0
	for i, n := range units {
		freq[i] = float64(n) * unit
		total += n
	}
	return row{hash: gram.Hash([]rune(s)), total: total, levels: encode(freq, rare, step)}
}

// frequencies reads a file of grams or words: for each, the frequency in each language of the
// group, in units, and of words the number that was counted for each language.
func frequencies(name string, g gram.Group) (freq map[string][]int, sizes []int, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	freq = map[string][]int{}
	s := bufio.NewScanner(z)
	for s.Scan() {
		f := strings.Split(s.Text(), "\t")
		of := make([]int, len(g.Codes))
		for _, e := range f[1:] {
			code := strings.TrimRightFunc(e, unicode.IsDigit)
			i := slices.Index(g.Codes, code)
			n, err := strconv.Atoi(e[len(code):])
			if i < 0 || err != nil {
				return nil, nil, fmt.Errorf("%s: %q", name, s.Text())
			}
			of[i] = n
		}
		if f[0] == "" {
			sizes = of
			continue
		}
		freq[f[0]] = of
	}
	return freq, sizes, s.Err()
}

// encode encodes levels, one byte per language that has one: in the high half how many
// languages to skip, in the low half the level. A byte with level 0 skips 15 languages and one
// more.
func encode(freq []float64, rare, step float64) []byte {
	var b []byte
	gap := 0
	for _, p := range freq {
		level := min(int(math.Round(math.Log(1+p/rare)/step)), levels)
		if level < least {
			gap++
			continue
		}
		for ; gap > 15; gap -= 16 {
			b = append(b, 15<<4)
		}
		b = append(b, byte(gap<<4|level))
		gap = 0
	}
	return b
}

// pack sorts rows into buckets by the first bits of their hash, the most frequent first, and
// writes each row: the last 16 bits of the hash, a length with a bit for scarce words, and the levels. The index has the
// start of each bucket and the end of the last.
func pack(rows []row) (bits int, index, data []byte) {
	for bits = 1; 1<<bits < len(rows)/4; bits++ {
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.hash>>(32-bits), b.hash>>(32-bits)),
			-cmp.Compare(a.total, b.total), cmp.Compare(a.hash, b.hash), bytes.Compare(a.levels, b.levels))
	})
	r := 0
	for bucket := range uint32(1 << bits) {
		index = binary.LittleEndian.AppendUint32(index, uint32(len(data)))
		for ; r < len(rows) && rows[r].hash>>(32-bits) == bucket; r++ {
			data = binary.LittleEndian.AppendUint16(data, uint16(rows[r].hash))
			n := byte(len(rows[r].levels))
			if rows[r].scarce {
				n |= 0x80
			}
			data = append(data, n)
			data = append(data, rows[r].levels...)
		}
	}
	return bits, binary.LittleEndian.AppendUint32(index, uint32(len(data))), data
}

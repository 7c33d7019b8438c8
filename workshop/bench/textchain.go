package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"vaak/lang"
	"vaak/text/frontend"
)

// The limits of the text chain.
const (
	chainLimit     = 5 * time.Millisecond  // 5,000 characters in any language
	detectionLimit = 50 * time.Microsecond // 100 characters
	tablesLimit    = 40.0                  // MB of heap with every language's tables
)

// reading is what the text chain took in one language.
type reading struct {
	code           lang.Code
	prose          time.Duration // 5,000 characters of running text
	whole          time.Duration // 5,000 characters that are full of numbers
	opening, short time.Duration // until the first run is ready, of 5,000 and of 200
	detection      time.Duration // 100 characters
}

// textChain measures what happens to a text before an engine sees it, in this
// process and on one core.
func textChain(ctx context.Context, b *bench) ([]part, error) {
	empty := liveHeap()
	began := time.Now()
	frontend.Warm()
	warm, grown := time.Since(began), float64(liveHeap()-empty)/1e6
	running, err := runningTexts(5000)
	if err != nil {
		return nil, err
	}
	var all []reading
	for _, l := range lang.All() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := readIn(l.Code, running[l.Code], b.plan.rounds)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	slowest := slices.MaxFunc(all, func(a, b reading) int { return int(a.detection - b.detection) })
	plain := slices.MaxFunc(all, func(a, b reading) int { return int(a.prose - b.prose) })
	slices.SortFunc(all, func(a, b reading) int { return int(b.whole - a.whole) })
	atMost(&b.report, "text chain, 5,000 characters of running text, slowest language ("+string(plain.code)+")", plain.prose, chainLimit, millis)
	atMost(&b.report, "text chain, 5,000 characters full of numbers, slowest language ("+string(all[0].code)+")", all[0].whole, chainLimit, millis)
	atMost(&b.report, "language detection, 100 characters, slowest ("+string(slowest.code)+")", slowest.detection, detectionLimit, millis)
	atMost(&b.report, "tables of all languages, MB", grown, tablesLimit, whole)
	out := &table{header: []string{"language", "5,000 characters of numbers", "of running text", "until the first run of 5,000", "of 200", "detection of 100"}}
	for _, r := range append(slices.Clone(all[:8]), all[len(all)/2], all[len(all)-1]) {
		out.add(string(r.code), millis(r.whole), millis(r.prose), millis(r.opening), millis(r.short), micros(r.detection)+" µs")
	}
	return []part{
		prose("What a text goes through before an engine sees it: language, runs, numbers and signs in words. Running text is the Universal Declaration of Human Rights or sentences of ours; " +
			"the other texts are the golden cases of each language one after another, in which nearly every word is a number, a date or a price. The slowest eight of 80 languages, the median one and the fastest. " +
			fmt.Sprintf("Reading the tables of all languages, as the server does when it starts, took %s and %.1f MB.", millis(warm), grown)),
		out,
	}, nil
}

// readIn takes medians over rounds.
func readIn(code lang.Code, running string, rounds int) (reading, error) {
	long, err := goldenText(code, 5000)
	if err != nil {
		return reading{}, err
	}
	runes := []rune(long)
	front, tag := frontend.New(), lang.Tag{Code: code}
	open := func(text string) (frontend.Prepared, time.Duration, error) {
		began := time.Now()
		p, err := front.Prepare(text, tag)
		return p, time.Since(began), err
	}
	var prose, whole, opening, short, detection []time.Duration
	for range max(rounds, 3) * 3 {
		began := time.Now()
		p, _, err := open(running)
		if err != nil {
			return reading{}, err
		}
		for range p.Runs() {
		}
		prose = append(prose, time.Since(began))
		began = time.Now()
		p, first, err := open(long)
		if err != nil {
			return reading{}, err
		}
		for range p.Runs() {
		}
		whole, opening = append(whole, time.Since(began)), append(opening, first)
		if _, first, err = open(string(runes[:200])); err != nil {
			return reading{}, err
		}
		short = append(short, first)
		began = time.Now()
		lang.Detect(string(runes[:100]))
		detection = append(detection, time.Since(began))
	}
	return reading{code, median(prose), median(whole), median(opening), median(short), median(detection)}, nil
}

// goldenText returns n code points of the written forms of a language's golden
// cases.
func goldenText(code lang.Code, n int) (string, error) {
	file, err := os.ReadFile(filepath.Join("text", "normalize", "testdata", "golden", string(code)+".tsv"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(string(file)) {
		if columns := strings.Split(line, "\t"); len(columns) > 2 {
			b.WriteString(columns[1] + ". ")
		}
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("there are no golden cases of %s", code)
	}
	return repeated(b.String(), n), nil
}

// runningTexts returns n code points of running text of each language: those on
// which its detection is tested.
func runningTexts(n int) (map[lang.Code]string, error) {
	file, err := os.Open(filepath.Join("lang", "testdata", "pieces.tsv.gz"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	texts := map[lang.Code]string{}
	for line := range strings.Lines(string(all)) {
		if code, text, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			texts[lang.Code(code)] = repeated(text+". ", n)
		}
	}
	return texts, nil
}

// repeated returns n code points of a text over and over.
func repeated(text string, n int) string {
	runes := []rune(text)
	for len(runes) < n {
		runes = append(runes, runes...)
	}
	return string(runes[:n])
}

// liveHeap returns the bytes that live on the heap.
func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

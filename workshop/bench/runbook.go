package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// runbookSlack is by which part of a measured figure that of the runbook may differ. A test of
// cmd/vaak holds the two documents to it.
const runbookSlack = 0.25

// runbookRows are those of the runbook's plan of capacity, and the format whose figures each has.
var runbookRows = []struct{ name, format string }{
	{"pcm, wav, ulaw, alaw", "pcm"}, {"mp3", "mp3"}, {"opus", "opus"}, {"aac", "aac"}, {"flac", "flac"},
}

// staleRows returns the rows of the runbook that have to be changed, as they have to be.
func staleRows(document, runbook string) []string {
	cores, _ := found(document, `(?m)^\| Cores \| (\d+) \|`)
	var stale []string
	for _, row := range runbookRows {
		line := regexp.MustCompile(`(?m)^\| ` + row.name + ` \|.*$`).FindString(runbook)
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		cost, measured := found(document, `(?m)^\| `+row.format+` \|(?: [^|]+\|){6} (\d+) \|`)
		changed := measured && replaceFar(&cells[2], cost/1000, "%.1f")
		streams, measured := found(document, `(?m)^\| `+row.format+` \| \d+ \| (\d+) \| \d\.`)
		if measured && cores > 0 && replaceFar(&cells[3], streams/cores, "%.0f") {
			changed = true
		}
		if changed {
			stale = append(stale, strings.Join(cells, "|"))
		}
	}
	return stale
}

// replaceFar replaces the number of a cell if it is too far from what was measured. A cell without a
// number of its own, such as a range, stays.
func replaceFar(cell *string, measured float64, format string) bool {
	n, err := strconv.ParseFloat(strings.TrimSpace(*cell), 64)
	if err != nil || math.Abs(n-measured) <= runbookSlack*measured {
		return false
	}
	*cell = " " + fmt.Sprintf(format, measured) + " "
	return true
}

// found returns the number that a pattern finds.
func found(text, pattern string) (float64, bool) {
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	return n, err == nil
}

// runbookAdvice tells what has to be changed in the runbook beside a document; nothing where there is
// none.
func runbookAdvice(out, document string) string {
	path := filepath.Join(filepath.Dir(out), "runbook.md")
	runbook, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	stale := staleRows(document, string(runbook))
	if len(stale) == 0 {
		return ""
	}
	return fmt.Sprintf("%s must be changed: write these rows, and what follows from them\n%s\n", path, strings.Join(stale, "\n"))
}

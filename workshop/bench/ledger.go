package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pairsLimit is the least that pairs of reserving and charging may be of the
// raw commits of the same database.
const pairsLimit = 0.25

// ledgerFigures are operations a second: of raw commits of one row, of pairs of
// reserving and charging, on one organisation and on many.
type ledgerFigures struct{ commits, one, many []float64 }

// ledgers measures what accounting costs on each database. The databases
// belong to package store, whose Go benchmark does the work.
func ledgers(ctx context.Context, b *bench) ([]part, error) {
	seconds := "2s"
	if b.plan.rounds < 2 {
		seconds = "0.2s"
	}
	cmd := exec.CommandContext(ctx, "go", "test", "./store", "-run", "^$", "-bench", "^BenchmarkLedger$",
		"-benchtime", seconds, "-count", fmt.Sprint(b.plan.rounds))
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go test ./store: %w\n%s", err, text)
	}
	found := parseLedger(string(text))
	if len(found) == 0 {
		return nil, fmt.Errorf("go test ./store measured nothing:\n%s", text)
	}
	t := &table{header: []string{"database, workers", "commits of one row a second", "pairs a second, one organisation", "100 organisations", "share of the commits"}}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		f := found[name]
		share := median(f.one) / median(f.commits)
		t.add(name, whole(median(f.commits)), whole(median(f.one)), whole(median(f.many)), ratio(share))
		atLeast(&b.report, "Pairs ÷ commits, "+name, share, pairsLimit, ratio)
	}
	return []part{
		prose("What a finite plan costs: each request reserves its characters before it is spoken and is charged after, in two " +
			"transactions that are safe from a crash; those of many requests go together. Beside it the commits of a single row, of as many " +
			"workers on as many connections, in the same run. The share is that of one organisation, whose book only one can change at a time."),
		t,
	}, nil
}

// ledgerLine matches a line like
// "BenchmarkLedger/SQLite/16/commits-2   100   20000 ns/op   5000 ops/s".
var ledgerLine = regexp.MustCompile(`(?m)^BenchmarkLedger/(\w+)/(\d+)/(commits|one|many)(?:-\d+)?\s.*?([\d.e+]+) ops/s`)

func parseLedger(text string) map[string]*ledgerFigures {
	found := map[string]*ledgerFigures{}
	for _, m := range ledgerLine.FindAllStringSubmatch(strings.ReplaceAll(text, "\t", " "), -1) {
		name := m[1] + ", " + m[2]
		if found[name] == nil {
			found[name] = &ledgerFigures{}
		}
		n, err := strconv.ParseFloat(m[4], 64)
		if err != nil {
			continue // no figure: the line is not one of ours
		}
		switch f := found[name]; m[3] {
		case "commits":
			f.commits = append(f.commits, n)
		case "one":
			f.one = append(f.one, n)
		case "many":
			f.many = append(f.many, n)
		}
	}
	return found
}

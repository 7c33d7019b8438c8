// Command pools simulates a region of 12 Vaak replicas, 200 model servers and 10,000
// listeners in virtual time, with failures, and prints what the listeners meet. It drives
// the balancer of the product, engine/remote/pool.
//
// Run it from the root of the repository. With --write it puts the table into
// docs/scale.md, with how large the region must be; a test fails when that is not current.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"vaak/workshop/pools/region"
)

// page is where the tables go, from the root of the repository.
const page = "docs/scale.md"

// The marks around a table, with its name.
const (
	begin = "<!-- %s: written by `make pools-write`, do not edit -->\n"
	end   = "<!-- %s: end -->\n"
)

// seed makes the figures.
const seed = 27

func main() {
	write := flag.Bool("write", false, "write the table into "+page+" instead of printing it")
	only := flag.String("only", "", "run the scenario of this name alone")
	number := flag.Uint64("seed", seed, "of the random numbers")
	flag.Parse()
	var chosen []scenario
	for _, s := range scenarios {
		if *only == "" || s.name == *only {
			chosen = append(chosen, s)
		}
	}
	text := table(chosen, run(chosen, region.Whole, *number))
	var err error
	if *write {
		err = rewrite(page, map[string]string{"simulation": text, "sizes": sizes()})
	} else {
		_, err = io.WriteString(os.Stdout, text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pools:", err)
		os.Exit(1)
	}
}

// scenario is what happens in a run.
type scenario struct {
	name string
	plan func(r *region.Region, members int)
}

// Faults begin and end at these times.
const (
	begins = 20 * time.Second
	ends   = 40 * time.Second
)

// part has a part of the members, one in so many, suffer between begins and ends.
func part(one int, f region.Fault) func(*region.Region, int) {
	return func(r *region.Region, members int) {
		n := (members + one - 1) / one
		r.At(begins, func() { r.Break(0, n, f) })
		r.At(ends, func() { r.Break(0, n, region.None) })
	}
}

var scenarios = []scenario{
	{"nothing happens", func(*region.Region, int) {}},
	{"1 in 20 is killed for 20 s", part(20, region.Killed)},
	{"1 in 20 does not answer for 20 s", part(20, region.Gone)},
	{"1 in 20 hangs for 20 s, its health is content", part(20, region.Hanging)},
	{"1 in 20 is slow for 20 s, an eighth of the speed", part(20, region.Slow)},
	{"1 in 20 fails half of its requests for 20 s", part(20, region.Failing)},
	{"1 in 5 is busy for 20 s: 429 above an eighth of its batch", part(5, region.Small)},
	{"1 in 20 flaps: 4 s away, 4 s there", func(r *region.Region, members int) {
		for at := begins; at < 56*time.Second; at += 8 * time.Second {
			r.At(at, func() { r.Break(0, members/20, region.Killed) })
			r.At(at+4*time.Second, func() { r.Break(0, members/20, region.None) })
		}
	}},
	{"a third is killed at once, for 20 s", part(3, region.Killed)},
	{"all are killed for 5 s", func(r *region.Region, members int) {
		r.At(begins, func() { r.Break(0, members, region.Killed) })
		r.At(begins+5*time.Second, func() { r.Break(0, members, region.None) })
	}},
	{"all restart, 1 in 20 every 2 s, 3 s each", func(r *region.Region, members int) {
		for i := range 20 {
			from, to := i*members/20, (i+1)*members/20
			r.At(begins+time.Duration(i)*2*time.Second, func() { r.Break(from, to, region.Killed) })
			r.At(begins+time.Duration(i)*2*time.Second+3*time.Second, func() { r.Break(from, to, region.None) })
		}
	}},
	{"DNS names other members for half of them", func(r *region.Region, members int) {
		r.At(begins, func() { r.Replace(0, members/2) })
	}},
	{"1 text in 100 fails on every member", func(r *region.Region, _ int) {
		r.At(begins, func() { r.Poison(0.01) })
	}},
}

// run runs scenarios, one after the other.
func run(list []scenario, size region.Size, seed uint64) []region.Figures {
	figures := make([]region.Figures, len(list))
	for i, s := range list {
		figures[i] = region.Run(size, seed, func(r *region.Region) { s.plan(r, size.Members) })
	}
	return figures
}

// table writes the figures as a table in Markdown.
func table(list []scenario, figures []region.Figures) string {
	var b strings.Builder
	b.WriteString("| scenario | streams | requests | first audio p50, ms | p99, ms | asked again | ran dry | cut | failed to begin | failed later | max ÷ mean | back, s | even, s | ejections | wrong |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, s := range list {
		f := &figures[i]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %.2f | %s | %s | %d | %d |\n",
			s.name, f.Streams, f.Requests, f.Quantile(0.5).Milliseconds(), f.Quantile(0.99).Milliseconds(), f.Retried, f.Dry, f.Cut,
			f.Unbegun, f.Failed, f.Imbalance, seconds(f.Back), seconds(f.Even), f.Ejections, f.Wrong)
	}
	return b.String()
}

// seconds writes a time of the figures.
func seconds(d time.Duration) string {
	switch {
	case d < 0:
		return "—"
	case d >= region.Length:
		return "not in the run"
	}
	return fmt.Sprintf("%.1f", d.Seconds())
}

// between returns what a page has between the marks of a table, and the text before and
// after it.
func between(text, name string) (before, middle, after string, err error) {
	first, last := fmt.Sprintf(begin, name), fmt.Sprintf(end, name)
	before, rest, ok := strings.Cut(text, first)
	middle, after, ended := strings.Cut(rest, last)
	if !ok || !ended {
		return "", "", "", fmt.Errorf("the marks around the table %q are missing", name)
	}
	return before + first, middle, last + after, nil
}

// rewrite replaces tables in a page.
func rewrite(path string, tables map[string]string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(data)
	for name, table := range tables {
		before, _, after, err := between(text, name)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		text = before + table + after
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

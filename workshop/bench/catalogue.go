package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// What the catalogue has to reach with lookupClients clients.
const (
	listLimit   = 15 * time.Millisecond // 99th percentile of a page
	recordLimit = 2 * time.Millisecond  // of a record
	listRate    = 2000                  // pages a second
	growthLimit = 5                     // time of a page in the largest catalogue ÷ in the smallest
)

// shelfFigures are what was measured of a shelf.
type shelfFigures struct {
	*shelf
	list, record, naive, bareList, bareRecord looked
}

// catalogueOf measures pages and records of catalogues of several sizes.
func catalogueOf(ctx context.Context, b *bench) ([]part, error) {
	m := newRecordMaker()
	var all []*shelfFigures
	for _, n := range b.plan.records {
		s, err := startShelf(ctx, b.options, b.dir, m, n)
		if err != nil {
			return nil, err
		}
		defer s.stop()
		all = append(all, &shelfFigures{shelf: s})
	}
	for round := range b.plan.rounds + 1 {
		for _, s := range all {
			if round == 1 {
				*s = shelfFigures{shelf: s.shelf} // the first round warms up
			}
			if err := s.round(m, b.plan, round); err != nil {
				return nil, fmt.Errorf("%d records: %w", s.records, err)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	promiseCatalogue(&b.report, all)
	written, err := writingSpeed(ctx, b.dir, m, min(b.plan.records[0], 1000))
	if err != nil {
		return nil, err
	}
	return []part{
		prose(fmt.Sprintf("`vaak serve --services catalogue` on SQLite. One record in %d has a sample and with it about 20 kB; they are in %d languages and %d domains, "+
			"with titles in the scripts of those, and have 1 to %s hours, half of them less than %.0f. %d clients ask over kept-alive connections as fast as they are answered, on the cores of the server: "+
			"requests a second are what clients and server manage together (a closed loop), and the times hold the waiting for a core. "+
			"Pages have 20 datasets; a third of the requests search for two words of some title, a third filter by language and channels, a third by least hours. "+
			"Records are any, by slug, so nearly all come from the database in the larger catalogue. No two requests of a round are the same on purpose, and none has an entity tag.",
			sampledEvery, recordLanguages, len(recordDomains), characters(mostHours), math.Sqrt(mostHours), lookupClients)),
		catalogueTable(all),
		prose("The naive server goes through all lines with `strings.Contains` and `json.Marshal`; static is a handler of `net/http` that writes as many bytes as the mean answer has. " +
			"Its source is `workshop/bench/naivelist`. Processor time is that of the server a request."),
		prose("From the smallest to the largest catalogue: " + growthText(all) + "."),
		prose(shelvesText(all, written)),
	}, nil
}

// round measures all kinds of requests once.
func (s *shelfFigures) round(m recordMaker, p plan, number int) error {
	for _, part := range []struct {
		of   *looked
		from *server
		ask  func() lookup
		n    int
	}{
		{&s.list, s.vaak, func() lookup { return m.listing(s.records) }, p.lookups},
		{&s.bareList, s.shelf.naive, func() lookup { return bare(s.list.mean()) }, p.lookups},
		{&s.record, s.vaak, func() lookup { return m.reading(s.records) }, p.lookups},
		{&s.bareRecord, s.shelf.naive, func() lookup { return bare(s.record.mean()) }, p.lookups},
		{&s.naive, s.shelf.naive, func() lookup { return m.listing(s.records) }, p.naiveLookups},
	} {
		if err := part.of.round(part.from, part.ask(), part.n, number); err != nil {
			return err
		}
	}
	return nil
}

func catalogueTable(all []*shelfFigures) part {
	t := &table{header: []string{"records, request", "server", "requests a second", "median", "99th percentile", "processor, µs", "÷ static", "mean answer, bytes"}}
	for _, s := range all {
		for _, row := range []struct {
			request, server string
			figures, bare   *looked
		}{
			{"page", "Vaak", &s.list, &s.bareList}, {"page", "static", &s.bareList, &s.bareList}, {"page", "naive", &s.naive, &s.bareList},
			{"record", "Vaak", &s.record, &s.bareRecord}, {"record", "static", &s.bareRecord, &s.bareRecord},
		} {
			used := median(row.figures.used)
			t.add(fmt.Sprintf("%s, %s", characters(s.records), row.request), row.server, whole(median(row.figures.rates)),
				millis(row.figures.took.p50()), millis(row.figures.took.p99()), micros(used), times(used, median(row.bare.used)), fmt.Sprint(row.figures.mean()))
		}
	}
	return t
}

// times prints a ratio, if there is one: little work is less than the kernel counts.
func times(a, b time.Duration) string {
	if b < time.Microsecond {
		return "—"
	}
	return ratio(over(a, b))
}

// shelvesText tells what it takes to have the shelves.
func shelvesText(all []*shelfFigures, written float64) string {
	out := fmt.Sprintf("%s records a second are written on this disk, each in a transaction that is safe from a crash (%d writers).", whole(written), recordWriters)
	for _, s := range all {
		out += fmt.Sprintf(" With %s records the server is ready after %.2f s.", characters(s.records), s.ready.Seconds())
	}
	return out
}

// growth is how many times a request to the last shelf takes what one to the first
// takes: by time, and by processor time of the server.
func growth(all []*shelfFigures, of func(*shelfFigures) *looked) (byTime, byProcessor float64) {
	first, last := of(all[0]), of(all[len(all)-1])
	var times, processor []float64
	for i := range first.rates {
		times = append(times, first.rates[i]/last.rates[i])
		processor = append(processor, over(last.used[i], first.used[i]))
	}
	return median(times), median(processor)
}

func growthText(all []*shelfFigures) string {
	var out []string
	for _, row := range []struct {
		name string
		of   func(*shelfFigures) *looked
	}{
		{"a page of Vaak", func(s *shelfFigures) *looked { return &s.list }},
		{"a record", func(s *shelfFigures) *looked { return &s.record }},
		{"a page of the naive server", func(s *shelfFigures) *looked { return &s.naive }},
	} {
		byTime, byProcessor := growth(all, row.of)
		out = append(out, fmt.Sprintf("%s takes %.2f times the time and %.2f times the processor time", row.name, byTime, byProcessor))
	}
	return strings.Join(out, ", ")
}

// promiseCatalogue notes the targets.
func promiseCatalogue(r *report, all []*shelfFigures) {
	last := all[len(all)-1]
	size := characters(last.records) + " records"
	atMost(r, "Page of the catalogue, 99th percentile, "+size, last.list.took.p99(), listLimit, millis)
	atMost(r, "Record of the catalogue, 99th percentile, "+size, last.record.took.p99(), recordLimit, millis)
	atLeast(r, "Pages of the catalogue a second, "+size, median(last.list.rates), listRate, whole)
	byTime, byProcessor := growth(all, func(s *shelfFigures) *looked { return &s.list })
	atMost(r, "Time of a page, largest ÷ smallest catalogue", byTime, growthLimit, ratio)
	atMost(r, "Processor time of a page, largest ÷ smallest catalogue", byProcessor, growthLimit, ratio)
}

// Package catalogue measures the lists and records of the catalogue, and the same questions
// through tools for agents.
package catalogue

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// What the catalogue has to reach with lookupClients clients.
const (
	listLimit      = 3 * time.Millisecond    // 99th percentile of a page
	recordLimit    = 1500 * time.Microsecond // of a record
	listRate       = 2000                    // pages a second
	growthLimit    = 5                       // time of a page in the largest catalogue ÷ in the smallest
	croissantShare = 0.85                    // Croissant documents a second ÷ answers of a static handler
)

// shelfFigures are what was measured of a shelf.
type shelfFigures struct {
	*shelf
	list, record, croissant, zipped, naive, bareList, bareRecord, bareCroissant, bareZipped looked
}

// Measure measures pages and records of catalogues of several sizes.
func Measure(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	m := newRecordMaker()
	var all []*shelfFigures
	for _, n := range b.Plan.Records {
		s, err := startShelf(ctx, b.Settings, b.Dir, m, n)
		if err != nil {
			return nil, err
		}
		defer s.stop()
		all = append(all, &shelfFigures{shelf: s})
	}
	for round := range b.Plan.Rounds + 1 {
		for _, s := range all {
			if round == 1 {
				// The first round warms up.
				*s = shelfFigures{shelf: s.shelf, list: looked{asked: s.list.asked}}
			}
			if err := s.round(m, b.Plan, round); err != nil {
				return nil, fmt.Errorf("%d records: %w", s.records, err)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	promiseCatalogue(&b.Report, all)
	written, err := writingSpeed(ctx, b.Dir, m, min(b.Plan.Records[0], 1000))
	if err != nil {
		return nil, err
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("`vaak serve --services catalogue` on SQLite. One record in %d has a sample and with it about 20 kB; they are in %d languages and %d domains, "+
			"with titles in the scripts of those, and have 1 to %s hours, half of them less than %.0f. %d clients ask over kept-alive connections as fast as they are answered, on the cores of the server: "+
			"requests a second are what clients and server manage together (a closed loop), and the times hold the waiting for a core. "+
			"Pages have 20 datasets; a third of the requests search for two words of some title, a third filter by language and channels, a third by least hours. "+
			"Records are any, by slug, so nearly all come from the database in the larger catalogue. No two requests of a round are the same on purpose, and none has an entity tag. "+
			"%.0f %% of the pages of the larger catalogue were asked for before, since there are only so many languages and hours; the server keeps the bytes of these. "+
			"Croissant documents are those of %d datasets, which the server keeps.",
			sampledEvery, recordLanguages, len(recordDomains), report.Characters(mostHours), math.Sqrt(mostHours), lookupClients,
			100*all[len(all)-1].list.again(), keptDocuments)),
		catalogueTable(all),
		report.Prose("The naive server goes through all lines with `strings.Contains` and `json.Marshal`; static is a handler of `net/http` that writes as many bytes as the mean answer has. " +
			"Its source is `workshop/bench/catalogue/naivelist`. Processor time is that of the server a request."),
		report.Prose("From the smallest to the largest catalogue: " + growthText(all) + "."),
		report.Prose(shelvesText(all, written)),
	}, nil
}

// round measures all kinds of requests once.
func (s *shelfFigures) round(m recordMaker, p rig.Plan, number int) error {
	for _, part := range []struct {
		of   *looked
		from *server.Server
		ask  func() lookup
		n    int
	}{
		{&s.list, s.vaak, func() lookup { return m.listing(s.records) }, p.Lookups},
		{&s.bareList, s.shelf.naive, func() lookup { return bare(s.list.mean()) }, p.Lookups},
		{&s.record, s.vaak, func() lookup { return m.reading(s.records) }, p.Lookups},
		{&s.bareRecord, s.shelf.naive, func() lookup { return bare(s.record.mean()) }, p.Lookups},
		{&s.croissant, s.vaak, func() lookup { return m.documents(s.records, "") }, p.Lookups},
		{&s.bareCroissant, s.shelf.naive, func() lookup { return bare(s.croissant.mean()) }, p.Lookups},
		{&s.zipped, s.vaak, func() lookup { return m.documents(s.records, "Accept-Encoding: gzip\r\n") }, p.Lookups},
		{&s.bareZipped, s.shelf.naive, func() lookup { return bare(s.zipped.mean()) }, p.Lookups},
		{&s.naive, s.shelf.naive, func() lookup { return m.listing(s.records) }, p.NaiveLookups},
	} {
		if err := part.of.round(part.from, part.ask(), part.n, number); err != nil {
			return err
		}
	}
	return nil
}

func catalogueTable(all []*shelfFigures) report.Part {
	t := &report.Table{Header: []string{"records, request", "server", "requests a second", "median", "99th percentile", "processor, µs", "÷ static", "mean answer, bytes"}}
	for _, s := range all {
		for _, row := range []struct {
			request, server string
			figures, bare   *looked
		}{
			{"page", "Vaak", &s.list, &s.bareList}, {"page", "static", &s.bareList, &s.bareList}, {"page", "naive", &s.naive, &s.bareList},
			{"record", "Vaak", &s.record, &s.bareRecord}, {"record", "static", &s.bareRecord, &s.bareRecord},
			{"Croissant", "Vaak", &s.croissant, &s.bareCroissant}, {"Croissant", "static", &s.bareCroissant, &s.bareCroissant},
			{"Croissant, gzip", "Vaak", &s.zipped, &s.bareZipped}, {"Croissant, gzip", "static", &s.bareZipped, &s.bareZipped},
		} {
			used := report.Median(row.figures.used)
			t.Add(fmt.Sprintf("%s, %s", report.Characters(s.records), row.request), row.server, report.Whole(report.Median(row.figures.rates)),
				report.Millis(row.figures.took.P50()), report.Millis(row.figures.took.P99()), report.Micros(used), times(used, report.Median(row.bare.used)), fmt.Sprint(row.figures.mean()))
		}
	}
	return t
}

// times prints a ratio, if there is one: little work is less than the kernel counts.
func times(a, b time.Duration) string {
	if b < time.Microsecond {
		return "—"
	}
	return report.Ratio(report.Over(a, b))
}

// shelvesText tells what it takes to have the shelves.
func shelvesText(all []*shelfFigures, written float64) string {
	out := fmt.Sprintf("%s records a second are written on this disk, each in a transaction that is safe from a crash (%d writers).", report.Whole(written), recordWriters)
	for _, s := range all {
		out += fmt.Sprintf(" With %s records the server is ready after %.2f s.", report.Characters(s.records), s.ready.Seconds())
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
		processor = append(processor, report.Over(last.used[i], first.used[i]))
	}
	return report.Median(times), report.Median(processor)
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
func promiseCatalogue(r *report.Report, all []*shelfFigures) {
	last := all[len(all)-1]
	size := report.Characters(last.records) + " records"
	report.AtMost(r, "Page of the catalogue, 99th percentile, "+size, last.list.took.P99(), listLimit, report.Millis)
	report.AtMost(r, "Record of the catalogue, 99th percentile, "+size, last.record.took.P99(), recordLimit, report.Millis)
	report.AtLeast(r, "Pages of the catalogue a second, "+size, report.Median(last.list.rates), listRate, report.Whole)
	report.AtLeast(r, "Croissant documents from memory ÷ answers of a static handler, a second, "+size, share(&last.croissant, &last.bareCroissant), croissantShare, report.Ratio)
	report.AtLeast(r, "The same compressed, "+size, share(&last.zipped, &last.bareZipped), croissantShare, report.Ratio)
	byTime, byProcessor := growth(all, func(s *shelfFigures) *looked { return &s.list })
	report.AtMost(r, "Time of a page, largest ÷ smallest catalogue", byTime, growthLimit, report.Ratio)
	report.AtMost(r, "Processor time of a page, largest ÷ smallest catalogue", byProcessor, growthLimit, report.Ratio)
}

// share is the rate of some requests ÷ that of others, the median of those of the rounds.
func share(of, against *looked) float64 {
	var all []float64
	for i := range of.rates {
		all = append(all, of.rates[i]/against.rates[i])
	}
	return report.Median(all)
}

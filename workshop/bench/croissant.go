package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

// What Croissant metadata has to reach with lookupClients clients.
const (
	documentRate    = 0.6                    // documents a second ÷ those of a static handler
	validationLimit = 3 * time.Millisecond   // median of checking a document, one client
	hostileLimit    = 250 * time.Millisecond // slowest answer to a document that is made to be slow
	described       = 100                    // datasets with a sample whose documents are asked for
)

// croissants measures documents that are there already, and checking one.
func croissants(ctx context.Context, b *bench) ([]part, error) {
	m := newRecordMaker()
	s, err := startShelf(ctx, b.options, b.dir, m, described*sampledEvery)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	document, err := fetch(ctx, "http://"+s.vaak.addr+m.documentPath(0))
	if err != nil {
		return nil, err
	}
	var cached, static, checked, alone looked
	for round := range b.plan.rounds + 1 {
		if round == 1 {
			cached, static, checked, alone = looked{}, looked{}, looked{}, looked{} // the first round warms up
		}
		for _, part := range []struct {
			of      *looked
			from    *server
			ask     func() lookup
			clients int
			n       int
		}{
			{&cached, s.vaak, func() lookup { return m.describing }, lookupClients, b.plan.lookups},
			{&static, s.naive, func() lookup { return bare(cached.mean()) }, lookupClients, b.plan.lookups},
			{&checked, s.vaak, func() lookup { return checking(document) }, lookupClients, b.plan.lookups / 10},
			{&alone, s.vaak, func() lookup { return checking(document) }, 1, b.plan.lookups / 20},
		} {
			if err := part.of.roundOf(part.clients, part.from, part.ask(), part.n, round); err != nil {
				return nil, err
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	var ratios []float64
	for i := range cached.rates {
		ratios = append(ratios, cached.rates[i]/static.rates[i])
	}
	atLeast(&b.report, "Croissant documents a second ÷ a static handler", median(ratios), documentRate, ratio)
	atMost(&b.report, fmt.Sprintf("Checking a document of %d bytes, median", len(document)), alone.took.p50(), validationLimit, millis)
	slow, err := hostileDocuments(s.vaak)
	if err != nil {
		return nil, err
	}
	worst := 0
	for i := range slow {
		if slow[i].took > slow[worst].took {
			worst = i
		}
	}
	atMost(&b.report, "Slowest check of a hostile document", slow[worst].took, hostileLimit, millis)
	return []part{
		prose(fmt.Sprintf("`vaak serve --services catalogue`, %d datasets with a sample among %s. %d clients ask for their Croissant documents as fast as they are answered; "+
			"static is a handler of `net/http` that writes as many bytes. Checked is a document of %d bytes, posted to the validator, by those clients and by one alone.",
			described, characters(s.records), lookupClients, len(document))),
		croissantTable(&cached, &static, &checked, &alone),
		prose(fmt.Sprintf("Documents that are made to be slow, the median of %d answers each:", hostileAsks)),
		hostileTable(slow),
	}, nil
}

// fetch returns what is at an address.
func fetch(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // read to its end
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func croissantTable(cached, static, checked, alone *looked) part {
	t := &table{header: []string{"request", "requests a second", "median", "99th percentile", "processor, µs", "÷ static", "mean answer, bytes"}}
	for _, row := range []struct {
		name    string
		figures *looked
	}{{"document", cached}, {"static", static}, {"checked", checked}, {"checked, one client", alone}} {
		used := median(row.figures.used)
		t.add(row.name, whole(median(row.figures.rates)), millis(row.figures.took.p50()), millis(row.figures.took.p99()),
			micros(used), times(used, median(static.used)), fmt.Sprint(row.figures.mean()))
	}
	return t
}

// documentPath is where the document of the nth dataset with a sample is.
func (m recordMaker) documentPath(n int) string {
	return "/catalogue/datasets/" + m.make(n*sampledEvery).Dataset.Slug + "/croissant.json"
}

// describing asks for the document of any dataset with a sample.
func (m recordMaker) describing(r *rand.Rand) request { return get(m.documentPath(r.IntN(described))) }

// checking posts a document to the validator.
func checking(document []byte) lookup {
	return func(*rand.Rand) request {
		return request{path: "/api/catalogue/croissant/validate", body: document}
	}
}

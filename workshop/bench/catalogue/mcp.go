package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// What tools for agents have to reach.
const (
	callSurcharge  = time.Millisecond // median of a call over that of the same question by REST, one client
	callRate       = 2000.0           // calls a second of callers clients
	callers        = 16
	sessionsGrowth = 1.1 // memory after the last tenth of abandoned sessions ÷ after the first
)

// Tools measures the tools of the catalogue: a search through them beside
// the same search by REST, and sessions that nobody ends.
func Tools(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	m := newRecordMaker()
	s, err := startShelf(ctx, b.Settings, b.Dir, m, b.Plan.Records[0])
	if err != nil {
		return nil, err
	}
	defer s.stop()
	var called, asked, crowd, crowdAsked, static looked
	for round := range b.Plan.Rounds + 1 {
		if round == 1 {
			called, asked, crowd, crowdAsked, static = looked{}, looked{}, looked{}, looked{}, looked{} // the first round warms up
		}
		for _, part := range []struct {
			of      *looked
			from    *server.Server
			ask     lookup
			clients int
			n       int
		}{
			{&asked, s.vaak, m.listing(s.records), 1, b.Plan.Lookups / 10},
			{&called, s.vaak, calling(m.listing(s.records)), 1, b.Plan.Lookups / 10},
			{&crowdAsked, s.vaak, m.listing(s.records), callers, b.Plan.Lookups},
			{&crowd, s.vaak, calling(m.listing(s.records)), callers, b.Plan.Lookups},
			{&static, s.naive, bare(max(crowd.mean(), 1)), callers, b.Plan.Lookups},
		} {
			if err := part.of.roundOf(part.clients, part.from, part.ask, part.n, round); err != nil {
				return nil, err
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	report.AtMost(&b.Report, "Search through a tool − by REST, median, one client", called.took.P50()-asked.took.P50(), callSurcharge, report.Millis)
	report.AtLeast(&b.Report, fmt.Sprintf("Searches a second through a tool, %d clients", callers), report.Median(crowd.rates), callRate, report.Whole)
	sessions, err := abandoned(ctx, s.vaak, b.Plan.Sessions)
	if err != nil {
		return nil, err
	}
	last := len(sessions) - 1
	report.AtMost(&b.Report, fmt.Sprintf("Heap after %s abandoned sessions ÷ after %s", report.Characters(sessions[last].opened), report.Characters(sessions[1].opened)),
		float64(sessions[last].Heap)/float64(sessions[1].Heap), sessionsGrowth, report.Ratio)
	return []report.Part{
		report.Prose(fmt.Sprintf("`vaak serve --services catalogue` with %s datasets. The same searches by `GET /api/catalogue/datasets` and as calls of `search_datasets` at `POST /api/catalogue/mcp` "+
			"(version 2026-07-28 of the protocol, pages of 20): by one client, and by %d as fast as they are answered, on the cores of the server. static is a handler of `net/http` that writes as many bytes.",
			report.Characters(s.records), callers)),
		callTable(&asked, &called, &crowdAsked, &crowd, &static),
		report.Prose("Sessions of version 2025-11-25 that are opened and left, one after the other:"),
		sessionTable(sessions),
	}, nil
}

// calling asks by a tool what another lookup asks by REST.
func calling(rest lookup) lookup {
	return func(r *rand.Rand) request {
		_, query, _ := strings.Cut(rest(r).path, "?")
		values, err := url.ParseQuery(query)
		if err != nil {
			panic(err) // the lookups of this program make it
		}
		arguments := map[string]any{}
		for name, v := range values {
			arguments[name] = v[0]
			if n, err := strconv.ParseFloat(v[0], 64); err == nil && name != "q" {
				arguments[name] = n
			}
		}
		body, err := json.Marshal(map[string]any{
			"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{
				"name": "search_datasets", "arguments": arguments,
				"_meta": map[string]any{
					"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
					"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench", "version": "1"},
					"io.modelcontextprotocol/clientCapabilities": map[string]any{},
				},
			},
		})
		if err != nil {
			panic(err)
		}
		return request{path: mcpPath, body: body, header: mcpHeader +
			"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: search_datasets\r\n"}
	}
}

const (
	mcpPath   = "/api/catalogue/mcp"
	mcpHeader = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
)

func callTable(asked, called, crowdAsked, crowd, static *looked) report.Part {
	t := &report.Table{Header: []string{"clients, way", "requests a second", "median", "99th percentile", "processor, µs", "÷ REST", "mean answer, bytes"}}
	for _, row := range []struct {
		name       string
		l, against *looked
	}{
		{"1, REST", asked, asked}, {"1, tool", called, asked},
		{fmt.Sprintf("%d, REST", callers), crowdAsked, crowdAsked}, {fmt.Sprintf("%d, tool", callers), crowd, crowdAsked},
		{fmt.Sprintf("%d, static", callers), static, crowdAsked},
	} {
		used := report.Median(row.l.used)
		t.Add(row.name, report.Whole(report.Median(row.l.rates)), report.Millis(row.l.took.P50()), report.Millis(row.l.took.P99()), report.Micros(used),
			times(used, report.Median(row.against.used)), fmt.Sprint(row.l.mean()))
	}
	return t
}

// sessionStep is how a server stands after so many sessions were opened.
type sessionStep struct {
	opened int
	server.Holdings
}

// abandoned opens sessions that nobody ends, and looks at the server ten times.
func abandoned(ctx context.Context, s *server.Server, n int) ([]sessionStep, error) {
	initialize := request{path: mcpPath, header: mcpHeader, body: []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` +
		`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)}
	var steps []sessionStep
	const looks = 10
	for i := range looks + 1 {
		if i > 0 {
			var l looked
			if err := l.roundOf(lookupClients, s, func(*rand.Rand) request { return initialize }, n/looks, i); err != nil {
				return nil, err
			}
		}
		h, err := s.Lean(ctx)
		if err != nil {
			return nil, err
		}
		steps = append(steps, sessionStep{i * n / looks, h})
	}
	return steps, nil
}

func sessionTable(steps []sessionStep) report.Part {
	t := &report.Table{Header: []string{"sessions opened", "goroutines", "heap and stacks, MiB", "resident, MiB"}}
	for _, s := range steps {
		t.Add(report.Characters(s.opened), fmt.Sprint(s.Goroutines), report.Mebibytes(s.Heap>>10), report.Mebibytes(s.RSS>>10))
	}
	return t
}

package catalogue

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
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
	callSurcharge  = 150 * time.Microsecond // median of a call over that of the same question by REST, one client
	callRate       = 5000.0                 // calls a second of callers clients, which share the cores of the server
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
	session, err := initialized(ctx, s.vaak)
	if err != nil {
		return nil, err
	}
	rest := m.listing(s.records)
	modern, older := calling(rest, modernCall), calling(rest, olderCall(session))
	var asked, called, calledOlder, crowdAsked, crowd, crowdOlder, static looked
	for round := range b.Plan.Rounds + 1 {
		if round == 1 {
			for _, l := range []*looked{&asked, &called, &calledOlder, &crowdAsked, &crowd, &crowdOlder, &static} {
				*l = looked{} // the first round warms up
			}
		}
		for _, part := range []struct {
			of      *looked
			from    *server.Server
			ask     lookup
			clients int
			n       int
		}{
			{&asked, s.vaak, rest, 1, b.Plan.Lookups / 10},
			{&called, s.vaak, modern, 1, b.Plan.Lookups / 10},
			{&calledOlder, s.vaak, older, 1, b.Plan.Lookups / 10},
			{&crowdAsked, s.vaak, rest, callers, b.Plan.Lookups},
			{&crowd, s.vaak, modern, callers, b.Plan.Lookups},
			{&crowdOlder, s.vaak, older, callers, b.Plan.Lookups},
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
	for _, era := range []struct {
		version       string
		called, crowd *looked
	}{{modernVersion, &called, &crowd}, {olderVersion, &calledOlder, &crowdOlder}} {
		report.AtMost(&b.Report, fmt.Sprintf("Search through a tool (%s) − by REST, median, one client", era.version), era.called.took.P50()-asked.took.P50(), callSurcharge, report.Millis)
		report.AtLeast(&b.Report, fmt.Sprintf("Searches a second through a tool (%s), %d clients on the same cores", era.version, callers), report.Median(era.crowd.rates), callRate, report.Whole)
	}
	sessions, err := abandoned(ctx, s.vaak, b.Plan.Sessions)
	if err != nil {
		return nil, err
	}
	last := len(sessions) - 1
	report.AtMost(&b.Report, fmt.Sprintf("Heap after %s abandoned sessions ÷ after %s", report.Characters(sessions[last].opened), report.Characters(sessions[1].opened)),
		float64(sessions[last].Heap)/float64(sessions[1].Heap), sessionsGrowth, report.Ratio)
	return []report.Part{
		report.Prose(fmt.Sprintf("`vaak serve --services catalogue` with %s datasets. The same searches by `GET /api/catalogue/datasets` and as calls of `search_datasets` at `POST /api/catalogue/mcp` "+
			"(pages of 20; version %s of the protocol, and %s in a session whose client can be asked): by one client, and by %d as fast as they are answered. "+
			"The clients share the cores of the server, and their processor time is not taken out of the rates. static is a handler of `net/http` that writes as many bytes.",
			report.Characters(s.records), modernVersion, olderVersion, callers)),
		callTable([]row{
			{"1, REST", &asked, &asked}, {"1, tool, " + modernVersion, &called, &asked}, {"1, tool, " + olderVersion, &calledOlder, &asked},
			{fmt.Sprintf("%d, REST", callers), &crowdAsked, &crowdAsked}, {fmt.Sprintf("%d, tool, %s", callers, modernVersion), &crowd, &crowdAsked},
			{fmt.Sprintf("%d, tool, %s", callers, olderVersion), &crowdOlder, &crowdAsked}, {fmt.Sprintf("%d, static", callers), &static, &crowdAsked},
		}),
		report.Prose("Sessions of version " + olderVersion + " that are opened and left, one after the other:"),
		sessionTable(sessions),
	}, nil
}

// The versions of the protocol that are measured: the newest, and the last with sessions.
const modernVersion, olderVersion = "2026-07-28", "2025-11-25"

// calling asks by a tool what another lookup asks by REST.
func calling(rest lookup, call func(arguments map[string]any) request) lookup {
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
		return call(arguments)
	}
}

func modernCall(arguments map[string]any) request {
	return toolCall(map[string]any{
		"name": searchTool, "arguments": arguments,
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    modernVersion,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}, "Mcp-Protocol-Version: "+modernVersion+"\r\nMcp-Method: tools/call\r\nMcp-Name: "+searchTool+"\r\n")
}

func olderCall(session string) func(map[string]any) request {
	return func(arguments map[string]any) request {
		return toolCall(map[string]any{"name": searchTool, "arguments": arguments},
			"Mcp-Protocol-Version: "+olderVersion+"\r\nMcp-Session-Id: "+session+"\r\n")
	}
}

func toolCall(params map[string]any, header string) request {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
	if err != nil {
		panic(err) // cannot be: strings and numbers
	}
	return request{path: mcpPath, body: body, header: mcpHeader + header}
}

const (
	searchTool = "search_datasets"
	mcpPath    = "/api/catalogue/mcp"
	mcpHeader  = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
)

// hello sets up a session of a client that can do what is named.
func hello(capabilities string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"bench","version":"1"}}}`,
		olderVersion, capabilities)
}

// initialized returns the id of a session whose client can be asked, as that of most hosts can.
func initialized(ctx context.Context, s *server.Server) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Addr+mcpPath, bytes.NewReader(hello(`{"elicitation":{},"roots":{}}`)))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" {
		return "", fmt.Errorf("initialize at %s: %s without a session", s.Addr, resp.Status)
	}
	return id, nil
}

// row is a line of a table: requests, and those that they are compared with.
type row struct {
	name       string
	l, against *looked
}

func callTable(rows []row) report.Part {
	t := &report.Table{Header: []string{"clients, way", "requests a second", "median", "99th percentile", "processor, µs", "÷ REST", "mean answer, bytes"}}
	for _, row := range rows {
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
	initialize := request{path: mcpPath, header: mcpHeader, body: hello("{}")}
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

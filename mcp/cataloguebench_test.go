package mcp_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"runtime"
	"strings"
	"testing"

	"vaak/croissant/publish"
	"vaak/edge"
	"vaak/mcp"
	"vaak/rest"
)

// modernSearch is a call of search_datasets as a client of 2026-07-28 sends it.
const modernSearch = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_datasets","arguments":{"q":"conversations","min_hours":10},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// BenchmarkSearch measures a page of 20 datasets through the HTTP handler, beside
// the list of REST with the same query.
func BenchmarkSearch(b *testing.B) {
	c := published(b, typical()...)
	s := newCatalogueServer(b, c)
	api, err := rest.New(rest.Config{Accounts: strangers{}, Catalogue: c, Croissant: publish.New(c, catalogueURL), CatalogueMCP: s.Handler(mcp.Catalogue)})
	if err != nil {
		b.Fatal(err)
	}
	alone := edge.Chain(s.Handler(mcp.Catalogue), edge.Identify)
	for _, bb := range []struct {
		name    string
		handler http.Handler
		request func() *http.Request
	}{
		{"tool", alone, func() *http.Request { return modernRequest(modernSearch) }},
		{"tool-in-rest", api, func() *http.Request { return modernRequest(modernSearch) }},
		{"rest", api, func() *http.Request {
			return httptest.NewRequest(http.MethodGet, "/api/catalogue/datasets?q=conversations&min_hours=10&limit=20", nil)
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			w := httptest.NewRecorder()
			bb.handler.ServeHTTP(w, bb.request())
			if w.Code != http.StatusOK || !bytes.Contains(w.Body.Bytes(), []byte("hi-in-banking-dual")) {
				b.Fatalf("%d %s", w.Code, w.Body)
			}
			b.ReportAllocs()
			for b.Loop() {
				bb.handler.ServeHTTP(discard{http.Header{}}, bb.request())
			}
		})
	}
}

// BenchmarkSearchServed measures the same call by 16 clients over connections that
// stay open, the clients included.
func BenchmarkSearchServed(b *testing.B) {
	url := serveCatalogue(b, newCatalogueServer(b, published(b, typical()...)))
	const clients = 16
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	b.SetParallelism(clients / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := modernRequest(modernSearch)
			r.RequestURI, r.Host = "", ""
			r.URL, _ = neturl.Parse(url)
			resp, err := client.Do(r)
			if err != nil {
				b.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
				b.Errorf("%d, %v", resp.StatusCode, err)
			}
			resp.Body.Close()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// modernRequest is a request of a client of 2026-07-28.
func modernRequest(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/api/catalogue/mcp", strings.NewReader(body))
	r.Host = "localhost" // which Guard lets in
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", "tools/call")
	r.Header.Set("Mcp-Name", "search_datasets")
	return r
}

// discard is a client that costs nothing.
type discard struct{ h http.Header }

func (d discard) Header() http.Header       { return d.h }
func (discard) WriteHeader(int)             {}
func (discard) Write(p []byte) (int, error) { return io.Discard.Write(p) }
func (discard) Flush()                      {}

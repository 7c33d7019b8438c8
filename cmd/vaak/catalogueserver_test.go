package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/store/storetest/pgtest"
)

// TestLengthyServeCatalogue serves what the command line brings in, without a restart and
// without an engine.
func TestLengthyServeCatalogue(t *testing.T) {
	t.Parallel()
	s := startCatalogue(t, "")
	if got := s.listed(""); len(got) != 0 {
		t.Errorf("a new catalogue has %q", got)
	}
	s.vaak("dataset", "ingest", corpus{slug: "hindi-calls", calls: 2, seconds: 10, format: "flac"}.folder(t), "--publish")
	soon(t, "hindi-calls is listed", func() bool { return slices.Contains(s.listed(""), "hindi-calls") })
	t.Run("addresses", func(t *testing.T) { s.servesAddresses(t) })
	t.Run("files", func(t *testing.T) { s.servesFiles(t) })
	t.Run("tags", func(t *testing.T) { s.servesTags(t) })
	t.Run("croissant", func(t *testing.T) { s.servesCroissant(t) })
	t.Run("unknown", func(t *testing.T) { s.refusesUnknown(t) })
	t.Run("queries", func(t *testing.T) { s.refusesQueries(t) })
	t.Run("slow reader", func(t *testing.T) { s.servesSlowly(t) })
	t.Run("description", func(t *testing.T) {
		if a := s.fetch(http.MethodGet, "/api/catalogue/openapi.json"); strings.TrimSuffix(a.body, "\n") != s.vaak("openapi", "--service", "catalogue") {
			t.Errorf("%s = %d, not what vaak openapi prints", a.what, a.status)
		}
	})
	t.Run("layout", func(t *testing.T) { s.servesLayout(t) })
	t.Run("backup", func(t *testing.T) { slow(t); s.servesBackup(t) })
	s.vaak("dataset", "suspend", "hindi-calls")
	soon(t, "hindi-calls is gone", func() bool { return len(s.listed("")) == 0 })
	for _, path := range []string{"", "/sample/sample.flac", "/recordings.csv", "/croissant.json"} {
		at := "/catalogue/datasets/hindi-calls" + path
		if path == "" {
			at = "/api" + at
		}
		s.fetch(http.MethodGet, at).refused(t, http.StatusNotFound, "not_found")
	}
	if a := s.fetch(http.MethodGet, "/catalogue/datasets/hindi-calls"); a.status != http.StatusNotFound {
		t.Errorf("%s = %d, want 404", a.what, a.status)
	}
	s.stop()
	noFaults(t, s)
}

func (s *server) servesAddresses(t *testing.T) {
	r := s.record("hindi-calls")
	if r.Status != "published" || r.Record != s.public+"/api/catalogue/datasets/hindi-calls" {
		t.Errorf("record = %+v", r)
	}
	for at, to := range map[string]string{
		"/api/catalogue/datasets/" + r.ID:                     "/api/catalogue/datasets/hindi-calls",
		"/catalogue/datasets/" + r.ID + "/sample/sample.flac": "/catalogue/datasets/hindi-calls/sample/sample.flac",
		"/catalogue/datasets/" + r.ID + "/recordings.csv":     "/catalogue/datasets/hindi-calls/recordings.csv",
		"/catalogue/datasets/" + r.ID + "/croissant.json":     "/catalogue/datasets/hindi-calls/croissant.json",
		"/catalogue/datasets/" + r.ID:                         "/catalogue/datasets/hindi-calls",
	} {
		if a := s.fetch(http.MethodGet, at); a.status != http.StatusPermanentRedirect || a.header.Get("Location") != to {
			t.Errorf("%s = %d to %q, want 308 to %q", a.what, a.status, a.header.Get("Location"), to)
		}
	}
	for _, at := range []string{"/catalogue", r.URL, r.Record, r.Croissant, r.Manifest, "/catalogue?q=hindi", "/sitemap.xml", "/sitemaps/datasets-1.xml", "/catalogue/feed.atom", "/catalogue/dcat.jsonld",
		r.URL + "/dcat.jsonld", r.URL + "/ro-crate-metadata.json", r.URL + "/croissant.svg", "/croissant", "/croissant/rules/E024", "/", "/docs", "/llms.txt", "/openapi.json"} {
		get, head := s.fetch(http.MethodGet, at), s.fetch(http.MethodHead, at)
		if get.status != http.StatusOK || head.status != http.StatusOK || head.body != "" || get.body == "" {
			t.Errorf("%s = %d with %d bytes, HEAD %d with %d; want 200 and a body, 200 and none", get.what, get.status, len(get.body), head.status, len(head.body))
		}
	}
	for _, at := range []string{"/api/catalogue/datasets", r.Record, r.Croissant, r.Manifest, r.Sample.URL} {
		if a := s.fetch(http.MethodGet, at, "Origin: https://example.org"); a.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: no script of another origin may read it: %v", a.what, a.header)
		}
		a := s.fetch(http.MethodOptions, at, "Origin: https://example.org", "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: range")
		if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Allow-Headers") == "" {
			t.Errorf("%s = %d %v, want leave", a.what, a.status, a.header)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
		s.fetch(method, "/api/catalogue/datasets").refused(t, http.StatusMethodNotAllowed, "method_not_allowed")
	}
	for _, at := range []string{"/", "/llms.txt", "/catalogue"} {
		if a := s.fetch(http.MethodGet, at); strings.Contains(a.body, "/v1/") || strings.Contains(a.body, "/health") {
			t.Errorf("%s tells of speech, which is not served: %s", a.what, a.body)
		}
	}
	if a := s.fetch(http.MethodPost, "/v1/audio/speech"); a.status != http.StatusNotFound {
		t.Errorf("%s = %d without that service, want 404", a.what, a.status)
	}
}

func (s *server) servesFiles(t *testing.T) {
	r := s.record("hindi-calls")
	whole := s.fetch(http.MethodGet, r.Sample.URL)
	if whole.status != http.StatusOK || int64(len(whole.body)) != r.Sample.SizeBytes || whole.header.Get("Content-Type") != "audio/flac" {
		t.Fatalf("%s = %d with %d bytes of %s, want %d", whole.what, whole.status, len(whole.body), whole.header.Get("Content-Type"), r.Sample.SizeBytes)
	}
	n := len(whole.body)
	for ask, want := range map[string]string{
		"bytes=0-0":                            whole.body[:1],
		"bytes=100-299":                        whole.body[100:300],
		fmt.Sprintf("bytes=%d-", n-5):          whole.body[n-5:],
		"bytes=-7":                             whole.body[n-7:],
		fmt.Sprintf("bytes=%d-%d", n-2, 100*n): whole.body[n-2:],
	} {
		if a := s.fetch(http.MethodGet, r.Sample.URL, "Range: "+ask); a.status != http.StatusPartialContent || a.body != want {
			t.Errorf("%s with %s = %d with %d bytes, want 206 with %d", a.what, ask, a.status, len(a.body), len(want))
		}
	}
	a := s.fetch(http.MethodGet, r.Sample.URL, fmt.Sprintf("Range: bytes=%d-", n))
	a.refused(t, http.StatusRequestedRangeNotSatisfiable, "range_not_satisfiable")
	if got := a.header.Get("Content-Range"); got != fmt.Sprintf("bytes */%d", n) {
		t.Errorf("%s: Content-Range %q", a.what, got)
	}
	for _, odd := range []string{"bytes=5-2", "bytes=x", "words=0-1", "bytes=0-0,-1", "bytes=" + strings.Repeat("0-1,", 500) + "0-1", "bytes=99999999999999999999-"} {
		if a := s.fetch(http.MethodGet, r.Sample.URL, "Range: "+odd); a.status == 0 || a.status >= 500 || len(a.body) > 2*n {
			t.Errorf("%s with Range %.40s = %d with %d bytes", a.what, odd, a.status, len(a.body))
		}
	}
	for _, stream := range r.Sample.Streams {
		if a := s.fetch(http.MethodGet, stream.URL); a.status != http.StatusOK || !strings.HasPrefix(a.body, "RIFF") || a.header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("%s = %d %.20q", a.what, a.status, a.body)
		}
	}
	for _, name := range []string{"sample.wav", "waveform.json", "segments.csv", "segments.vtt"} {
		if a := s.fetch(http.MethodGet, "/catalogue/datasets/hindi-calls/sample/"+name); a.status != http.StatusOK || a.body == "" {
			t.Errorf("%s = %d with %d bytes", a.what, a.status, len(a.body))
		}
	}
}

func (s *server) servesTags(t *testing.T) {
	r := s.record("hindi-calls")
	for _, at := range []string{"/api/catalogue/datasets", "/api/catalogue/datasets?q=hindi&facets=true", r.Record, r.Croissant, r.Croissant + "?version=1.1", r.Sample.URL, r.Manifest, "/catalogue", r.URL} {
		tag := s.fetch(http.MethodGet, at).header.Get("ETag")
		for send, want := range map[string]int{tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, "": 200, `"`: 200} {
			if want == 304 && send == "*" && !strings.Contains(at, "api") && !strings.Contains(at, "json") {
				continue // pages need not know it
			}
			a := s.fetch(http.MethodGet, at, "If-None-Match: "+send)
			if tag == "" || a.status != want || (a.body == "") != (want == 304) {
				t.Errorf("%s with If-None-Match %s = %d with %d bytes, want %d", a.what, send, a.status, len(a.body), want)
			}
		}
	}
}

func (s *server) refusesUnknown(t *testing.T) {
	e := s.fetch(http.MethodGet, "/api/catalogue/datasets/hindi-cals").refused(t, http.StatusNotFound, "not_found")
	if !slices.Contains(e.DidYouMean, "hindi-calls") || e.Slug != "hindi-cals" {
		t.Errorf("hindi-cals: %+v, want hindi-calls to be named", e)
	}
	for _, name := range []string{"nothing", "HINDI-CALLS", "ds_aaaaaaaaaaaaaaaa", "a%2F..%2Fb", "%00", "..%2f..%2fetc", strings.Repeat("x", 2000), "%F0%9F%98%80", "hindi-calls%20", "%ff"} {
		s.fetch(http.MethodGet, "/api/catalogue/datasets/"+name).refused(t, http.StatusNotFound, "not_found")
		s.fetch(http.MethodGet, "/catalogue/datasets/"+name+"/recordings.csv").refused(t, http.StatusNotFound, "not_found")
		s.fetch(http.MethodGet, "/catalogue/datasets/"+name+"/croissant.json").refused(t, http.StatusNotFound, "not_found")
		s.fetch(http.MethodGet, "/catalogue/datasets/hindi-calls/sample/"+name).refused(t, http.StatusNotFound, "not_found")
		if a := s.fetch(http.MethodGet, "/catalogue/datasets/"+name); a.status != http.StatusNotFound {
			t.Errorf("%s = %d, want 404", a.what, a.status)
		}
	}
}

// servesCroissant compares what is served with what is printed, and has it checked.
func (s *server) servesCroissant(t *testing.T) {
	r := s.record("hindi-calls")
	if link := s.fetch(http.MethodGet, r.Record).header.Get("Link"); link != "<"+r.Croissant+`>; rel="describedby"; type="application/ld+json"` {
		t.Errorf("%s: Link %s does not lead to %s", r.Record, link, r.Croissant)
	}
	for _, version := range []string{"1.0", "1.1"} {
		a := s.fetch(http.MethodGet, r.Croissant+"?version="+version)
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(a.body), "", "  "); err != nil || a.status != http.StatusOK {
			t.Fatalf("%s = %d %.200s, %v", a.what, a.status, a.body, err)
		}
		if got := s.vaak("croissant", "show", "hindi-calls", "--version", version, "--public-url", s.public); got != b.String() {
			t.Errorf("vaak croissant show --version %s prints %.300s, not what is served", version, got)
		}
		for what, want := range map[string]bool{a.body: true, "": false, "\x00\xff": false, strings.Replace(a.body, `"license"`, `"licence"`, 1): false} {
			resp, err := http.Post(s.public+"/api/catalogue/croissant/validate", "text/plain", strings.NewReader(what))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if valid := strings.HasPrefix(string(text), `{"valid":true,`); err != nil || resp.StatusCode != http.StatusOK || valid != want {
				t.Errorf("the check of %.40q: %d %.300s, %v; want valid: %v", what, resp.StatusCode, text, err, want)
			}
		}
	}
}

// nastyQueries are queries of the list; what they ask is refused or found, never
// a fault of the server.
func nastyQueries() []string {
	all := []string{
		"%", "%zz", "q=%00", "q=%ff%fe", "q=" + strings.Repeat("a", 9000), "q=" + strings.Repeat("a%20", 1500), "q=%E0%A4%95%E2%80%8D", "q='%20OR%201=1--",
		"q=*", "q=((", "q=%5B", "q=%F0%9F%98%80", "q=%E2%80%AE", "q=+++", "q=a&q=b", "language=xx", "language=,,,", "language=hi,hi,hi", "language=%00",
		"language=" + strings.Repeat("hi,", 3000), "language=hi-IN-x-y-z-1", "channels=both", "channels=DUAL", "channels=", "collection=%00", "collection=x",
		"sample=maybe", "sample=1&sample=0", "sample=%FF", "transcribed=TRUE", "min_hours=NaN", "min_hours=-1", "min_hours=Inf", "min_hours=1e309", "min_hours=-0",
		"min_hours=0x10", "min_hours=1_000", "limit=0", "limit=-1", "limit=1e3", "limit=99999999999999999999", "limit=1.5", "cursor=x", "cursor=AAAA",
		"cursor=%00", "cursor=" + strings.Repeat("A", 4000), "cursor=eyJhIjoxfQ", "cursor=____", "facets=yes", "facets=true&limit=1&cursor=zz", ";", "a;b=c", "&&&&", "==",
		"%6C%69%6D%69%74=x", "q[]=1", "__proto__=1", "q=a&" + strings.Repeat("x=1&", 2000),
	}
	for i := range 40 {
		all = append(all, fmt.Sprintf("x%d=%d", i, i))
	}
	return all
}

func (s *server) refusesQueries(t *testing.T) {
	host := strings.TrimPrefix(s.public, "http://")
	addresses := []string{"/api/catalogue/datasets?"}
	if !testing.Short() {
		addresses = append(addresses, "/catalogue?", "/api/catalogue/datasets/hindi-calls?", "/catalogue/datasets/hindi-calls/recordings.csv?v=", "/catalogue/datasets/hindi-calls/croissant.json?version=1.0&", "/catalogue/datasets/hindi-calls?")
	}
	for _, at := range addresses {
		for _, q := range nastyQueries() {
			resp, err := http.DefaultTransport.RoundTrip(&http.Request{Method: http.MethodGet, Header: http.Header{},
				URL: &url.URL{Scheme: "http", Host: host, Opaque: at + q}})
			if err != nil {
				t.Errorf("GET %s%.60s: %v", at, q, err)
				continue
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK && (resp.StatusCode < 400 || resp.StatusCode >= 500) {
				t.Errorf("GET %s%.60s = %d", at, q, resp.StatusCode)
			}
		}
	}
}

// servesSlowly reads a file in two goes with others in between, and leaves another
// in the middle: neither holds up who comes next.
func (s *server) servesSlowly(t *testing.T) {
	r := s.record("hindi-calls")
	before := descriptors(s.cmd.Process.Pid)
	path, _ := strings.CutPrefix(r.Sample.URL, s.public)
	var kept []net.Conn
	for range 20 {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.public, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		kept = append(kept, c)
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path)
		if _, err := io.ReadFull(c, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	if a := s.fetch(http.MethodGet, r.Sample.URL); a.status != http.StatusOK {
		t.Errorf("%s beside slow readers = %d after %s", a.what, a.status, time.Since(began))
	}
	for _, c := range kept[1:] {
		_ = c.Close() // they leave
	}
	rest, err := io.ReadAll(kept[0])
	if err != nil || int64(len(rest)) < r.Sample.SizeBytes {
		t.Errorf("the slow reader got %d bytes, %v, want more than %d", len(rest), err, r.Sample.SizeBytes)
	}
	http.DefaultClient.CloseIdleConnections()
	soon(t, "the files of who left are closed", func() bool { return descriptors(s.cmd.Process.Pid) <= before })
}

// servesBackup serves from a backup that was made while the server runs.
func (s *server) servesBackup(t *testing.T) {
	want := s.fetch(http.MethodGet, s.record("hindi-calls").Sample.URL)
	file, dir := filepath.Join(t.TempDir(), "backup.tar.gz"), filepath.Join(t.TempDir(), "new")
	s.vaak("backup", file)
	s.vaak("restore", file, "--data-dir", dir)
	other := &server{t: t, dir: dir, env: append(slices.Clone(s.env), "VAAK_DATA_DIR="+dir)}
	other.serve("--services", "catalogue")
	if got := other.fetch(http.MethodGet, other.record("hindi-calls").Sample.URL); got.status != http.StatusOK || got.body != want.body {
		t.Errorf("the sample of a restored server: %d with %d bytes, want %d", got.status, len(got.body), len(want.body))
	}
	other.stop()
	noFaults(t, other)
}

// TestLengthyServeBoth serves the catalogue beside speech.
func TestLengthyServeBoth(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	s.vaak("dataset", "ingest", corpus{slug: "hindi-calls", calls: 1, seconds: 4, format: "wav"}.folder(t), "--publish")
	soon(t, "hindi-calls is listed", func() bool { return slices.Contains(s.listed(""), "hindi-calls") })
	s.mustSpeak(map[string]any{"input": "Hello."})
	for _, at := range []string{"/catalogue", "/catalogue/datasets/hindi-calls", "/health", s.record("hindi-calls").Sample.URL} {
		if a := s.fetch(http.MethodGet, at); a.status != http.StatusOK {
			t.Errorf("%s = %d, want 200", a.what, a.status)
		}
	}
	if a := s.fetch(http.MethodGet, "/openapi.json"); strings.TrimSuffix(a.body, "\n") != s.vaak("openapi") {
		t.Errorf("%s = %d, not what vaak openapi prints", a.what, a.status)
	}
	s.stop()
	noFaults(t, s)
}

// TestLengthyCatalogueDrains stops a server while a file is being read: it is sent to its
// end.
func TestLengthyCatalogueDrains(t *testing.T) {
	slow(t)
	t.Parallel()
	s := startCatalogue(t, "")
	s.vaak("dataset", "ingest", corpus{slug: "long-call", calls: 1, seconds: 600, format: "wav"}.folder(t), "--publish")
	soon(t, "long-call is listed", func() bool { return len(s.listed("")) == 1 })
	r := s.record("long-call")
	resp, err := http.Get(r.Sample.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.CopyN(io.Discard, resp.Body, 1000); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.end(syscall.SIGTERM) }()
	soon(t, "it takes no more connections", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.public, "http://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	if n, err := io.Copy(io.Discard, resp.Body); err != nil || n+1000 != r.Sample.SizeBytes {
		t.Errorf("the reader got %d bytes, %v, want %d", n+1000, err, r.Sample.SizeBytes)
	}
	if err := <-ended; err != nil {
		t.Errorf("after SIGTERM: %v; log: %s", err, s.log)
	}
	noFaults(t, s)
}

// TestPublicRateOfCatalogue asks more than an address may.
func TestPublicRateOfCatalogue(t *testing.T) {
	t.Parallel()
	s := startCatalogue(t, "", "--public-rate", "5")
	for range 5 {
		s.listed("")
	}
	a := s.fetch(http.MethodGet, "/api/catalogue/datasets")
	e := a.refused(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	if wait := a.header.Get("Retry-After"); wait == "" || wait != fmt.Sprint(e.RetryAfterSeconds) {
		t.Errorf("%s: Retry-After %q and %d in the body, want the same", a.what, wait, e.RetryAfterSeconds)
	}
	s.fetch(http.MethodGet, "/api/catalogue/datasets/x").refused(t, http.StatusTooManyRequests, "rate_limit_exceeded")
	s.stop()
}

// TestLengthyCatalogueReachesEveryServer brings in, suspends and publishes on one machine
// what two servers serve.
func TestLengthyCatalogueReachesEveryServer(t *testing.T) {
	slow(t)
	t.Parallel()
	for name, database := range map[string]func(*testing.T) string{
		"SQLite":     func(*testing.T) string { return "" },
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := startCatalogue(t, database(t))
			second := *first // the same data directory, as files have to be shared
			second.serve("--services", "catalogue")
			servers := []*server{first, &second}
			expect := func(what string, want ...string) {
				t.Helper()
				for i, s := range servers {
					soon(t, fmt.Sprintf("server %d: %s", i, what), func() bool { return slices.Equal(s.listed(""), want) })
				}
			}
			data := corpus{slug: "hindi-calls", calls: 1, seconds: 10, format: "wav"}
			first.vaak("dataset", "ingest", data.folder(t), "--publish")
			expect("published", "hindi-calls")
			for _, s := range servers {
				if a := s.fetch(http.MethodGet, s.record("hindi-calls").Sample.URL); a.status != http.StatusOK {
					t.Errorf("%s = %d", a.what, a.status)
				}
			}
			first.vaak("dataset", "suspend", "hindi-calls")
			expect("suspended")
			first.vaak("dataset", "publish", "hindi-calls")
			expect("published again", "hindi-calls")
			data.card = "version: 3.0.0\n"
			first.vaak("dataset", "ingest", data.folder(t))
			for _, s := range servers {
				soon(t, "the new version", func() bool {
					return strings.Contains(s.fetch(http.MethodGet, "/api/catalogue/datasets/hindi-calls").body, `"version":"3.0.0"`)
				})
			}
			for _, s := range servers {
				s.stop()
				noFaults(t, s)
			}
		})
	}
}

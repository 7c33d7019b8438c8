package rest

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// nobody is a client that costs nothing.
type nobody struct{ h http.Header }

func (n nobody) Header() http.Header       { return n.h }
func (nobody) WriteHeader(int)             {}
func (nobody) Write(p []byte) (int, error) { return len(p), nil }
func (nobody) Flush()                      {}

// BenchmarkSpeech measures what edge and rest cost over a service that answers
// at once, log line included.
func BenchmarkSpeech(b *testing.B) {
	h := newHandler(b, Config{Logger: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	for _, bb := range []struct{ name, more string }{
		{"whole", ``},
		{"stream", `,"stream":true`},
		{"events", `,"stream_format":"sse"`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			body := `{"model":"speech-1","input":"The quick brown fox jumps over the lazy dog.","voice":"sv_aaaaaaaaaaaaaaaa"` + bb.more + `}`
			r := speak(body)
			b.ReportAllocs()
			for b.Loop() {
				r.Body = io.NopCloser(strings.NewReader(body))
				h.ServeHTTP(nobody{http.Header{}}, r)
			}
		})
	}
}

// BenchmarkVoices measures what the list of voices costs, plain, compressed and for
// those who have it.
func BenchmarkVoices(b *testing.B) {
	h := newHandler(b, Config{})
	const zipped, path = "gzip", "/v1/voices"
	tag := do(h, request("GET", path, "", "Accept-Encoding", zipped)).Header().Get("ETag")
	for name, r := range map[string]*http.Request{
		"plain":     request("GET", path, ""),
		"gzip":      request("GET", path, "", "Accept-Encoding", zipped),
		"unchanged": request("GET", path, "", "Accept-Encoding", zipped, "If-None-Match", tag),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(nobody{http.Header{}}, r)
			}
		})
	}
}

// BenchmarkCroissant measures what serving a document that is kept costs beside a
// handler that does nothing but write the same bytes.
func BenchmarkCroissant(b *testing.B) {
	h := newHandler(b, Config{Catalogue: newCatalogue(b)})
	r := request("GET", metadata, "")
	body := do(h, r).Body.Bytes()
	for name, h := range map[string]http.Handler{"served": h, "static": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/ld+json")
		_, _ = w.Write(body)
	})} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(nobody{http.Header{}}, r)
			}
		})
	}
}

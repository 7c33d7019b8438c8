package web_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/web"
)

// TestServeForBrowser serves the pages of the tests' catalogue at the address that
// VAAK_SERVE_PAGES names, until it is interrupted, for a look with a browser. There an
// enquiry waits at /enquiry/confirm/tok-1, and a sample at
// /enquiry/sample/rel_1?expires=2&signature=s:
//
//	VAAK_SERVE_PAGES=127.0.0.1:8090 go test -run TestServeForBrowser -timeout 0 ./web
func TestServeForBrowser(t *testing.T) {
	address := os.Getenv("VAAK_SERVE_PAGES")
	if address == "" {
		t.Skip("VAAK_SERVE_PAGES names no address")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	h, err := web.New(askingConfig(newClerk(), shelves()))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for _, p := range h.Patterns() {
		mux.Handle(p, h)
	}
	mux.HandleFunc("GET /catalogue/datasets/{slug}/sample/{name}", serveSample)
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "../openapi.json") })
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	_ = server.Serve(listener) // ends when it is closed
}

// serveSample answers with two tones that are loud where the sample's speakers
// speak, whatever the file is called.
func serveSample(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if path.Ext(name) != ".wav" {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		_, _ = io.WriteString(w, "start,end,text\n")
		return
	}
	channels := 2
	if strings.HasPrefix(name, "channel") || r.PathValue("slug") == "hinglish-chat" {
		channels = 1
	}
	http.ServeContent(w, r, name, time.Unix(1, 0), bytes.NewReader(tones(channels, 24)))
}

// tones is a WAV file of 8 kHz.
func tones(channels, seconds int) []byte {
	const rate = 8000
	frames := rate * seconds
	var b bytes.Buffer
	size := uint32(frames * channels * 2)
	b.WriteString("RIFF")
	_ = binary.Write(&b, binary.LittleEndian, size+36)
	b.WriteString("WAVEfmt ")
	_ = binary.Write(&b, binary.LittleEndian, struct {
		Size             uint32
		Format, Channels uint16
		Rate, Bytes      uint32
		Align, Bits      uint16
	}{16, 1, uint16(channels), rate, uint32(rate * channels * 2), uint16(channels * 2), 16})
	b.WriteString("data")
	_ = binary.Write(&b, binary.LittleEndian, size)
	for i := range frames {
		t := float64(i) / rate
		for c := range channels {
			v := level(hindiTurns, c+1, t) * math.Sin(2*math.Pi*float64(200+90*c)*t) * 8000
			_ = binary.Write(&b, binary.LittleEndian, int16(v))
		}
	}
	return b.Bytes()
}

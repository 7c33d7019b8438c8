package main

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"vaak/audio"
)

// naiveSource is both what is built and what the document shows.
//
//go:embed naive/main.go
var naiveSource []byte

// startNaive builds the naive server in dir and starts it.
func startNaive(ctx context.Context, dir string) (*server, error) {
	source, program := filepath.Join(dir, "naive.go"), filepath.Join(dir, "naive")
	if err := os.WriteFile(source, naiveSource, 0o600); err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, source)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the naive server: %w: %s", err, out)
	}
	s := &server{name: "naive", format: audio.Format{Codec: audio.WAV, SampleRate: 22050}, header: wavHeader}
	s.request = func(t sample) []byte {
		return fmt.Appendf(nil, "POST /speech?voice=%s HTTP/1.1\r\nHost: %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s",
			url.QueryEscape(t.lang.library.Voice), s.addr, len(t.text), t.text)
	}
	return s, s.start(exec.CommandContext(ctx, program), dir)
}

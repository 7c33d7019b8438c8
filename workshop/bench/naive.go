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
	program := filepath.Join(dir, "naive")
	if err := buildAlone(ctx, dir, naiveSource, program); err != nil {
		return nil, err
	}
	s := &server{name: "naive", format: audio.Format{Codec: audio.WAV, SampleRate: 22050}, header: wavHeader}
	s.request = func(t sample) []byte {
		return fmt.Appendf(nil, "POST /speech?voice=%s HTTP/1.1\r\nHost: %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s",
			url.QueryEscape(t.lang.library.Voice), s.addr, len(t.text), t.text)
	}
	return s, s.start(exec.CommandContext(ctx, program), dir)
}

// buildAlone builds a program of one source file that needs the standard library
// alone.
func buildAlone(ctx context.Context, dir string, source []byte, program string) error {
	file := program + ".go"
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, file)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w: %s", filepath.Base(program), err, out)
	}
	return nil
}

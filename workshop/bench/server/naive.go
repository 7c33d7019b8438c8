package server

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"

	"vaak/audio"
	"vaak/workshop/bench/corpus"
)

// NaiveSource is both what is built and what the document shows.
//
//go:embed naive/main.go
var NaiveSource []byte

// StartNaive builds the naive server in dir and starts it.
func StartNaive(ctx context.Context, dir string) (*Server, error) {
	program := filepath.Join(dir, "naive")
	if err := BuildAlone(ctx, dir, NaiveSource, program); err != nil {
		return nil, err
	}
	s := &Server{Name: "naive", Format: audio.Format{Codec: audio.WAV, SampleRate: 22050}, Header: WavHeader}
	s.Request = func(t corpus.Sample) []byte {
		return fmt.Appendf(nil, "POST /speech?voice=%s HTTP/1.1\r\nHost: %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s",
			url.QueryEscape(t.Lang.Library.Voice), s.Addr, len(t.Text), t.Text)
	}
	return s, s.Start(exec.CommandContext(ctx, program), dir)
}

// BuildAlone builds a program of one source file that needs the standard library
// alone.
func BuildAlone(ctx context.Context, dir string, source []byte, program string) error {
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

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/croissant/check"
)

// endless is a document without an end, and counts what was read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

// TestCroissantStatus checks exit statuses, and that what is too large is told of
// without being read.
func TestCroissantStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad, huge := filepath.Join(dir, "bad.json"), filepath.Join(dir, "huge.json")
	if err := os.WriteFile(bad, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(huge, make([]byte, check.MaxDocument+1000), 0o600); err != nil {
		t.Fatal(err)
	}
	forever := &endless{}
	for _, tt := range []struct {
		args    []string
		in      io.Reader
		status  int
		reports []string // code of the first error
	}{
		{[]string{"--help"}, nil, 0, nil},
		{[]string{"validate", "--help"}, nil, 0, nil},
		{[]string{"show", "--help"}, nil, 0, nil},
		{[]string{"validate"}, nil, 2, nil},
		{[]string{"validate", "--strict", bad}, nil, 2, nil},
		{[]string{"show"}, nil, 2, nil},
		{[]string{"show", "x", "--version", "2"}, nil, 2, nil},
		{[]string{"show", "x", "--data-dir", dir}, nil, 1, nil},
		{[]string{"validate", filepath.Join(dir, "none")}, nil, 1, nil},
		{[]string{"validate", dir, bad}, nil, 1, []string{"E"}},
		{[]string{"validate", huge}, nil, 1, []string{"E000"}},
		{[]string{"validate", "-", bad, "-"}, nil, 2, nil},
		{[]string{"validate", "-"}, forever, 1, []string{"E000"}},
		{[]string{"validate", bad, "-"}, strings.NewReader("\xff"), 1, []string{"E", "E000"}},
	} {
		var out, stderr bytes.Buffer
		status := run(context.Background(), append([]string{"croissant"}, tt.args...), tt.in, &out, &stderr)
		if status != tt.status || (stderr.Len() == 0) != (status == 0) || strings.Count(stderr.String(), "\n") > 1 {
			t.Errorf("vaak croissant %q = %d, %q; want %d, and a line if it is not 0", tt.args, status, &stderr, tt.status)
		}
		if status == 0 {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if out.Len() == 0 {
			lines = nil
		}
		if len(lines) != len(tt.reports) {
			t.Errorf("vaak croissant %q prints %d lines, want %d: %.300s", tt.args, len(lines), len(tt.reports), &out)
			continue
		}
		for i, line := range lines {
			var r croissantReport
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.File == "" || r.Valid || len(r.Errors) == 0 || !strings.HasPrefix(r.Errors[0].Code, tt.reports[i]) {
				t.Errorf("vaak croissant %q prints %.300s, want a report with %s", tt.args, line, tt.reports[i])
			}
		}
	}
	if forever.read > 4*check.MaxDocument {
		t.Errorf("%d bytes were read of a document without an end", forever.read)
	}
}

// TestCroissantInterrupted checks that a command that waits for input ends when it
// is told to.
func TestCroissantInterrupted(t *testing.T) {
	t.Parallel()
	in, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(t.Context())
	status := make(chan int)
	go func() { status <- run(ctx, []string{"croissant", "validate", "-"}, in, io.Discard, io.Discard) }()
	_, _ = never.Write([]byte("{")) // it reads by now
	cancel()
	select {
	case got := <-status:
		if got != 1 {
			t.Errorf("vaak croissant validate - = %d after an interrupt, want 1", got)
		}
	case <-time.After(time.Minute):
		t.Error("vaak croissant validate - waits for input after an interrupt")
	}
}

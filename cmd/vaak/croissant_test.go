package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
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

// TestCommandCroissantStatus checks exit statuses, and that what is too large is told of
// without being read.
func TestCommandCroissantStatus(t *testing.T) {
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

// TestCommandCroissantInterrupted checks that a command that waits for input ends when it
// is told to.
func TestCommandCroissantInterrupted(t *testing.T) {
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

// TestCommandCroissantAddress checks a document at an address, which is on this machine since that is
// what was asked, and prints what people read.
func TestCommandCroissantAddress(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/croissant.json" {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, "../../croissant/check/testdata/good/minimal-1.1.json")
	}))
	defer server.Close()
	var out, stderr bytes.Buffer
	status := run(context.Background(), []string{"croissant", "validate", server.URL + "/croissant.json"}, nil, &out, &stderr)
	var r croissantReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || status != 0 || !r.Valid || r.File != server.URL+"/croissant.json" {
		t.Errorf("%d, %v: %s%s", status, err, &out, &stderr)
	}
	out.Reset()
	status = run(context.Background(), []string{"croissant", "validate", "--text", server.URL + "/croissant.json", "-", server.URL + "/none"}, strings.NewReader("{}"), &out, &stderr)
	for _, want := range []string{"/croissant.json: valid, Croissant 1.1; errors 0, ", "\n-: invalid; ", "\n  E003 error /conformsTo\n    ", "    rule: conformsTo names a known version"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, &out)
		}
	}
	if status != 1 || !strings.Contains(stderr.String(), "1 of 2 documents invalid; ") || !strings.Contains(stderr.String(), "404") {
		t.Errorf("status %d, %s", status, &stderr)
	}
}

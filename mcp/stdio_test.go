package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vaak/account"
	"vaak/mcp"
	"vaak/speech"
)

// talk serves one client that sends all its messages and hangs up, and returns
// the answers, those with an id in the order of their ids.
func talk(t testing.TB, s *mcp.Server, messages ...string) [][]byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(strings.Join(messages, "\n")), &out, mcp.Speech); err != nil {
		t.Fatalf("ServeStdio: %v", err)
	}
	var answers [][]byte
	for line := range bytes.Lines(out.Bytes()) {
		if !json.Valid(line) {
			t.Fatalf("a line of output is not JSON: %q", line)
		}
		answers = append(answers, line)
	}
	slices.SortStableFunc(answers, func(a, b []byte) int { return number(a) - number(b) })
	return answers
}

func number(message []byte) int {
	var m struct{ ID int }
	_ = json.Unmarshal(message, &m) // a null id is 0
	return m.ID
}

// client talks over pipes, as a host does.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
	done  chan error
}

func connect(t *testing.T, ctx context.Context, s *mcp.Server) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, lines: bufio.NewScanner(outR), done: make(chan error, 1)}
	c.lines.Buffer(nil, 8<<20)
	go func() {
		err := s.ServeStdio(ctx, inR, outW, mcp.Speech)
		outW.Close()
		c.done <- err
	}()
	t.Cleanup(func() { inW.Close() })
	return c
}

func (c *client) send(message string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, message+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() []byte {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatalf("no answer: %v", c.lines.Err())
	}
	return bytes.Clone(c.lines.Bytes())
}

func TestStdioSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var caller account.Caller
	s := newServer(t, mcp.Config{OutputDir: dir, Speech: drone{before: func(_ context.Context, c account.Caller, _ speech.Request) error {
		caller = c
		return nil
	}}})
	c := connect(t, t.Context(), s)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if got := string(c.receive()); !strings.Contains(got, `"protocolVersion":"2025-06-18"`) {
		t.Errorf("initialize answered %s", got)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.send(request(2, "synthesize_speech", map[string]any{"text": "Good morning.", "file_name": "../../etc/good morning.wav"}))
	r := decodeResult(t, c.receive())
	want := filepath.Join(dir, "etc-good-morning.wav")
	if r.IsError || !strings.Contains(r.text(), want) {
		t.Fatalf("synthesize_speech = %+v, want the path %s", r, want)
	}
	data, err := os.ReadFile(want)
	if err != nil || !bytes.HasPrefix(data, []byte("RIFF")) {
		t.Errorf("file begins with %.4q (%v), want a wav file", data, err)
	}
	if caller != account.Local {
		t.Errorf("caller = %+v, want the local one", caller)
	}
	c.in.Close()
	if err := <-c.done; err != nil {
		t.Errorf("ServeStdio = %v at the end of input, want nil", err)
	}
}

func TestStdioModern(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	answers := talk(t, newServer(t, mcp.Config{}),
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+meta+`}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_languages","arguments":{"query":"hi"},`+meta+`}}`)
	if len(answers) != 2 || !bytes.Contains(answers[0], []byte(`"2026-07-28"`)) {
		t.Fatalf("answers = %s", answers)
	}
	if r := decodeResult(t, answers[1]); r.IsError || !strings.Contains(r.text(), "hi|Hindi") {
		t.Errorf("list_languages = %+v", r)
	}
}

func TestFilesAreNotReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "letter.wav"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside.wav")
	if err := os.Symlink(outside, filepath.Join(dir, "link.wav")); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, mcp.Config{OutputDir: dir})
	for _, name := range []string{"letter", "letter.wav", "link.wav"} {
		r := decodeResult(t, talk(t, s, request(1, "synthesize_speech", map[string]any{"text": "x", "file_name": name}))[0])
		if !r.IsError || !strings.HasPrefix(r.text(), "file_exists (file_name): ") {
			t.Errorf("file_name %q = %+v, want file_exists", name, r)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "letter.wav")); string(data) != "precious" {
		t.Errorf("the file was replaced by %q", data)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file was written through a link out of the directory")
	}
}

func TestFailedFilesAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newServer(t, mcp.Config{OutputDir: dir, Speech: drone{before: func(_ context.Context, _ account.Caller, req speech.Request) error {
		if req.Speed == 0.7 {
			panic("cannot speak so slowly")
		}
		return nil
	}}})
	for _, args := range []map[string]any{{"text": "x", "voice_id": "sv_none"}, {"text": "x", "speed": 0.7}} {
		r := decodeResult(t, talk(t, s, request(1, "synthesize_speech", args))[0])
		if !r.IsError {
			t.Errorf("result of %v = %+v, want an error", args, r)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("files left behind: %v (%v)", files, err)
	}
}

// TestStdioAnswersAtEnd pipes requests in and hangs up at once: each is still
// answered, the last without a line feed too.
func TestStdioAnswersAtEnd(t *testing.T) {
	t.Parallel()
	var messages []string
	for i := range 40 {
		messages = append(messages, request(i+1, "synthesize_speech", map[string]any{"text": "x"}))
	}
	if got := len(talk(t, newServer(t, mcp.Config{}), messages...)); got != len(messages) {
		t.Errorf("%d answers to %d requests", got, len(messages))
	}
}

func TestStdioBadLines(t *testing.T) {
	t.Parallel()
	answers := talk(t, newServer(t, mcp.Config{}),
		"", "  \r", "{", `[1]`, `{"jsonrpc":"1.0","id":0,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":0,"method":"ping","params":{"pad":"`+strings.Repeat("x", 1<<20)+`"}}`,
		`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	if len(answers) != 5 {
		t.Fatalf("%d answers, want 5: %s", len(answers), answers)
	}
	for _, a := range answers[:4] {
		if !bytes.Contains(a, []byte(`"error"`)) {
			t.Errorf("answer = %s, want an error", a)
		}
	}
	if got := string(answers[4]); !strings.Contains(got, `"result":{}`) {
		t.Errorf("ping after bad lines = %s", got)
	}
}

func TestStdioCancelledCall(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	s := newServer(t, mcp.Config{Speech: drone{before: func(ctx context.Context, _ account.Caller, _ speech.Request) error {
		close(started)
		<-ctx.Done()
		return fmt.Errorf("speak: %w", context.Cause(ctx))
	}}})
	c := connect(t, t.Context(), s)
	c.send(request(7, "synthesize_speech", map[string]any{"text": "A long story."}))
	<-started
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if r := decodeResult(t, c.receive()); !r.IsError || !strings.HasPrefix(r.text(), "cancelled: ") {
		t.Errorf("result = %+v, want cancelled", r)
	}
	c.in.Close()
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}

func TestStdioEnds(t *testing.T) {
	t.Parallel()
	t.Run("context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		c := connect(t, ctx, newServer(t, mcp.Config{}))
		cancel()
		if err := <-c.done; !errors.Is(err, context.Canceled) {
			t.Errorf("ServeStdio = %v, want %v", err, context.Canceled)
		}
	})
	t.Run("reader fails", func(t *testing.T) {
		t.Parallel()
		c := connect(t, t.Context(), newServer(t, mcp.Config{}))
		c.in.CloseWithError(os.ErrDeadlineExceeded)
		if err := <-c.done; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("ServeStdio = %v, want %v", err, os.ErrDeadlineExceeded)
		}
	})
	t.Run("writer fails", func(t *testing.T) {
		t.Parallel()
		in, feed := io.Pipe()
		defer feed.Close()
		_, out := io.Pipe()
		out.CloseWithError(io.ErrClosedPipe)
		go func() { _, _ = io.WriteString(feed, listRequest+"\n") }()
		if err := newServer(t, mcp.Config{}).ServeStdio(t.Context(), in, out, mcp.Speech); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("ServeStdio = %v, want %v", err, io.ErrClosedPipe)
		}
	})
}

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestCommandMistypedDataDirectory runs every command that touches state with a data directory
// that is not there. Those that begin something may make it; each other one must say
// what is wrong, and leave nothing behind.
func TestCommandMistypedDataDirectory(t *testing.T) {
	t.Parallel()
	// demo, ingest, measure and import begin with a folder, the engine or a document, and a voice can be added first
	// of all; speak needs no directory; restore, doctor and upgrade check have tests of their own.
	begins := []string{"serve", "migrate", "org create", "plan set", "demo", "dataset ingest", "dataset measure", "croissant import", "voice add", "speak", "restore", "doctor", "upgrade check"}
	given := map[string]string{
		"<id>": "some", "<name>": "some", "<slug>": "some", "<a>": "one", "<b>": "other", "<person>": "some", "<mailid>": "some",
		"<keyid>": "some", "<file>": filepath.Join(t.TempDir(), "file"),
	}
	flags := map[string][]string{
		"key create": {"--org", "some"}, "key list": {"--org", "some"}, "lot grant": {"--org", "some", "--characters", "5"},
		"lot list": {"--org", "some"}, "subscription set": {"--org", "some", "--plan", "free"}, "subscription show": {"--org", "some"},
		"org limit": {"--rpm", "5"}, "enquiry release": {"--public-url", "http://127.0.0.1:8080"}, "enquiry purge": {"--before", "2020-01-01T00:00:00Z"},
		"mcp": {"--catalogue"}, "webhook replay": {"--failed-since", "2020-01-01T00:00:00Z"},
	}
	app, err := kong.New(&cli{}, helpVars())
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range app.Model.Leaves(true) {
		command, args := leaf.Path(), []string(nil)
		command = strings.TrimPrefix(command, app.Model.Name+" ")
		if !slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == "data-dir" }) || slices.Contains(begins, command) {
			continue
		}
		args = append(strings.Fields(command), flags[command]...)
		for _, p := range leaf.Positional {
			if p.Required {
				args = append(args, given[p.Summary()])
			}
		}
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "mistyped")
			var out, stderr bytes.Buffer
			status := run(t.Context(), append(args, "--data-dir", dir), strings.NewReader(""), &out, &stderr)
			if status != 1 || out.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), dir) {
				t.Errorf("vaak %s = %d, %q, %q; want 1, nothing and one line with %s", strings.Join(args, " "), status, &out, &stderr, dir)
			}
			if _, err := os.Lstat(dir); err == nil {
				t.Errorf("vaak %s made %s", strings.Join(args, " "), dir)
			}
		})
	}
}

// TestCommandForeignDatabase has commands read a file that is a database of SQLite, or empty,
// and none of Vaak: its tables are not put there.
func TestCommandForeignDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if status := run(t.Context(), []string{"org", "list", "--database", "sqlite:" + path}, nil, io.Discard, &stderr); status != 1 ||
		!strings.Contains(stderr.String(), "none of the tables of Vaak; --database names that of the server") {
		t.Errorf("org list = %d, %s", status, &stderr)
	}
}

// TestCommandListenAddresses checks where a server is to listen by its flags.
func TestCommandListenAddresses(t *testing.T) {
	t.Parallel()
	port := func(n int) *int { return &n }
	for _, tt := range []struct {
		name, listen string
		port         *int
		want         string // "" is refused
	}{
		{"nothing said", listenDefault, nil, "127.0.0.1:8080"},
		{"a port alone", "9000", nil, "127.0.0.1:9000"},
		{"any port alone", "0", nil, "127.0.0.1:0"},
		{"an address", "192.0.2.1:9000", nil, "192.0.2.1:9000"},
		{"all addresses", ":9000", nil, ":9000"},
		{"no port", "192.0.2.1", nil, "192.0.2.1"}, // refused when somebody is to listen there
		{"port", listenDefault, port(9000), "127.0.0.1:9000"},
		{"any port", listenDefault, port(0), "127.0.0.1:0"},
		{"a host and a port", "0.0.0.0", port(9000), "0.0.0.0:9000"},
		{"a name and a port", "localhost", port(9000), "localhost:9000"},
		{"a host of IPv6 and a port", "::", port(9000), "[::]:9000"},
		{"the same in brackets", "[::1]", port(9000), "[::1]:9000"},
		{"the same port twice", "0.0.0.0:9000", port(9000), "0.0.0.0:9000"},
		{"two ports", "0.0.0.0:80", port(9000), ""},
		{"no port there is", listenDefault, port(70000), ""},
		{"under 0", listenDefault, port(-1), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := serveCommand{Listen: tt.listen, Port: tt.port}
			err := c.AfterApply()
			if tt.want == "" {
				if err == nil {
					t.Errorf("taken for %s", c.Listen)
				}
				return
			}
			if err != nil || c.Listen != tt.want {
				t.Errorf("Listen = %q, %v; want %q", c.Listen, err, tt.want)
			}
		})
	}
}

// TestServePort starts servers at a port alone. The ready line says that they listen
// where nobody else can reach them.
func TestServePort(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"--listen", "0", "--admin-listen", "0", "--console-listen", "0"}, {"--listen", listenDefault, "--port", "0"}} {
		if s := start(t, flags...); !strings.HasPrefix(s.public, "http://127.0.0.1:") {
			t.Errorf("with %s it listens at %s", flags, s.public)
		}
	}
}

// TestCommandSpeakRefusesTerminal speaks where a person would see the bytes of the audio.
func TestCommandSpeakRefusesTerminal(t *testing.T) {
	t.Parallel()
	_, program := terminal(t)
	defer program.Close()
	for _, args := range [][]string{{"speak", "hello"}, {"speak", "-o", "-", "hello"}} {
		var stderr bytes.Buffer
		if status := run(t.Context(), args, nil, program, &stderr); status != 2 || !strings.Contains(stderr.String(), "-o FILE") || !strings.Contains(stderr.String(), "| ") {
			t.Errorf("vaak %s = %d, %s; want 2 and what to do", strings.Join(args, " "), status, &stderr)
		}
	}
}

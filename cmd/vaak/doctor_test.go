package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/engine/enginetest"
	"vaak/internal/checkup"
)

// examination is what a run of doctor gave.
type examination struct {
	t      *testing.T
	status int
	raw    string
	stderr string
	diagnosis
}

// examine runs doctor on a data directory, with the catalogue alone unless told
// otherwise, at addresses that nobody has.
func examine(t *testing.T, dir string, flags ...string) *examination {
	t.Helper()
	args := append([]string{"doctor", "--json", "--data-dir", dir, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, flags...)
	if !strings.Contains(strings.Join(flags, " "), "--services") {
		args = append(args, "--services", "catalogue")
	}
	e := &examination{t: t}
	var out, stderr bytes.Buffer
	e.status = run(t.Context(), args, nil, &out, &stderr)
	e.raw, e.stderr = out.String(), stderr.String()
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e.diagnosis); err != nil {
		t.Fatalf("vaak %s = %d, %q, %q: %v", strings.Join(args, " "), e.status, e.raw, e.stderr, err)
	}
	if e.OK != (e.status == 0) || e.status > 1 || e.OK != (e.stderr == "") || strings.Count(e.stderr, "\n") > 1 {
		t.Errorf("ok is %v, the status %d and standard error %q", e.OK, e.status, e.stderr)
	}
	return e
}

// result returns the result of a check.
func (e *examination) result(name string) checkup.Result {
	e.t.Helper()
	for _, r := range e.Checks {
		if r.Name == name {
			return r
		}
	}
	e.t.Fatalf("no check %s in %s", name, e.raw)
	return checkup.Result{}
}

// expect wants a check to be in a state, with a finding that matches.
func (e *examination) expect(name string, want checkup.State, found string) *examination {
	e.t.Helper()
	r := e.result(name)
	if r.State != want || !regexp.MustCompile(found).MatchString(r.Found) {
		e.t.Errorf("%s: %s: %q, want %s that matches %q", name, r.State, r.Found, want, found)
	}
	if (r.State == checkup.Warning || r.State == checkup.Failure) && !strings.HasSuffix(strings.TrimSpace(r.Remedy), ".") && !strings.HasPrefix(r.Remedy, "chmod ") {
		e.t.Errorf("%s: the remedy %q is no sentence", name, r.Remedy)
	}
	return e
}

// only wants all other checks to be well, but for the clock of this machine and its
// limits, which a test does not choose.
func (e *examination) only(names ...string) *examination {
	e.t.Helper()
	for _, r := range e.Checks {
		if strings.Contains(" clock machine disk "+strings.Join(names, " ")+" ", " "+r.Name+" ") {
			continue
		}
		if r.Name == "speech" && r.State == checkup.Warning && strings.Contains(r.Found, "which is slow") {
			continue // the machine is busy
		}
		if r.State != checkup.OK {
			e.t.Errorf("%s: %s: %s", r.Name, r.State, r.Found)
		}
	}
	return e
}

// contents describes all files below a directory: mode, and digest.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[path] += fmt.Sprintf(" %s %x", info.ModTime(), sha256.Sum256(b))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unchanged runs do, which must leave all files below a directory as they are.
func unchanged(t testing.TB, dir string, do func()) {
	t.Helper()
	before := contents(t, dir)
	do()
	if d := cmp.Diff(before, contents(t, dir)); d != "" {
		t.Errorf("doctor changed the directory: %s", d)
	}
}

func TestCommandDoctorOnNothing(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	dir := filepath.Join(above, "deep", "var")
	unchanged(t, above, func() {
		examine(t, dir).only().
			expect("data", checkup.OK, "not there yet").
			expect("secret", checkup.OK, "not there yet").
			expect("store", checkup.OK, "not there yet").
			expect("mail", checkup.OK, "become files")
	})
}

func TestLengthyDoctorOnWhatAServerLeft(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs servers and speaks all languages after each")
	}
	s := start(t)
	s.stop()
	unchanged(t, s.dir, func() {
		examine(t, s.dir, "--services", "catalogue,speech", "--espeak-worker", enginetest.Worker(t)).only().
			expect("program", checkup.OK, `^vaak .*linux/`).
			expect("data", checkup.OK, regexp.QuoteMeta(s.dir)).
			expect("secret", checkup.OK, `/secret$`).
			expect("store", checkup.OK, `SQLite.* version \d+, WAL, no damage found`).
			expect("formats", checkup.OK, "mp3, opus, aac, flac, wav, pcm, ulaw, alaw").
			expect("engine", checkup.OK, `libespeak-ng \d+\.\d+`).
			expect("languages", checkup.OK, "all 80 speak").
			expect("speech", checkup.OK, "pcm: first audio after .* real-time factor .*; mp3: first audio")
	})
}

// TestLengthyDoctorBesideAServer looks at what runs, and changes nothing for it.
func TestLengthyDoctorBesideAServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs a server and speaks all languages")
	}
	s := start(t)
	db := filepath.Join(s.dir, "vaak.db")
	before := countRows(t, db, "SELECT count(*) FROM schema_migrations")
	files := func() string {
		names, err := filepath.Glob(filepath.Join(s.dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, "\n")
	}
	was := files()
	public, admin := strings.TrimPrefix(s.public, "http://"), strings.TrimPrefix(s.admin, "http://")
	examine(t, s.dir, "--listen", public, "--admin-listen", admin).only().
		expect("ports", checkup.OK, public+" is in use by a running Vaak; "+admin+" is in use by a running Vaak, which is ready").
		expect("store", checkup.OK, "WAL, no damage found")
	if is := files(); is != was {
		t.Errorf("files are %s, and were %s", is, was)
	}
	if after := countRows(t, db, "SELECT count(*) FROM schema_migrations"); after != before {
		t.Errorf("%d migrations, want %d", after, before)
	}
	s.mustSpeak(map[string]any{"input": "Still here."})
	s.stop()
}

func TestCommandDoctorJSON(t *testing.T) {
	t.Parallel()
	e := examine(t, t.TempDir(), "--listen", "nowhere")
	if e.status != 1 || e.stderr != fmt.Sprintf("vaak: 1 of %d checks failed: ports\n", len(e.Checks)) {
		t.Errorf("status %d, %q", e.status, e.stderr)
	}
	var shape map[string]any
	if err := json.Unmarshal([]byte(e.raw), &shape); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"version": "string", "platform": "string", "ok": "bool", "counts": "map[string]interface {}", "took_ms": "float64", "checks": "[]interface {}"} {
		if got := fmt.Sprintf("%T", shape[key]); got != want {
			t.Errorf("%s is a %s, want a %s", key, got, want)
		}
	}
	var names []string
	sum := 0
	for _, r := range e.Checks {
		names = append(names, r.Name)
		if r.Found == "" || r.Took < 0 {
			t.Errorf("%+v does not say what was found", r)
		}
	}
	for _, n := range e.Counts {
		sum += n
	}
	if want := "program settings machine clock data disk secret store files charges ports tls links mail"; strings.Join(names, " ") != want || sum != len(names) {
		t.Errorf("checks %q and counts %v, want %s", names, e.Counts, want)
	}
	e.expect("ports", checkup.Failure, `--listen "nowhere"`).expect("links", checkup.Skipped, "nowhere")
}

func TestCommandDoctorText(t *testing.T) {
	t.Parallel()
	var out, stderr bytes.Buffer
	args := []string{"doctor", "--services", "catalogue", "--data-dir", t.TempDir(), "--listen", "0.0.0.0:0", "--admin-listen", "192.0.2.1:8081"}
	if status := run(t.Context(), args, nil, &out, &stderr); status != 1 || !regexp.MustCompile(`^vaak: 1 of 14 checks failed: ports\n$`).Match(stderr.Bytes()) {
		t.Errorf("status %d, %s", status, &stderr)
	}
	for _, want := range []string{
		`(?m)^ok       settings   flags`,
		`(?m)^warning  links      .*\n {20}-> Name the address .*--public-url\.$`,
		`(?m)^failure  ports      --admin-listen 192\.0\.2\.1:8081: .*\n {20}-> `,
		`\n\n14 checks: \d+ ok, \d warnings?, 1 failure in \d+\.\d s\n$`,
	} {
		if !regexp.MustCompile(want).Match(out.Bytes()) {
			t.Errorf("no match of %q in\n%s", want, &out)
		}
	}
}

// TestCommandDoctorInterrupted interrupts it while a server of PostgreSQL says nothing, and
// before it begins.
func TestCommandDoctorInterrupted(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		if c, err := l.Accept(); err == nil {
			defer c.Close()
			cancel()
			_, _ = io.Copy(io.Discard, c) // until the other side leaves
		}
	}()
	for _, done := range []string{"ok", "skipped"} { // what became of the secret
		e := &examination{t: t}
		var out, stderr bytes.Buffer
		args := []string{"doctor", "--json", "--services", "catalogue", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
			"--database", "postgres://vaak@" + l.Addr().String() + "/vaak?sslmode=disable"}
		status := run(ctx, args, nil, &out, &stderr)
		if err := json.Unmarshal(out.Bytes(), &e.diagnosis); err != nil {
			t.Fatal(err)
		}
		if status != 1 || stderr.String() != "vaak: interrupted\n" || e.OK || e.Counts[checkup.Failure] > 0 {
			t.Errorf("status %d, %q, %s", status, &stderr, &out)
		}
		e.expect("secret", checkup.State(done), "").expect("store", checkup.Skipped, "^it was interrupted$").expect("links", checkup.Skipped, "^it was interrupted$")
	}
}

func TestCommandDoctorUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"doctor", "--help"}, 0},
		{[]string{"doctor", "--flies"}, 2},
		{[]string{"doctor", "now"}, 2},
		{[]string{"doctor", "--trusted-proxies", "10.0.0.0/99"}, 2},
	} {
		var out, stderr bytes.Buffer
		if got := run(t.Context(), tt.args, nil, &out, &stderr); got != tt.want {
			t.Errorf("vaak %s = %d, want %d: %s", strings.Join(tt.args, " "), got, tt.want, &stderr)
		}
		if tt.want == 2 && (out.Len() > 0 || strings.Count(stderr.String(), "\n") != 1) {
			t.Errorf("vaak %s prints %q and %q", strings.Join(tt.args, " "), &out, &stderr)
		}
		if tt.want == 0 {
			for _, flag := range []string{"--json", "--listen", "--admin-listen", "--database", "--data-dir", "--espeak-worker", "--smtp", "--tls-cert", "--public-url", "--secret", "--config"} {
				if !strings.Contains(out.String(), flag) {
					t.Errorf("the help lacks %s", flag)
				}
			}
		}
	}
}

func TestCommandDoctorSettings(t *testing.T) {
	t.Parallel()
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "vaak.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name, file string
		flags      []string
		want       checkup.State
		found      []string
	}{
		{"good", "cache-bytes = 5\nws_origins = [\"https://app.example.org/\"]\n", nil, checkup.OK, []string{"2 settings in "}},
		{"an alias of nobody", "cache-bytes = 5\n[voice_aliases]\nalloy = \"sv_000000\"\n", nil, checkup.Failure, []string{`"alloy" names the unknown voice`}},
		{"empty", "", nil, checkup.OK, []string{"0 settings in "}},
		{"no TOML", "listen = \n", nil, checkup.Failure, []string{"read "}},
		{"a password without quotes", "smtp = smtp://vaak:hunter2@mail\n", nil, checkup.Failure, []string{"read "}},
		{"unknown names", "lissen = 1\nportt = 3\n", nil, checkup.Failure, []string{`"lissen"`, `"portt"`}},
		{"all at once", "ws_origins = [\"nowhere\"]\n[[plans]]\nid = \"gold\"\n[default_voices]\nxx = \"sv_nobody\"\n",
			[]string{"--services", "cats", "--tls-cert", "/nowhere.pem"}, checkup.Failure,
			[]string{"cats", "entry 1", `language "xx"`, "origin nowhere"}},
		{"a plan out of range", "[[plans]]\nid = \"gold\"\ncharacters = 5\nrpm = 0\nstreams = 1\n", nil, checkup.Failure, []string{"rpm 0 is outside"}},
		{"mail without operator", "", []string{"--smtp", "smtp://127.0.0.1:1"}, checkup.Failure, []string{"who answers enquiries"}},
		{"dataset root", "", []string{"--dataset-root", "/nowhere"}, checkup.Failure, []string{"--dataset-root"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := examine(t, t.TempDir(), append(tt.flags, "--config", write(tt.file))...)
			for _, want := range tt.found {
				e.expect("settings", tt.want, regexp.QuoteMeta(want))
			}
			if strings.Contains(e.raw+e.stderr, "hunter2") {
				t.Errorf("the report holds the password: %s", e.raw)
			}
		})
	}
	t.Run("consent that nobody can mail", func(t *testing.T) {
		t.Parallel()
		const policy = "consent_policy = \"mailed_link\"\n"
		e := examine(t, t.TempDir(), "--config", write(policy))
		e.expect("mail", checkup.Warning, "agents cannot send enquiries: .*mailed_link.*--smtp").expect("settings", checkup.OK, "")
		with := examine(t, t.TempDir(), "--smtp", "smtp://127.0.0.1:1", "--config", write(policy+"[mail]\noperator = \"a@example.org\"\n"))
		with.expect("mail", checkup.Failure, "127.0.0.1:1: ")
		examine(t, t.TempDir(), "--config", write("consent_policy = \"allow_attested\"\n")).expect("mail", checkup.OK, "become files")
	})
	t.Run("no file", func(t *testing.T) {
		t.Parallel()
		examine(t, t.TempDir(), "--config", filepath.Join(t.TempDir(), "none.toml")).expect("settings", checkup.Failure, "no such file")
	})
	t.Run("other commands", func(t *testing.T) {
		t.Parallel()
		var out, stderr bytes.Buffer
		args := []string{"text", "spoken", "--lang", "en", "--config", write("lissen = 1\n")}
		for _, args := range [][]string{args, append(args, "doctor")} {
			if got := run(t.Context(), args, strings.NewReader(""), &out, &stderr); got != 2 {
				t.Errorf("vaak %q = %d, want 2", args, got)
			}
		}
	})
}

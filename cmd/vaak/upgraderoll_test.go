package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/app/deployment"
	"vaak/engine/enginetest"
	"vaak/store"
	"vaak/store/migrations"
	"vaak/store/storetest/pgtest"
)

// upgraded is a deployment whose servers are replaced by those of another program while
// clients use it. On SQLite one server follows the other at the same addresses. On PostgreSQL
// there are two with addresses of their own, and the clients do what a balancer does: they send
// nothing to a server that is about to stop, which then finishes what it has.
type upgraded struct {
	t        *testing.T
	dsn      string // of PostgreSQL; "" is SQLite in dir
	dir      string // of the first server
	env      []string
	org, key string
	operator *visitor

	mu      sync.Mutex
	servers []*slot
	served  []*server // all that ever were

	speech, lists, enquiries, pages atomic.Int64
	characters                      atomic.Int64
}

// slot is a server that requests are sent to.
type slot struct {
	*server
	busy sync.WaitGroup // requests that it has; only on PostgreSQL
}

// startUpgraded starts servers of a program, with a dataset, an organisation whose speech is
// charged to its books, and an operator who is signed in.
func startUpgraded(t *testing.T, dsn, program string) *upgraded {
	t.Helper()
	u := &upgraded{t: t, dsn: dsn, dir: t.TempDir()}
	u.env = append(os.Environ(), "VAAK_ESPEAK_WORKER="+enginetest.Worker(t), "VAAK_CACHE_BYTES=0", "VAAK_PRELOAD=false", "VAAK_RENDER_PREVIEWS=false",
		"VAAK_PUBLIC_RATE=0", "VAAK_TRUSTED_PROXIES=127.0.0.1/32", "VAAK_SECRET="+filepath.Join(u.dir, deployment.Secret))
	count := 1
	if dsn != "" {
		u.env, count = append(u.env, "VAAK_DATABASE="+dsn), 2
	}
	u.must(program, "plan", "set", "large", "--characters", "1000000000", "--rpm", "1000000", "--streams", "1000")
	u.org = u.must(program, "org", "create", "Test", "--plan", "large")
	u.key = u.must(program, "key", "create", "--org", u.org, "--name", "test")
	u.must(program, "dataset", "ingest", corpus{slug: "hindi-calls", calls: 1, seconds: 4, format: "wav"}.folder(t), "--publish")
	for n := range count {
		dir := u.dir
		if n > 0 {
			dir = t.TempDir()
		}
		u.servers = append(u.servers, &slot{server: u.serveAs(program, dir, "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0")})
	}
	u.operator = visit(t, u.servers[0].server)
	u.operator.setUp(u.servers[0].server)
	return u
}

// as has a command run a program; "" is the one that is tested.
func as(program string) func(*exec.Cmd) {
	return func(c *exec.Cmd) {
		if program != "" {
			c.Path, c.Err = program, nil
		}
	}
}

// command runs a command of a program on the deployment and returns its output.
func (u *upgraded) command(program string, args ...string) (string, error) {
	cmd := exec.CommandContext(u.t.Context(), "vaak", args...)
	as(program)(cmd)
	cmd.Env = append(u.env, "VAAK_DATA_DIR="+u.dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("vaak %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

func (u *upgraded) must(program string, args ...string) string {
	u.t.Helper()
	out, err := u.command(program, args...)
	if err != nil {
		u.t.Fatal(err)
	}
	return out
}

// serveAs starts a server of a program.
func (u *upgraded) serveAs(program, dir, public, admin, console string) *server {
	u.t.Helper()
	s := &server{t: u.t, dir: dir, key: u.key, as: as(program), env: append(u.env, "VAAK_DATA_DIR="+dir)}
	s.serve("--listen", public, "--admin-listen", admin, "--console-listen", console)
	u.served = append(u.served, s)
	return s
}

// take returns a server for a request, and a function to call after it.
func (u *upgraded) take(n int64) (*server, func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.servers[n%int64(len(u.servers))]
	s.busy.Add(1)
	return s.server, s.busy.Done
}

// replace replaces each server by one of a program, one after the other, and calls between after
// each.
func (u *upgraded) replace(program string, between func()) {
	u.t.Helper()
	for n := range u.servers {
		old := u.servers[n]
		public, admin, console := "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
		if u.dsn == "" {
			public, admin, console = strings.TrimPrefix(old.public, "http://"), strings.TrimPrefix(old.admin, "http://"), strings.TrimPrefix(old.console, "http://")
		}
		next := &slot{server: u.serveAs(program, old.dir, public, admin, console)}
		u.mu.Lock()
		u.servers[n] = next
		u.mu.Unlock()
		if u.dsn != "" {
			old.busy.Wait()
		}
		old.stop()
		between()
	}
}

// load uses the deployment until done is called, which waits for the last request. Every request
// must succeed.
func (u *upgraded) load() (done func()) {
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for _, do := range []struct {
		count *atomic.Int64
		ask   func(n int64) error
		each  time.Duration
	}{
		{&u.speech, u.speak, 0}, {&u.speech, u.speak, 0}, {&u.speech, u.speak, 0}, {&u.speech, u.speak, 0},
		{&u.lists, u.list, time.Millisecond}, {&u.enquiries, u.enquire, 5 * time.Millisecond}, {&u.pages, u.page, 5 * time.Millisecond},
	} {
		clients.Go(func() {
			tick := time.NewTicker(max(do.each, time.Millisecond))
			defer tick.Stop()
			for n := int64(0); ; n++ {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				if err := do.ask(n); err != nil {
					u.t.Errorf("after %d of them: %v", do.count.Load(), err)
					return
				}
				do.count.Add(1)
			}
		})
	}
	return sync.OnceFunc(func() {
		close(stop)
		clients.Wait()
	})
}

// fresh opens a connection for each request, as many clients do.
var fresh = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// answer sends a request and returns its body; a status other than want is an error.
func answer(c *http.Client, r *http.Request, want int) ([]byte, error) {
	resp, err := c.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s %s = %d %.300s", r.Method, r.URL.Path, resp.StatusCode, b)
	}
	return b, err
}

func (u *upgraded) speak(n int64) error {
	s, done := u.take(n)
	defer done()
	text := fmt.Sprint("This is number ", n, ". ", strings.Repeat("A few more words. ", int(n%20)))
	b, err := answer(fresh, s.request(context.Background(), map[string]any{"input": text, "lang": "en", "response_format": "pcm", "stream": n%2 == 0}), http.StatusOK)
	if err == nil && len(b) < 1000 {
		err = fmt.Errorf("speech has %d bytes", len(b))
	}
	u.characters.Add(int64(len(text)))
	return err
}

func (u *upgraded) list(n int64) error {
	s, done := u.take(n)
	defer done()
	path := []string{"/api/catalogue/datasets", "/api/catalogue/datasets/hindi-calls", "/catalogue"}[n%3]
	r, err := http.NewRequest(http.MethodGet, s.public+path, nil)
	if err != nil {
		return err
	}
	b, err := answer(fresh, r, http.StatusOK)
	if err == nil && !bytes.Contains(b, []byte("hindi-calls")) {
		err = fmt.Errorf("%s lacks the dataset: %.300s", path, b)
	}
	return err
}

func (u *upgraded) enquire(n int64) error {
	s, done := u.take(n)
	defer done()
	form, err := json.Marshal(question(fmt.Sprintf("person%d@example.org", n), fmt.Sprint("This is question ", n)))
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, s.public+"/api/catalogue/enquiry", bytes.NewReader(form))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", n/200, n%200+1))
	_, err = answer(fresh, r, http.StatusAccepted)
	return err
}

func (u *upgraded) page(n int64) error {
	s, done := u.take(n)
	defer done()
	path := []string{"/organisations", "/system", "/o/" + u.org + "/keys"}[n%3]
	r, err := http.NewRequest(http.MethodGet, s.console+path, nil)
	if err != nil {
		return err
	}
	b, err := answer(&http.Client{Transport: fresh.Transport, Jar: u.operator.client.Jar}, r, http.StatusOK)
	if err == nil && bytes.Contains(b, []byte(`name="password"`)) {
		err = errors.New("the operator has to sign in again")
	}
	return err
}

// progress waits until so many requests of each kind have been answered once more.
func (u *upgraded) progress(n int64) {
	u.t.Helper()
	var goals []func() bool
	for _, count := range []*atomic.Int64{&u.speech, &u.lists, &u.enquiries, &u.pages} {
		goal := count.Load() + n
		goals = append(goals, func() bool { return count.Load() >= goal })
	}
	soon(u.t, "the clients get on", func() bool {
		for _, reached := range goals {
			if !reached() {
				return u.t.Failed()
			}
		}
		return true
	})
}

// settled stops the servers, and wants everything that was acknowledged to be there once.
func (u *upgraded) settled() {
	u.t.Helper()
	for _, s := range u.servers {
		s.stop()
	}
	for i, s := range u.served {
		for line := range strings.Lines(s.log.String()) {
			// The queue calls it an error that a server stops while it asks the database.
			if strings.Contains(line, `"level":"ERROR"`) && !strings.Contains(line, "context canceled") {
				u.t.Errorf("server %d of %d has logged %s", i+1, len(u.served), line)
			}
		}
	}
	dsn, driver, at := u.dsn, "pgx", u.dsn
	if dsn == "" {
		dsn, driver, at = "sqlite:"+filepath.Join(u.dir, "vaak.db"), "sqlite", filepath.Join(u.dir, "vaak.db")
	}
	db, err := store.Open(u.t.Context(), store.Config{DSN: dsn})
	if err != nil {
		u.t.Fatal(err)
	}
	defer db.Close()
	if a, err := db.Audit(u.t.Context()); err != nil || !a.Sound() || a.OpenHolds != 0 {
		u.t.Errorf("the audit: %v, %d open holds, %q", err, a.OpenHolds, a.Faults)
	}
	rows, err := sql.Open(driver, at)
	if err != nil {
		u.t.Fatal(err)
	}
	defer rows.Close()
	for what, c := range map[string]struct {
		query string
		want  int64
	}{
		"characters": {"SELECT coalesce(sum(characters), 0) FROM key_months", u.characters.Load()},
		"enquiries":  {"SELECT count(*) FROM enquiries", u.enquiries.Load()},
		"requests":   {"SELECT count(*) FROM requests WHERE route LIKE '%audio/speech%' AND status = 200", u.speech.Load()},
	} {
		var got int64
		if err := rows.QueryRowContext(u.t.Context(), c.query).Scan(&got); err != nil || got != c.want {
			u.t.Errorf("%d %s are kept, %v; want the %d that were acknowledged", got, what, err, c.want)
		}
	}
	u.t.Logf("%d servers; acknowledged: %d utterances of %d characters, %d catalogue, %d enquiries, %d pages of the console; failed: 0",
		len(u.served), u.speech.Load(), u.characters.Load(), u.lists.Load(), u.enquiries.Load(), u.pages.Load())
}

// thereAndBack replaces servers of the old program by those of the new one, back, and again, under
// load. Where the old program cannot use what the new one has migrated, it must say so.
func (u *upgraded) thereAndBack(old, next string, back bool) {
	u.t.Helper()
	done := u.load()
	defer done()
	u.progress(20)
	u.replace(next, func() { u.progress(20) }) // the first migrates, beside what runs
	version := u.must(next, "migrate")
	if back {
		// The old program goes on, and its commands work.
		if out := u.must(old, "org", "list"); !strings.Contains(out, u.org) {
			u.t.Errorf("org list of the old program is %q", out)
		}
		u.must(old, "lot", "grant", "--org", u.org, "--characters", "5")
		u.replace(old, func() { u.progress(20) })
		if again := u.must(old, "migrate"); again != version {
			u.t.Errorf("the old program says %q, the new one said %q", again, version)
		}
		u.replace(next, func() { u.progress(20) })
	} else {
		for _, args := range [][]string{{"org", "list"}, {"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--console-listen", "off"}} {
			if _, err := u.command(old, args...); err == nil || !strings.Contains(err.Error(), "newer than this program") {
				u.t.Errorf("%s of the old program: %v; want that the database is newer", args[0], err)
			}
		}
		u.progress(20)
	}
	done()
	u.settled()
}

// laterStep is a step of the next release. It does what such a step may do to the busiest tables.
const laterStep = `-- oldest: %d
CREATE TABLE later (id TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL);
ALTER TABLE requests ADD COLUMN later TEXT NOT NULL DEFAULT 'later';
CREATE INDEX requests_later ON requests (later);
ALTER TABLE holds ADD COLUMN later BIGINT CHECK (later > 0);
ALTER TABLE key_months ADD COLUMN later BIGINT NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN later TEXT;
UPDATE api_keys SET later = id;
ALTER TABLE organisations ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE lots ADD COLUMN later TEXT;
ALTER TABLE replicas ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE enquiries ADD COLUMN later TEXT NOT NULL DEFAULT '';
ALTER TABLE enquiry_mails ADD COLUMN later TEXT;
ALTER TABLE datasets ADD COLUMN later TEXT;
ALTER TABLE sessions ADD COLUMN later TEXT;
`

// nextRelease builds this program with one more step of the schema, once.
var nextRelease = sync.OnceValues(func() (program string, err error) {
	dir, err := os.MkdirTemp("", "vaak-next")
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	steps, err := migrations.Of("sqlite")
	if err != nil {
		return "", err
	}
	overlay, sqlText := filepath.Join(dir, "overlay.json"), fmt.Sprintf(laterStep, len(steps))
	replaced := map[string]string{}
	for database, text := range map[string]string{"sqlite": strings.ReplaceAll(sqlText, "BIGINT", "INTEGER"), "postgres": sqlText} {
		step := filepath.Join(dir, database+".sql")
		if err := os.WriteFile(step, []byte(text), 0o600); err != nil {
			return "", err
		}
		replaced[filepath.Join(root, "store/migrations", database, fmt.Sprintf("%04d_later.up.sql", len(steps)+1))] = step
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "vaak")
	build := exec.Command("go", "build", "-buildvcs=false", "-overlay", overlay, "-ldflags", "-X main.version=next", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath") // as make build, whose packages are there
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// TestLengthyUpgradeAndBack upgrades to the next release and rolls back, under load: no request
// fails, and nothing is lost or charged twice.
func TestLengthyUpgradeAndBack(t *testing.T) {
	slow(t)
	t.Parallel()
	next, err := nextRelease()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(next)) })
	t.Run("SQLite", func(t *testing.T) { startUpgraded(t, "", "").thereAndBack("", next, true) })
	t.Run("PostgreSQL", func(t *testing.T) { startUpgraded(t, pgtest.DSN(t), "").thereAndBack("", next, true) })
}

// before returns the program of the last release, or of the last version of the schema where there
// is none, from the history of the checkout. VAAK_BEFORE names another commit.
func before(t *testing.T) (program string, schema string) {
	t.Helper()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		if err != nil {
			t.Skipf("git %s: %v: the checkout has no history", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out))
	}
	commit := os.Getenv("VAAK_BEFORE")
	if commit == "" {
		if tag, err := exec.CommandContext(t.Context(), "git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*").Output(); err == nil {
			commit = strings.TrimSpace(string(tag))
		} else {
			commit = git("log", "-1", "--format=%H", "--diff-filter=A", "--", "../../store/migrations/sqlite") + "^"
		}
	}
	tree := t.TempDir()
	unpack := exec.CommandContext(t.Context(), "sh", "-c", `git -C ../.. archive --format=tar "$1" | tar -x -C "$2"`, "sh", commit, tree)
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Skipf("unpack %s: %v: %s: a shallow checkout does not have it", commit, err, out)
	}
	program = filepath.Join(t.TempDir(), "vaak")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "./cmd/vaak")
	build.Dir, build.Env = tree, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v: %s", commit, err, out)
	}
	steps, err := filepath.Glob(filepath.Join(tree, "store/migrations/sqlite/*.sql"))
	if err != nil || len(steps) == 0 {
		t.Fatalf("%s has no steps: %v", commit, err)
	}
	t.Logf("before is %s, with schema version %d", git("log", "-1", "--format=%h %s", commit), len(steps))
	return program, fmt.Sprintf("%04d", len(steps))
}

// TestSoakUpgradeFromBefore upgrades from the program before, as it was, to this one, and rolls
// back if that program can start on a newer database.
func TestSoakUpgradeFromBefore(t *testing.T) {
	soak(t)
	old, schema := before(t)
	back := schema >= "0012"
	t.Run("SQLite", func(t *testing.T) { startUpgraded(t, "", old).thereAndBack(old, "", back) })
	t.Run("PostgreSQL", func(t *testing.T) { startUpgraded(t, pgtest.DSN(t), old).thereAndBack(old, "", back) })
}

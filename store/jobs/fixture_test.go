package jobs

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"vaak/store/storetest/pgtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// place is a fresh database; each process of it has a fixture.
type place struct {
	name string
	make func(t *testing.T) func(t *testing.T) *fixture
}

// fixture is what one process has of a database.
type fixture struct {
	q  *Queue
	db *sql.DB // the pool of the data
}

// places returns both databases.
func places() []place {
	return []place{
		{"sqlite", func(t *testing.T) func(*testing.T) *fixture {
			path := filepath.Join(t.TempDir(), "jobs.db")
			return func(t *testing.T) *fixture { return openSQLite(t, path) }
		}},
		{"postgres", func(t *testing.T) func(*testing.T) *fixture {
			dsn := pgtest.DSN(t)
			return func(t *testing.T) *fixture { return openPostgres(t, dsn) }
		}},
	}
}

// onBoth runs a test on both databases; open returns one more process's view.
func onBoth(t *testing.T, f func(t *testing.T, open func(*testing.T) *fixture)) {
	t.Helper()
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			f(t, p.make(t))
		})
	}
}

func openSQLite(t testing.TB, path string) *fixture {
	t.Helper()
	q := url.Values{
		"_pragma": {"busy_timeout(5000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(1)"},
		"_txlock": {"immediate"},
	}
	db, err := sql.Open("sqlite", "file:"+path+"?"+q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	// Turning WAL on does not wait for another process that does.
	await(t, "WAL", func() bool { return db.PingContext(t.Context()) == nil })
	return newFixture(t, db, Database{SQLite: db})
}

// openPostgres opens the data as the store does: by the simple protocol.
func openPostgres(t testing.TB, dsn string) *fixture {
	t.Helper()
	sep := "?"
	if strings.Contains(dsn, "?") {
		sep = "&"
	}
	db, err := sql.Open("pgx", dsn+sep+"default_query_exec_mode=simple_protocol")
	if err != nil {
		t.Fatal(err)
	}
	return newFixture(t, db, Database{Postgres: dsn})
}

func newFixture(t testing.TB, data *sql.DB, jobs Database) *fixture {
	t.Helper()
	t.Cleanup(func() { data.Close() })
	q, err := NewQueue(jobs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{q, data}
}

// migrated returns f after Migrate.
func (f *fixture) migrated(t testing.TB) *fixture {
	t.Helper()
	if err := f.q.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// tx calls f in a transaction and ends it.
func (f *fixture) tx(t testing.TB, commit bool, do func(*sql.Conn, *sql.Tx) error) error {
	t.Helper()
	conn, err := f.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := do(conn, tx); err != nil {
		tx.Rollback()
		return err
	}
	if commit {
		return tx.Commit()
	}
	return tx.Rollback()
}

// insert inserts jobs and commits.
func (f *fixture) insert(t testing.TB, jobs ...Job) {
	t.Helper()
	err := f.tx(t, true, func(c *sql.Conn, tx *sql.Tx) error { return f.q.InsertTx(t.Context(), c, tx, jobs...) })
	if err != nil {
		t.Fatal(err)
	}
}

// start starts an engine that is closed with the test.
func (f *fixture) start(t testing.TB, cfg Config) *Engine {
	t.Helper()
	cfg.Queue = f.q
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.grace, e.poll = 200*time.Millisecond, min(e.poll, pollSQLite)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := e.Close(ctx); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// exec runs a statement outside of any transaction.
func (f *fixture) exec(t testing.TB, query string) {
	t.Helper()
	if _, err := f.db.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

// count returns the one number of a query.
func (f *fixture) count(t testing.TB, query string) (n int) {
	t.Helper()
	if err := f.db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// await waits until ok, for at most 14 s.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	end := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-end:
			t.Fatalf("gave up waiting for %s", what)
		case <-tick.C:
		}
	}
}

// take receives from c, for at most 14 s.
func take[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal("gave up waiting for a handler")
	}
	return v
}

// tally counts what handlers were called with.
type tally struct {
	mu   sync.Mutex
	seen map[string]int
}

// add counts args, whatever their white space, and returns how often it has.
func (c *tally) add(args string) int {
	args = strings.ReplaceAll(args, " ", "")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]int{}
	}
	c.seen[args]++
	return c.seen[args]
}

// sums returns how many different args were seen, and how many in all.
func (c *tally) sums() (different, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.seen {
		all += n
	}
	return len(c.seen), all
}

// handler counts the jobs of a kind.
func (c *tally) handler(kind string) Handler {
	return Handler{Kind: kind, Work: func(_ context.Context, args []byte) error {
		c.add(string(args))
		return nil
	}}
}

// journal is a log that may be read while it is written.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }

// number is the args of most tests.
type number struct {
	N int `json:"n"`
}

func (n number) json() string { return fmt.Sprintf(`{"n":%d}`, n.N) }

// patience is how long a test waits for what must come, on a machine that is
// busy with others.
const patience = time.Minute

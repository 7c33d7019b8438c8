package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/account/backlog"
	"vaak/internal/checkup"
	"vaak/internal/needed"
	"vaak/store"
	"vaak/store/storetest/pgtest"
)

// migratedDatabase makes a database with all of its tables.
func migratedDatabase(t *testing.T, dsn string) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCommandDoctorSQLite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		make  func(t *testing.T, path string)
		want  checkup.State
		found string
	}{
		{"of this program", func(*testing.T, string) {}, checkup.OK, `version \d+, WAL, no damage`},
		{"older", func(t *testing.T, path string) {
			onDatabase(t, path, "DELETE FROM schema_migrations WHERE version > 3")
		}, checkup.OK, `version 3; the server brings it to \d+`},
		{"newer", func(t *testing.T, path string) {
			onDatabase(t, path, "INSERT INTO schema_migrations (version, name, applied_at) VALUES (9999, 'x', 0)")
		}, checkup.Failure, `newer program: version 9999`},
		{"empty file", func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, checkup.OK, "empty; the server makes its tables"},
		{"no database", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, checkup.Failure, "not a database"},
		{"damaged", damageFile, checkup.Failure, "is damaged|malformed"},
		{"torn", func(t *testing.T, path string) {
			if err := os.WriteFile(path+"-wal", []byte("a log"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, checkup.Warning, "without vaak.db-shm"},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, checkup.Failure, "is not a file"},
		{"open to others", func(t *testing.T, path string) {
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}, checkup.Warning, `mode 0644`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "vaak.db")
			migratedDatabase(t, "sqlite:"+path)
			tt.make(t, path)
			unchanged(t, dir, func() {
				examine(t, dir).only("store").expect("store", tt.want, tt.found)
			})
		})
	}
	t.Run("elsewhere", func(t *testing.T) {
		t.Parallel()
		examine(t, t.TempDir(), "--database", "mysql://root:hunter2@db/x").expect("store", checkup.Failure, "neither of the form")
		examine(t, t.TempDir(), "--database", "sqlite::memory:").expect("store", checkup.Warning, "in memory")
	})
}

// damageFile overwrites the pages behind the first few of a database.
func damageFile(t *testing.T, path string) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 5 * 4096; i < len(b); i++ {
		b[i] = byte(i * 7)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLengthyDoctorAfterACrash reads what a killed server left, whose log is not folded.
func TestLengthyDoctorAfterACrash(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs a server and speaks all languages")
	}
	s := start(t)
	_ = s.end(9)
	before := contents(t, s.dir)
	examine(t, s.dir).only().expect("store", checkup.OK, `version \d+, WAL, no damage`)
	after := contents(t, s.dir)
	shared := filepath.Join(s.dir, "vaak.db-shm") // memory, in which readers leave marks
	if before[shared] == "" {
		t.Error("the killed server left no log to be read")
	}
	delete(before, shared)
	delete(after, shared)
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s is %q, and was %q", path, after[path], was)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, and there were %d", len(after), len(before))
	}
}

func TestCommandDoctorPostgres(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	dir := t.TempDir()
	look := func(dsn string) *examination { return examine(t, dir, "--database", dsn).only("store") }
	look(dsn).expect("store", checkup.OK, `^PostgreSQL \d+.*empty; the server makes its tables`)
	look(dsn).expect("store", checkup.OK, `empty`) // the first look made nothing
	migratedDatabase(t, dsn)
	look(dsn).expect("store", checkup.OK, `version \d+, asked in`)

	poor := "poor_" + strings.ToLower(rand.Text())
	onPostgres(t, dsn, "CREATE ROLE "+poor+" LOGIN PASSWORD 'hunter2'")
	t.Cleanup(func() { onPostgres(t, dsn, "DROP OWNED BY "+poor, "DROP ROLE "+poor) })
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(poor, "hunter2")
	lacks := func(found string) {
		t.Helper()
		e := look(u.String()).expect("store", checkup.Failure, found)
		if strings.Contains(e.raw+e.stderr, "hunter2") {
			t.Errorf("the report holds the password: %s", e.raw)
		}
	}
	lacks(`lacks SELECT, INSERT, UPDATE and DELETE of \d+ tables`)
	onPostgres(t, dsn, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "+poor)
	look(u.String()).expect("store", checkup.OK, `version \d+, asked in`)
	onPostgres(t, dsn, "DELETE FROM schema_migrations WHERE version > 3")
	look(dsn).expect("store", checkup.OK, `version 3; the server brings it to \d+`)
	lacks(`lacks CREATE in schema public, ownership of \d+ tables`)

	onPostgres(t, dsn, "INSERT INTO schema_migrations (version, name, applied_at) VALUES (9999, 'x', 0)")
	look(dsn).expect("store", checkup.Failure, "newer program: version 9999")
	u.Path = "/there_is_none"
	lacks("there_is_none")
}

// TestCommandDoctorMutePostgres has a server that takes connections and says nothing.
func TestCommandDoctorMutePostgres(t *testing.T) {
	t.Parallel()
	e := examine(t, t.TempDir(), "--database", "postgres://vaak:hunter2@"+muteServer(t)+"/vaak?sslmode=disable").only("store").
		expect("store", checkup.Failure, "open PostgreSQL database vaak at 127.0.0.1")
	if strings.Contains(e.raw+e.stderr, "hunter2") {
		t.Errorf("the report holds the password: %s", e.raw)
	}
}

// TestCommandDoctorAbsentPostgres asks where nobody listens, with and without TLS, so that the
// same is refused several times.
func TestCommandDoctorAbsentPostgres(t *testing.T) {
	t.Parallel()
	address := needed.Address(t)
	found := examine(t, t.TempDir(), "--database", "postgres://vaak:hunter2@"+address+"/vaak").only("store").
		expect("store", checkup.Failure, "refused").result("store").Found
	if strings.ContainsAny(found, "\n\t") || strings.Count(found, "refused") != 1 {
		t.Errorf("found %q, want one line that says it once", found)
	}
}

// onPostgres runs statements on a database of PostgreSQL.
func onPostgres(t *testing.T, dsn string, statements ...string) {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestCommandDoctorCharges looks at charges that wait for the database, and at what is no charge.
func TestCommandDoctorCharges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left, err := backlog.Open(backlog.Config{Dir: filepath.Join(dir, "charges")})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2027, 1, 31, 8, 15, 4, 0, time.UTC)
	for i := range 3 {
		if err := left.Append(backlog.Charge{ID: fmt.Sprint("hold_", i), Characters: 14, At: at.Add(time.Duration(i) * time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	unchanged(t, dir, func() {
		examine(t, dir).expect("charges", checkup.Warning, "3 charges of 42 characters wait for the database, the first since 2027-01-31T08:15:04Z")
	})
	if err := os.WriteFile(filepath.Join(dir, "charges", "charges-1.log"), []byte("this is no charge"), 0o600); err != nil {
		t.Fatal(err)
	}
	examine(t, dir).expect("charges", checkup.Failure, "3 charges .* that cannot be read to their end: 1$")
}

package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/store/database/databasetest"
	"vaak/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openAt opens and migrates the database of SQLite at path and closes it with
// the test.
func openAt(t testing.TB, path string) *Store {
	t.Helper()
	return openDSN(t, "sqlite:"+path)
}

func openDSN(t testing.TB, dsn string) *Store {
	t.Helper()
	return openBy(t, dsn, nil)
}

// openBy opens a database with a clock, nil for its own, migrates it and closes it with
// the test.
func openBy(t testing.TB, dsn string, now func() time.Time) *Store {
	t.Helper()
	databasetest.Copy(t, dsn)
	s, err := Open(t.Context(), Config{DSN: dsn, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	databasetest.Load(t, s.db)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLimitsOnSQLite(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{DSN: "sqlite:" + filepath.Join(t.TempDir(), "vaak.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if l := s.Limits(); l != nil {
		t.Errorf("Limits() = %v on SQLite, want nil", l)
	}
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Opened {
		path := filepath.Join(t.TempDir(), "vaak.db")
		s := openAt(t, path)
		return storetest.Opened{
			Accounts: s,
			Again:    func(t *testing.T) account.Store { return openAt(t, path) },
			Close:    s.Close,
		}
	})
}

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Opened {
		s := openAt(t, ":memory:")
		return storetest.Opened{Accounts: s, Close: s.Close}
	})
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Opened {
		dsn := databasetest.Postgres(t)
		s := openDSN(t, dsn)
		return storetest.Opened{
			Accounts: s,
			Again:    func(t *testing.T) account.Store { return openDSN(t, dsn) },
			Close:    s.Close,
		}
	})
}

func TestCatalogueSQLite(t *testing.T) {
	t.Parallel()
	storetest.RunCatalogue(t, func(t *testing.T) storetest.OpenedCatalogue {
		path := filepath.Join(t.TempDir(), "vaak.db")
		s := openAt(t, path)
		return storetest.OpenedCatalogue{
			Catalogue: s.Catalogue(),
			Again:     func(t *testing.T) storetest.Catalogue { return openAt(t, path).Catalogue() },
			Close:     s.Close,
		}
	})
}

func TestCatalogueMemory(t *testing.T) {
	t.Parallel()
	storetest.RunCatalogue(t, func(t *testing.T) storetest.OpenedCatalogue {
		s := openAt(t, ":memory:")
		return storetest.OpenedCatalogue{Catalogue: s.Catalogue(), Close: s.Close}
	})
}

func TestCataloguePostgres(t *testing.T) {
	t.Parallel()
	storetest.RunCatalogue(t, func(t *testing.T) storetest.OpenedCatalogue {
		dsn := databasetest.Postgres(t)
		s := openDSN(t, dsn)
		return storetest.OpenedCatalogue{
			Catalogue: s.Catalogue(),
			Again:     func(t *testing.T) storetest.Catalogue { return openDSN(t, dsn).Catalogue() },
			Close:     s.Close,
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(strings.Repeat("this is not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, dsn, want string }{
		{"PostgreSQL is not there", "postgres://u:hunter2@127.0.0.1:1/db", "refused"},
		{"PostgreSQL, long form", "postgresql://u:hunter2@127.0.0.1:1/db", "refused"},
		{"PostgreSQL, malformed", "postgres://u:hunter2@127.0.0.1:no/db", "malformed"},
		{"PostgreSQL, malformed password", "postgres://u:%zzhunter2/@127.0.0.1/db", "malformed"},
		{"PostgreSQL, password elsewhere", "postgres://u@127.0.0.1:1/db?password=hunter2", "refused"},
		{"PostgreSQL, no connections", "postgres://u:hunter2@h/db?pool_max_conns=0", "pool_max_conns"},
		{"a misspelt scheme", "postgre://u:hunter2@h/db", "postgres://"},
		{"no scheme", "vaak.db", "sqlite:<path>"},
		{"no path", "sqlite:", "sqlite:<path>"},
		{"NUL", "sqlite:a\x00b", "sqlite:<path>"},
		{"empty", "", "sqlite:<path>"},
		{"under a file", "sqlite:" + file + "/vaak.db", "not a directory"},
		{"a directory", "sqlite:" + filepath.Dir(file), "is a directory"},
		{"not a database", "sqlite:" + file, "not a database"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), Config{DSN: tt.dsn})
			if err == nil {
				t.Fatalf("Open(%q) = nil error, want one", tt.dsn)
			}
			if s != nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("Open(%q) = %v, %q, want an error with %q", tt.dsn, s, err, tt.want)
			}
		})
	}
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a dir", "with?odd#name%41")
	path := filepath.Join(dir, "vaak.db")
	s := openAt(t, path)
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]os.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s = %o, want %o", file, got, want)
		}
	}
}

func TestPragmas(t *testing.T) {
	t.Parallel()
	s := openAt(t, filepath.Join(t.TempDir(), "vaak.db"))
	for _, tt := range []struct{ pragma, write, read string }{
		{"journal_mode", "wal", "wal"},
		{"synchronous", "2", ""}, // FULL
		{"busy_timeout", "50", "500"},
		{"foreign_keys", "1", "1"},
		{"query_only", "0", "1"},
		{"secure_delete", "1", ""},
	} {
		for pool, want := range map[string]string{"write": tt.write, "read": tt.read} {
			db := s.db.Write
			if pool == "read" {
				db = s.db.Read
			}
			var got string
			if err := db.QueryRowContext(t.Context(), "PRAGMA "+tt.pragma).Scan(&got); err != nil {
				t.Fatal(err)
			}
			if want != "" && got != want {
				t.Errorf("%s pool: %s = %s, want %s", pool, tt.pragma, got, want)
			}
		}
	}
	if _, err := s.db.Read.ExecContext(t.Context(), "DELETE FROM probes"); err == nil {
		t.Error("a reader could write")
	}
}

// TestFullDisk fills the database up to a page limit: writes fail as
// Unavailable, reads go on, and writes work when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), openAt(t, filepath.Join(t.TempDir(), "vaak.db"))
	if _, err := s.db.Write.ExecContext(ctx, "PRAGMA max_page_count = 20"); err != nil {
		t.Fatal(err)
	}
	var made int
	var err error
	for ; made < 10_000 && err == nil; made++ {
		err = s.CreateOrganisation(ctx, testOrganisation(made))
	}
	if fault.KindOf(err) != fault.Unavailable {
		t.Fatalf("writing into a full database: %v, want an Unavailable error", err)
	}
	if _, err := s.Organisation(ctx, testOrganisation(0).ID); err != nil {
		t.Errorf("reading a full database: %v", err)
	}
	if _, err := s.db.Write.ExecContext(ctx, "PRAGMA max_page_count = 10000"); err != nil {
		t.Fatal(err)
	}
	if err := s.CreateOrganisation(ctx, testOrganisation(made)); err != nil {
		t.Errorf("writing when there is room again: %v", err)
	}
	var check string
	if err := s.db.Write.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity_check = %q, %v, want ok", check, err)
	}
}

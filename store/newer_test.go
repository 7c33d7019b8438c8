package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	"vaak/store/database"
	"vaak/store/database/databasetest"
	"vaak/store/migrations"
	"vaak/store/replicas"
	"vaak/store/storetest"
	"vaak/store/storetest/pgtest"
)

// These tests are about a database that a newer program has migrated, and this one uses.
// A step of the next release may do anything that only adds, so the one here does all of it
// to every table.

// nextSteps returns the steps of this program and one more, which programs of version
// oldest may use: a column, with an index, in every table, and a new table.
func nextSteps(ctx context.Context, db *database.DB, oldest int) ([]migrations.Step, error) {
	steps, err := db.Steps()
	if err != nil {
		return nil, err
	}
	query := `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	if db.Postgres() {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
	}
	var tables []string
	if err := db.Read.NewRaw(query).Scan(ctx, &tables); err != nil {
		return nil, err
	}
	text := "CREATE TABLE later (id BIGINT NOT NULL PRIMARY KEY);\n"
	for _, t := range tables {
		if !strings.HasPrefix(t, "river_") { // the queue's own, which its library migrates
			text += fmt.Sprintf("ALTER TABLE %[1]s ADD COLUMN later TEXT NOT NULL DEFAULT 'later';\nCREATE INDEX %[1]s_later ON %[1]s (later);\n", t)
		}
	}
	next := migrations.Step{Version: len(steps) + 1, Name: "later", Oldest: oldest, SQL: text}
	return append(slices.Clone(steps), next), nil
}

// migrateToNext brings a database to the version after that of this program.
func migrateToNext(dsn string) error {
	ctx := context.Background()
	db, err := database.Open(ctx, database.Config{DSN: dsn})
	if err != nil {
		return err
	}
	err = db.Migrate(ctx)
	var steps []migrations.Step
	if err == nil {
		steps, err = nextSteps(ctx, db, migrations.Released)
	}
	if err == nil && !steps[len(steps)-1].OnlyAdds() {
		err = errors.New("the step does more than to add")
	}
	if err == nil {
		err = db.MigrateTo(ctx, steps)
	}
	return errors.Join(err, db.Close())
}

// nextSQLite returns the DSN of such a file of SQLite.
func nextSQLite(t *testing.T) string {
	t.Helper()
	text, err := nextFile()
	path := filepath.Join(t.TempDir(), "vaak.db")
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + path
}

var nextFile = sync.OnceValues(func() (text []byte, err error) {
	dir, err := os.MkdirTemp("", "vaak-store")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "vaak.db")
	if err := migrateToNext("sqlite:" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// nextPostgres returns the DSN of such a database of PostgreSQL.
var nextPostgres = pgtest.Filled(migrateToNext)

// TestLengthyNewerDatabase runs the suites of all aggregates on a database that the next
// release has migrated; on PostgreSQL those of accounts and limits, which have batches of prepared
// statements and functions of the database.
func TestLengthyNewerDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("all suites once more; make test runs it")
	}
	t.Parallel()
	for name, dsn := range map[string]func(*testing.T) string{
		"SQLite":     nextSQLite,
		"PostgreSQL": func(t *testing.T) string { return nextPostgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("Accounts", func(t *testing.T) {
				t.Parallel()
				storetest.Run(t, func(t *testing.T) storetest.Opened {
					dsn := dsn(t)
					s := openDSN(t, dsn)
					return storetest.Opened{Accounts: s, Again: func(t *testing.T) account.Store { return openDSN(t, dsn) }, Close: s.Close}
				})
			})
			if name == "PostgreSQL" {
				t.Run("Limits", func(t *testing.T) {
					t.Parallel()
					storetest.RunLimits(t, func(t *testing.T) storetest.OpenedLimits {
						c := storetest.NewClock()
						return storetest.OpenedLimits{Limits: openBy(t, dsn(t), c.Now).Limits(), Clock: c}
					})
				})
				t.Run("Requests", func(t *testing.T) {
					t.Parallel()
					limits := openDSN(t, dsn(t)).Limits()
					for n := range 3 {
						got, err := limits.TakeRequest(t.Context(), []account.Scope{{ID: "key_1", Limit: 2}})
						if err != nil || len(got) != 1 || got[0].Requests.Allowed != (n < 2) {
							t.Errorf("request %d of 2 a minute: %+v, %v", n+1, got, err)
						}
					}
				})
				return
			}
			// They have the same statements on both, built by bun, and no functions of the database.
			t.Run("Catalogue", func(t *testing.T) {
				t.Parallel()
				storetest.RunCatalogue(t, func(t *testing.T) storetest.OpenedCatalogue {
					dsn := dsn(t)
					s := openDSN(t, dsn)
					return storetest.OpenedCatalogue{
						Catalogue: s.Catalogue(), Close: s.Close,
						Again: func(t *testing.T) storetest.Catalogue { return openDSN(t, dsn).Catalogue() },
					}
				})
			})
			t.Run("Dictionaries", func(t *testing.T) { t.Parallel(); runDictionaries(t, dsn, true) })
			t.Run("Enquiries", func(t *testing.T) { t.Parallel(); runEnquiries(t, dsn, true) })
			t.Run("Identity", func(t *testing.T) { t.Parallel(); runIdentity(t, dsn, true) })
		})
	}
}

// bothDatabases runs a test on an empty database of each kind.
func bothDatabases(t *testing.T, run func(t *testing.T, dsn string)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); run(t, sqliteDSN(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); run(t, pgtest.DSN(t)) })
}

// TestMigrateUnderNewer: a database is used by the programs that its steps name, and by no other.
func TestMigrateUnderNewer(t *testing.T) {
	bothDatabases(t, func(t *testing.T, dsn string) {
		ctx, db := t.Context(), databasetest.Open(t, dsn, nil)
		known, err := db.Steps()
		if err != nil {
			t.Fatal(err)
		}
		migrate := func(oldest int) {
			t.Helper()
			steps, err := nextSteps(ctx, db, oldest)
			for len(steps) < 30 { // versions that this test has made already
				last := steps[len(steps)-1]
				last.Version++
				last.SQL = ""
				steps = append(steps, last)
			}
			var v int
			if err == nil {
				v, err = db.Version(ctx)
			}
			if err == nil {
				err = db.MigrateTo(ctx, steps[:v+1])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		migrate(len(known))
		if err := db.Migrate(ctx); err != nil {
			t.Errorf("Migrate of a newer database that this program can use: %v", err)
		}
		u, err := InspectUpgrade(ctx, dsn)
		if err != nil || u.Schema != len(known)+1 || u.Oldest != len(known) || len(u.Pending) > 0 {
			t.Errorf("InspectUpgrade = %+v, %v; want version %d, which %d can use", u, err, len(known)+1, len(known))
		}
		migrate(len(known) + 1)
		migrate(len(known)) // what an earlier step has taken away does not come back
		err = db.Migrate(ctx)
		want := fmt.Sprintf("version %d, which programs of version %d and later can use, and this one is of version %d", len(known)+3, len(known)+1, len(known))
		if !errors.Is(err, database.ErrNewer) || !strings.Contains(err.Error(), want) {
			t.Errorf("Migrate of a newer database that it cannot use = %v, want database.ErrNewer with %q", err, want)
		}
	})
}

// TestMigrateBesideServers: a step that a running server could not follow waits until
// that server is gone.
func TestMigrateBesideServers(t *testing.T) {
	bothDatabases(t, func(t *testing.T, dsn string) {
		ctx, db := t.Context(), databasetest.Open(t, dsn, nil)
		steps, err := nextSteps(ctx, db, migrations.Released)
		if err != nil {
			t.Fatal(err)
		}
		known := len(steps) - 1
		need := known + 2
		steps = append(steps, migrations.Step{Version: need, Name: "needy", Oldest: need, SQL: "CREATE TABLE needy (id BIGINT NOT NULL PRIMARY KEY)"})
		roster := replicas.NewRoster(db)
		old := replicas.Replica{ID: "replica_old", Address: "127.0.0.1:8080", Program: "v1.0.0", Knows: known}
		silent := replicas.Replica{ID: "replica_silent", Address: "127.0.0.1:8081"} // of version 11
		if err := errors.Join(roster.Register(ctx, old), roster.Register(ctx, silent)); err != nil {
			t.Fatal(err)
		}
		u, err := InspectUpgrade(ctx, dsn)
		if d := cmp.Diff([]replicas.Replica{old, silent}, u.Serving); err != nil || d != "" {
			t.Errorf("InspectUpgrade: %v, serving, -want +got:\n%s", err, d)
		}
		if err := db.MigrateTo(ctx, steps[:known+1]); err != nil {
			t.Errorf("MigrateTo of what both can follow: %v", err)
		}
		want := fmt.Sprintf("2 serve from the database with a program of schema version 11 at the oldest, and the migration needs %d", need)
		if err := db.MigrateTo(ctx, steps); !errors.Is(err, database.ErrServing) || !strings.Contains(err.Error(), want) {
			t.Errorf("MigrateTo beside old servers = %v, want database.ErrServing with %q", err, want)
		}
		if v, err := db.Version(ctx); err != nil || v != known+1 {
			t.Errorf("Version = %d, %v, want %d", v, err, known+1)
		}
		if err := errors.Join(roster.Unregister(ctx, old.ID), roster.Unregister(ctx, silent.ID)); err != nil {
			t.Fatal(err)
		}
		if err := db.MigrateTo(ctx, steps); err != nil {
			t.Errorf("MigrateTo when they are gone: %v", err)
		}
	})
}

// TestMigrateBesideServersFromBefore: nor could the servers follow that do not say what they know.
func TestMigrateBesideServersFromBefore(t *testing.T) {
	bothDatabases(t, func(t *testing.T, dsn string) {
		ctx, db := t.Context(), openEmpty(t, dsn).db
		steps, err := db.Steps()
		if err != nil {
			t.Fatal(err)
		}
		if err := db.MigrateTo(ctx, steps[:11]); err != nil {
			t.Fatal(err)
		}
		insert := db.Write.NewRaw("INSERT INTO replicas (id, address, started_at, seen_at) VALUES ('replica_old', '127.0.0.1:8080', 1, ?)", db.Clock())
		if _, err := insert.Exec(ctx); err != nil {
			t.Fatal(err)
		}
		next := slices.Clone(steps[:12])
		next[11].Oldest = 12
		if err := db.MigrateTo(ctx, next); !errors.Is(err, database.ErrServing) {
			t.Errorf("MigrateTo beside a server of version 11 = %v, want database.ErrServing", err)
		}
		if err := db.MigrateTo(ctx, steps); err != nil {
			t.Errorf("MigrateTo by steps that it can follow: %v", err)
		}
	})
}

// TestMigrateLetsOthersPass: while a dump holds a table, a migration of it does not keep servers
// from using it for longer than half a second, and is done when the dump has ended.
func TestMigrateLetsOthersPass(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), databasetest.Open(t, databasetest.Postgres(t), nil)
	steps, err := nextSteps(ctx, db, 0)
	if err != nil {
		t.Fatal(err)
	}
	dump, err := db.Patient.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dump.Rollback() }()
	if _, err := dump.ExecContext(ctx, "LOCK TABLE probes IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- db.MigrateTo(ctx, steps) }()
	waiting := func() (n int) {
		err := db.Read.NewRaw("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'probes'::regclass").Scan(ctx, &n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for waiting() == 0 {
		if ctx.Err() != nil {
			t.Fatal("the migration does not wait for the table")
		}
	}
	if err := db.Ping(ctx); err != nil { // waits behind the migration; a server gives up after 2 s
		t.Errorf("a server writes beside a migration that waits: %v", err)
	}
	select {
	case err := <-done:
		t.Fatalf("the migration has ended while the table was locked: %v", err)
	default:
	}
	if err := dump.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the migration after the dump: %v", err)
	}
}

// TestMigrateBesideVacuum: a migration waits for a vacuum for so long that PostgreSQL ends it if it
// is an automatic one, and no server waits meanwhile.
func TestMigrateBesideVacuum(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), databasetest.Open(t, databasetest.Postgres(t), nil)
	steps, err := nextSteps(ctx, db, 0)
	if err != nil {
		t.Fatal(err)
	}
	vacuum, err := db.Patient.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = vacuum.Rollback() }()
	if _, err := vacuum.ExecContext(ctx, "LOCK TABLE probes IN SHARE UPDATE EXCLUSIVE MODE"); err != nil { // the lock of a vacuum
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- db.MigrateTo(ctx, steps) }()
	const waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'probes'::regclass AND clock_timestamp() - waitstart > interval '1.5 s'"
	for began, n := time.Now(), 0; n == 0; {
		if err := db.Read.NewRaw(waits).Scan(ctx, &n); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) > 15*time.Second {
			t.Fatal("the migration never waits for over a second, after which PostgreSQL would end an autovacuum")
		}
	}
	if err := db.Ping(ctx); err != nil {
		t.Errorf("a server writes beside a migration that waits for a vacuum: %v", err)
	}
	writer, err := db.Patient.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Rollback() }()
	if _, err := writer.ExecContext(ctx, "LOCK TABLE probes IN ROW EXCLUSIVE MODE NOWAIT"); err != nil { // the lock of a server that writes
		t.Errorf("a server waits behind a migration that waits for a vacuum: %v", err)
	}
	if err := writer.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := vacuum.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the migration after the vacuum: %v", err)
	}
}

// TestInspectUpgradePending looks at a database from before, with rows.
func TestInspectUpgradePending(t *testing.T) {
	bothDatabases(t, func(t *testing.T, dsn string) {
		ctx := t.Context()
		if u, err := InspectUpgrade(ctx, dsn); err != nil || u.Exists || u.Known == 0 || u.Postgres != strings.HasPrefix(dsn, "postgres") {
			t.Errorf("InspectUpgrade of nothing = %+v, %v", u, err)
		}
		s := openEmpty(t, dsn)
		steps, err := s.db.Steps()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.db.MigrateTo(ctx, steps[:7]); err != nil {
			t.Fatal(err)
		}
		first, second := make([]byte, 32), make([]byte, 32)
		second[0] = 1
		if _, err := s.db.Write.ExecContext(ctx, version1, first, second); err != nil {
			t.Fatal(err)
		}
		u, err := InspectUpgrade(ctx, dsn)
		if err != nil || !u.Exists || u.Schema != 7 || u.Oldest != 7 || u.After != migrations.Released || u.Bytes < 4096 || len(u.Pending) != len(steps)-7 {
			t.Fatalf("InspectUpgrade of version 7 = %+v, %v", u, err)
		}
		var found bool
		for _, p := range u.Pending {
			for _, w := range p.Work {
				found = found || p.Version == 9 && w.Kind == migrations.Reads
				if w.Rows < 0 || w.Text == "" {
					t.Errorf("work of version %d: %+v", p.Version, w)
				}
			}
		}
		if !found {
			t.Errorf("no work of version 9, which reads a table, in %+v", u.Pending)
		}
		if v, err := s.Version(ctx); err != nil || v != 7 {
			t.Errorf("Version after looking = %d, %v, want 7", v, err)
		}
	})
}

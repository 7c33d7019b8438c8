package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/store/database"
	"vaak/store/migrations"
)

func testOrganisation(n int) account.Organisation {
	return account.Organisation{
		ID: fmt.Sprintf("org_%016d", n), Name: fmt.Sprint("Organisation ", n, strings.Repeat(" x", 50)), Terms: ledger.Terms{Mode: ledger.Lots, Plan: "unlimited"}, Ceilings: account.NoCeilings,
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := Open(ctx, Config{DSN: "sqlite:" + filepath.Join(t.TempDir(), "vaak.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	steps, err := migrations.Of("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := s.Version(ctx); v != 0 || err != nil {
		t.Errorf("Version of an empty database = %d, %v, want 0", v, err)
	}
	for range 2 {
		if err := s.Migrate(ctx); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Version(ctx); v != len(steps) || err != nil {
			t.Errorf("Version = %d, %v, want %d", v, err, len(steps))
		}
	}
}

// TestMigrateFailure checks that a step that fails takes the earlier ones back.
func TestMigrateFailure(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := Open(ctx, Config{DSN: "sqlite:" + filepath.Join(t.TempDir(), "vaak.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	good := migrations.Step{Version: 1, Name: "good", SQL: "CREATE TABLE good (a INTEGER) STRICT; CREATE INDEX good_a ON good (a);"}
	bad := migrations.Step{Version: 2, Name: "bad", SQL: "CREATE TABLE bad (a INTEGER) STRICT; INSERT INTO nowhere VALUES (1);"}
	err = s.db.MigrateTo(ctx, []migrations.Step{good, bad})
	if err == nil || !strings.Contains(err.Error(), "0002_bad") {
		t.Fatalf("migrate = %v, want an error that names 0002_bad", err)
	}
	if v, err := s.Version(ctx); v != 0 || err != nil {
		t.Errorf("Version after a failure = %d, %v, want 0", v, err)
	}
	if err := s.db.MigrateTo(ctx, []migrations.Step{good}); err != nil {
		t.Errorf("migrate without the bad step: %v", err)
	}
}

func TestMigrateRefusesNewer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openAt(t, filepath.Join(t.TempDir(), "vaak.db"))
	if _, err := s.db.Write.ExecContext(ctx, "INSERT INTO schema_migrations (version, name, applied_at) VALUES (97, 'later', 0)"); err != nil {
		t.Fatal(err)
	}
	err := s.Migrate(ctx)
	if !errors.Is(err, database.ErrNewer) || !strings.Contains(err.Error(), "97") {
		t.Errorf("Migrate of a newer database = %v, want database.ErrNewer with its version", err)
	}
	if v, err := s.Version(ctx); v != 97 || err != nil {
		t.Errorf("Version = %d, %v, want 97", v, err)
	}
}

func TestMigrateFromGoroutines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vaak.db")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { openAndMigrate(t, path) })
	}
	wg.Wait()
	wantOneMigration(t, path)
}

const migrateEnv = "STORE_TEST_MIGRATE"

// TestMigrateFromProcesses starts this test binary four times over; each copy
// runs TestMigrateHere.
func TestMigrateFromProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vaak.db")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMigrateHere$")
			cmd.Env = append(os.Environ(), migrateEnv+"="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	wantOneMigration(t, path)
}

func TestMigrateHere(t *testing.T) {
	path := os.Getenv(migrateEnv)
	if path == "" {
		t.Skip("runs in a process of its own")
	}
	openAndMigrate(t, path)
}

func openAndMigrate(t *testing.T, path string) {
	s, err := Open(t.Context(), Config{DSN: "sqlite:" + path})
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func wantOneMigration(t *testing.T, path string) {
	t.Helper()
	steps, err := migrations.Of("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	var n int
	if err := s.db.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM schema_migrations").Scan(&n); err != nil || n != len(steps) {
		t.Errorf("%d migrations are recorded, %v, want %d", n, err, len(steps))
	}
}

package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/internal/pause"
	"vaak/store/database"
	"vaak/store/keys"
	"vaak/store/migrations"
	"vaak/store/storetest/pgtest"
)

// TestPostgresOutage stops the server, crashing it and not, under a store that
// has connections: every call fails soon as Unavailable, and the same store
// works when the server is back.
func TestPostgresOutage(t *testing.T) {
	t.Parallel()
	c := pgtest.Start(t)
	s := openDSN(t, strings.Replace(c.NewDatabase(t), "?", "?password=hunter2&", 1))
	ctx, o := t.Context(), testOrganisation(1)
	k := account.Key{ID: "key_1", OrgID: o.ID, Label: "l", Hash: make([]byte, 32), LastFour: "wxyz"}
	if err := errors.Join(s.CreateOrganisation(ctx, o), s.CreateKey(ctx, k)); err != nil {
		t.Fatal(err)
	}
	calls := map[string]func() error{
		"Ping":         func() error { return s.Ping(ctx) },
		"Organisation": func() error { _, err := s.Organisation(ctx, o.ID); return err },
		// Of keys that have cached nothing.
		"Credential": func() error { _, err := keys.New(s.db).Credential(ctx, k.Hash); return err },
		"a transaction": func() error {
			return s.db.Transact(ctx, func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE api_keys SET label = ? WHERE id = ?", "new", k.ID)
				return s.db.Fail(ctx, err, "label a key")
			})
		},
		"Migrate": func() error { return s.Migrate(ctx) },
	}
	for _, mode := range []string{"immediate", "fast"} {
		if err := c.Stop(mode); err != nil {
			t.Fatal(err)
		}
		for name, call := range calls {
			soon, cancel := pause.Within(ctx, 1500*time.Millisecond)
			err := call()
			if fault.KindOf(err) != fault.Unavailable || soon.Err() != nil {
				t.Errorf("%s after a %s stop = %v, in time: %v, want Unavailable within 1.5s", name, mode, err, soon.Err() == nil)
			}
			cancel()
			if strings.Contains(fmt.Sprint(err), "hunter2") {
				t.Errorf("%s shows the password: %v", name, err)
			}
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for name, call := range calls {
			if err := call(); err != nil {
				t.Errorf("%s after a %s stop and a start: %v", name, mode, err)
			}
		}
	}
}

func TestPostgresMigrateAtOnce(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	var wg sync.WaitGroup
	for range 4 {
		s := openEmpty(t, dsn)
		wg.Go(func() {
			if err := s.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
			if err := s.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	steps, err := migrations.Of("postgres")
	if err != nil {
		t.Fatal(err)
	}
	s := openDSN(t, dsn)
	var n int
	if err := s.db.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM schema_migrations").Scan(&n); err != nil || n != len(steps) {
		t.Errorf("%d migrations are recorded, %v, want %d", n, err, len(steps))
	}
	if _, err := s.db.Write.ExecContext(t.Context(), "INSERT INTO schema_migrations (version, name, applied_at) VALUES (97, 'later', 0)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); !errors.Is(err, database.ErrNewer) {
		t.Errorf("Migrate of a newer database = %v, want database.ErrNewer", err)
	}
}

// TestPostgresMigrateFailure checks that a step that fails takes the earlier
// ones back.
func TestPostgresMigrateFailure(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), openEmpty(t, pgtest.DSN(t))
	good := migrations.Step{Version: 1, Name: "good", SQL: "CREATE TABLE good (a BIGINT); CREATE INDEX good_a ON good (a);"}
	bad := migrations.Step{Version: 2, Name: "bad", SQL: "CREATE TABLE bad (a BIGINT); INSERT INTO nowhere VALUES (1);"}
	if err := s.db.MigrateTo(ctx, []migrations.Step{good, bad}); err == nil || !strings.Contains(err.Error(), "0002_bad") {
		t.Fatalf("migrate = %v, want an error that names 0002_bad", err)
	}
	if v, err := s.Version(ctx); v != 0 || err != nil {
		t.Errorf("Version after a failure = %d, %v, want 0", v, err)
	}
	if err := s.db.MigrateTo(ctx, []migrations.Step{good}); err != nil {
		t.Errorf("migrate without the bad step: %v", err)
	}
}

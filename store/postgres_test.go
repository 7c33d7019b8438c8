package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/store/storetest/pgtest"
)

// TestPostgresOutage stops the server, crashing it and not, under a store that
// has connections: every call fails soon as Unavailable, and the same store
// works when the server is back.
func TestPostgresOutage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
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
		"Credential":   func() error { _, err := s.lookupCredential(ctx, k.Hash); return err },
		"a transaction": func() error {
			_, err := s.exec(ctx, "label a key", "UPDATE api_keys SET label = ? WHERE id = ?", "new", k.ID)
			return err
		},
		"Migrate": func() error { return s.Migrate(ctx) },
	}
	for _, mode := range []string{"immediate", "fast"} {
		if err := c.Stop(mode); err != nil {
			t.Fatal(err)
		}
		for name, call := range calls {
			began := time.Now()
			err := call()
			if fault.KindOf(err) != fault.Unavailable || time.Since(began) > 1500*time.Millisecond {
				t.Errorf("%s after a %s stop = %v, %v later, want Unavailable within 1.5s", name, mode, err, time.Since(began))
			}
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
	steps, err := postgresDialect().migrations()
	if err != nil {
		t.Fatal(err)
	}
	s := openDSN(t, dsn)
	var n int
	if err := s.read.QueryRowContext(t.Context(), "SELECT count(*) FROM schema_migrations").Scan(&n); err != nil || n != len(steps) {
		t.Errorf("%d migrations are recorded, %v, want %d", n, err, len(steps))
	}
	if _, err := s.write.ExecContext(t.Context(), "INSERT INTO schema_migrations VALUES (97, 'later', 0)"); err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); !errors.Is(err, ErrNewer) {
		t.Errorf("Migrate of a newer database = %v, want ErrNewer", err)
	}
}

// TestPostgresMigrateFailure checks that a step that fails takes the earlier
// ones back.
func TestPostgresMigrateFailure(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), openEmpty(t, pgtest.DSN(t))
	good := migration{1, "good", "CREATE TABLE good (a BIGINT); CREATE INDEX good_a ON good (a);"}
	bad := migration{2, "bad", "CREATE TABLE bad (a BIGINT); INSERT INTO nowhere VALUES (1);"}
	if err := s.migrate(ctx, []migration{good, bad}); err == nil || !strings.Contains(err.Error(), "0002_bad") {
		t.Fatalf("migrate = %v, want an error that names 0002_bad", err)
	}
	if v, err := s.Version(ctx); v != 0 || err != nil {
		t.Errorf("Version after a failure = %d, %v, want 0", v, err)
	}
	if err := s.migrate(ctx, []migration{good}); err != nil {
		t.Errorf("migrate without the bad step: %v", err)
	}
}

// TestPostgresConfig checks what a DSN leaves to us.
func TestPostgresConfig(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query string
		size  int
		mode  pgx.QueryExecMode
	}{
		{"", poolSize, pgx.QueryExecModeSimpleProtocol},
		{"?pool_max_conns=3", 3, pgx.QueryExecModeSimpleProtocol},
		{"?default_query_exec_mode=exec", poolSize, pgx.QueryExecModeExec},
		{"?standard_conforming_strings=off", poolSize, pgx.QueryExecModeSimpleProtocol},
	} {
		cfg, size, err := postgresConfig("postgresql://u:p@h/db" + tt.query)
		if err != nil {
			t.Errorf("postgresConfig(%q): %v", tt.query, err)
			continue
		}
		if size != tt.size || cfg.DefaultQueryExecMode != tt.mode {
			t.Errorf("postgresConfig(%q) = %d, %v, want %d, %v", tt.query, size, cfg.DefaultQueryExecMode, tt.size, tt.mode)
		}
		if _, left := cfg.RuntimeParams["pool_max_conns"]; left || cfg.RuntimeParams["standard_conforming_strings"] != "on" {
			t.Errorf("postgresConfig(%q): parameters %v", tt.query, cfg.RuntimeParams)
		}
	}
}

func TestPostgresCause(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want cause
	}{
		{&pgconn.PgError{Code: "23505"}, duplicate},
		{&pgconn.PgError{Code: "23503"}, missing},
		{&pgconn.PgError{Code: "23514"}, unknown},
		{&pgconn.PgError{Code: "42601"}, unknown},
		{&pgconn.PgError{}, unknown},
		{&pgconn.PgError{Code: "22021"}, malformed},
		{&pgconn.PgError{Code: "57P01"}, away},
		{&pgconn.PgError{Code: "53300"}, away},
		{&pgconn.PgError{Code: "08006"}, away},
		{&pgconn.PgError{Code: "40001"}, away},
		{&pgconn.PgError{Code: "40P01"}, away},
		{&pgconn.PgError{Code: "25006"}, away},
		{context.DeadlineExceeded, away},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, away},
		{errors.New("sql: expected 1 arguments, got 2"), unknown},
	} {
		if got := postgresCause(fmt.Errorf("while testing: %w", tt.err)); got != tt.want {
			t.Errorf("postgresCause(%#v) = %v, want %v", tt.err, got, tt.want)
		}
	}
}

// TestImpatience checks that a peer that answers is waited for, that the
// driver's own deadline is kept, and that silence fails a read, and the next at
// once.
func TestImpatience(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	defer far.Close()
	dial := func(context.Context, string, string) (net.Conn, error) { return near, nil }
	const patience = 200 * time.Millisecond
	conn, err := impatient(dial, patience)(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	b := make([]byte, 1)
	go far.Write([]byte("a")) // fails when the test has ended already
	if _, err := conn.Read(b); err != nil || b[0] != 'a' {
		t.Errorf("Read of an answer = %q, %v", b, err)
	}
	silence := func(what string, atLeast, under time.Duration) {
		t.Helper()
		began := time.Now()
		_, err := conn.Read(b)
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took < atLeast || took >= under {
			t.Errorf("Read %s = %v, %v later, want a timeout after %v", what, err, took, atLeast)
		}
	}
	if err := conn.SetDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	silence("past the driver's deadline", 0, patience)
	if err := conn.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	silence("of silence", patience, time.Minute)
	silence("after silence", 0, patience)
}

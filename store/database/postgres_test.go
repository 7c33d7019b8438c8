package database

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

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
	synctest.Test(t, testImpatience)
}

func testImpatience(t *testing.T) {
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
	silence := func(what string, after time.Duration) {
		t.Helper()
		began := time.Now()
		_, err := conn.Read(b)
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != after {
			t.Errorf("Read %s = %v, %v later, want a timeout after %v", what, err, took, after)
		}
	}
	if err := conn.SetDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	silence("past the driver's deadline", 0)
	if err := conn.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	silence("of silence", patience)
	silence("after silence", 0)
}

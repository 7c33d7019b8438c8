package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// Limits of the pool of PostgreSQL.
const (
	poolSize       = 16              // connections, unless the DSN says pool_max_conns
	connectTimeout = 2 * time.Second // for making one; connect_timeout in the DSN can only shorten it
	AnswerTimeout  = 2 * time.Second // for the next bytes of an answer
	idleTime       = time.Second     // after which a connection is checked before it is used
	checkTimeout   = 250 * time.Millisecond
)

// migrationLock is the key of the advisory lock that migrating takes: the
// letters "vaak".
const migrationLock = 0x7661616b

func postgresDialect() dialect {
	return dialect{
		name:          "postgres",
		hasMigrations: "SELECT count(to_regclass('schema_migrations'))",
		makeMigrations: `CREATE TABLE IF NOT EXISTS schema_migrations (
			version BIGINT NOT NULL PRIMARY KEY, name TEXT COLLATE "C" NOT NULL, applied_at BIGINT NOT NULL)`,
		lockMigrations: []string{
			fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", migrationLock),
			// Not for the lock above: another process may migrate for long, and nobody waits
			// behind this one.
			fmt.Sprintf("SET LOCAL lock_timeout = %d", lockTimeout.Milliseconds()),
		},
		cause: postgresCause,
	}
}

// IsPostgres reports whether a DSN names a database of PostgreSQL.
func IsPostgres(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// postgresConfig parses a DSN. Its error repeats nothing of the DSN: in a malformed one
// the password may be anywhere.
func postgresConfig(dsn string) (cfg *pgx.ConnConfig, size int, err error) {
	cfg, err = pgx.ParseConfig(dsn)
	if err != nil {
		return nil, 0, errors.New("the PostgreSQL DSN is malformed; allowed: postgres://user:password@host:port/database?parameter=value")
	}
	size = poolSize
	if v, ok := cfg.RuntimeParams["pool_max_conns"]; ok {
		if size, err = strconv.Atoi(v); err != nil || size < 1 {
			return nil, 0, fmt.Errorf("pool_max_conns %q is not a number of 1 or more", v)
		}
		delete(cfg.RuntimeParams, "pool_max_conns")
	}
	if !strings.Contains(dsn, "default_query_exec_mode=") {
		// bun writes values into the text of each query. So preparing it would cost a
		// round trip, and the next query has another text.
		cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	}
	prepare(cfg)
	// bun quotes for these two settings. With others, a backslash in a value could escape
	// the quote that ends it.
	cfg.RuntimeParams["standard_conforming_strings"] = "on"
	cfg.RuntimeParams["client_encoding"] = "UTF8"
	return cfg, size, nil
}

func (db *DB) openPostgres(ctx context.Context, cfg *pgx.ConnConfig, size int) error {
	db.Patient = sql.OpenDB(newHosts(cfg))
	db.Patient.SetMaxIdleConns(0) // seldom used, so it holds no connection meanwhile
	bounded := *cfg
	bound(&bounded)
	db.open = func(size int) *bun.DB {
		pool := sql.OpenDB(newHosts(&bounded, stdlib.OptionShouldPing(check)))
		pool.SetMaxOpenConns(size)
		pool.SetMaxIdleConns(size)
		pool.SetConnMaxIdleTime(5 * time.Minute)
		return newDB(pool, pgdialect.New())
	}
	// The listener keeps the config without a bound: it waits for notifications, which may
	// not come for hours.
	db.Write, db.listener = db.open(size), cfg
	db.Read = db.Write
	var encoding string
	if err := db.Read.QueryRowContext(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database's encoding is %s, want UTF8", encoding)
	}
	return nil
}

// OpenServer opens one connection to a database of PostgreSQL, beside any [DB], and
// returns the name and the host of that database. The connection waits for
// [AnswerTimeout] at most. Errors never hold a password of the DSN.
func OpenServer(dsn string) (db *sql.DB, name, host string, err error) {
	cfg, _, err := postgresConfig(dsn)
	if err != nil {
		return nil, "", "", err
	}
	bounded := *cfg
	bound(&bounded)
	db = sql.OpenDB(newHosts(&bounded))
	db.SetMaxOpenConns(1)
	return db, cfg.Database, cfg.Host, nil
}

// bound has the connections of cfg wait for [AnswerTimeout] at most.
func bound(cfg *pgx.ConnConfig) { cfg.DialFunc = impatient(cfg.DialFunc, AnswerTimeout) }

// check pings a connection that was idle, and reports whether the driver should ping it
// as well. A ping that fails closes the connection, so the driver's ping fails at once.
// Without check that ping would wait for AnswerTimeout, again for each connection of the
// pool that a silent network has cut.
func check(ctx context.Context, p stdlib.ShouldPingParams) bool {
	if p.IdleDuration < idleTime {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return p.Conn.Ping(ctx) != nil
}

func postgresCause(err error) cause {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return stateCause(e.Code)
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return away
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return away
	}
	for _, broken := range []error{
		driver.ErrBadConn, sql.ErrConnDone, pgconn.ErrConnClosed, io.EOF, io.ErrUnexpectedEOF, context.DeadlineExceeded,
	} {
		if errors.Is(err, broken) {
			return away
		}
	}
	return unknown
}

// lockedOut reports whether a statement of PostgreSQL failed because it waited for locks
// for as long as it may, or for each other with another session.
func lockedOut(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{
		"55P03", // lock_not_available: lock_timeout
		"57014", // query_canceled: statement_timeout
		"40P01", // deadlock_detected
	}, e.Code)
}

// stateCause says what a SQLSTATE means.
func stateCause(state string) cause {
	switch state {
	case "23503": // foreign_key_violation
		return missing
	case "23505": // unique_violation
		return duplicate
	case "22021": // character_not_in_repertoire
		return malformed
	case "08P01": // protocol_violation
		return unknown
	case "25006", // read_only_sql_transaction: a standby
		"40001", "40P01", // serialization_failure, deadlock_detected
		"55P03",          // lock_not_available
		"57014",          // query_canceled
		"57P01", "57P02", // admin_shutdown, crash_shutdown
		"57P03", "57P05": // cannot_connect_now, idle_session_timeout
		return away
	}
	switch state[:min(2, len(state))] {
	case "08", "53", "58": // connection, resources, system
		return away
	}
	return unknown
}

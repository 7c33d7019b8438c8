package database

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const memoryPath = ":memory:"

// location is the absolute path of a database file, or memoryPath.
type location string

// FilePath returns the path of the file that a DSN of SQLite names; "" when the database
// is in memory.
func FilePath(dsn string) (string, error) {
	loc, err := parseDSN(dsn)
	if err != nil || loc.memory() {
		return "", err
	}
	return string(loc), nil
}

// OpenFile opens a file of SQLite beside any [DB], with options of its URI filename
// (https://sqlite.org/uri.html) and pragmas of the driver.
func OpenFile(path string, options url.Values) (*sql.DB, error) {
	return sql.Open("sqlite", location(path).uri(options))
}

// FileVersion returns the schema version of a file that [OpenFile] opened.
func FileVersion(ctx context.Context, q Querier) (int, error) {
	return sqliteDialect().version(ctx, q)
}

// FileOldest returns from which version on programs may use a file of such a version.
func FileOldest(ctx context.Context, q Querier, version int) (int, error) {
	return sqliteDialect().oldest(ctx, q, version)
}

// ServerOldest returns from which version on programs may use a database of such a version that
// [OpenServer] opened.
func ServerOldest(ctx context.Context, q Querier, version int) (int, error) {
	return postgresDialect().oldest(ctx, q, version)
}

// ServerVersion returns the schema version of a database that [OpenServer] opened.
func ServerVersion(ctx context.Context, q Querier) (int, error) {
	return postgresDialect().version(ctx, q)
}

// parseDSN returns where a DSN of SQLite points.
func parseDSN(dsn string) (location, error) {
	path, ok := strings.CutPrefix(dsn, "sqlite:")
	path = strings.TrimPrefix(path, "//") // sqlite:///var/x is sqlite:/var/x
	if !ok || path == "" || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("database %q is neither of the form sqlite:<path> nor postgres://user:password@host/name", hidePassword(dsn))
	}
	if path == memoryPath {
		return memoryPath, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("database %q: %w", dsn, err)
	}
	return location(abs), nil
}

// hidePassword cuts a DSN of an unknown form where a password may begin.
func hidePassword(dsn string) string {
	if i := strings.Index(dsn, "://"); i >= 0 {
		return dsn[:i+3] + "..."
	}
	if strings.Contains(dsn, "password") {
		return "..."
	}
	return dsn
}

func (l location) memory() bool { return l == memoryPath }

// make creates the file and its directory when they do not exist. SQLite gives the
// files beside it, WAL and shared memory, the same mode.
func (l location) make() error {
	if l.memory() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(string(l)), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(string(l), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// writeDSN is the driver's name for the connection that writes. The driver
// runs busy_timeout before the other pragmas.
func (l location) writeDSN() string {
	q := l.pragmas(busyTimeout)
	q.Add("_pragma", "journal_mode(wal)")
	q.Add("_pragma", "synchronous(full)")
	q.Add("_pragma", "secure_delete(1)") // overwrites deleted text, which would stay in free pages
	q.Set("_txlock", "immediate")
	return l.uri(q)
}

// readDSN is the driver's name for a connection that cannot write.
func (l location) readDSN() string {
	q := l.pragmas(ReadTimeout)
	q.Add("_pragma", "query_only(1)")
	return l.uri(q)
}

func (l location) pragmas(busy time.Duration) url.Values {
	return url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds()),
		"foreign_keys(1)",
	}}
}

func (l location) uri(q url.Values) string {
	path := string(l)
	if !l.memory() {
		path = (&url.URL{Path: path}).EscapedPath()
	}
	return "file:" + path + "?" + q.Encode()
}

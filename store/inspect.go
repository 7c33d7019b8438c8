package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"vaak/store/database"
	"vaak/store/migrations"
)

// FileInspection is what can be learned of a file of SQLite without opening it to write.
type FileInspection struct {
	Exists bool  // else the other fields are zero, and serving creates the file
	Bytes  int64 // of the file
	// Schema is the version of its tables, 0 of an empty file. Known is the version of
	// this program.
	Schema, Known int
	// Oldest is the version from which on programs may use it, at most Schema.
	Oldest int
	WAL    bool // it is in WAL mode, as is every file that this program has opened
	// Torn says that its WAL exists without the shared memory beside it, as when the files
	// of a running database were copied one by one. Nothing was read then.
	Torn bool
	// Damage is the first thing that SQLite found to be wrong; "" is nothing.
	Damage string
	// Hurried says that the search for damage took too long and was ended.
	Hurried bool
}

// quickCheckLimit bounds the search for damage.
const quickCheckLimit = 5 * time.Second

// InspectFile looks at a database file, whether a server runs on it or not. It migrates
// nothing, creates no file and waits for a lock for half a second at most. An error says
// that the file cannot be read or is no database.
func InspectFile(ctx context.Context, path string) (i FileInspection, err error) {
	steps, err := migrations.Of("sqlite")
	if err != nil {
		return i, err
	}
	i.Known = len(steps)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return i, nil
	case err != nil:
		return i, err
	case !info.Mode().IsRegular():
		return i, fmt.Errorf("%s is not a file", path)
	}
	i.Exists, i.Bytes = true, info.Size()
	if i.WAL, err = inWAL(path); err != nil || i.Bytes == 0 {
		return i, err
	}
	db, err := openFile(path)
	if errors.Is(err, errTorn) {
		i.Torn = true
		return i, nil
	}
	if err != nil {
		return i, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if i.Schema, err = database.FileVersion(ctx, db); err != nil {
		return i, database.Explained(err)
	}
	if i.Oldest, err = database.FileOldest(ctx, db, i.Schema); err != nil {
		return i, database.Explained(err)
	}
	i.Damage, i.Hurried, err = quickCheck(ctx, db)
	return i, err
}

// errTorn is returned for a file whose WAL is there without the shared memory.
var errTorn = errors.New("its log is there without the memory that processes share")

// openFile opens a file that exists, so that it can be read beside servers and nothing is
// created. The error is errTorn for one whose files were copied one by one.
func openFile(path string) (*sql.DB, error) {
	// Without a WAL no process has the file open, so it can be read as immutable, and
	// SQLite creates nothing. With a WAL, SQLite would create missing shared memory.
	query := url.Values{"mode": {"ro"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", database.ReadTimeout.Milliseconds())}}
	switch log, shared := exists(path+"-wal"), exists(path+"-shm"); {
	case !log:
		query.Set("immutable", "1")
	case !shared:
		return nil, errTorn
	}
	db, err := database.OpenFile(path, query)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// quickCheck returns the first damage that SQLite finds in the structure of a database;
// hurried when there was no time to search it all.
func quickCheck(ctx context.Context, db *sql.DB) (damage string, hurried bool, err error) {
	limited, cancel := context.WithTimeout(ctx, quickCheckLimit)
	defer cancel()
	var found string
	err = db.QueryRowContext(limited, "PRAGMA quick_check(1)").Scan(&found)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return "", true, nil
	case err != nil:
		return "", false, database.Explained(err)
	case found != "ok":
		return strings.TrimSpace(found), false, nil
	}
	return "", false, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// inWAL reports whether the header of a database says that it is in WAL mode: the
// file format of both writing and reading is 2 (https://sqlite.org/fileformat.html).
func inWAL(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close() // read only
	var header [20]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil // too short for a header; SQLite says whether it is a database
		}
		return false, err
	}
	return header[18] == 2 && header[19] == 2, nil
}

// ServerInspection is what can be learned of a database of PostgreSQL without writing.
type ServerInspection struct {
	Version       string // of the server, such as "17.2"
	Number        int    // the same as a number, such as 170002
	Encoding      string // must be UTF8
	Standby       bool   // nothing can be written to it
	Schema, Known int    // as in FileInspection
	Oldest        int    // likewise
	// Lacking are privileges that this program needs and does not have, in words.
	Lacking []string
	// Ahead is how far the server's clock is ahead of this machine's, give or take half
	// of Trip, the time that the question took.
	Ahead, Trip time.Duration
	Connections int // that the server allows, in all
}

// InspectServer looks at the database of PostgreSQL that a DSN names, in a transaction
// that can only read. Errors never hold a password of the DSN.
func InspectServer(ctx context.Context, dsn string) (i ServerInspection, err error) {
	steps, err := migrations.Of("postgres")
	if err != nil {
		return i, err
	}
	i.Known = len(steps)
	db, name, host, err := database.OpenServer(dsn)
	if err != nil {
		return i, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return i, fmt.Errorf("open PostgreSQL database %s at %s: %w", name, host, err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was changed
	if err := i.ask(ctx, tx); err != nil {
		return i, err
	}
	if err := i.askTables(ctx, tx); err != nil || len(i.Lacking) > 0 {
		return i, err
	}
	if i.Schema, err = database.ServerVersion(ctx, tx); err != nil {
		return i, err
	}
	if i.Oldest, err = database.ServerOldest(ctx, tx, i.Schema); err != nil || i.Schema >= i.Known {
		return i, err
	}
	return i, i.askMigrating(ctx, tx)
}

// ask asks the server about itself.
func (i *ServerInspection) ask(ctx context.Context, q database.Querier) error {
	var err error
	if i.Ahead, i.Trip, err = database.ServerAhead(ctx, q); err != nil {
		return fmt.Errorf("read the server's clock: %w", err)
	}
	err = q.QueryRowContext(ctx, `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
		current_setting('server_encoding'), pg_is_in_recovery(), current_setting('max_connections')::int`).
		Scan(&i.Version, &i.Number, &i.Encoding, &i.Standby, &i.Connections)
	if err != nil {
		return fmt.Errorf("read the server's settings: %w", err)
	}
	return nil
}

// askTables finds out which tables the user may not read and change.
func (i *ServerInspection) askTables(ctx context.Context, q database.Querier) error {
	var schema sql.NullString
	var closed int
	err := q.QueryRowContext(ctx, `SELECT current_schema(), count(*) FILTER (WHERE NOT (
			has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
			AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')))
		FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`).Scan(&schema, &closed)
	switch {
	case err != nil:
		return fmt.Errorf("read the privileges of tables: %w", err)
	case !schema.Valid:
		i.Lacking = append(i.Lacking, "USAGE of a schema in its search_path")
	case closed > 0:
		i.Lacking = append(i.Lacking, fmt.Sprintf("SELECT, INSERT, UPDATE and DELETE of %d tables in schema %s", closed, schema.String))
	}
	return nil
}

// askMigrating finds out what keeps the user from migrating.
func (i *ServerInspection) askMigrating(ctx context.Context, q database.Querier) error {
	var schema string
	var create bool
	var foreign int
	err := q.QueryRowContext(ctx, `SELECT current_schema(), has_schema_privilege(current_schema(), 'CREATE'),
		(SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
			AND NOT pg_has_role(relowner, 'USAGE'))`).Scan(&schema, &create, &foreign)
	if err != nil {
		return fmt.Errorf("read the privileges of the schema: %w", err)
	}
	if !create {
		i.Lacking = append(i.Lacking, "CREATE in schema "+schema)
	}
	if foreign > 0 {
		i.Lacking = append(i.Lacking, fmt.Sprintf("ownership of %d tables, which migrating changes", foreign))
	}
	return nil
}

package main

import (
	"database/sql"
	"testing"
)

// dueNow has jobs tried again at once that failed and wait for it.
const dueNow = "UPDATE river_job SET state = 'available', scheduled_at = datetime('now', '-1 second') WHERE state = 'retryable'"

// onDatabase changes a database of SQLite behind the back of the servers on it: what
// time would do is done at once.
func onDatabase(t testing.TB, path string, statements ...string) {
	t.Helper()
	db := openSQLite(t, path)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// countRows returns the number that a query finds.
func countRows(t testing.TB, path, query string) (n int) {
	t.Helper()
	db := openSQLite(t, path)
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func openSQLite(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	return db
}

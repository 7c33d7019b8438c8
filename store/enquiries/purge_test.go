package enquiries

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"vaak/store/database"
	"vaak/store/database/databasetest"
)

// held returns whether a file of a database of SQLite holds what persons typed.
func held(t *testing.T, path string) bool {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("the files of the database = %q, %v, want a WAL among them", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range words {
			if bytes.Contains(text, []byte(w)) {
				return true
			}
		}
	}
	return false
}

// TestPurgeFiles searches the files of an open database.
func TestPurgeFiles(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "vaak.db")
	s := open(t, "sqlite:"+path)
	e := s
	keep := func(n int) {
		t.Helper()
		if _, err := e.KeepEnquiry(ctx, testSubmission(n)); err != nil {
			t.Fatal(err)
		}
		if !held(t, path) {
			t.Fatal("no file holds what was kept: the search does not find it")
		}
	}
	keep(1)
	if ok, err := e.PurgeOne(ctx, "enq_1"); !ok || err != nil || held(t, path) {
		t.Errorf("PurgeOne = %v, %v, and a file holds words: %v", ok, err, held(t, path))
	}
	keep(2)
	if n, err := e.Purge(ctx, time.Now().Add(time.Hour)); n != 1 || err != nil || held(t, path) {
		t.Errorf("Purge = %v, %v, and a file holds words: %v", n, err, held(t, path))
	}
	keep(3) // and now one who reads
	err := s.db.Snapshot(ctx, func(tx bun.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM enquiries").Scan(&n); err != nil {
			return err
		}
		n, err := e.Purge(ctx, time.Now().Add(time.Hour))
		if n != 1 {
			t.Errorf("Purge beside a reader = %d, want 1", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := e.Purge(ctx, time.Now().Add(time.Hour)); n != 0 || err != nil || held(t, path) {
		t.Errorf("Purge after a reader = %v, %v, and a file holds words: %v", n, err, held(t, path))
	}
}

// visited are numbers of rows in a plan of PostgreSQL that was executed.
var visited = regexp.MustCompile(`actual rows=(\d+)|Rows Removed by [A-Za-z ]+: (\d+)`)

// TestPurgeVisits counts the rows that a purge looks at where nothing is due: those
// that must stay are not among them.
func TestPurgeVisits(t *testing.T) {
	t.Parallel()
	const many = 300
	ctx, s := t.Context(), open(t, databasetest.Postgres(t))
	fillHour(t, s, many, time.Now().Add(-2*hour))
	clean := "UPDATE enquiry_links SET expires_at = expires_at + 1000000000000; DELETE FROM enquiry_journal WHERE enquiry_id IS NULL; ANALYZE"
	for _, q := range strings.Split(clean, "; ") {
		if _, err := s.db.Write.ExecContext(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var seen []string
	write := s.db.Write
	s.db.Write = s.db.Write.WithQueryHook(hook{func(q string) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, q)
	}})
	if n, err := s.Purge(ctx, time.Now().Add(-24*hour)); n != 0 || err != nil {
		t.Fatalf("Purge = %d, %v, want none", n, err)
	}
	s.db.Write = write
	looked := 0
	for _, q := range seen {
		if !strings.HasPrefix(q, "UPDATE") && !strings.HasPrefix(q, "DELETE") {
			continue
		}
		looked++
		if most, plan := visits(t, s, q); most > many/10 {
			t.Errorf("%d rows are looked at, want few: %s\n%s", most, q, plan)
		}
	}
	if looked < 5 {
		t.Errorf("%d statements were seen, want more", looked)
	}
}

// visits executes a statement, takes it back, and returns the most rows that a step
// of its plan looked at.
func visits(t *testing.T, s *Enquiries, query string) (most int, plan string) {
	t.Helper()
	back := errors.New("taken back")
	err := s.db.Transact(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.ExecContext(ctx, "SET LOCAL enable_seqscan = off"); err != nil { // as where there are many more
			return err
		}
		var lines []string
		err := tx.NewRaw("EXPLAIN (ANALYZE, TIMING OFF) ?", bun.SafeQuery(query)).Scan(ctx, &lines)
		if err != nil {
			return err
		}
		plan = strings.Join(lines, "\n")
		return back
	})
	if err != back {
		t.Fatal(err)
	}
	for _, m := range visited.FindAllStringSubmatch(plan, -1) {
		n, err := strconv.Atoi(m[1] + m[2])
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, n)
	}
	return most, plan
}

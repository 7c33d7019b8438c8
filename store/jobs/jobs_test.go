package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"vaak/internal/pause"
	"vaak/store/storetest/pgtest"
)

func TestCommittedJobIsWorked(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		type mail struct{ To, Text string }
		got := make(chan mail, 1)
		f.start(t, Config{Handlers: []Handler{{Kind: "mail.send", Work: func(_ context.Context, args []byte) error {
			var m mail
			err := json.Unmarshal(args, &m)
			got <- m
			return err
		}}}})
		want := mail{"ä@example.org", `a "quoted" \u0000 line` + "\n\u2028"}
		f.insert(t, Job{Kind: "mail.send", Args: want})
		if diff := cmp.Diff(want, take(t, got)); diff != "" {
			t.Errorf("args (-want +got):\n%s", diff)
		}
	})
}

func TestRolledBackJobIsNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		var seen tally
		f.start(t, Config{Handlers: []Handler{seen.handler("kk")}})
		for i := range 20 {
			err := f.tx(t, false, func(c *sql.Conn, tx *sql.Tx) error {
				return f.q.InsertTx(t.Context(), c, tx, Job{Kind: "kk", Args: number{i}})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := f.count(t, "SELECT count(*) FROM river_job"); n != 0 {
			t.Errorf("%d jobs after 20 rollbacks, want 0", n)
		}
		f.insert(t, Job{Kind: "kk", Args: number{99}})
		await(t, "the committed job", func() bool { _, n := seen.sums(); return n > 0 })
		if seen.add(number{99}.json()) != 2 {
			t.Errorf("worked %v, want the committed job alone", seen.seen)
		}
	})
}

func TestUniqueJobsAreOne(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		f.insert(t,
			Job{Kind: "kk", Args: number{1}, Unique: "a"},
			Job{Kind: "kk", Args: number{3}, Unique: "b"},
			Job{Kind: "ll", Args: number{4}, Unique: "a"},
			Job{Kind: "kk", Args: number{5}}, Job{Kind: "kk", Args: number{5}})
		f.insert(t, Job{Kind: "kk", Args: number{2}, Unique: "a"})
		if n := f.count(t, "SELECT count(*) FROM river_job"); n != 5 {
			t.Errorf("%d jobs, want 5", n)
		}
		var seen tally
		entered, leave := make(chan bool), make(chan bool)
		f.start(t, Config{Handlers: []Handler{seen.handler("ll"), {Kind: "kk", Work: func(_ context.Context, args []byte) error {
			var n number
			if err := json.Unmarshal(args, &n); err != nil {
				return err
			}
			if seen.add(n.json()) == 1 && n.N == 1 {
				entered <- true
				<-leave
			}
			return nil
		}}}})
		take(t, entered)
		f.insert(t, Job{Kind: "kk", Args: number{1}, Unique: "a"}) // while it runs
		leave <- true
		await(t, "all to be done", func() bool { return f.count(t, "SELECT count(*) FROM river_job WHERE state = 'completed'") == 5 })
		f.insert(t, Job{Kind: "kk", Args: number{1}, Unique: "a"}) // after it
		await(t, "the next", func() bool { return f.count(t, "SELECT count(*) FROM river_job WHERE state = 'completed'") == 6 })
		want := map[string]int{`{"n":1}`: 2, `{"n":3}`: 1, `{"n":4}`: 1, `{"n":5}`: 2}
		seen.mu.Lock()
		defer seen.mu.Unlock()
		if diff := cmp.Diff(want, seen.seen); diff != "" {
			t.Errorf("worked (-want +got):\n%s", diff)
		}
	})
}

func TestJobForLater(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		at := time.Now().Add(2 * time.Second)
		worked := make(chan time.Time, 1)
		f.start(t, Config{Handlers: []Handler{{Kind: "kk", Work: func(context.Context, []byte) error {
			worked <- time.Now()
			return nil
		}}}})
		late, cancel := pause.Within(t.Context(), 10*time.Second)
		defer cancel()
		f.insert(t, Job{Kind: "kk", At: at})
		if got := take(t, worked).Sub(at); got < 0 || late.Err() != nil {
			t.Errorf("worked %s after its time, want 0 to 8s", got)
		}
	})
}

func TestManyEnginesWorkEachJobOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		const jobs = 200
		a, b := open(t).migrated(t), open(t)
		var seen tally
		var both [2]tally
		for i, f := range []*fixture{a, b} {
			f.start(t, Config{Workers: 8, Handlers: []Handler{{Kind: "kk", Work: func(_ context.Context, args []byte) error {
				both[i].add(string(args))
				seen.add(string(args))
				return nil
			}}}})
		}
		for i := range jobs / 10 {
			var some []Job
			for n := range 10 {
				some = append(some, Job{Kind: "kk", Args: number{i*10 + n}})
			}
			[]*fixture{a, b}[i%2].insert(t, some...)
		}
		await(t, "all jobs", func() bool {
			return a.count(t, "SELECT count(*) FROM river_job WHERE state = 'completed'") == jobs
		})
		if different, all := seen.sums(); different != jobs || all != jobs {
			t.Errorf("%d jobs were worked %d times, want %d once each", different, all, jobs)
		}
		for i := range both {
			if n, _ := both[i].sums(); n == 0 {
				t.Errorf("engine %d worked nothing", i)
			}
		}
	})
}

func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		var wg sync.WaitGroup
		var last *fixture
		for range 4 {
			f := open(t)
			last = f
			wg.Go(func() {
				for range 2 {
					if err := f.q.Migrate(t.Context()); err != nil {
						t.Errorf("Migrate() = %v", err)
					}
				}
			})
		}
		wg.Wait()
		last.insert(t, Job{Kind: "kk"})
	})
}

func TestInsertTxRefuses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		for _, tt := range []struct {
			name string
			job  Job
			want string
		}{
			{"no kind", Job{}, `job kind ""`},
			{"odd kind", Job{Kind: "a b"}, `job kind "a b"`},
			{"priority", Job{Kind: "kk", Priority: 5}, "priority 5 is outside 0 to 4"},
			{"not JSON", Job{Kind: "kk", Args: make(chan int)}, "args of job kk"},
			{"NUL", Job{Kind: "kk", Args: "a\x00"}, "U+0000"},
			{"NUL in key", Job{Kind: "kk", Unique: "\x00"}, "U+0000"},
		} {
			err := f.tx(t, true, func(c *sql.Conn, tx *sql.Tx) error {
				return f.q.InsertTx(t.Context(), c, tx, tt.job)
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: InsertTx() = %v, want %q", tt.name, err, tt.want)
			}
		}
	})
}

func TestInsertTxNeedsATransactionOfPgx(t *testing.T) {
	t.Parallel()
	f := openPostgres(t, pgtest.DSN(t)).migrated(t)
	conn, err := f.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := f.q.InsertTx(t.Context(), conn, nil, Job{Kind: "kk"}); err == nil {
		t.Error("InsertTx() outside of a transaction = nil")
	}
	if err := f.q.InsertTx(t.Context(), nil, nil, Job{Kind: "kk"}); err == nil {
		t.Error("InsertTx() without a connection = nil")
	}
	err = f.tx(t, true, func(c *sql.Conn, _ *sql.Tx) error {
		return insideTx(c, func(tx pgx.Tx) error {
			_, err := tx.Begin(t.Context())
			return errors.Join(err, tx.Commit(t.Context()), tx.Rollback(t.Context()))
		})
	})
	if !errors.Is(err, errNotOurs) {
		t.Errorf("ending the caller's transaction = %v, want %v", err, errNotOurs)
	}
}

func TestHasNUL(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.RuneFrom([]rune("\x00\\u0\"a")), 0, 12, -1).Draw(t, "s")
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := hasNUL(b), strings.ContainsRune(s, 0); got != want {
			t.Errorf("hasNUL(%s) = %v, want %v", b, got, want)
		}
	})
}

// BenchmarkInsertToWork measures from the begin of the transaction that inserts
// a job to the call of its handler, one job at a time.
func BenchmarkInsertToWork(b *testing.B) {
	for name, f := range map[string]*fixture{
		"sqlite":   openSQLite(b, filepath.Join(b.TempDir(), "jobs.db")),
		"postgres": openPostgres(b, pgtest.DSN(b)),
	} {
		b.Run(name, func(b *testing.B) {
			worked := make(chan bool)
			f.migrated(b).start(b, Config{Handlers: []Handler{{Kind: "kk", Work: func(context.Context, []byte) error {
				worked <- true
				return nil
			}}}})
			for b.Loop() {
				f.insert(b, Job{Kind: "kk", Args: number{1}})
				take(b, worked)
			}
		})
	}
}

package jobs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/store/storetest/pgtest"
)

// soon is a backoff for tests.
func soon(int) time.Duration { return time.Millisecond }

func TestFailedJobIsTriedAgainThenDiscarded(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		var log journal
		attempts := make(chan int, 10)
		n := 0
		e := f.start(t, Config{Workers: 1, Logger: log.logger(), Handlers: []Handler{{
			Kind: "mail.send", Attempts: 3, Backoff: soon,
			Work: func(context.Context, []byte) error {
				n++
				attempts <- n
				if n == 2 {
					panic("out of ink")
				}
				return errors.New("no relay")
			},
		}}})
		f.insert(t, Job{Kind: "mail.send", Args: map[string]string{"to": "secret@example.org"}})
		await(t, "it to be discarded", func() bool {
			return f.count(t, "SELECT count(*) FROM river_job WHERE state = 'discarded'") == 1
		})
		if len(attempts) != 3 {
			t.Errorf("%d attempts, want 3", len(attempts))
		}
		s, err := e.Stats(t.Context())
		if want := (Stats{Discarded: 1}); err != nil || s != want {
			t.Errorf("Stats() = %+v, %v, want %+v", s, err, want)
		}
		text := log.String()
		for _, want := range []string{
			`"msg":"job failed; it is tried again","kind":"mail.send","id":1,"attempt":1,"error":"no relay"`,
			`"attempt":2,"error":"panic: out of ink`,
			`"msg":"job failed for good","kind":"mail.send","id":1,"attempt":3,"error":"no relay"`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("log has no %s:\n%s", want, text)
			}
		}
		if strings.Contains(text, "secret") {
			t.Errorf("log has args:\n%s", text)
		}
	})
}

func TestJobIsStoppedAtItsTimeout(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		f.start(t, Config{Handlers: []Handler{{
			Kind: "slow", Timeout: 50 * time.Millisecond, Attempts: 1,
			Work: func(ctx context.Context, _ []byte) error { <-ctx.Done(); return ctx.Err() },
		}}})
		f.insert(t, Job{Kind: "slow"})
		await(t, "it to be discarded", func() bool {
			return f.count(t, "SELECT count(*) FROM river_job WHERE state = 'discarded'") == 1
		})
	})
}

func TestPeriodicJobRunsOnceForAllEngines(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		a, b := open(t).migrated(t), open(t)
		runs := make(chan string, 1000)
		h := func(kind string, every time.Duration) Handler {
			return Handler{Kind: kind, Every: every, Work: func(_ context.Context, args []byte) error {
				if args != nil {
					return fmt.Errorf("args are %s", args)
				}
				runs <- kind
				return nil
			}}
		}
		handlers := []Handler{h("daily", 24*time.Hour), h("second", time.Second)}
		first := a.start(t, Config{Handlers: handlers})
		b.start(t, Config{Handlers: handlers})
		seen := map[string]int{}
		started := time.Now()
		for seen["second"] < 3 || seen["daily"] < 1 {
			seen[take(t, runs)]++
		}
		// The other engine becomes the leader and does not repeat the day's job.
		if err := first.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		leader := "SELECT count(*) FROM river_leader"
		await(t, "the other leader", func() bool { return a.count(t, leader) == 1 })
		for more := 0; more < 3; {
			kind := take(t, runs)
			seen[kind]++
			if kind == "second" {
				more++
			}
		}
		if most := int(time.Since(started)/time.Second) + 2; seen["second"] > most || seen["daily"] != 1 {
			t.Errorf("ran %v, want at most %d each second and one a day", seen, most)
		}
	})
}

func TestCloseWaitsForRunningJobs(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		entered, leave := make(chan bool), make(chan bool)
		e := f.start(t, Config{Handlers: []Handler{{Kind: "slow", Work: func(ctx context.Context, _ []byte) error {
			entered <- true
			<-leave
			return ctx.Err()
		}}}})
		f.insert(t, Job{Kind: "slow"})
		take(t, entered)
		closed := make(chan error)
		go func() { closed <- e.Close(context.Background()) }()
		select {
		case err := <-closed:
			t.Fatalf("Close() = %v before the job was done", err)
		case <-time.After(100 * time.Millisecond):
		}
		leave <- true
		if err := take(t, closed); err != nil {
			t.Fatalf("Close() = %v", err)
		}
		if n := f.count(t, "SELECT count(*) FROM river_job WHERE state = 'completed'"); n != 1 {
			t.Errorf("%d jobs completed, want 1", n)
		}
	})
}

func TestCloseCancelsAtItsDeadline(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		entered := make(chan bool)
		e := f.start(t, Config{Handlers: []Handler{{Kind: "endless", Attempts: 1, Work: func(ctx context.Context, _ []byte) error {
			entered <- true
			<-ctx.Done()
			return fmt.Errorf("wait: %w", ctx.Err())
		}}}})
		f.insert(t, Job{Kind: "endless"})
		take(t, entered)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := e.Close(ctx); err != nil {
			t.Fatalf("Close() = %v", err)
		}
		if n := f.count(t, "SELECT count(*) FROM river_job WHERE state = 'available' AND attempt = 0"); n != 1 {
			t.Errorf("%d jobs to be worked again, want 1", n)
		}
	})
}

func TestStats(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		f := open(t).migrated(t)
		entered := make(chan bool)
		e := f.start(t, Config{Workers: 1, Handlers: []Handler{{Kind: "slow", Work: func(ctx context.Context, _ []byte) error {
			entered <- true
			<-ctx.Done()
			return ctx.Err()
		}}}})
		f.insert(t, Job{Kind: "slow"})
		take(t, entered)
		f.insert(t, Job{Kind: "slow"}, Job{Kind: "slow", At: time.Now().Add(time.Hour)})
		await(t, "age", func() bool {
			s, err := e.Stats(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			age := s.Oldest
			s.Oldest = 0
			if want := (Stats{Waiting: 2, Running: 1}); s != want || age > 10*time.Second {
				t.Fatalf("Stats() = %+v, oldest %s, want %+v and seconds", s, age, want)
			}
			return age > 100*time.Millisecond
		})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := e.Close(ctx); err != nil {
			t.Error(err)
		}
	})
}

const abandonEnv = "JOBS_TEST_ABANDON"

// TestAbandon is the process that TestKilledProcessLosesNoJob kills.
func TestAbandon(t *testing.T) {
	where := os.Getenv(abandonEnv)
	if where == "" {
		t.Skip("runs in a process of its own")
	}
	var f *fixture
	if path, ok := strings.CutPrefix(where, "sqlite:"); ok {
		f = openSQLite(t, path)
	} else {
		f = openPostgres(t, where)
	}
	e, err := New(Config{Queue: f.q, Handlers: []Handler{{Kind: "slow", Work: func(context.Context, []byte) error {
		fmt.Println("working")
		select {}
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {}
}

func TestKilledProcessLosesNoJob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, past string
		open       func(*testing.T) (*fixture, string)
	}{
		{"sqlite", "datetime('now', '-1 hour', 'subsec')", func(t *testing.T) (*fixture, string) {
			path := filepath.Join(t.TempDir(), "jobs.db")
			return openSQLite(t, path), "sqlite:" + path
		}},
		{"postgres", "now() - interval '1 hour'", func(t *testing.T) (*fixture, string) {
			dsn := pgtest.DSN(t)
			return openPostgres(t, dsn), dsn
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, where := tt.open(t)
			f.migrated(t).insert(t, Job{Kind: "slow", Args: number{7}})
			workAndDie(t, where)
			if n := f.count(t, "SELECT count(*) FROM river_job WHERE state = 'running'"); n != 1 {
				t.Fatalf("%d running jobs after the kill, want 1", n)
			}
			// Instead of waiting for the handler's minute and the leader's 15 s.
			f.exec(t, "UPDATE river_job SET attempted_at = "+tt.past)
			f.exec(t, "DELETE FROM river_leader")
			worked := make(chan string, 1)
			f.start(t, Config{Handlers: []Handler{{Kind: "slow", Backoff: soon, Work: func(_ context.Context, args []byte) error {
				worked <- strings.ReplaceAll(string(args), " ", "")
				return nil
			}}}})
			if got, want := take(t, worked), (number{7}.json()); got != want {
				t.Errorf("worked %s, want %s", got, want)
			}
		})
	}
}

// workAndDie runs TestAbandon in a process and kills that while it works a job.
func workAndDie(t *testing.T, where string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAbandon$")
	cmd.Env = append(os.Environ(), abandonEnv+"="+where)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "working" {
		t.Log(lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	q, err := NewQueue(Database{Postgres: "postgres://nowhere/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	work := func(context.Context, []byte) error { return nil }
	one := []Handler{{Kind: "kk", Work: work}}
	for _, tt := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"no queue", Config{Handlers: one}, "needs a queue"},
		{"no handler", Config{Queue: q}, "needs a handler"},
		{"workers", Config{Queue: q, Handlers: one, Workers: -1}, "-1 workers are outside 1 to 10000"},
		{"kind", Config{Queue: q, Handlers: []Handler{{Kind: "", Work: work}}}, `handler kind ""`},
		{"no work", Config{Queue: q, Handlers: []Handler{{Kind: "kk"}}}, "does no work"},
		{"twice", Config{Queue: q, Handlers: append(one, one...)}, `two handlers are of kind "kk"`},
		{"timeout", Config{Queue: q, Handlers: []Handler{{Kind: "kk", Work: work, Timeout: 13 * time.Hour}}}, "timeout 13h0m0s is outside"},
		{"attempts", Config{Queue: q, Handlers: []Handler{{Kind: "kk", Work: work, Attempts: 101}}}, "101 attempts are outside"},
		{"period", Config{Queue: q, Handlers: []Handler{{Kind: "kk", Work: work, Every: time.Millisecond}}}, "period 1ms is outside"},
	} {
		if _, err := New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: New() = %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, db := range []Database{{}, {SQLite: openSQLite(t, filepath.Join(t.TempDir(), "a.db")).db, Postgres: "x"}} {
		if _, err := NewQueue(db, nil); err == nil {
			t.Errorf("NewQueue(%+v) = nil error", db)
		}
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		attempt int
		want    time.Duration
	}{
		{1, 5 * time.Second}, {2, 10 * time.Second}, {10, 2560 * time.Second}, {11, time.Hour}, {100, time.Hour},
	} {
		if got := backoff(tt.attempt); got < tt.want*9/10 || got > tt.want*11/10 {
			t.Errorf("backoff(%d) = %s, want %s give or take a tenth", tt.attempt, got, tt.want)
		}
	}
}

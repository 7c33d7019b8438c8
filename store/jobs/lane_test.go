package jobs

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

// An engine without a handler of a lane leaves its jobs to one that has it.
func TestLaneIsLeftToItsEngines(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		plain := open(t).migrated(t)
		var other, heavy tally
		plain.start(t, Config{Handlers: []Handler{other.handler("kk"), other.handler("heavy")}})
		plain.insert(t, Job{Kind: "heavy", Args: number{1}, Lane: "heavy"}, Job{Kind: "kk", Args: number{2}})
		await(t, "the job without a lane", func() bool { _, n := other.sums(); return n == 1 })

		h := heavy.handler("heavy")
		h.Lane, h.AtOnce = "heavy", 2
		open(t).start(t, Config{Handlers: []Handler{h}})
		await(t, "the job of the lane", func() bool { _, n := heavy.sums(); return n == 1 })
		if _, n := other.sums(); n != 1 {
			t.Errorf("the engine without the lane worked %d jobs, want 1", n)
		}
	})
}

// On SQLite an engine hears of the jobs of all its lanes, and does not wait for its
// next look at the database.
func TestBellRingsInEveryLane(t *testing.T) {
	t.Parallel()
	f := openSQLite(t, filepath.Join(t.TempDir(), "jobs.db")).migrated(t)
	var seen tally
	plain, heavy, light := seen.handler("kk"), seen.handler("heavy"), seen.handler("light")
	heavy.Lane, light.Lane = "heavy", "light"
	e, err := New(Config{Queue: f.q, Handlers: []Handler{plain, heavy, light}})
	if err != nil {
		t.Fatal(err)
	}
	e.poll = time.Hour
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.insert(t, Job{Kind: "kk", Args: number{1}}, Job{Kind: "heavy", Args: number{2}, Lane: "heavy"}, Job{Kind: "light", Args: number{3}, Lane: "light"})
	await(t, "the jobs of all lanes", func() bool {
		f.q.bell.ring() // it may not have been heard before the engine was up
		_, n := seen.sums()
		return n == 3
	})
}

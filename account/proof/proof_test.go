package proof

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vaak/account/backlog"
	"vaak/store/storetest/pgtest"
)

// databases are what everything is proved on.
var databases = []struct {
	name string
	dsn  func(t *testing.T) string
}{
	{"SQLite", func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "vaak.db") }},
	{"PostgreSQL", func(t *testing.T) string { return pgtest.DSN(t) }},
}

// soaking reports whether the long forms run.
func soaking() bool { return os.Getenv("VAAK_SOAK") != "" }

const processes = 3

// TestLengthyOperations works through random operations in three processes: what the
// database says must equal what was acknowledged, to the character.
func TestLengthyOperations(t *testing.T) {
	n := 3_000
	if testing.Short() {
		n = 600
	}
	operations(t, n)
}

// TestSoakOperations is TestLengthyOperations with 100,000 of them.
func TestSoakOperations(t *testing.T) {
	if !soaking() {
		t.Skip("a long loop: run it with make soak")
	}
	operations(t, 100_000)
}

func operations(t *testing.T, n int) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			// About half of what the operations would spend.
			b := newBench(t, d.dsn(t), int64(n)*30/organisations)
			began := time.Now()
			var children []*child
			for i := range processes {
				children = append(children, b.start(orders{
					Seed: rand.Uint64(), Workers: 16, Operations: n / processes, Abandon: i == 0 && soaking(),
				}))
			}
			for _, c := range children {
				c.finish(t)
			}
			b.log(fmt.Sprint(n, " operations"), began)
			free := b.settle(35 * time.Second)
			t.Logf("all holds free after %.1f s", free.Seconds())
			b.verify()
			refused := 0
			for _, c := range b.callers {
				s := b.tally(c.OrgID)
				refused += s.wanting
				if got := s.open + s.refused; got != 0 {
					t.Errorf("%s has %d characters whose fate is not known, with nothing that failed", c.OrgID, got)
				}
			}
			if refused == 0 {
				t.Error("nothing was refused: the balance was too large to prove anything")
			}
		})
	}
}

// TestLengthyNaive shows that the test above can fail: a ledger that checks first and
// charges afterwards loses characters in it.
func TestLengthyNaive(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the load of many operations")
	}
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			const n, each = 3_000, 3_000 * 30 / organisations
			b := newBench(t, d.dsn(t), each)
			p, err := openNaive(t.Context(), b.dsn)
			check(t, "open", err)
			defer p.close(context.Background())
			_, err = p.db.Exec(naiveTable)
			check(t, "make the table", err)
			for _, c := range b.callers {
				_, err := p.db.Exec(p.query("INSERT INTO naive_lots (remaining, org_id) VALUES (?, ?)"), each, c.OrgID)
				check(t, "grant", err)
			}
			var children []*child
			for range processes {
				children = append(children, b.start(orders{Seed: rand.Uint64(), Workers: 16, Operations: n / processes, Naive: true}))
			}
			for _, c := range children {
				c.finish(t)
			}
			wrong := int64(0)
			for _, c := range b.callers {
				left, err := p.remaining(t.Context(), c.OrgID)
				check(t, "read", err)
				wrong += max(0, b.tally(c.OrgID).acknowledged-(each-int64(left)))
			}
			t.Logf("%d characters were spoken and never charged", wrong)
			if wrong == 0 {
				t.Error("the naive ledger lost nothing: the load is too weak to prove anything")
			}
		})
	}
}

// TestLengthyKills kills processes in the middle of their work.
func TestLengthyKills(t *testing.T) { kills(t, 3) }

// TestSoakKills kills 50.
func TestSoakKills(t *testing.T) {
	if !soaking() {
		t.Skip("a long loop: run it with make soak")
	}
	kills(t, 50)
}

func kills(t *testing.T, n int) {
	if testing.Short() {
		t.Skip("waits for leases to run out")
	}
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, d.dsn(t), 1<<40)
			began := time.Now()
			running := make([]*child, processes)
			for i := range running {
				running[i] = b.start(orders{Seed: rand.Uint64(), Workers: 16})
			}
			for range n {
				b.progress(200)
				victim := rand.IntN(len(running))
				running[victim].kill()
				running[victim] = b.start(orders{Seed: rand.Uint64(), Workers: 16})
			}
			b.progress(200)
			for _, c := range running {
				c.kill()
			}
			b.log(fmt.Sprint(n, " kills"), began)
			free := b.settle(35 * time.Second)
			t.Logf("all holds free %.1f s after the last kill", free.Seconds())
			b.verify()
		})
	}
}

// progress waits until the children have charged some more operations.
func (b *bench) progress(n int64) {
	b.t.Helper()
	total := func() (sum int64) {
		for _, c := range b.callers {
			sum += b.tally(c.OrgID).acknowledged
		}
		return sum
	}
	goal := total() + n*60
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); total() < goal; {
		select {
		case <-tick.C:
		case <-deadline:
			b.t.Fatal("the children do not get on")
		}
	}
}

// TestLengthyDatabaseRestarts stops PostgreSQL in the middle of the work, as a power
// cut would.
func TestLengthyDatabaseRestarts(t *testing.T) { restarts(t, 1) }

// TestSoakDatabaseRestarts stops it ten times.
func TestSoakDatabaseRestarts(t *testing.T) {
	if !soaking() {
		t.Skip("a long loop: run it with make soak")
	}
	restarts(t, 10)
}

func restarts(t *testing.T, n int) {
	if testing.Short() {
		t.Skip("waits for leases to run out")
	}
	cluster := pgtest.Start(t)
	b := newBench(t, cluster.NewDatabase(t), 1<<40)
	began := time.Now()
	running := make([]*child, processes)
	for i := range running {
		running[i] = b.start(orders{Seed: rand.Uint64(), Workers: 16})
	}
	for range n {
		b.progress(200)
		check(t, "stop PostgreSQL", cluster.Stop("immediate"))
		check(t, "start PostgreSQL", cluster.Start())
	}
	b.progress(200)
	for _, c := range running {
		c.kill()
	}
	b.log(fmt.Sprint(n, " restarts"), began)
	free := b.settle(35 * time.Second)
	t.Logf("all holds free %.1f s after the last kill", free.Seconds())
	b.verify()
}

// TestLengthyKillsWhileAway kills processes while the database hangs, or is locked, with charges
// in all stages: nothing that was acknowledged is lost, and nothing is charged that was
// refused.
func TestLengthyKillsWhileAway(t *testing.T) { killsWhileAway(t, 2) }

// TestSoakKillsWhileAway kills in 20 rounds.
func TestSoakKillsWhileAway(t *testing.T) {
	if !soaking() {
		t.Skip("a long loop: run it with make soak")
	}
	killsWhileAway(t, 20)
}

func killsWhileAway(t *testing.T, rounds int) {
	if testing.Short() {
		t.Skip("waits for leases to run out")
	}
	for _, d := range haltable {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dsn, leave, back := d.open(t)
			b := newBench(t, dsn, 1<<40)
			for i := range organisations {
				b.addUnlimited(fmt.Sprint("Unlimited ", i))
			}
			began := time.Now()
			start := func() *child {
				return b.start(orders{Seed: rand.Uint64(), Workers: 24, Whole: true, Pause: 2 * time.Second})
			}
			running := []*child{start(), start()}
			most := 0
			for range rounds {
				b.progress(20)
				check(t, "take the database away", leave())
				<-time.After(rand.N(3 * time.Second)) // at any step
				running[0].kill()
				found, err := backlog.Inspect(b.charges)
				check(t, "look at the backlog", err)
				most = max(most, found.Charges)
				if rand.IntN(2) == 0 { // another claims what the first has left
					running[1].kill()
					running[1] = start()
					<-time.After(rand.N(500 * time.Millisecond))
				}
				check(t, "bring the database back", back())
				<-time.After(rand.N(300 * time.Millisecond)) // while it is posted
				running[1].kill()
				running = []*child{start(), start()}
			}
			b.progress(20)
			for _, c := range running {
				c.stop(t)
			}
			b.log(fmt.Sprint(rounds, " rounds of kills"), began)
			t.Logf("up to %d charges were on disk when a process was killed", most)
			b.settle(35 * time.Second)
			b.verify()
		})
	}
}

// TestLengthyKillsAtSteps kills a process at each step of a charge that the database cannot take:
// before it is written to disk, before and after it is synced, in the transaction that
// posts it and after that, and when the next process has read it. Every character that was
// acknowledged is charged, once.
func TestLengthyKillsAtSteps(t *testing.T) { killsAtSteps(t, 1) }

// TestSoakKillsAtSteps kills 20 at each.
func TestSoakKillsAtSteps(t *testing.T) {
	if !soaking() {
		t.Skip("a long loop: run it with make soak")
	}
	killsAtSteps(t, 20)
}

func killsAtSteps(t *testing.T, kills int) {
	if testing.Short() {
		t.Skip("waits for leases to run out")
	}
	for _, d := range haltable {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dsn, leave, back := d.open(t)
			b := newBench(t, dsn, 1<<40)
			for i := range organisations {
				b.addUnlimited(fmt.Sprint("Unlimited ", i))
			}
			start := func(at backlog.Step) *child {
				after := rand.IntN(5)
				if at == posting || at == posted {
					after = 0 // all that waits may be posted at once
				}
				return b.start(orders{
					Seed: rand.Uint64(), Workers: 24, Whole: true, Pause: 500 * time.Millisecond, DieAt: at, DieAfter: after,
				})
			}
			other := start("")
			for _, at := range []backlog.Step{backlog.Writing, backlog.Syncing, backlog.Synced, posting, posted, backlog.Claimed} {
				began := time.Now()
				for range kills {
					mortal := at
					if at == backlog.Claimed {
						mortal = "" // its heir is
					}
					victim := start(mortal)
					victim.ready(t)
					other.ready(t)
					b.progress(20)
					check(t, "take the database away", leave())
					switch at {
					case posting, posted:
						b.keep(10)
						victim.keeps(t)
						check(t, "bring the database back", back())
						victim.died(t, at)
					case backlog.Claimed:
						b.keep(10)
						victim.keeps(t)
						victim.kill()
						other.kill()
						check(t, "bring the database back", back())
						start(at).died(t, at)
						other = start("")
					default:
						victim.died(t, at)
						check(t, "bring the database back", back())
					}
				}
				b.log(fmt.Sprint(kills, " kills while ", at), began)
			}
			b.progress(20)
			other.stop(t)
			b.settle(35 * time.Second)
			b.verify()
		})
	}
}

// keep waits until so many charges are on disk.
func (b *bench) keep(n int) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(5 * time.Millisecond) {
		found, err := backlog.Inspect(b.charges)
		check(b.t, "look at the backlog", err)
		if found.Charges >= n {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%d charges are on disk, want %d", found.Charges, n)
		}
	}
}

// haltable are databases that can be taken away and brought back.
var haltable = []struct {
	name string
	open func(t *testing.T) (dsn string, leave, back func() error)
}{
	{"SQLite", lockable},
	{"PostgreSQL", func(t *testing.T) (string, func() error, func() error) {
		cluster := pgtest.Start(t)
		return cluster.NewDatabase(t), func() error { return cluster.Hang(t) }, cluster.Resume
	}},
}

// lockable returns a database of SQLite which another process can keep from writing.
func lockable(t *testing.T) (dsn string, leave, back func() error) {
	path := filepath.Join(t.TempDir(), "vaak.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)&_txlock=immediate")
	check(t, "open", err)
	t.Cleanup(func() { check(t, "close", db.Close()) })
	var tx *sql.Tx
	leave = func() (err error) {
		tx, err = db.BeginTx(t.Context(), nil)
		return err
	}
	return "sqlite:" + path, leave, func() error { return tx.Rollback() }
}

// TestLengthyPauses stops PostgreSQL by a signal for some seconds while two processes speak on
// metered and unlimited plans: what was acknowledged is charged to the character, and
// what was refused is not.
func TestLengthyPauses(t *testing.T) { pauses(t, 1) }

// TestSoakPauses stops it twelve times.
func TestSoakPauses(t *testing.T) {
	if !soaking() {
		t.Skip("a long loop: run it with make soak")
	}
	pauses(t, 12)
}

func pauses(t *testing.T, n int) {
	if testing.Short() {
		t.Skip("stops the database for seconds")
	}
	cluster := pgtest.Start(t)
	b := newBench(t, cluster.NewDatabase(t), 1<<40)
	for i := range organisations {
		b.addUnlimited(fmt.Sprint("Unlimited ", i))
	}
	began := time.Now()
	running := make([]*child, 2)
	for i := range running {
		running[i] = b.start(orders{Seed: rand.Uint64(), Workers: 6, Whole: true})
	}
	for range n {
		b.progress(200)
		check(t, "stop PostgreSQL", cluster.Hang(t))
		<-time.After(5 * time.Second) // what the pause is
		check(t, "resume PostgreSQL", cluster.Resume())
	}
	b.progress(200)
	for _, c := range running {
		c.stop(t)
	}
	b.log(fmt.Sprint(n, " pauses"), began)
	b.settle(35 * time.Second)
	b.verify()
	for _, c := range b.callers {
		if s := b.tally(c.OrgID); s.open != 0 {
			t.Errorf("%s has %d characters in flight when all has ended", c.OrgID, s.open)
		}
	}
}

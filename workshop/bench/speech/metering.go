package speech

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

const (
	slowCommit = 100 * time.Millisecond // for which the database cannot be written, again and again
	commitGap  = 25 * time.Millisecond  // between two of these
	otherRest  = time.Second            // of another writer after each request, half of it to one and a half
	meterCost  = 150 * time.Microsecond // that metering may add to the first audio
)

// Metering measures what it costs that characters are counted against a balance: at rest,
// while commits are slow and others write, and in the ledger alone.
func Metering(ctx context.Context, b *rig.Bench) ([]report.Part, error) {
	dir, err := os.MkdirTemp(b.Dir, "metering-")
	if err != nil {
		return nil, err
	}
	servers := make([]*server.Server, 2)
	for i, unmetered := range []bool{false, true} {
		own := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(own, 0o700); err != nil {
			return nil, err
		}
		if servers[i], err = server.StartVaak(ctx, server.Settings{Bin: b.Settings.Bin, Unmetered: unmetered}, own); err != nil {
			return nil, err
		}
		defer servers[i].Stop()
	}
	metered, free := servers[0], servers[1]
	t, err := corpus.New(corpus.English, 20)
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
		if _, err := client.SpeakAll(s, t, 2, 2); err != nil {
			return nil, err
		}
	}
	out := &report.Table{Header: []string{"", "unmetered p50", "unmetered p99", "metered p50", "metered p99"}}
	add := func(what string, times [2]report.Rounds) {
		out.Add(what, report.Millis(times[1].P50()), report.Millis(times[1].P99()), report.Millis(times[0].P50()), report.Millis(times[0].P99()))
	}
	atRest, err := inTurn(ctx, b, t, metered, free)
	if err != nil {
		return nil, err
	}
	add("nothing else goes on", atRest)
	var slow [2]report.Rounds
	err = besideWriters(ctx, filepath.Join(dir, "0", "state", "vaak.db"), metered, t, b.Plan.Writers, func(ctx context.Context) error {
		slow, err = inTurn(ctx, b, t, metered, free)
		return err
	})
	if err != nil {
		return nil, err
	}
	add(fmt.Sprintf("commits are slow, %d others write", b.Plan.Writers), slow)
	report.AtMost(&b.Report, "First audio, p50, metered − unmetered", atRest[0].P50()-atRest[1].P50(), meterCost, report.Millis)
	report.AtMost(&b.Report, "First audio, metered, commits slow: p99 ÷ p50", report.Over(slow[0].P99(), slow[0].P50()), 3, report.Ratio)
	pairs, err := ledgerPairs(ctx, b)
	if err != nil {
		return nil, err
	}
	return []report.Part{
		report.Prose(fmt.Sprintf("Two servers like the one above, one of which counts the characters of its organisation against a balance. The time to the first audio of English texts of 20 characters, one at a time, "+
			"the servers in turn, %d requests for every figure. Commits are slow when another process keeps the lock with which the metered server writes, for %v again and again, with %v between. The others speak "+
			"the same text on the metered server, and rest about %v after each, some more and some less.", atRest[0].Count(), slowCommit, commitGap, otherRest)),
		out,
		report.Prose(fmt.Sprintf("The ledger alone: %s pairs of reserving and charging by 16 workers, and as many that commit a row of 8 bytes each, on the same database. SQLite has one organisation and 100, and so has PostgreSQL where it is installed.", report.Characters(b.Plan.Ledger))),
		pairs,
	}, nil
}

// inTurn returns the times to first audio of servers that are asked in turn.
func inTurn(ctx context.Context, b *rig.Bench, t corpus.Sample, servers ...*server.Server) (times [2]report.Rounds, err error) {
	var clients [2]*client.Client
	for i, s := range servers {
		if clients[i], err = client.Dial(s); err != nil {
			return times, err
		}
		defer clients[i].Close()
	}
	for range b.Plan.Rounds {
		var round [2][]time.Duration
		for range b.Plan.Requests {
			for i, s := range servers {
				server.Nap(b.Plan.Rest)
				d, err := clients[i].FirstOf(s, t)
				if err != nil {
					return times, fmt.Errorf("%s: %w", s.Name, err)
				}
				round[i] = append(round[i], d)
			}
			if ctx.Err() != nil {
				return times, ctx.Err()
			}
		}
		for i := range times {
			times[i] = append(times[i], round[i])
		}
	}
	return times, nil
}

// besideWriters runs measure while writers speak on a server whose commits are slow.
func besideWriters(ctx context.Context, database string, s *server.Server, t corpus.Sample, writers int, measure func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running client.Group
	running.Go(func() error { return slowDown(ctx, database) })
	for w := range writers {
		running.Go(func() error {
			// Those whose charges were written together must not come back together.
			random := rand.New(rand.NewPCG(uint64(w), 1))
			c, err := client.Dial(s)
			if err != nil {
				return err
			}
			defer c.Close()
			for ctx.Err() == nil {
				if _, err := c.Whole(s.Request(t)); err != nil {
					return fmt.Errorf("another writer: %w", err)
				}
				server.Pause(ctx, otherRest/2+time.Duration(random.Int64N(int64(otherRest))))
			}
			return nil
		})
	}
	server.Pause(ctx, 2*otherRest) // until all have begun
	err := measure(ctx)
	cancel()
	return errors.Join(err, running.Wait())
}

// slowDown keeps the lock with which SQLite writes, again and again, until ctx ends.
func slowDown(ctx context.Context, database string) error {
	f, err := os.OpenFile(database+"-shm", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	lock := func(kind int16) error {
		// The write lock of a write-ahead log; https://www.sqlite.org/walformat.html, section 2.3.1.
		return unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: kind, Start: 120, Len: 1})
	}
	for ctx.Err() == nil {
		if err := lock(unix.F_WRLCK); err != nil { // the server writes
			server.Nap(100 * time.Microsecond)
			continue
		}
		server.Pause(ctx, slowCommit)
		if err := lock(unix.F_UNLCK); err != nil {
			return err
		}
		server.Pause(ctx, commitGap)
	}
	return nil
}

var ledgerLine = regexp.MustCompile(`BenchmarkLedger/(\w+)/16/(\w+)\S*\s.*?([0-9.]+) ops/s`)

// ledgerPairs runs the benchmark of the ledger.
func ledgerPairs(ctx context.Context, b *rig.Bench) (*report.Table, error) {
	run := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-vet=off", "-bench", "BenchmarkLedger/(SQLite|PostgreSQL)/16/", "-benchtime", fmt.Sprintf("%dx", b.Plan.Ledger),
		"-count", strconv.Itoa(b.Plan.Rounds), "./store")
	out, err := run.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("benchmark of the ledger: %w: %s", err, out)
	}
	figures := map[string][]float64{}
	for _, m := range ledgerLine.FindAllStringSubmatch(string(out), -1) {
		n, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, err
		}
		figures[m[1]+m[2]] = append(figures[m[1]+m[2]], n)
	}
	t := &report.Table{Header: []string{"database", "commits a second", "pairs, one organisation", "÷ commits", "pairs, 100 organisations", "÷ commits"}}
	for _, d := range []string{"SQLite", "PostgreSQL"} {
		commits, one, many := report.Median(figures[d+"commits"]), report.Median(figures[d+"one"]), report.Median(figures[d+"many"])
		if len(figures[d+"commits"]) == 0 {
			continue // it is not installed
		}
		t.Add(d, report.Whole(commits), report.Whole(one), report.Ratio(one/commits), report.Whole(many), report.Ratio(many/commits))
		report.AtLeast(&b.Report, "Ledger, "+d+", 16 workers: pairs ÷ commits", one/commits, 0.5, report.Ratio)
	}
	return t, nil
}

package cache

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"
)

const (
	crashKeys  = 120
	crashBytes = 1 << 20 // a third of all answers, so that some are evicted
)

// crashBody returns the only right answer of key n.
func crashBody(n int) []byte { return body(key(n), n*n*7%60_000) }

// crashChild keeps answers in several goroutines until it is killed. It writes a
// byte to standard output at each step.
func crashChild(dir string) error {
	c, err := Open(Config{Dir: dir, MaxBytes: crashBytes})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for range 4 {
		go func() {
			for {
				if err := crashStep(c, rand.IntN(crashKeys)); err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

func crashStep(c *Cache, n int) error {
	want := crashBody(n)
	if ok, err := check(c, key(n), want); ok || err != nil {
		return err
	}
	d := c.Begin(key(n))
	defer d.Discard()
	for p := want; len(p) > 0; {
		piece := p[:min(len(p), 1+rand.IntN(20_000))]
		_, _ = d.Write(piece) // never fails
		p = p[len(piece):]
		if _, err := os.Stdout.Write([]byte{'.'}); err != nil {
			return err
		}
	}
	if rand.IntN(8) > 0 {
		d.Commit(head(key(n)))
	}
	_, err := os.Stdout.Write([]byte{'.'})
	return err
}

// TestLengthyCrash kills a process that keeps answers, again and again, and checks what
// it left.
func TestLengthyCrash(t *testing.T) {
	t.Parallel()
	kills := 30
	if testing.Short() {
		kills = 6
	}
	dir, seed := t.TempDir(), rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	left, unfinished := 0, 0
	for i := range kills {
		steps := 1 + random.IntN(600)
		drafts, err := crash(dir, steps)
		if err != nil {
			t.Fatalf("seed %d, kill %d: %v", seed, i, err)
		}
		unfinished += drafts
		n, err := inspect(dir)
		if err != nil {
			t.Fatalf("seed %d, kill %d after %d steps: %v", seed, i, steps, err)
		}
		left += n
	}
	t.Logf("seed %d: found %d entries and %d drafts after %d kills", seed, left, unfinished, kills)
	if left == 0 || unfinished == 0 {
		t.Errorf("seed %d: %d entries and %d drafts were left by %d kills: too few to say anything", seed, left, unfinished, kills)
	}
}

// crash runs a child, kills it when it has done some steps, and returns how many
// drafts it leaves.
func crash(dir string, steps int) (drafts int, err error) {
	cmd := child("crash", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_, err = io.CopyN(io.Discard, out, int64(steps))
	kerr := cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	if err != nil || kerr != nil {
		return 0, fmt.Errorf("child ended before it was killed: %v, %v", err, kerr)
	}
	_, _, drafts, err = disk(dir)
	return drafts, err
}

// inspect opens what a crash left and returns how many entries there are, all of
// which must be right.
func inspect(dir string) (entries int, err error) {
	c, err := Open(Config{Dir: dir, MaxBytes: crashBytes})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if err := tidy(c); err != nil {
		return 0, err
	}
	found := 0
	for n := range crashKeys {
		ok, err := check(c, key(n), crashBody(n))
		if err != nil {
			return 0, err
		}
		if ok {
			found++
		}
	}
	if s := c.Stats(); s.Damaged != 0 || s.Entries != found || s.Evictions != 0 {
		return 0, fmt.Errorf("Stats = %+v after reading %d entries", s, found)
	}
	return found, nil
}

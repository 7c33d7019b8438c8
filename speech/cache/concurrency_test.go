package cache

import (
	"math/rand/v2"
	"os"
	"sync"
	"testing"
)

// TestLengthyOneKeyByMany has many goroutines keep and read the same few answers in too
// little room, while the files of some are taken away.
func TestLengthyOneKeyByMany(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		taken bool
	}{
		{"alone", false},
		{"with files taken away", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			manyKeep(t, tt.taken)
		})
	}
}

func manyKeep(t *testing.T, taken bool) {
	const keys, size = 24, 50_000
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 10 * blocks(size), MaxEntry: 2 * size})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range rounds {
				n := rand.IntN(keys)
				want := body(key(n), size+n)
				ok, err := check(c, key(n), want)
				if err != nil {
					t.Error(err)
				}
				if ok {
					continue
				}
				if err := put(c, key(n), want, 1+rand.IntN(30_000)); err != nil {
					t.Error(err)
				}
				if taken && rand.IntN(4) == 0 {
					_ = os.Remove(c.path(entryName(key(n)))) // it may be gone
				}
				if s := c.Stats(); s.Bytes > c.maxBytes || s.Bytes < 0 {
					t.Errorf("Stats = %+v, which is more than %d bytes", s, c.maxBytes)
				}
			}
		})
	}
	wg.Wait()
	if taken {
		for n := range keys { // finds out what is missing
			_, _ = check(c, key(n), body(key(n), size+n))
		}
	}
	s := c.Stats()
	t.Logf("Stats = %+v", s)
	if s.Damaged != 0 || s.Hits == 0 || s.Evictions == 0 || s.Hits+s.Misses < int64(16*rounds) {
		t.Errorf("Stats = %+v after %d rounds of 16", s, rounds)
	}
	if err := tidy(c); err != nil {
		t.Error(err)
	}
}

// TestCommitTwice commits two drafts of one key: the first is kept.
func TestCommitTwice(t *testing.T) {
	t.Parallel()
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
	k := key(1)
	want := body(k, 50_000)
	first, second, third := c.Begin(k), c.Begin(k), c.Begin(k)
	for _, d := range []*Draft{first, second} {
		_, _ = d.Write(want) // never fails
	}
	_, _ = third.Write(want[:20_000])
	second.Commit(head(k))
	first.Commit([]byte("late"))
	_, _ = third.Write(want[20_000:])
	if s := c.Stats(); s.Kept != 1 || s.Dropped != 2 {
		t.Errorf("Stats = %+v, want one kept and two dropped", s)
	}
	third.Discard()
	if ok, err := check(c, k, want); !ok || err != nil {
		t.Errorf("Get = %v, %v", ok, err)
	}
	if err := tidy(c); err != nil {
		t.Error(err)
	}
}

// TestCommitWhileMoving commits a draft while the file of its key is being removed.
func TestCommitWhileMoving(t *testing.T) {
	t.Parallel()
	c := open(t, Config{Dir: t.TempDir(), MaxBytes: 1 << 20})
	k := key(1)
	d := c.Begin(k)
	_, _ = d.Write(body(k, 50_000)) // never fails
	c.mu.Lock()
	_ = c.changeFile(entryName(k), func() error { // returns what the function does
		d.Commit(head(k))
		return nil
	})
	c.mu.Unlock()
	if s := c.Stats(); s.Kept != 0 || s.Dropped != 1 || s.Bytes != 0 {
		t.Errorf("Stats = %+v, want the draft dropped", s)
	}
}

// TestCloseMeanwhile closes a cache that is being used.
func TestCloseMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range 20 {
		c := open(t, Config{Dir: dir, MaxBytes: 300_000, MaxEntry: 100_000})
		var wg sync.WaitGroup
		begun := make(chan struct{}, 8)
		for g := range 8 {
			wg.Go(func() {
				for i := range 10 {
					n := (round*80 + g*10 + i) % 50
					want := body(key(n), 20_000)
					if err := put(c, key(n), want, 9000); err != nil {
						t.Error(err)
					}
					if _, err := check(c, key(n), want); err != nil {
						t.Error(err)
					}
					if i == 2 {
						begun <- struct{}{}
					}
				}
			})
		}
		<-begun
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		next := open(t, Config{Dir: dir, MaxBytes: 300_000, MaxEntry: 100_000})
		wg.Wait()
		if err := tidy(next); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		if err := next.Close(); err != nil {
			t.Error(err)
		}
	}
}

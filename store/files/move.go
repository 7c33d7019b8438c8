package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// Moving says what [Move] moves.
type Moving struct {
	From, To Store
	Keep     bool // copies: nothing is removed
	AtOnce   int  // how many files at a time; 0 is 8
	// Progress is called after each file, by one goroutine at a time, with the totals so far.
	// Nil is allowed.
	Progress func(Moved)
}

// Moved are the totals of a move.
type Moved struct {
	Files   int   `json:"files"`   // that are at the destination now
	Bytes   int64 `json:"bytes"`   // of these
	Already int   `json:"already"` // of Files, how many had been there before
	// Damaged are the keys of files whose content is not that of their key, at most a hundred.
	// They stay where they were.
	Damaged      []string `json:"damaged,omitempty"`
	DamagedFiles int      `json:"damagedFiles"`
}

// maxNamed bounds Moved.Damaged and Checks.Damaged.
const maxNamed = 100

// Move moves all files of a store to another one. A file is removed only after it is whole and
// durable at its destination, so a move that is interrupted, however, loses nothing and is
// continued by the next one. Damaged files stay and are counted. While files are moved they
// are held at both ends, so no sweep removes them.
func Move(ctx context.Context, m Moving) (total Moved, err error) {
	for _, s := range []Store{m.From, m.To} {
		release, err := s.Hold(ctx)
		if err != nil {
			return total, err
		}
		defer func() { _ = release() }() // a hold that stays ends by itself
	}
	var mu sync.Mutex // guards total
	err = each(ctx, m.From, m.AtOnce, func(ctx context.Context, f Info) error {
		already, err := m.one(ctx, f)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case errors.Is(err, ErrDamaged):
			if total.DamagedFiles++; len(total.Damaged) < maxNamed {
				total.Damaged = append(total.Damaged, f.Key)
			}
		case errors.Is(err, fs.ErrNotExist):
			return nil // another move, which goes on at the same time, has it
		case err != nil:
			return err
		default:
			total.Files++
			total.Bytes += f.Size
			if already {
				total.Already++
			}
		}
		if m.Progress != nil {
			m.Progress(total)
		}
		return nil
	})
	return total, err
}

// one moves a file.
func (m Moving) one(ctx context.Context, f Info) (already bool, err error) {
	at, err := m.To.Stat(ctx, f.Key)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if already = err == nil && at.Size == f.Size; already && !m.Keep {
		// What is to be removed here must be good there, not only as long.
		if _, err := Check(ctx, m.To, f.Key); errors.Is(err, ErrDamaged) {
			already = false
		} else if err != nil {
			return false, err
		}
	}
	if !already {
		if err := m.copy(ctx, f.Key); err != nil {
			return false, err
		}
	}
	if m.Keep {
		return already, nil
	}
	return already, m.From.Delete(ctx, f.Key)
}

func (m Moving) copy(ctx context.Context, key string) error {
	r, err := m.From.Open(ctx, key)
	if err != nil {
		return err
	}
	put, _, _, err := m.To.Put(ctx, r)
	if err == nil && put != key {
		err = fmt.Errorf("move file %s: it arrived as %s", key, put) // Open would have found it out
	}
	return errors.Join(err, r.Close())
}

// Checks are the totals of [CheckAll].
type Checks struct {
	Files        int      `json:"files"`
	Bytes        int64    `json:"bytes"`
	Damaged      []string `json:"damaged,omitempty"` // keys, at most a hundred
	DamagedFiles int      `json:"damagedFiles"`
}

// CheckAll reads every file of a store and compares its digest with its key, some at a time; 0
// is 8. Progress is called after each file, by one goroutine at a time, unless it is nil.
func CheckAll(ctx context.Context, s Store, atOnce int, progress func(Checks)) (total Checks, err error) {
	var mu sync.Mutex
	err = each(ctx, s, atOnce, func(ctx context.Context, f Info) error {
		n, err := Check(ctx, s, f.Key)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went since it was listed
		case errors.Is(err, ErrDamaged):
			if total.DamagedFiles++; len(total.Damaged) < maxNamed {
				total.Damaged = append(total.Damaged, f.Key)
			}
		case err != nil:
			return err
		}
		total.Files++
		total.Bytes += n
		if progress != nil {
			progress(total)
		}
		return nil
	})
	return total, err
}

// each calls do for each file of a store, for some at a time, and stops at the first error.
func each(ctx context.Context, s Store, atOnce int, do func(context.Context, Info) error) error {
	if atOnce <= 0 {
		atOnce = 8
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := make(chan Info)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for f := range work {
				if ctx.Err() != nil {
					continue // empties the channel
				}
				if err := do(ctx, f); err != nil {
					stop(err)
				}
			}
		})
	}
	err := s.Each(ctx, func(f Info) error {
		select {
		case work <- f:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(work)
	workers.Wait()
	if ctx.Err() != nil { // a worker's error comes before the one that it caused
		return context.Cause(ctx)
	}
	return err
}

package measure

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"vaak/internal/fault"
)

// Config configures [Files].
type Config struct {
	Jobs     int            // files measured at once; 0 is one per processor
	Cache    Cache          // results are looked up and stored here; nil is no cache
	Progress func(Progress) // called after each file, never by two goroutines at once; may be nil
	// Share offers files to other processes that measure them and store the results in
	// Cache; Files waits for these results. It needs Cache; nil measures everything here.
	// Nobody is obliged to take the files: see Patience.
	Share func(ctx context.Context, files []Task) error
	// Patience is for how long no shared file may be finished before some are measured
	// here; 0 is a minute. A file that takes another process longer is then measured twice,
	// with the same result.
	Patience time.Duration
}

// Task is a file for another process to measure; see [Config.Share] and [Work].
type Task struct {
	Folder string `json:"folder"` // absolute path, the same on every machine
	Path   string `json:"path"`   // relative to Folder
	SHA256 string `json:"sha256"`
}

// Progress says how many files are measured.
type Progress struct {
	Done, Of int     // files
	Cached   int     // those of Done that came from the cache
	AudioS   float64 // seconds of audio in Done
	Compared int     // files whose sound is compared with that of others, once all are measured; see [Duplicates]
}

// outcome is what the cache stores about a file: its measurements, or why it cannot be
// measured. The latter follows from the bytes too, so it is cached as well.
type outcome struct {
	Recording *Recording `json:"recording,omitempty"`
	Refused   string     `json:"refused,omitempty"`
}

// result returns the recording, or the error that says why there is none.
func (k outcome) result() (Recording, error) {
	if k.Recording == nil {
		return Recording{}, refused(k.Refused)
	}
	return *k.Recording, nil
}

// refused returns the error of a recording that cannot be measured.
func refused(message string) error {
	return fault.New(fault.Invalid, "audio_unreadable", "", "%s", message)
}

// Kept returns what a cache has of a file by its SHA-256, measured by [Method]; false if it has
// nothing, or that the file cannot be measured.
func Kept(ctx context.Context, cache Cache, sha256 string) (Recording, bool, error) {
	k, ok, err := (&pool{Config: Config{Cache: cache}}).lookUp(ctx, sha256)
	if err != nil || !ok || k.Recording == nil {
		return Recording{}, false, err
	}
	return *k.Recording, true, nil
}

// Files measures files of a folder. It returns a recording or an error for each path, in their
// order. The third result is the error of ctx or of the cache, which stops the work. What was
// measured by then is in the cache, so another call continues from there.
func Files(ctx context.Context, from Opener, folder string, paths []string, cfg Config) ([]Recording, []error, error) {
	p := &pool{
		Config: cfg, from: from, folder: folder, paths: paths,
		found: make([]Recording, len(paths)), faults: make([]error, len(paths)),
		progress: Progress{Of: len(paths)},
	}
	if p.Jobs <= 0 {
		p.Jobs = runtime.GOMAXPROCS(0)
	}
	if err := p.run(ctx); err != nil {
		return nil, nil, err
	}
	return p.found, p.faults, nil
}

// pool measures the files of one call of [Files].
type pool struct {
	Config
	from   Opener
	folder string
	paths  []string
	found  []Recording // by path; each element is written by one goroutine
	faults []error

	mu       sync.Mutex
	progress Progress
	shared   []shared // files that other processes measure
	alone    bool     // nothing more is shared; changed only while no goroutine runs
}

// run measures or shares all files, then waits for the shared ones.
func (p *pool) run(ctx context.Context) error {
	all := make([]int, len(p.paths))
	for i := range all {
		all[i] = i
	}
	if err := p.each(ctx, all); err != nil || len(p.shared) == 0 {
		return err
	}
	return p.collect(ctx)
}

// each handles files, given by the index of their path, with up to Jobs goroutines.
func (p *pool) each(ctx context.Context, files []int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var all sync.WaitGroup
	for range min(p.Jobs, len(files)) {
		all.Go(func() {
			for i := range next {
				if err := p.file(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	// A failed file cancels the context, which stops the handing out.
	for _, i := range files {
		select {
		case next <- i:
			continue
		// break here would end the select alone; the break below ends the loop.
		case <-ctx.Done():
		}
		break
	}
	close(next)
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// file measures a file, takes its result from the cache, or shares it. Its error stops the pool.
func (p *pool) file(ctx context.Context, i int) error {
	f, err := p.from.Open(p.paths[i])
	if err != nil {
		p.done(i, Recording{}, err, false)
		return nil
	}
	defer f.Close() // read only
	sum, size, err := digest(ctx, f)
	if err != nil {
		p.done(i, Recording{}, err, false)
		return ctx.Err()
	}
	k, ok, err := p.lookUp(ctx, sum)
	if err != nil {
		return err
	}
	// The digest is needed before a file is shared: it is the key under which the result arrives.
	if !ok && p.Share != nil && !p.alone {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.shared = append(p.shared, shared{i, Task{Folder: p.folder, Path: p.paths[i], SHA256: sum}})
		return nil
	}
	if !ok {
		if k, err = measure(ctx, f, sum, size); err != nil {
			p.done(i, Recording{}, err, false)
			return ctx.Err()
		}
		if err := store(ctx, p.Cache, sum, k); err != nil {
			return err // the cache is at fault, not the file
		}
	}
	r, err := k.result()
	p.done(i, r, err, ok)
	return nil
}

// done records the result of a file and reports progress.
func (p *pool) done(i int, r Recording, err error, cached bool) {
	// No lock: each element has one writer, and they are read after all goroutines have
	// ended.
	p.found[i], p.faults[i] = r, err
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress.Done++
	p.progress.AudioS += r.DurationS
	if cached {
		p.progress.Cached++
	}
	if p.Progress != nil {
		p.Progress(p.progress)
	}
}

// lookUp returns what the cache has of a file.
func (p *pool) lookUp(ctx context.Context, sum string) (k outcome, ok bool, err error) {
	if p.Cache == nil {
		return outcome{}, false, nil
	}
	text, ok, err := p.Cache.Measured(ctx, sum, Method)
	if err != nil || !ok {
		return outcome{}, false, err
	}
	if json.Unmarshal(text, &k) != nil {
		return outcome{}, false, nil // an unknown form of JSON: measured again
	}
	return k, true, nil
}

// Work measures a file for another process and stores the result in the cache. It does nothing
// if the cache has it already. An error means that another try may succeed; a recording that
// cannot be measured is not an error but a result.
func Work(ctx context.Context, from Opener, t Task, cache Cache) error {
	if _, ok, err := cache.Measured(ctx, t.SHA256, Method); ok || err != nil {
		return err
	}
	f, err := from.Open(t.Path)
	if err != nil {
		return errAt(t.Path, err)
	}
	defer f.Close() // read only
	sum, size, err := digest(ctx, f)
	if err != nil {
		return errAt(t.Path, err)
	}
	if sum != t.SHA256 {
		// Not stored: the bytes of the task are another file, and the cache is keyed by them.
		return fmt.Errorf("%s is not the file that was to be measured: it changed, or another is there", t.Path)
	}
	k, err := measure(ctx, f, sum, size)
	if err != nil {
		return errAt(t.Path, err)
	}
	return store(ctx, cache, sum, k)
}

// errChanged is the error of a file that was written to while it was measured.
var errChanged = errors.New("it changed while it was measured")

// measure measures a file, or returns why its bytes cannot be measured. It checks by size and
// modification time that the bytes are still those of the digest.
func measure(ctx context.Context, f File, sum string, size int64) (outcome, error) {
	was, err := f.Stat()
	if err != nil {
		return outcome{}, err
	}
	r, err := analyse(ctx, f)
	// Checked before the error is looked at: bytes that changed say nothing about the file.
	if is, serr := f.Stat(); serr != nil || is.Size() != size || is.Size() != was.Size() || !is.ModTime().Equal(was.ModTime()) {
		return outcome{}, cmp.Or(serr, errChanged)
	}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unprocessable, fault.Unsupported, fault.TooLarge: // follows from the bytes
		return outcome{Refused: err.Error()}, nil
	}
	if err != nil {
		return outcome{}, err
	}
	r.SHA256, r.SizeBytes = sum, size
	return outcome{Recording: &r}, nil
}

// store puts an outcome into the cache, if there is one.
func store(ctx context.Context, cache Cache, sum string, k outcome) error {
	if cache == nil {
		return nil
	}
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return cache.KeepMeasured(ctx, sum, Method, text)
}

// digest reads f to its end, returns its SHA-256 and size, and seeks back to the start.
func digest(ctx context.Context, f File) (sum string, size int64, err error) {
	h := sha256.New()
	buffer := make([]byte, 256<<10)
	for ctx.Err() == nil {
		n, err := f.Read(buffer)
		h.Write(buffer[:n])
		size += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", 0, err
		}
	}
	if ctx.Err() != nil {
		return "", 0, ctx.Err()
	}
	_, err = f.Seek(0, io.SeekStart)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

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

// Config says how files are measured.
type Config struct {
	Jobs     int            // how many at once; 0 is one for each processor
	Cache    Cache          // what was measured before is taken from here; nil keeps nothing
	Progress func(Progress) // told after each file, by one goroutine at a time; nil is nobody
	// Share hands files to whoever else measures, who puts what it finds into
	// Cache, where it is waited for; nil measures here. Needs Cache. Nobody need take
	// them: what does not come is measured here, see Patience.
	Share func(ctx context.Context, files []Task) error
	// Patience is how long none of the shared files may come before some of them are
	// measured here; 0 is a minute. A file that takes others longer is measured twice,
	// to the same figures.
	Patience time.Duration
}

// Task is a file that somebody is to measure, see [Config.Share] and [Work].
type Task struct {
	Folder string `json:"folder"` // absolute, the same on every machine
	Path   string `json:"path"`   // in the folder
	SHA256 string `json:"sha256"`
}

// Progress is how far measuring has come.
type Progress struct {
	Done, Of int     // files
	Cached   int     // of Done, those that were measured before
	AudioS   float64 // of Done
}

// kept is what a cache keeps of a file: what it measures, or why it cannot be
// measured, which follows from its bytes as well.
type kept struct {
	Recording *Recording `json:"recording,omitempty"`
	Refused   string     `json:"refused,omitempty"`
}

func (k kept) result() (Recording, error) {
	if k.Recording == nil {
		return Recording{}, refused(k.Refused)
	}
	return *k.Recording, nil
}

func refused(message string) error {
	return fault.New(fault.Invalid, "audio_unreadable", "", "%s", message)
}

// Files measures files of a folder. It returns a recording or an error for each
// path, in their order; the third result is the error of ctx or of the cache,
// which ends it. What was measured until then is in the cache, so that it can be
// gone on with.
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

// pool measures the files of one call.
type pool struct {
	Config
	from   Opener
	folder string
	paths  []string
	found  []Recording // each is written by one goroutine
	faults []error

	mu       sync.Mutex
	progress Progress
	shared   []shared // that others measure
	alone    bool     // they do not; set while nothing runs
}

// run goes over all files, then waits for those that others measure.
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

// each goes over files, by the numbers of their paths, with as many goroutines as
// it may.
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
	for _, i := range files {
		select {
		case next <- i:
			continue
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

// file measures a file, or hands it on. Its error ends the whole.
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
		if err := keep(ctx, p.Cache, sum, k); err != nil {
			return err // no fault of the file's
		}
	}
	r, err := k.result()
	p.done(i, r, err, ok)
	return nil
}

// done notes what became of a file.
func (p *pool) done(i int, r Recording, err error, cached bool) {
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

// lookUp returns what the cache knows.
func (p *pool) lookUp(ctx context.Context, sum string) (k kept, ok bool, err error) {
	if p.Cache == nil {
		return kept{}, false, nil
	}
	text, ok, err := p.Cache.Measured(ctx, sum, Method)
	if err != nil || !ok {
		return kept{}, false, err
	}
	if json.Unmarshal(text, &k) != nil {
		return kept{}, false, nil // of a version that was never released: measured anew
	}
	return k, true, nil
}

// Work measures a file for somebody else and keeps what it finds. It does nothing
// when that is known. An error is worth another try: why a recording cannot be
// measured is no error here, but kept.
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
		// Not kept: the other bytes are somewhere, and what is kept is of them.
		return fmt.Errorf("%s is not the file that was to be measured: it changed, or another is there", t.Path)
	}
	k, err := measure(ctx, f, sum, size)
	if err != nil {
		return errAt(t.Path, err)
	}
	return keep(ctx, cache, sum, k)
}

// errChanged is of a file that was written to while it was measured.
var errChanged = errors.New("it changed while it was measured")

// measure measures a file, or says why its bytes cannot be. The bytes are those of
// the digest as far as size and time tell.
func measure(ctx context.Context, f File, sum string, size int64) (kept, error) {
	was, err := f.Stat()
	if err != nil {
		return kept{}, err
	}
	r, err := analyse(ctx, f)
	if is, serr := f.Stat(); serr != nil || is.Size() != size || is.Size() != was.Size() || !is.ModTime().Equal(was.ModTime()) {
		return kept{}, cmp.Or(serr, errChanged)
	}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Unprocessable, fault.Unsupported, fault.TooLarge: // follows from the bytes
		return kept{Refused: err.Error()}, nil
	}
	if err != nil {
		return kept{}, err
	}
	r.SHA256, r.SizeBytes = sum, size
	return kept{Recording: &r}, nil
}

func keep(ctx context.Context, cache Cache, sum string, k kept) error {
	if cache == nil {
		return nil
	}
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return cache.KeepMeasured(ctx, sum, Method, text)
}

// digest reads f to its end and goes back to its beginning.
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

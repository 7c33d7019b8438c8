package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"vaak/engine/onnx/ort"
)

// shelf keeps models that were used of late, as far as memory reaches.
type shelf struct {
	lib     *ort.Library
	most    int64 // bytes of all models; 0 is no limit
	threads int   // of a job

	mu   sync.Mutex
	held map[modelName]*held
	// leaving are models that new jobs do not get, but that old ones still use.
	leaving []*held
}

// held is a model of the shelf.
type held struct {
	name  modelName
	ready chan struct{} // closed when model and err are set
	model *model
	err   error

	// These are guarded by the mutex of the shelf.
	bytes int64 // that it is expected to take; 0 before there is room for it
	users int
	used  time.Time // when the last user left
}

// expected returns how many bytes of memory a model takes whose file has so many. Weights are in
// memory once, and arenas grow to about the same again.
func expected(file int64) int64 { return 2 * file }

// errFull says that no memory is left for another model.
var errFull = errors.New("the models in use take all of the memory that is allowed for them")

// get returns a model, which must be put back. It may be loaded by another caller at the time.
func (s *shelf) get(ctx context.Context, name modelName) (*held, error) {
	s.mu.Lock()
	h := s.held[name]
	first := h == nil
	if first {
		h = &held{name: name, ready: make(chan struct{})}
		s.held[name] = h
	}
	h.users++
	s.mu.Unlock()
	if first { // also when ctx has ended: others may wait, and a failure must leave the shelf
		h.model, h.err = s.load(h)
		close(h.ready)
	} else {
		select {
		case <-h.ready:
		case <-ctx.Done():
			s.put(h, false)
			return nil, context.Cause(ctx)
		}
	}
	if h.err != nil {
		s.put(h, true) // the next one may succeed
		return nil, h.err
	}
	return h, nil
}

// load makes room for a model and loads it.
func (s *shelf) load(h *held) (*model, error) {
	info, err := os.Stat(h.name.path)
	if err != nil {
		return nil, badf("the file of the model cannot be read: %w", err)
	}
	if !s.free(h, expected(info.Size())) {
		return nil, errFull
	}
	m, err := load(s.lib, h.name, s.threads)
	// The file and the parts that were made of it are garbage now, some times the size of the
	// model.
	debug.FreeOSMemory()
	s.lib.Trim()
	return m, err
}

// free drops models that nobody uses, those first that were not used for the longest time, until
// another of some bytes fits. It reports whether that does, and keeps room for it. A model is never
// refused for being larger than the limit if it would be the only one.
func (s *shelf) free(h *held, bytes int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 {
		for {
			total, others := bytes, len(s.leaving)
			for _, o := range s.all() {
				if total += o.bytes; o != h && o.bytes > 0 {
					others++
				}
			}
			// What models take grows with what they have spoken, so the memory itself is
			// looked at, too.
			if others == 0 || total <= s.most && resident()+bytes <= s.most {
				break
			}
			if s.dropOldest() {
				continue
			}
			if total > s.most {
				return false
			}
			break
		}
	}
	h.bytes = bytes
	return true
}

// all returns the models that take memory. s.mu is held.
func (s *shelf) all() []*held {
	all := slices.Clone(s.leaving)
	for _, h := range s.held {
		all = append(all, h)
	}
	return all
}

// put gives a model back. A spoiled one is not used for other jobs: a run that failed may have left
// it with memory that it does not give back.
func (s *shelf) put(h *held, spoiled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.users--
	h.used = time.Now()
	if spoiled && s.held[h.name] == h {
		delete(s.held, h.name)
		s.leaving = append(s.leaving, h)
	}
	if i := slices.Index(s.leaving, h); i >= 0 && h.users == 0 {
		s.leaving = slices.Delete(s.leaving, i, i+1)
		s.close(h)
	}
	for s.most > 0 && resident() > s.most && s.dropOldest() {
	}
}

// dropOldest drops the model that was not used for the longest time. It reports whether there was
// one that nobody uses. s.mu is held.
func (s *shelf) dropOldest() bool {
	var oldest *held
	for _, h := range s.held {
		if h.users == 0 && (oldest == nil || h.used.Before(oldest.used)) {
			oldest = h
		}
	}
	if oldest == nil {
		return false
	}
	delete(s.held, oldest.name)
	s.close(oldest)
	return true
}

// close ends a model that nobody uses, and returns its memory to the system.
func (s *shelf) close(h *held) {
	if h.model != nil {
		h.model.close()
		s.lib.Trim()
	}
}

// dropIdle drops the models that were not used for some time.
func (s *shelf) dropIdle(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, h := range s.held {
		if h.users == 0 && time.Since(h.used) >= after {
			delete(s.held, name)
			s.close(h)
		}
	}
}

// resident returns how many bytes of memory the process has in use, without those of files that
// are mapped; 0 if that is not known.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, in, shared int64
	if _, err := fmt.Sscan(string(b), &size, &in, &shared); err != nil {
		return 0
	}
	return (in - shared) * int64(os.Getpagesize())
}

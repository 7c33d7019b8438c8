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
	lib  *ort.Library
	most int64 // bytes of all models; 0 is no limit

	// making is held while models are dropped to make room, so that nobody counts on memory that
	// another has freed for itself. It is locked before mu.
	making sync.Mutex

	// mu is never held while a model is loaded or closed.
	mu   sync.Mutex
	held map[modelName]*held
	// leaving are models that new jobs do not get, but whose memory is not free yet: old jobs
	// use them, or they are being closed.
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
	m, err := load(s.lib, h.name)
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
	s.making.Lock()
	defer s.making.Unlock()
	for {
		drop, fits := s.weigh(h, bytes, resident())
		if drop == nil {
			return fits
		}
		s.close(drop)
	}
}

// weigh reports whether another model of some bytes fits beside what the process has in use, and
// keeps room for it; or it returns a model that is to be closed first.
func (s *shelf) weigh(h *held, bytes, used int64) (drop *held, fits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most > 0 {
		total, others := bytes, len(s.leaving)
		for _, o := range s.all() {
			if total += o.bytes; o != h && o.bytes > 0 {
				others++
			}
		}
		// What models take grows with what they have spoken, so the memory itself is looked
		// at, too.
		if others > 0 && (total > s.most || used+bytes > s.most) {
			if drop := s.takeOldest(); drop != nil || total > s.most {
				return drop, false
			}
		}
	}
	h.bytes = bytes
	return nil, true
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
	h.users--
	h.used = time.Now()
	if spoiled && s.held[h.name] == h {
		s.leave(h)
	}
	gone := h.users == 0 && slices.Contains(s.leaving, h)
	s.mu.Unlock()
	if gone {
		s.close(h)
	}
	s.shrink()
}

// shrink drops models that nobody uses while there are too many.
func (s *shelf) shrink() {
	if s.most <= 0 || resident() <= s.most {
		return
	}
	s.making.Lock()
	defer s.making.Unlock()
	for resident() > s.most {
		s.mu.Lock()
		drop := s.takeOldest()
		s.mu.Unlock()
		if drop == nil {
			return
		}
		s.close(drop)
	}
}

// leave takes a model off the shelf, so that new jobs do not get it. s.mu is held.
func (s *shelf) leave(h *held) {
	delete(s.held, h.name)
	s.leaving = append(s.leaving, h)
}

// takeOldest takes the model off the shelf that was not used for the longest time; nil if all are
// in use. s.mu is held.
func (s *shelf) takeOldest() *held {
	var oldest *held
	for _, h := range s.held {
		if h.users == 0 && (oldest == nil || h.used.Before(oldest.used)) {
			oldest = h
		}
	}
	if oldest != nil {
		s.leave(oldest)
	}
	return oldest
}

// close ends a model that was taken off the shelf and that nobody uses, and returns its memory to
// the system.
func (s *shelf) close(h *held) {
	if h.model != nil {
		h.model.close()
		s.lib.Trim()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = slices.DeleteFunc(s.leaving, func(o *held) bool { return o == h })
}

// dropIdle drops the models that were not used for some time.
func (s *shelf) dropIdle(after time.Duration) {
	s.mu.Lock()
	var idle []*held
	for _, h := range s.held {
		if h.users == 0 && time.Since(h.used) >= after {
			idle = append(idle, h)
		}
	}
	for _, h := range idle {
		s.leave(h)
	}
	s.mu.Unlock()
	for _, h := range idle {
		s.close(h)
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

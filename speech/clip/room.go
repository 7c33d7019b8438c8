package clip

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// step is how much room a draft takes at a time at most, in bytes.
const step = 256 << 10

// blockBytes is what room is counted in.
const blockBytes = 4096

func blocks(n int64) int64 { return (n + blockBytes - 1) / blockBytes * blockBytes }

// room counts the files of a directory. A file of this service is counted before
// it is written.
type room struct {
	max    int64
	used   int64
	clips  int64            // of used, what clips take
	files  map[string]*file // by name
	orgs   map[string]*holding
	looked time.Time // when the directory was last looked at
	looks  int       // how often
}

// file is a clip or a draft.
type file struct {
	name    string
	org     string // "" of one whose owner is not known
	state   state
	room    int64     // that it is counted for
	expires time.Time // of a clip
	written time.Time // of one that is not known
	size    int64     // the same
	seen    int       // the last look that began before it was known to be there
}

type state int

const (
	unknown state = iota // a draft of another process, or none of ours
	drafted              // a draft of this service
	kept                 // a clip
	dropped              // no file any more
)

// holding is what an organisation has.
type holding struct {
	used   int64
	kept   int64 // of used, what clips take
	files  int
	clips  []*file // in the order in which they go, with some that have gone
	sorted bool
}

func newRoom(most int64) room {
	return room{max: most, files: map[string]*file{}, orgs: map[string]*holding{}}
}

// add counts a file.
func (r *room) add(f *file) {
	h := r.orgs[f.org]
	if h == nil {
		h = &holding{sorted: true}
		r.orgs[f.org] = h
	}
	r.files[f.name] = f
	f.seen = r.looks
	r.used += f.room
	h.used += f.room
	h.files++
	if f.state == kept {
		r.clips += f.room
		h.kept += f.room
		h.push(f)
	}
}

// push puts a clip in its place.
func (h *holding) push(f *file) {
	h.sorted = h.sorted && (len(h.clips) == 0 || compare(h.clips[len(h.clips)-1], f) < 0)
	h.clips = append(h.clips, f)
}

// compare orders clips by when they go.
func compare(a, b *file) int {
	return cmp.Or(a.expires.Compare(b.expires), strings.Compare(a.name, b.name))
}

// grow counts more for a file.
func (r *room) grow(f *file, more int64) {
	f.room += more
	r.used += more
	r.orgs[f.org].used += more
}

// drop counts a file no more.
func (r *room) drop(f *file) {
	h := r.orgs[f.org]
	if f.state == kept {
		r.clips -= f.room
		h.kept -= f.room
	}
	r.grow(f, -f.room)
	f.state = dropped
	delete(r.files, f.name)
	if h.files--; h.files == 0 {
		delete(r.orgs, f.org)
	}
}

// oldest returns the clip of an organisation that goes first; nil is none.
func (h *holding) oldest() *file {
	if !h.sorted {
		slices.SortFunc(h.clips, compare)
		h.sorted = true
	}
	for len(h.clips) > 0 {
		if h.clips[0].state == kept {
			return h.clips[0]
		}
		h.clips = h.clips[1:]
	}
	return nil
}

// victim returns the clip that goes when an organisation needs so much more than
// there is: the oldest of those that use more than a quarter of the room, and where
// nobody does, the oldest. Who would use more than a quarter takes room from nobody
// who does not. nil is none.
func (r *room) victim(org string, need int64) *file {
	over := func(id string, used int64) bool {
		if id == org {
			used += need
		}
		return used > r.max/4
	}
	var first, firstOver *file
	for id, h := range r.orgs {
		f := h.oldest()
		if f == nil {
			continue
		}
		if first == nil || compare(f, first) < 0 {
			first = f
		}
		if over(id, h.used) && (firstOver == nil || compare(f, firstOver) < 0) {
			firstOver = f
		}
	}
	if firstOver != nil {
		return firstOver
	}
	if h := r.orgs[org]; h != nil && over(org, h.used) || over(org, 0) {
		return nil
	}
	return first
}

// share is the most that one clip may take: what an organisation has without taking
// it from others.
func (r *room) share() int64 { return r.max / 4 / blockBytes * blockBytes }

// fits reports whether so much more of an organisation fits once every victim has
// gone that there can be, so that none goes in vain.
func (r *room) fits(org string, need int64) bool {
	drafts := int64(0)
	if h := r.orgs[org]; h != nil {
		drafts = h.used - h.kept
	}
	gone := r.clips
	if drafts+need > r.max/4 { // nothing of those who stay within a quarter goes
		gone = 0
		for id, h := range r.orgs {
			if id == org {
				gone += h.kept
			} else {
				gone += h.above(r.max / 4)
			}
		}
	}
	return r.used-gone+need <= r.max
}

// above returns what the clips take that go until no more than a bound is used.
func (h *holding) above(bound int64) (n int64) {
	if h.used <= bound || h.oldest() == nil {
		return 0
	}
	for _, f := range h.clips {
		if f.state == kept && h.used-n > bound {
			n += f.room
		}
	}
	return n
}

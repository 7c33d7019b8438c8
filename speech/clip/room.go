package clip

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// draftStep is the most room, in bytes, that a draft reserves ahead at a time.
const draftStep = 256 << 10

// blockBytes is the unit in which room is counted, as file systems allocate it.
const blockBytes = 4096

func blocks(n int64) int64 { return (n + blockBytes - 1) / blockBytes * blockBytes }

// room counts the room of the blobs in the store. One of this service is counted before it is
// written.
type room struct {
	max       int64
	used      int64
	keptBytes int64            // the part of used that clips take, the rest is drafts
	files     map[string]*file // by name
	orgs      map[string]*holding
	scanned   time.Time // when the store was last scanned
	scans     int       // how many times it was
}

// file is a clip or a draft in the store.
type file struct {
	name     string
	org      string // "" if the owner is not known
	state    state
	was      state     // before it was dropped
	room     int64     // bytes counted for it
	expires  time.Time // if it is a clip
	written  time.Time // modification time, if its state is unknown
	size     int64     // file size, if its state is unknown
	lastScan int       // the last scan that began before the file was known to be there
}

type state int

const (
	unknown state = iota // a draft of another process, or not a clip at all
	drafted              // a draft of this service
	kept                 // a clip
	dropped              // removed
)

// holding is what an organisation has in the room.
type holding struct {
	used      int64
	keptBytes int64 // the part of used that clips take
	files     int
	clips     []*file // in the order of expiry if sorted; removed clips may still be among them
	sorted    bool
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
	f.lastScan = r.scans
	r.used += f.room
	h.used += f.room
	h.files++
	if f.state == kept {
		r.keptBytes += f.room
		h.keptBytes += f.room
		h.append(f)
	}
}

// append adds a clip, and notes if that breaks the order.
func (h *holding) append(f *file) {
	h.sorted = h.sorted && (len(h.clips) == 0 || compare(h.clips[len(h.clips)-1], f) < 0)
	h.clips = append(h.clips, f)
}

// compare orders clips by expiry.
func compare(a, b *file) int {
	return cmp.Or(a.expires.Compare(b.expires), strings.Compare(a.name, b.name))
}

// grow adds to the room of a file; more may be negative.
func (r *room) grow(f *file, more int64) {
	f.room += more
	r.used += more
	r.orgs[f.org].used += more
}

// free stops counting clips until need more bytes of an organisation fit, and returns them, for
// removal. If they cannot fit, it changes nothing.
func (r *room) free(org string, need int64) (gone []*file, err error) {
	if !r.fits(org, need) {
		return nil, errNoRoom(nil)
	}
	for r.used+need > r.max {
		f := r.victim(org, need)
		if f == nil {
			r.back(gone)
			return nil, errNoRoom(nil)
		}
		r.drop(f)
		gone = append(gone, f)
	}
	return gone, nil
}

// back counts files again that were dropped, unless a scan has found them again meanwhile.
func (r *room) back(files []*file) {
	for _, f := range files {
		if r.files[f.name] != nil {
			continue
		}
		f.state = f.was
		r.add(f)
	}
}

// drop stops counting a file.
func (r *room) drop(f *file) {
	h := r.orgs[f.org]
	if f.state == kept {
		r.keptBytes -= f.room
		h.keptBytes -= f.room
	}
	r.used -= f.room
	h.used -= f.room
	f.was, f.state = f.state, dropped
	delete(r.files, f.name)
	if h.files--; h.files == 0 {
		delete(r.orgs, f.org)
	}
}

// oldest returns the clip of an organisation that expires first, or nil.
func (h *holding) oldest() *file {
	if !h.sorted {
		slices.SortFunc(h.clips, compare)
		h.sorted = true
	}
	for len(h.clips) > 0 {
		if h.clips[0].state == kept {
			return h.clips[0]
		}
		// A removed clip stays in the list until it comes to the front, so that removing needs no
		// search.
		h.clips = h.clips[1:]
	}
	return nil
}

// victim returns the clip to remove when an organisation needs need more bytes, or nil if
// there is none. It is the oldest clip of the organisations that use more than a quarter of
// the room; if there are none, the oldest clip of all. An organisation that would itself
// use more than a quarter never causes the removal of clips of those that use less.
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

// maxClip is the largest room of one clip: what an organisation can have without taking
// room from others.
func (r *room) maxClip() int64 { return r.max / 4 / blockBytes * blockBytes }

// fits reports whether need more bytes of an organisation fit when every possible victim is
// removed. Without this check clips might be removed in vain.
func (r *room) fits(org string, need int64) bool {
	drafts := int64(0)
	if h := r.orgs[org]; h != nil {
		drafts = h.used - h.keptBytes
	}
	gone := r.keptBytes
	if drafts+need > r.max/4 { // clips of organisations within a quarter are safe then
		gone = 0
		for id, h := range r.orgs {
			if id == org {
				gone += h.keptBytes
			} else {
				gone += h.freeable(r.max / 4)
			}
		}
	}
	return r.used-gone+need <= r.max
}

// freeable returns how many bytes are freed by removing clips until the organisation uses
// no more than bound.
func (h *holding) freeable(bound int64) (n int64) {
	// oldest also sorts the clips, so the loop below takes them in the order of removal.
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

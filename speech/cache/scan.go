package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Key names an answer. It is a digest: keys that differ in any bit are different
// answers, and nothing can be read from it.
type Key [32]byte

const (
	lockName    = "lock"
	draftSuffix = ".draft"
	scanBatch   = 1024 // directory entries read at once
)

// entryName returns the name of the file of a key.
func entryName(key Key) string { return hex.EncodeToString(key[:]) }

// draftName returns the name of the file of draft n of a key.
func draftName(key Key, n uint64) string {
	return entryName(key) + "." + strconv.FormatUint(n, 10) + draftSuffix
}

// parseName returns the key of a file of ours and whether it is a draft. Of any
// other file it says that it is not ours.
func parseName(name string) (key Key, draft, ours bool) {
	if rest, ok := strings.CutSuffix(name, draftSuffix); ok {
		digits := ""
		name, digits, _ = strings.Cut(rest, ".")
		n, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || strconv.FormatUint(n, 10) != digits {
			return Key{}, false, false
		}
		draft = true
	}
	if len(name) != hex.EncodedLen(len(key)) {
		return Key{}, false, false
	}
	if _, err := hex.Decode(key[:], []byte(name)); err != nil || entryName(key) != name {
		return Key{}, false, false
	}
	return key, draft, true
}

// scan fills the index from the directory and removes what is over.
func (c *Cache) scan() error {
	dir, err := os.Open(c.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	var found []*item
	for {
		batch, err := dir.ReadDir(scanBatch)
		for _, f := range batch {
			it, err := c.sight(f)
			if err != nil {
				return err
			}
			if it != nil {
				found = append(found, it)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(found, func(a, b *item) int { return b.touched.Compare(a.touched) })
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, it := range found {
		it.place = c.order.PushBack(it)
		c.index[it.key] = it
		c.used += it.room
	}
	for c.used > c.maxBytes {
		if err := c.evict(c.oldest()); err != nil {
			return err
		}
	}
	return nil
}

// sight returns the entry that a file is, or nil when it is none. It removes
// drafts and files too short to be an entry.
func (c *Cache) sight(f fs.DirEntry) (*item, error) {
	key, draft, ours := parseName(f.Name())
	if !ours || !f.Type().IsRegular() {
		return nil, nil
	}
	info, err := f.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if draft || info.Size() < footerSize {
		if err := c.unlink(f.Name()); err != nil {
			return nil, fmt.Errorf("remove an unfinished answer: %w", err)
		}
		return nil, nil
	}
	return &item{key: key, room: blocks(info.Size()), touched: info.ModTime()}, nil
}

// touchEvery is how often the use of an entry is written to its file at most.
const touchEvery = time.Minute

// touch notes in its file that an entry was used now, so that a later Open knows
// what was used last. The note may fail: the order is then a little off.
func (c *Cache) touch(key Key, now time.Time) {
	_ = os.Chtimes(c.path(entryName(key)), now, now)
}

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

// Key names an answer. It is a digest: the answers of two different keys are different, and
// nothing of the request can be read from it.
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

// parseName returns the key of a file of the cache, and whether it is a draft. ours is false
// for any other file.
func parseName(name string) (key Key, draft, ours bool) {
	if rest, ok := strings.CutSuffix(name, draftSuffix); ok {
		digits := ""
		name, digits, _ = strings.Cut(rest, ".")
		n, err := strconv.ParseUint(digits, 10, 64)
		// Accept only names that draftName makes: no sign, no leading zeros.
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

// scan fills the index from the directory and removes what exceeds the limits.
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
			it, err := c.inspect(f)
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
	// The most recently used first, as order requires.
	slices.SortFunc(found, func(a, b *item) int { return b.lastUsed.Compare(a.lastUsed) })
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, it := range found {
		it.element = c.order.PushBack(it)
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

// inspect returns the entry that a file holds, or nil if it is none. It removes drafts and
// files that are too short for an entry.
func (c *Cache) inspect(f fs.DirEntry) (*item, error) {
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
	// This process holds the lock, so nobody is writing the draft.
	if draft || info.Size() < footerSize {
		if err := c.unlink(f.Name()); err != nil {
			return nil, fmt.Errorf("remove an unfinished answer: %w", err)
		}
		return nil, nil
	}
	return &item{key: key, room: blocks(info.Size()), lastUsed: info.ModTime()}, nil
}

// touchEvery is the least time between two updates of a file's modification time.
const touchEvery = time.Minute

// touch sets the modification time of an entry's file to now, so that a later Open knows what
// was used last. It may fail; then the order of eviction is a little wrong.
func (c *Cache) touch(key Key, now time.Time) {
	_ = os.Chtimes(c.path(entryName(key)), now, now)
}

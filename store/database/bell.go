package database

import (
	"crypto/rand"
	"errors"
	"os"
	"sync/atomic"
)

// bell tells the processes that share a file of SQLite at once that one of them has
// committed a change. It is a file beside the database with random bytes, which whoever
// has changed something replaces: to look at them costs a request less than a question
// to SQLite, and every posting of characters would answer that one with yes.
type bell struct {
	file *os.File
	mute atomic.Bool // it could not be written, so silence means nothing
}

// toll is what the bell said at some time.
type toll [8]byte

// openBell opens the bell of a database. A process without one must not rely on memory.
func openBell(path string) (*bell, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	b := &bell{file: file}
	// The file has its room on the disk from here on. A process that looks meanwhile takes this
	// for a change, which costs it one question.
	if err := b.write(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return b, nil
}

// ring makes every process look at the database again.
func (b *bell) ring() {
	if b != nil && b.write() != nil {
		b.mute.Store(true) // others find the change when they compare versions
	}
}

func (b *bell) write() error {
	var t toll
	rand.Read(t[:]) // never fails: see crypto/rand
	_, err := b.file.WriteAt(t[:], 0)
	return err
}

// heard returns what the bell says now; ok is false when it cannot be relied on.
func (b *bell) heard() (t toll, ok bool) {
	if b == nil || b.mute.Load() {
		return t, false
	}
	_, err := b.file.ReadAt(t[:], 0)
	return t, err == nil
}

func (b *bell) close() error {
	if b == nil {
		return nil
	}
	return b.file.Close()
}

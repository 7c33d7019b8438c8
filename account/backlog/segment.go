package backlog

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// record is one record of a segment: a charge or a mark.
type record struct {
	Charge
	mark
}

// mark says that the charge with an id is posted.
type mark struct {
	Done string `json:"done"`
}

// headBytes is the size of what comes before the JSON of a record: its length and the
// CRC-32C of it, both with the lowest byte first. A length of 0 is the end.
const headBytes = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameOf encodes a charge or a mark, of at most so many bytes.
func frameOf(what any, most int) ([]byte, error) {
	text, err := json.Marshal(what)
	if err != nil {
		return nil, err
	}
	if headBytes+len(text) > most {
		return nil, fmt.Errorf("a record of %d bytes is over %d", headBytes+len(text), most)
	}
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	frame = binary.LittleEndian.AppendUint32(frame, crc32.Checksum(text, castagnoli))
	return append(frame, text...), nil
}

// read returns the charges of a segment that are not posted, in their order, and the offset
// where its records end. A record that was cut off, for example by a crash during the
// write, ends them; lost is how many bytes follow it.
func read(text []byte) (charges []Charge, end int64, lost int64) {
	remainder, done := text, map[string]bool{}
	for len(remainder) >= headBytes {
		n := binary.LittleEndian.Uint32(remainder)
		if n == 0 {
			break // the zeros with which the segment was made
		}
		var r record
		// The length is checked before it is used: it may be of a write that was cut off.
		if n > maxRecord-headBytes || int(n) > len(remainder)-headBytes ||
			crc32.Checksum(remainder[headBytes:headBytes+n], castagnoli) != binary.LittleEndian.Uint32(remainder[4:]) ||
			json.Unmarshal(remainder[headBytes:headBytes+n], &r) != nil {
			lost = written(remainder)
			break
		}
		if r.Done != "" {
			done[r.Done] = true
		} else {
			charges = append(charges, r.Charge)
		}
		remainder = remainder[headBytes+n:]
	}
	// A mark may be of a charge anywhere before it, so all are read first.
	charges = slices.DeleteFunc(charges, func(c Charge) bool { return done[c.ID] })
	return charges, int64(len(text) - len(remainder)), lost
}

// written returns how many bytes there are up to the last that is not 0.
func written(text []byte) int64 {
	for n := len(text); n > 0; n-- {
		if text[n-1] != 0 {
			return int64(n)
		}
	}
	return 0
}

// segment is a file of records, with its lock.
type segment struct {
	path    string
	file    *os.File
	used    int64 // bytes
	waits   int   // charges of it that are not posted
	claimed bool  // it was another process's; nothing but marks is added
	lost    int64 // bytes of a claimed one that cannot be read
	failed  error // why nothing more is written
}

// newSegment makes a segment whose room is on the disk.
func newSegment(dir string) (*segment, error) {
	f, err := newFile(dir)
	if err != nil {
		return nil, err
	}
	s := &segment{path: f.Name(), file: f}
	// Zeros are written, since a hole would take its blocks only when a charge is written.
	if _, err := f.WriteAt(make([]byte, segmentBytes), 0); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	if err := errors.Join(f.Sync(), syncDir(dir)); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

// newFile makes a file, of mode 0600, and locks it. Another process may have claimed it
// between the two, and have removed it again.
func newFile(dir string) (f *os.File, err error) {
	for range lockTries {
		if f, err = os.CreateTemp(dir, segmentPattern); err != nil {
			return nil, err
		}
		if err = lock(f); err == nil {
			if err = isAt(f, f.Name()); err == nil {
				return f, nil
			}
		}
		err = errors.Join(err, f.Close()) // who has the lock removes it
	}
	return nil, err
}

// isAt returns an error when a file is not the one at a path any more, wrapping
// fs.ErrNotExist.
func isAt(f *os.File, path string) error {
	there, err := os.Stat(path)
	if err != nil {
		return err
	}
	here, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(here, there) {
		return fmt.Errorf("%s is another file now: %w", path, fs.ErrNotExist)
	}
	return nil
}

func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// claim takes the lock of a segment and reads it; s is nil when another process has
// the lock, or has removed the file.
func claim(path string) (s *segment, charges []Charge, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if s == nil {
			err = errors.Join(err, f.Close())
		}
	}()
	switch err := lock(f); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	if err := isAt(f, path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil // whoever had the lock has removed it
	} else if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, err
	}
	s = &segment{path: path, file: f, claimed: true}
	charges, s.used, s.lost = read(text)
	s.used = max(s.used, 1) // so that it is removed, not kept for what comes
	return s, charges, nil
}

// free returns how many bytes charges may take. Each that waits has room for its mark.
func (s *segment) free() int64 {
	if s.claimed || s.failed != nil {
		return 0
	}
	return max(0, segmentBytes-s.used-int64(s.waits)*maxMark)
}

func (s *segment) add(frame []byte) error {
	// Used grows by what was written even on an error, so that empty clears all of it.
	n, err := s.file.WriteAt(frame, s.used)
	s.used += int64(n)
	return err
}

// empty forgets all records, and keeps the room.
func (s *segment) empty() error {
	// Zeros and not a truncation, which would give the blocks back to the disk.
	if _, err := s.file.WriteAt(make([]byte, s.used), 0); err != nil {
		return err
	}
	s.used = 0
	return s.file.Sync()
}

// remove removes the file. One that cannot be read to its end stays under another
// name, for a person to look at.
func (s *segment) remove() error {
	if s.lost > 0 {
		return errors.Join(os.Rename(s.path, s.path+".damaged"), s.file.Close())
	}
	return errors.Join(os.Remove(s.path), s.file.Close())
}

func segmentPaths(dir string) ([]string, error) {
	return filepath.Glob(filepath.Join(dir, segmentPattern))
}

// Found is what lies in a directory of charges.
type Found struct {
	Stats
	Files   int
	Damaged int // files that cannot be read to their end
}

// Inspect looks at a directory, whoever has its segments, and changes nothing in it. A
// directory that is not there is empty.
func Inspect(dir string) (f Found, err error) {
	paths, err := segmentPaths(dir)
	if err != nil {
		return f, err
	}
	damaged, err := filepath.Glob(filepath.Join(dir, segmentPattern+".damaged"))
	if err != nil {
		return f, err
	}
	f.Damaged = len(damaged)
	seen := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was posted and removed meanwhile
		}
		if err != nil {
			return f, err
		}
		f.Files++
		charges, _, lost := read(text)
		if lost > 0 {
			f.Damaged++
		}
		for _, c := range charges {
			if !seen[c.ID] {
				seen[c.ID] = true
				f.add(c)
			}
		}
	}
	return f, nil
}

// Package archive reads the files in a zip or tar archive where they lie: it unpacks nothing to
// disk. A listing says where each file begins; opening one reads its bytes from there. Archives
// come from strangers, so names, kinds and sizes are checked before anything is read.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strings"
)

// Member is a file in an archive.
type Member struct {
	Name string // as the archive writes it, with slashes

	size   int64 // bytes of the file
	offset int64 // of its first byte in the archive
	packed int64 // bytes that it takes there
	kind   packing
	sum    uint32 // CRC-32 (IEEE) of the file, in zip
}

// packing is how a member lies in its archive.
type packing int

const (
	plain    packing = iota // as it is, without a sum: tar
	stored                  // as it is, with a sum: zip
	deflated                // compressed: zip
)

// maxRatio is how many times its size a zip archive may unpack to. Speech in PCM shrinks to a
// third or half; silence and text more. Archives that are made to fill a memory have thousands.
const maxRatio = 100

// Size returns the size of the file in bytes.
func (m Member) Size() int64 { return m.size }

// Zip lists the files of a zip archive of size bytes. It calls each for every file, in the order
// of the archive, and stops with the error that each returns. Folders are passed over. most is how
// many files the caller takes: the directory of a zip is in memory as a whole, and one that is made
// for far more is an error. An archive that is broken, is encrypted, holds anything but files and folders, is compressed with
// another method than deflate, or unpacks to more than 100 times its size is an error, which is
// the end of a sentence about the archive.
func Zip(r io.ReaderAt, size int64, most int, each func(Member) error) error {
	// Folders are in the directory too, so it may have twice as many entries.
	d := &directory{ReaderAt: r, most: 2 * int64(most), bytes: 1<<20 + 512*int64(most)}
	if err := d.end(size); err != nil {
		return err
	}
	z, err := zip.NewReader(d, size)
	d.read = true
	if errors.Is(err, errDirectory) {
		return errDirectory
	}
	// Names that leave the archive are reported for the first such name only; the caller
	// checks every name.
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return fmt.Errorf("cannot be read as zip: %v", strings.TrimPrefix(err.Error(), "zip: "))
	}
	total := uint64(0)
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if mode := f.Mode(); !mode.IsRegular() {
			return fmt.Errorf("holds %q, which is a link or a device; only plain files are taken", shown(f.Name))
		}
		if f.Flags&1 != 0 { // APPNOTE 4.4.4: bit 0
			return fmt.Errorf("is encrypted (%q); only open archives are read", shown(f.Name))
		}
		m := Member{Name: f.Name, size: int64(f.UncompressedSize64), packed: int64(f.CompressedSize64), sum: f.CRC32}
		switch f.Method {
		case zip.Store:
			m.kind = stored
		case zip.Deflate:
			m.kind = deflated
		default:
			return fmt.Errorf("holds %q, compressed with the method %d; stored and deflate are read", shown(f.Name), f.Method)
		}
		// Entries may overlap in an archive that is made to unfold, so the sum is bounded, not
		// each entry alone.
		total += f.UncompressedSize64
		if f.UncompressedSize64 > 1<<50 || total > uint64(size)*maxRatio+1<<20 {
			return fmt.Errorf("unpacks to more than %d times its size", maxRatio)
		}
		if m.offset, err = f.DataOffset(); err != nil {
			return fmt.Errorf("cannot be read as zip: %q: %v", shown(f.Name), strings.TrimPrefix(err.Error(), "zip: "))
		}
		if m.packed < 0 || m.offset < 0 || m.packed > size-m.offset || m.kind == stored && m.packed != m.size {
			return fmt.Errorf("is broken: the entry %q says that it is where the archive has ended", shown(f.Name))
		}
		if err := each(m); err != nil {
			return err
		}
	}
	return nil
}

// errDirectory is the error of a directory that would fill the memory.
var errDirectory = errors.New("has more files than a folder may hold")

// directory bounds what is read of an archive until its directory is read.
type directory struct {
	io.ReaderAt
	most  int64 // entries
	bytes int64
	read  bool
}

// end refuses an archive whose end says that there are too many entries: memory would be taken for
// as many as it says.
func (d *directory) end(size int64) error {
	tail := make([]byte, min(size, 66<<10)) // a comment has up to 64 KiB
	if _, err := d.ReaderAt.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("cannot be read as zip: %v", err)
	}
	// APPNOTE 4.3.15: where the end lies that has numbers of 64 bits. The other has 16 bits, which
	// are few.
	for {
		i := bytes.Index(tail, []byte("PK\x06\x07"))
		if i < 0 || len(tail)-i < 20 {
			return nil
		}
		at := binary.LittleEndian.Uint64(tail[i+8:])
		tail = tail[i+4:]
		var b [56]byte
		if at > uint64(size) {
			continue
		}
		n, _ := d.ReaderAt.ReadAt(b[:], int64(at)) // what cannot be read is no end
		if n == len(b) && string(b[:4]) == "PK\x06\x06" && binary.LittleEndian.Uint64(b[32:]) > uint64(d.most) {
			return errDirectory
		}
	}
}

// ReadAt reads, and counts entries by the bytes that each begins with: the number that the end of the
// archive gives need not be true.
func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	n, err := d.ReaderAt.ReadAt(p, at)
	if d.read {
		return n, err
	}
	d.bytes -= int64(n)
	d.most -= int64(bytes.Count(p[:n], []byte("PK\x01\x02")))
	if d.bytes < 0 || d.most < 0 {
		return 0, errDirectory
	}
	return n, err
}

// Tar lists the files of a tar archive of size bytes, which r is positioned at the beginning of;
// see [Zip]. It reads the headers and seeks over the files. Sparse files are refused.
func Tar(r io.ReadSeeker, size int64, each func(Member) error) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return fmt.Errorf("cannot be read as tar: %v", strings.TrimPrefix(err.Error(), "archive/tar: "))
		}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
		default:
			return fmt.Errorf("holds %q, which is a link, a device or a sparse file; only plain files are taken", shown(h.Name))
		}
		for key := range h.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") {
				return fmt.Errorf("holds %q, which is a sparse file; only plain files are taken", shown(h.Name))
			}
		}
		// tar.Reader reads headers block by block and no further, so r is at the first byte of
		// the file.
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return fmt.Errorf("cannot be read as tar: %v", err)
		}
		if h.Size < 0 || h.Size > size-at {
			return fmt.Errorf("is cut short: %q goes on after the end of the archive", shown(h.Name))
		}
		if err := each(Member{Name: h.Name, size: h.Size, packed: h.Size, offset: at}); err != nil {
			return err
		}
	}
}

// shown returns a name as messages show it, cut to 80 bytes.
func shown(name string) string {
	const most = 80
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

// Reader reads a file of an archive.
type Reader interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// Open returns the bytes of the file. r must be the archive that was listed, and stay open. A
// file in zip that is read to its end and does not have the sum that the archive gives it is an
// error at the end. Not for several goroutines.
func (m Member) Open(r io.ReaderAt) Reader {
	at := io.NewSectionReader(r, m.offset, m.packed)
	switch m.kind {
	case stored:
		return &summed{SectionReader: at, sum: crc32.NewIEEE(), want: m.sum}
	case deflated:
		return &inflated{packed: at, size: m.size, want: m.sum}
	}
	return at
}

// errSum is the error of a file whose bytes are not those that the archive was made of.
var errSum = errors.New("the archive is damaged: the bytes of the file do not have the sum that the archive gives")

// summed checks the sum of a stored file when it is read from its beginning to its end.
type summed struct {
	*io.SectionReader
	sum  hash.Hash32
	at   int64 // up to where the sum goes
	want uint32
}

func (s *summed) Read(p []byte) (int, error) {
	from, _ := s.Seek(0, io.SeekCurrent) // a section can tell its position without an error
	n, err := s.SectionReader.Read(p)
	if from == s.at {
		s.sum.Write(p[:n])
		s.at += int64(n)
		if s.at == s.Size() && s.sum.Sum32() != s.want {
			return n, errSum
		}
	}
	return n, err
}

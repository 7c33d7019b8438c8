package archive

import (
	"compress/flate"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// maxRestarts bounds how often a file is inflated from its beginning. Decoders look at the head
// and the end of a file and then read on, which takes a few.
const maxRestarts = 32

// inflated reads a deflated file. Deflate can only be read forward, so a read before the
// position begins anew, and a read after it skips: nothing is kept in memory or on disk.
type inflated struct {
	packed   *io.SectionReader
	size     int64
	want     uint32
	z        io.ReadCloser // nil before the first read
	sum      hash.Hash32   // of what z has given
	at       int64         // position of z
	pos      int64         // position of Read
	restarts int
}

// Seek sets the position of the next Read.
func (f *inflated) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.pos
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a file")
	}
	f.pos = offset
	return offset, nil
}

// Read reads from the position.
func (f *inflated) Read(p []byte) (int, error) {
	if f.pos >= f.size {
		return 0, io.EOF
	}
	if err := f.goTo(f.pos); err != nil {
		return 0, err
	}
	n, err := f.next(p)
	f.pos += int64(n)
	return n, err
}

// ReadAt reads at an offset and leaves the position of Read where it is.
func (f *inflated) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, errors.New("read before the beginning of a file")
	}
	if offset >= f.size {
		return 0, io.EOF
	}
	if err := f.goTo(offset); err != nil {
		return 0, err
	}
	n := 0
	for n < len(p) {
		m, err := f.next(p[n:])
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// goTo moves z to an offset that is inside the file.
func (f *inflated) goTo(offset int64) error {
	if f.z == nil || offset < f.at {
		if f.restarts++; f.restarts > maxRestarts {
			return errors.New("the file is compressed and cannot be read in order; unpack the archive")
		}
		if _, err := f.packed.Seek(0, io.SeekStart); err != nil {
			return err
		}
		f.z, f.at, f.sum = flate.NewReader(f.packed), 0, crc32.NewIEEE()
	}
	if f.at == offset {
		return nil
	}
	buffer := make([]byte, min(offset-f.at, 64<<10))
	for f.at < offset {
		if _, err := f.next(buffer[:min(int64(len(buffer)), offset-f.at)]); err != nil {
			return err
		}
	}
	return nil
}

// next reads what follows, and checks at the end of the file that it has the size and the sum
// that the archive gives.
func (f *inflated) next(p []byte) (int, error) {
	if f.at >= f.size {
		return 0, io.EOF
	}
	n, err := f.z.Read(p[:min(int64(len(p)), f.size-f.at)])
	f.sum.Write(p[:n])
	f.at += int64(n)
	switch {
	case f.at == f.size && f.sum.Sum32() != f.want:
		return n, errSum
	case f.at == f.size:
		return n, nil
	case err != nil:
		return n, noEOF(err)
	}
	return n, nil
}

// noEOF returns an error that comes before the end of the file.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the archive is damaged: the file ends too early")
	}
	return fmt.Errorf("the archive is damaged: %v", err)
}

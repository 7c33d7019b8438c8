package kokoro

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"

	"vaak/engine/onnx/symbols"
	"vaak/internal/fault"
)

// Columns is how many numbers a style has.
const Columns = 256

// Limits of files of voices. A published voice has 510 or 511 rows, a file up to 103 voices.
const (
	maxRows   = 1024
	maxVoices = 1024
	maxHeader = 64 << 10 // bytes of a header of npy
	maxFile   = 256 << 20
	rowSize   = Columns * 4
)

// Voice is the style of a speaker: a row for each number of symbols, because the same speaker
// says a long sentence in another way than a short one.
type Voice struct {
	Name  string
	style []float32
}

// Rows returns how many rows the style has.
func (v Voice) Rows() int { return len(v.style) / Columns }

// Row returns the style for a piece with so many symbols, without those that frame it. The
// caller must not change it.
func (v Voice) Row(symbols int) []float32 {
	// The same row as in hexgrad's own pipeline: pack[len(ps)-1].
	i := min(max(symbols-1, 0), v.Rows()-1)
	return v.style[i*Columns : (i+1)*Columns]
}

// ReadVoices reads a file of voices in any of the three forms: an npz archive (voices-v1.0.bin),
// the numbers of one voice (voices/NAME.bin), or those of several voices one after another
// (voices.bin of sherpa-onnx), whose names are given. names is nil for the other two. The error
// is of kind Invalid.
func ReadVoices(file string, data []byte, names []string) ([]Voice, error) {
	if len(data) > maxFile {
		return nil, fault.BadParameter("voices", "a file of voices may have at most %d bytes; it has %d", maxFile, len(data))
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06")) {
		return readArchive(data)
	}
	if len(names) > 0 {
		return readSeveral(data, names)
	}
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), path.Ext(file))
	return readSeveral(data, []string{name})
}

// readSeveral reads voices of equal size that stand one after another.
func readSeveral(data []byte, names []string) ([]Voice, error) {
	if len(names) > maxVoices {
		return nil, fault.BadParameter("voices", "a file may have at most %d voices; it has %d", maxVoices, len(names))
	}
	size := len(data) / len(names)
	if size == 0 || size*len(names) != len(data) || size%rowSize != 0 || size/rowSize > maxRows {
		return nil, fault.BadParameter("voices", "the file must have 1 to %d rows of %d bytes for each of its voices, of which there are %d; it has %d bytes",
			maxRows, rowSize, len(names), len(data))
	}
	var all []Voice
	for i, name := range names {
		v, err := newVoice(name, data[i*size:(i+1)*size], all)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

var voiceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// newVoice makes a voice of numbers in little-endian float32. Its name must differ from those of
// the others.
func newVoice(name string, data []byte, others []Voice) (Voice, error) {
	if !voiceName.MatchString(name) {
		return Voice{}, fault.BadParameter("voices", "the name of a voice must be 1 to 64 letters, digits, dots, hyphens and underscores; one is %q", symbols.Shown(name))
	}
	for _, o := range others {
		if o.Name == name {
			return Voice{}, fault.BadParameter("voices", "each voice of a file must have its own name; two are %q", name)
		}
	}
	style := make([]float32, len(data)/4)
	for i := range style {
		f := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		// Styles are within 5; anything else is not a style.
		if !(f >= -1000 && f <= 1000) {
			return Voice{}, fault.BadParameter("voices", "the numbers of a voice must be from -1000 to 1000; number %d of %q is %g", i, name, f)
		}
		style[i] = f
	}
	return Voice{Name: name, style: style}, nil
}

// readArchive reads an npz file: a zip archive of arrays.
func readArchive(data []byte) ([]Voice, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fault.BadParameter("voices", "the file begins as a zip archive and cannot be read as one")
	}
	if n := len(z.File); n == 0 || n > maxVoices {
		return nil, fault.BadParameter("voices", "the archive must have 1 to %d voices; it has %d", maxVoices, n)
	}
	var all []Voice
	total := 0
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, fault.BadParameter("voices", "the files of the archive must be named NAME.npy; one is %q", symbols.Shown(f.Name))
		}
		const most = maxRows*rowSize + maxHeader
		// What the archive says of the size may be wrong, so the reader is limited too.
		if f.UncompressedSize64 > most {
			return nil, fault.BadParameter("voices", "%s may have at most %d bytes; it has %d", symbols.Shown(f.Name), most, f.UncompressedSize64)
		}
		array, err := readLimited(f, most)
		if err != nil {
			return nil, fault.BadParameter("voices", "%s cannot be read from the archive: %v", symbols.Shown(f.Name), err)
		}
		// The whole takes no more memory than the largest file without compression.
		if total += len(array); total > maxFile {
			return nil, fault.BadParameter("voices", "the voices of an archive may have %d bytes together; they have more", maxFile)
		}
		numbers, err := npyNumbers(f.Name, array)
		if err != nil {
			return nil, err
		}
		v, err := newVoice(name, numbers, all)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// readLimited returns the content of a file. It ends with an error at most bytes.
func readLimited(f *zip.File, most int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = io.ErrShortBuffer
	}
	_ = r.Close() // everything that is used was read and checked
	return data, err
}

// These read the header of an npy file, which is a dictionary in Python's syntax
// (numpy.lib.format).
var (
	npyType    = regexp.MustCompile(`'descr': *'([^']*)'`)
	npyOrder   = regexp.MustCompile(`'fortran_order': *(True|False)`)
	npyShape   = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)
	npyVersion = map[string]int{"\x93NUMPY\x01\x00": 2, "\x93NUMPY\x02\x00": 4, "\x93NUMPY\x03\x00": 4} // bytes of the length
)

// npyNumbers returns the bytes of the numbers of an npy file, which must be a style.
func npyNumbers(name string, data []byte) ([]byte, error) {
	name = symbols.Shown(name)
	const magic = 8
	if len(data) < magic+4 || npyVersion[string(data[:magic])] == 0 {
		return nil, fault.BadParameter("voices", "%s must be an array in the npy format of version 1, 2 or 3; it is not", name)
	}
	wide := npyVersion[string(data[:magic])]
	n := int64(binary.LittleEndian.Uint16(data[magic:]))
	if wide == 4 {
		n = int64(binary.LittleEndian.Uint32(data[magic:]))
	}
	start := int64(magic + wide)
	if n > maxHeader || start+n > int64(len(data)) {
		return nil, fault.BadParameter("voices", "the header of %s may have at most %d bytes and must be whole; it has %d", name, maxHeader, n)
	}
	header, numbers := data[start:start+n], data[start+n:]
	kind, order, shape := npyType.FindSubmatch(header), npyOrder.FindSubmatch(header), npyShape.FindSubmatch(header)
	if kind == nil || order == nil || shape == nil {
		return nil, fault.BadParameter("voices", "the header of %s must tell descr, fortran_order and shape; it does not", name)
	}
	if string(kind[1]) != "<f4" || string(order[1]) != "False" {
		return nil, fault.BadParameter("voices", "%s must have numbers of type <f4 row by row; they are %s with fortran_order %s", name, symbols.Shown(string(kind[1])), order[1])
	}
	rows, ok := rowsOf(string(shape[1]))
	if !ok {
		return nil, fault.BadParameter("voices", "%s must have the shape (rows, 1, %d) with 1 to %d rows; it is (%s)", name, Columns, maxRows, symbols.Shown(string(shape[1])))
	}
	if len(numbers) != rows*rowSize {
		return nil, fault.BadParameter("voices", "%s must have %d bytes for its %d rows; it has %d", name, rows*rowSize, rows, len(numbers))
	}
	return numbers, nil
}

// rowsOf returns the rows of a shape of a style, such as "510, 1, 256".
func rowsOf(shape string) (int, bool) {
	var dims []int
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(shape), ","), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || len(dims) == 3 {
			return 0, false
		}
		dims = append(dims, n)
	}
	n := len(dims)
	if n < 2 || dims[n-1] != Columns || n == 3 && dims[1] != 1 || dims[0] < 1 || dims[0] > maxRows {
		return 0, false
	}
	return dims[0], true
}

package parquet

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
)

// field returns a field of a structure of Thrift, whose number is one more than that before.
func field(kind byte, value ...[]byte) []byte {
	return append([]byte{0x10 | kind}, bytes.Join(value, nil)...)
}

// skipTo is field for a field whose number is delta more than that before.
func skipTo(delta, kind byte, value ...[]byte) []byte {
	return append([]byte{delta<<4 | kind}, bytes.Join(value, nil)...)
}

func number(n int64) []byte { return binary.AppendUvarint(nil, uint64(n)<<1) }
func text(s string) []byte  { return append(binary.AppendUvarint(nil, uint64(len(s))), s...) }
func end() []byte           { return []byte{0} }
func list(n int) []byte     { return binary.AppendUvarint([]byte{0xf0 | thriftStruct}, uint64(n)) }
func group(name string, n int64) []byte {
	return bytes.Join([][]byte{skipTo(4, thriftBinary, text(name)), field(5, number(n)), end()}, nil)
}
func leaf(name string) []byte {
	return bytes.Join([][]byte{field(5, number(typeByteArray)), skipTo(3, thriftBinary, text(name)), end()}, nil)
}

// part is a ColumnChunk without compression.
func part(values, start, size int64) []byte {
	return bytes.Join([][]byte{skipTo(3, thriftStruct,
		skipTo(4, 5, number(0)), field(6, number(values)), skipTo(2, 6, number(size)), skipTo(2, 6, number(start)), end()), end()}, nil)
}

// schema is that of recordings: audio.bytes and audio.path.
func schema() []byte {
	return slices.Concat(skipTo(2, thriftList, list(4)), group("schema", 1), group("audio", 2), leaf("bytes"), leaf("path"))
}

// file puts a footer behind pages, which begin at byte 4.
func file(pages []byte, footer ...[]byte) []byte {
	f := append(bytes.Join(footer, nil), 0)
	return slices.Concat([]byte("PAR1"), pages, f, binary.LittleEndian.AppendUint32(nil, uint32(len(f))), []byte("PAR1"))
}

// rowGroup has the parts of columns.
func rowGroup(parts ...[]byte) []byte {
	return slices.Concat(field(thriftList, list(1)), field(thriftList, list(len(parts))), bytes.Join(parts, nil), end())
}

// pageOf returns a page of values without compression.
func pageOf(kind int64, packed, values, encoding int64, body []byte) []byte {
	at := byte(2) // from field 3 to 5
	if kind == pageDictionary {
		at = 4
	}
	return slices.Concat(field(5, number(kind)), field(5, number(packed)), field(5, number(packed)),
		skipTo(at, thriftStruct, field(5, number(values)), field(5, number(encoding)), end()), end(), body)
}

// TestHostileFooters opens footers that claim more than there is. Each must end at once.
func TestHostileFooters(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxName+1)
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"good":                 {file(nil, schema(), field(6, number(0)), rowGroup()), ""},
		"map of 2^63 truths":   {file(nil, skipTo(7, thriftMap, binary.AppendUvarint(nil, 1<<63), []byte{0x11})), "ends too early"},
		"list of 2^63 truths":  {file(nil, skipTo(7, thriftList, []byte{0xf1}, binary.AppendUvarint(nil, 1<<63))), "ends too early"},
		"rows twice":           {file(nil, schema(), field(6, number(0)), rowGroup(), []byte{thriftList}, number(4), list(0)), "its schema or its rows twice"},
		"schema twice":         {file(nil, schema(), []byte{thriftList}, number(2), list(0)), "its schema or its rows twice"},
		"parts in one place":   {file(make([]byte, 10), schema(), field(6, number(1)), rowGroup(part(1, 4, 10), part(1, 8, 2))), "two parts of columns in one place"},
		"a name of many bytes": {file(nil, skipTo(2, thriftList, list(2)), group("schema", 1), leaf(long), field(6, number(0)), rowGroup()), "name has more than 4096 bytes"},
	} {
		_, err := Open(bytes.NewReader(tt.data), int64(len(tt.data)))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: the error is %q, want %q", name, got, tt.want)
		}
	}
}

// sparse is a file of a terabyte that has bytes at its beginning and its end only.
type sparse struct{ head, tail []byte }

const sparseSize = 1 << 40

func (s sparse) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	if at < int64(len(s.head)) {
		copy(p, s.head[at:])
	}
	if from := at - (sparseSize - int64(len(s.tail))); from >= 0 {
		copy(p, s.tail[from:])
	}
	return len(p), nil
}

// TestHostilePages reads pages that claim more than there is, or unfold to far more than they take.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	recordings := func(r io.ReaderAt, size int64) (rows int, got string) {
		err := NewPages().Recordings(r, size, func(int64, []byte, Recording) error { rows++; return nil })
		if err != nil {
			got = err.Error()
		}
		return rows, got
	}
	huge := pageOf(pageData, 1<<30, 1, encodingPlain, nil)
	tail := file(nil, schema(), field(6, number(1)), rowGroup(part(1, 4, 1<<31), part(0, 1<<32, 0)))
	if _, got := recordings(sparse{append([]byte("PAR1"), huge...), tail}, sparseSize); !strings.Contains(got, "has a page of 1073741824 bytes") {
		t.Errorf("a page of 1 GiB: %s", got)
	}

	// A recording of 64 KiB in a million rows.
	const rows = 1_000_000
	one := append(binary.LittleEndian.AppendUint32(nil, 64<<10), make([]byte, 64<<10)...)
	run := slices.Concat([]byte{1}, binary.AppendUvarint(nil, rows<<1), []byte{0})
	pages := slices.Concat(pageOf(pageDictionary, int64(len(one)), 1, encodingPlain, one), pageOf(pageData, int64(len(run)), rows, encodingRLEDictionary, run))
	data := file(pages, schema(), field(6, number(rows)), rowGroup(part(rows, 4, int64(len(pages))), part(0, 4, 0)))
	if n, got := recordings(bytes.NewReader(data), int64(len(data))); n == 0 || n > 1000 || !strings.Contains(got, "unpacks to more than 100 times its size") {
		t.Errorf("one recording in a million rows: %d are listed, %s", n, got)
	}

	// More values than rows.
	data = file(pages, schema(), field(6, number(3)), rowGroup(part(rows, 4, int64(len(pages))), part(0, 4, 0)))
	if n, got := recordings(bytes.NewReader(data), int64(len(data))); n > 0 || !strings.Contains(got, "has more values in a page") {
		t.Errorf("more values than rows: %d are listed, %s", n, got)
	}
}

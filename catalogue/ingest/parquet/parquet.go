// Package parquet reads what datasets of speech have in Apache Parquet: columns of texts and
// numbers, and recordings that are embedded as bytes. It reads flat columns and those in
// structures, not lists; the encodings PLAIN and dictionary; and pages that are plain, or
// compressed with Snappy, gzip or Zstandard. This is what Hugging Face, Arrow and pandas write.
//
// Files come from strangers, and a page may claim any size. So every length is compared with the
// bytes that are there before memory is taken, and pages are bounded. To list the recordings, every
// page of their column is decompressed once, and none of it is kept; a recording is decompressed
// again when it is opened.
package parquet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds of a file.
const (
	maxFooter  = 64 << 20  // bytes
	maxColumns = 10_000    // leaves of the schema
	maxChunks  = 1_000_000 // columns of all row groups
	maxName    = 4 << 10   // bytes of the path of a column
	maxHead    = 1 << 20   // bytes of the head of a page
	maxPages   = 4 << 20   // heads of pages that are read
	maxPage    = 256 << 20 // bytes of a page, uncompressed
	maxValues  = 1 << 20   // of a page
	// maxRatio is how many times its size a file may unpack to, beyond freeUnpacked bytes.
	maxRatio     = 100
	freeUnpacked = 16 << 20
	// spare is what compression may add to a page that does not shrink, in bytes.
	spare = 64 << 10
)

// The physical types of Parquet that are read.
const (
	typeInt32     = 1
	typeInt64     = 2
	typeByteArray = 6
)

// Table is a file of Parquet that is open.
type Table struct {
	r        io.ReaderAt
	size     int64
	rows     int64
	columns  []Column
	unpacked int64 // bytes of pages so far
	pages    int   // heads of pages that were read so far
}

// Column is a column of values.
type Column struct {
	Path string // names from the top of the schema, joined by dots: audio.bytes

	kind     int // physical type
	level    int // definition level of a value that is there
	repeated bool
	chunks   []chunk
}

// chunk is the part of a column that is in one row group.
type chunk struct {
	codec  int
	values int64
	start  int64 // offset of the first page
	size   int64 // bytes of all pages
}

// Open reads the footer of a file of size bytes. The error is the end of a sentence about the
// file.
func Open(r io.ReaderAt, size int64) (*Table, error) {
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("is not Parquet: it is too short")
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if magic := string(tail[4:]); magic == "PARE" {
		return nil, errors.New("is encrypted; only open files are read")
	} else if magic != "PAR1" {
		return nil, errors.New("is not Parquet: it does not end with PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	if n > maxFooter || n > size-12 {
		return nil, fmt.Errorf("has a footer of %d bytes; allowed are %d, and no more than there are", n, maxFooter)
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil {
		return nil, err
	}
	t := &Table{r: r, size: size}
	if err := t.footer(footer); err != nil {
		return nil, fmt.Errorf("has a broken footer: it %w", err)
	}
	return t, nil
}

// Rows returns the number of rows.
func (t *Table) Rows() int64 { return t.rows }

// Column returns the column of a path, or nil if there is none that can be read.
func (t *Table) Column(path string) *Column {
	i := slices.IndexFunc(t.columns, func(c Column) bool { return c.Path == path })
	if i < 0 || t.columns[i].repeated {
		return nil
	}
	return &t.columns[i]
}

// Audio returns the column of embedded recordings: the bytes of a structure with bytes and path, as
// datasets of Hugging Face have it. It returns nil if there is none. Of several it is the one
// called audio, or else the first.
func (t *Table) Audio() *Column {
	if c := t.Column("audio.bytes"); c != nil && c.kind == typeByteArray {
		return c
	}
	for i, c := range t.columns {
		if name, ok := strings.CutSuffix(c.Path, ".bytes"); ok && c.kind == typeByteArray && !c.repeated && t.Column(name+".path") != nil {
			return &t.columns[i]
		}
	}
	return nil
}

// element is an element of the schema.
type element struct {
	name       string
	kind       int // -1 is a group
	repetition int // 0 required, 1 optional, 2 repeated
	children   int
}

// footer reads the metadata of the file (parquet.thrift, FileMetaData).
func (t *Table) footer(b []byte) error {
	c := &compact{b: b}
	var schema []element
	chunks := 0
	seen := map[int]bool{}
	c.fields(func(id int, kind byte) {
		// Each time it comes, a field could add as much as is allowed in all.
		if (id == 2 || id == 4) && seen[id] {
			c.fail(errors.New("has its schema or its rows twice"))
			return
		}
		seen[id] = true
		switch {
		case id == 2 && kind == thriftList:
			c.list(thriftStruct, func() {
				if len(schema) > 2*maxColumns { // groups are elements too
					c.fail(fmt.Errorf("has more than %d columns", maxColumns))
					return
				}
				schema = append(schema, readElement(c))
			})
		case id == 3 && kind != thriftList:
			t.rows = c.varint()
		case id == 4 && kind == thriftList:
			if err := t.leaves(schema); err != nil {
				c.fail(err)
				return
			}
			c.list(thriftStruct, func() {
				at := 0
				c.fields(func(id int, kind byte) {
					if id != 1 || kind != thriftList {
						c.skip(kind, 0)
						return
					}
					c.list(thriftStruct, func() {
						if chunks++; at >= len(t.columns) || chunks > maxChunks {
							c.fail(errors.New("has more parts of columns than its schema"))
							return
						}
						t.chunk(c, &t.columns[at])
						at++
					})
				})
			})
		default:
			c.skip(kind, 0)
		}
	})
	if c.err == nil && (t.rows < 0 || t.rows > 1<<40) {
		return fmt.Errorf("has %d rows", t.rows)
	}
	if c.err == nil && t.overlap() {
		return errors.New("has two parts of columns in one place")
	}
	return c.err
}

// overlap reports whether two chunks share bytes. No writer makes such files, and reading the same
// bytes as thousands of chunks would take for ever.
func (t *Table) overlap() bool {
	var all []chunk
	for _, c := range t.columns {
		all = append(all, c.chunks...)
	}
	all = slices.DeleteFunc(all, func(k chunk) bool { return k.size == 0 })
	slices.SortFunc(all, func(a, b chunk) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.size, b.size)) })
	for i := 1; i < len(all); i++ {
		if all[i-1].start+all[i-1].size > all[i].start {
			return true
		}
	}
	return false
}

// readElement reads a SchemaElement.
func readElement(c *compact) element {
	e := element{kind: -1}
	c.fields(func(id int, kind byte) {
		switch id {
		case 1:
			e.kind = int(c.varint())
		case 3:
			e.repetition = int(c.varint())
		case 4:
			e.name = string(c.binary())
		case 5:
			e.children = int(c.varint())
		default:
			c.skip(kind, 0)
		}
	})
	return e
}

// leaves turns the schema, which is a tree in order of depth, into columns.
func (t *Table) leaves(schema []element) error {
	at := 0
	var walk func(path []string, level, depth int, repeated bool) error
	walk = func(path []string, level, depth int, repeated bool) error {
		if at >= len(schema) || depth > mostNested {
			return errors.New("has a schema that is broken or too deep")
		}
		e := schema[at]
		at++
		if depth > 0 { // the root has a name of no meaning
			path = append(slices.Clone(path), e.name)
			if e.repetition != 0 {
				level++
			}
			repeated = repeated || e.repetition == 2
		}
		if e.kind >= 0 {
			name := strings.Join(path, ".")
			if len(t.columns) == maxColumns {
				return fmt.Errorf("has more than %d columns", maxColumns)
			}
			if len(name) > maxName {
				return fmt.Errorf("has a column whose name has more than %d bytes", maxName)
			}
			t.columns = append(t.columns, Column{Path: name, kind: e.kind, level: level, repeated: repeated})
			return nil
		}
		for range e.children {
			if err := walk(path, level, depth+1, repeated); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(nil, 0, 0, false)
}

// chunk reads a ColumnChunk.
func (t *Table) chunk(c *compact, column *Column) {
	var k chunk
	data, dictionary := int64(-1), int64(0)
	c.fields(func(id int, kind byte) {
		switch {
		case id == 1:
			c.fail(errors.New("has columns in other files"))
		case id == 3 && kind == thriftStruct:
			c.fields(func(id int, kind byte) {
				switch id {
				case 4:
					k.codec = int(c.varint())
				case 5:
					k.values = c.varint()
				case 7:
					k.size = c.varint()
				case 9:
					data = c.varint()
				case 11:
					dictionary = c.varint()
				default:
					c.skip(kind, 0)
				}
			})
		default:
			c.skip(kind, 0)
		}
	})
	if k.start = data; dictionary > 0 && dictionary < data {
		k.start = dictionary
	}
	if c.err == nil && (k.start < 4 || k.size < 0 || k.size > t.size-k.start || k.values < 0) {
		c.fail(fmt.Errorf("says that the column %q is where the file has ended", column.Path))
		return
	}
	column.chunks = append(column.chunks, k)
}

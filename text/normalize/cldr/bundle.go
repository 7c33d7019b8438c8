package cldr

import (
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"io"
	"strings"
	"sync"
)

//go:embed cldr.bin
var packed string

// root is the name of the locale that stands for every unknown language.
const root = "und"

// archive is the opened extract: an index of segments, each of which is one
// locale compressed with a dictionary that all share.
//
// The file is a sequence of fields: the dictionary, compressed; the aliases,
// compressed, lines of "tag name"; then for every locale its name, the name of
// the locale that it differs from ("" for a whole one), the size of its segment
// in bytes, and the segment, compressed. A segment is again a sequence of fields,
// keys and values in turn, as [Locale.set] takes them.
type archive struct {
	entries map[string]*entry
	aliases map[string]string
	preset  []byte
}

// entry is one locale of the extract.
type entry struct {
	base    string
	segment segment
	once    sync.Once
	locale  *Locale
}

// segment is a compressed run of fields and its size when it is not.
type segment struct {
	size   int
	packed string
}

// bundle opens the embedded extract once.
var bundle = sync.OnceValue(func() *archive { return open(packed) })

// open reads the index of an extract; what cannot be read is left out.
func open(data string) *archive {
	a := &archive{entries: map[string]*entry{}, aliases: map[string]string{}}
	f := fields(data)
	// The dictionary comes first, and is itself compressed without one. Locales share most
	// of their keys, so deflate finds these in the dictionary instead of in each segment.
	a.preset = []byte(inflate(f.segment(), nil))
	for line := range strings.Lines(inflate(f.segment(), nil)) {
		tag, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		a.aliases[tag] = name
	}
	for len(f) > 0 {
		name := f.next()
		a.entries[name] = &entry{base: f.next(), segment: f.segment()}
	}
	return a
}

// resolve returns the name of the locale that a tag means, "" when the extract
// has none.
func (a *archive) resolve(tag string) string {
	if name, ok := a.aliases[tag]; ok {
		tag = name
	}
	if a.entries[tag] == nil {
		return ""
	}
	return tag
}

// locale returns the locale of a name, that of the root for a name that the
// extract does not have.
func (a *archive) locale(name string) *Locale {
	e := a.entries[name]
	if e == nil {
		e = a.entries[root]
	}
	if e == nil {
		return &Locale{Decimal: ".", Group: ",", DateOrder: "ymd"}
	}
	e.once.Do(func() { e.locale = a.decode(e) })
	return e.locale
}

// decode builds the locale of an entry: what it differs from first, then its
// own segment. Its strings share the memory of the inflated segments.
func (a *archive) decode(e *entry) *Locale {
	l := &Locale{Units: map[string]Unit{}, Currencies: map[string]Forms{}, Symbols: map[string]string{}}
	if base := a.entries[e.base]; base != nil {
		l.read(inflate(base.segment, a.preset))
	}
	l.read(inflate(e.segment, a.preset))
	return l
}

// read takes the records of a segment into the locale.
func (l *Locale) read(segment string) {
	for f := fields(segment); len(f) > 0; {
		key := f.next()
		l.set(key, f.next())
	}
}

// maxSegment bounds what the size of a segment makes the reader allocate.
const maxSegment = 1 << 20

// inflate undoes the compression of a segment. A damaged one reads as far as
// it is whole.
func inflate(s segment, preset []byte) string {
	var out strings.Builder
	out.Grow(min(s.size, maxSegment))
	r := flate.NewReaderDict(strings.NewReader(s.packed), preset)
	_, _ = io.Copy(&out, io.LimitReader(r, maxSegment)) // the tests read every segment
	return out.String()
}

// fields is a sequence of fields, each led by its length in bytes as an
// unsigned varint.
type fields string

// next takes the first field off; "" when none is left. A length that runs
// past the end takes all.
func (f *fields) next() string {
	n := f.number()
	n = min(n, len(*f))
	field := string((*f)[:n])
	*f = (*f)[n:]
	return field
}

// segment takes a size and a field off.
func (f *fields) segment() segment {
	size := f.number()
	return segment{size: size, packed: f.next()}
}

// number takes an unsigned varint off, at most maxSegment; 0 and the end of the
// sequence when there is none.
func (f *fields) number() int {
	// Only the longest possible varint is copied out of the string, and not all that
	// follows it.
	head := []byte((*f)[:min(len(*f), binary.MaxVarintLen64)])
	v, n := binary.Uvarint(head)
	if n <= 0 {
		*f = ""
		return 0
	}
	*f = (*f)[n:]
	return int(min(v, maxSegment))
}

package catalogue

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"vaak/internal/document"
)

// A record is stored as [json.Marshal] writes it. The answer to a client differs from that in a few
// values: addresses, the status, the gaps. To decode a record and encode it again takes ten times as
// long as to copy its text and put these values in. The text is compared with the type on the way: if
// it does not have exactly the members of the type in their order, because another version of
// the program has written it, it is decoded.

// shape is what the text of a value looks like.
type shape struct {
	members []member // of a struct
	object  bool     // it is a struct
	element *shape   // of a slice of structs
}

// member is a member of an object.
type member struct {
	key   string // with quotes and colon
	omits bool   // it may be left out
	gap   int    // the number in gapNames that null is noted under; -1 for none
	put   put
	shape *shape // nil for a value that is copied as it is
}

// put says what a value is replaced by.
type put int

const (
	itself put = iota
	theStatus
	thePage
	theRecord
	theCroissant
	theManifest
	theFile // the address of the file that the value names
	theGaps
)

// puts are the values that are replaced, by the paths of their members.
var puts = map[string]put{
	"status": theStatus, "url": thePage, "record": theRecord, "croissant": theCroissant, "manifest": theManifest, "gaps": theGaps,
	"sample.url": theFile, "sample.streams.url": theFile, "sample.transcript.url": theFile,
}

// datasetShape is the shape of [Dataset], and gapNames are the names of all gaps that it can have, sorted.
var datasetShape, gapNames = func() (*shape, []string) {
	var names []string
	s := shapeOf(reflect.TypeFor[Dataset](), "", &names)
	sorted := slices.Sorted(slices.Values(names))
	s.renumber(func(old int) int {
		at, _ := slices.BinarySearch(sorted, names[old])
		return at
	})
	return s, sorted
}()

// renumber changes the numbers of gaps.
func (s *shape) renumber(to func(int) int) {
	if s == nil {
		return
	}
	for i := range s.members {
		m := &s.members[i]
		if m.gap >= 0 {
			m.gap = to(m.gap)
		}
		m.shape.renumber(to)
	}
	s.element.renumber(to)
}

// shapeOf returns the shape of a type, nil if its text is copied as it is. It adds the names of gaps.
// As in [Gaps], there are none in lists.
func shapeOf(t reflect.Type, prefix string, gaps *[]string) *shape {
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem(), prefix, gaps)
	case reflect.Slice:
		if element := shapeOf(t.Elem(), prefix, nil); element != nil {
			return &shape{element: element}
		}
		return nil
	case reflect.Struct:
	default:
		return nil
	}
	if !hasFields(t) {
		return nil
	}
	s := &shape{object: true}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		m := member{key: `"` + name + `":`, omits: strings.Contains(options, "omit"), gap: -1, put: puts[prefix+name]}
		if gaps != nil && !m.omits && m.put != theGaps && nullableKind(f) {
			m.gap = len(*gaps)
			*gaps = append(*gaps, prefix+name)
		}
		m.shape = shapeOf(f.Type, prefix+name+".", gaps)
		s.members = append(s.members, m)
	}
	return s
}

// nullableKind reports whether null in a field is a gap, if the field is written at all.
func nullableKind(f reflect.StructField) bool {
	switch f.Type.Kind() {
	case reflect.Pointer:
		return true
	case reflect.Slice, reflect.Map:
		return f.Tag.Get("nullable") != "false"
	}
	return false
}

// splicer copies a text and replaces values.
type splicer struct {
	at    addresses
	slug  string
	text  Text
	files map[string]string // addresses by name

	from, i int // what was not copied yet; what was not read yet
	out     []byte
	missing []bool // by the numbers of gaps
}

// spliced returns the answer of a record; ok is false if it has to be decoded.
func (a addresses) spliced(slug string, t Text) (_ []byte, ok bool) {
	s := Stored{Dataset: Dataset{Slug: slug}}
	if json.Unmarshal(t.Files, &s.Files) != nil {
		return nil, false
	}
	p := splicer{
		at: a, slug: slug, text: t, files: make(map[string]string, len(s.Files)),
		out: make([]byte, 0, len(t.Record)+len(t.Record)/8+512), missing: make([]bool, len(gapNames)),
	}
	for _, f := range s.Files {
		p.files[f.Name] = a.file(slug, f)
	}
	if !p.value(datasetShape) || p.i != len(t.Record) {
		return nil, false
	}
	p.copy(p.i)
	return append(p.out, '\n'), true
}

// copy copies what was not copied yet, up to an index.
func (p *splicer) copy(to int) { p.out = append(p.out, p.text.Record[p.from:to]...) }

// next reports whether the text goes on with some bytes, and reads them if so.
func (p *splicer) next(want string) bool {
	if rest := p.text.Record[p.i:]; len(rest) < len(want) || string(rest[:len(want)]) != want {
		return false
	}
	p.i += len(want)
	return true
}

// value reads a value.
func (p *splicer) value(s *shape) bool {
	switch {
	case s == nil:
		return p.skip()
	case p.next("null"):
		return true
	case s.object:
		return p.object(s)
	}
	if !p.next("[") {
		return false
	}
	for !p.next("]") {
		if !p.value(s.element) || !p.next(",") && p.text.Record[min(p.i, len(p.text.Record)-1)] != ']' {
			return false
		}
	}
	return true
}

// object reads an object. Its members are those of the type, in their order.
func (p *splicer) object(s *shape) bool {
	if !p.next("{") {
		return false
	}
	first := true
	for _, m := range s.members {
		before := p.i
		if !first && !p.next(",") || !p.next(m.key) {
			if p.i = before; m.omits {
				continue
			}
			return false
		}
		first = false
		if !p.member(m) {
			return false
		}
	}
	return p.next("}")
}

// member reads the value of a member and replaces it if that is asked for.
func (p *splicer) member(m member) bool {
	if m.put != itself {
		begin := p.i
		p.copy(begin)
		p.from = begin // what the value itself makes is dropped
		kept := len(p.out)
		if !p.skip() {
			return false
		}
		value := p.text.Record[begin:p.i]
		p.out, p.from = p.out[:kept], p.i
		return p.replace(m.put, value)
	}
	if m.gap >= 0 && p.next("null") {
		p.missing[m.gap] = true
		return true
	}
	return p.value(m.shape)
}

// replace writes what a value is replaced by.
func (p *splicer) replace(by put, value []byte) bool {
	text := ""
	switch by {
	case theStatus:
		text = string(p.text.Status)
	case thePage:
		text = p.at.page(p.slug)
	case theRecord:
		text = p.at.record(p.slug)
	case theCroissant:
		text = p.at.croissant(p.slug)
	case theManifest:
		text = p.files[ManifestFile]
	case theFile:
		var name string
		if json.Unmarshal(value, &name) != nil {
			return false
		}
		text = p.files[name]
	case theGaps:
		p.gaps()
		return true
	}
	return p.quote(text)
}

// gaps writes the names of the gaps. Every member that can be one was read before.
func (p *splicer) gaps() {
	p.out = append(p.out, '[')
	comma := ""
	for i, missing := range p.missing {
		if missing {
			p.out = append(append(append(append(p.out, comma...), '"'), gapNames[i]...), '"')
			comma = ","
		}
	}
	p.out = append(p.out, ']')
}

// quote writes a string.
func (p *splicer) quote(s string) bool {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		p.out = append(append(append(p.out, '"'), s...), '"')
		return true
	}
	text, err := document.Encode(s)
	if err != nil {
		return false
	}
	p.out = append(p.out, text[:len(text)-1]...) // without the end of line
	return true
}

// skip reads a value of any shape.
func (p *splicer) skip() bool {
	depth := 0
	for t := p.text.Record; p.i < len(t); {
		switch c := t[p.i]; c {
		case '"':
			if !p.str() {
				return false
			}
		case '{', '[':
			depth++
			p.i++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				return false
			}
			p.i++
		case ',', ':':
			if depth == 0 {
				return false
			}
			p.i++
			continue
		default:
			begin := p.i
			for p.i < len(t) && (t[p.i] >= '0' && t[p.i] <= '9' || t[p.i] >= 'a' && t[p.i] <= 'z' || t[p.i] == '-' || t[p.i] == '+' || t[p.i] == '.' || t[p.i] == 'E') {
				p.i++
			}
			if p.i == begin {
				return false // white space, which json.Marshal does not write
			}
		}
		if depth == 0 {
			return true
		}
	}
	return false
}

// str reads a string. It takes back the escapes for HTML, which answers do not have.
func (p *splicer) str() bool {
	t := p.text.Record
	for p.i++; p.i < len(t); p.i++ {
		switch t[p.i] {
		case '"':
			p.i++
			return true
		case '\\':
			if p.i+5 < len(t) {
				if c, ok := htmlEscapes[string(t[p.i:p.i+6])]; ok {
					p.copy(p.i)
					p.out = append(p.out, c)
					p.from = p.i + 6
					p.i += 5
					continue
				}
			}
			p.i++ // what is escaped
		}
	}
	return false
}

// htmlEscapes are the escapes that [json.Marshal] writes for HTML.
var htmlEscapes = map[string]byte{`\u003c`: '<', `\u003e`: '>', `\u0026`: '&'}

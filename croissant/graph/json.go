package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Read reads a document of one JSON value. It continues after faults where it can: a second
// member with the same name is ignored, and what is nested too deep is read as null. Numbers
// keep all their digits.
func Read(document []byte) *Document {
	d := &Document{}
	r := &reader{doc: d, src: d.text(document)}
	r.space()
	root, err := r.value()
	if err == nil {
		d.Root, d.Readable = root, true
		r.end()
		return d
	}
	d.add(Problem{Kind: Syntax, Message: err.Error(), Passes: passesError(err)})
	return d
}

// passesError reports whether the reference library loads a document that is refused here: one
// with very many values, or with the words that Python's JSON has for NaN and infinity.
func passesError(err error) bool {
	syntax, ok := errors.AsType[*syntaxError](err)
	return !ok || syntax.noNumber
}

// text returns the document as valid UTF-8 without a byte order mark, and reports both faults.
func (d *Document) text(document []byte) []byte {
	if rest, found := bytes.CutPrefix(document, []byte("\ufeff")); found {
		d.report(Syntax, "", "the document begins with a byte order mark, and JSON begins with its value; save it as UTF-8 without one")
		document = rest
	}
	if utf8.Valid(document) {
		return document
	}
	at := 0
	for at < len(document) {
		r, n := utf8.DecodeRune(document[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	d.report(Syntax, "", fmt.Sprintf("byte %d (0x%02x) is not UTF-8; save the document as UTF-8", at, document[at]))
	return bytes.ToValidUTF8(document, []byte("\ufffd"))
}

// reader is a JSON parser that knows the pointer of each value.
type reader struct {
	doc    *Document
	src    []byte
	at     int
	path   []byte // pointer to the current value
	depth  int
	values int
}

// syntaxError says where the document stops being JSON.
type syntaxError struct {
	line, column int
	message      string
	noNumber     bool // NaN, Infinity or -Infinity is there
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("the document is not JSON: line %d, column %d: %s", e.line, e.column, e.message)
}

type tooMuchError struct{}

func (tooMuchError) Error() string {
	return fmt.Sprintf("the document holds more than %d values, which is the most that is checked; describe many files by one FileSet and long tables by a file", MaxValues)
}

func (r *reader) fail(format string, args ...any) error {
	before := r.src[:min(r.at, len(r.src))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &syntaxError{line, column, fmt.Sprintf(format, args...), noNumber(r.src[min(r.at, len(r.src)):])}
}

func noNumber(rest []byte) bool {
	rest = bytes.TrimPrefix(rest, []byte("-"))
	return bytes.HasPrefix(rest, []byte("NaN")) || bytes.HasPrefix(rest, []byte("Infinity"))
}

// expected returns the error that something else than what was found is expected.
func (r *reader) expected(what string) error {
	if r.at >= len(r.src) {
		return r.fail("expected %s, and the document ends", what)
	}
	c, _ := utf8.DecodeRune(r.src[r.at:])
	return r.fail("expected %s, got %q", what, c)
}

func (r *reader) space() {
	for r.at < len(r.src) {
		switch r.src[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// end reports text after the value.
func (r *reader) end() {
	if r.space(); r.at < len(r.src) {
		before := r.src[:r.at]
		r.doc.report(Syntax, "", fmt.Sprintf("the document goes on after its value, at line %d; send one JSON object", 1+bytes.Count(before, []byte("\n"))))
	}
}

func (r *reader) peek() byte {
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

// value reads one value that begins at the current byte.
func (r *reader) value() (any, error) {
	// Counted before the value is read, so memory is bounded by the count.
	if r.values++; r.values > MaxValues {
		return nil, tooMuchError{}
	}
	switch c := r.peek(); {
	case c == '{' || c == '[':
		return r.composite(c)
	case c == '"':
		return r.string()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	}
	for _, l := range []struct {
		word  string
		value any
	}{{"true", true}, {"false", false}, {"null", nil}} {
		if bytes.HasPrefix(r.src[r.at:], []byte(l.word)) {
			r.at += len(l.word)
			return l.value, nil
		}
	}
	return nil, r.expected("a value")
}

// composite reads an object or an array, or skips it if it is nested too deep.
func (r *reader) composite(open byte) (any, error) {
	// Deeper values are skipped without recursion, so the stack is bounded.
	if r.depth == MaxDepth {
		r.doc.remark(Syntax, string(r.path), fmt.Sprintf("the document is nested deeper than %d levels here; what is inside is not checked", MaxDepth))
		return nil, r.skip()
	}
	r.depth++
	defer func() { r.depth-- }()
	r.at++
	if open == '{' {
		return r.object()
	}
	return r.array()
}

func (r *reader) array() (any, error) {
	list := []any{}
	r.space()
	if r.peek() == ']' {
		r.at++
		return list, nil
	}
	for {
		// The path is one buffer that grows and shrinks with the depth. A pointer is copied
		// from it only for a problem.
		back := len(r.path)
		r.path = strconv.AppendInt(append(r.path, '/'), int64(len(list)), 10)
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		r.path = r.path[:back]
		list = append(list, v)
		if more, err := r.more(']'); err != nil || !more {
			return list, err
		}
	}
}

func (r *reader) object() (any, error) {
	members := map[string]any{}
	r.space()
	if r.peek() == '}' {
		r.at++
		return members, nil
	}
	for {
		if r.peek() != '"' {
			return nil, r.expected(`a member's name in quotes or "}"`)
		}
		if err := r.member(members); err != nil {
			return nil, err
		}
		if more, err := r.more('}'); err != nil || !more {
			return members, err
		}
	}
}

// member reads a name and its value into members.
func (r *reader) member(members map[string]any) error {
	key, err := r.string()
	if err != nil {
		return err
	}
	if r.space(); r.peek() != ':' {
		return r.expected(`":"`)
	}
	r.at++
	r.space()
	back := len(r.path)
	defer func() { r.path = r.path[:back] }()
	// Every problem repeats the pointer, so long names would multiply.
	if back+len(key) > MaxPointer {
		r.doc.remark(Syntax, string(r.path), fmt.Sprintf("the names on the way to a value are longer than %d bytes together; what is inside is not checked", MaxPointer))
		return r.skip()
	}
	r.path = append(append(r.path, '/'), escape(key)...)
	v, err := r.value()
	if err != nil {
		return err
	}
	// The value was read, so that faults inside it are reported, and is dropped.
	if _, twice := members[key]; twice {
		r.doc.remark(Syntax, string(r.path), fmt.Sprintf("%s stands twice in one object; the second is left out by some readers and the first by others, so keep one (several values go in an array)", strconv.Quote(shorten(key))))
		return nil
	}
	members[key] = v
	return nil
}

// more reads what is between two elements, and reports whether another one follows.
func (r *reader) more(end byte) (bool, error) {
	r.space()
	switch c := r.peek(); {
	case c == end && r.at < len(r.src):
		r.at++
		return false, nil
	case c != ',':
		return false, r.expected(fmt.Sprintf(`"," or "%c"`, end))
	}
	r.at++
	r.space()
	// Many people leave a comma behind the last element, so this fault has a message of its
	// own.
	if r.peek() == end {
		return false, r.fail(`a comma before "%c"; leave it out`, end)
	}
	return true, nil
}

// skip skips a value, however deep it is nested, without recursion.
func (r *reader) skip() error {
	switch c := r.peek(); c {
	case '"':
		_, err := r.raw()
		return err
	case '{', '[':
	default:
		for r.at < len(r.src) && strings.IndexByte(",]}", r.src[r.at]) < 0 {
			r.at++
		}
		return nil
	}
	// Brackets are counted without their kinds: "[}" passes here. Nothing of the value is
	// used.
	for level := 0; r.at < len(r.src); {
		switch r.src[r.at] {
		case '"':
			if _, err := r.raw(); err != nil {
				return err
			}
			continue
		case '{', '[':
			level++
		case '}', ']':
			level--
		}
		if r.at++; level == 0 {
			return nil
		}
	}
	return r.expected("the end of an object or array")
}

func (r *reader) number() (any, error) {
	start := r.at
	// All characters of a number are taken first, so that a message shows "01" or "1.e5"
	// whole.
	for r.at < len(r.src) && strings.IndexByte("+-.eE0123456789", r.src[r.at]) >= 0 {
		r.at++
	}
	if text := r.src[start:r.at]; !json.Valid(text) {
		r.at = start
		return nil, r.fail("%s is not a number", strconv.Quote(shorten(string(text))))
	}
	return json.Number(r.src[start:r.at]), nil
}

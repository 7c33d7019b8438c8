package document

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"vaak/internal/fault"
)

// Kind is the sort of a value, in the words of a sentence: "must be a list, not a string".
type Kind string

// The kinds.
const (
	Absent  Kind = "nothing"
	Null    Kind = "null"
	Boolean Kind = "a boolean"
	Number  Kind = "a number"
	String  Kind = "a string"
	Array   Kind = "an array"
	Object  Kind = "an object"
)

// Value is a value within a document that passed [Check], or is at least valid JSON: of a key
// that is there twice the last value counts, as with encoding/json. It shares the memory of the
// document. The zero Value is absent.
type Value struct {
	// Name leads to the value from where the reader began, with a dot before each key and
	// index: voice_settings.speed. It is "" for the value that the reader began with.
	Name string
	raw  []byte
}

// Of returns the value that a checked document holds.
func Of(data []byte) Value {
	// Only the white space of JSON (RFC 8259, section 2). With it gone the first byte tells the
	// kind.
	return Value{raw: bytes.Trim(data, " \t\r\n")}
}

// Raw returns the value as it is written. The caller must not change it.
func (v Value) Raw() []byte { return v.raw }

// Unnamed returns the value as one that a reader begins with.
func (v Value) Unnamed() Value { return Value{raw: v.raw} }

// Kind returns the sort of the value. Its first byte tells.
func (v Value) Kind() Kind {
	if len(v.raw) == 0 {
		return Absent
	}
	switch v.raw[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't', 'f':
		return Boolean
	case 'n':
		return Null
	default:
		return Number
	}
}

// Sent reports whether there is a value and it is not null.
func (v Value) Sent() bool { return len(v.raw) > 0 && v.raw[0] != 'n' }

// IsEmptyObject reports whether the value is an object without members.
func (v Value) IsEmptyObject() bool {
	return v.Kind() == Object && skipSpace(v.raw, 1) == len(v.raw)-1
}

// Text returns the text of a string, "" for every other value.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return string(unquoted(v.raw))
}

// Bool reports whether the value is true.
func (v Value) Bool() bool { return len(v.raw) > 0 && v.raw[0] == 't' }

// Float returns a number; ok is false when the value is none, or one that float64 cannot
// hold.
func (v Value) Float() (x float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	// The number is well-formed, so the only error is that it is out of range.
	x, err := strconv.ParseFloat(string(v.raw), 64)
	return x, err == nil
}

// Entries returns what is in an array, in order; nothing for every other value.
func (v Value) Entries() []Value {
	if v.Kind() != Array {
		return nil
	}
	r := open(v.raw, lenient)
	defer r.close()
	// Not nil: an empty list was sent, which differs from none.
	entries := []Value{}
	if _, err := r.dec.ReadToken(); err != nil {
		return entries // cannot be: the document was checked
	}
	for r.dec.PeekKind() != ']' {
		raw := r.value()
		if raw == nil {
			break
		}
		entries = append(entries, Value{v.within(strconv.Itoa(len(entries))), raw})
	}
	return entries
}

// Members returns the keys of an object with their values, in the order in which they are
// written; nothing for every other value.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		v.members(func(key, raw []byte) bool {
			name := string(key)
			return yield(name, Value{v.within(name), raw})
		})
	}
}

// members calls yield with each key of an object and its value, until that returns false.
// The key is good until yield returns.
func (v Value) members(yield func(key, raw []byte) bool) {
	if v.Kind() != Object {
		return
	}
	r := open(v.raw, lenient)
	defer r.close()
	if _, err := r.dec.ReadToken(); err != nil {
		return // cannot be, as above
	}
	for r.dec.PeekKind() == '"' {
		key := r.value()
		raw := r.value()
		if raw == nil || !yield(unquoted(key), raw) {
			return
		}
	}
}

// value reads the next value and returns it as a part of the document: what the decoder
// returns is only good until it is used again. It is nil where there is none.
func (r *reader) value() []byte {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil
	}
	end := r.at()
	// The capacity is cut, so that an append cannot write into the document.
	return r.data[end-len(raw) : end : end]
}

// unquoted returns the text of a string; a part of the document where that has no escapes.
func unquoted(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	// The error says that half of a surrogate pair became U+FFFD, which a checked document
	// does not hold.
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// within returns the name of a key or an entry of the value.
func (v Value) within(key string) string {
	if v.Name == "" {
		return key
	}
	return v.Name + "." + key
}

// Mistyped says that the value must be something else; want is what, as a sentence names it.
func (v Value) Mistyped(want string) error {
	return fault.BadParameter(v.Name, "%s must be %s, not %s", v.Name, want, v.Kind())
}

// outOfRange says that the value is a number that no program can hold.
func (v Value) outOfRange() error {
	return fault.BadParameter(v.Name, "%s %.32s is out of the range of numbers", v.Name, v.raw)
}

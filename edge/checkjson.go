package edge

import (
	"fmt"
	"unicode/utf8"

	"vaak/internal/fault"
)

// MaxDepth is how deep objects and arrays of a body may nest.
const MaxDepth = 32

// CheckJSON returns nil when data is one JSON value (RFC 8259) that every
// reader understands alike: it is UTF-8, no string holds NUL or half of a
// surrogate pair, no object has a key twice, nesting is at most [MaxDepth], and
// nothing but white space follows it. Whatever it takes, [json.Valid] takes.
//
// The error is a *fault.Error of kind Invalid that says what is wrong and at
// which byte, counted from 0. It reads data once, and allocates nothing for a
// good value whose objects have few keys.
func CheckJSON(data []byte) error {
	s := scanner{data: data}
	if s.document() {
		return nil
	}
	return fault.New(fault.Invalid, fault.CodeInvalidBody, "", "%s", s.sentence())
}

// trouble is the sort of thing that is wrong with a body.
type trouble byte

const (
	fine trouble = iota
	emptyBody
	syntax
	cutOff
	notUTF8
	holdsNUL
	halfPair
	twice
	tooDeep
	goesOn
)

// span is where a key stands in the body, without its quotes.
type span struct {
	from, to int
	escaped  bool
}

// scanner walks over a body. Its methods return false at the first trouble.
type scanner struct {
	data  []byte
	pos   int
	depth int

	wrong trouble
	at    int
	key   string // of trouble twice
}

func (s *scanner) fail(t trouble, at int) bool {
	if t == syntax {
		switch {
		case at >= len(s.data):
			t = cutOff
		case s.data[at] == 0:
			t = holdsNUL
		case s.data[at] >= utf8.RuneSelf:
			if r, n := utf8.DecodeRune(s.data[at:]); r == utf8.RuneError && n == 1 {
				t = notUTF8
			}
		}
	}
	s.wrong, s.at = t, at
	return false
}

func (s *scanner) sentence() string {
	switch s.wrong {
	case emptyBody:
		return "the body is empty; a JSON value is expected"
	case cutOff:
		return fmt.Sprintf("the body ends in the middle of its JSON value, at byte %d", s.at)
	case notUTF8:
		return fmt.Sprintf("the body is not UTF-8: 0x%02x at byte %d", s.data[s.at], s.at)
	case holdsNUL:
		return fmt.Sprintf("the body holds the character NUL at byte %d", s.at)
	case halfPair:
		return fmt.Sprintf("the body holds half of a surrogate pair at byte %d", s.at)
	case twice:
		return fmt.Sprintf("the body has the key %q twice, the second time at byte %d", clip(s.key), s.at)
	case tooDeep:
		return fmt.Sprintf("the body nests deeper than %d levels at byte %d", MaxDepth, s.at)
	case goesOn:
		return fmt.Sprintf("the body goes on after its JSON value, at byte %d", s.at)
	default:
		r, _ := utf8.DecodeRune(s.data[s.at:])
		return fmt.Sprintf("the body is not JSON: %q is not expected at byte %d", r, s.at)
	}
}

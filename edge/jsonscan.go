package edge

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

func (s *scanner) document() bool {
	s.space()
	if s.pos == len(s.data) {
		return s.fail(emptyBody, s.pos)
	}
	if !s.value() {
		return false
	}
	s.space()
	if s.pos < len(s.data) {
		if s.data[s.pos] == 0 {
			return s.fail(holdsNUL, s.pos)
		}
		return s.fail(goesOn, s.pos)
	}
	return true
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the byte at the position, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) value() bool {
	switch c := s.peek(); c {
	case '{':
		return s.enter() && s.object()
	case '[':
		return s.enter() && s.array()
	case '"':
		_, ok := s.str()
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return s.number()
		}
		return s.fail(syntax, s.pos)
	}
}

// enter steps over an opening bracket.
func (s *scanner) enter() bool {
	if s.depth == MaxDepth {
		return s.fail(tooDeep, s.pos)
	}
	s.depth++
	s.pos++
	return true
}

func (s *scanner) leave() bool {
	s.depth--
	s.pos++
	return true
}

func (s *scanner) array() bool {
	s.space()
	if s.peek() == ']' {
		return s.leave()
	}
	for {
		s.space()
		if !s.value() {
			return false
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
		case ']':
			return s.leave()
		default:
			return s.fail(syntax, s.pos)
		}
	}
}

func (s *scanner) object() bool {
	var keys keySet
	s.space()
	if s.peek() == '}' {
		return s.leave()
	}
	for {
		s.space()
		if s.peek() != '"' {
			return s.fail(syntax, s.pos)
		}
		if key, ok := s.str(); !ok || !s.unique(&keys, key) {
			return false
		}
		s.space()
		if s.peek() != ':' {
			return s.fail(syntax, s.pos)
		}
		s.pos++
		s.space()
		if !s.value() {
			return false
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
		case '}':
			return s.leave()
		default:
			return s.fail(syntax, s.pos)
		}
	}
}

// fewKeys is up to where the keys of an object are compared one by one.
const fewKeys = 16

// keySet holds the keys of an object: the first few where they stand in the
// body, which costs nothing, and all of them by name when they are many.
type keySet struct {
	n    int
	few  [fewKeys]span
	many map[string]struct{}
}

// unique adds a key to those of its object.
func (s *scanner) unique(set *keySet, key span) bool {
	double := false
	switch {
	case set.n < fewKeys:
		for _, k := range set.few[:set.n] {
			double = double || s.same(k, key)
		}
		set.few[set.n] = key
		set.n++
	default:
		if set.many == nil {
			set.many = make(map[string]struct{}, 2*fewKeys)
			for _, k := range set.few {
				set.many[s.name(k)] = struct{}{}
			}
		}
		name := s.name(key)
		_, double = set.many[name]
		set.many[name] = struct{}{}
	}
	if double {
		s.key = s.name(key)
		return s.fail(twice, key.from-1)
	}
	return true
}

func (s *scanner) same(a, b span) bool {
	if a.escaped || b.escaped {
		return s.name(a) == s.name(b)
	}
	return bytes.Equal(s.data[a.from:a.to], s.data[b.from:b.to])
}

// name returns a key as it reads.
func (s *scanner) name(k span) string {
	raw := s.data[k.from:k.to]
	if !k.escaped {
		return string(raw)
	}
	var name string
	quoted := bytes.Clone(s.data[k.from-1 : k.to+1]) // a copy, so that nothing else goes to the heap
	if err := json.Unmarshal(quoted, &name); err != nil {
		return string(raw) // cannot be: the string has been checked
	}
	return name
}

// str steps over a string and returns where its content stands.
func (s *scanner) str() (span, bool) {
	in := span{from: s.pos + 1}
	for i := in.from; i < len(s.data); {
		switch c := s.data[i]; {
		case c == '"':
			in.to, s.pos = i, i+1
			return in, true
		case c == '\\':
			in.escaped = true
			n, ok := s.escape(i)
			if !ok {
				return in, false
			}
			i += n
		case c < ' ':
			return in, s.fail(syntax, i)
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(s.data[i:])
			if r == utf8.RuneError && n == 1 {
				return in, s.fail(notUTF8, i)
			}
			i += n
		}
	}
	return in, s.fail(cutOff, len(s.data))
}

// escape checks the escape sequence at i and returns its length: that of both
// halves for a surrogate pair.
func (s *scanner) escape(i int) (int, bool) {
	if i+1 >= len(s.data) {
		return 0, s.fail(cutOff, len(s.data))
	}
	switch s.data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
	default:
		return 0, s.fail(syntax, i+1)
	}
	r, bad := s.hex4(i + 2)
	switch {
	case bad >= 0:
		return 0, s.fail(syntax, bad)
	case r == 0:
		return 0, s.fail(holdsNUL, i)
	case r < 0xD800 || r > 0xDFFF:
		return 6, true
	case r > 0xDBFF || i+7 >= len(s.data) || s.data[i+6] != '\\' || s.data[i+7] != 'u':
		return 0, s.fail(halfPair, i)
	}
	low, bad := s.hex4(i + 8)
	if bad >= 0 {
		return 0, s.fail(syntax, bad)
	}
	if low < 0xDC00 || low > 0xDFFF {
		return 0, s.fail(halfPair, i)
	}
	return 12, true
}

// hex4 reads four hexadecimal digits; bad is where it cannot, else -1.
func (s *scanner) hex4(i int) (r rune, bad int) {
	for end := i + 4; i < end; i++ {
		if i >= len(s.data) {
			return 0, i
		}
		switch c := s.data[i]; {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, i
		}
	}
	return r, -1
}

func (s *scanner) word(w string) bool {
	for i := range len(w) {
		if s.pos+i >= len(s.data) || s.data[s.pos+i] != w[i] {
			return s.fail(syntax, s.pos+i)
		}
	}
	s.pos += len(w)
	return true
}

func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		return s.digits()
	}
	return true
}

// digits steps over at least one digit.
func (s *scanner) digits() bool {
	from := s.pos
	for '0' <= s.peek() && s.peek() <= '9' {
		s.pos++
	}
	if s.pos == from {
		return s.fail(syntax, s.pos)
	}
	return true
}

// Package jsonpath checks the syntax of the JSON paths in Croissant documents.
//
// It accepts the language of jsonpath-rw, the Python library by which mlcroissant reads
// them: $, names, *, [n], [a:b], .., |, &, where and parentheses, but no filters.
package jsonpath

import (
	"fmt"
	"strings"
)

// Check returns what is wrong with a path, as the rest of a sentence ("it ends too early"),
// or "" for a path that is well formed.
func Check(path string) string {
	p := &parser{}
	if wrong := p.scan(path); wrong != "" {
		return wrong
	}
	p.expression(0)
	if p.wrong == "" && p.at < len(p.tokens) {
		p.unexpected()
	}
	return p.wrong
}

// parser is a recursive descent parser. One byte stands for each token: '$' and other
// single characters for themselves, 'd' for "..", 'n' for a number, 'i' for a name, 'o'
// for a known name in backquotes, '`' for an unknown one, 'w' for the word where.
type parser struct {
	tokens []byte
	at     int    // index of the next token
	wrong  string // the first error; the parser stops there
}

// scan cuts the path into tokens. Its result is an error, as that of Check.
func (p *parser) scan(s string) string {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\n':
			i++
		// Before the single characters, since "." is one of them.
		case strings.HasPrefix(s[i:], ".."):
			p.tokens = append(p.tokens, 'd')
			i += 2
		case strings.IndexByte("*.[]()$,:|&", c) >= 0:
			p.tokens = append(p.tokens, c)
			i++
		case c == '\'' || c == '"' || c == '`':
			n := quotedLength(s[i:])
			if n == 0 {
				return fmt.Sprintf("%c is not closed", c)
			}
			p.quoted(s[i : i+n])
			i += n
		case c == '-' || c >= '0' && c <= '9':
			n := 1 + span(s[i+1:], "0123456789")
			if s[i:i+n] == "-" {
				return `"-" is not a number`
			}
			p.tokens = append(p.tokens, 'n')
			i += n
		default:
			n := span(s[i:], letters+"0123456789@_-")
			if n == 0 {
				// At most four bytes are one code point. Converting the whole remainder
				// would cost its length.
				r := []rune(s[i:min(len(s), i+4)])[0]
				return fmt.Sprintf("%q is not known in it", r)
			}
			p.word(s[i : i+n])
			i += n
		}
	}
	return ""
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// span returns how many bytes at the start of s are in set.
func span(s, set string) int {
	return len(s) - len(strings.TrimLeft(s, set))
}

// quotedLength returns the length of the quoted text that s begins with, or 0 when the
// closing quote is missing.
func quotedLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 0
}

func (p *parser) quoted(s string) {
	if s[0] != '`' {
		p.tokens = append(p.tokens, 'i')
	} else if s == "`this`" || s == "`parent`" {
		p.tokens = append(p.tokens, 'o')
	} else {
		p.tokens = append(p.tokens, '`')
	}
}

func (p *parser) word(s string) {
	if s == "where" {
		p.tokens = append(p.tokens, 'w')
		return
	}
	p.tokens = append(p.tokens, 'i')
}

func (p *parser) peek() byte {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return 0
}

// accept moves past the next token if it is t.
func (p *parser) accept(t byte) bool {
	if p.peek() == t && p.at < len(p.tokens) {
		p.at++
		return true
	}
	return false
}

// unexpected records that the next token cannot stand where it is.
func (p *parser) unexpected() {
	if p.wrong != "" {
		return
	}
	switch t := p.peek(); t {
	case 0:
		p.wrong = "it ends too early"
	case 'i', 'o', 'w', '`':
		p.wrong = "a name stands where none can"
	case 'n':
		p.wrong = "a number stands where none can"
	case 'd':
		p.wrong = `".." stands where it cannot`
	default:
		p.wrong = fmt.Sprintf("%q stands where it cannot", t)
	}
}

// maxParentheses bounds the depth of parentheses, and so of the recursion.
const maxParentheses = 50

// expression reads operands with operators between them.
func (p *parser) expression(depth int) {
	for {
		// The operators are not ranked: only the form matters, and every order of
		// evaluation allows the same paths.
		p.operand(depth)
		if p.wrong != "" {
			return
		}
		switch p.peek() {
		case '.', 'd', 'w', '|', '&':
			p.at++
		default:
			return
		}
	}
}

// operand reads one operand and the brackets that follow it.
func (p *parser) operand(depth int) {
	switch {
	case depth > maxParentheses:
		p.wrong = "it is nested too deep"
		return
	case p.accept('$'), p.accept('*'), p.accept('o'):
	case p.accept('('):
		p.expression(depth + 1)
		if !p.accept(')') {
			p.unexpected()
		}
	case p.peek() == 'i':
		p.names()
	case p.peek() == '[': // a path may begin with brackets
	default:
		p.unexpected()
		return
	}
	for p.wrong == "" && p.accept('[') {
		p.bracket()
	}
}

// names reads names with commas between them.
func (p *parser) names() {
	for p.accept('i') {
		if !p.accept(',') {
			return
		}
	}
	p.unexpected()
}

// bracket reads an index, a slice or names, and the closing bracket.
func (p *parser) bracket() {
	switch {
	case p.accept('*'):
	case p.peek() == 'i':
		p.names()
	default:
		number := p.accept('n')
		// Both ends of a slice may be missing: [:], [1:], [:5].
		if p.accept(':') {
			p.accept('n')
		} else if !number {
			p.unexpected()
		}
	}
	if !p.accept(']') {
		p.unexpected()
	}
}

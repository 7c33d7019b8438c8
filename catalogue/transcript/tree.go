package transcript

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"
)

// tree is a file of JSON whose syntax is sound. Its values are found where they
// stand in the text: nothing is copied, and each has its line.
type tree struct {
	p    *reader
	text string
	seen int // how far breaks were counted
	line int // breaks before seen
}

// newTree tells a fault of syntax, and returns nil then.
func newTree(p *reader, text string) *tree {
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		at := len(text)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = max(min(at, int(syntax.Offset)-1), 0)
		}
		p.problem(1+strings.Count(text[:at], "\n"), "the file is not JSON: %v", err)
		return nil
	}
	return &tree{p: p, text: text}
}

// lineAt returns the line of a place in the text; places come in order.
func (t *tree) lineAt(at int) int {
	if at > t.seen {
		t.line += strings.Count(t.text[t.seen:at], "\n")
		t.seen = at
	}
	return t.line + 1
}

// list yields the values of a list that begins at a place, and where they are, as
// long as there is a point in reading on. It is nil when something else is there.
func list(text string, at int) iter.Seq2[int, string] {
	if at = solid(text, at); at == len(text) || text[at] != '[' {
		return nil
	}
	return func(yield func(int, string) bool) {
		for at := solid(text, at+1); at < len(text) && text[at] != ']'; {
			end := valueEnd(text, at)
			if !yield(at, text[at:end]) {
				return
			}
			at = afterComma(text, end)
		}
	}
}

// members yields the keys of an object that begins at a place, each with where its
// value is. It is nil when something else is there.
func members(text string, at int) iter.Seq2[string, int] {
	if at = solid(text, at); at == len(text) || text[at] != '{' {
		return nil
	}
	return func(yield func(string, int) bool) {
		for at := solid(text, at+1); at < len(text) && text[at] != '}'; {
			end := valueEnd(text, at)
			key := unquoted(text[at:end])
			if at = solid(text, end); at < len(text) { // at the colon
				at = solid(text, at+1)
			}
			if !yield(key, at) {
				return
			}
			at = afterComma(text, valueEnd(text, at))
		}
	}
}

// solid returns the place of the first character at or behind at that is no white
// space.
func solid(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\n\r", text[at]) >= 0 {
		at++
	}
	return at
}

func afterComma(text string, at int) int {
	if at = solid(text, at); at < len(text) && text[at] == ',' {
		at = solid(text, at+1)
	}
	return at
}

// valueEnd returns where the value at a place ends.
func valueEnd(text string, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		case ' ', '\t', '\n', '\r', ',', ':':
			at++
			continue
		default:
			at += scalarEnd(text[at:])
		}
		if depth <= 0 {
			return at
		}
	}
	return at
}

// scalarEnd returns how long a number, true, false or null is.
func scalarEnd(text string) int {
	for i := range len(text) {
		if strings.IndexByte(" \t\n\r,:]}", text[i]) >= 0 {
			return max(i, 1)
		}
	}
	return len(text)
}

// stringEnd returns where the string at a place ends, behind its quote.
func stringEnd(text string, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// unquoted returns what a string says.
func unquoted(raw string) string {
	if !strings.Contains(raw, `\`) {
		return strings.Trim(raw, `"`)
	}
	var text string
	if err := json.Unmarshal([]byte(raw), &text); err != nil {
		return raw // not a string of sound JSON
	}
	return text
}

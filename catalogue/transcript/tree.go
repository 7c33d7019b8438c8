package transcript

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"
)

// tree is the text of a JSON file whose syntax is valid. Values are found by their offsets in
// the text: nothing is copied, and every value has a line. encoding/json would give neither
// lines nor duplicate keys.
type tree struct {
	p    *reader
	text string
	seen int // offset up to which line breaks were counted
	line int // line breaks before seen
}

// newTree returns nil after it has added the problem if the syntax is not valid.
func newTree(p *reader, text string) *tree {
	var whole json.RawMessage
	// Only the syntax is checked here. The functions below rely on it: they find values by
	// their first character and do not look for errors.
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		at := len(text)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			// Offset counts the bytes that were read, so the byte at fault is the one
			// before.
			at = max(min(at, int(syntax.Offset)-1), 0)
		}
		p.problem(1+strings.Count(text[:at], "\n"), "the file is not JSON: %v", err)
		return nil
	}
	return &tree{p: p, text: text}
}

// lineAt returns the line of an offset. Offsets must not decrease from call to call.
func (t *tree) lineAt(at int) int {
	if at > t.seen {
		t.line += strings.Count(t.text[t.seen:at], "\n")
		t.seen = at
	}
	return t.line + 1
}

// list yields the values of the list at an offset, each with its own offset. It returns nil
// if there is no list.
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

// members yields the keys of the object at an offset, each with the offset of its value. It
// returns nil if there is no object.
func members(text string, at int) iter.Seq2[string, int] {
	if at = solid(text, at); at == len(text) || text[at] != '{' {
		return nil
	}
	return func(yield func(string, int) bool) {
		for at := solid(text, at+1); at < len(text) && text[at] != '}'; {
			end := valueEnd(text, at)
			key := unquoted(text[at:end])
			if at = solid(text, end); at < len(text) { // at is the colon
				at = solid(text, at+1)
			}
			if !yield(key, at) {
				return
			}
			at = afterComma(text, valueEnd(text, at))
		}
	}
}

// solid returns the offset of the first character from at on that is not white space.
func solid(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\n\r", text[at]) >= 0 {
		at++
	}
	return at
}

// afterComma returns the offset of the next value of a list or member of an object.
func afterComma(text string, at int) int {
	if at = solid(text, at); at < len(text) && text[at] == ',' {
		at = solid(text, at+1)
	}
	return at
}

// valueEnd returns the offset after the value at an offset.
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
		case ' ', '\t', '\n', '\r', ',', ':': // between values: not an end, even at depth 0
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

// scalarEnd returns the length of a number, true, false or null.
func scalarEnd(text string) int {
	for i := range len(text) {
		if strings.IndexByte(" \t\n\r,:]}", text[i]) >= 0 {
			return max(i, 1) // never 0, or valueEnd would not move on
		}
	}
	return len(text)
}

// stringEnd returns the offset after the closing quote of the string at an offset.
func stringEnd(text string, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\': // the next character is escaped, so a quote there does not end the string
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// unquoted returns the value of a JSON string.
func unquoted(raw string) string {
	if !strings.Contains(raw, `\`) {
		return strings.Trim(raw, `"`)
	}
	var text string
	if err := json.Unmarshal([]byte(raw), &text); err != nil {
		return raw // cannot happen: newTree has checked the syntax
	}
	return text
}

package transcript

import (
	"errors"
	"fmt"
	"strings"
)

// praat reads the values of a Praat text file: free-standing numbers, quoted texts in which
// two quotes stand for one, and flags in angle brackets. Everything else, such as the names
// in the long form and comments after "!", is for people and is skipped.
type praat struct {
	input string // not yet read
	line  int    // where the last value begins
	held  int    // line breaks inside the last value, to be added to line with the next one
}

// next returns the next value, which must be of a kind: "number", "text" or "flag". what
// names the value in errors.
func (t *praat) next(kind, what string) (string, error) {
	found, value, err := t.token()
	if err != nil {
		return "", err
	}
	if found == "" {
		return "", errEarly(what)
	}
	if found != kind {
		return "", fmt.Errorf("there is the %s %s where %s should be", found, quote(value), what)
	}
	return value, nil
}

// token returns the next value and its kind; the kind is "" at the end of the file.
func (t *praat) token() (kind, value string, err error) {
	t.line += t.held
	t.held = 0
	for t.input != "" {
		switch c := t.input[0]; {
		case c == '\n':
			t.line++
			t.input = t.input[1:]
		case c == ' ' || c == '\t':
			t.input = t.input[1:]
		case c == '!':
			t.input = t.input[lineEnd(t.input):]
		case c == '"':
			value, err = t.quoted()
			return "text", value, err
		// Everything else ends at white space: names such as xmin, the sign =, and indexes
		// such as [1]: are words that are no numbers, so they are dropped.
		default:
			word := t.input[:wordEnd(t.input)]
			t.input = t.input[len(word):]
			if word[0] == '<' && word[len(word)-1] == '>' {
				return "flag", word, nil
			}
			if isNumber(word) {
				return "number", word, nil
			}
		}
	}
	return "", "", nil
}

// isNumber reports whether a word is written as a number. Words such as "nan" count: the
// caller then reports them, while skipping them would shift all values that follow.
func isNumber(word string) bool {
	switch c := word[0]; {
	case c >= '0' && c <= '9':
		return true
	case strings.IndexByte("+-.nNiI", c) < 0:
		return false
	}
	switch strings.ToLower(strings.TrimLeft(word, "+-")) {
	case "nan", "inf", "infinity", "undefined--":
		return true
	}
	first := strings.TrimLeft(word, "+-.")
	return first != "" && first[0] >= '0' && first[0] <= '9'
}

// quoted reads a text up to its closing quote.
func (t *praat) quoted() (string, error) {
	var text strings.Builder
	after := t.input[1:]
	for {
		end := strings.IndexByte(after, '"')
		if end < 0 {
			t.input = ""
			return "", errors.New("the text that begins here has no closing quote")
		}
		text.WriteString(after[:end])
		after = after[end+1:]
		if !strings.HasPrefix(after, `"`) {
			t.input = after
			t.held = strings.Count(text.String(), "\n")
			return text.String(), nil
		}
		text.WriteByte('"')
		after = after[1:]
	}
}

func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

func wordEnd(text string) int {
	if i := strings.IndexAny(text, " \t\n"); i >= 0 {
		return i
	}
	return len(text)
}

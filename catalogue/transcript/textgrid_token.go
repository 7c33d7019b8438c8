package transcript

import (
	"errors"
	"fmt"
	"strings"
)

// praat reads the values of a text file of Praat: free-standing numbers, quoted
// texts in which a quote is doubled, and flags in angle brackets. All else, such as
// the names of the long form, and comments behind "!", is for people.
type praat struct {
	rest string
	line int // of the value read last, where it begins
	held int // line breaks in that value
}

// next returns the next value, which must be of a kind: "number", "text", "flag".
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

// token returns the next value and its kind; the kind is "" at the end.
func (t *praat) token() (kind, value string, err error) {
	t.line += t.held
	t.held = 0
	for t.rest != "" {
		switch c := t.rest[0]; {
		case c == '\n':
			t.line++
			t.rest = t.rest[1:]
		case c == ' ' || c == '\t':
			t.rest = t.rest[1:]
		case c == '!':
			t.rest = t.rest[lineEnd(t.rest):]
		case c == '"':
			value, err = t.quoted()
			return "text", value, err
		default:
			word := t.rest[:wordEnd(t.rest)]
			t.rest = t.rest[len(word):]
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

// isNumber says that a word is written as a number. Words such as "nan" stand for
// one too, for they are told better than passed over.
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

// quoted reads a text to its closing quote.
func (t *praat) quoted() (string, error) {
	var text strings.Builder
	rest := t.rest[1:]
	for {
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			t.rest = ""
			return "", errors.New("the text that begins here has no closing quote")
		}
		text.WriteString(rest[:end])
		rest = rest[end+1:]
		if !strings.HasPrefix(rest, `"`) {
			t.rest = rest
			t.held = strings.Count(text.String(), "\n")
			return text.String(), nil
		}
		text.WriteByte('"')
		rest = rest[1:]
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

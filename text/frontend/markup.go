package frontend

import (
	"strconv"
	"strings"
	"time"
)

// tag is a piece of markup.
type tag struct {
	size      int  // in bytes
	separates bool // it ends a word
	pause     time.Duration
}

// readTag reads a known SSML tag at the start of a text: opening, closing or
// empty, in any case, with attributes in quotation marks. Anything else that
// begins with < is text.
func readTag(s string) (tag, bool) {
	i := 1 // after <
	closing := i < len(s) && s[i] == '/'
	if closing {
		i++
	}
	start := i
	for i < len(s) && isNameByte(s[i]) {
		i++
	}
	name := s[start:i]
	t, ok := knownTag(name)
	if !ok {
		return tag{}, false
	}
	for {
		spaces := skipSpaces(s[i:])
		i += spaces
		switch {
		case strings.HasPrefix(s[i:], ">"):
			t.size = i + 1
			return t, true
		case !closing && strings.HasPrefix(s[i:], "/>"):
			t.size = i + 2
			return t, true
		// Closing tags have no attributes, and an attribute needs a space before it.
		case closing || spaces == 0:
			return tag{}, false
		}
		attribute, value, n := readAttribute(s[i:])
		if n == 0 {
			return tag{}, false
		}
		if strings.EqualFold(name, "break") && strings.EqualFold(attribute, "time") {
			t.pause = readPause(value)
		}
		i += n
	}
}

// longestTag is the length of the longest name in knownTag.
const longestTag = len("emphasis")

// knownTag says whether SSML has a tag of this name that is removed, and
// whether it stands between words.
func knownTag(name string) (tag, bool) {
	if len(name) > longestTag {
		return tag{}, false
	}
	switch strings.ToLower(name) {
	case "speak", "p", "s", "break", "audio":
		return tag{separates: true}, true
	case "prosody", "emphasis", "say-as", "sub", "voice", "lang", "phoneme", "mark", "w":
		return tag{}, true
	}
	return tag{}, false
}

// readAttribute reads name="value" or name='value' and returns its length, 0
// when there is none.
func readAttribute(s string) (name, value string, n int) {
	i := 0
	for i < len(s) && (isNameByte(s[i]) || s[i] == ':') {
		i++
	}
	name = s[:i]
	i += skipSpaces(s[i:])
	if name == "" || i >= len(s) || s[i] != '=' {
		return "", "", 0
	}
	i++
	i += skipSpaces(s[i:])
	if i >= len(s) || s[i] != '"' && s[i] != '\'' {
		return "", "", 0
	}
	quote := s[i]
	i++
	// XML does not allow "<" in a value. Stopping there also keeps the work linear where a
	// quotation mark is never closed.
	for end := i; end < len(s) && s[end] != '<'; end++ {
		if s[end] == quote {
			return name, s[i:end], end + 1
		}
	}
	return "", "", 0
}

// readPause reads a time such as 500ms or 1.5s, at most MaxPause. It returns 0 for
// anything else.
func readPause(s string) time.Duration {
	s = strings.ToLower(strings.Trim(s, " +"))
	unit := time.Second
	number, ok := strings.CutSuffix(s, "ms")
	if ok {
		unit = time.Millisecond
	} else if number, ok = strings.CutSuffix(s, "s"); !ok {
		return 0
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0) {
		return 0
	}
	// The bound is applied before the conversion, since a huge float has no Duration.
	return time.Duration(min(v*float64(unit), float64(MaxPause)))
}

func isNameByte(b byte) bool {
	l := b | 0x20
	return 'a' <= l && l <= 'z' || '0' <= b && b <= '9' || b == '-' || b == '_'
}

func skipSpaces(s string) int {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
		default:
			return i
		}
	}
	return len(s)
}

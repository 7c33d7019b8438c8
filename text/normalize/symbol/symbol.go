// Package symbol reads signs: those of mathematics between their operands, those of
// keys, names and numbers, and those that are words wherever they stand.
package symbol

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads signs as one language says them. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	quantities *quantity.Recognizer
	spelled    func(string) string // how capitals are read in a name, "" as a word
}

// New returns the recognizer of a speaker's language, and adds the words with which
// its forms begin to starts. Spelled says how capitals are read in a name.
func New(say *speak.Speaker, quantities *quantity.Recognizer, spelled func(string) string, starts *scan.Starts) *Recognizer {
	if say.Signs.Times != "" {
		starts.Add("x") // 3 x 4
		starts.Add("X")
		starts.Add("х") // the Cyrillic letter
	}
	return &Recognizer{say, quantities, spelled}
}

// Sign reads a sign: of mathematics between its operands, an ampersand between words,
// and those that are words by themselves.
func (sr *Recognizer) Sign(in *scan.View, i int) scan.Outcome {
	r := in.Rune(i)
	// The lexicon says that this sign is not read.
	if w, ok := sr.say.Signs.Listed[string(r)]; ok && w == "" {
		return scan.Outcome{}
	}
	switch r {
	case '²', '³':
		return scan.Said(sr.raised(in, i))
	case '*':
		if w, n := sr.key(in, i); n > 0 {
			return scan.Said(w, n)
		}
		return scan.Said(sr.operatorAt(in, i))
	case '+', '=', '×', '÷', '^', '<', '>', '−', '-', '/', '±', '≠', '≤', '≥', '≈', '√', '·':
		if w := sr.say.Signs.Math('±'); r == '+' && in.Is(i+1, '/') && in.Is(i+2, '-') && w != "" && in.Kind(in.Skip(i+3)) == scan.Digits {
			return scan.Said(w, 3) // +/- 3
		}
		return scan.Said(sr.operatorAt(in, i))
	case '&', '＆':
		if sr.say.Signs.And != "" && !in.Is(i+1, '&') {
			return scan.Said(sr.word(in, i, sr.say.Signs.And))
		}
		return scan.Outcome{}
	case ':':
		if sr.say.Signs.Divided != "" && Divides(in, i) {
			return scan.Said(sr.word(in, i, sr.say.Signs.Divided))
		}
		return scan.Outcome{}
	case '@':
		if in.Kind(i-1) == scan.Space && in.Kind(i+1) == scan.Space {
			return scan.Said(sr.say.Signs.At, min(len(sr.say.Signs.At), 1))
		}
		return scan.Outcome{}
	case '#':
		return scan.Said(sr.key(in, i))
	case '\'', '’', '(', '`', '|', '_', '\\', '~', '–', '«', '»', '¿', '¡', '„', '‘':
		return scan.Outcome{}
	}
	if in.Is(i+1, r) {
		if w := sr.say.Signs.Listed[string([]rune{r, r})]; w != "" {
			return scan.Said(w, 2) // §§
		}
	}
	if _, ok := sr.say.Signs.Listed[string(r)]; ok || spoken(r) {
		if w := sr.say.Signs.Math(r); w != "" {
			return scan.Said(sr.word(in, i, w))
		}
	}
	// No words for a picture: the reader leaves it out.
	if silent(r) {
		return scan.Said("", picture(in, i))
	}
	return scan.Outcome{}
}

// picture returns how many tokens a picture takes with its joiners, selectors and
// further pictures.
func picture(in *scan.View, i int) int {
	j := i + 1
	for j-i < scan.Lookahead && j < in.Len() {
		in.Step()
		t := in.Token(j)
		if joiner := t.Kind == scan.Word && (t.R == 0x200D || t.R == 0xFE0F); !joiner && !(t.Kind == scan.Sign && silent(t.R)) {
			break
		}
		if t.Kind == scan.Word && t.End-t.Start > len("\u200d\ufe0f") {
			break // letters follow
		}
		j++
	}
	return j - i
}

// spoken reports whether a sign is a word wherever it stands.
func spoken(r rune) bool {
	return strings.ContainsRune("%‰§©®™°€£¥₹$∞∑∏∫∂∆∈∪∩≡π", r) && r != 0xFFFD
}

// silent reports whether a sign is a picture, which is not spoken.
func silent(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r == 0xFE0F || r >= 0x2B00 && r <= 0x2BFF || r == '•'
}

// word returns a word for the sign at i, with spaces where something touches the sign.
func (sr *Recognizer) word(in *scan.View, i int, w string) (string, int) {
	if !sr.say.Spaced {
		return w, 1
	}
	if in.Kind(i-1) != 0 && in.Kind(i-1) != scan.Space && !strings.ContainsRune("([{\"'“", in.Rune(i-1)) {
		w = " " + w
	}
	if k := in.Kind(i + 1); k == scan.Word && !in.Token(i+1).Dense || k == scan.Digits || in.Is(i+1, '(') {
		w += " "
	}
	return w, 1
}

// Tag reads the sign of @name, #tag and #5.
func (sr *Recognizer) Tag(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || in.Is(i-1, in.Rune(i)) {
		return scan.Outcome{}
	}
	switch {
	case in.Is(i, '#') && sr.say.Signs.Number != "" && (in.Kind(i+1) == scan.Digits || numbers(in, i+1)):
		// A long number after the sign is a name: order #77120.
		return scan.Outcome{Words: sr.say.Signs.Number + " ", Tokens: 1, Note: &scan.Note{Kind: scan.ExpectSerial, At: i + 1}}
	case in.Is(i, '№'):
		if sr.say.Signs.Number == "" || in.Kind(in.Skip(i+1)) != scan.Digits {
			return scan.Outcome{}
		}
		return scan.Outcome{Words: sr.say.Signs.Number + " ", Tokens: in.Skip(i+1) - i, Note: &scan.Note{Kind: scan.ExpectSerial, At: in.Skip(i + 1)}}
	case in.Kind(i+1) != scan.Word:
		return scan.Outcome{}
	case in.Is(i, '#') && sr.say.Signs.Tag != "":
		return scan.Said(sr.name(in, i, sr.say.Signs.Tag, false))
	case in.Is(i, '@') && sr.say.Signs.At != "":
		return scan.Said(sr.name(in, i, sr.say.Signs.At, true))
	}
	return scan.Outcome{}
}

// numbers reports whether capitals and digits at i are the number of something and no
// hashtag: order #AB12345. A hashtag may end in a year: #IPL2025.
func numbers(in *scan.View, i int) bool {
	j := i + 1
	if in.Is(j, '-') {
		j++
	}
	if !in.Token(i).Upper || in.Token(i).R >= 0x80 || scan.RuneLen(in.Text(i)) > 5 || in.Kind(j) != scan.Digits || scan.RuneLen(in.Text(j)) < 3 {
		return false
	}
	announced := in.Expected == i && (in.Expectation == scan.ExpectCode || in.Expectation == scan.ExpectSerial)
	d := scan.Arabic(in.Text(j))
	return announced || len(d) > 4 || in.Is(j+1, '-') || len(d) == 4 && d[:2] != "19" && d[:2] != "20"
}

// name reads the name behind the sign of a handle or a hashtag, at most as many tokens as
// a recognizer may look at. The words of a hashtag are parted where a capital begins one
// and where an underscore stands, which is not said there: #RainySeason_2024. In a handle
// all signs are said.
func (sr *Recognizer) name(in *scan.View, i int, sign string, handle bool) (string, int) {
	parts := append(make([]string, 0, 8), sign)
	j := i + 1
	for j-i < scan.Lookahead {
		in.Step()
		t := in.Text(j)
		switch k := in.Kind(j); {
		case k == scan.Word && in.Token(j).Dense:
			return sr.dense(in, i, j, parts)
		case k == scan.Word:
			from := len(parts)
			parts = camel(parts, scan.WithoutRaised(t))
			for ; from < len(parts) && !handle; from++ {
				if w := sr.spelled(parts[from]); w != "" {
					parts[from] = w // #IPL2024
				}
			}
		case k == scan.Digits:
			w, ok := sr.digits(scan.Arabic(t), handle)
			if !ok {
				return "", 0
			}
			parts = append(parts, w)
		case in.Is(j, '_'):
			if handle {
				parts = append(parts, sr.say.Signs.Name('_'))
			}
		case handle && (in.Is(j, '.') || in.Is(j, '-')) && (in.Kind(j+1) == scan.Word || in.Kind(j+1) == scan.Digits) && in.Kind(j-1) != scan.Sign:
			parts = append(parts, sr.say.Signs.Name(in.Rune(j)))
		default:
			return sr.say.Join(parts...), j - i
		}
		j++
	}
	return sr.say.Join(parts...), j - i
}

// dense ends a name at the first character of a script without spaces, which follows it as
// it is written.
func (sr *Recognizer) dense(in *scan.View, i, j int, parts []string) (string, int) {
	w := sr.say.Join(parts...)
	if j == i+1 {
		w += " "
	}
	return w, j - i
}

// digits says the digits in a name: up to four as a number or a year, more one by one.
func (sr *Recognizer) digits(d string, handle bool) (string, bool) {
	if len(d) > 4 || d[0] == '0' || handle && len(d) > 2 {
		return sr.say.Digits(d)
	}
	if len(d) == 4 && sr.say.Years && d >= "1100" && d < "2100" {
		return sr.say.Year(d, "")
	}
	return sr.say.Int(scan.Atoi(d), "")
}

// camel adds the words of a name that begin with capitals: DiwaliSale, PMIndia.
func camel(parts []string, w string) []string {
	from, before := 0, rune(0)
	for at, r := range w {
		next, _ := utf8.DecodeRuneInString(w[at+utf8.RuneLen(r):])
		// A capital after a small letter, or the last of several before a small one: PMIndia.
		if at > from && unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsUpper(before) && unicode.IsLower(next)) {
			parts = append(parts, w[from:at])
			from = at
		}
		before = r
	}
	return append(parts, w[from:])
}

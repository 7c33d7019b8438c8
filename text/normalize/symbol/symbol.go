// Package symbol reads signs: those of mathematics between their operands, those of
// keys, names and numbers, and those that are words wherever they stand.
package symbol

import (
	"strings"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads signs as one language says them. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	quantities *quantity.Recognizer
}

// New returns the recognizer of a speaker's language, and adds the words with which
// its forms begin to starts.
func New(say *speak.Speaker, quantities *quantity.Recognizer, starts *scan.Starts) *Recognizer {
	if say.Signs.Times != "" {
		starts.Add("x") // 3 x 4
		starts.Add("X")
		starts.Add("х") // the Cyrillic letter
	}
	return &Recognizer{say, quantities}
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
		return scan.Said(sr.operatorAt(in, i))
	case '&', '＆':
		if sr.say.Signs.And != "" && !in.Is(i+1, '&') {
			return scan.Said(sr.word(in, i, sr.say.Signs.And))
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
	return strings.ContainsRune("%‰§©®™°€£¥₹$→←↑↓∞∑∏∫∂∆∈∪∩≡π", r) && r != 0xFFFD
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
	case in.Is(i, '#') && in.Kind(i+1) == scan.Digits && sr.say.Signs.Number != "":
		// A long number after the sign is a name: order #77120.
		return scan.Outcome{Words: sr.say.Signs.Number + " ", Tokens: 1, Note: &scan.Note{Kind: scan.ExpectSerial, At: i + 1}}
	case in.Is(i, '№'):
		if sr.say.Signs.Number == "" || in.Kind(in.Skip(i+1)) != scan.Digits {
			return scan.Outcome{}
		}
		return scan.Outcome{Words: sr.say.Signs.Number + " ", Tokens: in.Skip(i+1) - i, Note: &scan.Note{Kind: scan.ExpectSerial, At: in.Skip(i + 1)}}
	case in.Kind(i+1) != scan.Word:
		return scan.Outcome{}
	case in.Is(i, '#') && sr.say.Signs.Hash != "":
		return scan.Said(sr.say.Signs.Hash+" ", 1)
	case in.Is(i, '@') && sr.say.Signs.At != "":
		return scan.Said(sr.say.Signs.At+" ", 1)
	}
	return scan.Outcome{}
}

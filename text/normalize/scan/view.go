package scan

import (
	"strings"
	"unicode"
)

// Lookahead is how many tokens a recognizer may look at beyond the first, so that the
// work is linear in the length of the text.
const Lookahead = 24

// View shows the tokens of one text and the context of the current token. Recognizers
// only read it. All methods but Span take indexes beyond the ends, so that a recognizer
// can look around without bounds checks.
type View struct {
	s       string
	tokens  []Token
	endings *Endings
	steps   int
	number  Number // see [View.Number]
	before  string // the last word of the text before
	Context
}

// Endings are the case endings that a language writes on to numbers and signs as it
// does to words. A form may end before one of them.
type Endings struct {
	// Plain are spoken as they are written.
	Plain map[string]bool
	// Inflecting change the last word of the form before them.
	Inflecting map[string]bool
}

// NewView returns the view of a text whose tokens [Scan] returned.
func NewView(s string, tokens []Token, endings *Endings) View {
	return View{s: s, tokens: tokens, endings: endings}
}

// Follows tells the view what stands before its text.
func (in *View) Follows(before string) {
	before = strings.TrimRight(before, " \u00a0")
	in.before = before[strings.LastIndexAny(before, " \u00a0\n")+1:]
}

// WordBefore returns the word before token i, that of the text before for the first token.
func (in *View) WordBefore(i int) string {
	if i == 0 {
		return in.before
	}
	return in.Text(in.Back(i - 1))
}

// Len returns the number of tokens.
func (in *View) Len() int { return len(in.tokens) }

// Token returns the token at i, the zero token beyond the ends.
func (in *View) Token(i int) Token {
	if i < 0 || i >= len(in.tokens) {
		return Token{}
	}
	return in.tokens[i]
}

// Span returns the text of the tokens from i up to end, which is not included. All of them
// must exist.
func (in *View) Span(i, end int) string { return in.s[in.tokens[i].Start:in.tokens[end-1].End] }

// Step counts one look at a token or a phrase. Tests compare the count with the
// length of the text to prove that the work is linear.
func (in *View) Step() { in.steps++ }

// Steps returns the count of [View.Step].
func (in *View) Steps() int { return in.steps }

// Number returns the number that was parsed last if it begins at token i. Several
// recognizers in a row look at the same number; without this each would parse it.
func (in *View) Number(i int) (n Number, ok bool) {
	return in.number, i == in.number.Start && in.number.End > 0
}

// KeepNumber keeps a number for [View.Number].
func (in *View) KeepNumber(n Number) { in.number = n }

// Scored reports whether a word that announces the result of a match stands at most 11
// tokens before i.
func (in *View) Scored(i int) bool { return in.Score > 0 && i-in.Score < Lookahead/2 }

// Kind returns the kind of the token at i, 0 beyond the ends.
func (in *View) Kind(i int) Kind {
	if i < 0 || i >= len(in.tokens) {
		return 0
	}
	return in.tokens[i].Kind
}

// Rune returns the first rune of the token at i, 0 beyond the ends.
func (in *View) Rune(i int) rune {
	if i < 0 || i >= len(in.tokens) {
		return 0
	}
	return in.tokens[i].R
}

// Is reports whether the token at i is the sign r.
func (in *View) Is(i int, r rune) bool { return in.Kind(i) == Sign && in.tokens[i].R == r }

// Text returns the text of the token at i, "" beyond the ends.
func (in *View) Text(i int) string {
	if i < 0 || i >= len(in.tokens) {
		return ""
	}
	return in.tokens[i].In(in.s)
}

// Skip returns i+1 when the token at i is a single space within a line, else i.
func (in *View) Skip(i int) int {
	// A narrow no-break space takes three bytes in UTF-8, so the bound admits any one
	// space, and up to three ASCII spaces. A line break ends a form: 5 at the end of a line
	// and kg at the start of the next are not five kilograms.
	if in.Kind(i) == Space && in.tokens[i].End-in.tokens[i].Start <= len("\u202f") && !strings.Contains(in.Text(i), "\n") {
		return i + 1
	}
	return i
}

// Opens reports whether a form may begin at token i: no letter or digit touches it from
// the left, except a prefix or a dense letter.
func (in *View) Opens(i int) bool {
	k := in.Kind(i - 1)
	return k != Word && k != Digits || in.AfterPrefix > 0 && in.AfterPrefix == i || k == Word && in.tokens[i-1].Dense
}

// Closes reports whether a form may end before token i: no letter or digit stands there,
// except a case ending or a dense letter.
func (in *View) Closes(i int) bool {
	k := in.Kind(i)
	if k == Word && in.Kind(i-1) == Digits {
		if _, n := in.EndingAt(i); n > 0 {
			return true
		}
	}
	return k != Word && k != Digits || k == Word && (in.tokens[i].Dense || in.Ending(i))
}

// Ending reports whether the token at i is a case ending that the language writes
// directly after digits and signs, as it does after words.
func (in *View) Ending(i int) bool {
	// Letters between digits are part of a code, not an ending.
	if len(in.endings.Plain) == 0 || in.Kind(i) != Word || in.Kind(i+1) == Digits {
		return false
	}
	k := in.Kind(i - 1)
	return (k == Digits || k == Sign) && in.endings.Plain[in.Text(i)]
}

// EndsLine reports whether at most four tokens of space and closing marks follow from i
// on before the line or the text ends.
func (in *View) EndsLine(i int) bool {
	// The bound keeps the work linear: a text of many quotation marks would otherwise be
	// read to its end from each of them.
	for n := 0; n < 4 && i < len(in.tokens); n++ {
		in.Step()
		switch t := in.tokens[i]; {
		case t.Kind == Space && strings.Contains(in.Text(i), "\n"):
			return true
		case t.Kind == Word, t.Kind == Digits:
			return false
		}
		i++
	}
	return i >= len(in.tokens)
}

// Back returns j-1 when the token at j is space, else j.
func (in *View) Back(j int) int {
	if in.Kind(j) == Space {
		return j - 1
	}
	return j
}

// EndingAt returns the case ending written after the token before i, with or without a
// hyphen, and how many tokens it takes, 0 for none.
func (in *View) EndingAt(i int) (suffix string, n int) {
	if len(in.endings.Inflecting) == 0 {
		return "", 0
	}
	// The second sign is the hyphen that does not break a line, U+2011.
	if in.Is(i, '-') || in.Is(i, '‑') || in.Kind(i) == Space && in.Kind(i-1) == Digits && looseEnding(in.Text(i+1)) {
		n = 1
	}
	suffix = in.Text(i + n)
	if in.Kind(i+n) != Word || in.Kind(i+n+1) == Digits || !in.endings.Inflecting[suffix] {
		return "", 0
	}
	return suffix, n + 1
}

// looseEnding reports whether a word is an ending of a Dravidian language that is also
// written with a space before it: an ending of ordinals, 2024 ஆம் ஆண்டு, or one that
// cannot be spoken alone, 2024 ல்.
func looseEnding(w string) bool {
	switch w {
	case "ஆம்", "ஆவது", "வது", "ல்", "இல்", "க்கு", "க்குள்",
		"వ", "న", "కి", "కు", "లోపు", "లోగా",
		"ನೇ", "ರಂದು", "ರಿಂದ", "ರವರೆಗೆ", "ರಷ್ಟು", "ರಲ್ಲಿ", "ರೊಳಗೆ", "ಕ್ಕೆ", "ಕ್ಕಿಂತ",
		"ആം", "ന്", "ൽ", "ന്റെ", "നു", "നകം":
		return true
	}
	return false
}

// Spans reports whether a dash or slash and a number follow at j, as after the first of
// two years.
func (in *View) Spans(j int) bool {
	return in.Kind(j) == Sign && (IsDash(in.Rune(j)) || in.Is(j, '/')) && in.Kind(j+1) == Digits
}

// Expect returns the note that something is expected at token i, or after the
// punctuation there.
func (in *View) Expect(i int, kind NoteKind, rule string) *Note {
	if in.Is(i, '.') || in.Is(i, ':') {
		i++
	}
	i = in.Skip(i)
	if in.Is(i, ':') || in.Is(i, '-') || in.Is(i, '#') || in.Is(i, '№') {
		i = in.Skip(i + 1)
	}
	if in.Is(i, '[') || in.Is(i, '【') {
		i++ // a code for copying: 인증번호 [123456]
	}
	return &Note{kind, i, rule}
}

// Capitalized reports whether the token at i is a word that begins with a capital.
func (in *View) Capitalized(i int) bool { return in.Kind(i) == Word && unicode.IsUpper(in.Rune(i)) }

// IsOperator reports whether a sign of mathematics stands at j.
func (in *View) IsOperator(j int) bool {
	if in.Kind(j) != Sign {
		return false
	}
	switch in.tokens[j].R {
	case '=', '+', '×', '÷', '≠', '≈', '√', '^', '²', '³', '*':
		return true
	}
	return false
}

// IsPercent reports whether a percent sign stands at j.
func (in *View) IsPercent(j int) bool { return in.Is(j, '%') || in.Is(j, '٪') || in.Is(j, '％') }

// TwoDigits reports whether a token of exactly two digits stands at i.
func (in *View) TwoDigits(i int) bool { return in.Kind(i) == Digits && RuneLen(in.Text(i)) == 2 }

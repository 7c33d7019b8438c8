package speak

import "strings"

// Signs holds the words for signs, "" where the language has none.
type Signs struct {
	Minus, Plus, plusMinus, Times, Divided, equals, notEqual, less, greater string
	lessEqual, greaterEqual, approximately, root, power, infinity           string
	Squared, Cubed                                                          string // patterns with {n}
	At, Dot, slash, backslash, hyphen, underscore, Hash, Tag, And, star     string
	colon, tilde                                                            string
	Number, Version, VersionPoint, PhonePlus                                string
	By                                                                      string // x between dimensions

	// Listed are words for signs by the lexicon; "" says that a sign is not read.
	Listed map[string]string
	leads  map[string]string // words for signs before a number
	other  map[string]string // what CLDR has
}

// compile reads the words for signs from the lexicon, and from CLDR those that it leaves
// out.
func (sg *Signs) compile(l Language) {
	lex := l.Lexicon
	name := func(key, symbol string) string {
		// A row with "-" says that the sign has no word, so it must not fall back on CLDR.
		if rows := lex.Rows(key); len(rows) > 0 {
			return rows[0].Value(0)
		}
		return l.Locale.Symbols[symbol]
	}
	*sg = Signs{
		Minus: name("minus", "−"), Plus: name("plus", "+"), plusMinus: name("plus-minus", "±"), Times: name("times", "×"),
		Divided: name("divided", "÷"), equals: name("equals", "="), notEqual: name("not-equal", "≠"), less: name("less", "<"),
		greater: name("greater", ">"), lessEqual: name("less-equal", "≤"), greaterEqual: name("greater-equal", "≥"),
		approximately: name("approximately", "≈"), root: name("root", "√"), power: name("power", ""),
		infinity: name("infinity", "∞"), Squared: after(name("squared", "")), Cubed: after(name("cubed", "")),
		At: name("at", "@"), Dot: name("dot", "."), slash: name("slash", "/"), backslash: name("backslash", "\\"),
		hyphen: name("hyphen", "-"), underscore: name("underscore", "_"), Hash: name("hash", "#"), Tag: lex.Word("tag"), And: name("and", "&"),
		star: name("star", "*"), colon: name("colon", ":"), tilde: name("tilde", "~"),
		Number: name("number-sign", "№"), Version: lex.Word("version"), VersionPoint: lex.Word("version.point"), PhonePlus: lex.Word("phone.plus"),
		Listed: lex.ByFirst("sign"), leads: lex.ByFirst("lead"), other: l.Locale.Symbols,
	}
	if sg.Tag == "" {
		sg.Tag = sg.Hash
	}
	if sg.Minus == "" {
		sg.Minus = l.Locale.Symbols["-"]
	}
	if sg.By = lex.Word("by"); sg.By == "" {
		sg.By = sg.Times
	}
	if sg.PhonePlus == "" {
		sg.PhonePlus = sg.Plus
	}
}

// after returns a pattern that puts a word after the number, unless the word is a
// pattern already.
func after(w string) string {
	if w == "" || strings.Contains(w, "{n}") {
		return w
	}
	return "{n} " + w
}

// Name returns the word for a sign in an address or a formula, "" for none.
func (sg *Signs) Name(r rune) string {
	w := sg
	switch r {
	case '@':
		return w.At
	case '.':
		return w.Dot
	case '/':
		return w.slash
	case '\\':
		return w.backslash
	case '-', '‑':
		return w.hyphen
	case '_':
		return w.underscore
	case '#':
		return w.Hash
	case '&', '＆':
		return w.And
	case '*':
		return w.star
	case ':':
		return w.colon
	case '~':
		return w.tilde
	}
	return sg.Math(r)
}

// Lead returns the word for a sign directly before a number, as in ~5, where nothing
// stands to its left; "" for none.
func (sg *Signs) Lead(r rune) string {
	if w := sg.leads[string(r)]; w != "" {
		return w
	}
	if r == '~' {
		return sg.approximately
	}
	return sg.Math(r)
}

// Math returns the word for a sign of mathematics, "" for none.
func (sg *Signs) Math(r rune) string {
	w := sg
	switch r {
	case '+', '＋':
		return w.Plus
	case '−':
		return w.Minus
	case '±':
		return w.plusMinus
	case '×', '·', '✕':
		return w.Times
	case '÷':
		return w.Divided
	case '=', '＝':
		return w.equals
	case '≠':
		return w.notEqual
	case '<':
		return w.less
	case '>':
		return w.greater
	case '≤':
		return w.lessEqual
	case '≥':
		return w.greaterEqual
	case '≈':
		return w.approximately
	case '√':
		return w.root
	case '∞':
		return w.infinity
	case '^':
		return w.power
	}
	if s, ok := sg.Listed[string(r)]; ok {
		return s
	}
	return sg.other[string(r)]
}

// Led returns the words for a number with a sign before it. The word for the sign may be
// a pattern, since postpositions stand behind: hi <5, पाँच से कम.
func (sp *Speaker) Led(r rune, w string) string {
	lead := sp.Signs.Lead(r)
	if strings.Contains(lead, "{n}") {
		return Fill1(lead, "{n}", w)
	}
	return sp.Join(lead, w)
}

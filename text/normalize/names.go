package normalize

import "strings"

// names are the words for signs; "" where the language has none.
type names struct {
	minus, plus, plusMinus, times, divided, equals, notEqual, less, greater string
	lessEqual, greaterEqual, approximately, root, power, infinity           string
	squared, cubed                                                          string // patterns with {n}
	at, dot, slash, backslash, hyphen, underscore, hash, and, star          string
	colon, tilde                                                            string
	number, version, versionPoint, phonePlus                                string
	by                                                                      string // x between dimensions
}

// compileNames looks up the words for signs.
func (n *Normalizer) compileNames() {
	name := func(key, symbol string) string {
		if rows := n.lex.Rows(key); len(rows) > 0 {
			return rows[0].Value(0)
		}
		return n.loc.Symbols[symbol]
	}
	n.names = names{
		minus: name("minus", "−"), plus: name("plus", "+"), plusMinus: name("plus-minus", "±"), times: name("times", "×"),
		divided: name("divided", "÷"), equals: name("equals", "="), notEqual: name("not-equal", "≠"), less: name("less", "<"),
		greater: name("greater", ">"), lessEqual: name("less-equal", "≤"), greaterEqual: name("greater-equal", "≥"),
		approximately: name("approximately", "≈"), root: name("root", "√"), power: name("power", ""),
		infinity: name("infinity", "∞"), squared: after(name("squared", "")), cubed: after(name("cubed", "")),
		at: name("at", "@"), dot: name("dot", "."), slash: name("slash", "/"), backslash: name("backslash", "\\"),
		hyphen: name("hyphen", "-"), underscore: name("underscore", "_"), hash: name("hash", "#"), and: name("and", "&"),
		star: name("star", "*"), colon: name("colon", ":"), tilde: name("tilde", "~"),
		number: name("number-sign", "№"), version: n.lex.Word("version"), versionPoint: n.lex.Word("version.point"), phonePlus: n.lex.Word("phone.plus"),
	}
	if n.names.minus == "" {
		n.names.minus = n.loc.Symbols["-"]
	}
	if n.names.by = n.lex.Word("by"); n.names.by == "" {
		n.names.by = n.names.times
	}
	if n.names.phonePlus == "" {
		n.names.phonePlus = n.names.plus
	}
}

// after makes a word a pattern in which it stands after the number.
func after(w string) string {
	if w == "" || strings.Contains(w, "{n}") {
		return w
	}
	return "{n} " + w
}

// signName returns the word for a sign in an address or a formula, "" for none.
func (n *Normalizer) signName(r rune) string {
	w := &n.names
	switch r {
	case '@':
		return w.at
	case '.':
		return w.dot
	case '/':
		return w.slash
	case '\\':
		return w.backslash
	case '-', '‑':
		return w.hyphen
	case '_':
		return w.underscore
	case '#':
		return w.hash
	case '&', '＆':
		return w.and
	case '*':
		return w.star
	case ':':
		return w.colon
	case '~':
		return w.tilde
	}
	return n.mathName(r)
}

// leadName returns the word for a sign before a number that has no left side.
func (n *Normalizer) leadName(r rune) string {
	if w := n.tables.leads[string(r)]; w != "" {
		return w
	}
	if r == '~' {
		return n.names.approximately
	}
	return n.mathName(r)
}

// mathName returns the word for a sign of mathematics, "" for none.
func (n *Normalizer) mathName(r rune) string {
	w := &n.names
	switch r {
	case '+', '＋':
		return w.plus
	case '−':
		return w.minus
	case '±':
		return w.plusMinus
	case '×', '·', '✕':
		return w.times
	case '÷':
		return w.divided
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
	if s, ok := n.tables.signs[string(r)]; ok {
		return s
	}
	return n.loc.Symbols[string(r)]
}

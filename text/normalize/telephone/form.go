package telephone

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// phoneForm is a form of the telephone numbers in the countries of a language: how they
// begin and how many digits they have.
type phoneForm struct {
	begins string
	total  int
	uneven bool // groups of three digits are no such number, but a large one, and many short ones are a list
}

// compile reads the forms of telephone numbers, and the digits that have another word in
// them.
func (tr *Recognizer) compile() {
	lex := tr.say.Lexicon
	for _, r := range lex.Rows("phone.form") {
		for _, begins := range r.List(0) {
			tr.forms = append(tr.forms, phoneForm{begins, scan.Atoi(r.Value(1)), r.Value(2) == "uneven"})
		}
	}
	tr.digit = lex.ByFirst("phone.digit")
	for _, w := range lex.List("phone.word") {
		if after, ok := strings.CutPrefix(w, "… "); ok {
			tr.after.Add(after, true)
		}
	}
	tr.extension = lex.Set("phone.extension")
	tr.compileNot()
}

// compileNot reads the words after a short number that show that it counts something and
// is no telephone number. Currencies are such words.
func (tr *Recognizer) compileNot() {
	lex := tr.say.Lexicon
	tr.not = map[string]bool{}
	for _, w := range lex.List("phone.not") {
		if ending, ok := strings.CutPrefix(w, "-"); ok {
			tr.notEnding = append(tr.notEnding, ending)
		} else {
			tr.not[w] = true
		}
	}
	for _, r := range lex.Rows("money") {
		for _, w := range speak.Forms(r.Value(1)) {
			tr.not[w] = true
		}
	}
}

// formed reports whether a number has one of the forms of the language and counts nothing.
func (tr *Recognizer) formed(in *scan.View, d dial) bool {
	if len(d.groups) > 1 && tr.quantities.Counted(in, in.Skip(d.end)) {
		return false
	}
	for _, f := range tr.forms {
		// The forms are national: a number with a country code or brackets is told by
		// these.
		if d.total != f.total || d.plus || d.bracket || !strings.HasPrefix(strings.Join(d.groups, ""), f.begins) {
			continue
		}
		if f.uneven && (threes(d.groups) || len(d.groups) > 4 || len(d.groups[0]) < 2) {
			continue
		}
		// A short number needs groups, and a hyphen between two of them might be a range.
		if f.total >= 10 || len(d.groups) > 1 && (len(f.begins) > 2 || !strings.ContainsAny(d.seps, "-.") || len(d.groups) > 2 && !strings.Contains(d.seps, ".")) {
			return true
		}
	}
	return false
}

// threes reports whether all groups have three digits, but for the first.
func threes(groups []string) bool {
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return false
		}
	}
	return true
}

// beginsForm reports whether digits begin as one of the forms does.
func (tr *Recognizer) beginsForm(group string) bool {
	for _, f := range tr.forms {
		if strings.HasPrefix(group, f.begins) {
			return true
		}
	}
	return false
}

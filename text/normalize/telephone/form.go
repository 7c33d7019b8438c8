package telephone

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// phoneForm is a form of telephone numbers that a language's countries have: how
// they begin and how many digits they have.
type phoneForm struct {
	begins string
	total  int
}

// compile reads the forms of telephone numbers and the digits that are said otherwise
// in them.
func (tr *Recognizer) compile() {
	lex := tr.say.Lexicon
	for _, r := range lex.Rows("phone.form") {
		for _, begins := range r.List(0) {
			tr.forms = append(tr.forms, phoneForm{begins, scan.Atoi(r.Value(1))})
		}
	}
	tr.digit = lex.ByFirst("phone.digit")
	for _, w := range lex.List("phone.word") {
		if after, ok := strings.CutPrefix(w, "… "); ok {
			tr.after.Add(after, true)
		}
	}
	tr.compileNot()
}

// compileNot reads the words for what a short number counts, so that it is no
// telephone number. Currencies are such words.
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

// formed says that a number has one of the forms of the language's countries.
func (tr *Recognizer) formed(d dial) bool {
	for _, f := range tr.forms {
		if d.total != f.total || d.plus || d.bracket || !strings.HasPrefix(strings.Join(d.groups, ""), f.begins) {
			continue
		}
		// Short ones have groups, and with hyphens they might be ranges.
		if f.total >= 10 || len(d.groups) > 1 && (len(f.begins) > 2 || !strings.ContainsAny(d.seps, "-.")) {
			return true
		}
	}
	return false
}

// beginsForm says that digits begin as one of those forms does.
func (tr *Recognizer) beginsForm(group string) bool {
	for _, f := range tr.forms {
		if strings.HasPrefix(group, f.begins) {
			return true
		}
	}
	return false
}

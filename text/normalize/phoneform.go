package normalize

import "strings"

// phoneForm is a form of telephone numbers that a language's countries have: how
// they begin and how many digits they have.
type phoneForm struct {
	begins string
	total  int
}

// compilePhones reads the forms of telephone numbers and the digits that are
// said otherwise in them.
func (n *Normalizer) compilePhones() {
	t := &n.tables
	for _, r := range n.lex.Rows("phone.form") {
		for _, begins := range r.List(0) {
			t.phoneForms = append(t.phoneForms, phoneForm{begins, atoi(r.Value(1))})
		}
	}
	t.phoneDigit = n.byFirst("phone.digit")
	for _, w := range n.lex.List("phone.word") {
		if after, ok := strings.CutPrefix(w, "… "); ok {
			t.phoneAfter.add(after, true)
			continue
		}
		t.phone.add(w, true)
		t.start(w)
	}
	n.told("pin.word", &t.pin)
	n.compilePhoneNot()
}

// compilePhoneNot reads the words for what a short number counts, so that it is no
// telephone number. Currencies are such words.
func (n *Normalizer) compilePhoneNot() {
	t := &n.tables
	t.phoneNot = map[string]bool{}
	for _, w := range n.lex.List("phone.not") {
		if ending, ok := strings.CutPrefix(w, "-"); ok {
			t.phoneNotEnding = append(t.phoneNotEnding, ending)
		} else {
			t.phoneNot[w] = true
		}
	}
	for _, r := range n.lex.Rows("money") {
		for _, w := range forms(r.Value(1)) {
			t.phoneNot[w] = true
		}
	}
}

// formed says that a number has one of the forms of the language's countries.
func (c *cursor) formed(d dial) bool {
	for _, f := range c.tables.phoneForms {
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
func (c *cursor) beginsForm(group string) bool {
	for _, f := range c.tables.phoneForms {
		if strings.HasPrefix(group, f.begins) {
			return true
		}
	}
	return false
}

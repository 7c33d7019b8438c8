package normalize

import (
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
	"vaak/text/normalize/scan"
)

// tail is how many bytes at the end of the run before are searched for words that announce
// a code.
const tail = 64

// RunIn is [Run] for a run in the middle of a text. Where the run before ends with a word
// such as OTP, the digits after it are read as a code: "आपका OTP 482913 है". What follows
// tells whether a full stop at the end of the run ends a sentence: "वह Ph.D. कर रहा है".
func RunIn(around Around, s string, code lang.Code, request lang.Tag) (string, text.Map) {
	n := For(tagIn(code, request))
	kind := scan.NoteKind(0)
	if around.Of != "" && around.Of != code {
		kind = For(tagIn(around.Of, request)).leads(around.Run)
	}
	out, back, _ := n.text(s, kind, around.near(), around.host(n, request))
	return out, back
}

// leads returns the kind of number that the end of a text announces; 0 for none.
func (n *Normalizer) leads(s string) scan.NoteKind {
	if len(s) > tail {
		s = s[len(s)-tail:]
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	in := scan.NewView(s, scan.Scan(s, nil), &n.endings)
	for i := range in.Len() {
		if in.Kind(i) == scan.Word && in.Opens(i) {
			in.Context = in.Context.With(n.expected.code(&in, i))
		}
	}
	last := in.Len() - 1
	switch {
	case in.Expectation != 0 && in.Expected > last:
		return in.Expectation
	case n.pairs.Presses(&in, in.Back(last)):
		return scan.ExpectPressure // BP 120/80
	case in.Kind(last) == scan.Space && in.Capitalized(last-1) && !in.Token(last-1).Upper && scan.RuneLen(in.Text(last-1)) > 2:
		return scan.ExpectPostcode // Noida 201301
	}
	return 0
}

// carry returns the context for a text whose first number the run before announced. One
// word may stand before the number: "OTP है 482913". A number of less than four digits
// probably counts something and is not taken: "OTP 10 मिनट के लिए".
func (n *Normalizer) carry(in *scan.View, e scan.NoteKind) scan.Context {
	none := scan.Context{}
	if e == scan.ExpectPostcode {
		if k := in.Kind(1); n.say.Indian && in.Kind(0) == scan.Digits && (k == 0 || k == scan.Sign && in.EndsLine(1)) {
			if _, n := n.postcodes.Pincode(in, 0); n > 0 {
				return none.With(in.Expect(0, scan.ExpectCode, ""))
			}
		}
		return none
	}
	note := in.Expect(0, e, "")
	if e == scan.ExpectPressure {
		return none.With(note)
	}
	between := in.Kind(note.At) == scan.Word
	if between {
		note = in.Expect(note.At+1, e, "")
	}
	if in.Kind(note.At) == scan.Digits && scan.RuneLen(in.Text(note.At)) < 4 || between && in.Kind(note.At) != scan.Digits {
		return none
	}
	return none.With(note)
}

package quantity

import (
	"maps"
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// scale is a word for a power of ten after a number. The number decides its form, and it
// decides the gender of the number.
type scale struct {
	forms  map[cldr.Category]string
	gender string
}

// after takes a word such as million after the numbers into an amount.
func (sc *scales) after(in *scan.View, q *amount) {
	j := in.Skip(q.end)
	w, n := sc.at(in, j, q.money != "")
	if n == 0 {
		sc.inflected(in, q, j)
		return
	}
	if n == 1 && sc.shift(in.Text(j), w, q) {
		q.end, q.shifted = j+n, true
		return
	}
	q.scale, q.of, q.end = speak.Pick(w.forms, sc.amounts.category(*q)), w.gender, j+n
	// A form with a hyphen has an ending that fits the sound of the word before it, so it
	// is joined when all words are known.
	if base, ending, ok := strings.Cut(q.scale, "-"); ok && sc.say.Endings.Inflects(ending) {
		q.scale, q.joined = base, ending
		return
	}
	// Two scales may follow each other: lakh crore.
	j = in.Skip(q.end)
	if w, n := sc.at(in, j, false); n > 0 && scan.RuneLen(w.forms[cldr.Other]) > 1 {
		q.scale, q.end = sc.say.Join(q.scale, w.forms[cldr.Other]), j+n
	}
	for q.money != "" && q.ending == "" && sc.further(in, q) {
	}
}

// further takes a further part of an amount whose currency is written before it, and spoken
// last: ne रु. ५ लाख ५० हजार. It reports whether there was one.
func (sc *scales) further(in *scan.View, q *amount) bool {
	j := in.Skip(q.end)
	x, ok := sc.money.numbers.at(in, j)
	if !ok || j == q.end || q.a.Frac != "" || x.Frac != "" || x.Below != "" || len(x.Whole) > 2 {
		return false
	}
	part := amount{money: q.money, a: x, end: x.End}
	j = in.Skip(x.End)
	if w, n := sc.at(in, j, false); n > 0 && scan.RuneLen(w.forms[cldr.Other]) > 1 {
		part.scale, part.end = w.forms[cldr.Other], j+n
	} else {
		sc.inflected(in, &part, j)
	}
	w, ok := sc.say.Number(x, sc.say.Cardinal)
	if part.scale == "" || !ok {
		return false
	}
	q.scale, q.ending, q.end = sc.say.Join(q.scale, w, part.scale), part.ending, part.end
	return true
}

// shift multiplies the numbers of an amount by the thousand or million of a letter, so
// that both are said as one number: 10k is zehntausend, 15k is 一万五千. Where a language
// does not count in ten thousands, it does so only for whole thousands: 1.5k stays one
// point five thousand. It reports whether it did.
func (sc *scales) shift(letter string, w scale, q *amount) bool {
	zeros := 0
	switch letter {
	case "k", "K", "к", "К":
		zeros = 3
	case "M":
		zeros = 6
	}
	whole := zeros == 3 && q.a.Frac == "" && q.b.Frac == "" && q.a.Whole != "0" && sc.money.small(w.forms[cldr.Other])
	if zeros == 0 || !sc.myriad && !whole || len(q.a.Whole) > 6 || len(q.a.Frac) > zeros || len(q.b.Frac) > zeros || q.a.Below != "" || q.b.Below != "" {
		return false
	}
	for _, x := range [...]*scan.Number{&q.a, &q.b} {
		if x.Whole == "" {
			continue
		}
		x.Whole = strings.TrimLeft(x.Whole+x.Frac+strings.Repeat("0", zeros-len(x.Frac)), "0")
		if x.Frac, x.Groups = "", true; x.Whole == "" {
			x.Whole = "0"
		}
	}
	return true
}

// Split reads a number whose scale stands in the place of the point: Vietnamese 5tr5, five
// million and a half, 1tr250.
func (qr *Recognizer) Split(in *scan.View, i int) scan.Outcome {
	sc := qr.scales
	if name := sc.measured[in.Text(i+1)]; name != "" && in.Kind(i+2) == scan.Digits && in.Opens(i) && in.Closes(i+3) && in.Text(i+2) != "2" && in.Text(i+2) != "3" {
		x, ok := sc.say.Int(scan.Atoi(scan.Arabic(in.Text(i))), "")
		y, ok2 := sc.say.Int(scan.Atoi(scan.Arabic(in.Text(i+2))), "")
		if b := in.Text(i + 2); b == "5" && sc.half != "" {
			y = sc.half
		} else if len(b) > 2 || b[0] == '0' {
			ok = false
		}
		if ok && ok2 && len(in.Text(i)) <= 3 {
			return scan.Said(sc.say.Join(x, name, y), 3)
		}
	}
	if in.Kind(i+1) != scan.Word || in.Kind(i+2) != scan.Digits || !sc.split[in.Text(i+1)] || !in.Opens(i) || !in.Closes(i+3) {
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if len(a) > 3 || len(b) > 3 || len(b) > 1 && b[0] == '0' {
		return scan.Outcome{}
	}
	w, _ := sc.words.Token(in.Text(i + 1))
	x, ok := sc.say.Int(scan.Atoi(a), "")
	y, ok2 := sc.say.Int(scan.Atoi(b), "")
	if b == "5" && sc.half != "" {
		y = sc.half
	}
	if !ok || !ok2 || w.forms == nil {
		return scan.Outcome{}
	}
	said := sc.say.Join(x, w.forms[cldr.Other], y)
	// What it is the price of: 2tr5/tháng, 3k5/kWh.
	said, end := qr.Rates.perWhat(in, said, i+3)
	return scan.Said(said, end-i)
}

// inflected takes a scale with a case ending, after an amount whose currency is written
// before it. The currency is spoken last, so it takes the ending (bn "₹৫ কোটির": কোটি
// টাকার).
func (sc *scales) inflected(in *scan.View, q *amount, j int) {
	if q.money == "" || in.Kind(j) != scan.Word || !in.Closes(j+1) {
		return
	}
	for _, ending := range sc.endings {
		stem, ok := strings.CutSuffix(in.Text(j), ending)
		if !ok {
			continue
		}
		if w, ok := sc.words.Token(stem); ok {
			q.scale, q.ending, q.end = speak.Pick(w.forms, sc.amounts.category(*q)), ending, j+1
			return
		}
	}
}

// at returns the scale at j and how many tokens it takes. Without money, a single letter
// is a scale only directly after its number, and only if the language uses it so.
func (sc *scales) at(in *scan.View, j int, money bool) (scale, int) {
	w, n := sc.words.Match(in, j)
	if t := in.Kind(j) == scan.Word && n == 0 && len(in.Text(j)) > 1 && len(in.Text(j)) < mostSymbol && cased(in.Text(j)); t && (money || len(in.Text(j)) > 3) {
		// Capitals where the list has small letters: 5 Lakhs, $3 MN.
		if v, ok := sc.words.Token(strings.ToLower(in.Text(j))); ok {
			w, n = v, 1
		}
	}
	if n == 0 || !in.Closes(j+n) && !in.Token(j).Dense {
		return scale{}, 0
	}
	if n == 1 && in.Kind(j-1) == scan.Digits && sc.seats[in.Text(in.Back(j-2))] && scan.RuneLen(in.Text(j)) == 1 {
		return scale{}, 0 // место 32К
	}
	if n == 1 && in.Is(j+1, '.') && in.Kind(j+2) == scan.Word && scan.RuneLen(in.Text(j)) == 1 && scan.RuneLen(in.Text(j+2)) == 1 {
		return scale{}, 0 // M.N. is another abbreviation
	}
	if t := in.Token(j); n == 1 && !t.Dense && scan.RuneLen(in.Text(j)) == 1 && !money && (in.Kind(j-1) == scan.Space && !in.Is(j-3, ',') && !in.Is(j-3, '.') || !sc.letters[in.Text(j)]) {
		if _, m := sc.money.signs.Match(in, in.Skip(j+1)); m == 0 {
			return scale{}, 0
		}
	}
	return w, n
}

// scales knows the words for powers of ten.
type scales struct {
	seats   map[string]bool // words before the number of a seat
	say     *speak.Speaker
	amounts *amounts
	money   *money
	words   scan.Phrases[scale]
	split   map[string]bool // scales that may stand in the place of the point
	// measured are units that may stand there, and their words.
	measured map[string]string
	half     string          // half of such a scale
	myriad   bool            // the language counts in ten thousands
	letters  map[string]bool // single letters that are scales directly after a number
	endings  []string        // case endings of a scale that the currency takes
}

// compile reads the words for powers of ten.
func (sc *scales) compile() {
	sc.seats = sc.say.Lexicon.Set("seat.word")
	for _, r := range sc.say.Lexicon.Rows("scale") {
		for _, w := range r.List(0) {
			v := r.Value(1)
			if v == "" {
				v = w
			}
			sc.words.Add(w, scale{speak.Forms(v), r.Value(2)})
		}
	}
	if sc.letters = sc.say.Lexicon.Set("scale.letter"); len(sc.letters) == 0 {
		sc.letters = map[string]bool{"k": true, "M": true}
	}
	sc.measured = maps.Collect(sc.say.Lexicon.Pairs("unit.split"))
	sc.split, sc.half = sc.say.Lexicon.Set("scale.split"), sc.say.Lexicon.Word("scale.half")
	switch sc.say.Code {
	case "zh", "yue", "ja", "ko":
		sc.myriad = true
	}
	sc.endings = sc.say.Lexicon.List("scale.ending")
}

// Package plate reads the plates of vehicles, in the forms of many countries.
package plate

import (
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
	india "vaak/text/plate"
)

// Recognizer reads plates as one language says them. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	quantities *quantity.Recognizer
	hyphen     string          // the word between the numbers of a plate, "" for none
	words      map[string]bool // words before a plate
	letters    map[string]bool // letters between the numbers of a plate, or before them
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker, quantities *quantity.Recognizer) *Recognizer {
	return &Recognizer{say: say, quantities: quantities, hyphen: say.Lexicon.Word("address.hyphen"), words: say.Lexicon.Set("plate.word"), letters: say.Lexicon.Set("plate.letter")}
}

// Plate reads a plate of any form.
func (pl *Recognizer) Plate(in *scan.View, i int) (string, int) {
	for _, read := range [...]func(*scan.View, int) (string, int){pl.India, pl.announced, pl.lettered, pl.eastern} {
		if w, n := read(in, i); n > 0 {
			return w, n
		}
	}
	return "", 0
}

// India reads the plate of a vehicle in India: KA 05 MJ 4172, DL-8C-AB-1234.
func (pl *Recognizer) India(in *scan.View, i int) (string, int) {
	if in.Kind(i) != scan.Word || len(in.Text(i)) != 2 {
		return "", 0
	}
	n := india.India(in.Span(i, min(i+scan.Lookahead, in.Len())))
	if n == 0 {
		return "", 0
	}
	var parts []string
	end, j := in.Token(i).Start+n, i
	for ; j < in.Len() && in.Token(j).End <= end; j++ {
		in.Step()
		switch in.Kind(j) {
		case scan.Word:
			parts = append(parts, pl.say.Letters(in.Text(j)))
		case scan.Digits:
			w, ok := pl.district(scan.Arabic(in.Text(j)))
			if !ok {
				return "", 0
			}
			parts = append(parts, w)
		}
	}
	if !in.Closes(j) {
		return "", 0
	}
	return pl.say.Join(parts...), j - i
}

// announced reads the plate of a vehicle after a word for it. Its groups may stand apart:
// Kennzeichen M AB 1234, plaque AB-123-CD.
func (pl *Recognizer) announced(in *scan.View, i int) (string, int) {
	before := in.Back(i - 1)
	for in.Is(before, ':') || in.Is(before, '.') || in.Is(before, '№') {
		before = in.Back(before - 1)
	}
	if before == i-1 || !pl.words[in.Text(before)] {
		return "", 0
	}
	var parts []string
	numbers, letters, j, end := 0, 0, i, i
	for numbers+letters < 5 {
		in.Step()
		t := in.Text(j)
		switch k := in.Kind(j); {
		case k == scan.Word && in.Token(j).Upper && scan.RuneLen(t) <= 3:
			parts = append(parts, pl.say.Letters(t))
			letters++
		case k == scan.Digits && scan.RuneLen(t) <= 5 && !(in.Kind(j-1) == scan.Space && in.Kind(j-2) == scan.Digits):
			d := scan.Arabic(t)
			w, ok := pl.say.Digits(d)
			if len(d) <= 2 && d[0] != '0' {
				w, ok = pl.say.Int(scan.Atoi(d), "")
			}
			if !ok {
				return "", 0
			}
			parts = append(parts, w)
			numbers++
		default:
			return pl.end(in, parts, i, end, numbers, letters)
		}
		j++
		end = j
		if in.Is(j, '-') || in.Is(j, '·') || in.Skip(j) > j {
			j++
		}
	}
	return pl.end(in, parts, i, end, numbers, letters)
}

// end returns the words of a plate from i to end if it has letters and a number.
func (pl *Recognizer) end(in *scan.View, parts []string, i, end, numbers, letters int) (string, int) {
	if numbers == 0 || letters == 0 || !in.Closes(end) {
		return "", 0
	}
	return pl.say.Join(parts...), end - i
}

// lettered reads the numbers of a vehicle plate around or behind a letter of the language: बा
// २ च ४५६७, মেট্রো-গ ১২-৩৪৫৬. The last is said digit by digit.
func (pl *Recognizer) lettered(in *scan.View, i int) (string, int) {
	if len(pl.letters) == 0 || in.Kind(i) != scan.Digits || scan.RuneLen(in.Text(i)) > 2 {
		return "", 0
	}
	letter, j := "", i+2
	switch before := in.Back(i - 1); {
	case in.Kind(before) != scan.Word:
		return "", 0
	case pl.letters[in.Text(before)] && in.Is(i+1, '-'):
	case in.Kind(i+1) == scan.Space && pl.letters[in.Text(i+2)] && in.Kind(i+3) == scan.Space:
		letter, j = in.Text(i+2), i+4
	default:
		return "", 0
	}
	if in.Kind(j) != scan.Digits || scan.RuneLen(in.Text(j)) != 4 || !in.Closes(j+1) {
		return "", 0
	}
	a, ok := pl.district(scan.Arabic(in.Text(i)))
	b, ok2 := pl.say.Digits(scan.Arabic(in.Text(j)))
	if !ok || !ok2 {
		return "", 0
	}
	if letter != "" {
		a = pl.say.Join(a, letter)
	}
	return pl.say.Join(a, b), j + 1 - i
}

// district says a number on a plate: that of a district as a number, 32, and one of four
// digits or with a nought digit by digit.
func (pl *Recognizer) district(d string) (string, bool) {
	if len(d) < 3 && d[0] != '0' {
		return pl.say.Int(scan.Atoi(d), "")
	}
	return pl.say.Digits(d)
}

// Package code reads codes digit by digit and letter by letter: serial numbers, names
// of models, numbers of cards and accounts.
package code

import (
	_ "embed"
	"strings"

	"vaak/text/normalize/abbreviation"
	"vaak/text/normalize/plate"
	"vaak/text/normalize/postcode"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads codes as one language says them. It is safe for concurrent use.
type Recognizer struct {
	say           *speak.Speaker
	quantities    *quantity.Recognizer
	abbreviations *abbreviation.Recognizer
	plates        *plate.Recognizer
	postcodes     *postcode.Recognizer
	hyphen        string             // the word between the numbers of an address, "" for none
	after         scan.Phrases[bool] // words after a number that make a code of it
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker, quantities *quantity.Recognizer, abbreviations *abbreviation.Recognizer, plates *plate.Recognizer, postcodes *postcode.Recognizer) *Recognizer {
	co := &Recognizer{say: say, quantities: quantities, abbreviations: abbreviations, plates: plates, postcodes: postcodes, hyphen: say.Lexicon.Word("address.hyphen")}
	for _, w := range say.Lexicon.List("code.after") {
		co.after.Add(w, true)
	}
	return co
}

// Serial reads a code after a word that announces one, digit by digit and letter by
// letter. Hyphens, spaces and the marks of tax numbers may stand between digits.
func (co *Recognizer) Serial(in *scan.View, i int) (string, int) {
	if w, n := co.masked(in, i); n > 0 {
		return w, n
	}
	return co.serial(in, i, true)
}

// serial is Serial; spaces between digits are allowed where apart is true.
func (co *Recognizer) serial(in *scan.View, i int, apart bool) (string, int) {
	var parts []string
	j, last := i, i
	seen := false
	for j-i < scan.Lookahead {
		in.Step()
		switch k := in.Kind(j); {
		// 64 bytes bound one group, 5 letters one word: longer ones are no code.
		case k == scan.Digits && in.Token(j).End-in.Token(j).Start <= 64:
			w, ok := co.say.Digits(scan.Arabic(in.Text(j)))
			if !ok {
				return "", 0
			}
			parts, seen = append(parts, w), true
		case k == scan.Word && in.Token(j).Upper && scan.RuneLen(in.Text(j)) <= 5:
			parts = append(parts, co.say.Letters(in.Text(j)))
		default:
			return co.serialEnd(in, parts, i, last, seen)
		}
		j++
		last = j
		// A hyphen, a space or the mark of a tax number before more digits is skipped.
		if (in.Is(j, '-') || (apart || in.Kind(j-1) == scan.Word || scan.RuneLen(in.Text(j-1)) == 4 && scan.RuneLen(in.Text(j+1)) == 4) && in.Kind(j) == scan.Space && in.Skip(j) > j && !co.quantities.Counted(in, in.Skip(j+2))) && in.Kind(j+1) == scan.Digits || pointed(in, j) {
			j++
		} else if in.Is(j, '-') && in.Kind(j-1) == scan.Digits && in.Kind(j+1) == scan.Word && in.Token(j+1).Upper && !in.Token(j+1).Dense && scan.RuneLen(in.Text(j+1)) <= 3 && in.Closes(j+2) {
			j++ // the last letters of a plate: AB-123-C
		}
	}
	return co.serialEnd(in, parts, i, last, seen)
}

// pointed reports whether a mark at j separates the digits of a tax number, as in pt
// 123.456.789-09 and 12.345.678/0001-95.
func pointed(in *scan.View, j int) bool {
	if in.Kind(j-1) != scan.Digits || in.Kind(j+1) != scan.Digits {
		return false
	}
	n := scan.RuneLen(in.Text(j + 1))
	return in.Is(j, '.') && n == 3 || in.Is(j, '/') && n == 4 && in.Is(j-2, '.')
}

func (co *Recognizer) serialEnd(in *scan.View, parts []string, i, end int, seen bool) (string, int) {
	if !seen || !in.Closes(end) {
		return "", 0
	}
	return co.say.Join(parts...), end - i
}

// Hyphenated reads three or more groups of digits with hyphens between them, digit by
// digit. The recognizers of dates and telephone numbers have been tried before.
func (co *Recognizer) Hyphenated(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || !in.Is(i+1, '-') || in.Kind(i+2) != scan.Digits || !in.Is(i+3, '-') || in.Kind(i+4) != scan.Digits || in.Is(i-1, '-') {
		return scan.Outcome{}
	}
	if co.hyphen != "" {
		if w, n := co.blocks(in, i); n > 0 {
			return scan.Said(w, n)
		}
	}
	return scan.Said(co.Serial(in, i))
}

// blocks reads small numbers with hyphens between them as those of an address, 1-9-1,
// where the language has a word for the hyphen.
func (co *Recognizer) blocks(in *scan.View, i int) (string, int) {
	var parts []string
	j := i
	for len(parts) < 6 {
		d := scan.Arabic(in.Text(j))
		if in.Kind(j) != scan.Digits || len(d) > 3 || d[0] == '0' {
			return "", 0
		}
		w, ok := co.say.Int(scan.Atoi(d), "")
		if !ok {
			return "", 0
		}
		parts = append(parts, w)
		if j++; !in.Is(j, '-') {
			break
		}
		j++
	}
	if !in.Closes(j) || in.Is(j, '-') {
		return "", 0
	}
	if co.say.Spaced {
		return strings.Join(parts, " "+co.hyphen+" "), j - i
	}
	return strings.Join(parts, co.hyphen), j - i
}

// Code reads letters and digits without a space between them: A1B2, MP3, 5G, B2B. A
// number of one or two digits is said as a number, a longer one digit by digit.
func (co *Recognizer) Code(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || in.Kind(i) == scan.Digits && in.Kind(i+1) != scan.Word || in.Kind(i) == scan.Word && in.Kind(i+1) != scan.Digits {
		return scan.Outcome{}
	}
	// 5km and 3M are amounts, which are read later.
	if in.Kind(i) == scan.Digits && co.quantities.Counted(in, i+1) {
		return scan.Outcome{}
	}
	j, letters, figures := i, 0, 0
	for j-i < scan.Lookahead && (in.Kind(j) == scan.Digits || in.Kind(j) == scan.Word && !in.Token(j).Dense) {
		in.Step()
		t := in.Token(j)
		if t.Kind == scan.Word && (!t.Upper || t.R >= 0x530 || t.End-t.Start > 10) {
			return scan.Outcome{}
		}
		if t.Kind == scan.Word {
			letters++
		} else {
			figures++
		}
		j++
	}
	// At the bound, the end of the code was not seen.
	if letters == 0 || figures == 0 || j-i == scan.Lookahead {
		return scan.Outcome{}
	}
	w, n := co.spellCode(in, i, j, j-i > 3)
	// The number of a flight: 6E-2043.
	if d := scan.Arabic(in.Text(j + 1)); n == 2 && in.Is(j, '-') && in.Kind(j+1) == scan.Digits && len(d) > 2 && len(d) < 6 && in.Closes(j+2) {
		if v, ok := co.say.Digits(d); ok {
			return scan.Said(co.say.Join(w, v), n+2)
		}
	}
	if airlines[in.Span(i, j)] && in.Kind(j) == scan.Space && in.Kind(j+1) == scan.Digits && len(in.Text(j+1)) > 2 && len(in.Text(j+1)) < 5 && in.Closes(j+2) && !co.quantities.Counted(in, in.Skip(j+2)) {
		if v, ok := co.say.Digits(scan.Arabic(in.Text(j + 1))); ok {
			return scan.Said(co.say.Join(w, v), n+2) // W6 2202
		}
	}
	// A version or a size behind letters: USB3.0, PM2.5.
	if in.Is(j, '.') && n == 2 && in.Kind(j+1) == scan.Digits && len(in.Text(j+1)) <= 2 && in.Kind(i) == scan.Word && in.Closes(j+2) && !(in.Is(j+2, '.') && in.Kind(j+3) == scan.Digits) {
		if v, ok := co.say.Digits(scan.Arabic(in.Text(j + 1))); ok && co.say.Point != "" {
			return scan.Said(co.say.Join(w, co.say.Point, v), n+2)
		}
	}
	return scan.Said(w, n)
}

//go:embed airlines.tsv
var airlinesTSV string

// airlines are the codes with a digit of airlines, before the number of a flight.
var airlines = readAirlines(airlinesTSV)

func readAirlines(tsv string) map[string]bool {
	m := map[string]bool{}
	for line := range strings.Lines(tsv) {
		if code, _, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			m[code] = true
		}
	}
	return m
}

// spellCode says the tokens of a code from i to j. In a long code every number is said
// digit by digit.
func (co *Recognizer) spellCode(in *scan.View, i, j int, long bool) (string, int) {
	var room [scan.Lookahead]string
	parts := room[:0]
	for k := i; k < j; k++ {
		t := in.Text(k)
		if in.Kind(k) == scan.Word {
			if co.abbreviations.IsWord(t) {
				parts = append(parts, t)
			} else {
				parts = append(parts, co.say.Letters(t))
			}
			continue
		}
		d := scan.Arabic(t)
		w, ok := "", false
		// MP3 has a number, A1B22C3 has digits.
		if len(d) > 2 || d[0] == '0' || long && len(d) > 1 {
			w, ok = co.say.Digits(d)
		} else {
			w, ok = co.say.Int(scan.Atoi(d), "")
		}
		if !ok {
			return "", 0
		}
		parts = append(parts, w)
	}
	return co.say.Join(parts...), j - i
}

package normalize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text/normalize/cldr"
	"vaak/text/normalize/locale"
	"vaak/text/normalize/scan"
	"vaak/text/stop"
)

// compileStops returns what a language tells about its full stops.
func compileStops(lex *locale.Lexicon, loc *cldr.Locale) *stop.Usage {
	u := &stop.Usage{Ordinals: lex.Word("ordinal.dot") == "yes"}
	for _, r := range lex.Rows("stop.style") {
		switch r[0] {
		case "nouns":
			u.Nouns = true
		case "verb-first":
			u.VerbFirst = true
		case "attributive":
			u.Attributive = true
		}
	}
	first := scan.FirstRune(loc.Months[0])
	u.Caseless = unicode.IsLetter(first) && !unicode.IsUpper(first) && !unicode.IsLower(first)
	for _, r := range lex.Rows("stop.kind") {
		u.Abbreviations(r[0], r.List(1)...)
		if r[0] == "month" || r[0] == "day" {
			u.Calendar(r.List(1)...)
		}
	}
	u.Short("month", shortened(loc.MonthsShort[:], loc.Months[:])...)
	u.Short("day", shortened(loc.DaysShort[:], loc.Days[:])...)
	for _, names := range [][]string{loc.Months[:], loc.MonthsShort[:], loc.MonthsAlone[:], loc.Days[:], loc.DaysShort[:]} {
		u.Calendar(names...)
	}
	for _, r := range lex.Rows("abbr.number") {
		u.Abbreviations("count", r[0])
	}
	// An abbreviation that the lexicon only reads may stand before a name.
	for _, key := range []string{"abbr", "abbr.name", "abbr.after"} {
		for _, r := range lex.Rows(key) {
			if strings.HasSuffix(r[0], ".") {
				u.Weak(r[0])
			}
		}
	}
	for _, r := range lex.Rows("abbr.ending") {
		u.Abbreviations("weak", "-"+r[0])
	}
	u.Opens(lex.List("stop.open")...)
	u.Links(lex.List("stop.link")...)
	u.Verbs(lex.List("stop.verb")...)
	u.Cuts(lex.List("stop.cut")...)
	return u
}

// shortened returns the names that are short for others. Names of very few or of many
// letters are probably words, too.
func shortened(names, whole []string) []string {
	var list []string
	for i, n := range names {
		n = strings.TrimSuffix(n, ".")
		if letters := scan.RuneLen(n); letters >= 2 && letters <= mostShort && n != whole[i] {
			list = append(list, n)
		}
	}
	return list
}

// mostShort is how many letters the abbreviated name of a month or day has at most.
const mostShort = 5

// Around is the text around a run of one language, as far as it is known. A run is cut
// from its sentence where the language changes, and the sentence goes on.
type Around struct {
	Before, After string
	// Run is the run before, the end of Before.
	Run string
	// Of is the language of the run before, and To that of the run after; empty for none.
	Of, To lang.Code
}

// outside is how many bytes of the text around a run are looked at.
const outside = 256

// near returns what is looked at of the text around a run.
func (a Around) near() Around {
	if i := len(a.Before) - outside; i > 0 {
		for i < len(a.Before) && !utf8.RuneStart(a.Before[i]) {
			i++
		}
		a.Before = a.Before[i:]
	}
	if i := outside; i < len(a.After) {
		for i > 0 && !utf8.RuneStart(a.After[i]) {
			i--
		}
		a.After = a.After[:i]
	}
	return a
}

// host returns the usage of the language around a run.
func (a Around) host(own *Normalizer, request lang.Tag) *stop.Usage {
	for _, code := range []lang.Code{a.To, a.Of} {
		if code != "" && code != own.say.Code {
			return For(tagIn(code, request)).stops
		}
	}
	return own.stops
}

// verdict returns what the mark at token i does.
func (rd *reader) verdict(i int) stop.Verdict {
	if rd.judgedAt == i && rd.judged {
		return rd.last
	}
	if rd.whole == "" {
		rd.whole = rd.around.Before + rd.s + rd.around.After
	}
	rd.Step()
	rd.judgedAt, rd.judged = i, true
	rd.last = stop.Judge(rd.whole, len(rd.around.Before)+rd.Token(i).Start, rd.stops, rd.host)
	return rd.last
}

// mark reads the mark at token i where the words must differ from it: a full stop that ends
// no sentence is not spoken, an ellipsis inside a sentence is a short pause, and so is the
// mark of a quotation that the sentence goes on. It returns how many tokens it took, 0 for
// none.
func (rd *reader) mark(i int, r rune) int {
	n := 1
	switch r {
	case '.', '۔':
		for n < mostDots && rd.Is(i+n, r) {
			n++
		}
		if next := rd.Kind(i + n); next == scan.Word || next == scan.Digits || i == 0 && rd.around.Before == "" {
			return 0 // inside a word
		}
	case '…':
		if rd.Kind(i+1) == scan.Digits {
			return 0 // it hides digits
		}
	case '!', '?', '؟':
		// Most of these marks end a sentence, and only a quotation is to be judged.
		for n < mostDots && (rd.Is(i+n, '!') || rd.Is(i+n, '?') || rd.Is(i+n, '؟')) {
			n++
		}
		if next := rd.Kind(i + n); next != scan.Sign && !(next == scan.Space && rd.Is(i+n+1, '»')) {
			return 0
		}
	default:
		return 0
	}
	v := rd.verdict(i)
	switch {
	case v == stop.Inside && (r == '.' || r == '۔') && n == 1:
		rd.replace(i, 1, "", false)
	case v == stop.Inside && (r == '.' || r == '…' || r == '۔'):
		rd.replace(i, n, rd.pause(i, n), false)
	case v == stop.Inside:
		// The comma stands behind what closes: "Who's there", she asked.
		end := i + n
		for rd.Kind(end) == scan.Sign && end < i+n+mostClosers && stop.Closes(rd.Rune(end)) {
			if rd.Is(end, '"') {
				rd.Quoted = !rd.Quoted
			}
			end++
		}
		// French has spaces on both sides of the mark.
		from := i
		if rd.Kind(end) == scan.Space && rd.Is(end+1, '»') {
			end += 2
			if rd.Kind(i-1) == scan.Space && rd.Token(i-1).Start >= rd.done {
				from--
			}
		}
		rd.replace(from, end-from, rd.s[rd.Token(i+n-1).End:rd.Token(end-1).End]+rd.pause(i, end-i), false)
		n = end - i
	case v == stop.Ends && (r == '…' || n > 1):
		rd.replace(i, n, ".", false)
	default:
		return 0
	}
	return n
}

// mostClosers is how many marks close behind the mark of a quotation.
const mostClosers = 4

// mostDots is how many full stops of an ellipsis are read as one.
const mostDots = 8

// pause returns a comma in the script of the text, or nothing where a comma or a dash
// follows anyway.
func (rd *reader) pause(i, n int) string {
	for j := i + n; j < i+n+4; j++ {
		switch rd.Rune(j) {
		case ',', '،', ';', ':', '–', '—', '-':
			return ""
		}
		if rd.Kind(j) == scan.Word || rd.Kind(j) == scan.Digits {
			break
		}
	}
	switch rd.say.Code {
	case "ar", "fa", "ur", "sd", "ks":
		return "،"
	}
	return ","
}

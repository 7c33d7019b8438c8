package normalize

import (
	"strings"
	"unicode/utf8"

	"vaak/text"
	"vaak/text/normalize/abbreviation"
	"vaak/text/normalize/code"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/symbol"
	"vaak/text/stop"
)

// reader reads one text form by form and writes the words. Only the reader changes the
// context: a recognizer gets the view to read and returns a note.
type reader struct {
	*Normalizer
	scan.View
	s      string
	tokens []scan.Token
	out    []byte
	back   text.Builder
	done   int // bytes of s that were written
	left   int // code points that the output may still have beyond the remainder of s

	around Around
	host   *stop.Usage // of the language around the text
	whole  string      // the text with what is around it, once a mark was judged
	// The last verdict and its token: a form that ends with a full stop and the reader may
	// ask for the same one.
	judgedAt int
	judged   bool
	last     stop.Verdict
}

// walk reads the whole text.
func (rd *reader) walk() {
	for i := 0; i < len(rd.tokens); {
		rd.Step()
		if t := &rd.tokens[i]; t.Kind == scan.Sign {
			if n := rd.mark(i, t.R); n > 0 {
				i += n
				continue
			}
		}
		list := rd.candidates(i)
		if list == nil { // most tokens of prose
			i++
			continue
		}
		o := rd.read(i, list)
		if o.Tokens == 0 {
			i++
			continue
		}
		i += rd.write(i, o)
	}
	if rd.done > 0 {
		rd.keep(len(rd.s))
	}
}

// candidates returns the recognizers of a token's kind, none for a token with which no
// form begins. It is the only work for most tokens of prose.
func (rd *reader) candidates(i int) []scan.Recognizer {
	switch t := &rd.tokens[i]; t.Kind {
	case scan.Digits:
		// Most numbers stand between spaces. Recognizers of forms that need a sign or a
		// letter directly after the digits need not be asked.
		if rd.Kind(i+1) == scan.Space || i+1 == len(rd.tokens) {
			return rd.atDigitsApart
		}
		return rd.atDigits
	case scan.Sign:
		if t.R == '"' {
			rd.Quoted = !rd.Quoted
			return nil
		}
		if quiet(t.R) && !(t.R == '.' && quantity.LeadingPoint(&rd.View, i)) && code.Dotted(&rd.View, i) == 0 && !symbol.Divides(&rd.View, i) {
			return nil
		}
		return rd.atSign
	case scan.Word:
		if rd.speaks(i, t) {
			return rd.atWord
		}
	}
	return nil
}

// read tries the recognizers in their order; the first that finds a form wins.
func (rd *reader) read(i int, list []scan.Recognizer) scan.Outcome {
	for _, recognize := range list {
		rd.Step()
		o := recognize(&rd.View, i)
		// The note must be kept before the next recognizer runs, as that one may read the
		// context.
		if o.Note != nil { // also of a recognizer that found no form
			rd.Context = rd.Context.With(o.Note)
		}
		if o.Tokens > 0 {
			return o
		}
	}
	return scan.Outcome{}
}

// write writes the form at i with the endings that belong to its words, and returns how
// many tokens both take.
func (rd *reader) write(i int, o scan.Outcome) int {
	spoken, n := rd.say.Endings.WithEnding(&rd.View, i, rd.say.InOblique(&rd.View, i, o.Words), o.Tokens)
	spoken, n = rd.say.Endings.AfterUnit(&rd.View, i, spoken, n)
	if rd.Is(i+n-1, '.') && !strings.HasSuffix(spoken, ".") && rd.verdict(i+n-1) >= stop.Ends {
		spoken += "." // the full stop of an abbreviation ends the sentence, too
	}
	// Words for a number that begins a sentence have a capital, as the sentence would: the
	// engine hears no end before a small letter.
	if rd.Kind(i-1) == scan.Space && rd.Is(i-2, '.') && !rd.stops.Caseless && rd.verdict(i-2) == stop.Ends {
		spoken = abbreviation.UpperFirst(spoken)
	}
	spoken, joined := rd.say.Endings.WithoutMark(&rd.View, i+n, spoken)
	if joined {
		n++ // the mark is not spoken
	}
	rd.replace(i, n, spoken, joined || rd.Ending(i+n) || rd.AfterPrefix == i+n)
	// Marks for inches open and close no quotation, so they are not counted.
	from := i
	if o.Note != nil && o.Note.Kind == scan.NoteInches {
		from = o.Note.At
	}
	for ; from < i+n; from++ {
		if rd.Is(from, '"') {
			rd.Quoted = !rd.Quoted
		}
	}
	return n
}

// keep copies the text up to byte to.
func (rd *reader) keep(to int) {
	if to > rd.done {
		rd.out = append(rd.out, rd.s[rd.done:to]...)
		rd.back.Keep(to - rd.done)
		rd.done = to
	}
}

// replace writes the words for n tokens at i. When the output would pass its bound, it
// leaves the tokens to be copied. Joined means that the words are one word with what
// follows, so no space is put between them.
func (rd *reader) replace(i, n int, spoken string, joined bool) {
	from, to := rd.Token(i).Start, rd.Token(i+n-1).End
	written := rd.s[from:to]
	// Text that stays as it is is copied by a later keep, together with what surrounds it:
	// the map back then has one longer piece instead of three.
	if spoken == written {
		return
	}
	// Two more for the spaces that may be put around the words.
	more := utf8.RuneCountInString(spoken) + 2 - utf8.RuneCountInString(written)
	if more > rd.left {
		return
	}
	// A replacement that is shorter gives nothing back, so the bound is reached a little
	// early at times, but never late.
	rd.left -= max(more, 0)
	// Taken before keep moves done: it tells whether the output will end in text of the
	// input or in words that were written just before.
	kept := from > rd.done
	rd.keep(from)
	// Without words the form is left out, unless that would join the words around it.
	if spoken == "" && !(rd.say.Spaced && rd.touches() && to < len(rd.s) && scan.IsLetter(scan.FirstRune(rd.s[to:]))) {
		rd.drop(from, to)
		return
	}
	if spoken == "" {
		spoken = " "
	}
	if spoken[0] == ' ' && len(rd.out) > 0 && rd.out[len(rd.out)-1] == ' ' {
		spoken = spoken[1:]
	}
	// A space before the words, unless they are one word with what stands there.
	if rd.say.Spaced && rd.touches() && scan.IsLetter(scan.FirstRune(spoken)) && rd.AfterPrefix != i && !(kept && rd.joins(spoken)) {
		spoken = " " + spoken
	}
	if next := scan.FirstRune(rd.s[to:]); rd.say.Spaced && !joined && to < len(rd.s) && scan.IsParted(next) && !(rd.clings && scan.IsIndic(next)) && scan.IsLetter(scan.LastRune(spoken)) {
		spoken += " "
	}
	rd.out = append(rd.out, spoken...)
	rd.back.Replace(to-from, len(spoken))
	rd.done = to
}

// drop leaves out a silent part of the input, and the space after it when there is one
// before it, too.
func (rd *reader) drop(from, to int) {
	if to < len(rd.s) && rd.s[to] == ' ' && (len(rd.out) == 0 || rd.out[len(rd.out)-1] == ' ') {
		to++
	}
	rd.back.Drop(to - from)
	rd.done = to
}

// touches reports whether the output ends in a letter, so that a word put there would
// run into it.
func (rd *reader) touches() bool {
	return len(rd.out) > 0 && scan.IsLetter(scan.LastRune(string(rd.out[max(0, len(rd.out)-utf8.UTFMax):])))
}

// joins reports whether words put there are one word with the last letter of the output:
// both are of a script without spaces between words, as in 제3장.
func (rd *reader) joins(spoken string) bool {
	return !scan.IsParted(scan.LastRune(string(rd.out[max(0, len(rd.out)-utf8.UTFMax):]))) && !scan.IsParted(scan.FirstRune(spoken))
}

// quiet reports whether no form begins with a sign.
func quiet(r rune) bool {
	switch r {
	case ',', '.', ';', ':', '!', '?', '"', '[', ']', '{', '}', ')', '।', '॥', '“', '”', '‘', '…', '—', '،', '؟', '。', '、', '，':
		return true
	}
	return false
}

// speaks reports whether a form may begin with the word at i: the word is listed,
// written in capitals, or has a digit or a sign of an address beside it.
func (rd *reader) speaks(i int, t *scan.Token) bool {
	if t.Dense && !rd.starts.HasRune(t.R) && i != rd.Expected && rd.Kind(i+1) != scan.Digits {
		return false
	}
	w := rd.s[t.Start:t.End]
	// The raised o and a of the Romance languages, º and ª, are letters for Unicode.
	if t.R < 0x250 && strings.IndexByte(w, 0xC2) >= 0 && strings.ContainsAny(w, "ºª") {
		return true
	}
	if t.Upper || i == rd.Expected || rd.starts.HasRune(t.R) && rd.starts.Has(w) || abbreviation.IsPlural(w) || rd.ordinals.RomanStem(w) > 0 {
		return true
	}
	switch next := rd.Rune(i + 1); {
	case next == '.' && rd.abbreviations.Ended(&rd.View, i) != "":
		return true
	case rd.Kind(i+1) == scan.Digits:
		return true
	case rd.Kind(i+1) != scan.Sign:
		return false
	case next == '@' || next == '.' || next == '_':
		return rd.Kind(i+2) == scan.Word || rd.Kind(i+2) == scan.Digits
	case next == ':' || next == '-' || next == '+' || next == '/' || next == '%':
		return rd.Is(i+2, '/') || rd.Is(i+2, '\\') || rd.Kind(i+2) == scan.Word || rd.Kind(i+2) == scan.Digits
	case next == '&', next == '²', next == '³':
		return true
	}
	return false
}

package normalize

import (
	"strings"
	"unicode/utf8"

	"vaak/text"
	"vaak/text/normalize/abbreviation"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
)

// reader reads one text form by form and writes the words. It alone changes what it
// has: recognizers get its view to read.
type reader struct {
	*Normalizer
	scan.View
	s    string
	out  []byte
	back text.Builder
	done int // bytes of s that were written
	left int // code points that the output may still have beyond the rest of s
}

// walk reads the whole text.
func (rd *reader) walk() {
	for i := 0; i < rd.Len(); {
		rd.Step()
		o := rd.read(i)
		if o.Tokens == 0 {
			rd.advance(i, i+1)
			i++
			continue
		}
		spoken, n := o.Words, o.Tokens
		spoken, n = rd.say.Endings.WithEnding(&rd.View, i, spoken, n)
		if rd.Is(i+n-1, '.') && !strings.HasSuffix(spoken, ".") && rd.EndsLine(i+n) {
			spoken += "." // it ended the sentence, too
		}
		spoken, joined := rd.say.Endings.WithoutMark(&rd.View, i+n, spoken)
		if joined {
			n++ // the mark is not spoken
		}
		joined = joined || rd.Ending(i+n) || rd.AfterPrefix == i+n
		rd.replace(i, n, spoken, joined)
		if o.Note.Kind == scan.NoteInches {
			rd.advance(o.Note.At, i+n)
		} else {
			rd.advance(i, i+n)
		}
		i += n
	}
	if rd.done > 0 {
		rd.keep(len(rd.s))
	}
}

// read tries the recognizers of a token's kind in their order.
func (rd *reader) read(i int) scan.Outcome {
	var list []scan.Recognizer
	switch t := rd.Token(i); t.Kind {
	case scan.Digits:
		if list = rd.atDigits; rd.Kind(i+1) == scan.Space || i+1 == rd.Len() {
			list = rd.atDigitsApart
		}
	case scan.Sign:
		if quiet(t.R) && !(t.R == '.' && quantity.LeadingPoint(&rd.View, i)) {
			return scan.Outcome{}
		}
		list = rd.atSign
	case scan.Word:
		if !rd.speaks(i) {
			return scan.Outcome{}
		}
		list = rd.atWord
	}
	for _, recognize := range list {
		rd.Step()
		o := recognize(&rd.View, i)
		if o.Note.Kind != 0 { // also of a recognizer that found no form
			rd.Context = rd.Context.With(o.Note)
		}
		if o.Tokens > 0 {
			return o
		}
	}
	return scan.Outcome{}
}

// advance passes the tokens from i to end, which may hold quotation marks.
func (rd *reader) advance(i, end int) {
	for ; i < end; i++ {
		if rd.Is(i, '"') {
			rd.Quoted = !rd.Quoted
		}
	}
}

// keep copies the text up to a byte.
func (rd *reader) keep(to int) {
	if to > rd.done {
		rd.out = append(rd.out, rd.s[rd.done:to]...)
		rd.back.Keep(to - rd.done)
		rd.done = to
	}
}

// replace writes spoken text for n tokens at i. When the output would
// pass its bound, the part is copied instead. Joined says that an ending follows,
// which is written on to the words.
func (rd *reader) replace(i, n int, spoken string, joined bool) {
	from, to := rd.Token(i).Start, rd.Token(i+n-1).End
	written := rd.s[from:to]
	if spoken == written {
		return
	}
	more := utf8.RuneCountInString(spoken) + 2 - utf8.RuneCountInString(written)
	if more > rd.left {
		return
	}
	rd.left -= max(more, 0)
	kept := from > rd.done
	rd.keep(from)
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

// drop leaves out a part of the input that is silent, and a space after it when
// there is one before it, too.
func (rd *reader) drop(from, to int) {
	if to < len(rd.s) && rd.s[to] == ' ' && (len(rd.out) == 0 || rd.out[len(rd.out)-1] == ' ') {
		to++
	}
	rd.back.Drop(to - from)
	rd.done = to
}

// touches says that the output ends in a letter, so that a word put there would
// run into it.
func (rd *reader) touches() bool {
	return len(rd.out) > 0 && scan.IsLetter(scan.LastRune(string(rd.out[max(0, len(rd.out)-utf8.UTFMax):])))
}

// joins says that a word put there is of one word with the output's last letter:
// both are of a script whose letters are syllables or words, as in 제3장.
func (rd *reader) joins(spoken string) bool {
	return !scan.IsParted(scan.LastRune(string(rd.out[max(0, len(rd.out)-utf8.UTFMax):]))) && !scan.IsParted(scan.FirstRune(spoken))
}

// quiet says that a sign begins no form.
func quiet(r rune) bool {
	switch r {
	case ',', '.', ';', ':', '!', '?', '"', '[', ']', '{', '}', ')', '।', '॥', '“', '”', '‘', '…', '—', '،', '؟', '。', '、', '，':
		return true
	}
	return false
}

// speaks says that a form may begin with the word at i: it is listed, written
// in capitals, or a digit or a sign of an address stands beside it.
func (rd *reader) speaks(i int) bool {
	t := rd.Token(i)
	if t.Dense && !rd.starts.HasRune(t.R) && i != rd.Expected && rd.Kind(i+1) != scan.Digits {
		return false
	}
	w := rd.View.Text(i)
	if t.Upper || i == rd.Expected || rd.starts.HasRune(t.R) && rd.starts.Has(w) || abbreviation.IsPlural(w) || rd.ordinals.RomanStem(w) > 0 {
		return true
	}
	switch next := rd.Rune(i + 1); {
	case rd.Kind(i+1) == scan.Digits:
		return true
	case rd.Kind(i+1) != scan.Sign:
		return false
	case next == '@' || next == '.' || next == '_':
		return rd.Kind(i+2) == scan.Word || rd.Kind(i+2) == scan.Digits
	case next == ':' || next == '-' || next == '+':
		return rd.Is(i+2, '/') || rd.Kind(i+2) == scan.Word || rd.Kind(i+2) == scan.Digits
	case next == '&':
		return true
	}
	return false
}

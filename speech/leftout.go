package speech

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/text"
)

// Omitter is implemented by writers that want to know at once which text the engine
// cannot speak, as a socket does, whose client may send it again in other words. Omit is
// called with each omitted piece as the caller wrote it. Omitted text is not charged, and
// [Info] has a notice that names it: the Info given to Start names what is known by then,
// that of the Result names all.
type Omitter interface {
	Omit(text string) error
}

// omissions are the pieces of a text that were left out.
type omissions struct {
	all    []omission // ascending
	total  int        // code points left out
	quotes []string   // the first mostQuotes pieces
	unread []omission // what the front end left out because of its script
	silent int        // code points of unread
}

// omission is a piece of text that was left out.
type omission struct{ at, characters int } // code points

// add records a piece that begins at a code point. A piece that follows the one before
// without a gap is joined to it, so that a word split by the engine is quoted whole.
func (o *omissions) add(piece string, at int) {
	n := utf8.RuneCountInString(piece)
	o.total += n
	if last := len(o.all) - 1; last >= 0 && o.all[last].at+o.all[last].characters == at {
		o.all[last].characters += n
		if last < len(o.quotes) {
			o.quotes[last] += piece
		}
		return
	}
	o.all = append(o.all, omission{at, n})
	if len(o.quotes) < mostQuotes {
		o.quotes = append(o.quotes, piece)
	}
}

// Limits of a notice, so that it fits a header line.
const (
	mostQuotes  = 5
	longestPart = 20 // code points
)

// notice returns a sentence that names what was left out. It is ASCII, because it is sent
// in an HTTP header.
func (o *omissions) notice() string {
	var b strings.Builder
	fmt.Fprintf(&b, "left out and not charged, because the engine cannot speak it: %s of the text, ", plural(o.total, "character"))
	for i, q := range o.quotes {
		if i > 0 {
			b.WriteString(", ")
		}
		// Cut by code points, so that no character is split.
		if r := []rune(q); len(r) > longestPart {
			q = string(r[:longestPart]) + "..."
		}
		b.WriteString(strconv.QuoteToASCII(q))
	}
	if more := len(o.all) - len(o.quotes); more > 0 {
		fmt.Fprintf(&b, " and %s more", plural(more, "piece"))
	}
	return b.String()
}

// uncharged returns the code points that were left out for any reason.
func (o *omissions) uncharged() int { return o.total + o.silent }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// before returns how many code points were left out before code point at of the text.
func (o *omissions) before(at int) int {
	n := 0
	for _, all := range [...][]omission{o.all, o.unread} {
		for _, one := range all {
			n += min(one.characters, max(0, at-one.at))
		}
	}
	return n
}

// without returns the info corrected by what progress p knows to be left out: the
// characters, and the notice. It may be called again when more is left out.
func (i Info) without(p *progress) Info {
	if p == nil || p.omissions.total == i.LeftOut {
		return i
	}
	if i.LeftOut > 0 {
		i.Notices = i.Notices[:len(i.Notices)-1] // replaces the notice of the earlier call
	}
	// A session counts its characters at its end only, so they may be 0 here.
	i.Characters = max(0, i.Characters-p.omissions.total+i.LeftOut)
	i.LeftOut = p.omissions.total
	i.Notices = append(slices.Clip(i.Notices), p.omissions.notice())
	return i
}

// leaveOut records spans of the text being said that are not spoken because of their script,
// and tells the writer if it is an [Omitter].
func (p *performance) leaveOut(spans []text.Span) error {
	for _, s := range spans {
		if err := p.tell(p.progress.leaveOut(s)); err != nil {
			return err
		}
	}
	return nil
}

// omit records spans of the utterance that the engine left out, and tells the writer if it
// is an [Omitter].
func (p *performance) omit(spans []text.Span) error {
	for _, s := range spans {
		if err := p.tell(p.progress.omit(p.back.Back(s))); err != nil {
			return err
		}
	}
	return nil
}

// tell names a piece of text that is not spoken to the writer, if it is an [Omitter]. An empty
// piece was told before.
func (p *performance) tell(piece string) error {
	to, wants := p.out.w.(Omitter)
	if piece == "" || !wants {
		return nil
	}
	err := to.Omit(piece)
	if err != nil {
		p.out.err = err
	}
	return err
}

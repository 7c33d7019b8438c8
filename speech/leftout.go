package speech

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/text"
)

// Omitter is implemented by the writers that want to know at once what is left out of a
// text because the engine cannot speak it, as by a socket, whose client may have it said
// otherwise: Omit is called with it, as the caller wrote it. It is not charged, and the
// [Info] names it: that which Start gets what is known by then, that of the Result all.
type Omitter interface {
	Omit(text string) error
}

// omissions are what was left out of a text.
type omissions struct {
	all    []omission // ascending
	total  int        // code points of them
	quotes []string   // of the first
}

// omission is a piece of text that was left out.
type omission struct{ at, characters int } // code points

// add notes a piece that begins at a code point, as it goes on with the one before or
// by itself.
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

// What a notice says at most of what is left out.
const (
	mostQuotes  = 5
	longestPart = 20 // code points
)

// notice says in a sentence what was left out. It is of ASCII, to be a header.
func (o *omissions) notice() string {
	var b strings.Builder
	fmt.Fprintf(&b, "left out and not charged, because the engine cannot speak it: %s of the text, ", count(o.total, "character"))
	for i, q := range o.quotes {
		if i > 0 {
			b.WriteString(", ")
		}
		if r := []rune(q); len(r) > longestPart {
			q = string(r[:longestPart]) + "..."
		}
		b.WriteString(strconv.QuoteToASCII(q))
	}
	if more := len(o.all) - len(o.quotes); more > 0 {
		fmt.Fprintf(&b, " and %s more", count(more, "piece"))
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// before returns how many code points were left out before one of the text.
func (o *omissions) before(at int) int {
	n := 0
	for _, one := range o.all {
		n += min(one.characters, max(0, at-one.at))
	}
	return n
}

// without returns what is known of an answer when it is known what is left out of it.
func (i Info) without(said *progress) Info {
	if said == nil || said.left.total == i.LeftOut {
		return i
	}
	if i.LeftOut > 0 {
		i.Notices = i.Notices[:len(i.Notices)-1] // the one from before
	}
	i.Characters = max(0, i.Characters-said.left.total+i.LeftOut) // of a session it is known at the end
	i.LeftOut = said.left.total
	i.Notices = append(slices.Clip(i.Notices), said.left.notice())
	return i
}

// leaveOut notes bytes of the utterance that are left out, and tells who wants to know.
func (p *performance) leaveOut(spans []text.Span) error {
	for _, s := range spans {
		piece := p.said.omit(p.back.Back(s))
		to, wants := p.out.w.(Omitter)
		if piece == "" || !wants {
			continue
		}
		if err := to.Omit(piece); err != nil {
			p.out.err = err
			return err
		}
	}
	return nil
}

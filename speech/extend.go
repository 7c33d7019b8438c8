package speech

import (
	"vaak/text"
	"vaak/text/frontend"
)

// extendedEnd returns where a part of a text must end so that no word read at its end is
// made from text on both sides of the end. "$5" must end after the "million" that follows
// it, because "$5 million" is read as "five million dollars". It returns the part's own
// end if there is no such place.
func extendedEnd(p frontend.Prepared, in text.Span) int {
	end := in.End
	for run := range p.Runs() {
		to, ok := wholeEnd(run.Map, text.Span{Start: in.Start, End: end})
		if !ok {
			return in.End
		}
		end = to
	}
	return end
}

// wholeEnd returns the end that a span of the input must have so that the output made
// from it is made from nothing else. ok is false if some of that output is also made from
// text before the span, which no later end can mend.
func wholeEnd(m text.Map, in text.Span) (end int, ok bool) {
	// Extending the input may bring in more output, and with it more input: repeat until
	// nothing changes. The end only grows and the map is finite, so this ends.
	for {
		out, some := hull(m, in)
		if !some {
			return in.End, true
		}
		end := in.End
		for _, l := range m.Slice(out) {
			if l.In.Len() > 0 && l.In.Start < in.Start {
				return in.End, false
			}
			end = max(end, l.In.End)
		}
		if end == in.End {
			return end, true
		}
		in.End = end
	}
}

// hull returns the shortest span of the output that holds everything made from a span of
// the input. some is false if nothing is.
func hull(m text.Map, in text.Span) (out text.Span, some bool) {
	for _, l := range m {
		piece, _, made := made(l, in)
		switch {
		case !made:
		case !some:
			out, some = piece, true
		default:
			out.End = piece.End
		}
	}
	return out, some
}

// made returns which part of a link's output is made from a span of the input. ok is
// false if none is; alone is false if the output is also made from text outside the span.
func made(l text.Link, in text.Span) (out text.Span, alone, ok bool) {
	// A link with an empty input stands for inserted text. At the start of the span it
	// counts as inside.
	if l.In.End <= in.Start && l.In.Start < in.Start || l.In.Start >= in.End {
		return out, true, false
	}
	out, alone = l.Out, true
	// A verbatim link maps byte to byte, so it can be cut where the span begins and ends.
	if l.In.Start < in.Start || l.In.End > in.End {
		if alone = l.Verbatim; alone {
			out.Start += max(0, in.Start-l.In.Start)
			out.End -= max(0, l.In.End-in.End)
		}
	}
	return out, alone, true
}

// inside returns the span of the output that is made from a span of the input alone. ok
// is false if there is not exactly one such span.
func inside(m text.Map, in text.Span) (out text.Span, ok bool) {
	begun := false
	for _, l := range m {
		piece, alone, made := made(l, in)
		switch {
		case !made:
		case !alone:
			return out, false
		case !begun:
			out, begun = piece, true
		case piece.Start != out.End:
			return out, false
		default:
			out.End = piece.End
		}
	}
	return out, true
}

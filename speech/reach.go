package speech

import (
	"vaak/text"
	"vaak/text/frontend"
)

// reach returns the end that a part of a text must have so that nothing is read
// that was made of text on both sides of it: "$5" ends behind the "million" with
// which it is read. It is the part's own end if there is no such.
func reach(p frontend.Prepared, in text.Span) int {
	end := in.End
	for run := range p.Runs() {
		to, ok := whole(run.Map, text.Span{Start: in.Start, End: end})
		if !ok {
			return in.End
		}
		end = to
	}
	return end
}

// whole returns the end that a part of the input must have so that one part of the
// output is made of it alone; ok is false when something is made of text before it
// too.
func whole(m text.Map, in text.Span) (end int, ok bool) {
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

// hull returns the shortest part of the output that holds all that was made of a
// part of the input.
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

// made returns what of a link's output was made of a part of the input, if any;
// alone is false when it was made of that and more.
func made(l text.Link, in text.Span) (out text.Span, alone, ok bool) {
	if l.In.End <= in.Start && l.In.Start < in.Start || l.In.Start >= in.End {
		return out, true, false
	}
	out, alone = l.Out, true
	if l.In.Start < in.Start || l.In.End > in.End {
		if alone = l.Verbatim; alone {
			out.Start += max(0, in.Start-l.In.Start)
			out.End -= max(0, l.In.End-in.End)
		}
	}
	return out, alone, true
}

// inside returns what of an output was made of a part of the input; ok is false
// when that is not one piece, made of the part alone.
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

// Package text defines spans and maps: where each piece of a step's output came from in
// its input.
//
// The chain is NFC, respelling, segmentation, normalization, engine form. Each
// step is a pure function that returns its text and a [Map] back to its input. Maps
// compose, so a word that an engine reports can be located in the characters that the
// caller sent.
package text

import "fmt"

// Span is a range of bytes of a text: Start is its first byte, End the byte
// after its last. A span with Start equal to End is a place between two bytes.
type Span struct{ Start, End int }

// Len returns the number of bytes.
func (s Span) Len() int { return s.End - s.Start }

// In returns the part of a text that the span covers.
func (s Span) In(text string) string { return text[s.Start:s.End] }

// Shift returns the span moved by n bytes.
func (s Span) Shift(n int) Span { return Span{s.Start + n, s.End + n} }

// Link is the origin of a piece of output.
type Link struct {
	Out Span // the piece, never empty
	In  Span // the input that it was made from; empty for text that was added there
	// Verbatim says that the piece is its input byte for byte. Otherwise all of
	// the piece comes from all of In.
	Verbatim bool
}

// Map leads from the output of a step back to its input. Its links cover the
// output from the first byte to the last in ascending order, without gap or
// overlap; the input may have parts that no link names, which were dropped, and
// may be named out of order where a step moved words. The nil Map is that of an
// empty output.
type Map []Link

// Identity returns the map of a step that leaves n bytes of text as they are.
func Identity(n int) Map { return Taken(Span{0, n}) }

// Taken returns the map of a step whose output is one part of its input.
func Taken(in Span) Map {
	if in.Len() == 0 {
		return nil
	}
	return Map{{Out: Span{0, in.Len()}, In: in, Verbatim: true}}
}

// Len returns the length of the output in bytes.
func (m Map) Len() int {
	if len(m) == 0 {
		return 0
	}
	return m[len(m)-1].Out.End
}

// Back returns the shortest span of the input that holds everything the given span of
// the output was made from. A place between two bytes leads to a place: the start of
// what follows it, or at the end the end of the last piece. Added text counts only where
// the span has nothing else. Parts of the span outside the output are ignored.
func (m Map) Back(out Span) Span {
	if len(m) == 0 {
		return Span{}
	}
	if n := m.Len(); out.Start >= n {
		end := m[len(m)-1].In.End
		return Span{end, end}
	}
	out.Start = max(out.Start, 0)
	i := m.at(out.Start)
	if out.End <= out.Start {
		p := m[i].In.Start
		if m[i].Verbatim {
			p += out.Start - m[i].Out.Start
		}
		return Span{p, p}
	}
	in := m[i].part(out)
	for i++; i < len(m) && m[i].Out.Start < out.End; i++ {
		switch p := m[i].part(out); {
		// What was found so far is added text, which has a place and no length. The first
		// piece with input replaces it.
		case in.Len() == 0:
			in = p
		case p.Len() > 0:
			in.Start, in.End = min(in.Start, p.Start), max(in.End, p.End)
		}
	}
	return in
}

// at returns the index of the link whose piece holds a byte of the output.
func (m Map) at(byte int) int {
	lo, hi := 0, len(m)-1
	for lo < hi {
		if mid := (lo + hi) / 2; m[mid].Out.End <= byte {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// part returns the input of the part of the link's piece that lies in out.
func (l Link) part(out Span) Span {
	if !l.Verbatim {
		return l.In
	}
	return Span{
		l.In.Start + max(out.Start, l.Out.Start) - l.Out.Start,
		l.In.Start + min(out.End, l.Out.End) - l.Out.Start,
	}
}

// Slice returns the map of a part of the output, counted from the part's start.
func (m Map) Slice(out Span) Map {
	out.Start, out.End = max(out.Start, 0), min(out.End, m.Len())
	if out.Start >= out.End {
		return nil
	}
	first, last := m.at(out.Start), m.at(out.End-1)
	part := make(Map, 0, last-first+1)
	for _, l := range m[first : last+1] {
		cut := Span{max(out.Start, l.Out.Start), min(out.End, l.Out.End)}
		part = append(part, Link{Out: cut.Shift(-out.Start), In: l.part(out), Verbatim: l.Verbatim})
	}
	return part
}

// Join returns the map of several outputs of one input, put one after another.
func Join(parts ...Map) Map {
	var b Builder
	for _, m := range parts {
		for _, l := range m {
			b.add(l.Out.Len(), l.In, l.Verbatim)
		}
	}
	return b.Map()
}

// Compose returns the map of two steps in a row: first leads from the middle
// text to the input, second from the output to the middle text.
func Compose(first, second Map) Map {
	// The first step changed nothing, as most do.
	if len(first) == 1 && first[0].Verbatim && first[0].In.Start == 0 {
		return second
	}
	var b Builder
	for _, l := range second {
		if !l.Verbatim {
			// A replaced piece comes from all of its input as a whole, so it leads back to
			// the span of that.
			b.add(l.Out.Len(), first.Back(l.In), false)
			continue
		}
		// A copied piece may lie over several links of the first step, and is divided among
		// them.
		for i := first.at(l.In.Start); i < len(first) && first[i].Out.Start < l.In.End; i++ {
			f := first[i]
			n := min(l.In.End, f.Out.End) - max(l.In.Start, f.Out.Start)
			b.add(n, f.part(l.In), f.Verbatim)
		}
	}
	return b.Map()
}

// Check returns how the map breaks its rules for an output and an input of so many
// bytes, nil when it keeps them.
func (m Map) Check(out, in int) error {
	at := 0
	for i, l := range m {
		switch {
		case l.Out.Start != at || l.Out.Len() <= 0:
			return fmt.Errorf("link %d covers %v of the output, not from %d on", i, l.Out, at)
		case l.In.Start < 0 || l.In.Len() < 0 || l.In.End > in:
			return fmt.Errorf("link %d names %v of an input of %d bytes", i, l.In, in)
		case l.Verbatim && l.In.Len() != l.Out.Len():
			return fmt.Errorf("link %d says that %v is %v verbatim", i, l.Out, l.In)
		}
		at = l.Out.End
	}
	if at != out {
		return fmt.Errorf("the links cover %d bytes of %d", at, out)
	}
	return nil
}

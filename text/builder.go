package text

// Builder makes a [Map] while a step walks through its input. The zero Builder
// stands at the start of the input.
type Builder struct {
	links Map
	in    int // bytes of input that were walked
	out   int // bytes of output so far
}

// Keep says that the next n bytes of input go out as they are.
func (b *Builder) Keep(n int) {
	b.add(n, Span{b.in, b.in + n}, true)
	b.in += n
}

// Replace says that the next in bytes of input go out as out other bytes.
// Replace(0, n) adds n bytes that come from no input.
func (b *Builder) Replace(in, out int) {
	b.add(out, Span{b.in, b.in + in}, false)
	b.in += in
}

// Drop says that the next n bytes of input do not go out.
func (b *Builder) Drop(n int) { b.in += n }

// Map returns the map of what was said so far.
func (b *Builder) Map() Map { return b.links }

func (b *Builder) add(out int, in Span, verbatim bool) {
	if out == 0 {
		return
	}
	piece := Span{b.out, b.out + out}
	b.out += out
	if n := len(b.links); verbatim && n > 0 && b.links[n-1].Verbatim && b.links[n-1].In.End == in.Start {
		b.links[n-1].Out.End, b.links[n-1].In.End = piece.End, in.End
		return
	}
	b.links = append(b.links, Link{Out: piece, In: in, Verbatim: verbatim})
}

package text

// Builder makes a [Map] while a step goes through its input. The zero Builder stands at
// the start of the input.
type Builder struct {
	links Map
	in    int // bytes of input that were walked
	out   int // bytes of output so far
}

// Keep records that the next n bytes of the input are copied to the output.
func (b *Builder) Keep(n int) {
	b.add(n, Span{b.in, b.in + n}, true)
	b.in += n
}

// Replace records that the next in bytes of the input are replaced by out bytes of
// output. Replace(0, n) records n added bytes, which come from no input.
func (b *Builder) Replace(in, out int) {
	b.add(out, Span{b.in, b.in + in}, false)
	b.in += in
}

// Drop records that the next n bytes of the input are left out.
func (b *Builder) Drop(n int) { b.in += n }

// Map returns the map of what was recorded so far.
func (b *Builder) Map() Map { return b.links }

func (b *Builder) add(out int, in Span, verbatim bool) {
	if out == 0 {
		return
	}
	piece := Span{b.out, b.out + out}
	b.out += out
	// Copied bytes that follow copied bytes make one link, so an unchanged text has a map
	// of one link.
	if n := len(b.links); verbatim && n > 0 && b.links[n-1].Verbatim && b.links[n-1].In.End == in.Start {
		b.links[n-1].Out.End, b.links[n-1].In.End = piece.End, in.End
		return
	}
	b.links = append(b.links, Link{Out: piece, In: in, Verbatim: verbatim})
}

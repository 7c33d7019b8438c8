package graph

import (
	"fmt"
	"math/bits"
	"slices"
)

// TrimsInput is an input of a vocoder that takes how much it drops; see [Window].
const TrimsInput = "vaak_trims"

// trim is a place in a vocoder where it drops what the sound of a piece does not depend on.
//
// A piece is computed with a margin, which is as wide as all layers together hear. The layers
// behind a ConvTranspose hear far less of a frame than those before it, and they take nearly all
// of the time, since they compute many steps of each frame. So the margin is made narrower before
// and behind each ConvTranspose: of a medium voice of Piper from 12 frames to 1.
type trim struct {
	out         string // of the ConvTranspose
	rate        int    // steps of a frame
	left, right int    // steps that are needed beyond the ends of a piece
}

// trims returns the places before and behind each ConvTranspose of a path, given the rates of
// tensors and what is needed of them. There are none where branches of the vocoder would differ in
// what they drop.
func trims(path []node, timed map[string]bool, rate map[string]int, need map[string]ends) []trim {
	var all []trim
	dropped := map[string]int{} // by tensor, how many places lie before it
	for _, n := range path {
		before := -1
		for name := range n.takes() {
			if !timed[name] {
				continue
			}
			if d := dropped[name]; before >= 0 && d != before {
				return nil
			}
			before = dropped[name]
		}
		if n.op == "ConvTranspose" {
			if before != len(all) {
				return nil
			}
			for _, name := range []string{n.in[0], n.out[0]} {
				all = append(all, trim{n.out[0], rate[name], need[name].left, need[name].right})
			}
			before = len(all)
		}
		for _, name := range n.out {
			dropped[name] = before
		}
	}
	return all
}

// oldestSlice is the opset from which Slice takes its places as inputs.
const oldestSlice = 10

// withTrims returns a vocoder that drops, at each of its places, what TrimsInput says.
func (m *Model) withTrims(all []trim) (*Model, error) {
	c := *m
	c.nodes, c.weights = make([]node, 0, len(m.nodes)+4*len(all)), slices.Clone(m.weights)
	c.inputs = append(slices.Clone(m.inputs), newValue(TrimsInput, elementInt64, int64(2*len(all))))
	weight := func(name string, v int64) string {
		c.weights = append(c.weights, intsWeight(name, []int64{v}, 1))
		return name
	}
	time := weight(TrimsInput+"_axis", 2)
	slice := func(place int, from, to string) {
		p := fmt.Sprintf("%s_%d_", TrimsInput, place)
		for k, name := range []string{p + "start", p + "end"} {
			c.nodes = append(c.nodes, newNode("Gather", []string{TrimsInput, weight(name+"_at", int64(2*place+k))}, name))
		}
		c.nodes = append(c.nodes, newNode("Slice", []string{from, p + "start", p + "end", time}, to))
	}
	for _, n := range m.nodes {
		place := slices.IndexFunc(all, func(t trim) bool { return t.out == n.out[0] })
		if place < 0 {
			c.nodes = append(c.nodes, n)
			continue
		}
		in, out := fmt.Sprintf("%s_%d_in", TrimsInput, place), fmt.Sprintf("%s_%d_out", TrimsInput, place)
		slice(place, n.in[0], in)
		c.nodes = append(c.nodes, n.between(in, out))
		slice(place+1, out, n.out[0])
	}
	if err := c.arrange(); err != nil { // only if the names are taken already
		return nil, fmt.Errorf("make pieces cheaper: %w", err)
	}
	return &c, nil
}

// between returns the node with other names of its first input and its first output.
func (n node) between(in, out string) node {
	n.in, n.out = slices.Clone(n.in), slices.Clone(n.out)
	n.in[0], n.out[0] = in, out
	names := map[int]string{1: in, 2: out}
	var body []byte
	_ = fields(n.body, func(f field) error { // the node was read before
		if name, first := names[f.num]; first {
			delete(names, f.num)
			body = appendString(body, f.num, name)
		} else {
			body = append(body, f.raw...)
		}
		return nil
	})
	n.body = body
	return n
}

// Window is what a vocoder is given for the sound of a piece, and what it makes of that.
type Window struct {
	Latent  []float32 // [1, channels, Frames]
	Frames  int
	Trims   []int64 // for [TrimsInput], where the vocoder has it
	Samples int     // that the vocoder makes
	Skip    int     // of those, which come before the piece
}

// Window returns what the vocoder must be given for the sound of the frames from one to
// another: those of the latent, which has so many channels, with the margin on both sides where
// there is one. The sound is the (to-from)*Hop samples after the first Skip ones.
func (c *Cut) Window(latent []float32, channels, from, to int) Window {
	frames := len(latent) / channels
	a, b := max(0, from-c.Margin), min(frames, to+c.Margin)
	w := Window{Latent: make([]float32, 0, channels*(b-a)), Frames: b - a}
	for k := range channels {
		w.Latent = append(w.Latent, latent[k*frames+a:k*frames+b]...)
	}
	rate := 1
	for _, t := range c.trims {
		a, b = a*(t.rate/rate), b*(t.rate/rate)
		rate = t.rate
		start, end := max(a, from*rate-t.left), min(b, to*rate+t.right)
		w.Trims = append(w.Trims, int64(start-a), int64(end-a))
		a, b = start, end
	}
	a, b = a*(c.Hop/rate), b*(c.Hop/rate)
	w.Samples, w.Skip = b-a, from*c.Hop-a
	return w
}

// work adds what a convolution multiplies for each frame of the latent.
func (m *Model) work(n node, rate map[string]int) int64 {
	if n.op != "Conv" && n.op != "ConvTranspose" {
		return 0
	}
	dims, err := m.dims(n.in[1])
	if err != nil {
		return 0
	}
	product := uint64(1)
	of := n.out[0] // the step of which each weight is used once
	if n.op == "ConvTranspose" {
		of = n.in[0]
	}
	for _, d := range append(slices.Clone(dims), int64(rate[of])) {
		high, low := bits.Mul64(product, uint64(max(0, d)))
		if high > 0 || low > mostWork {
			return mostWork
		}
		product = low
	}
	return int64(product)
}

// mostWork bounds the work of one operator, so that that of all can be added up.
const mostWork = 1 << 40

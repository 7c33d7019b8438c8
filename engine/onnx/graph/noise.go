package graph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// The inputs of a model whose noise comes from the caller, each a vector of float32 of any
// length but 0. A model has those of the kinds of noise that it needs.
const (
	NormalTape  = "vaak_normal_tape"  // numbers of mean 0 and deviation 1
	UniformTape = "vaak_uniform_tape" // numbers from 0 to 1
)

// noiseStep is how far apart the places of the tape are where two operators begin. Operators
// that draw more share numbers, at different places of the sound.
const noiseStep = 65_537

// Tapes returns the numbers for [NormalTape] and [UniformTape], n of each. They depend on the
// seed alone. A million are enough for half a minute of speech; longer noise repeats.
func Tapes(seed uint64, n int) (normal, uniform []float32) {
	r := rand.New(rand.NewPCG(seed, 0x7661616b)) // any constant would do
	normal, uniform = make([]float32, n), make([]float32, n)
	for i := range n {
		normal[i], uniform[i] = float32(r.NormFloat64()), r.Float32()
	}
	return normal, uniform
}

// TakeNoise returns a model that takes its random numbers from the inputs [NormalTape] and
// [UniformTape], instead of drawing them, and how many operators drew. With the same tapes it
// makes the same sound each time, also where several runs happen at once. With none it returns
// the model as it is.
//
// It fails for operators that draw in another way or in a subgraph. The model then sounds
// different each time.
func (m *Model) TakeNoise() (*Model, int, error) {
	if m.hidden != "" {
		return nil, 0, fmt.Errorf("the model draws random numbers in a subgraph, by %s: its sound cannot be made repeatable", m.hidden)
	}
	if !slices.ContainsFunc(m.nodes, node.random) {
		return m, 0, nil
	}
	if m.opset < 12 {
		return nil, 0, fmt.Errorf("the model is of opset %d, and opset 12 or newer is needed to make its noise repeatable", m.opset)
	}
	c := *m
	c.nodes = make([]node, 0, len(m.nodes)+32)
	c.weights, c.inputs = slices.Clone(m.weights), slices.Clone(m.inputs)
	draws := map[string]int{} // by tape
	for _, n := range m.nodes {
		if !n.random() {
			c.nodes = append(c.nodes, n)
			continue
		}
		d, err := m.draw(n)
		if err != nil {
			return nil, 0, err
		}
		d.place, d.prefix = draws[d.tape], fmt.Sprintf("%s_%d_", d.tape, draws[d.tape])
		draws[d.tape]++
		d.write(&c)
	}
	count := 0
	for _, tape := range []string{NormalTape, UniformTape} {
		if draws[tape] > 0 {
			c.inputs = append(c.inputs, newValue(tape, elementFloat, -1))
			count += draws[tape]
		}
	}
	if err := c.arrange(); err != nil { // only if the names are taken already
		return nil, 0, fmt.Errorf("make the noise repeatable: %w", err)
	}
	return &c, count, nil
}

// draw is a random operator that is to be replaced.
type draw struct {
	tape, prefix string
	place        int    // among those of the tape
	like         string // the tensor whose shape it has, or "" where shape tells
	shape        []int64
	add, scale   float32
	element      int64 // of the result; 0 as that of like
	out          string
	opset        int64
}

// maxDrawn bounds the noise of a shape that is written in the model.
const maxDrawn = 1 << 24

func (m *Model) draw(n node) (d draw, err error) {
	d = draw{opset: m.opset}
	if len(n.out) != 1 || n.out[0] == "" {
		return d, fmt.Errorf("the model is damaged: an operator %s has no single result", n.op)
	}
	d.out = n.out[0]
	switch n.op {
	case "RandomNormal", "RandomNormalLike":
		d.tape, d.add, d.scale = NormalTape, n.floatAttr("mean", 0), n.floatAttr("scale", 1)
	case "RandomUniform", "RandomUniformLike":
		d.tape, d.add, d.scale = UniformTape, n.floatAttr("low", 0), n.floatAttr("high", 1)
		d.scale -= d.add
	default:
		return d, fmt.Errorf("the model draws random numbers by %s, and its sound cannot be made repeatable: RandomNormal and RandomUniform are possible", n.op)
	}
	switch n.op {
	case "RandomNormalLike", "RandomUniformLike":
		if len(n.in) != 1 || n.in[0] == "" {
			return d, fmt.Errorf("the model is damaged: an operator %s has no single input", n.op)
		}
		d.like, d.element = n.in[0], n.intAttr("dtype", 0)
	default:
		d.element = n.intAttr("dtype", elementFloat)
		if d.shape, err = n.intsAttr("shape"); err != nil {
			return d, err
		}
		size := int64(1)
		for _, k := range d.shape {
			if k < 0 || k > maxDrawn || size*k > maxDrawn {
				return d, errors.New("the model is damaged: it draws more random numbers than any voice")
			}
			size *= k
		}
	}
	if d.element != 0 && d.element != elementFloat && d.element != elementFloat16 {
		return d, fmt.Errorf("the model draws random numbers of element type %d: float32 and float16 are possible", d.element)
	}
	return d, nil
}

// write appends the operators that read the numbers from the tape: result[i] is
// tape[(place*noiseStep + i) mod length], scaled.
func (d draw) write(m *Model) {
	p := d.prefix
	add := func(op string, in []string, out string, attrs ...attribute) string {
		m.nodes = append(m.nodes, newNode(op, in, p+out, attrs...))
		return p + out
	}
	weight := func(w weight) string { m.weights = append(m.weights, w); return w.name }

	shape := ""
	if d.like != "" {
		shape = add("Shape", []string{d.like}, "shape")
	} else {
		shape = weight(intsWeight(p+"shape", d.shape, int64(len(d.shape))))
	}
	zero, one := weight(intsWeight(p+"zero", []int64{0})), weight(intsWeight(p+"one", []int64{1}))
	first := weight(intsWeight(p+"first", []int64{int64(d.place) * noiseStep}))
	// keepdims 0 makes a single number of the product, which Range wants.
	size := add("ReduceProd", []string{shape}, "size", attribute{"keepdims", 0})
	index := add("Add", []string{add("Range", []string{zero, size, one}, "range"), first}, "index")
	// A tape without numbers must not divide by 0, which would end the process.
	length := add("Max", []string{add("Size", []string{d.tape}, "tape_size"), one}, "length")
	at := add("Mod", []string{index, length}, "at")
	last := add("Reshape", []string{add("Gather", []string{d.tape, at}, "flat"), shape}, "shaped")
	if d.scale != 1 {
		last = add("Mul", []string{last, weight(floatWeight(p+"scale", d.scale))}, "scaled")
	}
	if d.add != 0 {
		last = add("Add", []string{last, weight(floatWeight(p+"add", d.add))}, "added")
	}
	switch {
	case d.element == elementFloat16:
		m.nodes = append(m.nodes, newNode("Cast", []string{last}, d.out, attribute{"to", elementFloat16}))
	case d.element == 0 && d.opset >= 15:
		m.nodes = append(m.nodes, newNode("CastLike", []string{last, d.like}, d.out))
	default:
		m.nodes = append(m.nodes, newNode("Identity", []string{last}, d.out))
	}
}

package graph

import (
	"errors"
	"fmt"
	"slices"
)

// Cut is a model in two halves.
//
// The front makes of the whole text one latent frame after another: a tensor [1, channels,
// frames] of float32, and how many frames each id lasts. The vocoder makes Hop samples of sound
// of each frame. It hears Margin frames to each side: the samples of frames a to b are those
// that it makes of frames a-Margin to b+Margin, where there are such, without the samples of
// the frames that were added. So the sound of a long sentence can be had piece by piece.
type Cut struct {
	Front, Vocoder *Model

	Latent    string // an output of Front and an input of Vocoder
	Durations string // an output of Front
	Sound     string // the output of Vocoder
	Channels  int    // of the latent frames; -1 where the model does not tell
	Hop       int
	Margin    int
}

// spare is added to the margin that the arithmetic gives, so that rounding at the edges, which
// differs with the length of what is computed, stays out of the sound that is kept.
const spare = 2

// Limits of what a vocoder can be. Piper's have 256 samples a frame and hear 14 frames.
const (
	maxHop    = 1 << 14
	maxMargin = 1 << 10
	maxKernel = 1 << 12
)

// Cut cuts a model of Piper at the input of the first convolution of its vocoder. It finds the
// place by the structure of the model, whatever its tensors are called.
//
// A model that cannot be cut is an error that says why. It can be spoken as a whole.
func (m *Model) Cut() (*Cut, error) {
	c, err := m.cut()
	if err != nil {
		return nil, fmt.Errorf("the model cannot be computed piece by piece: %w", err)
	}
	return c, nil
}

func (m *Model) cut() (*Cut, error) {
	c := &Cut{Channels: -1}
	var err error
	if c.Durations, err = m.Durations(); err != nil {
		return nil, err
	}
	for _, v := range m.outputs {
		if v.Name != c.Durations && (c.Sound == "" || v.Name == "output") {
			c.Sound = v.Name
		}
	}
	if c.Sound == "" {
		return nil, errors.New("it has no output of sound")
	}
	first, err := m.firstConvolution(c)
	if err != nil {
		return nil, err
	}
	c.Latent = first.in[0]
	if !m.makes(c.Latent) {
		return nil, errors.New("nothing comes before its vocoder")
	}
	if dims, err := m.dims(first.in[1]); err == nil && len(dims) == 3 {
		if channels := dims[1] * first.intAttr("group", 1); channels > 0 && channels < 1<<16 {
			c.Channels = int(channels)
		}
	}
	if err := m.measure(c); err != nil {
		return nil, err
	}
	if c.Front, err = m.part(Value{}, c.Latent, c.Durations); err != nil {
		return nil, err
	}
	if c.Vocoder, err = m.part(newValue(c.Latent, 1, int64(c.Channels), -1), c.Sound); err != nil {
		return nil, err
	}
	for _, v := range c.Vocoder.inputs {
		// What else it takes must not change in the course of the sound.
		if _, fixed := m.fixed[v.Name]; v.Name != c.Latent && v.Name != "sid" && !fixed {
			return nil, fmt.Errorf("its vocoder also takes the input %s", quoted(v.Name))
		}
	}
	return c, nil
}

// firstConvolution returns the convolution that the vocoder begins with: the one before the
// first that lengthens what depends on the durations.
func (m *Model) firstConvolution(c *Cut) (node, error) {
	timed := m.after(c.Durations)
	leads := m.before(c.Sound)
	for _, n := range m.nodes {
		if n.op != "ConvTranspose" || len(n.in) < 2 || !timed[n.in[0]] || !slices.ContainsFunc(n.out, func(name string) bool { return leads[name] }) {
			continue
		}
		for at := n.in[0]; ; {
			k, ok := m.maker[at]
			if !ok {
				return node{}, errors.New("its vocoder has no first convolution")
			}
			p := m.nodes[k]
			if p.op == "Conv" && len(p.in) >= 2 {
				return p, nil
			}
			if !pointwise[p.op] {
				return node{}, fmt.Errorf("the operator %s comes before the first ConvTranspose of its vocoder, and a convolution is expected there", quoted(p.op))
			}
			// Where two tensors are combined, one is of the speaker, which does not change with time.
			var next []string
			for _, name := range p.in {
				if timed[name] && !slices.Contains(next, name) {
					next = append(next, name)
				}
			}
			if len(next) != 1 {
				return node{}, errors.New("what goes into its vocoder comes from several places")
			}
			at = next[0] // an earlier node: the walk ends
		}
	}
	return node{}, errors.New("its sound is not made by a vocoder of ConvTranspose operators")
}

// before returns the tensors that one depends on, and that itself.
func (m *Model) before(name string) map[string]bool {
	reached := map[string]bool{name: true}
	for _, n := range slices.Backward(m.nodes) { // they are sorted
		if slices.ContainsFunc(n.out, func(name string) bool { return reached[name] }) {
			for in := range n.takes() {
				reached[in] = true
			}
		}
	}
	return reached
}

// pointwise are the operators that compute each moment of the sound by itself.
var pointwise = map[string]bool{
	"Abs": true, "Add": true, "Cast": true, "Clip": true, "Cos": true, "Div": true, "Elu": true, "Erf": true,
	"Exp": true, "Identity": true, "LeakyRelu": true, "Max": true, "Min": true, "Mul": true, "Neg": true,
	"PRelu": true, "Pow": true, "Reciprocal": true, "Relu": true, "Selu": true, "Sigmoid": true, "Sin": true,
	"Softplus": true, "Softsign": true, "Sqrt": true, "Squeeze": true, "Sub": true, "Sum": true, "Tanh": true,
	"Unsqueeze": true,
}

// measure computes Hop and Margin: how many samples come of a frame of the latent, and how
// many frames a sample depends on.
func (m *Model) measure(c *Cut) error {
	timed, leads := m.after(c.Latent), m.before(c.Sound)
	if !timed[c.Sound] {
		return errors.New("its sound does not depend on what goes into its vocoder")
	}
	rate := map[string]int{c.Latent: 1} // steps of a tensor for a frame of the latent
	var path []node                     // the operators between, in their order
	var reaches []reach
	for _, n := range m.nodes {
		if !slices.ContainsFunc(n.out, func(name string) bool { return leads[name] && name != c.Latent }) {
			continue
		}
		in := 0
		for name := range n.takes() {
			if r := rate[name]; timed[name] {
				if in != 0 && in != r {
					return errors.New("its vocoder combines sounds of different rates")
				}
				in = r
			}
		}
		if in == 0 { // of the speaker
			continue
		}
		r, err := m.reachOf(n, timed)
		if err != nil {
			return err
		}
		if in *= r.stride; in > maxHop {
			return fmt.Errorf("its vocoder makes more than %d samples of a frame", maxHop)
		}
		for _, name := range n.out {
			rate[name] = in
		}
		path, reaches = append(path, n), append(reaches, r)
	}
	c.Hop = rate[c.Sound]

	// Backwards: how much of each tensor is needed beyond the ends of a piece of the sound.
	type ends struct{ left, right int }
	need := map[string]ends{c.Sound: {}}
	for i, n := range slices.Backward(path) {
		e, ok := need[n.out[0]]
		if !ok {
			continue
		}
		left, right := reaches[i].before(e.left, e.right)
		if left > maxMargin*maxHop || right > maxMargin*maxHop {
			return errors.New("its vocoder hears too far")
		}
		for name := range n.takes() {
			if timed[name] {
				have := need[name]
				need[name] = ends{max(have.left, left), max(have.right, right)}
			}
		}
	}
	e := need[c.Latent]
	if c.Margin = max(e.left, e.right) + spare; c.Margin > maxMargin {
		return fmt.Errorf("its vocoder hears more than %d frames", maxMargin)
	}
	return nil
}

// reach is how an operator's output depends on its input. Step o of the output depends on the
// steps from ceil((o-right)/stride) to floor((o+left)/stride) of the input, of which output
// steps i*stride to (i+1)*stride-1 are step i.
type reach struct {
	stride      int
	left, right int // in steps of the output
}

// before returns what is needed of the input beyond the ends of a piece, in its steps, where
// so much of the output is needed beyond its ends.
func (r reach) before(left, right int) (int, int) {
	up := func(n int) int { return (n + r.stride - 1) / r.stride }
	return up(left + r.right), up(right + r.left)
}

// reachOf returns the reach of a node that makes sound, or why it cannot be told.
func (m *Model) reachOf(n node, timed map[string]bool) (reach, error) {
	if pointwise[n.op] && len(n.out) == 1 {
		return reach{stride: 1}, nil
	}
	transposed := n.op == "ConvTranspose"
	if !transposed && n.op != "Conv" {
		return reach{}, fmt.Errorf("its vocoder uses the operator %s", quoted(n.op))
	}
	if len(n.in) < 2 || len(n.out) != 1 || slices.ContainsFunc(n.in[1:], func(name string) bool { return timed[name] }) {
		return reach{}, errors.New("its vocoder has a convolution whose weights change")
	}
	kernel, err := n.intsAttr("kernel_shape")
	if err != nil {
		return reach{}, err
	}
	if kernel == nil {
		dims, err := m.dims(n.in[1])
		if err != nil || len(dims) < 2 {
			return reach{}, errors.New("its vocoder has a convolution of unknown size")
		}
		kernel = dims[2:]
	}
	strides, err1 := n.intsAttr("strides")
	dilations, err2 := n.intsAttr("dilations")
	pads, err3 := n.intsAttr("pads")
	extra, err4 := n.intsAttr("output_padding")
	shape, err5 := n.intsAttr("output_shape")
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return reach{}, err
	}
	or := func(list []int64, otherwise ...int64) []int64 {
		if list == nil {
			return otherwise
		}
		return list
	}
	strides, dilations, pads, extra = or(strides, 1), or(dilations, 1), or(pads, 0, 0), or(extra, 0)
	if len(kernel) != 1 || len(strides) != 1 || len(dilations) != 1 || len(pads) != 2 || len(extra) != 1 || shape != nil {
		return reach{}, errors.New("its vocoder has a convolution that is not over time alone")
	}
	for _, v := range []int64{kernel[0] - 1, strides[0] - 1, dilations[0] - 1, pads[0], pads[1], extra[0]} {
		if v < 0 || v > maxKernel {
			return reach{}, errors.New("its vocoder has a convolution of impossible size")
		}
	}
	hears := int((kernel[0] - 1) * dilations[0])
	stride, left, right := int(strides[0]), int(pads[0]), int(pads[1])
	same := false
	switch auto := n.textAttr("auto_pad"); {
	case auto == "" || auto == "NOTSET":
	case auto == "VALID":
		left, right = 0, 0
	case (auto == "SAME_UPPER" || auto == "SAME_LOWER") && !transposed:
		same = true
	default:
		return reach{}, fmt.Errorf("its vocoder has a convolution with the padding %s", quoted(auto))
	}
	if transposed {
		if hears+1+int(extra[0])-left-right != stride {
			return reach{}, errors.New("its vocoder has a ConvTranspose whose output is not a whole multiple of its input")
		}
		// Input step i is heard in the output steps i*stride-left to i*stride-left+hears.
		return reach{stride: stride, left: left, right: max(0, hears-left)}, nil
	}
	if same {
		left = (hears + 1) / 2 // the larger half for both sides
		return reach{stride: 1, left: left, right: left}, nil
	}
	if stride != 1 || left+right != hears {
		return reach{}, errors.New("its vocoder has a convolution whose output is not as long as its input")
	}
	// Output step o hears the input steps o-left to o+right.
	return reach{stride: 1, left: right, right: left}, nil
}

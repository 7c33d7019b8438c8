package graph

import (
	"errors"
	"fmt"
	"slices"
)

// ends are how many steps of a tensor are needed beyond the ends of a piece.
type ends struct{ left, right int }

// measure computes Hop and Margin, how many samples come of a frame of the latent, and how
// many frames a sample depends on; and what of them can be dropped on the way.
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
		c.Work += m.work(n, rate)
	}
	c.Hop = rate[c.Sound]

	// Backwards: how much of each tensor is needed beyond the ends of a piece of the sound.
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
	if c.Margin = max(e.left, e.right); c.Margin > maxMargin {
		return fmt.Errorf("its vocoder hears more than %d frames", maxMargin)
	}
	if m.opset >= oldestSlice {
		c.trims = trims(path, timed, rate, need)
	}
	return nil
}

// pointwise are the operators that compute each moment of the sound by itself.
var pointwise = map[string]bool{
	"Abs": true, "Add": true, "Cast": true, "Clip": true, "Cos": true, "Div": true, "Elu": true, "Erf": true,
	"Exp": true, "Identity": true, "LeakyRelu": true, "Max": true, "Min": true, "Mul": true, "Neg": true,
	"PRelu": true, "Pow": true, "Reciprocal": true, "Relu": true, "Selu": true, "Sigmoid": true, "Sin": true,
	"Softplus": true, "Softsign": true, "Sqrt": true, "Squeeze": true, "Sub": true, "Sum": true, "Tanh": true,
	"Unsqueeze": true,
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
	if stride != 1 || !same && left+right != hears {
		return reach{}, errors.New("its vocoder has a convolution whose output is not as long as its input")
	}
	if same {
		left = (hears + 1) / 2 // the larger half for both sides
		return reach{stride: 1, left: left, right: left}, nil
	}
	// Output step o hears the input steps o-left to o+right.
	return reach{stride: 1, left: right, right: left}, nil
}

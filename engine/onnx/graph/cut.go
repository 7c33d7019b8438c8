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
// of each frame. It hears Margin frames to each side: the samples of frames a to b depend on
// frames a-Margin to b+Margin, where there are such. So the sound of a long sentence can be had
// piece by piece; [Cut.Window] says what the vocoder is given for a piece.
type Cut struct {
	Front, Vocoder *Model

	Latent    string // an output of Front and an input of Vocoder
	Durations string // an output of Front
	Sound     string // the output of Vocoder
	Channels  int    // of the latent frames; -1 where the model does not tell
	Hop       int
	Margin    int
	Work      int64 // how often the vocoder multiplies for each frame, about

	trims []trim // in the order in which the sound passes them
}

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
	if c.Vocoder, err = m.part(newValue(c.Latent, elementFloat, 1, int64(c.Channels), -1), c.Sound); err != nil {
		return nil, err
	}
	for _, v := range c.Vocoder.inputs {
		// What else it takes must not change in the course of the sound.
		if _, fixed := m.fixed[v.Name]; v.Name != c.Latent && v.Name != "sid" && !fixed {
			return nil, fmt.Errorf("its vocoder also takes the input %s", quoted(v.Name))
		}
	}
	if len(c.trims) > 0 {
		if c.Vocoder, err = c.Vocoder.withTrims(c.trims); err != nil {
			return nil, err
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

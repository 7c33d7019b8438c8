package worker

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
)

// tapeLength is how many numbers the noise has before it repeats.
const tapeLength = 1 << 20

// The chunks in which a vocoder runs, in frames: a short one first, so that sound comes soon. What a
// frame costs hardly depends on how many a chunk has, see [graph.Cut.Window], so later ones are
// as short as turns may be: other streams wait for the end of a chunk. The plan is that of the
// model, whatever else is computed, so the samples are always the same.
const (
	firstChunk   = 24
	longestChunk = 48
	// chunkWork is how often a later chunk may multiply. It takes some 40 ms of one core.
	chunkWork = 1_200_000_000
)

// laterChunk returns how many frames the chunks after the first have.
func laterChunk(work int64) int {
	return max(firstChunk, min(longestChunk, int(chunkWork/max(1, work))))
}

// maxHop is how many samples a frame may have.
const maxHop = 1 << 14

// maxSamples is the longest sound of a job: ten minutes at 24,000 Hz.
const maxSamples = 600 * 24000

// sound is the sound of a job, of which the chunks are made one by one.
type sound struct {
	job   Job
	model *model
	hop   int   // samples of a frame
	ends  []int // samples

	latent   []float32 // of a model that is cut
	channels int
	whole    []float32 // of another
	from, to int       // samples of the body
	next     int       // sample at which the next chunk begins
	end      int       // sample at which the last chunk ends
}

// inputs are the tensors of a job.
func (j Job) inputs(m *model, tapes tapes) map[string]ort.Tensor {
	n := int64(len(j.IDs))
	in := map[string]ort.Tensor{
		m.ids:             ort.Ints(j.IDs, 1, n),
		"input_lengths":   ort.Ints([]int64{n}),
		"scales":          ort.Floats(j.Scales[:]),
		"sid":             ort.Ints([]int64{j.Speaker}),
		"style":           ort.Floats(j.Style, 1, int64(len(j.Style))),
		"speed":           ort.Floats([]float32{1}),
		graph.NormalTape:  ort.Floats(tapes.normal),
		graph.UniformTape: ort.Floats(tapes.uniform),
	}
	if m.speed == ort.Int32 {
		in["speed"] = ort.Tensor{Data: []int32{1}, Dims: []int64{1}}
	}
	return in
}

// begin runs the part of the model that must be run as a whole.
func begin(ctx context.Context, m *model, j Job, tapes tapes) (*sound, error) {
	s := &sound{job: j, model: m, hop: cmp.Or(m.hop, j.Hop, families[j.Kind].hop)}
	var err error
	if m.facts.Cut {
		err = s.runFront(ctx, tapes)
	} else {
		err = s.runWhole(ctx, tapes)
	}
	if err != nil {
		return nil, err
	}
	if j.From > 0 {
		s.from = s.ends[j.From-1]
	}
	if j.To > 0 {
		s.to = max(s.from, s.ends[j.To-1])
	}
	s.next, s.end = max(0, s.from-j.Lead)+j.Skip, min(s.to+j.Trail, s.ends[len(s.ends)-1])
	return s, nil
}

// run runs a session.
func run(ctx context.Context, s *ort.Session, in map[string]ort.Tensor, outputs ...string) ([]ort.Tensor, error) {
	out, err := s.Run(ctx, in, outputs...)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, blame(err)
}

func (s *sound) runFront(ctx context.Context, tapes tapes) error {
	cut := s.model.cut
	out, err := run(ctx, s.model.front, s.job.inputs(s.model, tapes), cut.Latent, cut.Durations)
	if err != nil {
		return err
	}
	dims := out[0].Dims
	latent, ok := out[0].Data.([]float32)
	if !ok || len(dims) != 3 || dims[0] != 1 || dims[1] == 0 {
		return badf("its latent is %T with the dimensions %v, not of floats with 1, channels and frames", out[0].Data, dims)
	}
	s.latent, s.channels = latent, int(dims[1])
	frames, err := integers(out[1])
	if err != nil {
		return err
	}
	return s.setEnds(frames, int(dims[2])*s.hop)
}

func (s *sound) runWhole(ctx context.Context, tapes tapes) error {
	names := []string{s.model.sound}
	if s.model.durations != "" {
		names = append(names, s.model.durations)
	}
	out, err := run(ctx, s.model.whole, s.job.inputs(s.model, tapes), names...)
	if err != nil {
		return err
	}
	samples, ok := out[0].Data.([]float32)
	if !ok {
		return badf("its sound is %T, not of floats", out[0].Data)
	}
	s.whole = samples
	var frames []int
	if len(out) > 1 {
		if frames, err = integers(out[1]); err != nil {
			return err
		}
	}
	return s.setEnds(frames, len(samples))
}

// integers returns the numbers of a tensor of lengths.
func integers(t ort.Tensor) ([]int, error) {
	var all []int
	switch d := t.Data.(type) {
	case []float32:
		for _, v := range d {
			if !(v >= 0 && v < maxSamples) {
				return nil, badf("it gives an id %g frames", v)
			}
			all = append(all, int(math.Round(float64(v))))
		}
	case []int64:
		for _, v := range d {
			if v < 0 || v >= maxSamples {
				return nil, badf("it gives an id %d frames", v)
			}
			all = append(all, int(v))
		}
	case []int32:
		for _, v := range d {
			if v < 0 || v >= maxSamples {
				return nil, badf("it gives an id %d frames", v)
			}
			all = append(all, int(v))
		}
	default:
		return nil, badf("its durations are %T, not numbers", t.Data)
	}
	return all, nil
}

// computed reports whether the next chunk takes no computing.
func (s *sound) computed() bool { return s.whole != nil || s.next >= s.end }

// setEnds notes at which sample the sound of each id ends, given how many frames each has. Without
// them each id gets the same share of the sound.
func (s *sound) setEnds(frames []int, samples int) error {
	if samples > maxSamples {
		return badf("%d ids make %d samples of sound; at most %d are possible", len(s.job.IDs), samples, maxSamples)
	}
	s.ends = make([]int, len(s.job.IDs))
	if frames == nil {
		for i := range s.ends {
			s.ends[i] = samples * (i + 1) / len(s.ends)
		}
		return nil
	}
	if len(frames) != len(s.ends) {
		return badf("it tells %d durations for %d ids", len(frames), len(s.ends))
	}
	sum := 0
	for i, n := range frames {
		sum += n
		s.ends[i] = sum * s.hop
	}
	if sum*s.hop != samples {
		return badf("its durations add up to %d samples, and its sound has %d", sum*s.hop, samples)
	}
	return nil
}

// chunk makes the next chunk; done says that there is none.
func (s *sound) chunk(ctx context.Context) (_ part, pcm []byte, done bool, err error) {
	if s.next >= s.end {
		return body, nil, true, nil
	}
	hop := s.hop
	// The grid of chunks begins with the body, whatever is made around it, so that the body
	// sounds the same with and without edges.
	of, start, stop := body, s.to, s.end
	switch {
	case s.next < s.from:
		of, start, stop = lead, max(0, s.from-s.job.Lead), s.from
	case s.next < s.to:
		start, stop = s.planned()
	default:
		of = trail
	}
	var samples []float32
	if s.whole != nil {
		samples = s.whole[s.next:stop]
	} else if samples, err = s.vocode(ctx, start/hop, (stop+hop-1)/hop); err == nil {
		// Of a chunk whose beginning is known already, all is made: a chunk that begins
		// elsewhere may differ in the last digit.
		first := start / hop * hop
		samples = samples[s.next-first : stop-first]
	}
	if err != nil {
		return of, nil, false, err
	}
	s.next = stop
	return of, quantize(samples, s.job.Gain), false, nil
}

// planned returns the samples of the chunk of the body in which next lies.
func (s *sound) planned() (start, stop int) {
	hop := s.hop
	frame, begin, size := (s.next-s.from)/hop, 0, firstChunk
	if frame >= firstChunk {
		size = s.model.later
		begin = firstChunk + (frame-firstChunk)/size*size
	}
	return s.from + begin*hop, min(s.to, s.from+(begin+size)*hop)
}

// vocode makes the samples of frames a to b.
func (s *sound) vocode(ctx context.Context, a, b int) ([]float32, error) {
	m := s.model
	w := m.cut.Window(s.latent, s.channels, a, b)
	out, err := run(ctx, m.vocoder, map[string]ort.Tensor{
		m.cut.Latent:     ort.Floats(w.Latent, 1, int64(s.channels), int64(w.Frames)),
		"sid":            ort.Ints([]int64{s.job.Speaker}),
		graph.TrimsInput: ort.Ints(w.Trims),
	}, m.cut.Sound)
	if err != nil {
		return nil, err
	}
	samples, ok := out[0].Data.([]float32)
	if !ok || len(samples) != w.Samples {
		return nil, badf("its vocoder makes %d samples of %d frames, not %d", len(samples), w.Frames, w.Samples)
	}
	return samples[w.Skip : w.Skip+(b-a)*s.hop], nil
}

// quantize returns samples of -1 to 1 as 16-bit PCM.
func quantize(samples []float32, gain float32) []byte {
	pcm := make([]byte, 0, 2*len(samples))
	for _, v := range samples {
		// Also of what is no number: it is silent.
		x := math.Round(float64(v) * float64(gain) * math.MaxInt16)
		if !(x >= math.MinInt16) {
			x = math.MinInt16
			if math.IsNaN(float64(v)) {
				x = 0
			}
		}
		pcm = binary.LittleEndian.AppendUint16(pcm, uint16(int16(min(x, math.MaxInt16))))
	}
	return pcm
}

func (j Job) check() error {
	if len(j.IDs) == 0 || j.Hop < 0 || j.Hop > maxHop || j.From < 0 || j.To < j.From || j.To > len(j.IDs) || j.Lead < 0 || j.Trail < 0 || j.Skip < 0 {
		return fmt.Errorf("a job for ids %d to %d of %d", j.From, j.To, len(j.IDs))
	}
	return nil
}

package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
)

// maxModel is the size of the largest file that is read as a model.
const maxModel = 2 << 30

// model is a model that is ready to run.
type model struct {
	facts     Facts
	hop       int    // samples of a frame; 0 if the model does not tell
	ids       string // name of the input
	durations string // name of the output; "" if the model does not tell
	sound     string
	speed     ort.Element // of the input "speed" of Kokoro's models

	whole          *ort.Session // nil if the model is cut
	cut            *graph.Cut   // without its parts
	front, vocoder *ort.Session
	later          int // frames of a chunk after the first
}

func (m *model) close() {
	for _, s := range []*ort.Session{m.whole, m.front, m.vocoder} {
		if s != nil {
			s.Close()
		}
	}
}

// badModel is an error that a model is to blame for.
type badModel struct{ error }

// blame returns an error of the runtime as the fault of the model, but for want of memory: other
// models may have taken that.
func blame(err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "allocate memory") || strings.Contains(err.Error(), "bad_alloc"):
		return fmt.Errorf("%w: %w", errMemory, err)
	}
	return badModel{err}
}

// errMemory says that a model, or a run of it, needs more memory than there is.
var errMemory = errors.New("the memory that is allowed for models does not suffice")

func badf(format string, args ...any) error { return badModel{fmt.Errorf(format, args...)} }

// modelName names a model of the shelf.
type modelName struct {
	kind   Kind
	path   string
	digest string
	whole  bool
}

// read reads the file of a model.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the file of the model cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("the file of the model cannot be read: %w", err)
	case !info.Mode().IsRegular():
		return nil, errors.New("the model must be a regular file")
	case info.Size() > maxModel:
		return nil, fmt.Errorf("the model may have at most %d bytes; it has %d", maxModel, info.Size())
	}
	b := make([]byte, info.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, fmt.Errorf("the file of the model cannot be read: %w", err)
	}
	return b, nil
}

// maxOutput is how many bytes a tensor may have that a model returns: the latent of ten minutes of
// speech has half of it. It keeps the memory that is copied out of a model small.
const maxOutput = 128 << 20

// load reads a model and makes its sessions.
func load(lib *ort.Library, name modelName) (_ *model, err error) {
	file, err := read(name.path)
	if err != nil {
		return nil, badModel{err}
	}
	if sum := sha256.Sum256(file); name.digest != "" && hex.EncodeToString(sum[:]) != name.digest {
		return nil, badf("the file of the model has changed since it was added")
	}
	g, err := graph.Parse(file)
	if err != nil {
		return nil, badModel{err}
	}
	m := &model{later: laterChunk(0)}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	if err := m.check(name.kind, g); err != nil {
		return nil, badModel{err}
	}
	if g, err = m.prepare(g); err != nil {
		return nil, badModel{err}
	}
	options := ort.Options{MaxOutputBytes: maxOutput}
	if name.kind == Piper {
		if cut, err := g.Cut(); err == nil {
			if !name.whole {
				return m, m.openCut(lib, cut, options)
			}
			m.hop = cut.Hop
		}
	}
	m.whole, err = lib.NewSession(g.Bytes(), options)
	return m, blame(err)
}

// check finds the inputs and outputs that models of a kind have.
func (m *model) check(kind Kind, g *graph.Model) error {
	f, ok := families[kind]
	if !ok {
		return fmt.Errorf("no models of the kind %q are known", kind)
	}
	for _, name := range f.ids {
		if g.HasInput(name) {
			m.ids = name
		}
	}
	for _, name := range f.others {
		if !g.HasInput(name) {
			m.ids = ""
		}
	}
	if m.ids == "" {
		usual := append(slices.Clone(f.ids[len(f.ids)-1:]), f.others...)
		return fmt.Errorf("its inputs are %s; a voice of %s's kind has %s", named(g.Inputs()), kind, strings.Join(usual, ", "))
	}
	for _, in := range g.Inputs() {
		if in.Name == "speed" {
			m.speed = ort.Element(in.Element)
		}
	}
	outputs := g.Outputs()
	for _, out := range outputs {
		// What is not the sound is the durations, whatever they are called.
		if slices.Contains([]string{"output", "audio", "waveform"}, out.Name) || len(outputs) == 1 {
			m.sound = out.Name
		}
	}
	if m.sound == "" {
		return fmt.Errorf("its outputs are %s; the sound would be output, audio or waveform", named(outputs))
	}
	return nil
}

func named(values []graph.Value) string {
	var all []string
	for _, v := range values {
		all = append(all, v.Name)
	}
	return strings.Join(all, ", ")
}

// prepare makes the model tell the durations, and take its noise from outside.
func (m *model) prepare(g *graph.Model) (*graph.Model, error) {
	if name, err := g.Durations(); err == nil {
		m.durations = name
		if !g.HasOutput(name) {
			if g, err = g.WithOutputs(name); err != nil {
				return nil, err
			}
		}
	}
	quiet, drawn, err := g.TakeNoise()
	if err != nil {
		m.facts.Fickle = true
		return g, nil //nolint:nilerr // the model can be spoken all the same
	}
	m.facts.Noisy = drawn > 0
	return quiet, nil
}

func (m *model) openCut(lib *ort.Library, cut *graph.Cut, options ort.Options) (err error) {
	m.facts.Cut, m.hop = true, cut.Hop
	if m.front, err = lib.NewSession(cut.Front.Bytes(), options); err != nil {
		return blame(err)
	}
	if m.vocoder, err = lib.NewSession(cut.Vocoder.Bytes(), options); err != nil {
		return blame(err)
	}
	// The models of the cut refer to the whole file, which the sessions need no longer.
	places := *cut
	places.Front, places.Vocoder = nil, nil
	m.cut, m.later = &places, laterChunk(cut.Work)
	return nil
}

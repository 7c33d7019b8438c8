package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/ort"
)

// maxModel is the size of the largest file that is read as a model.
const maxModel = 2 << 30

// model is a model that is ready to run.
type model struct {
	facts     Facts
	ids       string // name of the input
	durations string // name of the output; "" if the model does not tell
	sound     string
	speed     ort.Element // of the input "speed" of Kokoro's models

	whole          *ort.Session // nil if the model is cut
	cut            *graph.Cut   // without its parts
	front, vocoder *ort.Session
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

func badf(format string, args ...any) error { return badModel{fmt.Errorf(format, args...)} }

// modelName names a model of the shelf.
type modelName struct {
	kind   Kind
	path   string
	digest string
	whole  bool
}

// load reads a model and makes its sessions.
func load(lib *ort.Library, name modelName) (_ *model, err error) {
	info, err := os.Stat(name.path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxModel {
		return nil, badf("the model has %d bytes; at most %d are allowed", info.Size(), maxModel)
	}
	file, err := os.ReadFile(name.path)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(file); name.digest != "" && hex.EncodeToString(sum[:]) != name.digest {
		return nil, badf("the file of the model has changed since it was added")
	}
	g, err := graph.Parse(file)
	if err != nil {
		return nil, badModel{err}
	}
	m := &model{}
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
	// Weights are in memory once for each session, and arenas grow to about the same again.
	m.facts.Memory = 2 * info.Size()
	if name.kind == Piper && !name.whole {
		if cut, err := g.Cut(); err == nil {
			return m, m.openCut(lib, cut)
		}
	}
	if m.whole, err = lib.NewSession(g.Bytes(), ort.Options{}); err != nil {
		return nil, badModel{err}
	}
	return m, nil
}

// check finds the inputs and outputs that models of a kind have.
func (m *model) check(kind Kind, g *graph.Model) error {
	names := map[Kind][]string{Piper: {"input"}, Kokoro: {"tokens", "input_ids"}}[kind]
	for _, name := range names {
		if g.HasInput(name) {
			m.ids = name
		}
	}
	needs := map[Kind][]string{Piper: {"input_lengths", "scales"}, Kokoro: {"style", "speed"}}[kind]
	for _, name := range needs {
		if !g.HasInput(name) {
			m.ids = ""
		}
	}
	if m.ids == "" {
		return fmt.Errorf("its inputs are %s; a voice of %s's kind has %s and %s", named(g.Inputs()), kind, names[len(names)-1], needs)
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
	m.facts.Hop = map[Kind]int{Piper: 256, Kokoro: 600}[kind]
	return nil
}

func named(values []graph.Value) []string {
	var all []string
	for _, v := range values {
		all = append(all, v.Name)
	}
	return all
}

// prepare makes the model tell the durations, and take its noise from outside.
func (m *model) prepare(g *graph.Model) (*graph.Model, error) {
	if name, err := g.Durations(); err == nil {
		m.durations, m.facts.Timed = name, true
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

func (m *model) openCut(lib *ort.Library, cut *graph.Cut) (err error) {
	m.facts.Cut, m.facts.Hop, m.facts.Margin = true, cut.Hop, cut.Margin
	m.facts.Timed = true
	if m.front, err = lib.NewSession(cut.Front.Bytes(), ort.Options{}); err != nil {
		return badModel{err}
	}
	if m.vocoder, err = lib.NewSession(cut.Vocoder.Bytes(), ort.Options{}); err != nil {
		return badModel{err}
	}
	// The models of the cut refer to the whole file, which the sessions need no longer.
	m.cut = &graph.Cut{Latent: cut.Latent, Durations: cut.Durations, Sound: cut.Sound, Channels: cut.Channels, Hop: cut.Hop, Margin: cut.Margin}
	return nil
}

// shelf keeps models that were used of late, as far as memory reaches.
type shelf struct {
	lib  *ort.Library
	most int64 // bytes of all models; 0 is no limit

	mu   sync.Mutex
	held map[modelName]*held
}

// held is a model of the shelf.
type held struct {
	ready chan struct{} // closed when model and err are set
	model *model
	err   error
	users int
	used  time.Time // when the last user has left
}

// errFull says that no memory is left for another model.
var errFull = errors.New("the models in use take all of the memory that is allowed for them")

// get returns a model, which must be put back. It may be loaded by another caller at the time.
func (s *shelf) get(ctx context.Context, name modelName) (*model, error) {
	s.mu.Lock()
	h := s.held[name]
	first := h == nil
	if first {
		h = &held{ready: make(chan struct{})}
		s.held[name] = h
	}
	h.users++
	s.mu.Unlock()
	if first {
		h.model, h.err = s.load(name)
		close(h.ready)
	}
	select {
	case <-h.ready:
	case <-ctx.Done():
		s.put(name)
		return nil, context.Cause(ctx)
	}
	if h.err != nil {
		s.put(name)
		return nil, h.err
	}
	return h.model, nil
}

// load makes room for a model and loads it.
func (s *shelf) load(name modelName) (*model, error) {
	info, err := os.Stat(name.path)
	if err != nil {
		return nil, err
	}
	if !s.free(name, 2*info.Size()) {
		return nil, errFull
	}
	return load(s.lib, name)
}

// free closes models that nobody uses, those first that were not used for the longest time, until
// another of some bytes fits. It reports whether it does. A model is never refused for being
// larger than the limit if it would be the only one.
func (s *shelf) free(name modelName, bytes int64) bool {
	if s.most == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		total, others := bytes, 0
		var oldest *modelName
		for other, h := range s.held {
			if other == name {
				continue
			}
			others++
			if m := h.loaded(); m != nil {
				total += m.facts.Memory
			}
			if h.users == 0 && (oldest == nil || h.used.Before(s.held[*oldest].used)) {
				oldest = &other
			}
		}
		switch {
		case total <= s.most || others == 0:
			return true
		case oldest == nil:
			return false
		}
		s.drop(*oldest)
	}
}

// loaded returns the model once it is there.
func (h *held) loaded() *model {
	select {
	case <-h.ready:
		return h.model
	default:
		return nil
	}
}

// put gives a model back.
func (s *shelf) put(name modelName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[name]
	h.users--
	h.used = time.Now()
	if h.users == 0 && h.err != nil {
		delete(s.held, name) // the next one may succeed
	}
}

// drop closes a model that nobody uses. s.mu is held.
func (s *shelf) drop(name modelName) {
	if m := s.held[name].loaded(); m != nil {
		m.close()
	}
	delete(s.held, name)
}

// dropIdle closes the models that were not used for some time.
func (s *shelf) dropIdle(after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, h := range s.held {
		if h.users == 0 && time.Since(h.used) >= after {
			s.drop(name)
		}
	}
}

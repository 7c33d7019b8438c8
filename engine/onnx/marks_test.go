package onnx_test

import (
	"math"
	"testing"

	"vaak/engine"
	"vaak/engine/ipa"
	"vaak/engine/onnx"
	"vaak/engine/onnx/collection"
	kokoroformat "vaak/engine/onnx/kokoro"
	piperformat "vaak/engine/onnx/piper"
	"vaak/engine/onnx/symbols"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
	"vaak/text"
)

// encoded returns the ids in which the first speaker of a model speaks an utterance.
func encoded(t testing.TB, m *collection.Model, u engine.Utterance) []symbols.Piece {
	t.Helper()
	whole, body := ipa.Join(u.Before, u.Text, u.After)
	o := symbols.Options{Body: body, Foreign: u.Language != m.Speakers[0].Language}
	from, err := m.Sources()
	if err != nil {
		t.Fatal(err)
	}
	if config := from.Config; config != nil {
		reading, err := reader(t).Transcribe(t.Context(), u.Language, config.Reader, whole)
		if err != nil {
			t.Fatal(err)
		}
		return piperformat.NewEncoder(config).Encode(reading, o).Pieces
	}
	reading, err := reader(t).Transcribe(t.Context(), u.Language, m.Speakers[0].Region, whole)
	if err != nil {
		t.Fatal(err)
	}
	return kokoroformat.NewEncoder(from.Vocabulary, m.Speakers[0].Language, m.Speakers[0].Region).Encode(reading, o).Pieces
}

// onset returns the sample at which a tone begins, of those from one to another: where it is half
// as strong as where it is strongest.
func onset(pcm []float32, from, to, window int, frequency float64) int {
	const step = 16
	strength := func(at int) float64 {
		if at < 0 || at+window > len(pcm) {
			return 0
		}
		return tiny.Strength(pcm[at:at+window], frequency)
	}
	most := 0.0
	for at := from; at < to; at += step {
		most = max(most, strength(at))
	}
	for at := from; at < to; at += step {
		if strength(at) > most/2 {
			return at
		}
	}
	return to
}

func floats(pcm []int16) []float32 {
	all := make([]float32, len(pcm))
	for i, v := range pcm {
		all[i] = float32(v) / math.MaxInt16
	}
	return all
}

// TestWordsBeginWhereTheySay looks for the tone of each word's first sound. It begins within a
// frame of the word's mark.
func TestWordsBeginWhereTheySay(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	for _, of := range []struct {
		name, dir string
		hop       int
		tone      func(int64) int
	}{
		{"piper", piper(t, tiny.PiperOptions{}), tiny.Hop, tiny.PiperTone},
		{"piper uncut", piper(t, tiny.PiperOptions{Whole: true}), tiny.Hop, tiny.PiperTone},
		{"kokoro", kokoro(t), tiny.KokoroHop, tiny.KokoroTone},
	} {
		m := add(t, e, of.dir)
		inside := says(m, 0, "two ships left the harbour; nobody knew why")
		inside.Before, inside.After, inside.Continues = "It is told that", "they had done so.", true
		for _, u := range []engine.Utterance{
			says(m, 0, fox), says(m, 0, "Seven hundred and twelve wet dogs, one cat. Who knew? I did!"), inside,
		} {
			testOnsets(t, e, m, of.name, u, of.hop, of.tone)
		}
	}
}

func testOnsets(t *testing.T, e *onnx.Engine, m *collection.Model, name string, u engine.Utterance, hop int, tone func(int64) int) {
	t.Helper()
	s := speak(t, e, u)
	var first []int64 // sound of each word
	for _, p := range encoded(t, m, u) {
		for _, w := range p.Words {
			if w.From < w.To {
				first = append(first, p.IDs[w.From])
			}
		}
	}
	if len(first) != len(s.Words) {
		t.Fatalf("%s: %d words are told, and %d are spoken", name, len(s.Words), len(first))
	}
	pcm, last := floats(s.PCM), engine.Word{Start: -1, Sample: -1}
	for i, w := range s.Words {
		if w.Start < last.Start || w.Sample <= last.Sample || w.Sample > len(s.PCM) {
			t.Errorf("%s: word %+v comes after %+v", name, w, last)
		}
		last = w
		cycles := tone(first[i])
		if cycles == 0 {
			t.Fatalf("%s: word %d begins with id %d, which is silent", name, i, first[i])
		}
		// A sound lasts at least three frames, and the silence before it one.
		began := onset(pcm, w.Sample-2*hop, w.Sample+3*hop, hop, float64(cycles)/float64(hop))
		if d := began - w.Sample; d < -hop || d > hop {
			t.Errorf("%s: the sound of %q begins %d samples from its mark at %d; a frame has %d", name, u.Text[w.Start:w.End], d, w.Sample, hop)
		}
	}
}

// TestDurationsAreTheSound: what the model tells of the lengths adds up to the sound, to the sample.
func TestDurationsAreTheSound(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	p := process(t, worker.Settings{})
	for name, dir := range kinds(t) {
		m := add(t, e, dir)
		for _, ids := range [][]symbols.Piece{encoded(t, m, says(m, 0, fox)), encoded(t, m, says(m, 0, "A."))} {
			for _, piece := range ids {
				j := jobOf(t, m, 0, piece.IDs)
				ends, pcm := take(t, p, j)
				if len(ends) != len(j.IDs) || ends[len(ends)-1] != len(pcm) || len(pcm) == 0 {
					t.Errorf("%s: %d ids end at %d, and there are %d samples", name, len(ends), ends[len(ends)-1], len(pcm))
				}
				// A part is that of the whole.
				j.From, j.To = len(j.IDs)/3, len(j.IDs)*2/3
				_, part := take(t, p, j)
				if want := ends[j.To-1] - ends[j.From-1]; len(part) != want {
					t.Errorf("%s: ids %d to %d have %d samples, want %d", name, j.From, j.To, len(part), want)
				}
			}
		}
	}
}

// jobOf returns the job of a speaker that says some ids with all that surrounds them.
func jobOf(t testing.TB, m *collection.Model, speaker int, ids []int64) worker.Job {
	t.Helper()
	j := worker.Job{Kind: m.Kind, Model: m.ModelPath(), Digest: m.Digest, IDs: ids, To: len(ids), Speaker: int64(speaker), Scales: [3]float32{0.667, 1, 0.8}, Seed: 1, Gain: 1}
	if m.Kind == worker.Kokoro {
		from, err := m.Sources()
		if err != nil {
			t.Fatal(err)
		}
		style, _, err := from.Speaker(m.Speakers[speaker])
		if err != nil {
			t.Fatal(err)
		}
		j.Style = style.Row(len(ids) - 2)
	}
	return j
}

// process returns a worker without an engine.
func process(t testing.TB, set worker.Settings, environment ...string) *worker.Process {
	t.Helper()
	p, err := worker.Start(command(t, set, environment...), quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// take returns where the ids of a job end, and all of its sound.
func take(t testing.TB, p *worker.Process, j worker.Job) (ends []int, pcm []int16) {
	t.Helper()
	j.To = max(j.To, 1)
	d, err := p.Do(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for {
		c, ok, err := d.Chunk(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return d.Ends(), pcm
		}
		pcm = append(pcm, c.PCM...)
	}
}

// TestLeftOut: what a voice does not speak is told, and nothing else is.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	e := open(t, t.TempDir())
	m := add(t, e, piper(t, tiny.PiperOptions{}))
	var leftOut []text.Span
	u := says(m, 0, "Good \ufffd morning, \U0001d11e all.")
	words := 0
	err := e.Synthesize(t.Context(), u, engine.SinkFunc(func(f engine.Frame) error {
		leftOut = append(leftOut, f.LeftOut...)
		words += len(f.Words)
		return nil
	}))
	if err != nil || words < 3 {
		t.Errorf("Synthesize = %v with %d words", err, words)
	}
	for i, s := range leftOut {
		if s.Start >= s.End || s.End > len(u.Text) || i > 0 && s.Start < leftOut[i-1].End {
			t.Errorf("left out are %v", leftOut)
		}
	}
}

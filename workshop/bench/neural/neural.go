// Package neural measures neural voices beside the bare runtime: what a second of their audio
// costs, how soon it comes, how many can be heard at once, and what memory they take.
//
// The voices have the true sizes of Piper's medium quality and of Kokoro-82M and random weights, so
// that they cost what real ones cost. What they say is noise.
package neural

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/ort"
	"vaak/engine/onnx/shaped"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/rig"
	"vaak/workshop/bench/server"
)

// bench is what the measurements share.
type bench struct {
	*rig.Bench
	dir     string
	library string // path of ONNX Runtime
	program string // path of vaak
	model   string // path of the model
	digest  string
	bare    *bare
	server  *server.Server // that has the voice
	lang    corpus.Language

	kind    worker.Kind
	rate    int // of the voice, in Hz
	lengths []length
	runs    func(usual int) int // how often a sentence is measured
}

// Measure measures a voice of either kind. On a machine without ONNX Runtime it measures nothing.
func Measure(ctx context.Context, b *rig.Bench) (_ []report.Part, err error) {
	n := &bench{Bench: b, dir: filepath.Join(b.Dir, "neural")}
	if n.program, err = filepath.Abs(filepath.Join(b.Settings.Bin, "vaak")); err != nil {
		return nil, err
	}
	n.library = filepath.Join(filepath.Dir(n.program), "libonnxruntime.so")
	if _, err := os.Stat(n.library); err != nil {
		return []report.Part{report.Prose("Not measured: there is no ONNX Runtime. `tools/install onnx` brings it.")}, nil
	}
	all, err := n.measurePiper(ctx)
	if err != nil {
		return nil, err
	}
	k := &bench{Bench: b, dir: filepath.Join(n.dir, "kokoro"), program: n.program, library: n.library}
	parts, err := k.measureKokoro(ctx)
	return append(all, parts...), err
}

func (n *bench) measurePiper(ctx context.Context) ([]report.Part, error) {
	n.kind, n.rate, n.lengths, n.runs = worker.Piper, 22050, piperLengths, func(usual int) int { return usual }
	model, config := shaped.Piper(1, shaped.Medium)
	if err := n.prepare(ctx, model, "0", "en_US-shaped-medium.onnx", map[string][]byte{"en_US-shaped-medium.onnx.json": config}); err != nil {
		return nil, err
	}
	defer n.server.Stop()
	intro := report.Prose("A voice of the size and cost of Piper's medium quality with random weights (`engine/onnx/shaped`), one thread a run. " +
		"The bare runtime computes the graph as it is published, whole, in one process with nothing beside it; Vaak cuts it, and computes its sound in chunks.")
	return n.all(ctx, intro, n.cost, n.firstAudio, n.listeners, n.beside, n.memory)
}

// measureKokoro measures a voice of Kokoro's shape, which is computed as a whole, a clause at a time.
func (n *bench) measureKokoro(ctx context.Context) ([]report.Part, error) {
	// Each sentence takes seconds of a processor, by which its time hardly differs.
	n.kind, n.rate, n.lengths, n.runs = worker.Kokoro, 24000, kokoroLengths, func(int) int { return min(2, n.Plan.Rounds) }
	voices := map[string][]byte{"voices-v1.0.bin": tiny.NPZVoices(1, false), "config.json": tiny.KokoroConfig()}
	if err := n.prepare(ctx, shaped.Kokoro(1), tiny.KokoroVoices(1)[0], "kokoro.onnx", voices); err != nil {
		return nil, err
	}
	defer n.server.Stop()
	intro := report.Prose("The same of a voice of the shape of Kokoro-82M, whose sound cannot be made in pieces: Vaak computes a clause at a time. " +
		"The sentences of the server's rows have a comma after every sixth word; the others have no clauses.")
	return n.all(ctx, intro, n.cost, n.firstAudio, n.few)
}

// all makes some measurements.
func (n *bench) all(ctx context.Context, intro report.Part, measures ...func(context.Context) ([]report.Part, error)) ([]report.Part, error) {
	all := []report.Part{intro}
	for _, measure := range measures {
		parts, err := measure(ctx)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// prepare adds a model, which has other files beside it, to a data directory, and starts a server
// there. The voice is the model's speaker of that key.
func (n *bench) prepare(ctx context.Context, model []byte, key, name string, files map[string][]byte) error {
	folder := filepath.Join(n.dir, "voice")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	sum := sha256.Sum256(model)
	n.model, n.digest = filepath.Join(folder, name), hex.EncodeToString(sum[:])
	err := os.WriteFile(n.model, model, 0o600)
	for name, b := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), b, 0o600))
	}
	if err != nil {
		return err
	}
	if n.bare, err = openBare(n, model); err != nil {
		return err
	}
	// Where the server's data will be; see server.StartVaak.
	state := filepath.Join(n.dir, "state")
	if _, err := server.Command(ctx, n.program, "voice", "add", "--data-dir", state, n.model); err != nil {
		return err
	}
	if n.server, err = server.StartVaak(ctx, n.Settings, n.dir); err != nil {
		return err
	}
	n.lang = corpus.English
	n.lang.Voice = collection.IDOf(n.digest, key)
	// The first one loads the model.
	_, _, err = n.heard(n.sentence(8, 0))
	if err != nil {
		n.server.Stop()
	}
	return err
}

// sample returns a text for the voice.
func (n *bench) sample(text string) corpus.Sample {
	return corpus.Sample{Lang: n.lang, Size: len(text), Text: text}
}

// sentence returns a sentence of so many words, other ones for each number.
func (n *bench) sentence(words, number int) corpus.Sample {
	return n.sample(strings.Join(n.sentences(1, words, number), " "))
}

// sentences returns some sentences of words, with commas where the voice is computed by clauses.
func (n *bench) sentences(count, words, number int) []string {
	all := sentences(count, words, number)
	if n.kind != worker.Kokoro {
		return all
	}
	const clause = 6
	for i, s := range all {
		var clauses []string
		for part := range slices.Chunk(strings.Fields(s), clause) {
			clauses = append(clauses, strings.Join(part, " "))
		}
		all[i] = strings.Join(clauses, ", ")
	}
	return all
}

// sentences returns some sentences of words that have no marks.
func sentences(n, words, number int) []string {
	t, err := corpus.Shuffled(corpus.English, n*words*12, number)
	if err != nil {
		panic(err) // the corpus is part of this program
	}
	var plain []string
	for _, w := range strings.Fields(t.Text) {
		if w = strings.Trim(w, ".,;:!?—–()“”\"'"); w != "" {
			plain = append(plain, strings.ToLower(w))
		}
	}
	var all []string
	for part := range slices.Chunk(plain, words) {
		if len(all) < n {
			all = append(all, strings.ToUpper(part[0][:1])+strings.Join(part, " ")[1:]+".")
		}
	}
	return all
}

// heard speaks a text to its end. It returns when its first audio came, and how many seconds it sounds.
func (n *bench) heard(t corpus.Sample) (first time.Duration, seconds float64, err error) {
	c, err := client.Dial(n.server)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	server.Nap(n.Plan.Rest)
	began := time.Now()
	if err := c.Ask(n.server.Request(t)); err != nil {
		return 0, 0, err
	}
	bytes, err := c.Count(func(int) {
		if first == 0 {
			first = time.Since(began)
		}
	})
	return first, n.server.Seconds(bytes), err
}

// process starts a worker of neural voices that belongs to no server.
func (n *bench) process() (*worker.Process, error) {
	return worker.Start(func() *exec.Cmd {
		return exec.Command(n.program, "onnx-worker", "--onnxruntime", n.library, "--max-neural-memory", strconv.Itoa(4<<30))
	}, quiet)
}

// job is a text of so many symbols for a worker.
func (n *bench) job(symbols int) worker.Job {
	ids := n.ids(symbols)
	j := worker.Job{Kind: n.kind, Model: n.model, Digest: n.digest, IDs: ids, To: len(ids), Seed: 1, Gain: 1}
	if n.kind == worker.Kokoro {
		j.Style = styleOf(symbols)
	} else {
		j.Scales = scales
	}
	return j
}

// ids returns ids as the front end makes them: of Piper's kind with a pad behind each symbol.
func (n *bench) ids(symbols int) []int64 {
	if n.kind == worker.Kokoro {
		ids := make([]int64, symbols+2)
		for i := range symbols {
			ids[i+1] = int64(43 + i*7%100)
		}
		return ids
	}
	ids := []int64{1, 0}
	for i := range symbols {
		ids = append(ids, int64(14+i*7%100), 0)
	}
	return append(ids, 2)
}

// inputs are those of the model as it is published.
func (n *bench) inputs(symbols int) map[string]ort.Tensor {
	ids := n.ids(symbols)
	count := int64(len(ids))
	if n.kind == worker.Kokoro {
		return map[string]ort.Tensor{"tokens": ort.Ints(ids, 1, count), "style": ort.Floats(styleOf(symbols), 1, tiny.StyleWidth), "speed": ort.Floats([]float32{1})}
	}
	return map[string]ort.Tensor{"input": ort.Ints(ids, 1, count), "input_lengths": ort.Ints([]int64{count}), "scales": ort.Floats(scales[:])}
}

// styleOf returns the style for a text of so many symbols.
func styleOf(symbols int) []float32 {
	return tiny.KokoroStyle(0)[(symbols-1)*tiny.StyleWidth:][:tiny.StyleWidth]
}

// scales are those of Piper's configurations.
var scales = [3]float32{0.667, 1, 0.8}

// length is a sentence that is measured, by the seconds that it lasts, about, with the words and
// symbols that make it so long.
type length struct {
	seconds        int
	words, symbols int
	soon           time.Duration // how soon the first audio is wanted; 0 is no target
}

var (
	piperLengths  = []length{{2, 5, 24, 90 * time.Millisecond}, {6, 14, 72, 170 * time.Millisecond}, {15, 35, 180, 350 * time.Millisecond}}
	kokoroLengths = []length{{2, 5, 28, 0}, {5, 12, 75, 0}, {8, 19, 120, 0}}
)

func lasting(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func (n *bench) audioOf(samples int) time.Duration {
	return time.Duration(samples) * time.Second / time.Duration(n.rate)
}

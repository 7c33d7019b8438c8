// Package neural measures neural voices beside the bare runtime: what a second of their audio
// costs, how soon it comes, how many can be heard at once, and what memory they take.
//
// The voice has the true size of one of medium quality and random weights, so that it costs what a
// real one costs. What it says is noise.
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
	"vaak/engine/onnx/shaped"
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
}

// Measure measures a voice of medium quality. On a machine without ONNX Runtime it measures nothing.
func Measure(ctx context.Context, b *rig.Bench) (_ []report.Part, err error) {
	n := &bench{Bench: b, dir: filepath.Join(b.Dir, "neural")}
	if n.program, err = filepath.Abs(filepath.Join(b.Settings.Bin, "vaak")); err != nil {
		return nil, err
	}
	n.library = filepath.Join(filepath.Dir(n.program), "libonnxruntime.so")
	if _, err := os.Stat(n.library); err != nil {
		return []report.Part{report.Prose("Not measured: there is no ONNX Runtime. `tools/install onnx` brings it.")}, nil
	}
	if err := n.prepare(ctx); err != nil {
		return nil, err
	}
	defer n.server.Stop()
	all := []report.Part{report.Prose("A voice of the size and cost of Piper's medium quality with random weights (`engine/onnx/shaped`), one thread a run. " +
		"The bare runtime computes the graph as it is published, whole, in one process with nothing beside it; Vaak cuts it, and computes its sound in chunks.")}
	for _, measure := range []func(context.Context) ([]report.Part, error){n.cost, n.firstAudio, n.listeners, n.beside, n.memory} {
		parts, err := measure(ctx)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// prepare makes the voice, adds it to a data directory, and starts a server there.
func (n *bench) prepare(ctx context.Context) error {
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	model, config := shaped.Piper(1, shaped.Medium)
	sum := sha256.Sum256(model)
	n.model, n.digest = filepath.Join(n.dir, "en_US-shaped-medium.onnx"), hex.EncodeToString(sum[:])
	err := errors.Join(os.WriteFile(n.model, model, 0o600), os.WriteFile(n.model+".json", config, 0o600))
	if err != nil {
		return err
	}
	if n.bare, err = openBare(n.library, model); err != nil {
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
	n.lang.Voice = collection.IDOf(n.digest, "0")
	// The first one loads the model.
	_, err = n.seconds(n.sentence(8, 0))
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
	return n.sample(strings.Join(sentences(1, words, number), " "))
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

// seconds speaks a text to its end and returns how long it sounds.
func (n *bench) seconds(t corpus.Sample) (float64, error) {
	c, err := client.Dial(n.server)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	bytes, err := c.Whole(n.server.Request(t))
	return n.server.Seconds(bytes), err
}

// process starts a worker of neural voices that belongs to no server.
func (n *bench) process() (*worker.Process, error) {
	return worker.Start(func() *exec.Cmd {
		return exec.Command(n.program, "onnx-worker", "--onnxruntime", n.library, "--max-neural-memory", strconv.Itoa(4<<30))
	}, quiet)
}

// job is a text of so many symbols for a worker.
func (n *bench) job(symbols int) worker.Job {
	ids := idsOf(symbols)
	return worker.Job{Kind: worker.Piper, Model: n.model, Digest: n.digest, IDs: ids, To: len(ids), Scales: scales, Seed: 1, Gain: 1}
}

// idsOf returns ids as the front end makes them: a pad behind each symbol.
func idsOf(symbols int) []int64 {
	ids := []int64{1, 0}
	for i := range symbols {
		ids = append(ids, int64(14+i*7%100), 0)
	}
	return append(ids, 2)
}

// scales are those of Piper's configurations.
var scales = [3]float32{0.667, 1, 0.8}

// rate is that of the voice, in Hz.
const rate = 22050

// lengths are the sentences that are measured, by the seconds that they last, about, with the
// words and symbols that make them so long, and how soon the first audio is wanted.
var lengths = []struct {
	seconds        int
	words, symbols int
	soon           time.Duration
}{
	{2, 5, 24, 90 * time.Millisecond}, {6, 14, 72, 170 * time.Millisecond}, {15, 35, 180, 350 * time.Millisecond},
}

func lasting(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func audioOf(samples int) time.Duration {
	return time.Duration(samples) * time.Second / rate
}

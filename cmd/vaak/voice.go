package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"time"

	"vaak/account"
	"vaak/app/deployment"
	"vaak/app/speaker"
	"vaak/app/usage"
	"vaak/audio"
	"vaak/engine/onnx"
	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/worker"
	"vaak/lang"
	"vaak/speech"
	"vaak/speech/passage"
	"vaak/voice"
)

type voiceCommand struct {
	Add    voiceAddCommand    `cmd:"" help:"Add neural voices from files of Piper's or Kokoro's kind; a server that runs offers them within seconds."`
	List   voiceListCommand   `cmd:"" help:"List the voices that were added: id, name, language, gender, model, quality, sample rate, seconds of a processor for a second of speech, licence."`
	Show   voiceShowCommand   `cmd:"" help:"Show a model that was added, one name and value a line, and what its model card says."`
	Remove voiceRemoveCommand `cmd:"" help:"Remove a model that was added, with all of its voices."`
	Test   voiceTestCommand   `cmd:"" help:"Speak a sentence with a voice that was added, and tell how long it took."`
}

// addedFlags say where the added voices are.
type addedFlags struct {
	DataDir string `help:"Data directory of the server." default:"var" placeholder:"DIR" type:"path"`
	engineFlags
}

func (f addedFlags) settings() speaker.Engine { return f.engine(deployment.Place{DataDir: f.DataDir}) }

// collection returns the voices that were added. A directory that is not there is an error: a
// mistyped one would look as if there were none.
func (f addedFlags) collection() (*collection.Collection, error) {
	dir, flag := f.DataDir, "--data-dir"
	if f.VoiceDir != "" {
		dir, flag = f.VoiceDir, "--voice-dir"
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("there is no directory %s; %s names that of the server, and vaak voice add makes a new one", dir, flag)
	}
	return collection.In(f.settings().Neural.Dir), nil
}

// find returns the model that a name means, with the speakers that it means.
func (f addedFlags) find(name string) (*collection.Model, []collection.Speaker, error) {
	added, err := f.collection()
	if err != nil {
		return nil, nil, err
	}
	m, speakers, err := added.Find(name)
	return m, speakers, asUsage(err)
}

type voiceAddCommand struct {
	addedFlags
	jsonFlag
	Name    string   `help:"Name of the voice. Default: made of the name of its file." placeholder:"NAME"`
	Gender  string   `help:"Gender of the voice where its files do not tell it: female, male or neutral." enum:",female,male,neutral" default:"" placeholder:"G"`
	Lang    string   `help:"Language of voices whose names do not tell it." placeholder:"L"`
	License string   `help:"Licence of the voice. Default: what its MODEL_CARD says." placeholder:"TEXT"`
	Files   []string `arg:"" help:"NAME.onnx with NAME.onnx.json beside it; or a model of Kokoro's kind with the files of its voices; or a directory that has them." type:"existingpath"`
}

// Help is the rest of what --help shows.
func (voiceAddCommand) Help() string {
	return `The model is copied to the data directory, and checked: it must load, know the sounds of its language, and speak a sentence. Its id depends on its content alone, so it is the same on every server.

A MODEL_CARD beside the model is kept, and its licence shown wherever the voice is. Vaak does not judge it: many published voices may be used freely, and some may not be sold.

Examples:

    vaak voice add en_US-amy-medium.onnx
    vaak voice add kokoro-v1.0.onnx voices-v1.0.bin
    vaak voice add --gender male --name Anton ru_RU-custom.onnx
`
}

// Run adds a model and prints a line for each of its voices.
func (c voiceAddCommand) Run(ctx context.Context, s streams) (err error) {
	choices := collection.Choices{Name: c.Name, Gender: voice.Gender(c.Gender), License: c.License}
	if c.Lang != "" {
		tag, ok := lang.Find(c.Lang)
		if !ok || tag.IsZero() {
			return usage.Errorf("--lang: %.40q is not a supported language; %s", c.Lang, lang.Instead(c.Lang))
		}
		choices.Language = tag
	}
	e, err := c.settings().Open(logger(s, slog.LevelError))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := e.Neural.Start(); err != nil {
		return withoutRuntime(err)
	}
	d, err := e.Neural.Collection().Draft(c.Files, choices)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Discard()) }()
	tell := func(what string) { fmt.Fprintln(s.err, what) }
	if err := e.Neural.Audition(ctx, d, tell); err != nil {
		return fmt.Errorf("%s is not added: %w", d.Name, err)
	}
	m, err := d.Keep()
	if err != nil {
		return err
	}
	fmt.Fprintln(s.err, onnx.Describe(m))
	if c.JSON {
		return s.inertJSON(m)
	}
	return c.addedFlags.print(s, m)
}

// withoutRuntime says how to mend that ONNX Runtime cannot be used.
func withoutRuntime(err error) error {
	return fmt.Errorf("%w; tools/install onnx brings it, or --onnxruntime names it", err)
}

// print prints a line for each voice of a model.
func (addedFlags) print(s streams, m *collection.Model) error {
	for _, one := range m.Speakers {
		if err := s.line(string(one.ID), inert(one.Name), string(one.Language), string(one.Gender), inert(m.Name), cmp.Or(m.Quality, "-"), m.Rate, fmt.Sprintf("%.3f", m.Load), inert(cmp.Or(m.License, "-"))); err != nil {
			return err
		}
	}
	return nil
}

type voiceListCommand struct {
	addedFlags
	JSON bool `help:"Print them as JSON." name:"json"`
}

// Run prints a line for each voice.
func (c voiceListCommand) Run(s streams) error {
	added, err := c.collection()
	if err != nil {
		return err
	}
	models, err := added.List()
	if c.JSON {
		if models == nil {
			models = []*collection.Model{}
		}
		return errors.Join(s.inertJSON(models), err)
	}
	for _, m := range models {
		if err := c.print(s, m); err != nil {
			return err
		}
	}
	return err
}

type voiceShowCommand struct {
	addedFlags
	Voice string `arg:"" help:"Id or name of a voice, name of a model, or the beginning of its digest."`
	JSON  bool   `help:"Print it as JSON." name:"json"`
}

// Run prints a model.
func (c voiceShowCommand) Run(s streams) error {
	m, speakers, err := c.find(c.Voice)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.inertJSON(m)
	}
	chunks := "yes"
	if m.Whole || !m.Facts.Cut {
		chunks = "no, each sentence is computed before it begins"
	}
	rows := [][2]string{
		{"model", m.Name}, {"kind", string(m.Kind)}, {"quality", cmp.Or(m.Quality, "-")}, {"license", cmp.Or(m.License, "-")},
		{"sha256", m.Digest}, {"bytes", fmt.Sprint(m.Bytes)}, {"sample_rate", fmt.Sprint(m.Rate)}, {"chunks", chunks},
		{"load", fmt.Sprintf("%.3f", m.Load)}, {"added", m.Added.Format(time.RFC3339)}, {"directory", m.Dir},
	}
	for _, one := range speakers {
		rows = append(rows, [2]string{"voice", fmt.Sprintf("%s %s %s %s %+.1f dB", one.ID, one.Name, one.Language, one.Gender, 20*math.Log10(one.Gain))})
	}
	for _, r := range rows {
		if err := s.line(r[0], inert(r[1])); err != nil {
			return err
		}
	}
	if card := m.Card(); card != "" {
		_, err = fmt.Fprintf(s.out, "\n%s\n", strings.TrimSpace(strings.Join(inertLines(card), "\n")))
	}
	return err
}

type voiceRemoveCommand struct {
	addedFlags
	Voice string `arg:"" help:"Id or name of a voice, name of a model, or the beginning of its digest."`
	All   bool   `help:"Remove the model though it has other voices too."`
}

// Run removes a model.
func (c voiceRemoveCommand) Run(s streams) error {
	m, speakers, err := c.find(c.Voice)
	if err != nil {
		return err
	}
	if others := len(m.Speakers) - len(speakers); others > 0 && !c.All {
		return usage.Errorf("%s is one of %d voices of %s; --all removes all of them", speakers[0].Name, len(m.Speakers), m.Name)
	}
	if err := collection.In(c.settings().Neural.Dir).Remove(m); err != nil {
		return err
	}
	return c.print(s, m)
}

type voiceTestCommand struct {
	addedFlags
	Voice string `arg:"" help:"Id or name of a voice; the name of a model is its first voice."`
	Text  string `arg:"" optional:"" help:"What to say. Default: the sentence of its preview."`
	jsonFlag
	Output string `short:"o" help:"WAV file to write." placeholder:"FILE" type:"path"`
}

// Run speaks a sentence and prints how long it took.
func (c voiceTestCommand) Run(ctx context.Context, s streams, file *configFile) (err error) {
	m, speakers, err := c.find(c.Voice)
	if err != nil {
		return err
	}
	v := m.Voice(speakers[0])
	log := logger(s, slog.LevelError)
	settings := c.settings()
	e, err := settings.Open(log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := e.Neural.Start(); err != nil {
		return withoutRuntime(err)
	}
	svc, err := file.speech(e, log)
	if err != nil {
		return err
	}
	if c.Text == "" {
		c.Text = voice.PreviewText(v.PreviewLanguage)
	}
	var out whole
	began := time.Now()
	from := passage.New(strings.NewReader(c.Text), speech.MaxCharacters)
	defer from.Close()
	result, err := svc.Recite(ctx, account.Local, speech.Request{
		Voice: string(v.ID), Format: audio.Format{Codec: audio.WAV},
	}, from, &out)
	if err != nil {
		return asUsage(err)
	}
	took := time.Since(began)
	for _, notice := range result.Notices {
		fmt.Fprintln(s.err, "note: "+notice)
	}
	if c.Output != "" {
		if err := os.WriteFile(c.Output, out.Bytes(), 0o600); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.made(s, member{"voice", v.ID}, member{"name", v.Name}, member{"language", result.Language}, member{"audio_seconds", result.Duration.Seconds()},
			member{"took_seconds", took.Seconds()}, member{"first_audio_seconds", result.FirstAudio.Seconds()})
	}
	return s.line(string(v.ID), inert(v.Name), string(result.Language), fmt.Sprintf("%.2f s of speech in %.2f s, the first after %.3f s", result.Duration.Seconds(), took.Seconds(), result.FirstAudio.Seconds()))
}

// whole is a file in memory.
type whole struct{ bytes.Buffer }

// Rewrite puts the sizes into the head of the file, once they are known.
func (w *whole) Rewrite(head []byte) error {
	copy(w.Bytes(), head)
	return nil
}

// onnxWorkerCommand is the process in which neural models run. The server starts it.
type onnxWorkerCommand struct {
	ONNXRuntime     string        `name:"onnxruntime" hidden:""`
	MaxNeuralMemory int64         `hidden:""`
	Idle            time.Duration `default:"10m" hidden:""`
}

// Run serves until standard input ends.
func (c onnxWorkerCommand) Run() error {
	return worker.Main(worker.Settings{Library: c.ONNXRuntime, Memory: c.MaxNeuralMemory, Idle: c.Idle})
}

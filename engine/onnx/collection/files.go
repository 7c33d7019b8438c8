package collection

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vaak/engine/onnx/graph"
	"vaak/engine/onnx/kokoro"
	"vaak/engine/onnx/piper"
	"vaak/engine/onnx/worker"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// Choices are what the operator says of a voice where its files do not.
type Choices struct {
	Name     string       // of the model; "" is made of the name of its file
	Gender   voice.Gender // "" is what the names of the speakers tell, or neutral
	Language lang.Tag     // of speakers whose names do not tell it
	License  string       // "" is what the model card says
}

// Limits of files beside the model.
const (
	maxConfig = 4 << 20
	maxStyles = 512 << 20
	maxCard   = 1 << 20
)

// files are the files of a model, sorted by what they are.
type files struct {
	model      string
	config     string // NAME.onnx.json
	vocabulary string
	styles     []string
	card       string
}

// sortFiles finds out what files are. Of a directory it takes what is in it, and beside a model it
// looks for what goes with it.
func sortFiles(paths []string) (files, error) {
	var f files
	var all []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return f, err
		}
		if !info.IsDir() {
			all = append(all, p)
			continue
		}
		in, err := within(p)
		if err != nil {
			return f, err
		}
		all = append(all, in...)
	}
	for _, p := range all {
		switch name := strings.ToLower(filepath.Base(p)); {
		case strings.HasSuffix(name, ".onnx"):
			if f.model != "" {
				return f, fmt.Errorf("%s and %s are both models; add one at a time", f.model, p)
			}
			f.model = p
		case strings.HasSuffix(name, ".onnx.json"):
			f.config = p
		case isVocabulary(name):
			f.vocabulary = p
		case strings.HasSuffix(name, ".bin"), strings.HasSuffix(name, ".npz"):
			f.styles = append(f.styles, p)
		case isCard(name):
			f.card = p
		}
	}
	if f.model == "" {
		return f, errors.New("there is no file that ends in .onnx")
	}
	f.lookBeside()
	return f, nil
}

// within returns the files in a directory and in its folder "voices".
func within(dir string) (all []string, err error) {
	for _, pattern := range []string{"*", "voices/*", "onnx/*.onnx"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

func isVocabulary(name string) bool {
	return name == "tokens.txt" || name == "tokenizer.json" || name == "config.json"
}

func isCard(name string) bool { return name == "model_card" || name == "readme.md" }

// lookBeside looks beside the model for what was not given.
func (f *files) lookBeside() {
	find := func(name string) string {
		if p := filepath.Join(filepath.Dir(f.model), name); regular(p) {
			return p
		}
		return ""
	}
	if f.config == "" && f.styles == nil {
		f.config = find(filepath.Base(f.model) + ".json")
	}
	for _, name := range []string{"MODEL_CARD", "README.md"} {
		if f.card == "" {
			f.card = find(name)
		}
	}
	if f.config != "" {
		return
	}
	for _, name := range []string{"config.json", "tokens.txt", "tokenizer.json"} {
		if f.vocabulary == "" {
			f.vocabulary = find(name)
		}
	}
	if f.styles == nil {
		for _, pattern := range []string{"voices*.bin", "voices*.npz", "voices/*.bin"} {
			found, err := filepath.Glob(filepath.Join(filepath.Dir(f.model), pattern))
			if err == nil && len(found) > 0 {
				f.styles = found
				return
			}
		}
	}
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Draft begins a model from files: NAME.onnx and NAME.onnx.json of a voice of Piper's kind, or a
// model of Kokoro's kind with the files of its voices and, if the model does not have it, its
// vocabulary. A path may be a directory that holds them.
func (c *Collection) Draft(paths []string, o Choices) (_ *Draft, err error) {
	f, err := sortFiles(paths)
	if err != nil {
		return nil, err
	}
	if f.config == "" && f.styles == nil {
		return nil, fmt.Errorf("%s has neither %s.json beside it, as voices of Piper's kind have, nor files of voices (.bin or .npz), as Kokoro has",
			f.model, filepath.Base(f.model))
	}
	d, err := c.Begin(f.model)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Discard())
		}
	}()
	if f.config != "" {
		err = d.addPiper(f, o)
	} else {
		err = d.addKokoro(f, o)
	}
	if err != nil {
		return nil, err
	}
	return d, d.addCard(f.card, o)
}

func (d *Draft) addCard(path string, o Choices) error {
	d.License = o.License
	if path == "" {
		return nil
	}
	b, err := readLimited(path, maxCard)
	if err != nil {
		return err
	}
	if said, ok := piper.Licence(string(b)); ok && d.License == "" {
		d.License = said
	}
	return d.write(cardFile, b)
}

func (d *Draft) addPiper(f files, o Choices) error {
	b, err := readLimited(f.config, maxConfig)
	if err != nil {
		return err
	}
	config, err := piper.Parse(b)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(f.config), err)
	}
	name := piper.ParseName(f.model)
	d.Kind, d.Rate, d.Quality = worker.Piper, config.SampleRate, config.Quality
	if d.Quality == "" {
		d.Quality = name.Quality
	}
	if d.Name = o.Name; d.Name == "" {
		d.Name = name.Display
		if d.Quality != "" {
			d.Name += " (" + strings.ReplaceAll(d.Quality, "_", "-") + ")"
		}
	}
	for i, speaker := range config.Speakers {
		s := Speaker{Key: strconv.Itoa(i), Name: d.Name, Language: config.Language, Region: config.Region, Gender: genderOr(o.Gender, voice.Neutral), Gain: 1}
		if len(config.Speakers) > 1 {
			if speaker == "" {
				speaker = strconv.Itoa(i)
			}
			s.Name += " " + speaker
		}
		s.ID = IDOf(d.Digest, s.Key)
		d.Speakers = append(d.Speakers, s)
	}
	return d.write(configFile, b)
}

func genderOr(g, otherwise voice.Gender) voice.Gender {
	if g != "" {
		return g
	}
	return otherwise
}

// speakerKey is what a speaker of Kokoro's kind may be called: it is also the name of a file.
var speakerKey = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// kokoroRate is the rate of all models of Kokoro's kind, in Hz.
const kokoroRate = 24000

func (d *Draft) addKokoro(f files, o Choices) error {
	metadata, err := d.metadata()
	if err != nil {
		return err
	}
	d.Kind, d.Rate = worker.Kokoro, kokoroRate
	if d.Name = o.Name; d.Name == "" {
		d.Name = strings.TrimSuffix(filepath.Base(f.model), ".onnx")
	}
	if err := d.addVocabulary(f.vocabulary, metadata); err != nil {
		return err
	}
	for _, path := range f.styles {
		b, err := readLimited(path, maxStyles)
		if err != nil {
			return err
		}
		names := kokoro.SpeakerNames(metadata)
		if filepath.Base(path) != "voices.bin" {
			names = nil
		}
		voices, err := kokoro.ReadVoices(filepath.Base(path), b, names)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		for _, v := range voices {
			if err := d.addStyle(v, o); err != nil {
				return err
			}
		}
	}
	if len(d.Speakers) == 0 {
		return errors.New("the files have no voices")
	}
	return nil
}

// metadata returns the metadata of the draft's model.
func (d *Draft) metadata() (map[string]string, error) {
	b, err := os.ReadFile(d.ModelPath())
	if err != nil {
		return nil, err
	}
	g, err := graph.Parse(b)
	if err != nil {
		return nil, err
	}
	return g.Metadata(), nil
}

func (d *Draft) addVocabulary(path string, metadata map[string]string) error {
	var b []byte
	var err error
	if inside, ok := metadata["kokoro_config"]; ok && path == "" {
		b = []byte(inside)
	} else if path == "" {
		if b, err = json.Marshal(map[string]any{"vocab": kokoro.Standard()}); err != nil {
			return err
		}
	} else if b, err = readLimited(path, maxConfig); err != nil {
		return err
	}
	if _, err := kokoro.ParseVocabulary(b); err != nil {
		if path != "" {
			err = fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		return err
	}
	return d.write(vocabularyFile, b)
}

func (d *Draft) addStyle(v kokoro.Voice, o Choices) error {
	if !speakerKey.MatchString(v.Name) {
		return fault.BadParameter("", "a voice is called %.64q; a name has 1 to 64 letters, digits, and the signs _ . - behind the first", v.Name)
	}
	if slices.ContainsFunc(d.Speakers, func(s Speaker) bool { return s.Key == v.Name }) {
		return fmt.Errorf("two voices are called %s", v.Name)
	}
	told, ok := kokoro.ParseSpeaker(v.Name)
	if !ok || o.Language.Code != "" {
		if o.Language.Code == "" {
			return fmt.Errorf("the name of the voice %s does not tell its language, as af_heart does; say it with --language", v.Name)
		}
		told.Language, told.Region = o.Language.Code, o.Language.Region
		if told.Display == "" {
			told.Display = v.Name
		}
	}
	s := Speaker{Key: v.Name, Name: told.Display + " (Kokoro)", Language: told.Language, Region: told.Region, Gender: genderOr(o.Gender, genderOr(told.Gender, voice.Neutral)), Gain: 1}
	s.ID = IDOf(d.Digest, s.Key)
	d.Speakers = append(d.Speakers, s)
	var b bytes.Buffer
	for row := range v.Rows() {
		if err := binary.Write(&b, binary.LittleEndian, v.Row(row+1)); err != nil {
			return err
		}
	}
	return d.write(filepath.Join(stylesFolder, s.Key+".bin"), b.Bytes())
}

// Config returns the configuration of a voice of Piper's kind.
func (m *Model) Config() (*piper.Config, error) {
	b, err := readLimited(m.ConfigPath(), maxConfig)
	if err != nil {
		return nil, err
	}
	return piper.Parse(b)
}

// Vocabulary returns the vocabulary of a model of Kokoro's kind.
func (m *Model) Vocabulary() (kokoro.Vocabulary, error) {
	b, err := readLimited(m.VocabularyPath(), maxConfig)
	if err != nil {
		return nil, err
	}
	return kokoro.ParseVocabulary(b)
}

// Style returns the style of a speaker of a model of Kokoro's kind.
func (m *Model) Style(s Speaker) (kokoro.Voice, error) {
	if !speakerKey.MatchString(s.Key) {
		return kokoro.Voice{}, fs.ErrInvalid
	}
	path := m.StylePath(s)
	b, err := readLimited(path, maxStyles)
	if err != nil {
		return kokoro.Voice{}, err
	}
	voices, err := kokoro.ReadVoices(filepath.Base(path), b, nil)
	if err != nil || len(voices) != 1 {
		return kokoro.Voice{}, errors.Join(err, fs.ErrInvalid)
	}
	return voices[0], nil
}

package collection

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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
	"syscall"
	"unicode"

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
	model        string
	config       string   // NAME.onnx.json
	vocabularies []string // that may be one, the most likely first
	styles       []string
	card         string
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
			f.vocabularies = append(f.vocabularies, p)
		case strings.HasSuffix(name, ".bin"), strings.HasSuffix(name, ".npz"):
			f.styles = append(f.styles, p)
		case isCard(name) && (f.card == "" || name == "model_card"): // a model card goes before a README
			f.card = p
		}
	}
	if f.model == "" {
		return f, errors.New("there is no file that ends in .onnx")
	}
	f.lookBeside()
	return f, nil
}

// within returns the files in a directory, in its folder "voices", and the models in its folder
// "onnx".
func within(dir string) (all []string, err error) {
	if all, err = filesOf(dir, ""); err != nil {
		return nil, err
	}
	for _, in := range []struct{ folder, ending string }{{"voices", ""}, {"onnx", ".onnx"}} {
		in, err := filesOf(filepath.Join(dir, in.folder), in.ending)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, err
		}
		all = append(all, in...)
	}
	return all, nil
}

// filesOf returns the regular files of a directory whose names have an ending.
func filesOf(dir, ending string) (all []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		// Links count as what they lead to: those who download models often have links to them.
		if p := filepath.Join(dir, e.Name()); strings.HasSuffix(strings.ToLower(p), ending) && regular(p) {
			all = append(all, p)
		}
	}
	return all, nil
}

// vocabularyFiles are the files that may have a vocabulary, the most likely first: config.json of
// some models tells other things.
var vocabularyFiles = []string{"tokens.txt", "tokenizer.json", "config.json"}

func isVocabulary(name string) bool { return slices.Contains(vocabularyFiles, name) }

func isCard(name string) bool { return name == "model_card" || name == "readme.md" }

func isStyles(name string) bool {
	return strings.HasPrefix(name, "voices") && (strings.HasSuffix(name, ".bin") || strings.HasSuffix(name, ".npz"))
}

// lookBeside looks beside the model for what was not given. A model in a folder "onnx" has its files
// above that.
func (f *files) lookBeside() {
	dirs := []string{filepath.Dir(f.model)}
	if dir, err := filepath.Abs(dirs[0]); err == nil && filepath.Base(dir) == "onnx" {
		dirs = append(dirs, filepath.Dir(dir))
	}
	find := func(name string) string {
		for _, dir := range dirs {
			if p := filepath.Join(dir, name); regular(p) {
				return p
			}
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
	if f.vocabularies == nil {
		for _, name := range vocabularyFiles {
			if p := find(name); p != "" {
				f.vocabularies = append(f.vocabularies, p)
			}
		}
	}
	slices.SortStableFunc(f.vocabularies, func(a, b string) int {
		rank := func(p string) int { return slices.Index(vocabularyFiles, strings.ToLower(filepath.Base(p))) }
		return cmp.Compare(rank(a), rank(b))
	})
	for _, dir := range dirs {
		if f.styles != nil {
			return
		}
		// What cannot be read is not there.
		beside, _ := filesOf(dir, "")
		for _, p := range beside {
			if isStyles(strings.ToLower(filepath.Base(p))) {
				f.styles = append(f.styles, p)
			}
		}
		if f.styles == nil {
			f.styles, _ = filesOf(filepath.Join(dir, "voices"), ".bin")
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
		d.Name = displayed(name)
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

// displayed returns a name for people, also of a file whose name has no letters.
func displayed(n piper.Name) string {
	if strings.ContainsFunc(n.Display, unicode.IsLetter) {
		return n.Display
	}
	return "Voice"
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
		d.Name = displayed(piper.ParseName(f.model))
	}
	if err := d.addVocabulary(f.vocabularies, metadata); err != nil {
		return err
	}
	for _, path := range f.styles {
		b, err := readLimited(path, maxStyles)
		if err != nil {
			return err
		}
		// A file of one voice has its name.
		names := kokoro.SpeakerNames(metadata)
		if _, one := kokoro.ParseSpeaker(strings.TrimSuffix(filepath.Base(path), ".bin")); one || len(f.styles) > 1 {
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

// addVocabulary adds the vocabulary of the first file that has one, or that of the model, or the
// usual one.
func (d *Draft) addVocabulary(paths []string, metadata map[string]string) error {
	var failed error
	for _, path := range paths {
		b, err := readLimited(path, maxConfig)
		if err == nil {
			if _, err = kokoro.ParseVocabulary(b); err == nil {
				return d.write(vocabularyFile, b)
			}
		}
		failed = cmp.Or(failed, fmt.Errorf("%s: %w", filepath.Base(path), err))
	}
	if inside, ok := metadata["kokoro_config"]; ok {
		if _, err := kokoro.ParseVocabulary([]byte(inside)); err != nil {
			return fmt.Errorf("the metadata kokoro_config of the model: %w", err)
		}
		return d.write(vocabularyFile, []byte(inside))
	}
	if failed != nil {
		return failed
	}
	b, err := json.Marshal(map[string]any{"vocab": kokoro.Standard()})
	if err != nil {
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
			return fmt.Errorf("the name of the voice %s does not tell its language, as af_heart does; say it with --lang", v.Name)
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

// Sources are the files beside a model that all its speakers share.
type Sources struct {
	Config     *piper.Config     // of Piper's kind
	Vocabulary kokoro.Vocabulary // of Kokoro's kind

	model *Model
	file  []byte // of either
}

// Sources reads the files that all speakers share.
func (m *Model) Sources() (*Sources, error) {
	s := &Sources{model: m}
	var err error
	switch m.Kind {
	case worker.Piper:
		if s.file, err = readLimited(m.ConfigPath(), maxConfig); err == nil {
			s.Config, err = piper.Parse(s.file)
		}
	case worker.Kokoro:
		if s.file, err = readLimited(m.VocabularyPath(), maxConfig); err == nil {
			s.Vocabulary, err = kokoro.ParseVocabulary(s.file)
		}
	default:
		err = fmt.Errorf("it is of the kind %q", m.Kind)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Speaker returns the style of a speaker of Kokoro's kind, and the fingerprint of any: a digest of
// what decides how it sounds, which is the model, the files beside it, and what was measured as it
// was added.
func (s *Sources) Speaker(one Speaker) (style kokoro.Voice, fingerprint string, err error) {
	m, files := s.model, [][]byte{s.file}
	if m.Kind == worker.Kokoro {
		var b []byte
		if style, b, err = m.style(one); err != nil {
			return style, "", err
		}
		files = append(files, b)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %t %d %v\n", m.Kind, m.Digest, one.Key, m.Whole, m.Rate, one.Gain)
	for _, b := range files {
		fmt.Fprintf(h, "%d\n", len(b))
		h.Write(b)
	}
	return style, hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// style reads the style of a speaker of Kokoro's kind.
func (m *Model) style(s Speaker) (kokoro.Voice, []byte, error) {
	if !speakerKey.MatchString(s.Key) {
		return kokoro.Voice{}, nil, fs.ErrInvalid
	}
	path := m.StylePath(s)
	b, err := readLimited(path, maxStyles)
	if err != nil {
		return kokoro.Voice{}, nil, err
	}
	voices, err := kokoro.ReadVoices(filepath.Base(path), b, nil)
	if err != nil || len(voices) != 1 {
		return kokoro.Voice{}, nil, errors.Join(err, fs.ErrInvalid)
	}
	return voices[0], b, nil
}

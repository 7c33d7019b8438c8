// Package collection keeps the neural voices that an operator has added, as files below a
// directory: one folder for each model, named by the digest of the model. Servers that share the
// directory have the same voices, under the same ids.
package collection

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vaak/engine/onnx/worker"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// EngineName is the name of the engine that speaks these voices.
const EngineName = "onnx"

// Names in the folder of a model.
const (
	manifestFile   = "voice.json"
	modelFile      = "model.onnx"
	configFile     = "config.json"     // of Piper's kind
	vocabularyFile = "vocabulary.json" // of Kokoro's kind
	stylesFolder   = "styles"          // of Kokoro's kind: a file for each speaker
	cardFile       = "MODEL_CARD"
)

// manifestFormat is the version of the form of manifests.
const manifestFormat = 1

// Model is a model of the collection, with its speakers, as its manifest has it.
type Model struct {
	Format  int         `json:"format"`
	Kind    worker.Kind `json:"kind"`
	Digest  string      `json:"sha256"` // of the model
	Name    string      `json:"name"`
	Quality string      `json:"quality,omitempty"`
	License string      `json:"license,omitempty"` // what the model card says; "" if it says nothing
	Rate    int         `json:"sample_rate"`
	Bytes   int64       `json:"bytes"`
	// Whole says that the vocoder cannot be run chunk by chunk, so that each sentence is
	// computed before it begins.
	Whole    bool         `json:"whole,omitempty"`
	Facts    worker.Facts `json:"facts"`
	Load     float64      `json:"load"` // seconds of a processor for a second of audio, where it was added
	Speakers []Speaker    `json:"speakers"`
	Added    time.Time    `json:"added"`

	Dir string `json:"-"` // of its files
}

// Speaker is a voice of a model.
type Speaker struct {
	ID       voice.ID     `json:"id"`
	Key      string       `json:"key"` // number of the speaker in Piper's models, name in Kokoro's
	Name     string       `json:"name"`
	Language lang.Code    `json:"language"`
	Region   string       `json:"region,omitempty"`
	Gender   voice.Gender `json:"gender"`
	Gain     float64      `json:"gain"` // that makes it as loud as the voices of the roster
}

// ModelPath returns the path of the model.
func (m *Model) ModelPath() string { return filepath.Join(m.Dir, modelFile) }

// ConfigPath returns the path of the configuration of a voice of Piper's kind.
func (m *Model) ConfigPath() string { return filepath.Join(m.Dir, configFile) }

// VocabularyPath returns the path of the vocabulary of a model of Kokoro's kind.
func (m *Model) VocabularyPath() string { return filepath.Join(m.Dir, vocabularyFile) }

// StylePath returns the path of the style of a speaker of a model of Kokoro's kind.
func (m *Model) StylePath(s Speaker) string { return filepath.Join(m.Dir, stylesFolder, s.Key+".bin") }

// Card returns what the model card says; "" if there is none.
func (m *Model) Card() string {
	b, err := os.ReadFile(filepath.Join(m.Dir, cardFile))
	if err != nil {
		return ""
	}
	return string(b)
}

// IDOf returns the id of a speaker of a model, which is the same wherever the model is added.
func IDOf(digest, key string) voice.ID {
	return voice.IDOf("onnx/" + digest + "/" + key)
}

// Voice returns a speaker as clients see it.
func (m *Model) Voice(s Speaker) voice.Voice {
	accent := voice.AccentOf(s.Language, s.Region)
	kind := m.Kind.Name()
	about := fmt.Sprintf("A neural voice of %s's kind whose native language is %s.", kind, accent)
	if m.Quality != "" {
		about = fmt.Sprintf("A neural voice of %s's kind, in %s quality, whose native language is %s.", kind, strings.ReplaceAll(m.Quality, "_", "-"), accent)
	}
	return voice.Voice{
		ID: s.ID, Name: s.Name, Gender: s.Gender, Native: s.Language, Region: s.Region, Accent: accent,
		Description: about, QualityBand: voice.Standard, NativeSource: true, PreviewLanguage: s.Language,
		Engine: EngineName, License: m.License, Quality: m.Quality, Bytes: m.Bytes, Load: m.Load,
	}
}

// Collection is the models below a directory. Several processes may use it at once.
type Collection struct{ dir string }

// In returns the collection below a directory, which need not be there.
func In(dir string) *Collection { return &Collection{dir} }

// folderName is what the folder of a model is called.
var folderName = regexp.MustCompile(`^[0-9a-f]{64}$`)

// List returns the models in the order in which they were added. A folder that cannot be read is
// left out, and told in the error beside the others.
func (c *Collection) List() ([]*Model, error) {
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*Model
	var errs []error
	for _, e := range entries {
		if !folderName.MatchString(e.Name()) {
			continue
		}
		m, err := c.read(e.Name())
		if _, gone := os.Stat(filepath.Join(c.dir, e.Name())); errors.Is(gone, fs.ErrNotExist) {
			continue // it was removed just now
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("voices of model %.12s: %w", e.Name(), err))
			continue
		}
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b *Model) int { return cmp.Or(a.Added.Compare(b.Added), cmp.Compare(a.Digest, b.Digest)) })
	return all, errors.Join(errs...)
}

// Stamp returns a text that changes whenever a model is added or removed.
func (c *Collection) Stamp() string {
	var b strings.Builder
	entries, _ := os.ReadDir(c.dir) // a directory that cannot be read has no models
	for _, e := range entries {
		if !folderName.MatchString(e.Name()) {
			continue
		}
		if info, err := os.Stat(filepath.Join(c.dir, e.Name(), manifestFile)); err == nil {
			fmt.Fprintf(&b, "%s %d\n", e.Name(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// maxManifest is the size of the largest manifest: that of a model with a thousand speakers.
const maxManifest = 1 << 20

func (c *Collection) read(digest string) (*Model, error) {
	dir := filepath.Join(c.dir, digest)
	b, err := readLimited(filepath.Join(dir, manifestFile), maxManifest)
	if err != nil {
		return nil, err
	}
	m := &Model{Dir: dir}
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	if m.Format != manifestFormat || m.Digest != digest || len(m.Speakers) == 0 || m.Rate <= 0 {
		return nil, fmt.Errorf("%s is not of format %d", manifestFile, manifestFormat)
	}
	return m, nil
}

// Find returns the model with a speaker of an id, or a model whose digest begins with at least
// eight digits that are given, or the model or the speaker of a name; the name may lack what is in
// brackets behind it. The error is of kind Invalid if a name means several models.
func (c *Collection) Find(name string) (*Model, []Speaker, error) {
	all, err := c.List()
	if err != nil && len(all) == 0 {
		return nil, nil, err
	}
	short := func(its string) bool {
		its, _, _ = strings.Cut(its, " (")
		return strings.EqualFold(its, name)
	}
	// A closer meaning goes before a wider one.
	for _, means := range []func(m *Model) []Speaker{
		func(m *Model) []Speaker { return m.speakers(func(s Speaker) bool { return string(s.ID) == name }) },
		func(m *Model) []Speaker { return m.whole(len(name) >= 8 && strings.HasPrefix(m.Digest, name)) },
		func(m *Model) []Speaker { return m.whole(strings.EqualFold(m.Name, name)) },
		func(m *Model) []Speaker {
			return m.speakers(func(s Speaker) bool { return strings.EqualFold(s.Name, name) })
		},
		func(m *Model) []Speaker { return m.whole(short(m.Name)) },
		func(m *Model) []Speaker { return m.speakers(func(s Speaker) bool { return short(s.Name) }) },
	} {
		var found *Model
		var speakers []Speaker
		var ids []string
		for _, m := range all {
			if meant := means(m); len(meant) > 0 {
				found, speakers = m, meant
				ids = append(ids, fmt.Sprintf("%s (%s)", meant[0].ID, m.Name))
			}
		}
		switch len(ids) {
		case 0:
		case 1:
			return found, speakers, nil
		default:
			return nil, nil, fault.BadParameter("voice", "%.100q means several added voices: %s; name one by its id", name, strings.Join(ids, ", "))
		}
	}
	return nil, nil, fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", "no added voice is called %.100q; `vaak voice list` shows those there are", name)
}

// whole returns all speakers if the model is meant.
func (m *Model) whole(meant bool) []Speaker {
	if meant {
		return m.Speakers
	}
	return nil
}

// speakers returns the speakers that are meant.
func (m *Model) speakers(meant func(Speaker) bool) (found []Speaker) {
	for _, s := range m.Speakers {
		if meant(s) {
			found = append(found, s)
		}
	}
	return found
}

// Prefixes of folders that no voice is in: of what is being added, and of what was removed.
const (
	addingPrefix  = ".adding-"
	removedPrefix = ".removed-"
)

// abandoned is after how long such a folder belongs to nobody: its process was killed.
const abandoned = 24 * time.Hour

// sweep removes what processes left that were killed. What cannot be removed is left for later.
func (c *Collection) sweep() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && (strings.HasPrefix(e.Name(), addingPrefix) || strings.HasPrefix(e.Name(), removedPrefix)) && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(c.dir, e.Name()))
		}
	}
}

// Remove removes a model with all of its speakers. Servers that speak with it finish what they
// have begun. A model that another process has removed meanwhile is no error.
func (c *Collection) Remove(m *Model) error {
	gone, err := c.setAside(m.Digest)
	if err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// setAside moves a model out of the collection at once, so that nobody finds half of it. It returns
// the folder in which it is then.
func (c *Collection) setAside(digest string) (gone string, err error) {
	if gone, err = os.MkdirTemp(c.dir, removedPrefix); err != nil {
		return "", err
	}
	err = os.Rename(filepath.Join(c.dir, digest), filepath.Join(gone, digest))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(gone))
	}
	return gone, nil
}

// Draft is a model that is being added. Its files are in a folder of their own until it is kept.
type Draft struct {
	Model
	collection *Collection
}

// Begin begins a draft with the file of a model. It must be ended with Keep or Discard.
func (c *Collection) Begin(model string) (*Draft, error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, err
	}
	c.sweep()
	dir, err := os.MkdirTemp(c.dir, addingPrefix)
	if err != nil {
		return nil, err
	}
	d := &Draft{Model: Model{Format: manifestFormat, Dir: dir}, collection: c}
	if d.Digest, d.Bytes, err = copyFile(d.ModelPath(), model); err != nil {
		return nil, errors.Join(err, d.Discard())
	}
	return d, nil
}

// maxModel is the size of the largest model, which is what the format can have.
const maxModel = 2 << 30

// copyFile copies a file of a model and returns its SHA-256.
func copyFile(to, from string) (digest string, n int64, err error) {
	src, err := openRegular(from)
	if err != nil {
		return "", 0, err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	n, err = io.Copy(io.MultiWriter(dst, h), io.LimitReader(src, maxModel+1))
	if err == nil && n > maxModel {
		err = fmt.Errorf("a model may have at most %d bytes; %s has more", maxModel, filepath.Base(from))
	}
	if err == nil {
		err = dst.Sync()
	}
	return hex.EncodeToString(h.Sum(nil)), n, errors.Join(err, dst.Close())
}

// openRegular opens a file. It refuses devices and pipes, which may have no end or block.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s must be a regular file; it is a %s", filepath.Base(path), kindOf(info.Mode()))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeDevice != 0:
		return "device"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	}
	return "special file"
}

// write writes a small file of the draft.
func (d *Draft) write(name string, data []byte) error {
	path := filepath.Join(d.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync() // a power failure must not leave a voice with empty files
	}
	return errors.Join(err, f.Close())
}

// mostTries is how often a draft is put into place while other processes add the same model.
const mostTries = 100

// Keep puts the draft into the collection. It replaces the same model, if it was added before.
func (d *Draft) Keep() (*Model, error) {
	d.Added = time.Now().UTC() // to the nanosecond: servers see by it that the voice is another
	b, err := json.MarshalIndent(d.Model, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := d.write(manifestFile, append(b, '\n')); err != nil {
		return nil, err
	}
	place := filepath.Join(d.collection.dir, d.Digest)
	for range mostTries {
		if err = os.Rename(d.Dir, place); err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		// There is one already, perhaps since just now. The two change places at once, so that
		// those who look meanwhile find the one or the other.
		if err = unix.Renameat2(unix.AT_FDCWD, d.Dir, unix.AT_FDCWD, place, unix.RENAME_EXCHANGE); err == nil {
			err = os.RemoveAll(d.Dir)
			break
		}
		// It was removed, or the file system cannot do that.
		if err = d.collection.Remove(&Model{Digest: d.Digest}); err != nil {
			return nil, err
		}
		err = fs.ErrExist
	}
	if err != nil {
		return nil, err
	}
	m := d.Model
	m.Dir = place
	return &m, nil
}

// Discard removes what is not kept. After Keep it does nothing.
func (d *Draft) Discard() error { return os.RemoveAll(d.Dir) }

// readLimited reads a file that must not be larger than most bytes.
func readLimited(path string, most int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s has more than %d bytes", filepath.Base(path), most)
	}
	return b, err
}

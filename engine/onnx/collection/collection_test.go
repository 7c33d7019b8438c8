package collection_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// tree is files by their paths.
type tree map[string][]byte

// write writes files below a directory and returns it.
func (f tree) write(t testing.TB, dir string) string {
	t.Helper()
	for name, data := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func piper(o tiny.PiperOptions) tree {
	model, config := tiny.Piper(o)
	return tree{"en_US-tiny-medium.onnx": model, "en_US-tiny-medium.onnx.json": config}
}

// keep adds what is at some paths.
func keep(t testing.TB, c *collection.Collection, o collection.Choices, paths ...string) *collection.Model {
	t.Helper()
	d, err := c.Draft(paths, o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Keep()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestForms drafts every form in which voices are published.
func TestForms(t *testing.T) {
	t.Parallel()
	kokoro := func(o tiny.KokoroOptions) []byte { return tiny.Kokoro(o) }
	usual := kokoro(tiny.KokoroOptions{})
	inner := kokoro(tiny.KokoroOptions{Vocabulary: true})
	sherpa := kokoro(tiny.KokoroOptions{Sherpa: 4})
	noVocabulary := []byte(`{"model_type": "style_text_to_speech_2"}`)
	for _, tt := range []struct {
		name     string
		files    tree
		give     []string // of them; none gives the directory
		keys     []string
		keyed    string // a symbol that the vocabulary must have
		contains string // the path has
	}{
		{name: "piper by its directory", files: piper(tiny.PiperOptions{}), keys: []string{"0"}},
		{name: "piper by its model", files: piper(tiny.PiperOptions{Speakers: 4}), give: []string{"en_US-tiny-medium.onnx"}, keys: []string{"0", "1", "2", "3"}},
		{name: "piper by both files", files: piper(tiny.PiperOptions{}), give: []string{"en_US-tiny-medium.onnx.json", "en_US-tiny-medium.onnx"}, keys: []string{"0"}},
		{name: "a path with signs", files: piper(tiny.PiperOptions{}), contains: "voices [new] *?{a}", keys: []string{"0"}},
		{name: "a model below a path with signs", files: tree{"kokoro.onnx": usual, "voices-v1.0.bin": tiny.NPZVoices(1, false)}, contains: "[a] {b", give: []string{"kokoro.onnx"}, keys: []string{"af_heart"}},
		{name: "kokoro-onnx", files: tree{"kokoro-v1.0.onnx": usual, "voices-v1.0.bin": tiny.NPZVoices(3, false)}, keys: []string{"af_heart", "am_adam", "bf_emma"}, keyed: "ʧ"},
		{name: "kokoro-onnx, deflated", files: tree{"kokoro-v1.0.onnx": usual, "voices.npz": tiny.NPZVoices(2, true)}, give: []string{"kokoro-v1.0.onnx", "voices.npz"}, keys: []string{"af_heart", "am_adam"}},
		{name: "kokoro-onnx by its model", files: tree{"kokoro-v1.0.onnx": usual, "voices-v1.0.bin": tiny.NPZVoices(1, false)}, give: []string{"kokoro-v1.0.onnx"}, keys: []string{"af_heart"}},
		{name: "vocabulary in the model", files: tree{"kokoro.onnx": inner, "voices-v1.1.bin": tiny.NPZVoices(1, false)}, keys: []string{"af_heart"}, keyed: "ʧ"},
		{name: "onnx-community", files: tree{
			"onnx/model.onnx": usual, "voices/af_heart.bin": tiny.RawVoice(0), "voices/bm_george.bin": tiny.RawVoice(3),
			"tokenizer.json": tiny.KokoroTokenizer(), "config.json": noVocabulary, "tokenizer_config.json": []byte("{}"), "README.md": []byte("---\nlicense: apache-2.0\n---\n"),
		}, keys: []string{"af_heart", "bm_george"}, keyed: "ʧ"},
		{name: "onnx-community by its model", files: tree{
			"onnx/model.onnx": usual, "voices/af_heart.bin": tiny.RawVoice(0), "tokenizer.json": tiny.KokoroTokenizer(), "config.json": noVocabulary,
		}, give: []string{"onnx/model.onnx"}, keys: []string{"af_heart"}, keyed: "ʧ"},
		{name: "onnx-community by some files", files: tree{
			"onnx/model.onnx": usual, "voices/af_heart.bin": tiny.RawVoice(0), "tokenizer.json": tiny.KokoroTokenizer(), "config.json": noVocabulary,
		}, give: []string{"tokenizer.json", "config.json", "voices/af_heart.bin", "onnx/model.onnx"}, keys: []string{"af_heart"}, keyed: "ʧ"},
		{name: "sherpa-onnx", files: tree{"model.onnx": sherpa, "voices.bin": tiny.SherpaVoices(4), "tokens.txt": tiny.KokoroTokens()}, keys: tiny.KokoroVoices(4), keyed: "ʧ"},
		{name: "sherpa-onnx, renamed", files: tree{"model.onnx": sherpa, "voices-old.bin": tiny.SherpaVoices(4), "tokens.txt": tiny.KokoroTokens()}, give: []string{"model.onnx", "voices-old.bin"}, keys: tiny.KokoroVoices(4)},
		{name: "sherpa-onnx with another voice", files: tree{"model.onnx": sherpa, "af_bella.bin": tiny.RawVoice(2)}, give: []string{"model.onnx", "af_bella.bin"}, keys: []string{"af_bella"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tt.files.write(t, filepath.Join(t.TempDir(), tt.contains))
			paths := []string{dir}
			if tt.give != nil {
				paths = nil
				for _, name := range tt.give {
					paths = append(paths, filepath.Join(dir, name))
				}
			}
			c := collection.In(filepath.Join(t.TempDir(), "voices"))
			m := keep(t, c, collection.Choices{}, paths...)
			var keys []string
			for _, s := range m.Speakers {
				keys = append(keys, s.Key)
				if s.ID != collection.IDOf(m.Digest, s.Key) || s.Name == "" || s.Language != "en" {
					t.Errorf("speaker %+v", s)
				}
				if v := m.Voice(s); v.Engine != collection.EngineName || v.Native != "en" || v.Name == "" {
					t.Errorf("voice %+v", v)
				}
			}
			if !slices.Equal(keys, tt.keys) {
				t.Errorf("speakers %v, want %v", keys, tt.keys)
			}
			from, err := m.Sources()
			if err != nil {
				t.Fatal(err)
			}
			if (m.Kind == worker.Piper) != (from.Config != nil) || tt.keyed != "" && from.Vocabulary[tt.keyed] == 0 {
				t.Errorf("the configuration is %v, the vocabulary has no %s", from.Config, tt.keyed)
			}
			prints := map[string]bool{}
			for _, s := range m.Speakers {
				style, fingerprint, err := from.Speaker(s)
				if err != nil || prints[fingerprint] || (m.Kind == worker.Kokoro) != (style.Rows() > 0) {
					t.Errorf("speaker %s has the fingerprint %s and %d rows of style, %v", s.Key, fingerprint, style.Rows(), err)
				}
				prints[fingerprint] = true
			}
			found, _, err := c.Find(string(m.Speakers[0].ID))
			if err != nil || found.Digest != m.Digest {
				t.Errorf("Find = %v", err)
			}
			if strings.HasPrefix(tt.name, "onnx-community") && tt.files["README.md"] != nil && m.License != "apache-2.0" {
				t.Errorf("the licence is %q", m.License)
			}
		})
	}
}

// TestRefused: what is no voice is refused with a sentence, and leaves nothing behind.
func TestRefused(t *testing.T) {
	t.Parallel()
	model, config := tiny.Piper(tiny.PiperOptions{})
	kokoro := tiny.Kokoro(tiny.KokoroOptions{})
	for _, tt := range []struct {
		name  string
		files tree
		want  string
		make  func(t *testing.T, dir string)
	}{
		{"nothing", tree{"a.txt": nil}, "no file that ends in .onnx", nil},
		{"a model alone", tree{"a.onnx": model}, "neither a.onnx.json", nil},
		{"two models", tree{"a.onnx": model, "b.onnx": model, "a.onnx.json": config}, "one at a time", nil},
		{"no JSON", tree{"a.onnx": model, "a.onnx.json": []byte("noise")}, "JSON", nil},
		{"a huge length scale", tree{"a.onnx": model, "a.onnx.json": bytes.Replace(config, []byte(`"length_scale": 1`), []byte(`"length_scale": 1e6`), 1)}, "length_scale", nil},
		{"a configuration without an end", tree{"a.onnx": model, "a.onnx.json": append(config, make([]byte, 5<<20)...)}, "bytes", nil},
		{"styles that are none", tree{"a.onnx": kokoro, "af_a.bin": []byte("noise")}, "bytes", nil},
		{"a zip that is none", tree{"a.onnx": kokoro, "voices.npz": []byte("PK\x03\x04noise")}, "zip", nil},
		{"a name without a language", tree{"a.onnx": kokoro, "somebody.bin": tiny.RawVoice(0)}, "--lang", nil},
		{"the same voice twice", tree{"a.onnx": kokoro, "af_a.bin": tiny.RawVoice(0), "voices/af_a.bin": tiny.RawVoice(1)}, "two voices", nil},
		{"a vocabulary that is none", tree{"a.onnx": kokoro, "af_a.bin": tiny.RawVoice(0), "tokens.txt": []byte("noise")}, "tokens.txt", nil},
		{"a model that is none", tree{"a.onnx": []byte("noise"), "af_a.bin": tiny.RawVoice(0)}, "ONNX", nil},
		{"a device as the model", tree{"a.onnx.json": config}, "device", func(t *testing.T, dir string) { link(t, "/dev/zero", filepath.Join(dir, "a.onnx")) }},
		{"a device as the configuration", tree{"a.onnx": model}, "device", func(t *testing.T, dir string) { link(t, "/dev/zero", filepath.Join(dir, "a.onnx.json")) }},
		{"a pipe as the model", tree{"a.onnx.json": config}, "pipe", func(t *testing.T, dir string) {
			if err := syscall.Mkfifo(filepath.Join(dir, "a.onnx"), 0o600); err != nil {
				t.Skip(err)
			}
		}},
		{"a link to nothing", tree{"a.onnx.json": config}, "no such file", func(t *testing.T, dir string) { link(t, filepath.Join(dir, "gone"), filepath.Join(dir, "a.onnx")) }},
		{"a link to itself", tree{"a.onnx.json": config}, "", func(t *testing.T, dir string) { link(t, filepath.Join(dir, "a.onnx"), filepath.Join(dir, "a.onnx")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tt.files.write(t, t.TempDir())
			paths := []string{dir}
			if tt.make != nil {
				tt.make(t, dir)
				paths = []string{filepath.Join(dir, "a.onnx"), filepath.Join(dir, "a.onnx.json")}
			}
			voices := filepath.Join(t.TempDir(), "voices")
			d, err := collection.In(voices).Draft(paths, collection.Choices{})
			if err == nil || d != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Draft = %v, want an error with %q", err, tt.want)
			}
			if left, err := os.ReadDir(voices); err == nil && len(left) > 0 {
				t.Errorf("%d folders are left", len(left))
			}
		})
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// TestSoakArchiveOfMuch: an archive of a few hundred kilobytes that would fill the memory is refused.
func TestSoakArchiveOfMuch(t *testing.T) {
	t.Parallel()
	if os.Getenv("VAAK_SOAK") == "" {
		t.Skip("unpacks 256 MiB: run it with make soak")
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	npy := tiny.NPY(make([]float32, 1024*tiny.StyleWidth), 1024, 1, tiny.StyleWidth)
	for i := range 300 {
		w, err := z.Create(fmt.Sprintf("af_%d.npy", i))
		if err == nil {
			_, err = w.Write(npy)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := tree{"a.onnx": tiny.Kokoro(tiny.KokoroOptions{}), "voices.npz": b.Bytes()}.write(t, t.TempDir())
	if _, err := collection.In(t.TempDir()).Draft([]string{dir}, collection.Choices{}); err == nil || !strings.Contains(err.Error(), "together") {
		t.Errorf("Draft of %d bytes = %v", b.Len(), err)
	}
}

// TestLinks: downloads are often links to files elsewhere. What is kept is the file.
func TestLinks(t *testing.T) {
	t.Parallel()
	from := piper(tiny.PiperOptions{}).write(t, t.TempDir())
	dir := t.TempDir()
	for _, name := range []string{"en_US-tiny-medium.onnx", "en_US-tiny-medium.onnx.json"} {
		link(t, filepath.Join(from, name), filepath.Join(dir, name))
	}
	m := keep(t, collection.In(t.TempDir()), collection.Choices{}, dir)
	for _, path := range []string{m.ModelPath(), m.ConfigPath()} {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

// TestHostileNames: names of files and speakers come from anywhere, and lead nowhere.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	model, config := tiny.Piper(tiny.PiperOptions{Speakers: 2})
	for _, name := range []string{"../../x", "/etc/passwd", "<script>", "a\u202eb", strings.Repeat("n", 128), "ß∂", " "} {
		named, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := tree{"en_US-tiny-low.onnx": model, "en_US-tiny-low.onnx.json": bytes.Replace(config, []byte(`"speaker_1"`), named, 1)}.write(t, t.TempDir())
		voices := t.TempDir()
		d, err := collection.In(voices).Draft([]string{dir}, collection.Choices{})
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		m, err := d.Keep()
		if err != nil {
			t.Fatal(err)
		}
		inside(t, voices, m)
	}
	for _, name := range []string{"..", ".", "../af_a", "af_a/../../b", "af_\x00", "af_a\nb", "", "-af", strings.Repeat("a", 65)} {
		d, err := collection.In(t.TempDir()).Begin(tree{"m.onnx": tiny.Kokoro(tiny.KokoroOptions{Sherpa: 1})}.write(t, t.TempDir()) + "/m.onnx")
		if err != nil {
			t.Fatal(err)
		}
		d.Kind = worker.Kokoro
		if err := os.WriteFile(d.VocabularyPath(), tiny.KokoroConfig(), 0o600); err != nil {
			t.Fatal(err)
		}
		from, err := d.Sources()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := from.Speaker(collection.Speaker{Key: name}); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("the style of %q = %v", name, err)
		}
		if err := d.Discard(); err != nil {
			t.Error(err)
		}
	}
	// Files whose names have signs, or no letters.
	for _, name := range []string{"…", "-", "--", "en_US-", "a\nb\x1b[31m", "\xff\xfe", "_"} {
		dir := tree{name + ".onnx": model, name + ".onnx.json": config}.write(t, t.TempDir())
		m := keep(t, collection.In(t.TempDir()), collection.Choices{}, dir)
		for _, s := range m.Speakers {
			if n := m.Voice(s).Name; strings.TrimSpace(n) == "" || (strings.ContainsAny(n, "\n\x1b") || !utf8.ValidString(n)) {
				t.Errorf("%q is called %q", name, n)
			}
		}
	}
}

// inside checks that a collection has the files of a model and no others.
func inside(t *testing.T, dir string, m *collection.Model) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, m.Dir) {
			t.Errorf("a file at %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSameEverywhere: two machines that add the same files have the same voices.
func TestSameEverywhere(t *testing.T) {
	t.Parallel()
	files := piper(tiny.PiperOptions{Speakers: 3})
	a := keep(t, collection.In(t.TempDir()), collection.Choices{}, files.write(t, t.TempDir()))
	b := keep(t, collection.In(t.TempDir()), collection.Choices{Name: "Other"}, files.write(t, t.TempDir()))
	ids := func(m *collection.Model) (all []voice.ID) {
		for _, s := range m.Speakers {
			all = append(all, s.ID)
		}
		return all
	}
	if !slices.Equal(ids(a), ids(b)) || a.Digest != b.Digest {
		t.Errorf("%v and %v", ids(a), ids(b))
	}
	if got := collection.IDOf("00", "af_heart"); got != "sv_"+got[3:] || len(got) != 19 {
		t.Errorf("an id is %s", got)
	}
}

// TestKeepReplaces adds a model twice, the second time with other words of the operator.
func TestKeepReplaces(t *testing.T) {
	t.Parallel()
	c := collection.In(t.TempDir())
	dir := piper(tiny.PiperOptions{}).write(t, t.TempDir())
	first := keep(t, c, collection.Choices{}, dir)
	second := keep(t, c, collection.Choices{Name: "Amy", Gender: voice.Female, License: "CC0"}, dir)
	all, err := c.List()
	if err != nil || len(all) != 1 || all[0].Name != "Amy" || all[0].Speakers[0].Gender != voice.Female || all[0].License != "CC0" {
		t.Fatalf("List = %+v, %v", all, err)
	}
	if !all[0].Added.After(first.Added) || !all[0].Added.Equal(second.Added) {
		t.Errorf("the second was added at %v, the first at %v", all[0].Added, first.Added)
	}
	if err := c.Remove(all[0]); err != nil {
		t.Fatal(err)
	}
	if err := c.Remove(all[0]); err != nil {
		t.Errorf("removed again: %v", err)
	}
	if all, err := c.List(); len(all) != 0 || err != nil {
		t.Errorf("after Remove there are %d, %v", len(all), err)
	}
	if _, _, err := c.Find("Amy"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Find = %v", err)
	}
}

// addEnv tells the test program to add what is in a directory to a collection, again and again.
const addEnv = "VAAK_TEST_ADD"

func TestMain(m *testing.M) {
	if paths := os.Getenv(addEnv); paths != "" {
		from, to, _ := strings.Cut(paths, "\n")
		for range 15 {
			d, err := collection.In(to).Draft([]string{from}, collection.Choices{})
			if err == nil {
				_, err = d.Keep()
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestTwoProcesses add the same model at once, while others look.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	from, to := piper(tiny.PiperOptions{}).write(t, t.TempDir()), t.TempDir()
	var running []*exec.Cmd
	for range 3 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), addEnv+"="+from+"\n"+to)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	c := collection.In(to)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Errorf("a process that adds: %v", err)
			}
		}
	}()
	for looking := true; looking; {
		select {
		case <-done:
			looking = false
		default:
		}
		if all, err := c.List(); err != nil || len(all) > 1 {
			t.Errorf("List = %d models, %v", len(all), err)
		}
	}
	all, err := c.List()
	if err != nil || len(all) != 1 {
		t.Fatalf("List = %d models, %v", len(all), err)
	}
	if _, err := all[0].Sources(); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(to)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d folders are left, %v", len(entries), err)
	}
}

// TestListWithRubbish: whatever lies in the directory, the voices are found.
func TestListWithRubbish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collection.In(dir)
	m := keep(t, c, collection.Choices{}, piper(tiny.PiperOptions{}).write(t, t.TempDir()))
	manifest, err := os.ReadFile(filepath.Join(m.Dir, "voice.json"))
	if err != nil {
		t.Fatal(err)
	}
	digest := func(c byte) string { return strings.Repeat(string(c), 64) }
	tree{
		"notes.txt": []byte("hello"), digest('0') + "/other": nil, digest('1') + "/voice.json": []byte("noise"), digest('2') + "/voice.json": manifest,
		digest('3') + "/voice.json": []byte("{}"), digest('4'): []byte("a file"), digest('5') + "/voice.json": bytes.Repeat([]byte(" "), 2<<20),
		digest('6') + "/voice.json/x": nil, ".adding-1/model.onnx": nil, "UPPER/voice.json": manifest, m.Digest[:63] + "/voice.json": manifest,
		digest('7') + "/voice.json": bytes.ReplaceAll(bytes.ReplaceAll(manifest, []byte(m.Digest), []byte(digest('7'))), []byte(`"format": 1`), []byte(`"format": 2`)),
	}.write(t, dir)
	link(t, "/dev/zero", filepath.Join(dir, digest('8')))
	if err := os.Mkdir(filepath.Join(dir, digest('9')), 0o700); err != nil {
		t.Fatal(err)
	}
	link(t, "/dev/zero", filepath.Join(dir, digest('9'), "voice.json"))
	all, err := c.List()
	if len(all) != 1 || all[0].Digest != m.Digest || err == nil {
		t.Fatalf("List = %d models, %v", len(all), err)
	}
	if got, _, err := c.Find(m.Digest[:8]); err != nil || got.Digest != m.Digest {
		t.Errorf("Find = %v", err)
	}
	if all, err := collection.In(filepath.Join(dir, "none")).List(); len(all) > 0 || err != nil {
		t.Errorf("of no directory, List = %v, %v", all, err)
	}
}

// TestHalfAdded: a process that is killed between Begin and Keep leaves no voice, and what it leaves
// is removed a day later.
func TestHalfAdded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collection.In(dir)
	from := piper(tiny.PiperOptions{}).write(t, t.TempDir())
	old, err := c.Draft([]string{from}, collection.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := c.Draft([]string{from}, collection.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := c.List(); len(all) > 0 || err != nil {
		t.Errorf("List = %v, %v", all, err)
	}
	yesterday := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(old.Dir, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	keep(t, c, collection.Choices{}, from)
	if _, err := os.Stat(old.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old draft: %v", err)
	}
	if _, err := os.Stat(fresh.Dir); err != nil {
		t.Errorf("the new draft: %v", err)
	}
	if _, err := fresh.Keep(); err != nil {
		t.Errorf("the new draft cannot be kept: %v", err)
	}
}

// TestChoices: the operator's words win over those of the files.
func TestChoices(t *testing.T) {
	t.Parallel()
	dir := tree{"a.onnx": tiny.Kokoro(tiny.KokoroOptions{}), "somebody.bin": tiny.RawVoice(0)}.write(t, t.TempDir())
	m := keep(t, collection.In(t.TempDir()), collection.Choices{Language: lang.Tag{Code: "fr", Region: "FR"}, Gender: voice.Male}, dir)
	if s := m.Speakers[0]; s.Language != "fr" || s.Region != "FR" || s.Gender != voice.Male || s.Name == "" {
		t.Errorf("speaker %+v", s)
	}
}

// TestFind: a name means one model, the closest, or is refused.
func TestFind(t *testing.T) {
	t.Parallel()
	all := collection.In(t.TempDir())
	ids := map[string]voice.ID{}
	for rate, name := range map[int]string{16000: "Amy (low)", 22050: "Amy (medium)", 24000: "Joe (medium)"} {
		model, config := tiny.Piper(tiny.PiperOptions{SampleRate: rate, Dataset: name})
		dir := t.TempDir()
		// A field that no reader knows makes another model of it, with a digest of its own.
		for file, data := range map[string][]byte{"a.onnx": append(model, 0xfa, 0x01, 0x01, byte(rate>>8)), "a.onnx.json": config} {
			if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := all.Draft([]string{dir}, collection.Choices{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Keep()
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = m.Speakers[0].ID
	}
	for name, want := range map[string]string{"amy (low)": "Amy (low)", "joe": "Joe (medium)", string(ids["Amy (medium)"]): "Amy (medium)"} {
		if m, speakers, err := all.Find(name); err != nil || m.Name != want || len(speakers) != 1 {
			t.Errorf("Find(%q) = %v, %v, want %s", name, m, err, want)
		}
	}
	_, _, err := all.Find("Amy")
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), string(ids["Amy (low)"])) || !strings.Contains(err.Error(), string(ids["Amy (medium)"])) {
		t.Errorf("Find(Amy) = %v, want a refusal with both ids", err)
	}
	if _, _, err := all.Find("nobody"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Find(nobody) = %v", err)
	}
}

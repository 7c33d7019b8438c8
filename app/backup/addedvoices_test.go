package backup

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"vaak/app/deployment"
	"vaak/engine/onnx/collection"
)

// addVoice adds a model with this content to a directory, and returns it.
func addVoice(t *testing.T, dir, content string) *collection.Model {
	t.Helper()
	from := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(from, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := collection.In(dir).Begin(from)
	if err != nil {
		t.Fatal(err)
	}
	d.Name, d.Rate, d.Speakers = content, 22050, []collection.Speaker{{ID: collection.IDOf(d.Digest, "0"), Key: "0", Name: content, Language: "en"}}
	styles := filepath.Join(d.Dir, "styles")
	if err := errors.Join(os.Mkdir(styles, 0o700), os.WriteFile(filepath.Join(styles, "one.bin"), []byte("style of "+content), 0o600)); err != nil {
		t.Fatal(err)
	}
	m, err := d.Keep()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// voicesIn returns what the voices below a directory are called, with a file of each.
func voicesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	models, err := collection.In(dir).List()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range models {
		b, err := os.ReadFile(filepath.Join(m.Dir, "styles", "one.bin"))
		if err != nil {
			t.Error(err)
		}
		all[m.Name] = string(b)
	}
	return all
}

// TestBackupHoldsAddedVoices: the voices come back, wherever they were, and nothing that an
// addition has left half done.
func TestBackupHoldsAddedVoices(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]func(dir string) string{
		"the usual place":         func(dir string) string { return filepath.Join(dir, deployment.Voices) },
		"elsewhere":               func(string) string { return t.TempDir() },
		"elsewhere in the data":   func(dir string) string { return filepath.Join(dir, "models") },
		"of another upper letter": func(dir string) string { return filepath.Join(dir, "Voices") },
	} {
		x := newTill(t)
		dir := where(x.place.DataDir)
		addVoice(t, dir, "Amy")
		addVoice(t, dir, "Ben")
		for _, scrap := range []string{".adding-1", ".removed-2", strings.Repeat("a", 64) + ".before-restore-1"} {
			if err := errors.Join(os.Mkdir(filepath.Join(dir, scrap), 0o700), os.WriteFile(filepath.Join(dir, scrap, "model.onnx"), []byte("-"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(t.TempDir(), "backup.tar.gz")
		if err := write(t.Context(), Source{Place: x.place, File: file, Voices: dir}); err != nil {
			t.Fatal(err)
		}
		into := Target{Place: deployment.Place{DataDir: filepath.Join(t.TempDir(), "new")}, File: file, MaxBytes: 1 << 30}
		m, _, err := Restore(t.Context(), into)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := map[string]string{"Amy": "style of Amy", "Ben": "style of Ben"}
		if diff := cmp.Diff(want, voicesIn(t, into.Place.In(deployment.Voices))); diff != "" || m.Models() != 2 {
			t.Errorf("%s: %d models; voices (-want +got):\n%s", name, m.Models(), diff)
		}
		for _, f := range slices.Collect(maps.Keys(filesIn(t, into.Place.DataDir))) {
			if f != "vaak.db" && !strings.HasPrefix(f, "voices/") || strings.Contains(f, ".adding") || strings.Contains(f, ".removed") || strings.Contains(f, "before") {
				t.Errorf("%s: the backup has %s", name, f)
			}
		}
		if err := write(t.Context(), Source{Place: x.place, File: file + "2", Voices: dir, WithoutVoices: true}); err != nil {
			t.Fatal(err)
		}
		r, err := x.restored(file + "2")
		if err != nil {
			t.Fatal(err)
		}
		if got := filesIn(t, r.place.DataDir); len(got) != 1 {
			t.Errorf("%s: without voices the backup has %d files, want the database alone", name, len(got))
		}
	}
}

// TestRestoreOverAddedVoices: what is replaced is kept beside, and is no voice.
func TestRestoreOverAddedVoices(t *testing.T) {
	t.Parallel()
	x := newTill(t)
	voices := x.place.In(deployment.Voices)
	m := addVoice(t, voices, "Amy")
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	if err := write(t.Context(), Source{Place: x.place, File: file, Voices: voices}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.ModelPath(), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	addVoice(t, voices, "Zoe")
	if err := restore(t.Context(), Target{Place: x.place, File: file, Force: true, MaxBytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(m.ModelPath()); err != nil || string(b) != "Amy" {
		t.Errorf("the model is %q, %v", b, err)
	}
	if got := voicesIn(t, voices); len(got) != 2 || got["Zoe"] == "" {
		t.Errorf("voices are %v, want those of the backup and that which was added since", got)
	}
	old, err := filepath.Glob(m.Dir + ".before-restore-*/model.onnx")
	if err != nil || len(old) != 1 {
		t.Errorf("what was replaced is at %v, %v", old, err)
	}
}

// TestBackupOfDamagedVoices: a backup says that a voice is lost, and goes on only when it may.
func TestBackupOfDamagedVoices(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		damage func(m *collection.Model) error
		says   string
	}{
		"model":    {func(m *collection.Model) error { return os.WriteFile(m.ModelPath(), []byte("damaged"), 0o600) }, "the model of Amy is lost"},
		"no model": {func(m *collection.Model) error { return os.Remove(m.ModelPath()) }, "the model of Amy is lost"},
		"manifest": {func(m *collection.Model) error { return os.WriteFile(filepath.Join(m.Dir, "voice.json"), nil, 0o600) }, "a model of added voices is lost"},
	} {
		x := newTill(t)
		voices := x.place.In(deployment.Voices)
		m := addVoice(t, voices, "Amy")
		addVoice(t, voices, "Ben")
		if err := tt.damage(m); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "backup.tar.gz")
		c := Source{Place: x.place, File: file, Voices: voices}
		if err := write(t.Context(), c); err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "--allow-missing") {
			t.Errorf("%s: %v, want an error with %q", name, err, tt.says)
		}
		told := 0
		c.Missing = func(string, error) error { told++; return nil }
		if err := write(t.Context(), c); err != nil || told != 1 {
			t.Fatalf("%s: %v, told %d times", name, err, told)
		}
		r, err := x.restored(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := voicesIn(t, r.place.In(deployment.Voices)); len(got) != 1 || got["Ben"] == "" {
			t.Errorf("%s: voices are %v, want Ben", name, got)
		}
	}
}

// TestBackupWhileVoicesChange: each voice of a backup is whole, whatever is added and removed
// meanwhile.
func TestBackupWhileVoicesChange(t *testing.T) {
	t.Parallel()
	x := newTill(t)
	voices := x.place.In(deployment.Voices)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			m := addVoice(t, voices, "Amy") // replaces it every other time
			addVoice(t, voices, "Amy")
			if err := collection.In(voices).Remove(m); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		}
	}()
	for range 20 {
		file := filepath.Join(t.TempDir(), "backup.tar.gz")
		if err := write(t.Context(), Source{Place: x.place, File: file, Voices: voices}); err != nil {
			t.Error(err)
			continue
		}
		r, err := x.restored(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := voicesIn(t, r.place.In(deployment.Voices)); len(got) > 0 && got["Amy"] != "style of Amy" {
			t.Errorf("half of a voice is in a backup: %v", got)
		}
	}
	stop()
	<-done
}

// TestRestoreOfForeignVoices: a model that is not what its folder says, or lies elsewhere, is
// refused.
func TestRestoreOfForeignVoices(t *testing.T) {
	t.Parallel()
	x := newTill(t)
	for member, want := range map[string]string{
		"files/voices/" + strings.Repeat("a", 64) + "/model.onnx": "does not hold the model that its name says",
		"files/voices/model.onnx":                                 "is no file of an added voice",
		"files/voices/.adding-1/model.onnx":                       "is no file of an added voice",
		"files/voices/" + strings.Repeat("a", 64):                 "is no file of an added voice",
		"files/VOICES/" + strings.Repeat("a", 64) + "/model.onnx": "is no file of an added voice",
	} {
		file := archive(t, func(a *archiver) error {
			db, err := os.Open(x.place.In("vaak.db"))
			if err != nil {
				return err
			}
			foreign, err := fstest.MapFS{"x": {Data: []byte("x")}}.Open("x")
			return errors.Join(err, a.add(databaseMember, db), db.Close(), a.add(member, foreign), a.close())
		})
		into := Target{Place: deployment.Place{DataDir: filepath.Join(t.TempDir(), "new")}, File: file, MaxBytes: 1 << 30}
		if err := restore(t.Context(), into); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", member, err, want)
		}
	}
}

package demo

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"vaak/lang"
	"vaak/voice"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSet makes a set with tones, twice, and compares the bytes.
func TestSet(t *testing.T) {
	t.Parallel()
	dirs := [2]string{t.TempDir(), t.TempDir()}
	p := plans()[2]
	for _, dir := range dirs {
		last := 0
		m := maker{speaker: tones{440}, version: "1.2.3", root: dir, of: p.takes(), progress: func(done, of int) {
			if done != last+1 || of != p.takes() {
				t.Errorf("progress %d of %d after %d", done, of, last)
			}
			last = done
		}}
		set, err := m.set(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Conversations) != p.takes() || last != p.takes() {
			t.Errorf("%d conversations and %d told, want %d", len(set.Conversations), last, p.takes())
		}
	}
	files := 0
	err := fs.WalkDir(os.DirFS(dirs[0]), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		a, err := fs.ReadFile(os.DirFS(dirs[0]), path)
		b, err2 := fs.ReadFile(os.DirFS(dirs[1]), path)
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not the same twice", path)
		}
		return errors.Join(err, err2)
	})
	if want := p.takes()*2 + 2; err != nil || files != want {
		t.Errorf("%d files and error %v, want %d", files, err, want)
	}
}

// mute fails to say anything.
type mute struct{ err error }

func (m mute) Say(context.Context, voice.ID, lang.Code, string) (Speech, error) {
	return Speech{}, m.err
}

func TestMakeFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no voice")
	if _, err := Make(t.Context(), t.TempDir(), Config{Speaker: mute{broken}}); !errors.Is(err, broken) {
		t.Errorf("Make without a voice: %v, want %v", err, broken)
	}
	if _, err := Make(t.Context(), t.TempDir(), Config{Speaker: mute{}}); err == nil || !strings.Contains(err.Error(), "at 0 Hz") {
		t.Errorf("Make of nothing: %v, want one of the rate", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Make(ctx, t.TempDir(), Config{Speaker: tones{440}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Make when nobody waits: %v, want %v", err, context.Canceled)
	}
}

// TestTakes checks that no voice speaks in two conversations of a set.
func TestTakes(t *testing.T) {
	t.Parallel()
	for _, p := range plans() {
		seen := map[voice.ID]bool{}
		for n := range p.takes() {
			for _, id := range p.dialogue(n).cast.voices {
				if seen[id] {
					t.Errorf("%s: voice %s speaks twice", p.slug, id)
				}
				seen[id] = true
			}
		}
	}
}

// TestRender checks levels, lengths and the number of channels.
func TestRender(t *testing.T) {
	t.Parallel()
	for _, p := range plans()[1:4] {
		tk := p.dialogue(1)
		lines, err := parseScript(talk)
		if err != nil {
			t.Fatal(err)
		}
		sc, err := stage(t.Context(), tones{440}, tk, lines)
		if err != nil {
			t.Fatal(err)
		}
		channels, err := render(sc, tk)
		want := 2
		if p.mono {
			want = 1
		}
		if err != nil || len(channels) != want {
			t.Fatalf("%s: %d channels and error %v, want %d", p.slug, len(channels), err, want)
		}
		for _, c := range channels {
			if length := sc.length * p.rate / rate; len(c)-length < 0 || len(c)-length > 2 {
				t.Errorf("%s: %d samples, want %d", p.slug, len(c), length)
			}
			if level := rms(c[:p.rate/2]); math.Abs(level-noiseDB) > 4 {
				t.Errorf("%s: noise is at %.1f dB, want %d", p.slug, level, noiseDB)
			}
			if level := rms(c); level > speechDB+3 || level < speechDB-9 {
				t.Errorf("%s: all is at %.1f dB", p.slug, level)
			}
		}
	}
}

// rms returns the level of samples in dB of full scale.
func rms(x []int16) float64 {
	var sum float64
	for _, s := range x {
		sum += float64(s) * float64(s)
	}
	return decibels(sum / float64(len(x)) / (32768 * 32768))
}

func TestWords(t *testing.T) {
	t.Parallel()
	got := Words([]string{" ", "a", "b,", " ", "\n", "c"}, []float64{0, 1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5, 6})
	if len(got) != 2 || got[0] != (Word{"ab,", 1, 3}) || got[1] != (Word{"c", 5, 6}) {
		t.Errorf("Words = %v", got)
	}
}

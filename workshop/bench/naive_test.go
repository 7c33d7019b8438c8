package main

import (
	"errors"
	"os/exec"
	"testing"
	"time"
)

// TestNaive measures the naive server a little in every way there is.
func TestNaive(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"espeak-ng", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the naive server needs it, and tools/install test brings it: %v", err)
		}
	}
	s, err := startNaive(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	short, err := newSample(english, 20)
	if err != nil {
		t.Fatal(err)
	}
	long, err := newSample(english, 5000)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("first", func(t *testing.T) {
		p := &prober{s: s}
		defer p.close()
		for _, text := range []sample{short, long, short} {
			if d, err := p.probe(text); err != nil || d <= 0 {
				t.Errorf("probe of %d characters = %v, %v", text.size, d, err)
			}
		}
	})
	t.Run("all", func(t *testing.T) {
		n, err := speakAll(s, short, 2, 3)
		if seconds := s.seconds(n); err != nil || seconds < 3 || seconds > 30 {
			t.Errorf("six texts of 20 characters last %.1f s, %v", seconds, err)
		}
	})
	t.Run("stretch", func(t *testing.T) {
		st, err := sustain(s, long, 2, 10*time.Millisecond, 200*time.Millisecond)
		if err != nil || st.audio <= 0 || st.wall < 100*time.Millisecond || st.load <= 0 {
			t.Errorf("sustain = %+v, %v", st, err)
		}
	})
	t.Run("listeners", func(t *testing.T) {
		a, err := listen(s, long, 3)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.footprint()
		if err != nil || f.running != 3 || f.utterances <= 0 || f.workers != 0 {
			t.Errorf("footprint = %+v, %v", f, err)
		}
		d, err := leave(s, long, 2*time.Millisecond)
		if err != nil || d <= 0 {
			t.Errorf("leave = %v, %v", d, err)
		}
		if err := errors.Join(a.stop(s), s.waitIdle()); err != nil {
			t.Error(err)
		}
	})
}

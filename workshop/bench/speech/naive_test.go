package speech

import (
	"errors"
	"testing"
	"time"

	"vaak/internal/needed"
	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/listeners"
	"vaak/workshop/bench/server"
)

// TestNaive measures the naive server a little in every way there is.
func TestNaive(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"espeak-ng", "go"} {
		needed.Program(t, program)
	}
	s, err := server.StartNaive(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	short, err := corpus.New(corpus.English, 20)
	if err != nil {
		t.Fatal(err)
	}
	long, err := corpus.New(corpus.English, 5000)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("first", func(t *testing.T) {
		p := &Prober{S: s}
		defer p.Close()
		for _, text := range []corpus.Sample{short, long, short} {
			if d, err := p.Probe(text); err != nil || d <= 0 {
				t.Errorf("probe of %d characters = %v, %v", text.Size, d, err)
			}
		}
	})
	t.Run("all", func(t *testing.T) {
		n, err := client.SpeakAll(s, short, 2, 3)
		if seconds := s.Seconds(n); err != nil || seconds < 3 || seconds > 30 {
			t.Errorf("six texts of 20 characters last %.1f s, %v", seconds, err)
		}
	})
	t.Run("stretch", func(t *testing.T) {
		st, err := client.Sustain(s, long, 2, 10*time.Millisecond, 200*time.Millisecond)
		if err != nil || st.Audio <= 0 || st.Wall < 100*time.Millisecond || st.Load <= 0 {
			t.Errorf("sustain = %+v, %v", st, err)
		}
	})
	t.Run("listeners", func(t *testing.T) {
		a, err := listeners.Gather(s, long, 3)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.Footprint()
		if err != nil || f.Running != 3 || f.Utterances <= 0 || f.Workers != 0 {
			t.Errorf("footprint = %+v, %v", f, err)
		}
		d, err := leave(s, long, 2*time.Millisecond)
		if err != nil || d <= 0 {
			t.Errorf("leave = %v, %v", d, err)
		}
		if err := errors.Join(a.Stop(s), s.WaitIdle()); err != nil {
			t.Error(err)
		}
	})
}

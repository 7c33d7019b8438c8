package timbre

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"vaak/audio/acoustic"
	"vaak/engine/espeak"
	"vaak/voice"
)

// three are the voices of Serbian: two women and a man.
func three(t *testing.T) []voice.Voice {
	t.Helper()
	v := voice.ForLanguage("sr")
	if len(v) != 3 {
		t.Fatalf("sr has %d voices, want 3", len(v))
	}
	return v
}

// still is a voice that is exact in all that it does.
func still(timbre, hz float64) take {
	p := acoustic.Print{F0: hz, Range: 4}
	p.Timbre[0] = timbre
	return take{a: p, b: p, self: self{sentences: 1, timbre: 1, sets: 0.5}, lufs: -24.5, peak: 20000}
}

func TestViolations(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(takes []take)
		want   []string // a word of each
	}{
		{"none", func([]take) {}, nil},
		{"too near", func(ts []take) { ts[2] = still(1.5, 225) }, []string{"apart, 1.81"}},
		{"unsteady", func(ts []take) { ts[0].self.sentences = 6 }, []string{"11.26 dB apart, 1.88"}},
		{"near in one set only", func(ts []take) { ts[1].b = ts[0].b }, []string{"are 0.00 dB apart"}},
		{"one pitch", func(ts []take) { ts[2] = still(20, 205) }, []string{"want 10 Hz between"}},
		{"soft", func(ts []take) { ts[1].lufs = -25.6 }, []string{"1.10 LU louder"}},
		{"clipped", func(ts []take) { ts[2].clipped = 3 }, []string{"3 samples at full scale"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			voices := three(t)
			// A woman, a man, a woman.
			order := map[voice.Gender][]float64{voice.Female: {200, 240}, voice.Male: {110, 130}}
			ts := make([]take, 3)
			for i, v := range voices {
				ts[i] = still(10*float64(i), order[v.Gender][0])
				order[v.Gender] = order[v.Gender][1:]
			}
			tt.change(ts)
			s := survey{voices: voices, takes: map[voice.ID]take{}}
			for i, v := range voices {
				s.takes[v.ID] = ts[i]
			}
			got := s.violations()
			if len(got) != len(tt.want) {
				t.Fatalf("violations %q, want %d", got, len(tt.want))
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("violation %q, want one with %q", got[i], want)
				}
			}
		})
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	voices := three(t)
	s := survey{voices: voices, takes: map[voice.ID]take{
		voices[0].ID: still(0, 200), voices[1].ID: still(6, 200), voices[2].ID: still(1, 200),
	}}
	var b bytes.Buffer
	s.report(&b)
	for _, want := range []string{
		"Serbian (sr)", "3 voices, 3 pairs inside 1 native languages", "smallest 1.00 dB", "median 5.00 dB",
		"floor of 2.0 is held by 2 pairs, and by timbre alone by 2", "-24.50 LUFS", "20000 of 32,767",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("report lacks %q:\n%s", want, b.String())
		}
	}
	near, least := s.neighbours(voices[2])
	if near.b.ID != voices[0].ID || near.distance != 1 || least != 1 {
		t.Errorf("the neighbour of the third is %s at %.2f, ratio %.2f; want the first at 1, ratio 1", near.b.Name, near.distance, least)
	}
}

func TestWorth(t *testing.T) {
	t.Parallel()
	voices := three(t)
	var woman, other voice.Voice
	for _, v := range voices {
		if v.Gender == voice.Female {
			woman, other = other, v
		}
	}
	s := survey{voices: []voice.Voice{woman, other}, takes: map[voice.ID]take{woman.ID: still(0, 180), other.ID: still(5, 180)}}
	if w := s.worth(woman); !math.IsInf(w, -1) {
		t.Errorf("at the other's pitch she is worth %.2f, want nothing", w)
	}
	s.takes[woman.ID] = still(0, 195)
	if w := s.worth(woman); w < 5 || w > 5.1 {
		t.Errorf("worth = %.2f, want the ratio 5.02", w)
	}
	s.takes[woman.ID] = still(0, 320)
	if w := s.worth(woman); !math.IsInf(w, -1) {
		t.Errorf("at 320 Hz she is worth %.2f, want nothing", w)
	}
}

func TestBetter(t *testing.T) {
	t.Parallel()
	v := three(t)[0]
	now := map[voice.ID]take{v.ID: still(0, 200)}
	at := func(worth, hz float64) move { return move{voice: v, take: still(1, hz), worth: worth} }
	before := move{worth: 1.5}
	for _, tt := range []struct {
		name string
		a, b move
		want bool
	}{
		{"than before", at(1.6, 200), before, true},
		{"hardly than before", at(1.51, 200), before, false},
		{"by worth", at(1.9, 260), at(1.8, 200), true},
		{"not by worth", at(1.8, 200), at(1.9, 260), false},
		{"beyond the margin by pitch", at(2.6, 202), at(5, 220), true},
		{"not beyond the margin by worth", at(5, 220), at(2.6, 202), false},
	} {
		if got := tt.a.better(tt.b, now); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	r := register{low: 100, high: 144}
	if hz := r.hz(50); math.Abs(hz-120) > 1e-9 {
		t.Errorf("hz(50) = %.2f, want 120", hz)
	}
	for pitch := 0; pitch < 100; pitch++ {
		if got := r.pitch(r.hz(pitch)); got != pitch {
			t.Errorf("pitch(hz(%d)) = %d", pitch, got)
		}
	}
}

func TestPrincipal(t *testing.T) {
	t.Parallel()
	voices := three(t)
	s := survey{voices: voices, takes: map[voice.ID]take{}}
	// Along (3, 4) mostly, a little across it.
	along, across := []float64{-10, 0, 10}, []float64{1, -2, 1}
	for i, v := range voices {
		tk := still(0, 200)
		for _, p := range []*acoustic.Print{&tk.a, &tk.b} {
			p.Timbre[0] = 100 + 0.6*along[i] - 0.8*across[i]
			p.Timbre[1] = 0.8*along[i] + 0.6*across[i]
		}
		s.takes[v.ID] = tk
	}
	points := s.principal()
	for i := range points {
		for j := range points[:i] {
			got := math.Hypot(points[i][0]-points[j][0], points[i][1]-points[j][1])
			want := math.Hypot(along[i]-along[j], across[i]-across[j])
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("voices %d and %d are %.3f apart on two axes, want %.3f", j, i, got, want)
			}
		}
	}
	if d := points[2][0] - points[0][0]; math.Abs(d-20) > 0.5 {
		t.Errorf("the first axis holds %.2f of what is 20 along it", d)
	}
}

func TestPaletteIsOfVariants(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, b := range palette {
		if seen[b.variant] {
			t.Errorf("%s is there twice", b.variant)
		}
		seen[b.variant] = true
	}
	for id, tb := range espeak.Timbres() {
		if !seen[tb.Variant] {
			t.Errorf("%s has variant %q, which is not in the palette", id, tb.Variant)
		}
	}
}

func TestLevelsAreAgainstTheMean(t *testing.T) {
	t.Parallel()
	l := levels{"a": make([]float64, len(palette)), "b": make([]float64, len(palette))}
	l["a"][0], l["b"][0], l["b"][1] = -20, -24, 3
	l.center()
	if l["a"][0] != 2 || l["b"][0] != -2 || l["a"][1] != -1.5 || l["b"][1] != 1.5 || l["a"][2] != 0 {
		t.Errorf("levels = %v", l)
	}
	lines := strings.Split(strings.TrimSpace(l.format()), "\n")
	if got := lines[len(lines)-2]; !strings.HasPrefix(got, "a\t2.0\t-1.5\t0.0\t") || len(strings.Split(got, "\t")) != 1+len(palette) {
		t.Errorf("the line of a is %q", got)
	}
}

package tempo

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/audio"
	"vaak/internal/fault"
)

const rate = 22050 // of the embedded engine

var speeds = []float64{0.7, 0.85, 0.97, 1.03, 1.2, 1.5}

// sink keeps what it is given.
type sink struct {
	pcm    []int16
	closed int
	err    error // of the next WritePCM
}

func (s *sink) WritePCM(pcm []int16) error {
	if s.err != nil {
		return s.err
	}
	s.pcm = append(s.pcm, pcm...)
	return nil
}

func (s *sink) Close() error {
	s.closed++
	return nil
}

type fataler interface{ Fatal(...any) }

// stretch changes the speed of pcm, written in blocks of the given sizes and a
// rest.
func stretch(t fataler, rate int, pcm []int16, speed float64, blocks ...int) []int16 {
	var s sink
	w, err := NewWriter(&s, rate, speed)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range append(blocks, len(pcm)) {
		n = min(n, len(pcm))
		if err := w.WritePCM(pcm[:n]); err != nil {
			t.Fatal(err)
		}
		pcm = pcm[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return s.pcm
}

func TestSpeeds(t *testing.T) {
	t.Parallel()
	var s sink
	if w, err := NewWriter(&s, rate, 1); err != nil || w != audio.Writer(&s) {
		t.Errorf("NewWriter(1) = %v, %v, want dst itself", w, err)
	}
	for _, speed := range []float64{0, -1, 0.69, 1.51, 1.9, math.NaN(), math.Inf(1)} {
		_, err := NewWriter(&s, rate, speed)
		want := fault.BadParameter("speed", "speed %g is outside 0.7 to 1.5", speed)
		got, _ := errors.AsType[*fault.Error](err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("NewWriter(%g):\n%s", speed, diff)
		}
	}
	for _, speed := range []float64{minSpeed, maxSpeed} {
		if _, err := NewWriter(&s, rate, speed); err != nil {
			t.Errorf("NewWriter(%g): %v", speed, err)
		}
	}
}

func TestLengthIsExact(t *testing.T) {
	t.Parallel()
	pcm := speech(rate, 3000)
	for _, speed := range append(speeds, 1.0001, 0.9999) {
		for _, n := range []int{0, 1, 2, 10, 100, 339, 340, 700, 1017, 1500, 5000, 22050, len(pcm)} {
			if got, want := len(stretch(t, rate, pcm[:n], speed)), position(n, speed); got != want {
				t.Errorf("speed %g: %d samples became %d, want %d", speed, n, got, want)
			}
		}
	}
}

// TestPitchStays measures voices before and after. No frame may lose its pitch,
// but for the last ones, where the length is made exact.
func TestPitchStays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rate           int
		pitch, vibrato float64
	}{
		{rate, 70, 0}, {rate, 90, 0}, {rate, 130, 0}, {rate, 220, 0}, {rate, 350, 0},
		{rate, 90, 0.03}, {rate, 130, 0.03}, {rate, 220, 0.03},
		{8000, 130, 0}, {24000, 130, 0.03}, {48000, 90, 0.03},
	} {
		pcm := voice(tt.rate, 0.9, tt.pitch, tt.vibrato)
		before := pitches(pcm, tt.rate, tt.pitch)
		want := mean(before)
		if math.Abs(want/tt.pitch-1) > 0.01 {
			t.Fatalf("a voice of %g Hz is measured as %g Hz", tt.pitch, want)
		}
		for _, speed := range speeds {
			out := stretch(t, tt.rate, pcm, speed)
			after := pitches(out[:len(out)-tt.rate/25], tt.rate, tt.pitch)
			if len(after) < position(len(before), speed)*9/10 {
				t.Errorf("%+v, speed %g: only %d frames have a pitch", tt, speed, len(after))
			}
			if got := mean(after); math.Abs(got/want-1) > 0.01 {
				t.Errorf("%+v, speed %g: a voice of %.2f Hz became one of %.2f Hz", tt, speed, want, got)
			}
			if low, high := slices.Min(after)/slices.Min(before), slices.Max(after)/slices.Max(before); low < 0.98 || high > 1.02 {
				t.Errorf("%+v, speed %g: lowest and highest pitch change by factors of %.3f and %.3f", tt, speed, low, high)
			}
		}
	}
}

// TestStaysPeriodic takes all harmonics of a steady voice out of the result; a
// splice that breaks the phase leaves something behind.
func TestStaysPeriodic(t *testing.T) {
	t.Parallel()
	worst := math.Inf(1)
	for _, pitch := range []float64{90, 130, 220} {
		pcm := voice(rate, 1.5, pitch, 0)
		for _, speed := range speeds {
			out := stretch(t, rate, pcm, speed)
			snr := math.Inf(1)
			// In pieces: splices of whole samples may let the phase wander slowly.
			n := int(math.Round(6 * rate / pitch))
			for i := rate / 10; i+n < len(out)-rate/10; i += n {
				snr = min(snr, harmonicity(out[i:i+n], pitch/rate))
			}
			worst = min(worst, snr)
			if snr < 12 {
				t.Errorf("speed %g: a voice of %g Hz keeps %.1f dB over what is not periodic", speed, pitch, snr)
			}
		}
	}
	t.Logf("worst harmonics to noise ratio %.1f dB", worst)
}

// harmonicity returns the power of pcm against that of what remains when every
// harmonic of f cycles a sample is taken out, in dB.
func harmonicity(pcm []int16, f float64) float64 {
	x := make([]float64, len(pcm))
	for i, s := range pcm {
		x[i] = float64(s)
	}
	for range 2 { // harmonics are not quite orthogonal over the piece
		for h := 1.0; h*f < 0.5; h++ {
			turn := cmplx.Rect(1, 2*math.Pi*h*f)
			sum, z := complex128(0), complex128(1)
			for _, v := range x {
				sum += complex(v, 0) * z
				z *= turn
			}
			sum *= complex(2/float64(len(x)), 0)
			z = 1
			for i := range x {
				x[i] -= real(sum)*real(z) + imag(sum)*imag(z)
				z *= turn
			}
		}
	}
	rest := 0.0
	for _, v := range x {
		rest += v * v / float64(len(x))
	}
	return 10 * math.Log10(power(pcm)/rest)
}

func TestNoClicks(t *testing.T) {
	t.Parallel()
	for name, pcm := range map[string][]int16{
		"low":    voice(rate, 1.2, 90, 0.03),
		"middle": voice(rate, 1.2, 130, 0.03),
		"high":   voice(rate, 1.2, 220, 0.03),
		"words":  speech(rate, 0),
	} {
		limit := 1.15 * roughness(pcm)
		for _, speed := range speeds {
			if got := roughness(stretch(t, rate, pcm, speed)); got > limit {
				t.Errorf("%s, speed %g: second difference up to %.0f, the input's limit is %.0f", name, speed, got, limit)
			}
		}
	}
}

func TestSilenceAndNoise(t *testing.T) {
	t.Parallel()
	noise := hiss(rate, 2, 10000)
	for _, speed := range speeds {
		for i, s := range stretch(t, rate, silence(rate, 1), speed) {
			if s != 0 {
				t.Errorf("speed %g: sample %d of silence is %d", speed, i, s)
				break
			}
		}
		out := stretch(t, rate, noise, speed)
		if db := 10 * math.Log10(power(out)/power(noise)); math.Abs(db) > 0.5 {
			t.Errorf("speed %g: noise changes by %.2f dB", speed, db)
		}
		// Not only on the whole: no splice may be heard as a gap.
		for i := 0; i+rate/50 < len(out); i += rate / 50 {
			if db := 10 * math.Log10(power(out[i:i+rate/50])/power(noise)); math.Abs(db) > 2 {
				t.Errorf("speed %g: 20 ms of noise at %d have %.1f dB", speed, i, db)
				break
			}
		}
	}
}

// TestPosition checks where the beginnings of words come out.
func TestPosition(t *testing.T) {
	t.Parallel()
	pcm := speech(rate, 3000)
	worst := 0.0
	for _, speed := range speeds {
		out := stretch(t, rate, pcm, speed)
		want, got := onsets(pcm), onsets(out)
		if len(want) != len(got) {
			t.Fatalf("speed %g: %d words became %d", speed, len(want), len(got))
		}
		for i, n := range want {
			ms := 1000 * math.Abs(float64(got[i]-position(n, speed))) / rate
			worst = max(worst, ms)
			if ms > 16 {
				t.Errorf("speed %g: word %d begins %.1f ms from its position", speed, i, ms)
			}
		}
	}
	t.Logf("worst distance %.1f ms", worst)
}

// onsets returns where sound begins after at least 20 ms of silence.
func onsets(pcm []int16) (all []int) {
	quiet := rate
	for i, s := range pcm {
		if s > -300 && s < 300 {
			quiet++
			continue
		}
		if quiet > rate/50 {
			all = append(all, i)
		}
		quiet = 0
	}
	return all
}

func TestBlocksDoNotMatter(t *testing.T) {
	t.Parallel()
	pcm := speech(rate, 3000)
	rapid.Check(t, func(t *rapid.T) {
		speed := rapid.Float64Range(minSpeed, maxSpeed).Draw(t, "speed")
		n := len(pcm) - rapid.IntRange(0, len(pcm)).Draw(t, "left out")
		blocks := rapid.SliceOf(rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 9000))).Draw(t, "blocks")
		whole, parts := stretch(t, rate, pcm[:n], speed), stretch(t, rate, pcm[:n], speed, blocks...)
		if !slices.Equal(whole, parts) {
			t.Fatalf("speed %g in blocks %v differs from one write:\n%s", speed, blocks, cmp.Diff(whole, parts))
		}
		if len(whole) != position(n, speed) {
			t.Fatalf("%d samples, want %d", len(whole), position(n, speed))
		}
	})
}

// TestHeldBack checks that the first audio does not wait for long.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	pcm := speech(rate, 3000)
	for _, speed := range speeds {
		var s sink
		w, err := NewWriter(&s, rate, speed)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < rate; n += 50 {
			if err := w.WritePCM(pcm[n : n+50]); err != nil {
				t.Fatal(err)
			}
			ready := position(n+50, speed) - len(s.pcm)
			if limit := position(3*rate/lowestPitch+50, speed) + rate/lowestPitch; ready > limit {
				t.Fatalf("speed %g: after %d samples %d of the output are held back, want at most %d", speed, n+50, ready, limit)
			}
		}
	}
}

func TestErrorsAndClose(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	s := sink{err: broken}
	w, err := NewWriter(&s, rate, 1.2)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WritePCM(nil); err != nil {
		t.Errorf("empty write: %v", err)
	}
	for range 2 {
		if err := w.WritePCM(make([]int16, 5000)); !errors.Is(err, broken) {
			t.Errorf("WritePCM: %v, want %v", err, broken)
		}
	}
	for range 2 {
		if err := w.Close(); !errors.Is(err, broken) {
			t.Errorf("Close: %v, want %v", err, broken)
		}
	}
	if s.closed != 1 {
		t.Errorf("dst closed %d times, want once", s.closed)
	}

	w, err = NewWriter(&sink{}, rate, 0.8)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WritePCM(make([]int16, 10)), w.Close(), w.Close()); err != nil {
		t.Errorf("Close twice: %v", err)
	}
	if err := w.WritePCM([]int16{1}); err == nil {
		t.Error("WritePCM after Close: no error")
	}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// discard takes samples and forgets them.
type discard struct{}

func (discard) WritePCM([]int16) error { return nil }
func (discard) Close() error           { return nil }

// BenchmarkWriter reports the cost of a second of input.
func BenchmarkWriter(b *testing.B) {
	pcm := speech(rate, 3000)
	for _, speed := range []float64{0.7, 1.2, 1.5} {
		b.Run(fmt.Sprint(speed), func(b *testing.B) {
			w, err := NewWriter(discard{}, rate, speed)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				for rest := pcm; len(rest) > 0; {
					n := min(1081, len(rest))
					if err := w.WritePCM(rest[:n]); err != nil {
						b.Fatal(err)
					}
					rest = rest[n:]
				}
			}
			seconds := float64(len(pcm)) / rate
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/seconds, "us/audio-s")
		})
	}
}

package resample

import (
	"math"
	"testing"
)

// gain is the response, in dB, of the filter behind a table at f cycles per
// input sample: all its rows together are one finely sampled impulse response.
func gain(t *table, f float64) float64 {
	sum := 0.0
	for k := range t.up {
		phase := float64(k*t.down%t.up) / float64(t.up)
		for i, c := range t.coef[k*t.taps:][:t.taps] {
			sum += float64(c) * math.Cos(2*math.Pi*f*(float64(i-t.half+1)-phase))
		}
	}
	return 20 * math.Log10(math.Abs(sum)/float64(t.up)+1e-12)
}

func TestResponse(t *testing.T) {
	t.Parallel()
	worstPass, worstStop := 0.0, -200.0
	for _, p := range pairs() {
		tab := tableFor(p.from, p.to)
		nyquist := 0.5 * min(1, float64(p.to)/float64(p.from))
		for i := range 19 {
			f := 0.05 * float64(i)
			g := gain(tab, f*nyquist)
			worstPass = max(worstPass, math.Abs(g))
			if math.Abs(g) > 0.5 || f < 0.8 && math.Abs(g) > 0.01 {
				t.Errorf("%v: %.4f dB at %.2f of Nyquist", p, g, f)
			}
		}
		for _, f := range []float64{1, 1.003, 1.01, 1.02, 1.04, 1.07, 1.1, 1.2, 1.35, 1.6, 1.95, 2, 2.9, 3.1, 4.7} {
			// A frequency at or above the input's sampling rate has no phase grid
			// to show it when up is 1.
			if f*nyquist > 0.5*float64(tab.up) {
				continue
			}
			g := gain(tab, f*nyquist)
			worstStop = max(worstStop, g)
			if g > -90 {
				t.Errorf("%v: %.1f dB at %.3f of Nyquist", p, g, f)
			}
		}
	}
	t.Logf("worst pass band deviation %.3f dB, worst stop band %.1f dB", worstPass, worstStop)
}

// fit returns the amplitude of the sine of f cycles per sample that is nearest
// to x in the least squares sense, takes it out of x, and returns the RMS of
// what is left.
func fit(x []float64, f float64) (amplitude, rest float64) {
	var cc, cs, ss, xc, xs float64
	for i, v := range x {
		s, c := math.Sincos(2 * math.Pi * f * float64(i))
		cc, cs, ss = cc+c*c, cs+c*s, ss+s*s
		xc, xs = xc+v*c, xs+v*s
	}
	det := cc*ss - cs*cs
	a, b := (xc*ss-xs*cs)/det, (xs*cc-xc*cs)/det
	sum := 0.0
	for i, v := range x {
		s, c := math.Sincos(2 * math.Pi * f * float64(i))
		x[i] = v - a*c - b*s
		sum += x[i] * x[i]
	}
	return math.Hypot(a, b), math.Sqrt(sum / float64(len(x)))
}

// interior drops the ends, where the filter sees silence, and converts.
func interior(pcm []int16) []float64 {
	edge := len(pcm) / 8
	x := make([]float64, 0, len(pcm))
	for _, s := range pcm[edge : len(pcm)-edge] {
		x = append(x, float64(s))
	}
	return x
}

func sine(n int, f, amplitude float64) []int16 {
	pcm := make([]int16, n)
	for i := range pcm {
		pcm[i] = int16(math.RoundToEven(amplitude * math.Sin(2*math.Pi*f*float64(i)+0.3)))
	}
	return pcm
}

// TestSines measures what comes out for a sine in, against the noise of 16 bits,
// which is 98 dB below a sine of full scale, once at each end.
func TestSines(t *testing.T) {
	t.Parallel()
	const amplitude = 30000
	worst := math.Inf(1)
	for _, p := range pairs() {
		for _, part := range []float64{0.013, 0.1, 0.37, 0.61, 0.8, 0.899} {
			hz := part * float64(min(p.from, p.to)) / 2
			out := convert(t, p.from, p.to, sine(p.from/4, hz/float64(p.from), amplitude))
			a, rest := fit(interior(out), hz/float64(p.to))
			if db := 20 * math.Log10(a/amplitude); math.Abs(db) > 0.5 {
				t.Errorf("%v: a sine of %.0f Hz has %.2f dB", p, hz, db)
			}
			snr := 20 * math.Log10(a/math.Sqrt2/rest)
			worst = min(worst, snr)
			if snr < 90 {
				t.Errorf("%v: a sine of %.0f Hz has an SNR of %.1f dB", p, hz, snr)
			}
		}
	}
	t.Logf("worst SNR %.1f dB", worst)
}

// TestAliases feeds sines that the output cannot hold, and looks for anything.
func TestAliases(t *testing.T) {
	t.Parallel()
	const amplitude = 32000
	worst := -200.0
	for _, p := range pairs() {
		for _, part := range []float64{1.004, 1.03, 1.1, 1.3, 1.7, 2.2, 3.3} {
			hz := part * float64(p.to) / 2
			if hz >= float64(p.from)/2 {
				continue
			}
			out := convert(t, p.from, p.to, sine(p.from/2, hz/float64(p.from), amplitude))
			alias := math.Abs(hz - math.Round(hz/float64(p.to))*float64(p.to))
			a, _ := fit(interior(out), alias/float64(p.to))
			db := 20 * math.Log10(a/amplitude+1e-9)
			worst = max(worst, db)
			if db > -90 {
				t.Errorf("%v: a sine of %.0f Hz leaves %.1f dB at %.0f Hz", p, hz, db, alias)
			}
		}
	}
	t.Logf("worst alias %.1f dB", worst)
}

// TestImages feeds a sine and looks for its mirror above the old Nyquist.
func TestImages(t *testing.T) {
	t.Parallel()
	const amplitude = 30000
	worst := -200.0
	for _, p := range pairs() {
		for _, part := range []float64{0.2, 0.7, 0.9, 0.97} {
			hz := part * float64(p.from) / 2
			image := float64(p.from) - hz
			if image >= float64(p.to)/2 {
				continue
			}
			out := interior(convert(t, p.from, p.to, sine(p.from/2, hz/float64(p.from), amplitude)))
			fit(out, hz/float64(p.to)) // its leakage would hide the image
			a, _ := fit(out, image/float64(p.to))
			db := 20 * math.Log10(a/amplitude+1e-9)
			worst = max(worst, db)
			if db > -90 {
				t.Errorf("%v: a sine of %.0f Hz leaves %.1f dB at %.0f Hz", p, hz, db, image)
			}
		}
	}
	t.Logf("worst image %.1f dB", worst)
}

// TestChirps compares a sweep with the same sweep made at the output's rate: the
// time of every sample must be right, not only the frequencies.
func TestChirps(t *testing.T) {
	t.Parallel()
	const seconds, amplitude = 0.5, 30000
	worst := math.Inf(1)
	for _, p := range pairs() {
		top := 0.8 * float64(min(p.from, p.to)) / 2
		chirp := func(rate int) []int16 {
			pcm := make([]int16, int(seconds*float64(rate)))
			for i := range pcm {
				x := float64(i) / float64(rate)
				pcm[i] = int16(math.RoundToEven(amplitude * math.Sin(2*math.Pi*(40*x+(top-40)/(2*seconds)*x*x))))
			}
			return pcm
		}
		got, want := interior(convert(t, p.from, p.to, chirp(p.from))), interior(chirp(p.to))
		sum := 0.0
		for i := range want {
			sum += (got[i] - want[i]) * (got[i] - want[i])
		}
		snr := 20 * math.Log10(amplitude/math.Sqrt2/math.Sqrt(sum/float64(len(want))))
		worst = min(worst, snr)
		if snr < 85 {
			t.Errorf("%v: a sweep to %.0f Hz has an SNR of %.1f dB", p, top, snr)
		}
	}
	t.Logf("worst SNR %.1f dB", worst)
}

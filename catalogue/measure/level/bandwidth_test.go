package level

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"vaak/audio/audiotest"
)

// resampled is x at another rate, as 16-bit samples that FFmpeg made.
func resampled(t *testing.T, x []float32, from, to int) []float32 {
	t.Helper()
	return floats(audiotest.Decode(t, bytesOf(x), to, "-f", "s16le", "-ac", "1", "-ar", strconv.Itoa(from)))
}

// voice is noise under the envelope of a voice that falls off by a slope in dB an
// octave above 500 Hz, over white noise at a floor in dBFS.
func voice(rate int, seconds, slope, floor float64) []float32 {
	random := rand.New(rand.NewPCG(5, 6))
	x := make([]float32, int(seconds*float64(rate)))
	var low [4]float64
	poles := slope / 6 // of 6 dB each, the last in part
	k := 1 - math.Exp(-2*math.Pi*500/float64(rate))
	for i := range x {
		v := random.NormFloat64()
		for p := range low {
			low[p] += k * (v - low[p])
			v += min(max(poles-float64(p), 0), 1) * (low[p] - v)
		}
		syllable := math.Pow(math.Sin(2*math.Pi*2*float64(i)/float64(rate)), 2)
		x[i] = float32(0.3*syllable*v + amplitudeOf(floor)*random.NormFloat64())
	}
	return x
}

// What was upsampled from 8 kHz is told, with noise under the voice or after it,
// and a whole recording of the same voice, low as it may be, is not.
func TestUpsampled(t *testing.T) {
	t.Parallel()
	const rate = 22050
	for name, x := range map[string]func(floor float64) []float32{
		"low voice":  func(floor float64) []float32 { return voice(rate, 3, 14, floor) },
		"high voice": func(floor float64) []float32 { return voice(rate, 3, 6, floor) },
		"harmonics":  func(floor float64) []float32 { return noisy(speech(rate, 3), floor) },
	} {
		for floor := -90.0; floor <= -40; floor += 50 {
			t.Run(fmt.Sprintf("%s over %v dBFS", name, floor), func(t *testing.T) {
				t.Parallel()
				whole := x(floor)
				telephone := resampled(t, whole, rate, 8000)
				checkBandwidth(t, "whole", rate, whole, false)
				checkBandwidth(t, "whole", 16000, resampled(t, whole, rate, 16000), false)
				checkBandwidth(t, "telephone", 8000, telephone, false)
				for _, up := range []int{16000, 22050, 44100, 48000} {
					checkBandwidth(t, "upsampled", up, resampled(t, telephone, 8000, up), true)
				}
			})
		}
	}
}

// noisy is x and white noise at a level in dBFS.
func noisy(x []float32, floor float64) []float32 {
	random := rand.New(rand.NewPCG(7, 8))
	y := make([]float32, len(x))
	for i := range x {
		y[i] = x[i] + float32(amplitudeOf(floor)*random.NormFloat64())
	}
	return y
}

func checkBandwidth(t *testing.T, what string, rate int, x []float32, upsampled bool) {
	t.Helper()
	c := measure(rate, x)
	switch hz := c.EffectiveBandwidthHz; {
	case hz == nil:
		t.Errorf("%s, %d Hz: bandwidth = nil", what, rate)
	case c.Upsampled != upsampled:
		t.Errorf("%s, %d Hz: upsampled = %v, want %v (bandwidth %.0f Hz)", what, rate, c.Upsampled, upsampled, *hz)
	case upsampled && !(*hz > 3000 && *hz < 4700):
		t.Errorf("%s, %d Hz: bandwidth = %.0f Hz, want about 4000", what, rate, *hz)
	case *hz > float64(rate)/2:
		t.Errorf("%s, %d Hz: bandwidth = %.0f Hz, over half the rate", what, rate, *hz)
	}
}

func TestBandwidthOfToneAndNoise(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 11025, 48000, 192000} {
		near(t, fmt.Sprintf("bandwidth of 1 kHz at %d Hz", rate),
			measure(rate, noisy(tone(rate, 1, 0.5, 1000, 0), -80)).EffectiveBandwidthHz, 1000, 2.5*smoothHz)
		for name, x := range map[string][]float32{
			"silence": make([]float32, rate), "noise": noisy(make([]float32, rate), -60), "nothing": nil,
		} {
			if c := measure(rate, x); c.EffectiveBandwidthHz != nil || c.Upsampled {
				t.Errorf("%s at %d Hz: bandwidth, upsampled = %v, %v, want nil, false", name, rate, *c.EffectiveBandwidthHz, c.Upsampled)
			}
		}
	}
}

package main

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"vaak/audio/audiotest"
)

// TestLengthySpeeds speaks at other speeds and checks the length, the pitch, and that a
// stream has the samples of a whole answer.
func TestLengthySpeeds(t *testing.T) {
	slow(t)
	t.Parallel()
	s := start(t)
	const rate = 8000
	for language, text := range map[string]string{
		"en": "Seven brave sailors crossed the shallow river, singing all the way home. Nobody knew where they had been, and nobody dared to ask them. In the evening they were sitting by the fire.",
		"hi": "सात बहादुर नाविक गाते हुए उथली नदी पार कर गए और घर लौट आए। कोई नहीं जानता था कि वे कहाँ गए थे, और किसी ने पूछने की हिम्मत नहीं की। शाम को वे आग के पास बैठे थे।",
		"ta": "ஏழு வீர மாலுமிகள் பாடிக்கொண்டே ஆழமற்ற ஆற்றைக் கடந்து வீடு திரும்பினர். அவர்கள் எங்கே இருந்தார்கள் என்று யாருக்கும் தெரியவில்லை, கேட்கவும் யாரும் துணியவில்லை. மாலையில் அவர்கள் நெருப்பருகே அமர்ந்திருந்தனர்.",
		"ru": "Семь храбрых моряков с песней переправились через мелкую реку и вернулись домой. Никто не знал, где они были, и никто не решался спросить их об этом. Вечером они сидели у огня и молчали.",
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			say := func(speed float64, stream bool) []byte {
				return s.mustSpeak(map[string]any{"input": text, "lang": language, "response_format": "pcm", "sample_rate": rate, "speed": speed, "stream": stream})
			}
			plain := audiotest.Samples(say(1, false))
			pitch := medianPitch(plain, rate)
			for _, speed := range []float64{0.7, 0.85, 1.2, 1.5} {
				file := say(speed, false)
				if !bytes.Equal(file, say(speed, true)) {
					t.Errorf("speed %g: a stream has other samples than a whole answer", speed)
				}
				got := audiotest.Samples(file)
				if ratio := float64(len(got)) / float64(len(plain)) * speed; math.Abs(ratio-1) > 0.01 {
					t.Errorf("speed %g: length is %.4f of what it should be, want within 1 %%", speed, ratio)
				}
				if p := medianPitch(got, rate); math.Abs(p/pitch-1) > 0.01 {
					t.Errorf("speed %g: median pitch %.1f Hz against %.1f, want within 1 %%", speed, p, pitch)
				}
			}
		})
	}
}

// medianPitch returns the median fundamental frequency of the voiced parts, by
// normalized autocorrelation with its peak interpolated.
func medianPitch(pcm []int16, rate int) float64 {
	const window, hop = 0.04, 0.015 // seconds
	shortest, longest, n := rate/400, rate/60, int(window*float64(rate))
	var found []float64
	for at := 0; at+n+longest+1 < len(pcm); at += int(hop * float64(rate)) {
		corr := make([]float64, longest+2)
		best := shortest
		for lag := shortest - 1; lag <= longest+1; lag++ {
			var ab, aa, bb float64
			for i := at; i < at+n; i++ {
				a, b := float64(pcm[i]), float64(pcm[i+lag])
				ab, aa, bb = ab+a*b, aa+a*a, bb+b*b
			}
			if aa > 1e4*float64(n) && bb > 0 {
				corr[lag] = ab / math.Sqrt(aa*bb)
			}
			if lag >= shortest && lag <= longest && corr[lag] > corr[best] {
				best = lag
			}
		}
		// The first peak nearly as high is the period, not a multiple of it.
		for lag := shortest; lag < best; lag++ {
			if corr[lag] > 0.9*corr[best] && corr[lag] >= corr[lag-1] && corr[lag] >= corr[lag+1] {
				best = lag
				break
			}
		}
		if corr[best] < 0.8 {
			continue
		}
		l, m, r := corr[best-1], corr[best], corr[best+1]
		shift := 0.0
		if d := l - 2*m + r; d < 0 {
			shift = (l - r) / (2 * d)
		}
		found = append(found, float64(rate)/(float64(best)+shift))
	}
	if len(found) == 0 {
		return 0
	}
	slices.Sort(found)
	return found[len(found)/2]
}

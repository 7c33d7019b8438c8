package talk

import (
	"math"

	"vaak/catalogue"
)

// figures are what each channel's speech tells of how it sounds.
func figures(voices []*voice) []catalogue.Channel {
	out := make([]catalogue.Channel, len(voices))
	for i, v := range voices {
		c := &out[i]
		c.HasSpeech = len(v.speech) > 0
		if v.known && v.sound > 0 {
			c.NoiseFloorDBFS = new(decibels(v.floor))
		}
		if !c.HasSpeech {
			c.LowConfidence = v.low(evidence{})
			continue
		}
		e := v.weigh()
		c.VADSpanDB, c.SpeechLevelDBFS, c.UnlikeSpeechRatio = new(decibels(v.span())), new(decibels(e.level)), new(e.share())
		c.LowConfidence = v.low(e)
		c.SNRDB = snr(v, voices)
	}
	return out
}

// snr is the ratio of speech to noise in dB; nil without noise, or with no more
// speech than noise.
func snr(v *voice, voices []*voice) *float64 {
	var noise float64
	n := 0
	v.pauses(func(i int) {
		for _, w := range voices {
			if w != v && int(w.levels[i]) > w.at(i)+upLeast {
				return // what leaks is no noise
			}
		}
		noise += power(float64(v.levels[i]))
		n++
	})
	speech := v.speechPower()
	if n == 0 || noise == 0 || speech <= noise/float64(n) {
		return nil
	}
	noise /= float64(n)
	return new(math.Round(100*10*math.Log10((speech-noise)/noise)) / 100)
}

// speechPower is the mean power of speech.
func (v *voice) speechPower() float64 {
	var sum float64
	n := 0
	for _, r := range v.speech {
		for _, l := range v.levels[r.from:r.to] {
			sum += power(float64(l))
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// levelDifference is how much louder the speech of a is than that of b, in dB.
func levelDifference(a, b *voice) *float64 {
	return new(math.Round(100*10*math.Log10(a.speechPower()/b.speechPower())) / 100)
}

// speechTime sums speech: of each speaker where each has a channel, else while any
// channel has speech.
func speechTime(ipus [][]Interval, dual bool, durationS float64) catalogue.SpeechTime {
	any := union(ipus...)
	t := catalogue.SpeechTime{SpeechS: round(length(any))}
	if durationS > 0 {
		t.SilenceRatio = min(max(1-length(any)/durationS, 0), 1)
	}
	if !dual {
		return t
	}
	a, b := length(ipus[0]), length(ipus[1])
	t.SpeechS = round(a + b)
	if a+b > 0 {
		t.SpeechShare = []float64{a / (a + b), b / (a + b)}
	}
	return t
}

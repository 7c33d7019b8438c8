package talk

import (
	"math"

	"vaak/catalogue"
)

// figures returns the figures of each channel that depend on speech.
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
		c.ReverbTimeS = v.reverberation()
	}
	return out
}

// snr returns the ratio of speech to noise in dB. It is nil if there is no noise, or if what
// was found as speech is not louder than the noise.
func snr(v *voice, voices []*voice) *float64 {
	var noise float64
	n := 0
	v.pauses(func(i int) {
		for _, w := range voices {
			if w != v && int(w.levels[i]) > w.at(i)+upLeast {
				return // the other speaker is heard here
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

// speechPower returns the mean power of the speech of a channel.
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

// levelDifference returns how much louder the speech of a is than that of b, in dB.
func levelDifference(a, b *voice) *float64 {
	return new(math.Round(100*10*math.Log10(a.speechPower()/b.speechPower())) / 100)
}

// speechTime sums up the time of speech: of each speaker if each has a channel, else of all
// channels together.
func speechTime(ipus [][]Interval, dual bool, durationS float64) catalogue.SpeechTime {
	any := Union(ipus...)
	t := catalogue.SpeechTime{SpeechS: round(Length(any))}
	if len(any) > 0 {
		t.LeadS, t.TrailS = new(round(any[0].Start)), new(round(max(durationS-any[len(any)-1].End, 0)))
	}
	if durationS > 0 {
		t.SilenceRatio = min(max(1-Length(any)/durationS, 0), 1)
	}
	if !dual {
		return t
	}
	a, b := Length(ipus[0]), Length(ipus[1])
	t.SpeechS = round(a + b)
	if a+b > 0 {
		t.SpeechShare = []float64{a / (a + b), b / (a + b)}
	}
	return t
}

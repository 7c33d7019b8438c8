package talk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"sync"
	"testing"

	"vaak/internal/needed"
)

// A material makes utterances of one speaker (0 or 1): long ones, and short ones
// for backchannels.
type material interface {
	utterance(r *rand.Rand, who int) []float64
	short(r *rand.Rand, who int) []float64
}

// bursts are syllables made here: harmonics under two formants, or noise, with
// soft edges.
type bursts struct{ rate int }

func (b bursts) utterance(r *rand.Rand, who int) []float64 {
	var out []float64
	for n := 8 + r.IntN(14); n > 0; n-- {
		out = append(out, b.syllable(r, who)...)
		if r.IntN(3) == 0 {
			out = append(out, make([]float64, int((0.02+0.08*r.Float64())*float64(b.rate)))...)
		}
	}
	return out
}

func (b bursts) short(r *rand.Rand, who int) []float64 {
	return append(b.syllable(r, who), b.syllable(r, who)...)
}

// syllable lasts 0.12 to 0.24 s.
func (b bursts) syllable(r *rand.Rand, who int) []float64 {
	rate := float64(b.rate)
	n := int((0.12 + 0.12*r.Float64()) * rate)
	attack, decay := (0.004+0.03*r.Float64())*rate, (0.01+0.05*r.Float64())*rate
	pitch, first, second := 110+80*float64(who)+30*r.Float64(), 300+500*r.Float64(), 1000+1200*r.Float64()
	gain := 0.3 * math.Pow(10, -12*r.Float64()/20)
	hiss := r.IntN(3) == 0
	period := make([]float64, 256)
	for i := range period {
		for h := 1.0; h*pitch < min(0.45*rate, 3600); h++ {
			f := h * pitch
			period[i] += math.Sin(2*math.Pi*h*float64(i)/256+h*h) * (bell(f, first, 120) + 0.4*bell(f, second, 160) + 0.02)
		}
	}
	out := make([]float64, n)
	for i := range out {
		x := period[int(256*pitch*float64(i)/rate)%256]
		if hiss && float64(i) < 0.06*rate {
			x = 0.5 * r.NormFloat64()
		}
		edge := min(1, float64(i)/attack, float64(n-i)/decay)
		out[i] = 0.5 * gain * x * edge * edge
	}
	return out
}

func bell(f, centre, width float64) float64 {
	d := (f - centre) / width
	return 1 / (1 + d*d)
}

// spoken are utterances of espeak-ng.
type spoken struct{ long, brief [2][][]float64 }

func (s *spoken) utterance(r *rand.Rand, who int) []float64 {
	return s.long[who][r.IntN(len(s.long[who]))]
}
func (s *spoken) short(r *rand.Rand, who int) []float64 {
	return s.brief[who][r.IntN(len(s.brief[who]))]
}

var sentences = []string{
	"I would like to know what is left on my account this month.",
	"Certainly, please tell me the last four digits of your card.",
	"It is seven three nine six, and the name is on the statement.",
	"Thank you. There was a payment of twelve hundred rupees on Friday.",
	"That was for the electricity, was it not? I thought it had been sent back.",
	"No, it went through on the second try, as far as I can see here.",
	"Then please send me the receipt, because the office asks for it.",
	"Of course, you will have it in your mail within five minutes.",
	"Which address do you have for me these days?",
	"The one in Park Street, behind the old post office.",
}

var briefs = []string{"yes", "right", "okay", "I see", "sure", "mm hmm"}

var spokenOnce = sync.OnceValues(func() (map[int]*spoken, error) {
	out := map[int]*spoken{8000: {}, 11025: {}, 16000: {}, 44100: {}}
	for who, voice := range []string{"en-us+m3", "en-gb+f2"} {
		var raw []byte
		var ends []int // of each utterance, in samples of spokenRate
		for i, text := range append(sentences[:len(sentences):len(sentences)], briefs...) {
			wav, err := exec.Command("espeak-ng", "-v", voice, "-s", fmt.Sprint(150+10*(i%4)), "--stdout", text).Output()
			if err != nil {
				return nil, err
			}
			raw = append(raw, wav[min(44, len(wav)):]...)
			raw = append(raw, make([]byte, 2*spokenRate/10)...)
			ends = append(ends, len(raw)/2)
		}
		for rate, s := range out {
			pcm, err := resample(raw, rate)
			if err != nil {
				return nil, err
			}
			s.cut(who, pcm, ends, rate)
		}
	}
	return out, nil
})

// spokenRate is the rate at which espeak-ng speaks, in Hz.
const spokenRate = 22050

// cut cuts samples at the ends of utterances, brings each to a peak of 0.9 and
// keeps them: the sentences first, then the rest.
func (s *spoken) cut(who int, pcm []float64, ends []int, rate int) {
	from := 0
	for i, end := range ends {
		to := min(end*rate/spokenRate, len(pcm))
		u := pcm[from:to]
		from = to
		var most float64
		for _, x := range u {
			most = max(most, math.Abs(x))
		}
		scale(u, 0.9/most)
		if i < len(sentences) {
			s.long[who] = append(s.long[who], u)
		} else {
			s.brief[who] = append(s.brief[who], u)
		}
	}
}

// resample brings samples of spokenRate to another rate by the command ffmpeg.
func resample(raw []byte, rate int) ([]float64, error) {
	cmd := exec.Command("ffmpeg", "-v", "error", "-f", "s16le", "-ar", fmt.Sprint(spokenRate), "-ac", "1", "-i", "-",
		"-ar", fmt.Sprint(rate), "-f", "s16le", "-")
	cmd.Stdin = bytes.NewReader(raw)
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	pcm := make([]float64, len(out)/2)
	for i := range pcm {
		pcm[i] = float64(int16(binary.LittleEndian.Uint16(out[2*i:])))
	}
	return pcm, nil
}

// speakers returns the utterances of espeak-ng at a rate; the test is skipped
// where the commands are missing.
func speakers(t *testing.T, rate int) material {
	t.Helper()
	for _, name := range []string{"espeak-ng", "ffmpeg"} {
		needed.Program(t, name)
	}
	all, err := spokenOnce()
	if err != nil {
		t.Fatal(err)
	}
	return all[rate]
}

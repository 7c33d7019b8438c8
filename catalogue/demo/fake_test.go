package demo

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"vaak/lang"
	"vaak/voice"
)

// tones says each word as a tone that lasts as long as the word is written, with
// silence around all and after each comma and full stop.
type tones struct{ hertz float64 }

const (
	toneSilence = 0.05 // s, before and after
	toneLetter  = 0.07 // s
	toneBetween = 0.04 // s, between words
	toneComma   = 0.25 // s more
)

func (f tones) Say(ctx context.Context, _ voice.ID, _ lang.Code, text string) (Speech, error) {
	speech := Speech{Rate: rate, PCM: make([]int16, int(toneSilence*rate))}
	for _, w := range strings.Fields(text) {
		start := len(speech.PCM)
		for i := range int(toneLetter * rate * float64(utf8.RuneCountInString(w))) {
			speech.PCM = append(speech.PCM, int16(8000*math.Sin(2*math.Pi*f.hertz*float64(i)/rate)))
		}
		speech.Words = append(speech.Words, Word{w, seconds(start), seconds(len(speech.PCM))})
		silence := toneBetween
		if strings.ContainsAny(w[len(w)-1:], ",.?") {
			silence += toneComma
		}
		speech.PCM = append(speech.PCM, make([]int16, int(silence*rate))...)
	}
	speech.PCM = append(speech.PCM, make([]int16, int(toneSilence*rate))...)
	return speech, ctx.Err()
}

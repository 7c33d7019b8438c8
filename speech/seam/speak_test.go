package seam_test

import (
	"strings"
	"testing"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/speech/seam"
)

// rendering is a sentence that was spoken, by whatever way.
type rendering struct {
	pcm   []int16
	words map[int]int // from the byte at which a word begins to its sample
	seams []int       // samples
}

// add adds the words of a piece that begins at a byte and a sample.
func (r *rendering) add(words []engine.Word, first, sample int) {
	for _, w := range words {
		if _, known := r.words[first+w.Start]; !known && w.End > w.Start {
			r.words[first+w.Start] = sample + w.Sample
		}
	}
}

func speakWhole(t *testing.T, e engine.Engine, u engine.Utterance) rendering {
	s := enginetest.Speak(t, e, u)
	r := rendering{pcm: s.PCM, words: map[int]int{}}
	r.add(s.Words, 0, 0)
	return r
}

// speakJoined speaks a sentence in chunks and joins them. If alone, they know
// nothing of each other.
func speakJoined(t *testing.T, e engine.Engine, u engine.Utterance, alone bool) rendering {
	j := seam.New(enginetest.Rate(t, e))
	r := rendering{words: map[int]int{}}
	for i, c := range eager(u) {
		first := len(c.Before)
		if c.Edge = j.Edge(); alone {
			c.Before, c.After = "", ""
		}
		s := enginetest.Speak(t, e, c)
		if i > 0 {
			r.seams = append(r.seams, len(r.pcm))
		}
		j.Begin(i > 0)
		j.Lead(s.Lead)
		r.pcm = append(r.pcm, j.Body(s.PCM)...)
		j.Trail(s.Trail)
		r.pcm = append(r.pcm, j.End()...)
		start, _ := j.Start()
		r.add(s.Words, first, start)
	}
	return r
}

// eager cuts a sentence as eager speech does: four words when two more are
// known, then the rest.
func eager(u engine.Utterance) []engine.Utterance {
	const size, peek = 4, 2
	words := strings.SplitAfter(u.Text, " ")
	var us []engine.Utterance
	for i := 0; i < len(words); {
		end := len(words)
		if end-i >= size+peek {
			end = i + size
		}
		c := u
		c.Before = strings.Join(words[:i], "")
		c.Text = strings.Join(words[i:end], "")
		c.After = strings.TrimSpace(strings.Join(words[end:min(end+peek, len(words))], ""))
		us = append(us, c)
		i = end
	}
	return us
}

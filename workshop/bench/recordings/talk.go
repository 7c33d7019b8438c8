package recordings

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"vaak/audio/codec"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/library"
)

// telephone is the rate of the recordings that are measured, in Hz.
const telephone = 8000

// telephoneNoise is the deviation of the noise of a line, in steps of 16 bits:
// 60 dB below full scale.
const telephoneNoise = 33

// speakers are what two people have to say, at the rate of the telephone.
type speakers [2][]int16

// newSpeakers has the library speak in two languages.
func newSpeakers(ctx context.Context, l library.Library, size int) (s speakers, err error) {
	for i, of := range corpus.Languages[:len(s)] {
		t, err := corpus.New(of, size)
		if err != nil {
			return s, err
		}
		pcm, rate, err := l.Record(ctx, t)
		if err != nil {
			return s, err
		}
		var out library.Memory16
		if err := library.Convert(pcm, rate, telephone, &out); err != nil {
			return s, err
		}
		s[i] = out.Samples
	}
	return s, nil
}

// conversation has them talk in turns of 1 to 9 s for so long, each on a channel,
// over noise. A turn begins from 0.3 s before to 0.7 s after the end of the last.
func (s speakers) conversation(r *rand.Rand, length time.Duration) [2][]int16 {
	n := int(length.Seconds() * telephone)
	var out [2][]int16
	for c := range out {
		out[c] = make([]int16, n)
		for i := range out[c] {
			out[c][i] = int16(telephoneNoise * r.NormFloat64())
		}
	}
	said := [2]int{r.IntN(len(s[0])), r.IntN(len(s[1]))}
	for at, who := 0, 0; at < n; who = 1 - who {
		turn := min((1+r.IntN(8))*telephone+r.IntN(telephone), n-at)
		for i := range turn {
			v := int(out[who][at+i]) + int(s[who][(said[who]+i)%len(s[who])])/2
			out[who][at+i] = int16(v) // at most half of full scale, and some noise
		}
		said[who] += turn
		at = max(at+turn+r.IntN(telephone)-3*telephone/10, at+1)
	}
	return out
}

// write writes conversations to a folder of a dataset and returns their paths in
// it.
func (s speakers) write(ctx context.Context, dir string, files int, length time.Duration) (paths []string, bytes int64, err error) {
	if err := os.MkdirAll(filepath.Join(dir, "audio"), 0o700); err != nil {
		return nil, 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "card.yaml"), []byte(benchCard), 0o600); err != nil {
		return nil, 0, err
	}
	for i := range files {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		channels := s.conversation(rand.New(rand.NewPCG(uint64(i), 13)), length)
		file, err := codec.FLACFile(telephone, channels[:]...)
		if err != nil {
			return nil, 0, err
		}
		path := fmt.Sprintf("audio/%d.flac", i)
		if err := os.WriteFile(filepath.Join(dir, path), file, 0o600); err != nil {
			return nil, 0, err
		}
		paths, bytes = append(paths, path), bytes+int64(len(file))
	}
	return paths, bytes, nil
}

// benchCard is the least that a card must say.
const benchCard = `title: Conversations
description: Conversations made to be measured.
language:
  tag: en-IN
`

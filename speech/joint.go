package speech

import (
	"context"

	"vaak/engine"
	"vaak/speech/seam"
)

// joint makes one stream of the utterances of a session: it joins the pieces of
// a sentence without a seam, and holds the silence at the end of what was said
// until it is known whether anything follows.
type joint struct {
	seam  *seam.Joiner
	p     *performance
	quiet int // samples of silence that are held

	words []engine.Word // of the utterance, while it is not known where it begins
	at    int           // the sample at which the joiner was when the utterance began
	made  int           // samples of the joiner, all in all
	base  int           // of them, before the utterance
}

func newJoint(p *performance) *joint {
	return &joint{seam: seam.New(p.chain.rate), p: p}
}

// begin begins an utterance; joined says that it goes on with the one before.
func (j *joint) begin(joined bool) {
	j.seam.Begin(joined)
	j.words = j.words[:0]
	j.at, j.base = j.p.position()+j.quiet, j.made
}

// frame takes a frame of the engine's.
func (j *joint) frame(ctx context.Context, f engine.Frame) error {
	switch f.Part {
	case engine.Lead:
		j.seam.Lead(f.PCM)
		return nil
	case engine.Trail:
		j.seam.Trail(f.PCM)
		return nil
	}
	j.words = append(j.words, f.Words...)
	pcm := j.seam.Body(f.PCM)
	j.place()
	return j.pass(ctx, pcm)
}

// end ends an utterance.
func (j *joint) end(ctx context.Context) error {
	pcm := j.seam.End()
	j.place()
	return j.pass(ctx, pcm)
}

// place tells of the words when it is known where the utterance begins.
func (j *joint) place() {
	if start, known := j.seam.Start(); known && len(j.words) > 0 {
		j.p.words(j.words, j.at+start-j.base)
		j.words = j.words[:0]
	}
}

// pass passes samples on, but for the silence at their end.
func (j *joint) pass(ctx context.Context, pcm []int16) error {
	j.made += len(pcm)
	n := len(pcm)
	for n > 0 && pcm[n-1] == 0 {
		n--
	}
	if n == 0 {
		j.quiet += len(pcm)
		return nil
	}
	if err := j.release(ctx, j.quiet); err != nil {
		return err
	}
	j.quiet = len(pcm) - n
	return j.p.take(ctx, pcm[:n])
}

// release passes so much of the silence on, or more than there is.
func (j *joint) release(ctx context.Context, samples int) error {
	if samples <= 0 {
		return nil
	}
	j.quiet = max(0, j.quiet-samples)
	return j.p.take(ctx, make([]int16, samples))
}

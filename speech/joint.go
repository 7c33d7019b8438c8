package speech

import (
	"context"

	"vaak/engine"
	"vaak/speech/seam"
)

// joint makes one continuous stream of the utterances of a session. It joins the pieces
// of a sentence without a gap, and holds back the silence at the end of an utterance
// until it is known whether more follows: the pause belongs between two texts, not after
// the last one.
type joint struct {
	seam  *seam.Joiner
	p     *performance
	quiet int // samples of silence that are held back

	words        []engine.Word // of the utterance, until it is known where it begins in the stream
	start        int           // position in the chain when the utterance began
	joined       int           // samples that the joiner has returned in all
	joinedBefore int           // the same when the utterance began
}

func newJoint(p *performance) *joint {
	return &joint{seam: seam.New(p.chain.rate), p: p}
}

// begin begins an utterance. If joined is true it continues the sentence of the utterance
// before.
func (j *joint) begin(joined bool) {
	j.seam.Begin(joined)
	j.words = j.words[:0]
	// The silence that is held back comes before the utterance, so it counts as there already.
	j.start, j.joinedBefore = j.p.position()+j.quiet, j.joined
}

// frame passes on the audio of a frame from the engine. Lead and trail are the silences
// around an utterance: only the joiner knows how much of them the seam needs.
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
	j.reportWords()
	return j.forward(ctx, pcm)
}

// end ends an utterance.
func (j *joint) end(ctx context.Context) error {
	pcm := j.seam.End()
	j.reportWords()
	return j.forward(ctx, pcm)
}

// reportWords reports the words of the utterance once the joiner knows where it begins.
// Until then the words are kept in words.
func (j *joint) reportWords() {
	if start, known := j.seam.Start(); known && len(j.words) > 0 {
		j.p.words(j.words, j.start+start-j.joinedBefore)
		j.words = j.words[:0]
	}
}

// forward passes samples on, except for the silence at their end, which is held back.
// Silence means samples of exactly zero.
func (j *joint) forward(ctx context.Context, pcm []int16) error {
	j.joined += len(pcm)
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
	return j.p.accept(ctx, pcm[:n])
}

// release passes on that many samples of silence. If fewer are held back it adds the
// difference, as a pause that the engine did not make.
func (j *joint) release(ctx context.Context, samples int) error {
	if samples <= 0 {
		return nil
	}
	// Silence is all alike, so what is held back is only counted, and made when it is released.
	j.quiet = max(0, j.quiet-samples)
	return j.p.accept(ctx, make([]int16, samples))
}

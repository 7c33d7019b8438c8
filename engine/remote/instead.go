package remote

import (
	"context"
	"unicode/utf8"

	"vaak/audio"
	"vaak/audio/resample"
	"vaak/engine"
)

// sayInstead has the voice of another engine say a piece and all that follows it.
func (s *synthesis) sayInstead(ctx context.Context, p *piece) error {
	v, by, err := s.e.instead(p.rung.Voice, s.u.Language)
	if err != nil {
		return unavailable(s.v.ID, err)
	}
	traits, err := by.Voice(v)
	if err != nil {
		return unavailable(s.v.ID, err)
	}
	u := s.u
	u.Voice, u.Text, u.Edge = v, s.u.Text[p.Start:], 0
	u.Before = lastPart(s.u.Before + " " + s.u.Text[:p.Start])
	to := &relay{s: s, text: p.Start, base: s.position, from: traits.SampleRate, by: engine.Origin{Engine: by.Name(), Voice: v.ID}}
	if to.filter, err = resample.NewWriter(relayWriter{to}, to.from, s.rate); err != nil {
		return err
	}
	if err := by.Synthesize(ctx, u, to); err != nil {
		return err
	}
	return to.filter.Close()
}

// lastPart returns the end of what was said, which shapes what follows.
func lastPart(said string) string {
	const most = 200
	if len(said) <= most {
		return said
	}
	said = said[len(said)-most:]
	for said != "" && !utf8.RuneStart(said[0]) {
		said = said[1:]
	}
	parts := divide(said)
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1].In(said)
}

// relay is the sink of another engine, which says an utterance from some byte on. It passes the
// sound on at the rate of the utterance.
type relay struct {
	s      *synthesis
	text   int // bytes of the utterance before it
	base   int // samples of the utterance before it
	from   int // rate of the other engine
	filter audio.Writer
	by     engine.Origin
}

// Room returns the room of the sink.
func (r *relay) Room(ctx context.Context) (int, bool, error) {
	n, ahead, err := r.s.sink.Room(ctx)
	if most := r.from * 60; n > most { // also keeps the product from an overflow
		return most, ahead, err
	}
	return max(1, int(int64(n)*int64(r.from)/int64(r.s.rate))), ahead, err
}

// Frame passes a frame on. Its words come before their sound, which the filter may hold back.
func (r *relay) Frame(f engine.Frame) error {
	if len(f.Words) > 0 || len(f.LeftOut) > 0 {
		moved := engine.Frame{Estimated: f.Estimated, By: r.by}
		for _, w := range f.Words {
			w.Start, w.End = w.Start+r.text, w.End+r.text
			w.Sample = r.base + int(int64(w.Sample)*int64(r.s.rate)/int64(r.from))
			if w.Sample > r.s.last {
				moved.Words, r.s.last = append(moved.Words, w), w.Sample
			}
		}
		for _, left := range f.LeftOut {
			moved.LeftOut = append(moved.LeftOut, left.Shift(r.text))
		}
		if err := r.s.sink.Frame(moved); err != nil {
			return err
		}
	}
	return r.filter.WritePCM(f.PCM)
}

// relayWriter passes converted sound on.
type relayWriter struct{ r *relay }

func (w relayWriter) WritePCM(pcm []int16) error {
	w.r.s.position += len(pcm)
	return w.r.s.sink.Frame(engine.Frame{PCM: pcm, By: w.r.by})
}

func (relayWriter) Close() error { return nil }

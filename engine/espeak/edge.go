package espeak

import (
	"context"

	"vaak/engine"
)

// tail keeps the end of what was spoken before the text, as it goes by: the
// text is known to begin only when it does.
type tail struct {
	pcm   []int16
	until int // the sample that is next
}

// keep keeps the last n samples of what it had and of pcm, whose first is number
// from. Samples that it had already, of an earlier attempt, are left out.
func (t *tail) keep(pcm []int16, from, n int) {
	if skip := max(t.until-from, 0); skip < len(pcm) {
		pcm = pcm[skip:]
	} else {
		return
	}
	t.until = max(t.until, from) + len(pcm)
	if len(pcm) >= n {
		t.pcm = append(t.pcm[:0], pcm[len(pcm)-n:]...)
		return
	}
	if over := len(t.pcm) + len(pcm) - n; over > 0 {
		t.pcm = append(t.pcm[:0], t.pcm[over:]...)
	}
	t.pcm = append(t.pcm, pcm...)
}

// audio hands over the part of pcm, whose first sample is number from, that is
// heard or beside it and was not handed over before.
func (o *output) audio(pcm []int16, from int) error {
	to := from + len(pcm)
	begins := to // all context so far
	if o.heard >= 0 {
		begins = min(max(o.heard, from), to)
	}
	if o.edge > 0 && !o.begun {
		o.lead.keep(pcm[:begins-from], from, o.edge)
	}
	if o.heard < 0 {
		return nil
	}
	ends := to
	if o.until >= 0 {
		ends = min(to, o.until)
	}
	if first := max(begins, o.sent); first < ends {
		o.sent = ends
		if err := o.body(pcm[first-from : ends-from]); err != nil {
			return err
		}
	}
	if o.until < 0 {
		return nil
	}
	return o.trail(pcm, from)
}

// body hands over samples of the text, with the words that begin in them or
// later and, before its first, the end of the context.
func (o *output) body(pcm []int16) error {
	if lead := o.lead.pcm; !o.begun && len(lead) > 0 {
		if err := o.sink.Frame(engine.Frame{Part: engine.Lead, PCM: lead}); err != nil {
			return err
		}
	}
	o.begun = true
	err := o.sink.Frame(engine.Frame{PCM: pcm, Words: o.words})
	o.words = o.words[:0]
	return err
}

// trail hands over the part of pcm, whose first sample is number from, that is
// the beginning of the lookahead.
func (o *output) trail(pcm []int16, from int) error {
	to, last := from+len(pcm), o.until+o.edge
	if first, ends := max(from, o.sent, o.until), min(to, last); first < ends {
		o.sent = ends
		if err := o.sink.Frame(engine.Frame{Part: engine.Trail, PCM: pcm[first-from : ends-from]}); err != nil {
			return err
		}
	}
	if to >= last {
		return errHeard
	}
	return nil
}

// contextFrame is how many samples of context are made at a time.
const contextFrame = 8 << 10

// Room asks the sink whether to begin and, from when the text is known to be
// near, for how much. Context in between is not waited with: nobody hears it,
// and it is made a thousand times faster than it would last.
func (o *output) Room(ctx context.Context) (samples int, ahead bool, err error) {
	if o.asked && o.heard < 0 {
		return contextFrame, true, context.Cause(ctx)
	}
	o.asked = true
	return o.sink.Room(ctx)
}

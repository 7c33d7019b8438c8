package espeak

import (
	"context"

	"vaak/engine"
)

// leadBuffer keeps the last samples of the context, which become the lead. They must be
// kept as they pass, because only the first word of the text shows where the text begins.
type leadBuffer struct {
	pcm  []int16
	next int // number of the sample that follows the buffered ones
}

// add adds pcm, whose first sample has number from, and keeps the last n samples. It skips
// samples that an earlier attempt has added already.
func (t *leadBuffer) add(pcm []int16, from, n int) {
	if skip := max(t.next-from, 0); skip < len(pcm) {
		pcm = pcm[skip:]
	} else {
		return
	}
	t.next = max(t.next, from) + len(pcm)
	if len(pcm) >= n {
		t.pcm = append(t.pcm[:0], pcm[len(pcm)-n:]...)
		return
	}
	if over := len(t.pcm) + len(pcm) - n; over > 0 {
		t.pcm = append(t.pcm[:0], t.pcm[over:]...)
	}
	t.pcm = append(t.pcm, pcm...)
}

// audio hands over those samples of pcm that are heard, or lie beside the text, and were not
// handed over by an earlier attempt. The first sample of pcm has number from.
func (o *output) audio(pcm []int16, from int) error {
	to := from + len(pcm)
	begins := to // while the start of the text is unknown, all of pcm is context
	if o.textStart >= 0 {
		begins = min(max(o.textStart, from), to)
	}
	if o.edge > 0 && !o.begun {
		o.lead.add(pcm[:begins-from], from, o.edge)
	}
	if o.textStart < 0 {
		return nil
	}
	ends := to
	if o.textEnd >= 0 {
		ends = min(to, o.textEnd)
	}
	// Samples before sent were handed over by an attempt that failed later.
	if first := max(begins, o.sent); first < ends {
		o.sent = ends
		if err := o.body(pcm[first-from : ends-from]); err != nil {
			return err
		}
	}
	if o.textEnd < 0 {
		return nil
	}
	return o.trail(pcm, from)
}

// body hands over samples of the text, with the words that begin in them or later. Before
// the first of them it hands over the lead.
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

// trail hands over those samples of pcm that are the beginning of the lookahead. When it has
// handed over all that is wanted it returns errAllSent, which ends the child.
func (o *output) trail(pcm []int16, from int) error {
	to, last := from+len(pcm), o.textEnd+o.edge
	if first, ends := max(from, o.sent, o.textEnd), min(to, last); first < ends {
		o.sent = ends
		if err := o.sink.Frame(engine.Frame{Part: engine.Trail, PCM: pcm[first-from : ends-from]}); err != nil {
			return err
		}
	}
	if to >= last {
		return errAllSent
	}
	return nil
}

// contextFrame is how many samples of context are requested at a time.
const contextFrame = 8 << 10

// Room asks the sink for room: once before the child starts, and then from the start of the
// text on. For the context between it does not ask. Nobody hears that, and it is made a
// thousand times faster than it would be played.
func (o *output) Room(ctx context.Context) (samples int, ahead bool, err error) {
	if o.asked && o.textStart < 0 {
		return contextFrame, true, context.Cause(ctx)
	}
	o.asked = true
	return o.sink.Room(ctx)
}

package speech

import (
	"bytes"
	"io"
	"time"

	"vaak/account"
	"vaak/internal/spool"
)

// Whole is a writer for an answer that is sent when all of it is made: [Service.Speak]
// leaves the answer with it as it is, on disk where it is long. The zero value is empty.
// It must be closed.
type Whole struct {
	made *spool.Buffer
	rest bytes.Buffer // what was written piece by piece
}

func (w *Whole) take(b *spool.Buffer) { w.made = b }

// Write adds to the answer, in memory.
func (w *Whole) Write(p []byte) (int, error) { return w.rest.Write(p) }

// Len returns how many bytes the answer has.
func (w *Whole) Len() int64 {
	if w.made != nil {
		return w.made.Len()
	}
	return int64(w.rest.Len())
}

// WriteTo writes the answer to another writer, piece by piece.
func (w *Whole) WriteTo(to io.Writer) (int64, error) {
	if w.made != nil {
		return w.made.WriteTo(to)
	}
	return w.rest.WriteTo(to)
}

// Close gives back the room of the answer.
func (w *Whole) Close() { w.made.Close() }

// timedCharacter is about how many bytes of memory the timing of a character takes, as it
// was sent and as it is read, which may be several times as long.
const timedCharacter = 256

// shortText is up to how many characters nobody asks how long an answer will be: a
// minute at most, as a rule.
const shortText = 200

// room takes room for a whole answer to a caller.
func (a *answer) room(caller account.Caller, w io.Writer) (*spool.Buffer, error) {
	beside, expected := 0, int64(0)
	if _, follows := w.(Follower); follows {
		beside = timedCharacter * a.info.Characters
	}
	if a.info.Characters > shortText {
		expected = a.expected()
	}
	return a.service.answers.Open(caller.OrgID+"/"+caller.KeyID, int64(beside), expected)
}

// expected returns about how many bytes an answer will have, rather too many than too few.
func (a *answer) expected() int64 {
	var lasting time.Duration
	for run := range a.text.Runs() {
		lasting += lasts(run.Language, run.Text) + run.Pause
	}
	perSecond := 2 * a.info.Format.SampleRate
	if kbps := a.info.Format.BitrateKbps; kbps > 0 {
		perSecond = 1000 * kbps / 8
	}
	const margin = 1.2 // of the estimate
	return int64(margin * lasting.Seconds() / a.req.Speed * float64(perSecond))
}

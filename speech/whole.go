package speech

import (
	"bytes"
	"io"
	"time"

	"vaak/account"
	"vaak/internal/spool"
)

// Whole is a writer for an answer that is sent when it is complete. [Service.Speak] gives
// it the answer's buffer without copying; a long answer is on disk. The zero value is
// empty. It must be closed.
type Whole struct {
	made   *spool.Buffer // the answer, if it came in one piece
	buffer bytes.Buffer  // the answer, if it was written piece by piece
}

func (w *Whole) receive(b *spool.Buffer) { w.made = b }

// Write adds bytes to the answer, in memory.
func (w *Whole) Write(p []byte) (int, error) { return w.buffer.Write(p) }

// Len returns the length of the answer in bytes.
func (w *Whole) Len() int64 {
	if w.made != nil {
		return w.made.Len()
	}
	return int64(w.buffer.Len())
}

// WriteTo writes the answer to another writer.
func (w *Whole) WriteTo(to io.Writer) (int64, error) {
	if w.made != nil {
		return w.made.WriteTo(to)
	}
	return w.buffer.WriteTo(to)
}

// Close frees the memory or the file of the answer.
func (w *Whole) Close() { w.made.Close() }

// timedCharacter estimates how many bytes of memory the timing of a character takes, as
// it was sent and as it is read, which may be several times as long.
const timedCharacter = 256

// shortText is how many characters usually take a minute of audio at most. For a text
// that short no space is reserved ahead.
const shortText = 200

// openBuffer opens the buffer for a whole answer to a caller. The buffer pool refuses it
// if there is no room for as much as the answer is expected to have.
func (a *answer) openBuffer(caller account.Caller, w io.Writer) (*spool.Buffer, error) {
	beside, expected := 0, int64(0)
	if _, follows := w.(Follower); follows {
		beside = timedCharacter * a.info.Characters
	}
	if a.info.Characters > shortText {
		expected = a.expected()
	}
	// Limits are counted by organisation and key.
	return a.service.answers.Open(caller.OrgID+"/"+caller.KeyID, int64(beside), expected)
}

// expected estimates the size of the answer in bytes, rather too high than too low.
func (a *answer) expected() int64 {
	var lasting time.Duration
	for run := range a.text.Runs() {
		lasting += estimateDuration(run.Language, run.Text) + run.Pause
	}
	perSecond := 2 * a.info.Format.SampleRate // 16-bit samples, unless the codec has a bit rate
	if kbps := a.info.Format.BitrateKbps; kbps > 0 {
		perSecond = 1000 * kbps / 8
	}
	const margin = 1.2 // of the estimate
	return int64(margin * lasting.Seconds() / a.req.Speed * float64(perSecond))
}

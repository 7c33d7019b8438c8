package live

import (
	"io"
	"sync"

	"github.com/gorilla/websocket"

	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/speech/align"
)

// audioWriter sends the audio of a session to its client.
type audioWriter interface {
	io.Writer
	speech.Omitter
	// flush sends the alignment that was not sent with the audio. It is called after the last
	// Write.
	flush() error
}

// nativeAudio sends audio as binary frames.
type nativeAudio struct{ c *connection }

// Write sends a piece of PCM, in frames of whole samples.
func (w nativeAudio) Write(p []byte) (int, error) {
	for sent := 0; sent < len(p); {
		piece := p[sent:min(sent+message.MaxMessage, len(p))]
		if err := w.c.send(websocket.BinaryMessage, piece); err != nil {
			return sent, err
		}
		sent += len(piece)
	}
	return len(p), nil
}

// Omit names what is left out of the text.
func (w nativeAudio) Omit(text string) error {
	return w.c.send(websocket.TextMessage, message.AppendLeftOut(nil, text))
}

func (nativeAudio) flush() error { return nil }

// timedAudio sends audio as binary frames, and before them the words that are complete.
type timedAudio struct {
	nativeAudio
	words align.Words
	ends  *gaps // where flushed phrases end, and so their last words
}

var _ speech.Follower = (*timedAudio)(nil)

// Follow keeps the times of the words that are heard in the audio that comes next.
func (w *timedAudio) Follow(written, _ align.Alignment) {
	w.words.Add(written)
	if w.ends.reached(len(written.Characters)) {
		w.words.Finish()
	}
}

// Write sends words and a piece of PCM.
func (w *timedAudio) Write(p []byte) (int, error) {
	if err := w.tell(); err != nil {
		return 0, err
	}
	return w.nativeAudio.Write(p)
}

// flush sends the last words.
func (w *timedAudio) flush() error {
	w.words.Finish()
	return w.tell()
}

// tell sends the complete words, in frames of less than 64 KiB: a byte of text takes at most six in
// JSON, and [speech.MaxUnended] bounds a word.
func (w *timedAudio) tell() error {
	words, from, size := w.words.Take(), 0, 0
	for i, word := range words {
		size += 100 + 6*len(word.Text)
		if i+1 < len(words) && size < 16<<10 {
			continue
		}
		if err := w.c.send(websocket.TextMessage, message.AppendWords(nil, words[from:i+1])); err != nil {
			return err
		}
		from, size = i+1, 0
	}
	return nil
}

// dialectAudio sends audio in JSON, each frame with the alignment of the text
// that begins in it.
type dialectAudio struct {
	c               *connection
	context         string // contextId, or ""
	written, spoken timeline
	gaps            *gaps
	gap             bool // a phrase ended behind the text that was sent last
}

var _ speech.Follower = (*dialectAudio)(nil)

// Bounds of a frame of the dialect. They keep it under 64 KiB, the most that some clients read.
// maxAudio is even, so that no sample of 16 bits is split.
const (
	maxAudio      = 24_000 // bytes, before base64
	maxCharacters = 600    // of each alignment
)

// Follow keeps the timing of the audio that comes next.
func (w *dialectAudio) Follow(written, spoken align.Alignment) {
	// The space is added when the next phrase is known and not when the last one ends: after the
	// last phrase of a session there is none.
	if w.gap && len(written.Characters) > 0 {
		w.gap = false
		w.written.space(written)
		w.spoken.space(spoken)
	}
	w.written.add(written)
	w.spoken.add(spoken)
	w.gap = w.gap || w.gaps.reached(len(written.Characters))
}

// Write sends a piece of audio with the timing of the text that is heard in it. It spreads audio
// and text that do not fit into one frame over several frames.
func (w *dialectAudio) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil // the timing waits for the next piece
	}
	return len(p), w.send(p)
}

// Omit names what is left out of the text, in a frame that clients of the dialect take
// for one without audio.
func (w *dialectAudio) Omit(text string) error {
	return w.c.send(websocket.TextMessage, message.AppendUnspoken(nil, text, w.context))
}

func (w *dialectAudio) flush() error {
	if w.written.empty() && w.spoken.empty() {
		return nil
	}
	return w.send(nil)
}

var texts = sync.Pool{New: func() any { return new([]byte) }}

func (w *dialectAudio) send(p []byte) error {
	return w.frames(p, func(frame []byte) error { return w.c.send(websocket.TextMessage, frame) })
}

// frames calls send with each frame that it takes to carry p.
func (w *dialectAudio) frames(p []byte, send func([]byte) error) error {
	b := texts.Get().(*[]byte)
	defer texts.Put(b)
	// The longest of the three decides. The other two are spread over as many frames.
	frames := max(1, pieces(len(p), maxAudio), pieces(w.written.len(), maxCharacters), pieces(w.spoken.len(), maxCharacters))
	for left := frames; left > 0; left-- {
		n := len(p)
		if left > 1 {
			// An equal share of what is left. The last frame takes the remainder, which may be odd
			// where the codec has no samples of 16 bits.
			n = min(n, (n/left+1)&^1) // rounded up to whole samples of 16 bits
		}
		*b = message.AppendAudio((*b)[:0], p[:n], w.written.take(left), w.spoken.take(left), w.context)
		if err := send(*b); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// pieces returns how many pieces of at most this size make n.
func pieces(n, most int) int { return (n + most - 1) / most }

// timeline is the timing of the text that is to be sent with the next audio.
type timeline struct {
	characters []string
	starts     []int
	end        int  // of them
	sentUntil  int  // up to where the client knows the timing, in ms of the session
	estimated  bool // some of the times are
}

func (t *timeline) add(a align.Alignment) {
	t.characters = append(t.characters, a.Characters...)
	t.starts = append(t.starts, a.Starts...)
	t.end = a.End
	t.estimated = a.Estimated || t.estimated && len(t.characters) > len(a.Characters)
}

// space adds a space without duration before the next text, unless that begins with a space.
func (t *timeline) space(next align.Alignment) {
	if len(next.Characters) > 0 && next.Characters[0] != " " {
		t.characters, t.starts = append(t.characters, " "), append(t.starts, next.Starts[0])
	}
}

func (t *timeline) len() int    { return len(t.characters) }
func (t *timeline) empty() bool { return len(t.characters) == 0 }

// take returns the text for the next frame, when left frames are still to be sent. The result is
// valid until the next add.
func (t *timeline) take(left int) message.Stretch {
	// Shares of what is left, and not of the whole, so that the last frame takes all of it.
	n := t.len() / left
	if n == 0 && left > 1 || t.empty() {
		return message.Stretch{}
	}
	s := message.Stretch{Characters: t.characters[:n], Starts: t.starts[:n], Begin: t.sentUntil, End: t.end, Estimated: t.estimated}
	// The text of this frame ends where that of the next begins, so durations leave no holes.
	if n < t.len() {
		s.End = t.starts[n]
		t.characters, t.starts = t.characters[n:], t.starts[n:]
	} else {
		t.characters, t.starts = t.characters[:0], t.starts[:0]
	}
	t.sentUntil = s.End
	return s
}

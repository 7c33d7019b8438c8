// Package passage hands out a text of any length part by part, as it is read.
//
// A part is as much as one request takes, cut where [segment.Parts] says: at the end
// of a paragraph or sentence wherever that is possible. So a book is spoken in the
// memory of a part. Who writes the text slowly is spoken as he writes: see
// [Reader.Next].
package passage

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/text/segment"
)

// How long a reader waits for more text.
const (
	// gather is how long text is gathered for a part before whole sentences are
	// handed out as they are: longer than a pipe is empty whose writer has more.
	gather = 100 * time.Millisecond
	// lull is how long nothing must come after the end of a line for it to be
	// handed out though nobody knows whether its sentence goes on.
	lull = 500 * time.Millisecond
)

// Part is what is to be spoken next.
type Part struct {
	// Text has something but spaces in it.
	Text string
	// Cut says that the part ends inside a sentence, which the next part goes on
	// with; After is then the beginning of that.
	Cut   bool
	After string
	// Last says that no part follows. Without it one may follow.
	Last bool
}

// ahead is how much of the next part is told with one that was cut, in code points,
// unless the text ends or its writer is slow.
const ahead = 128

// block is how much is read at once, in bytes.
const block = 16 << 10

// Reader reads a text. Not safe for concurrent use.
type Reader struct {
	from  io.Reader
	parts *segment.Parts
	most  int

	begin  sync.Once
	blocks chan piece    // what was read
	closed chan struct{} // nobody takes more

	taken int64  // bytes before those of tail
	tail  []byte // the beginning of a character
	ended bool   // no more text comes
	err   error  // why
}

// piece is what one Read brought.
type piece struct {
	bytes []byte
	err   error
}

// New returns a reader of a text, in UTF-8, whose parts have at most so many code
// points. The caller closes it.
func New(from io.Reader, most int) *Reader {
	return &Reader{from: from, parts: segment.NewParts(most), most: most, blocks: make(chan piece), closed: make(chan struct{})}
}

// Abbreviations is [segment.Parts.Abbreviations].
func (r *Reader) Abbreviations(known func(word string) bool) { r.parts.Abbreviations(known) }

// Close ends the reading. A Read that waits for its source, such as a terminal,
// ends when that answers; nobody waits for it.
func (r *Reader) Close() { close(r.closed) }

// Next returns the next part. It waits until there is a whole one, or the text ends.
// When that takes more than a moment (0.1 s), it returns the sentences that are
// complete; and the lines that are, when nothing follows them for half a second.
//
// The error is io.EOF at the end, the cause of the context's end, a *fault.Error of
// kind Invalid where the text is not UTF-8, or that of the source.
func (r *Reader) Next(ctx context.Context) (Part, error) {
	r.begin.Do(func() { go r.read() })
	soon := time.NewTimer(gather)
	defer soon.Stop()
	quiet := time.NewTimer(lull)
	defer quiet.Stop()
	hurry := false
	for {
		if p, ok := r.part(hurry); ok {
			return p, nil
		}
		if r.ended {
			return Part{}, r.err
		}
		select {
		case b := <-r.blocks:
			r.add(b)
			quiet.Reset(lull)
		case <-soon.C:
			hurry = true
		case <-quiet.C:
			if text, ok := r.lines(); ok {
				return Part{Text: text}, nil
			}
			quiet.Reset(lull)
		case <-ctx.Done():
			return Part{}, context.Cause(ctx)
		}
	}
}

// part returns the next part, if it is there: in a hurry a shorter one.
func (r *Reader) part(hurry bool) (Part, bool) {
	for r.err == nil || r.err == io.EOF {
		text, ends, ok := "", false, false
		if hurry || r.ended || r.parts.Waiting() > r.most+ahead {
			text, ends, ok = r.parts.Full()
		}
		if !ok && hurry {
			text, ok = r.parts.Sentences()
			ends = ok
		}
		if !ok && r.ended {
			text, ends, ok = r.parts.All()
		}
		if !ok {
			break
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		p := Part{Text: text, Cut: !ends, Last: r.ended && r.parts.Blank()}
		if p.Cut {
			p.After = r.parts.Ahead(ahead)
		}
		return p, true
	}
	return Part{}, false
}

// lines returns what waits, if that is whole lines.
func (r *Reader) lines() (string, bool) {
	if !r.parts.EndsLine() || r.parts.Blank() {
		return "", false
	}
	text, _, ok := r.parts.All()
	return text, ok
}

// add takes what was read, up to what is not UTF-8.
func (r *Reader) add(b piece) {
	text := append(r.tail, b.bytes...)
	if r.taken == 0 && b.err == nil && len(text) < len(mark) {
		r.tail = text // a byte order mark may begin here
		return
	}
	from := 0
	if r.taken == 0 && len(text) >= len(mark) && string(text[:len(mark)]) == mark {
		from = len(mark)
	}
	whole := complete(text)
	if b.err != nil {
		whole = len(text)
	}
	if at := invalid(text[:whole]); at >= 0 {
		r.ended = true
		r.err = fault.BadParameter("input", "input is not valid UTF-8: byte %d is %#02x", r.taken+int64(at), text[at])
		return
	}
	r.parts.Add(string(text[from:whole]))
	r.tail = append([]byte(nil), text[whole:]...)
	r.taken += int64(whole)
	if b.err != nil {
		r.ended, r.err = true, b.err
	}
}

// mark may stand at the beginning of a file and is no text.
const mark = "\uFEFF"

// complete returns how many bytes of a text are before a character that is cut at
// its end.
func complete(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return len(text) - n
			}
			break
		}
	}
	return len(text)
}

// invalid returns where a text is not UTF-8, or -1.
func invalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// read reads until the end, or until nobody takes more.
func (r *Reader) read() {
	for {
		buf := make([]byte, block)
		n, err := r.from.Read(buf)
		if n == 0 && err == nil {
			continue
		}
		select {
		case r.blocks <- piece{buf[:n], err}:
		case <-r.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

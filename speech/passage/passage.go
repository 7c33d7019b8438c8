// Package passage divides a text of any length into parts while it is being read.
//
// A part is at most as long as one request may be. It ends where [segment.Parts] decides:
// with a paragraph or a sentence whenever that is possible. So a book is spoken in the
// memory of one part, and a text that is written slowly is spoken as it is written: see
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
	// gatherTime is how long Next waits for a full part before it returns the whole
	// sentences at hand. A pipe whose writer has more text is not empty for that long.
	gatherTime = 100 * time.Millisecond
	// quietTime is how long the source must be silent after the end of a line for Next to
	// return that line, though its sentence may go on.
	quietTime = 500 * time.Millisecond
)

// Part is the piece of text to be spoken next.
type Part struct {
	// Text is never only spaces.
	Text string
	// Cut means that the part ends inside a sentence. After is then the beginning of the
	// remainder of that sentence.
	Cut   bool
	After string
	// Last means that no part follows. If it is false, one may follow.
	Last bool
}

// ahead is how long After is, in code points, unless the text ends or its source is slow.
const ahead = 128

// blockSize is how many bytes are read at a time.
const blockSize = 16 << 10

// Reader divides a text into parts. It is not safe for concurrent use.
type Reader struct {
	from  io.Reader
	parts *segment.Parts
	most  int

	begin  sync.Once
	blocks chan block    // what was read, from the goroutine of read
	closed chan struct{} // closed by Close, so that read ends

	consumed   int64  // bytes before those of incomplete
	incomplete []byte // the start of a character whose end was not read yet
	ended      bool   // no more text comes
	err        error  // why it ended
}

// block is the result of one Read.
type block struct {
	bytes []byte
	err   error
}

// New returns a reader of a UTF-8 text, with parts of at most most code points. The caller
// must close it.
func New(from io.Reader, most int) *Reader {
	return &Reader{from: from, parts: segment.NewParts(most), most: most, blocks: make(chan block), closed: make(chan struct{})}
}

// Abbreviations sets how abbreviations are recognized; see [segment.Parts.Abbreviations].
func (r *Reader) Abbreviations(known func(word string) bool) { r.parts.Abbreviations(known) }

// Close stops the reading. It does not wait for a Read that blocks, as on a terminal; that
// goroutine ends when the Read returns.
func (r *Reader) Close() { close(r.closed) }

// Next returns the next part. It waits for a full part or the end of the text. After 0.1 s
// it returns the sentences that are complete. When nothing came for half a second, it also
// returns complete lines.
//
// The error is io.EOF at the end, the cause of ctx when that ends, a *fault.Error of kind
// Invalid if the text is not UTF-8, or the error of the source.
func (r *Reader) Next(ctx context.Context) (Part, error) {
	r.begin.Do(func() { go r.read() })
	soon := time.NewTimer(gatherTime)
	defer soon.Stop()
	quiet := time.NewTimer(quietTime)
	defer quiet.Stop()
	hurry := false
	for {
		// Try first: earlier reads may have left more than one part.
		if p, ok := r.part(hurry); ok {
			return p, nil
		}
		if r.ended {
			return Part{}, r.err
		}
		select {
		case b := <-r.blocks:
			r.add(b)
			quiet.Reset(quietTime)
		case <-soon.C:
			hurry = true
		case <-quiet.C:
			if text, ok := r.wholeLines(); ok {
				return Part{Text: text}, nil
			}
			quiet.Reset(quietTime)
		case <-ctx.Done():
			return Part{}, context.Cause(ctx)
		}
	}
}

// part returns the next part if there is one. In a hurry it accepts a shorter one.
func (r *Reader) part(hurry bool) (Part, bool) {
	for r.err == nil || r.err == io.EOF {
		text, ends, ok := "", false, false
		// Without a hurry wait until the beginning of the next part is known too, for After.
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
			continue // white space alone is not spoken
		}
		p := Part{Text: text, Cut: !ends, Last: r.ended && r.parts.Blank()}
		if p.Cut {
			p.After = r.parts.Ahead(ahead)
		}
		return p, true
	}
	return Part{}, false
}

// wholeLines returns all text at hand if it ends with the end of a line.
func (r *Reader) wholeLines() (string, bool) {
	if !r.parts.EndsLine() || r.parts.Blank() {
		return "", false
	}
	text, _, ok := r.parts.All()
	return text, ok
}

// add adds what was read, up to the first byte that is not UTF-8.
func (r *Reader) add(b block) {
	text := append(r.incomplete, b.bytes...)
	if r.consumed == 0 && b.err == nil && len(text) < len(byteOrderMark) {
		r.incomplete = text // a byte order mark may begin here
		return
	}
	from := 0
	if r.consumed == 0 && len(text) >= len(byteOrderMark) && string(text[:len(byteOrderMark)]) == byteOrderMark {
		from = len(byteOrderMark)
	}
	whole := wholeCharacters(text)
	if b.err != nil {
		// At the end of the text nothing can complete a character that is cut.
		whole = len(text)
	}
	if at := invalid(text[:whole]); at >= 0 {
		r.ended = true
		r.err = fault.BadParameter("input", "input is not valid UTF-8: byte %d is %#02x", r.consumed+int64(at), text[at])
		return
	}
	r.parts.Add(string(text[from:whole]))
	r.incomplete = append([]byte(nil), text[whole:]...)
	r.consumed += int64(whole)
	if b.err != nil {
		r.ended, r.err = true, b.err
	}
}

// byteOrderMark may stand at the beginning of a file and does not belong to the text.
const byteOrderMark = "\uFEFF"

// wholeCharacters returns how many bytes of a text come before a character that is cut at
// its end.
func wholeCharacters(text []byte) int {
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

// invalid returns the offset of the first byte that is not UTF-8, or -1.
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

// read reads the source until its end or until the Reader is closed. It runs in a goroutine
// of its own, because a Read may block for ever.
func (r *Reader) read() {
	for {
		buf := make([]byte, blockSize)
		n, err := r.from.Read(buf)
		if n == 0 && err == nil {
			continue
		}
		select {
		case r.blocks <- block{buf[:n], err}:
		case <-r.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

package frontend

import (
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/text/segment"
)

// size bounds a stretch, in code points of the caller's text.
type size struct {
	least int // where the search for its end begins
	most  int // where it ends at the latest, unless there is no space before
}

// The first stretch is short, for speech waits for it. The others double, for
// each costs an engine a start.
var (
	firstSize  = size{least: 40, most: 400}
	secondSize = size{least: 1000, most: 1500}
)

func (z size) next() size {
	if z == firstSize {
		return secondSize
	}
	return size{2 * z.least, 2 * z.most}
}

// walker takes a text through the chain, stretch by stretch.
type walker struct {
	text      string // the caller's, whole
	at        int    // how much of it was taken
	size      size   // of the last stretch; zero before the first
	pause     time.Duration
	segmenter segment.Segmenter
}

// next returns the runs of the next stretch that has any; none at the end.
func (w *walker) next() []Run {
	var runs []Run
	for len(runs) == 0 && w.at < len(w.text) {
		if w.size == (size{}) {
			w.size = firstSize
		} else {
			w.size = w.size.next()
		}
		from := w.at
		w.at += stretch(w.text[from:], w.size)
		for _, p := range clean(w.text[from:w.at], from).pieces() {
			runs = w.read(runs, p)
		}
	}
	if n := len(runs); n > 0 {
		runs[n-1].Last = !Speakable(w.text[w.at:])
	}
	return runs
}

// read adds the runs of a piece of clean text.
func (w *walker) read(runs []Run, p piece) []Run {
	w.pause = min(w.pause+p.pause, MaxPause)
	if !speakable(p.text) {
		return runs
	}
	p.compose()
	for _, r := range w.segmenter.Runs(p.text) {
		runs = append(runs, Run{Text: r.In(p.text), Language: r.Code, Map: p.back.Slice(r.Span), Pause: w.pause})
		w.pause = 0
	}
	return runs
}

// stretch returns the length in bytes of the first stretch of a text: up to the
// first end of a sentence in its size, else up to the last space there, else up
// to the first of either beyond. A text that is no longer than a stretch may be
// is one. Markup and what belongs to one emoji stay whole.
func stretch(s string, z size) int {
	if len(s) <= z.most || len(s) <= utf8.UTFMax*z.most && utf8.RuneCountInString(s) <= z.most {
		return len(s)
	}
	var e ending
	space := 0 // where the last one ended
	for i, count := 0, 0; i < len(s); count++ {
		if count > z.most && space > 0 {
			return space
		}
		if s[i] == '<' {
			if t, ok := readTag(s[i:]); ok {
				if t.separates && e.state == marked {
					return i
				}
				i += t.size
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if count >= z.least {
			if e.before(r) {
				return i
			}
			if unicode.IsSpace(r) {
				space = i + n
			}
		}
		i += n
	}
	return len(s)
}

package frontend

import (
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
	"vaak/text/normalize"
	"vaak/text/segment"
	"vaak/text/translit"
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
	source
	at        int  // how much of the text was taken
	size      size // of the last stretch; zero before the first
	pause     time.Duration
	slack     int      // code points of it that were used
	request   lang.Tag // what was asked for, or detected
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
		w.at += stretch(w.text[from:], w.size, w.request.Code)
		for _, p := range clean(w.text[from:w.at], from).pieces() {
			if w.back != nil {
				p.back = text.Compose(w.back, p.back)
			}
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
	var before segment.Run
	for group := range chunks(w.segmenter.Runs(p.text)) {
		run := w.spoken(p, group, before)
		before = group[len(group)-1]
		run.Pause, w.pause = w.pause, 0
		runs = append(runs, run)
	}
	return runs
}

// chunks groups runs that are one when all is in words: of the same language,
// whatever script it was in.
func chunks(runs []segment.Run) iter.Seq[[]segment.Run] {
	return func(yield func([]segment.Run) bool) {
		for len(runs) > 0 {
			n := 1
			for n < len(runs) && runs[n].Code == runs[0].Code {
				n++
			}
			if !yield(runs[:n]) {
				return
			}
			runs = runs[n:]
		}
	}
}

// spoken puts a group of runs of a piece in words. Before is the run that goes
// before them, if any.
func (w *walker) spoken(p piece, group []segment.Run, before segment.Run) Run {
	run := Run{Language: group[0].Code}
	if len(group) == 1 {
		run.Text, run.Map = w.words(p, group[0], before)
		return run
	}
	var all strings.Builder
	maps := make([]text.Map, len(group))
	for i, r := range group {
		words, back := w.words(p, r, before)
		before = r
		all.WriteString(words)
		maps[i] = back
	}
	run.Text, run.Map = all.String(), text.Join(maps...)
	return run
}

// words returns a run of a piece in words. One whose signs are all silent stays
// as it is.
func (w *walker) words(p piece, r, before segment.Run) (string, text.Map) {
	part := piece{text: r.In(p.text), back: p.back.Slice(r.Span)}
	if r.Script != "" {
		part.step(translit.Text(r.Code, part.text))
	}
	if words, back := normalize.RunAfter(before.In(p.text), before.Code, part.text, r.Code, w.request); strings.TrimSpace(words) != "" && w.affords(r.In(p.text), words) {
		part.step(words, back)
	}
	return part.text, part.back
}

// expansion bounds the words of a text: so many code points for each one of the
// text, and slack.
const (
	expansion = 20
	slack     = 500
)

// affords reports whether words are within the bound of the whole text, and counts
// those that are over the part's own.
func (w *walker) affords(written, words string) bool {
	if len(words) <= expansion*len(written)/utf8.UTFMax {
		return true
	}
	over := utf8.RuneCountInString(words) - expansion*utf8.RuneCountInString(written)
	if over > 0 {
		if w.slack+over > slack {
			return false
		}
		w.slack += over
	}
	return true
}

// stretch returns the length in bytes of the first stretch of a text: up to the
// first end of a sentence in its size, else up to the last space there, else up
// to the first of either beyond. A text that is no longer than a stretch may be
// is one. Markup and what belongs to one emoji stay whole. The language, if there
// is one, tells abbreviations.
func stretch(s string, z size, code lang.Code) int {
	if len(s) <= z.most || len(s) <= utf8.UTFMax*z.most && utf8.RuneCountInString(s) <= z.most {
		return len(s)
	}
	var f segment.Finder
	if code != "" {
		f.Abbreviation = func(word string) bool { return normalize.Abbreviation(code, word) }
	}
	space := 0 // where the last one ended
	for i, count := 0, 0; i < len(s); count++ {
		if count > z.most && space > 0 {
			return space
		}
		if s[i] == '<' {
			if t, ok := readTag(s[i:]); ok {
				if t.separates && count >= z.least && f.Marked() {
					return i
				}
				i += t.size
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		ends := f.Before(r) == segment.SentenceEnd
		if count >= z.least {
			if ends {
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

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

// size is the range of lengths of a stretch, in code points of the caller's text.
type size struct {
	least int // from here on the end is searched
	most  int // the end is at most here, unless there is no space before
}

// The first stretch is short, because speech waits for it. The others double in length,
// because an engine needs time to start each.
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
	at        int  // bytes of the text that were taken
	size      size // of the last stretch; zero before the first
	pause     time.Duration
	slack     int      // code points of it that were used
	request   lang.Tag // the language of the request, or the detected one
	segmenter segment.Segmenter
	names     naming // without a language, emoji are silent
}

// next returns the runs of the next stretch that has any; none at the end.
func (w *walker) next() []Run {
	var said []passage
	for len(said) == 0 && w.at < len(w.text) {
		if w.size == (size{}) {
			w.size = firstSize
		} else {
			w.size = w.size.next()
		}
		from := w.at
		w.at += stretch(w.text[from:], w.size, w.request.Code)
		pieces := clean(w.text[from:w.at], from, w.naming()).pieces()
		for i, p := range pieces {
			// back is nil where no dictionary changed the text.
			if w.back != nil {
				p.back = text.Compose(w.back, p.back)
			}
			if i == len(pieces)-1 && !p.ends {
				p.ahead = ahead(w.text[w.at:])
			}
			said = w.read(said, p)
		}
	}
	runs := joined(said)
	if n := len(runs); n > 0 {
		// What follows may be spaces or emoji alone, of which no run is made.
		runs[n-1].Last = !w.speaksAgain()
	}
	return runs
}

// naming returns how emoji are named, nil if they are silent.
func (w *walker) naming() *naming {
	if w.names.code == "" {
		return nil
	}
	return &w.names
}

// speaksAgain reports whether anything is spoken after the stretch.
func (w *walker) speaksAgain() bool {
	rest := w.text[w.at:]
	if isSpoken(rest) || w.names.code == "" {
		return isSpoken(rest)
	}
	names := w.names // a copy, as nothing is said here
	return speakable(clean(rest, 0, &names).text)
}

// mostAhead is how many bytes after a stretch are looked at to tell whether a full stop at
// its end ends a sentence.
const mostAhead = 64

// ahead returns the beginning of the text after a stretch.
func ahead(s string) string {
	if len(s) <= mostAhead {
		return s
	}
	n := mostAhead
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// passage is a run of one piece of text.
type passage struct {
	Run
	joins bool // it goes into one run with the passage before
}

// read adds the runs of a piece of clean text.
func (w *walker) read(said []passage, p piece) []passage {
	// A piece without words passes its pause on to the next run.
	w.pause = min(w.pause+p.pause, MaxPause)
	if !speakable(p.text) {
		return said
	}
	p.compose()
	var before segment.Run
	all := w.segmenter.Runs(p.text)
	for group := range chunks(all) {
		all = all[len(group):]
		after := segment.Run{Span: text.Span{Start: len(p.text), End: len(p.text)}}
		if len(all) > 0 {
			after = all[0]
		}
		run := w.spoken(p, group, before, after)
		begins := before.Code == ""
		before = group[len(group)-1]
		run.Pause, w.pause = w.pause, 0
		// Paragraphs of one language are one run, as an engine takes time to begin one.
		n := len(said) - 1
		joins := begins && n >= 0 && run.Pause == 0 && said[n].Language == run.Language
		said = append(said, passage{run, joins})
	}
	if n := len(said) - 1; p.ends && n >= 0 {
		said[n].Run = said[n].stopped()
	}
	return said
}

// joined joins the passages that go into one run. An engine takes a full stop before a small
// letter for that of an abbreviation, unless a line ends there, as it does between two passages.
func joined(said []passage) []Run {
	var runs []Run
	for len(said) > 0 {
		n := 1
		for n < len(said) && said[n].joins {
			n++
		}
		run := said[0].Run
		if n > 1 {
			var all strings.Builder
			maps := make([]text.Map, n)
			for i, p := range said[:n] {
				r := p.Run
				if i < n-1 {
					r = r.then(strings.TrimRight(r.Text, " "), "\n")
				}
				all.WriteString(r.Text)
				maps[i] = r.Map
			}
			run.Text, run.Map = all.String(), text.Join(maps...)
		}
		runs = append(runs, run)
		said = said[n:]
	}
	return runs
}

// stopped returns the run with a full stop, if it ends without a mark at which a listener
// hears a pause. A heading and an item of a list have none. The stop is set when the words
// are made, so that no number before it is read as an ordinal.
func (r Run) stopped() Run {
	said := strings.TrimRight(r.Text, " ")
	if last, _ := utf8.DecodeLastRuneInString(said); EndsSentence(said) || isPause(last) {
		return r
	}
	stop := "."
	switch r.Language {
	case "ja", "zh", "yue":
		stop = "。"
	}
	return r.then(said, stop)
}

// isPause reports whether a character is a mark between clauses.
func isPause(c rune) bool { return strings.ContainsRune(",;:…،؛、，；：", c) }

// then returns the run with added text behind the part of it that is said.
func (r Run) then(said, added string) Run {
	m := r.Map.Slice(text.Span{Start: 0, End: len(said)})
	at := r.Map.Back(text.Span{Start: 0, End: len(said)}).End
	r.Map = text.Join(m, text.Map{{Out: text.Span{Start: 0, End: len(added)}, In: text.Span{Start: at, End: at}}})
	r.Text = said + added
	return r
}

// chunks groups runs that become one when all is in words: neighbours of the same
// language, in whatever script they were.
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

// spoken converts a group of runs of a piece to words and returns them as one run.
// Before and after are the runs around them, if any.
func (w *walker) spoken(p piece, group []segment.Run, before, after segment.Run) Run {
	run := Run{Language: group[0].Code}
	if len(group) == 1 {
		run.Text, run.Map = w.words(p, group[0], before, after)
		return run
	}
	var all strings.Builder
	maps := make([]text.Map, len(group))
	for i, r := range group {
		next := after
		if i+1 < len(group) {
			next = group[i+1]
		}
		words, back := w.words(p, r, before, next)
		before = r
		all.WriteString(words)
		maps[i] = back
	}
	run.Text, run.Map = all.String(), text.Join(maps...)
	return run
}

// words converts a run of a piece to words. A run that would have no words stays as it
// is.
func (w *walker) words(p piece, r, before, after segment.Run) (string, text.Map) {
	part := piece{text: r.In(p.text), back: p.back.Slice(r.Span)}
	if r.Script != "" {
		part.step(translit.Text(r.Code, part.text))
	}
	around := normalize.Around{Before: p.text[:r.Start], Run: before.In(p.text), Of: before.Code, After: p.text[r.End:], To: after.Code}
	if p.ahead != "" && len(around.After) < mostAhead {
		around.After += p.ahead
	}
	if words, back := normalize.RunIn(around, part.text, r.Code, w.request); strings.TrimSpace(words) != "" && w.affords(r.In(p.text), words) {
		part.step(words, back)
	}
	return part.text, part.back
}

// expansion and slack bound the words of a whole text: so many code points for each code
// point of the text, plus slack.
const (
	expansion = 20
	slack     = 500
)

// affords reports whether words are within the bound of the whole text. It counts what
// they take from the slack.
func (w *walker) affords(written, words string) bool {
	// A code point has 1 to 4 bytes. Bytes within a quarter of the bound are surely code
	// points within it, and need not be counted.
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

// stretch returns the length in bytes of the first stretch of a text. It ends at the
// first end of a sentence within the size, else at the last space there, else at the
// first of either beyond. Markup and the parts of one emoji stay whole. The language, if
// there is one, decides what is an abbreviation.
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
				// The finder waits for the next character to know that a sentence ended. A
				// tag that ends a word is as good.
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

package frontend

import (
	"slices"
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
	var spoken []Run
	var before segment.Run
	all := w.segmenter.Runs(p.text)
	for i, r := range all {
		after := segment.Run{Span: text.Span{Start: len(p.text), End: len(p.text)}}
		if i+1 < len(all) {
			after = all[i+1]
		}
		n := len(spoken)
		spoken = w.spoken(spoken, p, r, before, after)
		if n > 0 && n < len(spoken) {
			part(&spoken[n-1], before.In(p.text), spoken[n].Text)
		}
		before = r
	}
	if !slices.ContainsFunc(spoken, func(r Run) bool { return strings.TrimSpace(r.Text) != "" }) {
		spoken = []Run{w.signs(p, spoken[0].Language)}
	}
	for begins := true; len(spoken) > 0; begins = false {
		n := neighbours(spoken)
		run := together(spoken[:n])
		run.Pause, w.pause = w.pause, 0
		// Paragraphs of one language are one run, as an engine takes time to begin one.
		last := len(said) - 1
		joins := begins && last >= 0 && run.Pause == 0 && said[last].Language == run.Language
		said = append(said, passage{run, joins})
		spoken = spoken[n:]
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

// part adds a space to a run that was written with a sign at its end, if a word has
// replaced the sign and would touch the run after it.
func part(run *Run, written, after string) {
	sign, _ := utf8.DecodeLastRuneInString(written)
	last, _ := utf8.DecodeLastRuneInString(run.Text)
	first, _ := utf8.DecodeRuneInString(after)
	// From U+2E80 on are scripts without spaces.
	if unicode.In(sign, unicode.S, unicode.Po, unicode.Pc) && unicode.In(last, unicode.L, unicode.M) && unicode.IsLetter(first) && last < 0x2E80 && first < 0x2E80 {
		run.Text += " "
		run.Map = text.Join(run.Map, text.Map{{Out: text.Span{End: 1}, In: text.Span{Start: run.Map[len(run.Map)-1].In.End, End: run.Map[len(run.Map)-1].In.End}}})
	}
}

// mostSigns is how many signs are named in a text that has nothing else.
const mostSigns = 20

// signs returns the names of the signs that are all of a piece: beside words nobody says
// them. Signs for which the language has no name are left to the engine.
func (w *walker) signs(p piece, code lang.Code) Run {
	var b text.Builder
	var words strings.Builder
	named := 0
	for _, r := range p.text {
		size := utf8.RuneLen(r)
		name, _ := normalize.Run(string(r), code, w.request)
		if r == utf8.RuneError || named == mostSigns || name == string(r) || strings.TrimSpace(name) == "" {
			b.Drop(size)
			continue
		}
		if named++; named > 1 {
			words.WriteByte(' ')
			b.Replace(0, 1)
		}
		words.WriteString(name)
		b.Replace(size, len(name))
	}
	if named > 0 && w.affords(p.text, words.String()) {
		p.step(words.String(), b.Map())
	}
	return Run{Language: code, Text: p.text, Map: p.back}
}

// neighbours returns how many runs at the start become one: those of one language, and
// those of which nothing is spoken. The first run gets the language of all.
func neighbours(runs []Run) int {
	n, silent := 1, strings.TrimSpace(runs[0].Text) == ""
	for n < len(runs) {
		switch blank := strings.TrimSpace(runs[n].Text) == ""; {
		case blank, runs[n].Language == runs[0].Language:
			silent = silent && blank
		case silent:
			runs[0].Language, silent = runs[n].Language, false
		default:
			return n
		}
		n++
	}
	return n
}

// together returns runs of one language as one.
func together(runs []Run) Run {
	if len(runs) == 1 {
		return runs[0]
	}
	run := Run{Language: runs[0].Language}
	var all strings.Builder
	maps := make([]text.Map, len(runs))
	for i, r := range runs {
		all.WriteString(r.Text)
		maps[i] = r.Map
	}
	p := piece{text: all.String(), back: text.Join(maps...)}
	p.compose() // a sign that is not read may have stood between a letter and its mark
	run.Text, run.Map = p.text, p.back
	return run
}

// spoken converts a run of a piece to words and adds it. Before and after are the
// runs around it, if any.
func (w *walker) spoken(runs []Run, p piece, r, before, after segment.Run) []Run {
	if r.Around != "" {
		if parts := w.divided(p, r, before, after); parts != nil {
			return append(runs, parts...)
		}
	}
	words, back := w.words(p, r, before, after)
	return append(runs, Run{Language: r.Code, Text: words, Map: back})
}

// divided converts a link among words of another language to words: its letters are read
// in its language, its signs and numbers in that of the words around it. It returns nil
// when the words are too many.
func (w *walker) divided(p piece, r, before, after segment.Run) (runs []Run) {
	written := r.In(p.text)
	words, _ := normalize.RunIn(p.around(r, before, after), written, r.Around, w.request)
	if strings.TrimSpace(words) == "" || !w.affords(written, words) {
		return nil
	}
	around, _ := lang.Lookup(r.Around)
	// The letters of the link are found again in what was written. What stands between them
	// comes from the signs there.
	var b text.Builder
	at, pending := 0, 0
	for from := 0; from < len(words); {
		foreign, end := foreignAt(words, from, around)
		run := Run{Language: r.Around, Text: words[from:end]}
		if !foreign {
			pending += end - from
		} else {
			run.Language = r.Code
			at, pending = find(&b, written, run.Text, at, pending)
		}
		runs = append(runs, run)
		from = end
	}
	if pending > 0 {
		b.Replace(len(written)-at, pending)
	}
	back, from := text.Compose(p.back.Slice(r.Span), b.Map()), 0
	for i := range runs {
		end := from + len(runs[i].Text)
		runs[i].Map = back.Slice(text.Span{Start: from, End: end})
		from = end
	}
	return runs
}

// find records where the words of a part of a link stand in what was written, which was
// read up to a byte. So many bytes of output before them come from what is between. It
// returns the same two for the next part.
func find(b *text.Builder, written, words string, at, pending int) (int, int) {
	for words != "" {
		word, space, _ := strings.Cut(words, " ")
		parted := len(words) - len(word) - len(space)
		words = space
		if k := strings.Index(written[at:], word); k >= 0 && word != "" {
			if pending > 0 {
				b.Replace(k, pending)
			} else {
				b.Drop(k)
			}
			b.Keep(len(word))
			at += k + len(word)
		} else {
			b.Replace(0, pending)
			b.Replace(0, len(word))
		}
		b.Replace(0, parted)
		pending = 0
	}
	return at, pending
}

// foreignAt returns the end of the words that begin at a byte of a text and that a
// language writes alike in its scripts or not, and whether it does not.
func foreignAt(s string, at int, l lang.Language) (foreign bool, end int) {
	known := false
	for i, r := range s[at:] {
		if !unicode.IsLetter(r) {
			continue
		}
		here := !l.Writes(lang.ScriptOf(r))
		if known && here != foreign {
			return foreign, at + i
		}
		known, foreign = true, here
	}
	return foreign, len(s)
}

// around returns the text around a run of a piece.
func (p piece) around(r, before, after segment.Run) normalize.Around {
	a := normalize.Around{Before: p.text[:r.Start], Run: before.In(p.text), Of: before.Code, After: p.text[r.End:], To: after.Code}
	if p.ahead != "" && len(a.After) < mostAhead {
		a.After += p.ahead
	}
	return a
}

// words converts a run of a piece to words, of which there may be none.
func (w *walker) words(p piece, r, before, after segment.Run) (string, text.Map) {
	part := piece{text: r.In(p.text), back: p.back.Slice(r.Span)}
	if r.Script != "" {
		part.step(translit.Text(r.Code, part.text))
	}
	if words, back := normalize.RunIn(p.around(r, before, after), part.text, r.Code, w.request); w.affords(r.In(p.text), words) {
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

package remote

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"vaak/engine"
	"vaak/engine/remote/wire"
	"vaak/lang"
	"vaak/text"
	"vaak/voice"
)

// guess is how a sentence would be said: its words, and all of it, in seconds from the first
// sound. [pace] turns it into the time that a voice takes.
type guess struct {
	words []guessed
	total float64
}

// guessed is a word and when it begins.
type guessed struct {
	text.Span // of the utterance
	at        float64
	pause     bool // a pause may stand before it
}

// guessByLetters guesses by the length of words.
func guessByLetters(s string, span text.Span) guess {
	const letter, word, stop = 0.065, 0.09, 0.2
	var g guess
	pause := false
	for _, w := range wordsOf(s, span) {
		g.words = append(g.words, guessed{w, g.total, pause})
		written := w.In(s)
		n := utf8.RuneCountInString(written)
		if dense(written) {
			n *= 3 // a character is a syllable
		}
		g.total += word + letter*float64(n)
		if last, _ := utf8.DecodeLastRuneInString(written); pausing(last) {
			g.total += stop
			pause = true
		} else {
			pause = false
		}
	}
	if len(g.words) > 0 && pause {
		g.total -= stop // the pause at the end is not part of the sentence
	}
	return g
}

func pausing(r rune) bool {
	return unicode.Is(unicode.Terminal_Punctuation, r) || r == '—' || r == '…'
}

// dense reports whether a text is in a script without spaces, whose characters are syllables.
func dense(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// wordsOf returns the words of a span of a text: what spaces part, and single characters of scripts
// that write none.
func wordsOf(s string, in text.Span) []text.Span {
	var all []text.Span
	start := -1
	for i, r := range in.In(s) {
		at := in.Start + i
		single := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
		if start >= 0 && (unicode.IsSpace(r) || single) {
			all = append(all, text.Span{Start: start, End: at})
			start = -1
		}
		if start < 0 && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.IsSymbol(r)) {
			start = at
		} else if start < 0 && !unicode.IsSpace(r) && len(all) > 0 && all[len(all)-1].End == at {
			all[len(all)-1].End += utf8.RuneLen(r) // a mark belongs to the word before it
		}
	}
	if start >= 0 {
		all = append(all, text.Span{Start: start, End: in.End})
	}
	return all
}

// guess guesses how a sentence is said, by another engine that says it to nobody.
func (e *Engine) guess(ctx context.Context, code lang.Code, region, s string, span text.Span) guess {
	v := voice.Default(code)
	by, traits, err := e.others.For(v, code)
	if err != nil {
		return guessByLetters(s, span)
	}
	var g guess
	samples := 0
	err = by.Synthesize(ctx, engine.Utterance{Text: span.In(s), Language: code, Region: region, Voice: v}, engine.SinkFunc(func(f engine.Frame) error {
		for _, w := range f.Words {
			at := text.Span{Start: w.Start, End: w.End}.Shift(span.Start)
			g.words = append(g.words, guessed{at, float64(w.Sample) / float64(traits.SampleRate), pauseBefore(s, at.Start)})
		}
		samples += len(f.PCM)
		return nil
	}))
	if err != nil || len(g.words) == 0 {
		return guessByLetters(s, span)
	}
	g.total = float64(samples) / float64(traits.SampleRate)
	return g
}

// pauseBefore reports whether a sign that makes a pause stands before a word.
func pauseBefore(s string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(s[:at], unicode.IsSpace))
	return r != utf8.RuneError && pausing(r)
}

// pace is how many times as long as guessed a voice takes for its sentences.
type pace struct{ bits atomic.Uint64 }

func (p *pace) get() float64 {
	if b := p.bits.Load(); b != 0 {
		return math.Float64frombits(b)
	}
	return 1
}

func (p *pace) set(v float64) { p.bits.Store(math.Float64bits(v)) }

// known reports whether a sentence was heard.
func (p *pace) known() bool { return p.bits.Load() != 0 }

// learn follows a sentence that took so long.
func (p *pace) learn(took, guessed float64) {
	const follow, least, most = 0.3, 0.3, 4
	if took < 0.3 || guessed < 0.3 {
		return
	}
	now := took / guessed
	if p.known() {
		now = p.get() + follow*(now-p.get())
	}
	p.set(min(max(now, least), most))
}

// scaled returns when the words of a sentence begin, in samples, if its sound is whole: the guess
// is stretched to the length of the sound, and the words behind pauses are put to the pauses that
// are heard.
func (g guess) scaled(pcm []int16, rate int) []int {
	stretch := float64(len(pcm)) / max(g.total, 0.001)
	at := make([]int, len(g.words))
	for i, w := range g.words {
		at[i] = int(w.at * stretch)
	}
	const leastPause = 80 * time.Millisecond
	heard := pauses(pcm, int(leastPause*time.Duration(rate)/time.Second))
	const reach = 0.5 // seconds that the guess may be wrong by
	from, fromHeard := 0, 0
	for i, w := range g.words {
		if !w.pause {
			continue
		}
		best, distance := -1, int(reach*float64(rate))
		for j, p := range heard {
			if d := max(p[1]-at[i], at[i]-p[1]); p[1] > fromHeard && d < distance {
				best, distance = j, d
			}
		}
		if best < 0 {
			continue
		}
		to := heard[best][1]
		stretchBetween(at, from, i, fromHeard, to)
		from, fromHeard = i, to
		rest := float64(len(pcm)-to) / max(g.total-w.at, 0.001)
		for k := i; k < len(at); k++ {
			at[k] = to + int((g.words[k].at-w.at)*rest)
		}
	}
	return at
}

// stretchBetween moves the words from one to another, which begins at sample end.
func stretchBetween(at []int, from, to, start, end int) {
	old := at[to] - at[from]
	base := at[from]
	for k := from + 1; k < to && old > 0; k++ {
		at[k] = start + int(float64(at[k]-base)*float64(end-start)/float64(old))
	}
	at[to] = end
}

// told returns when the words of a sentence begin, in seconds, by what the server has told of the
// words that it said. ok is false if those are too unlike the text.
func told(s string, span text.Span, said []wire.Word) (words []guessed, ok bool) {
	written := wordsOf(s, span)
	if len(written) == 0 || len(said) == 0 {
		return nil, false
	}
	// Both are read in order; a word that the other side has not is skipped.
	matched, next := 0, 0
	starts := make([]float64, len(written))
	for i := range starts {
		starts[i] = -1
		want := folded(written[i].In(s))
		for j := next; j < min(len(said), next+4); j++ {
			if folded(said[j].Text) == want {
				starts[i] = said[j].Start.Seconds()
				next = j + 1
				matched++
				break
			}
		}
	}
	if matched*5 < len(written)*4 {
		return nil, false
	}
	fillGaps(starts, said[len(said)-1].End.Seconds())
	for i, w := range written {
		words = append(words, guessed{w, starts[i], false})
	}
	return words, true
}

// fillGaps spreads the words that were not told evenly between those that were.
func fillGaps(starts []float64, end float64) {
	for i := 0; i < len(starts); {
		if starts[i] >= 0 {
			i++
			continue
		}
		j := i
		for j < len(starts) && starts[j] < 0 {
			j++
		}
		from, to := 0.0, end
		if i > 0 {
			from = starts[i-1]
		}
		if j < len(starts) {
			to = starts[j]
		}
		n := j - i + 1
		for k := i; k < j; k++ {
			starts[k] = from + (to-from)*float64(k-i+1)/float64(n)
		}
		i = j
	}
}

// folded returns the letters and digits of a word, in small letters.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// wordAt returns the index of the first word that has not begun by some seconds.
func (g guess) wordAt(seconds float64) int {
	i, _ := slices.BinarySearchFunc(g.words, seconds, func(w guessed, t float64) int {
		if w.at < t {
			return -1
		}
		return 1
	})
	return i
}

// begun returns how many words have begun when the sound breaks off after some seconds, which have
// so many pauses inside. ended says that it breaks off in a pause. In doubt it is one too many, so
// that no word is said twice.
func (g guess) begun(seconds float64, pauses int, ended bool) int {
	by := g.wordAt(seconds)
	if ended {
		by = g.nearest(seconds)
	}
	// Where pauses part all words, their number tells more than the time does.
	const doubt, fewest = 2, 2
	if counted := pauses + 1; pauses >= fewest && counted >= by-1 && counted <= by+doubt && (counted >= by || !ended) {
		return counted
	}
	return by
}

// nearest returns the index of the word whose beginning is nearest to some seconds, at which one
// word has ended and the next may begin. In doubt it is the later one, so that no word is said
// twice.
func (g guess) nearest(seconds float64) int {
	i := g.wordAt(seconds)
	if i == 0 {
		return 0
	}
	after := g.total
	if i < len(g.words) {
		after = g.words[i].at
	}
	const doubt = 0.25 // of the way from one word to the next
	before := g.words[i-1].at
	if seconds < before+(after-before)*doubt {
		return i - 1
	}
	return i
}

package measure

import (
	"reflect"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/catalogue"
	"vaak/catalogue/transcript"
)

// sampleWords is how many words the type-token ratio is of: it falls with the
// length of a text, so texts are compared at one length.
const sampleWords = 1000

// Lexical tells what a transcript says of words, with rec for the times.
//
// Types are told apart without regard to case, after NFC. The code-mix index is
// that of Das and Gambäck (2014), "Identifying Languages at the Word Level in
// Code-Mixed Indian Social Media Text": 100 (1 - max(w)/(n-u)) of each segment,
// where w are its words by script and n-u all words whose script can be told; the
// index is the plain mean over the segments that have such words. Switch points
// are words in another script than the word before them in their segment. The
// scripts of Japanese count as one in both.
//
// Rates are of transcribed time, which is what segments with text hold, each
// moment once: what nobody transcribed is no silence. Words per minute of speech are
// of the speech that was measured in that time. It is compared with segments as
// coverage and IoU are: channel with channel where each has one speaker and every
// segment tells its channel, else the time in which any segment or channel speaks.
// A segment may end 50 ms after the recording. No figure is NaN: where there is
// nothing to divide by, it is nil, and EnglishShare of no words is 0.
func Lexical(segments []transcript.Segment, rec Recording) catalogue.Lexical {
	c := newCounter()
	var timed []transcript.Segment // that have text and hold time of the recording
	inTime := 0                    // words of these
	for _, s := range segments {
		n := c.segment(s.Text)
		s.Start, s.End = max(s.Start, 0), min(s.End, rec.DurationS)
		if _, ok := stretch(s); ok && strings.TrimSpace(s.Text) != "" {
			timed = append(timed, s)
			inTime += n
		}
	}
	l := c.result()
	l.Segments = len(segments)
	for _, s := range segments {
		if wrongTimes(s, rec.DurationS) {
			l.TimeErrors++
		}
	}
	l.WordsPerMin, l.Articulation = rates(inTime, timed, rec)
	l.Coverage, l.IoU = agreement(segments, rec)
	tidy(reflect.ValueOf(&l).Elem())
	return l
}

// counter counts the words of a transcript.
type counter struct {
	fold          cases.Caser
	types         map[string]bool
	known         map[string]script // of words as they are written
	words         int
	firstTypes    int // among the first sampleWords
	latin         int
	scripts       map[string]int
	switches      int
	mixed         float64 // sum of the code-mix indices of segments
	told          int     // segments that have one
	emptySegments int
}

func newCounter() *counter {
	return &counter{fold: cases.Fold(), types: map[string]bool{}, known: map[string]script{}, scripts: map[string]int{}}
}

// segment counts the words of one segment, and returns how many they are.
func (c *counter) segment(text string) int {
	before := c.words
	systems := map[string]int{} // words of the segment by writing system
	last, all := "", 0
	for w := range spokenWords(text) {
		system := systemOf(c.word(w).code)
		if system == "" {
			continue
		}
		if last != "" && system != last {
			c.switches++
		}
		last = system
		systems[system]++
		all++
	}
	if strings.TrimSpace(text) == "" {
		c.emptySegments++
	}
	if all > 0 {
		most := 0
		for _, n := range systems {
			most = max(most, n)
		}
		c.mixed += 100 * (1 - float64(most)/float64(all))
		c.told++
	}
	return c.words - before
}

// script is what a word is written in.
type script struct {
	code  string // ISO 15924
	latin bool   // all its letters are Latin
}

// word counts a word. Most words were there before, as they are written, and need
// no more than to be looked up.
func (c *counter) word(w string) script {
	in, known := c.known[w]
	if !known {
		in.code, in.latin = scriptOf(w)
		c.known[w] = in
		c.types[norm.NFC.String(c.fold.String(norm.NFC.String(w)))] = true
	}
	if c.words++; c.words <= sampleWords {
		c.firstTypes = len(c.types)
	}
	if in.latin {
		c.latin++
	}
	c.scripts[in.code]++
	return in
}

// result returns the figures of the words alone.
func (c *counter) result() catalogue.Lexical {
	l := catalogue.Lexical{
		Method: "transcript", Words: c.words, Types: len(c.types),
		EmptySegments: c.emptySegments, ScriptShare: map[string]float64{},
	}
	if c.words >= sampleWords {
		ratio := float64(c.firstTypes) / sampleWords
		l.TypeToken = &ratio
	}
	if c.words > 0 {
		all := float64(c.words)
		l.EnglishShare = float64(c.latin) / all
		for script, n := range c.scripts {
			l.ScriptShare[script] = float64(n) / all
		}
	}
	if c.told > 0 {
		l.CodeMixIndex = new(c.mixed / float64(c.told))
		l.SwitchesPer100 = new(100 * float64(c.switches) / float64(c.words))
	}
	return l
}

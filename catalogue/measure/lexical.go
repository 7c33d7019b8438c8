package measure

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/catalogue"
	"vaak/catalogue/transcript"
)

// sampleWords is how many words the type-token ratio is computed from. The ratio falls with the
// length of a text, so texts can be compared only at one length.
const sampleWords = 1000

// Lexical returns the figures of the words of a transcript; rec gives the times.
//
// Words are the same type if they are equal without regard to case, after NFC. The code-mix
// index is that of Das and Gambäck (2014), "Identifying Languages at the Word Level in
// Code-Mixed Indian Social Media Text": 100 (1 - max(w)/(n-u)) for each segment, where w are
// the numbers of its words by script and n-u is the number of words whose script is known.
// The figure is the mean over the segments that have such words. A switch point is a word in
// another script than the word before it in the same segment. The scripts of Japanese count
// as one for both.
//
// Rates refer to transcribed time: the union of the segments with text, because time that
// nobody transcribed is not silence. Words per minute of speech refer to the speech measured
// in that time. Segments and measured speech are compared, here and for coverage and IoU,
// channel by channel if each channel has one speaker and every segment names its channel;
// otherwise the time in which any segment or any channel speaks is compared.
//
// A segment may end 50 ms after the recording. No figure is NaN or infinite: it is nil if there
// is nothing to divide by, or next to nothing, and EnglishShare is 0 if there are no words.
func Lexical(segments []transcript.Segment, rec Recording) catalogue.Lexical {
	l := Words(segments, rec)
	for _, s := range segments {
		if wrongTimes(s, rec.DurationS) {
			l.TimeErrors++
		}
	}
	l.ImplausibleSegments, l.UnheardSegments = implausible(segments), unheard(segments, rec)
	l.AlignmentLagMs = lag(segments, rec)
	return l
}

// Words returns the figures of [Lexical] without those that compare each segment with the sound:
// segments that do not fit, and by how much they are late. Those cannot be told of recordings that
// are laid one after the other, and take long.
func Words(segments []transcript.Segment, rec Recording) catalogue.Lexical {
	c := newCounter()
	var timed []transcript.Segment // segments with text, cut to the recording
	inTime := 0                    // words in them
	for _, s := range segments {
		n := c.segment(s)
		// Cut to the recording, so that a wrong end does not lower the rates.
		s.Start, s.End = max(s.Start, 0), min(s.End, rec.DurationS)
		if _, ok := stretch(s); ok && strings.TrimSpace(s.Text) != "" {
			timed = append(timed, s)
			inTime += n
		}
	}
	l := c.result()
	l.Segments = len(segments)
	l.WordsPerMin, l.Articulation = rates(inTime, timed, rec)
	l.Coverage, l.IoU = agreement(segments, rec)
	tidy(reflect.ValueOf(&l).Elem())
	return l
}

// counter counts the words of a transcript.
type counter struct {
	fold          cases.Caser
	types         map[string]bool
	known         map[string]script // scripts of words, by their spelling
	words         int
	firstTypes    int // types among the first sampleWords words
	latin         int
	scripts       map[string]int
	switches      int
	mixed         float64 // sum of the code-mix indices of segments
	indexed       int     // segments that have an index
	emptySegments int
	numerals      int
	languages     *languages
	signs         signs
}

func newCounter() *counter {
	return &counter{fold: cases.Fold(), types: map[string]bool{}, known: map[string]script{}, scripts: map[string]int{}, languages: newLanguages()}
}

// segment counts the words of one segment and returns their number.
func (c *counter) segment(s transcript.Segment) int {
	text := s.Text
	before := c.words
	systems := map[string]int{} // number of words by writing system
	last, all, channel := "", 0, -1
	clean := untagged(text)
	c.signs.add(clean)
	c.numerals += numerals(clean)
	for w := range spokenWords(text) {
		system := systemOf(c.word(w).code)
		if system == "" {
			continue
		}
		if channel < 0 {
			channel = c.languages.channelOf(s)
		}
		c.languages.word(channel, system, w)
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
		c.indexed++
	}
	return c.words - before
}

// signsMost is how many signs outside of the alphabet are named: those that occur most.
const signsMost = 20

// mostOf returns the n keys with the highest counts; of equal ones, the first by name.
func mostOf(counts map[string]int, n int) map[string]int {
	if len(counts) <= n {
		return counts
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	out := map[string]int{}
	for _, k := range keys[:n] {
		out[k] = counts[k]
	}
	return out
}

// script is the script of a word.
type script struct {
	code  string // ISO 15924
	latin bool   // all its letters are Latin
}

// word counts a word and returns its script. Most words have occurred before in the same
// spelling, and need a lookup only.
func (c *counter) word(w string) script {
	in, known := c.known[w]
	if !known {
		in.code, in.latin = scriptOf(w)
		c.known[w] = in
		// Folding may leave text that is not in NFC, so it is composed again.
		c.types[norm.NFC.String(c.fold.String(norm.NFC.String(w)))] = true
	}
	// A word that is known already must count too, so this stands outside of the branch
	// above.
	if c.words++; c.words <= sampleWords {
		c.firstTypes = len(c.types)
	}
	if in.latin {
		c.latin++
	}
	c.scripts[in.code]++
	return in
}

// result returns the figures that do not depend on times.
func (c *counter) result() catalogue.Lexical {
	l := catalogue.Lexical{
		Method: "transcript", Words: c.words, Types: len(c.types),
		EmptySegments: c.emptySegments, ScriptShare: map[string]float64{}, Numerals: c.numerals,
	}
	l.LanguageShare, l.ChannelLanguages = c.languages.result()
	var letters int
	if l.OutsideSigns, letters = c.signs.outside(c.languages.lacks); letters > 0 {
		sum := 0
		for _, n := range l.OutsideSigns {
			sum += n
		}
		l.OutsideShare = new(float64(sum) / float64(letters))
	}
	l.OutsideSigns = mostOf(l.OutsideSigns, signsMost)
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
	if c.indexed > 0 {
		l.CodeMixIndex = new(c.mixed / float64(c.indexed))
		l.SwitchesPer100 = new(100 * float64(c.switches) / float64(c.words))
	}
	return l
}

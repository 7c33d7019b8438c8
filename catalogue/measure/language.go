package measure

import (
	"maps"
	"slices"
	"strings"

	"vaak/catalogue/transcript"
	"vaak/lang"
)

// blockWords is how many words of a script, one after the other, are judged together. Fewer say
// too little of the language.
const blockWords = 20

// languages counts the words of transcripts by language.
type languages struct {
	open map[track]*passage
	// words by channel and language; the key of all channels is 0.
	counts map[int]map[string]int
	// written has the words by writing system and language.
	written map[string]map[string]int
	named   bool // all segments with words name their channel
}

// track is a script on a channel.
type track struct {
	channel int
	system  string
}

// passage is words that are not judged yet.
type passage struct {
	text  strings.Builder
	words int
	last  string // the language of the passage before
}

func newLanguages() *languages {
	return &languages{open: map[track]*passage{}, counts: map[int]map[string]int{}, written: map[string]map[string]int{}, named: true}
}

// word adds a word of a writing system on a channel.
func (l *languages) word(channel int, system, w string) {
	t := track{channel, system}
	b := l.open[t]
	if b == nil {
		b = &passage{}
		l.open[t] = b
	}
	b.text.WriteString(w)
	b.text.WriteByte(' ')
	if b.words++; b.words >= blockWords {
		l.judge(t, b)
	}
}

// judge counts the words of a block.
func (l *languages) judge(t track, b *passage) {
	// A short remainder goes on in the language before it.
	if b.words >= blockWords/2 || b.last == "" {
		b.last = "und"
		if code := lang.DetectIn(b.text.String(), t.system); code != "" {
			b.last = string(code)
		}
	}
	tally(l.counts, t.channel, b.last, b.words)
	tally(l.written, t.system, b.last, b.words)
	b.text.Reset()
	b.words = 0
}

// tally adds n to the count of a language under a key.
func tally[K comparable](counts map[K]map[string]int, key K, language string, n int) {
	if counts[key] == nil {
		counts[key] = map[string]int{}
	}
	counts[key][language] += n
}

// result returns the share of each language in all words, and on each channel; the latter is nil
// if a segment does not name its channel, or all are on one.
func (l *languages) result() (all map[string]float64, channels []map[string]float64) {
	for t, b := range l.open {
		if b.words > 0 {
			l.judge(t, b)
		}
	}
	if len(l.counts) == 0 {
		return nil, nil
	}
	sum := map[string]int{}
	for _, c := range l.counts {
		for code, n := range c {
			sum[code] += n
		}
	}
	all = shareOf(sum)
	last := slices.Max(slices.Collect(maps.Keys(l.counts)))
	if !l.named || last < 2 || last > maxChannels {
		return all, nil
	}
	for c := 1; c <= last; c++ {
		channels = append(channels, shareOf(l.counts[c]))
	}
	return all, channels
}

// maxChannels bounds the channels of which there are shares.
const maxChannels = 16

// shareOf returns counts as shares of their sum.
func shareOf(counts map[string]int) map[string]float64 {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	shares := map[string]float64{}
	for code, n := range counts {
		shares[code] = round(float64(n) / float64(sum))
	}
	return shares
}

// writtenShare is the least share of the words of a writing system that a language must have before
// its letters belong to the text.
const writtenShare = 0.05

// lacks reports whether a letter of a writing system is in none of the languages that its words are
// in. It is false if these are not known: a language that was not told may have the letter. Call it
// after result.
func (l *languages) lacks(system string, r rune) bool {
	sum := 0
	for _, n := range l.written[system] {
		sum += n
	}
	for code, n := range l.written[system] {
		if float64(n) >= writtenShare*float64(sum) && !lang.Code(code).Lacks(r) {
			return false
		}
	}
	return sum > 0
}

// channelOf returns the channel of a segment for the counts, and notes that it has none.
func (l *languages) channelOf(s transcript.Segment) int {
	if s.Channel < 1 {
		l.named = false
		return 0
	}
	return s.Channel
}

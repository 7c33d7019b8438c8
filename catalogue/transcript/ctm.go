package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// longestPause within a segment, in seconds: words of one speaker that are further
// apart are two segments.
const longestPause = 0.5

// ctm reads words: file, channel, start, duration, word, confidence, type and
// speaker, of which the last three may be missing. The words of a speaker on a
// channel make segments.
func (p *reader) ctm(text string) {
	tracks := tracks{}
	for line, content := range p.lines(text) {
		f, rest := fields(content, 8)
		switch {
		case len(f) < 5 || rest != "":
			p.problem(line, "a line of CTM has 5 to 8 fields, this one has %s", counted(len(f), rest))
		case strings.HasPrefix(strings.ToUpper(f[4]), "<ALT"):
			p.problem(line, "alternatives (%s) are not read: one reading of each word is", quote(f[4]))
		default:
			p.ctmWord(tracks, line, f)
		}
	}
	p.addTracks(tracks)
}

// ctmWord takes one line in. Sounds that are no words are left out.
func (p *reader) ctmWord(tracks tracks, line int, f []string) {
	ch, err := channel(f[1])
	if err != nil {
		p.problem(line, "%v", err)
	}
	w := timedWord{line: line, Word: Word{Text: f[4]}}
	if w.Start, w.End, err = span(f[2], f[3], true); err != nil {
		p.problem(line, "%v", err)
		return
	}
	if len(f) > 6 && slices.Contains([]string{"non-lex", "misc", "noscore"}, strings.ToLower(f[6])) {
		return
	}
	key := track{recording: f[0], channel: ch}
	if len(f) > 7 {
		key.speaker = f[7]
	}
	if p.count(line, 1) {
		tracks[key] = append(tracks[key], w)
	}
}

// timedWord is a word and its line.
type timedWord struct {
	Word
	line int
}

// track is what words are grouped by.
type track struct {
	recording, speaker string
	channel            int
}

// tracks are the words of each track, in any order.
type tracks map[track][]timedWord

// addTracks makes segments of words and adds them in a fixed order.
func (p *reader) addTracks(all tracks) {
	keys := make([]track, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b track) int {
		return cmp.Or(cmp.Compare(a.recording, b.recording), cmp.Compare(a.channel, b.channel), cmp.Compare(a.speaker, b.speaker))
	})
	for _, key := range keys {
		for _, s := range grouped(all[key]) {
			s.Channel, s.Speaker = key.channel, key.speaker
			if p.done() {
				return
			}
			p.add(key.recording, s)
		}
	}
}

// grouped makes segments of the words of one track.
func grouped(words []timedWord) []Segment {
	slices.SortStableFunc(words, func(a, b timedWord) int { return cmp.Compare(a.Start, b.Start) })
	var segments []Segment
	for from := 0; from < len(words); {
		to, end := from+1, words[from].End
		for to < len(words) && words[to].Start-end <= longestPause+1e-9 {
			end = max(end, words[to].End)
			to++
		}
		segments = append(segments, joined(words[from:to], end))
		from = to
	}
	return segments
}

// joined makes one segment of words.
func joined(words []timedWord, end float64) Segment {
	s := Segment{Start: words[0].Start, End: end, Line: words[0].line}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
		s.Words = append(s.Words, w.Word)
	}
	s.Text = strings.Join(texts, " ")
	return s
}

// counted tells how many fields a line has.
func counted(n int, rest string) string {
	if rest != "" {
		return fmt.Sprintf("more than %d", n)
	}
	return fmt.Sprint(n)
}

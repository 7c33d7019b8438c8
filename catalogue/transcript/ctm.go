package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// longestPause is the longest gap between two words of one segment, in seconds. A speaker
// who pauses for longer begins a new segment.
const longestPause = 0.5

// readCTM reads the CTM format of NIST (SCTK, infmts.htm): file, channel, start, duration,
// word, confidence, type and speaker, where the last three may be missing. CTM has no
// segments, so the words of one speaker on one channel are grouped into segments by their
// pauses.
func readCTM(p *reader, text string) {
	tracks := tracks{}
	for line, content := range p.lines(text) {
		f, remainder := fields(content, 8)
		switch {
		case len(f) < 5 || remainder != "":
			p.problem(line, "a line of CTM has 5 to 8 fields, this one has %s", counted(len(f), remainder))
		case strings.HasPrefix(strings.ToUpper(f[4]), "<ALT"):
			// <ALT_BEGIN>, <ALT> and <ALT_END> enclose several readings; choosing one would guess.
			p.problem(line, "alternatives (%s) are not read: one reading of each word is", quote(f[4]))
		default:
			p.ctmWord(tracks, line, f)
		}
	}
	p.addTracks(tracks)
}

// ctmWord adds the word of one line to its track. Sounds that are not words are skipped.
func (p *reader) ctmWord(tracks tracks, line int, f []string) {
	ch, err := channel(f[1])
	if err != nil {
		p.problem(line, "%v", err)
	}
	w := timedWord{line: line, Word: Word{Text: f[4]}}
	// A wrong channel does not end the line: its times are checked as well, so one reading
	// shows both faults.
	if w.Start, w.End, err = span(f[2], f[3], true); err != nil {
		p.problem(line, "%v", err)
		return
	}
	// The type of the word, in the seventh field.
	if len(f) > 6 && slices.Contains([]string{"non-lex", "misc", "noscore"}, strings.ToLower(f[6])) {
		return
	}
	// Without a speaker field all words of a channel are one track.
	key := track{recording: f[0], channel: ch}
	if len(f) > 7 {
		key.speaker = f[7]
	}
	if p.count(line, 1) {
		tracks[key] = append(tracks[key], w)
	}
}

// timedWord is a word and the line that it is on.
type timedWord struct {
	Word
	line int
}

// track is a speaker on a channel of a recording: the words that may form one segment.
type track struct {
	recording, speaker string
	channel            int
}

// tracks holds the words of each track, not yet sorted by time.
type tracks map[track][]timedWord

// addTracks groups the words of all tracks into segments and adds them. The order is fixed,
// so that the same file gives the same problems.
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

// grouped returns the segments of one track.
func grouped(words []timedWord) []Segment {
	slices.SortStableFunc(words, func(a, b timedWord) int { return cmp.Compare(a.Start, b.Start) })
	var segments []Segment
	for from := 0; from < len(words); {
		to, end := from+1, words[from].End
		// 1e-9 allows for the error of a sum of decimals: a pause of exactly 0.5 s counts as
		// short. Words may overlap, so end is the latest end so far, not that of the last word.
		for to < len(words) && words[to].Start-end <= longestPause+1e-9 {
			end = max(end, words[to].End)
			to++
		}
		segments = append(segments, joined(words[from:to], end))
		from = to
	}
	return segments
}

// joined returns one segment that holds words and ends at end.
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

// counted returns how many fields a line has, for a message. remainder is what fields left
// over.
func counted(n int, remainder string) string {
	if remainder != "" {
		return fmt.Sprintf("more than %d", n)
	}
	return fmt.Sprint(n)
}

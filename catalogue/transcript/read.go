package transcript

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a single segment, whatever the limits of the file are.
const (
	longestText  = 1 << 20   // bytes of a segment's text
	longestName  = 1 << 10   // bytes of a speaker, a role or a recording
	latest       = 1_000_000 // seconds, eleven days; a later time is in another unit, such as ms
	mostChannels = 256
)

// The defaults for zero values in [Limits].
const (
	defaultBytes    = 64 << 20
	defaultSegments = 200_000
	defaultWords    = 2_000_000
	defaultProblems = 20
)

// Read reads a transcript file. If there is any problem, the file has no recordings: a
// transcript is used whole or not at all. Read goes on after a fault, until it has
// limits.Problems of them or the file exceeds another limit.
//
// Files are UTF-8, or UTF-16 with a byte order mark. The line breaks of all systems are read
// as "\n". Times are seconds from 0 to 1,000,000, channels are 1 to 256. White space around
// the names of speakers, roles and recordings is removed. Text is kept as it is written,
// without the markup of its format, and may not have control characters other than line
// breaks and tabs.
func Read(r io.Reader, format Format, limits Limits) (File, []Problem) {
	p := &reader{
		limits: limits.withDefaults(),
		file:   File{Format: format, Recordings: map[string][]Segment{}},
	}
	parse := map[Format]func(*reader, string){
		TextGrid: readTextGrid, RTTM: readRTTM, CTM: readCTM,
		STM: readSTM, SegLST: readSegLST, WebVTT: readWebVTT,
		SRT: readSRT, CSV: readTable, JSON: readJSON, ELAN: readELAN,
		Audacity: readAudacity, Whisper: readWhisper, WhisperLines: readWhisperLines,
	}[format]
	if parse == nil {
		p.problem(0, "transcripts in the format %s are not read", quote(string(format)))
	} else if text, ok := p.content(r); ok {
		parse(p, text)
	}
	return p.result()
}

// withDefaults returns the limits with defaults in place of values that are not positive.
func (l Limits) withDefaults() Limits {
	return Limits{
		Bytes:    cmp.Or(max(l.Bytes, 0), defaultBytes),
		Segments: cmp.Or(max(l.Segments, 0), defaultSegments),
		Words:    cmp.Or(max(l.Words, 0), defaultWords),
		Problems: cmp.Or(max(l.Problems, 0), defaultProblems),
	}
}

// reader holds what the parser of a format has found so far.
type reader struct {
	limits          Limits
	file            File
	problems        []Problem
	segments, words int
	over            bool // a limit is exceeded, so nothing more is read
}

// done reports whether reading on is of no use: nothing more would be kept.
func (p *reader) done() bool { return p.over || len(p.problems) >= p.limits.Problems }

// problem adds a problem, unless there are as many as are kept.
func (p *reader) problem(line int, format string, args ...any) {
	if len(p.problems) < p.limits.Problems {
		p.problems = append(p.problems, Problem{Line: line, Message: fmt.Sprintf(format, args...)})
	}
}

// result returns the file with its segments in order of time, or the problems.
func (p *reader) result() (File, []Problem) {
	if len(p.problems) > 0 {
		// Formats with tracks or tiers find problems in another order than that of the
		// lines.
		slices.SortStableFunc(p.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		return File{Format: p.file.Format}, p.problems
	}
	// Stable: segments with the same times stay in the order of the file.
	for _, segments := range p.file.Recordings {
		slices.SortStableFunc(segments, func(a, b Segment) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
	}
	return p.file, nil
}

// add adds a segment, or the problem that it has.
func (p *reader) add(recording string, s Segment) {
	recording = strings.TrimSpace(recording)
	s.Speaker, s.Role = strings.TrimSpace(s.Speaker), strings.TrimSpace(s.Role)
	if why := unsound(recording, s); why != "" {
		p.problem(s.Line, "%s", why)
		return
	}
	// Counted before it is kept, so that the memory is bounded by the limit.
	if p.segments++; p.segments > p.limits.Segments {
		p.exceed(s.Line, "segments", p.limits.Segments)
		return
	}
	// Words are sorted here for all formats; callers cut and search them by time.
	slices.SortStableFunc(s.Words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	if len(s.Words) > 0 {
		p.file.WordTimes = true
	}
	p.file.Recordings[recording] = append(p.file.Recordings[recording], s)
}

// count counts n more words. It returns false once the file has too many.
func (p *reader) count(line, n int) bool {
	if p.words += n; p.words > p.limits.Words {
		p.exceed(line, "words", p.limits.Words)
	}
	return !p.over
}

// exceed ends reading because the file has too many of something.
func (p *reader) exceed(line int, what string, most int) {
	if !p.over {
		p.problem(line, "there are more than %d %s, the most of one file", most, what)
	}
	p.over = true
}

// unsound returns what is wrong with a segment, or "".
func unsound(recording string, s Segment) string {
	if why := badTimes(s.Start, s.End); why != "" {
		return why
	}
	if s.Channel < 0 || s.Channel > mostChannels {
		return fmt.Sprintf("the channel is %d; channels are 1 to %d", s.Channel, mostChannels)
	}
	for _, name := range []struct{ what, text string }{
		{"recording", recording}, {"speaker", s.Speaker}, {"role", s.Role},
	} {
		if why := badText("name of the "+name.what, name.text, longestName, ""); why != "" {
			return why
		}
	}
	if why := badText("text", s.Text, longestText, "\n\t"); why != "" {
		return why
	}
	for _, w := range s.Words {
		if why := badTimes(w.Start, w.End); why != "" {
			return "word " + quote(w.Text) + ": " + why
		}
		if why := badText("word", w.Text, longestText, "\n\t"); why != "" {
			return why
		}
	}
	return ""
}

// badTimes returns what is wrong with a start and an end, or "".
func badTimes(start, end float64) string {
	for _, t := range []float64{start, end} {
		// NaN is neither below nor above anything, so it needs a test of its own.
		if math.IsNaN(t) || t < 0 || t > latest {
			return fmt.Sprintf("the time %v is outside 0 to %d seconds", t, latest)
		}
	}
	if end < start {
		return fmt.Sprintf("the end %v is before the start %v", end, start)
	}
	return ""
}

// badText returns what is wrong with a text, or "". allowed are the control characters that
// it may have.
func badText(what, text string, longest int, allowed string) string {
	if len(text) > longest {
		return fmt.Sprintf("the %s is %d bytes long; the longest is %d", what, len(text), longest)
	}
	if !utf8.ValidString(text) {
		return fmt.Sprintf("the %s is not UTF-8", what)
	}
	for _, r := range text {
		// Pages and terminals show these texts. Control characters can move the cursor or
		// end a line there.
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) || Overrides(r) {
			return fmt.Sprintf("the %s holds the control character %U", what, r)
		}
	}
	return ""
}

// quote returns what was found as messages show it: in quotes, cut to 40 code points.
func quote(found string) string {
	const most = 40 // code points
	n := 0
	for i := range found {
		if n++; n > most {
			return fmt.Sprintf("%q...", found[:i])
		}
	}
	return fmt.Sprintf("%q", found)
}

// Overrides reports whether a character changes the direction of the text that follows it.
// With such characters a name can look like another one, so names and texts of strangers
// may not have them.
func Overrides(r rune) bool {
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}

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

// What one segment may hold, whatever the limits of the file are.
const (
	longestText  = 1 << 20   // bytes of a segment's text
	longestName  = 1 << 10   // bytes of a speaker, a role or a recording
	latest       = 1_000_000 // seconds, eleven days: later times are in the wrong unit
	mostChannels = 256
)

// The limits where [Limits] has 0.
const (
	defaultBytes    = 64 << 20
	defaultSegments = 200_000
	defaultWords    = 2_000_000
	defaultProblems = 20
)

// Read reads a transcript file. Where there is a problem, the file has no
// recordings: a transcript is taken whole or not at all. Reading goes on behind a
// fault until limits.Problems are told or a limit of size is passed.
//
// Files are UTF-8, or UTF-16 with a byte order mark. Line breaks of any system
// read as "\n". Times are seconds from 0 to 1,000,000, channels 1 to 256. Names of
// speakers, roles and recordings lose white space around them; text stays as it is
// written, less the markup of its format, and holds no control characters but
// line breaks and tabs.
func Read(r io.Reader, format Format, limits Limits) (File, []Problem) {
	p := &reader{
		limits: limits.withDefaults(),
		file:   File{Format: format, Recordings: map[string][]Segment{}},
	}
	parse := map[Format]func(*reader, string){
		TextGrid: (*reader).textGrid, RTTM: (*reader).rttm, CTM: (*reader).ctm,
		STM: (*reader).stm, SegLST: (*reader).segLST, WebVTT: (*reader).webVTT,
		SRT: (*reader).srt, CSV: (*reader).table, JSON: (*reader).own,
	}[format]
	if parse == nil {
		p.problem(0, "transcripts in the format %s are not read", quote(string(format)))
	} else if text, ok := p.content(r); ok {
		parse(p, text)
	}
	return p.result()
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Bytes:    cmp.Or(max(l.Bytes, 0), defaultBytes),
		Segments: cmp.Or(max(l.Segments, 0), defaultSegments),
		Words:    cmp.Or(max(l.Words, 0), defaultWords),
		Problems: cmp.Or(max(l.Problems, 0), defaultProblems),
	}
}

// reader gathers what the parser of a format finds.
type reader struct {
	limits          Limits
	file            File
	problems        []Problem
	segments, words int
	over            bool // a limit is passed: nothing more is read
}

// done says that reading on tells nothing more.
func (p *reader) done() bool { return p.over || len(p.problems) >= p.limits.Problems }

// problem notes a fault, as long as there is room for it.
func (p *reader) problem(line int, format string, args ...any) {
	if len(p.problems) < p.limits.Problems {
		p.problems = append(p.problems, Problem{Line: line, Message: fmt.Sprintf(format, args...)})
	}
}

// result returns the file with its segments in order, or its problems.
func (p *reader) result() (File, []Problem) {
	if len(p.problems) > 0 {
		slices.SortStableFunc(p.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		return File{Format: p.file.Format}, p.problems
	}
	for _, segments := range p.file.Recordings {
		slices.SortStableFunc(segments, func(a, b Segment) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
	}
	return p.file, nil
}

// add takes a segment in, when it is sound.
func (p *reader) add(recording string, s Segment) {
	recording = strings.TrimSpace(recording)
	s.Speaker, s.Role = strings.TrimSpace(s.Speaker), strings.TrimSpace(s.Role)
	if why := unsound(recording, s); why != "" {
		p.problem(s.Line, "%s", why)
		return
	}
	if p.segments++; p.segments > p.limits.Segments {
		p.pass(s.Line, "segments", p.limits.Segments)
		return
	}
	slices.SortStableFunc(s.Words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	if len(s.Words) > 0 {
		p.file.WordTimes = true
	}
	p.file.Recordings[recording] = append(p.file.Recordings[recording], s)
}

// count counts words as they are read, and is false when there are too many.
func (p *reader) count(line, n int) bool {
	if p.words += n; p.words > p.limits.Words {
		p.pass(line, "words", p.limits.Words)
	}
	return !p.over
}

// pass ends the reading of a file that holds too much.
func (p *reader) pass(line int, what string, most int) {
	if !p.over {
		p.problem(line, "there are more than %d %s, the most of one file", most, what)
	}
	p.over = true
}

// unsound says what is wrong with a segment, or "".
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

// badTimes says what is wrong with a stretch of time, or "".
func badTimes(start, end float64) string {
	for _, t := range []float64{start, end} {
		if math.IsNaN(t) || t < 0 || t > latest {
			return fmt.Sprintf("the time %v is outside 0 to %d seconds", t, latest)
		}
	}
	if end < start {
		return fmt.Sprintf("the end %v is before the start %v", end, start)
	}
	return ""
}

// badText says what is wrong with a text, or "". Allowed are the control
// characters that it may hold.
func badText(what, text string, longest int, allowed string) string {
	if len(text) > longest {
		return fmt.Sprintf("the %s is %d bytes long; the longest is %d", what, len(text), longest)
	}
	if !utf8.ValidString(text) {
		return fmt.Sprintf("the %s is not UTF-8", what)
	}
	for _, r := range text {
		if unicode.IsControl(r) && !strings.ContainsRune(allowed, r) || Overrides(r) {
			return fmt.Sprintf("the %s holds the control character %U", what, r)
		}
	}
	return ""
}

// quote shows what was found in a message: quoted, and cut where it is long.
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

// Overrides reports whether a character turns the direction of the text after it,
// whatever that is: names and texts of others could look like what they are not.
func Overrides(r rune) bool {
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}

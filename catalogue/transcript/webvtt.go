package transcript

import (
	"strings"

	"vaak/lang"
)

// readWebVTT reads WebVTT (W3C). Voices (<v Name>) are speakers, and times inside a cue are
// the times of its words: the text between two of them is one word. A language in the
// header is the language of every segment. Other markup and layout is ignored. A cue with
// several voices gives a segment for each.
func readWebVTT(p *reader, text string) {
	p.file.Recordings[""] = []Segment{}
	first := text[:lineEnd(text)]
	// The signature is followed by a blank or the end of the line (WebVTT, section 4.1):
	// WEBVTTX is another file.
	if rest, ok := strings.CutPrefix(first, "WEBVTT"); !ok || rest != "" && strings.Trim(rest[:1], blanks) != "" {
		p.problem(1, "the file begins with %s, not with \"WEBVTT\"", quote(first))
		return
	}
	code := lang.Code("")
	for b := range p.blocks(text, 0) {
		switch word := b.lines[0][:wordEnd(b.lines[0])]; {
		case b.line == 1:
			code = p.header(b)
		case word == "NOTE", b.lines[0] == "STYLE", b.lines[0] == "REGION":
			// notes, styles and regions are for people and players
		default:
			p.cues(b, ".", func(c cue) { p.webVTTCue(c, code) })
		}
	}
}

// header reads the header lines after the first. A header that shifts all times
// (X-TIMESTAMP-MAP) is refused, because the times would be wrong without it.
func (p *reader) header(b block) (code lang.Code) {
	for i, line := range b.lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		switch {
		case strings.Contains(line, arrow):
			p.problem(b.line+1+i, "there is a cue in the header: an empty line ends it")
		case strings.HasPrefix(name, "X-TIMESTAMP-MAP"):
			p.problem(b.line+1+i, "the file is a piece of a stream (%s): times are from the start of the recording", quote(name))
		case strings.EqualFold(name, "Language"):
			if tag, err := lang.Resolve(strings.TrimSpace(value)); err == nil {
				code = tag.Code
			}
		}
	}
	return code
}

// webVTTCue adds the segments of a cue. code is the language of the file.
func (p *reader) webVTTCue(c cue, code lang.Code) {
	spoken := &cueText{cue: c}
	spoken.read()
	for _, why := range spoken.wrong {
		p.problem(c.line, "%s", why)
	}
	for _, s := range spoken.segments {
		s.Lang = code
		if !p.count(c.line, len(s.Words)) {
			return
		}
		p.add("", s)
	}
}

package transcript

import (
	"regexp"
	"strings"
)

// srtTags are the marks of layout that players of SubRip know.
var srtTags = regexp.MustCompile(`(?i)</?(?:[ibus]|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}`)

// srt reads SubRip: a number, the times with a comma or a point, the text. The name
// of a speaker before a colon stays in the text, for it cannot be told from words.
func (p *reader) srt(text string) {
	p.file.Recordings[""] = []Segment{}
	for b := range p.blocks(text, 0) {
		if strings.Trim(b.lines[0], blanks) == "" && len(b.lines) == 1 {
			continue
		}
		p.cues(b, ",.", func(c cue) {
			p.add("", Segment{Start: c.start, End: c.end, Text: srtTags.ReplaceAllString(c.text, ""), Line: c.line})
		})
	}
}

package transcript

import (
	"regexp"
	"strings"
)

// srtTags are the layout tags that players of SubRip know.
var srtTags = regexp.MustCompile(`(?i)</?(?:[ibus]|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}`)

// readSRT reads SubRip: a number, the times with a comma or a point, and the text. A name of
// a speaker before a colon stays in the text, because it cannot be told from words.
func readSRT(p *reader, text string) {
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

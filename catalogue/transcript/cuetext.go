package transcript

import (
	"fmt"
	"html"
	"strings"
)

// cueText splits the text of a WebVTT cue into segments, one for each voice.
type cueText struct {
	cue
	segments []Segment
	wrong    []string

	speaker string
	text    strings.Builder // of the current voice
	words   []Word
	piece   strings.Builder // text since the last time tag
	since   float64
	timed   bool // the cue has time tags
}

// read goes through the text, tag by tag.
func (t *cueText) read() {
	t.since = t.start
	for rest := t.cue.text; rest != ""; {
		open := strings.IndexByte(rest, '<')
		if open < 0 {
			t.say(rest)
			break
		}
		t.say(rest[:open])
		tag, after, closed := strings.Cut(rest[open+1:], ">")
		if !closed {
			t.wrong = append(t.wrong, fmt.Sprintf("the tag %s has no end", quote(rest[open:])))
			break
		}
		t.tag(tag)
		rest = after
	}
	t.endVoice(true)
}

// say adds text between tags.
func (t *cueText) say(text string) {
	// Tags are found before character references are replaced, so that &lt;b&gt; stays
	// text.
	text = html.UnescapeString(text)
	t.text.WriteString(text)
	t.piece.WriteString(text)
}

// tag handles one tag: a time, or the start or end of a voice. All other tags are layout.
func (t *cueText) tag(tag string) {
	// A tag may have classes after a point and an annotation after white space: <v.loud Asha>.
	name := tag
	if i := strings.IndexAny(tag, " \t\n."); i >= 0 {
		name = tag[:i]
	}
	switch {
	case tag != "" && tag[0] >= '0' && tag[0] <= '9':
		t.time(tag)
	case name == "v":
		t.endVoice(false)
		_, annotation, _ := strings.Cut(strings.ReplaceAll(tag, "\n", " "), " ")
		t.speaker = strings.TrimSpace(html.UnescapeString(annotation))
	case name == "/v":
		t.endVoice(false)
		t.speaker = ""
	}
}

// time handles a time tag, which ends the word before it.
func (t *cueText) time(tag string) {
	at, err := clock(tag, ".")
	if err != nil {
		t.wrong = append(t.wrong, err.Error())
		return
	}
	// Times go forward within a cue (WebVTT, section on timestamp tags); otherwise a word would
	// end before it starts.
	if at < t.since || at > t.end {
		t.wrong = append(t.wrong, fmt.Sprintf("the time %s in the text is outside %v to %v", quote(tag), t.since, t.end))
		return
	}
	// The order matters: the word ends at this time, and the next one begins at it.
	t.endWord(at)
	t.since, t.timed = at, true
}

// endWord ends the current word at a time; white space alone is not a word.
func (t *cueText) endWord(at float64) {
	if word := strings.TrimSpace(t.piece.String()); word != "" {
		t.words = append(t.words, Word{Start: t.since, End: at, Text: word})
	}
	t.piece.Reset()
}

// endVoice adds the segment of the current voice. A cue gives at least one segment, even if
// it has no text; last says that the cue ends here.
func (t *cueText) endVoice(last bool) {
	if t.timed {
		t.endWord(t.end)
	}
	s := Segment{Start: t.start, End: t.end, Speaker: t.speaker, Text: t.text.String(), Line: t.line}
	if t.timed {
		s.Words = t.words
	}
	// Text before the first voice tag is often only a line break, which is not a segment.
	silent := strings.TrimSpace(s.Text) == ""
	if !silent || t.speaker != "" || last && len(t.segments) == 0 {
		t.segments = append(t.segments, s)
	}
	t.text.Reset()
	t.piece.Reset()
	// A new slice, since the segment keeps the old one.
	t.words = nil
}

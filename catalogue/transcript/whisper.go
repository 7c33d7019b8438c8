package transcript

import (
	"strings"

	"vaak/lang"
)

// readWhisper reads what Whisper and WhisperX write: an object with the list "segments", each
// with start, end and text, and with a speaker and words where those were found. Other keys are
// ignored. Words that were not aligned have no times and are in the text alone.
func readWhisper(p *reader, text string) {
	p.file.Recordings[""] = []Segment{}
	t := newTree(p, text)
	if t == nil {
		return
	}
	keys := members(text, 0)
	if keys == nil {
		p.problem(1, `the file is an object with the key "segments"; it begins with %s`, quote(text))
		return
	}
	var code lang.Code
	at := -1 // of the segments
	for key, offset := range keys {
		switch raw := text[offset:]; {
		case key == "language" && strings.HasPrefix(raw, `"`):
			if tag, err := lang.Resolve(unquoted(text[offset:valueEnd(text, offset)])); err == nil { // other languages are left unknown
				code = tag.Code
			}
		case key == "segments" && at < 0:
			at = offset
		}
	}
	if at < 0 {
		p.problem(1, `the file has no "segments"`)
		return
	}
	all := list(text, at)
	if all == nil {
		p.problem(t.lineAt(at), `"segments" is %s, not a list`, quote(text[at:]))
		return
	}
	for at, raw := range all {
		if p.done() {
			return
		}
		p.whisperSegment(t.lineAt(at), raw, code)
	}
}

// readWhisperLines reads the same segments as JSON lines, one on each line.
func readWhisperLines(p *reader, text string) {
	p.file.Recordings[""] = []Segment{}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if n++; p.done() {
			return
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		one := &reader{limits: Limits{Problems: 1}}
		if newTree(one, line) == nil {
			p.problem(n, "%s", strings.Replace(one.problems[0].Message, "the file", "the line", 1))
			continue
		}
		p.whisperSegment(n, line, "")
	}
}

// whisperSegment adds the segment of one object, or the problem that it has.
func (p *reader) whisperSegment(line int, raw string, code lang.Code) {
	s := Segment{Line: line, Lang: code}
	o, err := readObject(raw, []string{"start", "end", "text", "speaker", "words"}, false)
	if err == nil {
		s.Text, err = o.text("text", true)
	}
	if err == nil && o["speaker"] != "null" {
		s.Speaker, err = o.text("speaker", false)
	}
	if err == nil {
		s.Start, s.End, err = o.span("start", "end", false)
	}
	if err != nil {
		p.problem(line, "%v", err)
		return
	}
	s.Text = strings.TrimSpace(s.Text) // Whisper begins each text with a space
	if words := list(o["words"], 0); words != nil {
		for _, item := range words {
			w, timed, err := whisperWord(item)
			if err != nil {
				p.problem(line, "word %d: %v", len(s.Words)+1, err)
				return
			}
			if !p.count(line, 1) {
				return
			}
			if timed {
				s.Words = append(s.Words, w)
			}
		}
	}
	p.add("", s)
}

// whisperWord reads a word; timed says that it has times.
func whisperWord(raw string) (w Word, timed bool, err error) {
	o, err := readObject(raw, []string{"word", "start", "end"}, false)
	if err == nil {
		w.Text, err = o.text("word", true)
	}
	_, starts := o["start"]
	if err != nil || !starts || o["start"] == "null" {
		return w, false, err
	}
	w.Text = strings.TrimSpace(w.Text)
	w.Start, w.End, err = o.span("start", "end", false)
	return w, true, err
}

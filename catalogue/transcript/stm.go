package transcript

import "strings"

// stm reads segments: file, channel, speaker, start, end, a label and the text.
// What is not to be scored has no text, and what lies between segments is none.
func (p *reader) stm(text string) {
	for line, content := range p.lines(text) {
		f, words := fields(content, 5)
		if len(f) < 5 {
			p.problem(line, "a line of STM has a file, a channel, a speaker, a start and an end; this one has %d fields", len(f))
			continue
		}
		s := Segment{Speaker: f[2], Line: line}
		var err error
		if s.Channel, err = channel(f[1]); err != nil {
			p.problem(line, "%v", err)
		}
		if s.Start, s.End, err = span(f[3], f[4], false); err != nil {
			p.problem(line, "%v", err)
			continue
		}
		switch strings.ToLower(f[2]) {
		case "inter_segment_gap", "excluded_region":
			continue
		}
		s.Text = unlabelled(words)
		if strings.EqualFold(s.Text, "ignore_time_segment_in_scoring") {
			s.Text = ""
		}
		if alternatives(s.Text) {
			p.problem(line, "alternatives in braces are not read: one reading of each word is; the text begins %s", quote(s.Text))
			continue
		}
		p.add(f[0], s)
	}
}

// unlabelled takes the label off, such as <o,f0,male>. Something else in angle
// brackets, such as <noise>, belongs to the text.
func unlabelled(words string) string {
	first, rest := fields(words, 1)
	if len(first) == 0 {
		return ""
	}
	label, open := strings.CutPrefix(first[0], "<")
	label, closed := strings.CutSuffix(label, ">")
	if open && closed && (strings.Contains(label, ",") || len(label) == 1 || label == "NA") {
		return rest
	}
	return words
}

// alternatives says that a text offers several readings: { one / another }.
func alternatives(text string) bool {
	_, inside, ok := strings.Cut(" "+text+" ", " { ")
	inside, _, closed := strings.Cut(inside, " } ")
	return ok && closed && strings.Contains(inside, " / ")
}

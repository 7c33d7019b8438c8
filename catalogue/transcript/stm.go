package transcript

import "strings"

// readSTM reads the STM format of NIST (SCTK, infmts.htm): file, channel, speaker, start,
// end, an optional label, and the text. A segment that is excluded from scoring has no
// text. A gap between segments (inter_segment_gap) is not a segment.
func readSTM(p *reader, text string) {
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
		// These speakers mark time without a segment, or time that is not scored.
		switch strings.ToLower(f[2]) {
		case "inter_segment_gap", "excluded_region":
			continue
		}
		// The speaker still spoke in a segment that is not scored. Its time is kept and its
		// words, which are not to be trusted, are left out.
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

// unlabelled returns the text without its label, such as <o,f0,male>. Other words in angle
// brackets, such as <noise>, are part of the text.
func unlabelled(words string) string {
	first, remainder := fields(words, 1)
	if len(first) == 0 {
		return ""
	}
	label, open := strings.CutPrefix(first[0], "<")
	label, closed := strings.CutSuffix(label, ">")
	// A label is a comma-separated list of categories such as o,f0,male, or a single
	// category, which is one letter, or NA.
	if open && closed && (strings.Contains(label, ",") || len(label) == 1 || label == "NA") {
		return remainder
	}
	return words
}

// alternatives reports whether a text offers several readings: { one / another }.
func alternatives(text string) bool {
	_, inside, ok := strings.Cut(" "+text+" ", " { ")
	inside, _, closed := strings.Cut(inside, " } ")
	return ok && closed && strings.Contains(inside, " / ")
}

package transcript

import "strings"

// readAudacity reads a label track of Audacity (its manual, "Importing and Exporting Labels"):
// start, end and label, separated by tabs. A label at a point in time has no length and is
// passed over, and so are the lines with the frequencies of a spectral selection, which begin
// with a backslash. Audacity writes a decimal comma on some systems.
func readAudacity(p *reader, text string) {
	p.file.Recordings[""] = []Segment{} // labels at points alone: nobody speaks
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if n++; p.done() {
			return
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, `\`) {
			continue
		}
		f := strings.SplitN(line, "\t", 3)
		if len(f) < 2 {
			p.problem(n, "a label has a start, an end and a text with tabs between them, this is %s", quote(line))
			continue
		}
		s := Segment{Line: n}
		var err error
		if s.Start, s.End, err = span(labelTime(f[0]), labelTime(f[1]), false); err != nil {
			p.problem(n, "%v", err)
			continue
		}
		if len(f) == 3 {
			s.Text = strings.TrimSpace(f[2])
		}
		if s.End > s.Start {
			p.add("", s)
		}
	}
}

// labelTime returns a time of a label with a decimal point.
func labelTime(text string) string { return strings.Replace(strings.TrimSpace(text), ",", ".", 1) }

// looksLikeLabels reports whether the first line of a text that is not empty is a label.
func looksLikeLabels(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, `\`) {
			continue
		}
		f := strings.SplitN(line, "\t", 3)
		if len(f) < 2 {
			return false
		}
		_, _, err := span(labelTime(f[0]), labelTime(f[1]), false)
		return err == nil
	}
	return false
}

package transcript

// readSegLST reads the segment list of CHiME and MeetEval: a list of objects, each with a
// session, a speaker, times (numbers, also in strings) and words. Other keys are ignored.
func readSegLST(p *reader, text string) {
	t := newTree(p, text)
	if t == nil {
		return
	}
	all := list(text, 0)
	if all == nil {
		p.problem(1, "SegLST is a list of segments; the file begins with %s", quote(text))
		return
	}
	for at, raw := range all {
		if p.done() {
			return
		}
		p.segLSTSegment(t.lineAt(at), raw)
	}
}

// segLSTSegment adds the segment of one object, or the problem that it has.
func (p *reader) segLSTSegment(line int, raw string) {
	s, session := Segment{Line: line}, ""
	o, err := readObject(raw, []string{"session_id", "speaker", "start_time", "end_time", "words"}, false)
	if err == nil {
		session, err = o.text("session_id", true)
	}
	if err == nil {
		s.Speaker, err = o.text("speaker", true)
	}
	if err == nil {
		s.Text, err = o.text("words", true)
	}
	if err == nil {
		s.Start, s.End, err = o.span("start_time", "end_time", true)
	}
	if err != nil {
		p.problem(line, "%v", err)
		return
	}
	p.add(session, s)
}

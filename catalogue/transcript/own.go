package transcript

import "strings"

// readJSON reads our own format, {"segments": [...]}, with the segments as [Segment] has
// them. Unknown keys are problems: a key that is misspelt would be lost in silence.
func readJSON(p *reader, text string) {
	p.file.Recordings[""] = []Segment{}
	t := newTree(p, text)
	if t == nil {
		return
	}
	keys, found := members(text, 0), false
	if keys == nil {
		p.problem(1, `the file is an object with the key "segments"; it begins with %s`, quote(text))
		return
	}
	for key, at := range keys {
		line := t.lineAt(at)
		if key != "segments" || found {
			p.problem(line, `the only key of the file is "segments", and is there once; there is %s`, quote(key))
			return
		}
		found = true
		p.ownSegments(t, at)
	}
	if !found {
		p.problem(1, `the file has no "segments"`)
	}
}

// ownSegments reads the list of segments at an offset.
func (p *reader) ownSegments(t *tree, at int) {
	all := list(t.text, at)
	if all == nil {
		p.problem(t.lineAt(at), `"segments" is %s, not a list`, quote(t.text[at:]))
		return
	}
	for at, raw := range all {
		if p.done() {
			return
		}
		if err := p.ownSegment(t, at, raw); err != nil {
			p.problem(t.lineAt(at), "%v", err)
		}
	}
}

// ownSegment reads and adds one segment. The caller reports the error, with the line.
func (p *reader) ownSegment(t *tree, at int, raw string) error {
	s := Segment{Line: t.lineAt(at)}
	o, err := readObject(raw, []string{"start_s", "end_s", "channel", "speaker", "role", "text", "words"}, true)
	if err != nil {
		return err
	}
	for _, field := range []struct {
		key string
		to  *string
	}{{"speaker", &s.Speaker}, {"role", &s.Role}, {"text", &s.Text}} {
		if *field.to, err = o.text(field.key, false); err != nil {
			return err
		}
	}
	if s.Start, s.End, err = o.span("start_s", "end_s", false); err != nil {
		return err
	}
	if raw, ok := o["channel"]; ok {
		if s.Channel, err = channel(raw); err != nil {
			return err
		}
	}
	if raw, ok := o["words"]; ok {
		// When the limit of words is exceeded, the problem is known already and the segment
		// is not added.
		if s.Words, err = p.ownWords(s.Line, raw); err != nil || p.over {
			return err
		}
	}
	if _, ok := o["text"]; !ok { // an empty text is kept: it may differ from the words
		s.Text = spoken(s.Words)
	}
	p.add("", s)
	return nil
}

// spoken returns the text of words.
func spoken(words []Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

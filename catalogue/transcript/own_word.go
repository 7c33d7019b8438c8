package transcript

import "fmt"

// ownWords reads the words of a segment. It returns nil if the file has too many.
func (p *reader) ownWords(line int, raw string) ([]Word, error) {
	all := list(raw, 0)
	if all == nil {
		return nil, fmt.Errorf(`"words" is %s, not a list`, quote(raw))
	}
	var words []Word
	for _, item := range all {
		w, err := ownWord(item)
		if err != nil {
			return nil, fmt.Errorf("word %d: %w", len(words)+1, err)
		}
		if !p.count(line, 1) {
			return nil, nil
		}
		words = append(words, w)
	}
	return words, nil
}

// ownWord reads one word, of which all keys are required.
func ownWord(raw string) (w Word, err error) {
	o, err := readObject(raw, []string{"start_s", "end_s", "text"}, true)
	if err != nil {
		return Word{}, err
	}
	if w.Text, err = o.text("text", true); err != nil {
		return Word{}, err
	}
	w.Start, w.End, err = o.span("start_s", "end_s", false)
	return w, err
}

package scan

// Starts holds the words with which written forms begin. The reader asks for every word
// of a text, so a bit for the first rune rejects most words without a map access.
type Starts struct {
	words map[string]bool
	first runeSet
}

// Add adds the first word of a written form. It ignores forms that begin with digits or
// signs, because the reader tries those at every digit and sign.
func (s *Starts) Add(form string) {
	tokens := Scan(form, nil)
	if len(tokens) == 0 || tokens[0].Kind != Word {
		return
	}
	if s.words == nil {
		s.words = map[string]bool{}
	}
	s.words[tokens[0].In(form)] = true
	s.first.add(tokens[0].R)
}

// HasRune reports whether a form may begin with a word whose first rune is r. It may
// report true for a rune that begins none.
func (s *Starts) HasRune(r rune) bool { return s.first.has(r) }

// Has reports whether a form begins with a word.
func (s *Starts) Has(word string) bool { return s.words[word] }

// runeSet is a set of runes by their last twelve bits: it may report a rune that was not
// added, and never misses one that was.
type runeSet [64]uint64

func (s *runeSet) add(r rune) { s[r>>6&63] |= 1 << (r & 63) }

func (s *runeSet) has(r rune) bool { return s[r>>6&63]&(1<<(r&63)) != 0 }

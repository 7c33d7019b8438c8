package scan

// Starts are the words with which written forms begin. A reader of prose asks it of
// every word, so most words are told apart by their first rune alone.
type Starts struct {
	words map[string]bool
	first runeSet
}

// Add puts in the first word of a written form; a form that begins with anything
// else is found without it.
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

// HasRune says whether a form may begin with a word that begins with r. It says yes
// of some runes too many.
func (s *Starts) HasRune(r rune) bool { return s.first.has(r) }

// Has says whether a form begins with a word.
func (s *Starts) Has(word string) bool { return s.words[word] }

// runeSet holds runes by their last twelve bits, so it may seem to hold more than were
// added.
type runeSet [64]uint64

func (s *runeSet) add(r rune) { s[r>>6&63] |= 1 << (r & 63) }

func (s *runeSet) has(r rune) bool { return s[r>>6&63]&(1<<(r&63)) != 0 }

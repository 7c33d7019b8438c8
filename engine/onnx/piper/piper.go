// Package piper reads the files of voices in Piper's format, and encodes readings for them.
//
// A voice is two files, NAME.onnx and NAME.onnx.json. This package reads the second one and
// what stands beside it; the model itself is for package onnx.
package piper

import (
	"unicode"
	"unicode/utf8"

	"vaak/engine/espeak/accent"
	"vaak/engine/ipa"
	"vaak/engine/onnx/symbols"
	"vaak/text"
)

// Encoder turns readings into the ids of a voice. It is safe for concurrent use.
type Encoder struct {
	config  *Config
	own     *symbols.Table // all symbols with an id
	learned *symbols.Table // those that occur in its own language
}

// NewEncoder returns the encoder of a voice.
func NewEncoder(c *Config) *Encoder {
	e := &Encoder{config: c, own: symbols.NewTable(c.IDs)}
	e.learned = e.own
	if c.Phonemes != Espeak {
		return e
	}
	// The map has symbols for all languages, but a voice has learned only those of its own.
	learned := map[string]bool{}
	for _, p := range accent.Inventory(c.Language) {
		for _, s := range e.symbols(p.IPA) {
			learned[s] = true
		}
	}
	if len(learned) > 0 {
		e.learned = e.own.Only(func(s string) bool { return learned[s] || !isPhoneme(s) })
	}
	return e
}

// isPhoneme reports whether a symbol is a sound or a mark of one. Stress and length are not,
// because every language has them.
func isPhoneme(symbol string) bool {
	r, _ := utf8.DecodeRuneInString(symbol)
	switch r {
	case 'ˈ', 'ˌ', 'ː':
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Sk)
}

// find returns what is spoken for a symbol. The map has ids for symbols that never occur in the
// voice's language. The model has not learned them, so they never stand for another symbol.
func (e *Encoder) find(symbol string, foreign bool) ([]string, symbols.Found) {
	switch {
	case symbol == pad || symbol == begin || symbol == end:
		return nil, symbols.Dropped // these only frame a sentence
	case !foreign && e.own.Knows(symbol):
		return []string{symbol}, symbols.Exact
	}
	return e.learned.Find(symbol)
}

// symbols returns the symbols of some phonemes, before they get ids.
func (e *Encoder) symbols(phonemes string) []string {
	var all []string
	for _, s := range symbols.Decompose(phonemes) {
		if others, ok := e.config.Replaced[s]; ok {
			all = append(all, others...)
		} else {
			all = append(all, s)
		}
	}
	if len(e.config.Clusters) == 0 {
		return all
	}
	merged := all[:0]
	for i := 0; i < len(all); {
		n := e.cluster(all[i:])
		s := all[i]
		for _, more := range all[i+1 : i+n] {
			s += more
		}
		merged = append(merged, s)
		i += n
	}
	return merged
}

// cluster returns how many symbols at the start of all are one symbol.
func (e *Encoder) cluster(all []string) int {
next:
	for _, cluster := range e.config.Clusters {
		if len(cluster) > len(all) {
			continue
		}
		for i, s := range cluster {
			if all[i] != s {
				continue next
			}
		}
		return len(cluster)
	}
	return 1
}

// mostIDs is how many ids a piece has, of which a second of speech has some 30. The memory that a
// model takes for its text grows with the square of them.
const mostIDs = 2048

// Encode returns a reading as ids: for each sentence BOS, PAD, each symbol with a PAD behind
// it, and EOS, as Piper's phoneme_ids.py has it. A sentence that takes more than half a minute is
// divided, behind a clause or else a word. In one more thing it differs. Where a clause ends
// with a mark that Piper leaves out, such as an ellipsis, Piper leaves out the space too and
// joins two words.
//
// A voice that takes text gets the text of the reading; its phonemes are not used.
func (e *Encoder) Encode(r ipa.Reading, o symbols.Options) symbols.Encoding {
	s := sentence{e: e, foreign: o.Foreign, Builder: symbols.Builder{Body: o.Body}}
	if e.config.Phonemes == Text {
		s.text(r.Text)
		return s.done
	}
	for _, c := range r.Clauses {
		if s.Len() >= mostIDs/2 {
			s.end()
		}
		for _, w := range c.Words {
			s.apart = s.apart || w.Joined
			s.word(text.Span{Start: w.Start, End: w.End}, e.symbols(w.String()))
		}
		if !s.begun {
			continue // marks without words
		}
		mark, ends := terminator(c)
		s.put(mark)
		if mark == "," || mark == ":" || mark == ";" {
			s.put(space)
			s.apart = true
		}
		if ends {
			s.end()
			s.done.Pieces[len(s.done.Pieces)-1].Ends = true
		}
	}
	s.end()
	return s.done
}

// sentence builds the pieces of an encoding.
type sentence struct {
	e       *Encoder
	foreign bool
	symbols.Builder
	done  symbols.Encoding
	begun bool // it has words
	apart bool // the next word needs no space before it
}

// ids returns the ids of symbols, each with a PAD behind it.
func (s *sentence) ids(all []string) []int64 {
	var ids []int64
	for _, symbol := range all {
		known, found := s.e.find(symbol, s.foreign)
		switch found {
		case symbols.Replaced:
			s.done.Replaced++
		case symbols.Dropped:
			s.done.Dropped++
		}
		for _, k := range known {
			ids = append(append(ids, s.e.own.IDs(k)...), s.e.own.IDs(pad)...)
		}
	}
	return ids
}

// put adds a mark or a space. Voices that have no such symbol do without.
func (s *sentence) put(mark string) {
	if mark != "" && s.e.own.Knows(mark) {
		s.Put(s.ids([]string{mark})...)
	}
	s.apart = false
}

// word adds a word, with a space in front of it if there is none.
func (s *sentence) word(at text.Span, all []string) {
	// A word without an end is no word.
	ids := s.ids(all)
	for ; len(ids) > mostIDs; ids = ids[mostIDs:] {
		s.add(at, ids[:mostIDs])
	}
	s.add(at, ids)
}

func (s *sentence) add(at text.Span, ids []int64) {
	if s.begun && s.Len()+len(ids) > mostIDs {
		s.end()
	}
	if !s.begun {
		s.Put(s.e.own.IDs(begin)...)
		s.Put(s.e.own.IDs(pad)...)
	} else if !s.apart {
		s.put(space)
	}
	s.begun, s.apart = true, false
	s.Word(at, ids)
}

// end ends the sentence.
func (s *sentence) end() {
	if !s.begun {
		return
	}
	s.Put(s.e.own.IDs(end)...)
	s.done.Pieces = append(s.done.Pieces, s.Piece())
	s.begun, s.apart = false, false
}

// text adds a text whose characters are the symbols.
func (s *sentence) text(whole string) {
	start := -1
	for i, r := range whole {
		if !unicode.IsSpace(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			s.written(whole, start, i)
		}
		start = -1
	}
	if start >= 0 {
		s.written(whole, start, len(whole))
	}
	s.end()
}

// written adds a word of a text, with the punctuation around it.
func (s *sentence) written(whole string, start, end int) {
	all := s.e.symbols(whole[start:end])
	start, end = ipa.Trim(whole, start, end)
	s.word(text.Span{Start: start, End: end}, all)
}

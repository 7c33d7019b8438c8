// Package kokoro reads the files of Kokoro-82M, and encodes readings for it.
//
// A model comes with voices, in one file or in many, and with a vocabulary, in a file or in the
// metadata of the model. All published forms are read. The model itself is for package onnx.
package kokoro

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vaak/engine/ipa"
	"vaak/engine/onnx/symbols"
	"vaak/lang"
	"vaak/text"
)

// MaxSymbols is how many symbols a piece may have, without those that frame it.
const MaxSymbols = 510

// least is the smallest limit of a piece that makes sense: a long word and its marks.
const least = 32

// frame is the id before and behind a piece.
const frame = 0

// Encoder turns readings into the ids of a model. It is safe for concurrent use.
type Encoder struct {
	table    *symbols.Table
	language lang.Code
	region   string
}

// NewEncoder returns the encoder of a voice that speaks a language as in a region. English of
// Great Britain differs from others.
func NewEncoder(v Vocabulary, language lang.Code, region string) *Encoder {
	ids := make(map[string][]int64, len(v))
	for symbol, id := range v {
		// Id 0 frames the text. No piece may have it inside.
		if id != frame {
			ids[symbol] = []int64{id}
		}
	}
	return &Encoder{table: symbols.NewTable(ids), language: language, region: region}
}

// unit is a word with what stands around it.
type unit struct {
	at         text.Span
	head, tail []int64 // marks before and behind the word
	ids        []int64
	spaced     bool // a space follows the tail
	end        end  // what ends behind the word
}

func (u unit) size() int { return len(u.head) + len(u.ids) + len(u.tail) + 1 }

// end tells where a text is best divided: the larger, the better.
type end uint8

const (
	ofWord end = iota
	ofClause
	ofSentence
)

// Encode returns a reading as ids: 0, the symbols, and 0. Punctuation is that of the text. A
// text of more than o.Most symbols, at most 510, is divided into pieces behind its sentences,
// or else its clauses, or else its words; one with o.Short behind each clause that is not too
// short.
func (e *Encoder) Encode(r ipa.Reading, o symbols.Options) symbols.Encoding {
	var done symbols.Encoding
	most := MaxSymbols
	if o.Most > 0 {
		most = min(max(o.Most, least), most)
	}
	units := e.units(r, o, most, &done)
	for len(units) > 0 {
		n := divide(units, most, o.Short)
		done.Pieces = append(done.Pieces, e.piece(units[:n], o.Body))
		units = units[n:]
	}
	return done
}

// piece puts some units together.
func (e *Encoder) piece(units []unit, body text.Span) symbols.Piece {
	b := symbols.Builder{Body: body}
	b.Put(frame)
	for i, u := range units {
		b.Put(u.head...)
		b.Word(u.at, u.ids)
		b.Put(u.tail...)
		if u.spaced && i+1 < len(units) {
			b.Put(e.table.IDs(" ")...)
		}
	}
	b.Put(frame)
	p := b.Piece()
	p.Ends = units[len(units)-1].end == ofSentence
	return p
}

// divide returns how many units make the next piece: as many as fit, up to the best place to
// end. With a length that is short, that is the first end of a clause from there on.
func divide(units []unit, most, short int) int {
	fits, size := 0, -1 // the last one needs no space
	for fits < len(units) && size+units[fits].size() <= most {
		size += units[fits].size()
		fits++
		if short > 0 && size >= short && units[fits-1].end >= ofClause {
			return fits
		}
	}
	if fits == len(units) {
		return fits
	}
	fits = max(fits, 1)
	best := fits
	for i := fits; i > 0; i-- {
		if units[i-1].end > units[best-1].end {
			best = i
		}
	}
	return best
}

// units returns the words of a reading, none with more than most symbols.
func (e *Encoder) units(r ipa.Reading, o symbols.Options, most int, done *symbols.Encoding) []unit {
	var all []unit
	at := 0
	for _, c := range r.Clauses {
		for i, w := range c.Words {
			u := unit{at: text.Span{Start: w.Start, End: w.End}, end: ofWord}
			e.between(r.Text[min(at, w.Start):w.Start], all, &u, w.Joined)
			u.ids = e.ids(e.symbolsOf(w, o.Foreign), done)
			at = max(at, w.End)
			// A word that is longer than a piece is divided. Half of the limit leaves room for its
			// marks.
			for len(u.ids) > most/2 {
				part := u
				part.ids = u.ids[:most/2]
				u.ids, u.head = u.ids[most/2:], nil
				all = append(all, part)
			}
			if i+1 == len(c.Words) {
				u.end = ofClause
				if c.EndsSentence() {
					u.end = ofSentence
				}
			}
			all = append(all, u)
		}
	}
	if len(all) > 0 {
		e.between(r.Text[at:], all, nil, false)
	}
	// Bound the marks too, so that every unit fits into a piece: "!!!!" can have any length.
	for i := range all {
		all[i].head = all[i].head[:min(len(all[i].head), most/8)]
		all[i].tail = all[i].tail[:min(len(all[i].tail), most/8)]
	}
	return all
}

// between encodes what is written between the last unit and the next one, which is nil at the
// end of the text. Marks before the last space belong to the last unit, those behind it and
// opening ones to the next. No space is between words that are joined.
func (e *Encoder) between(gap string, all []unit, next *unit, joined bool) {
	if next == nil {
		last := &all[len(all)-1]
		last.tail = append(last.tail, e.marks(gap)...)
		return
	}
	if len(all) == 0 {
		next.head = e.marks(gap)
		return
	}
	cut := strings.LastIndexFunc(gap, unicode.IsSpace) + 1
	if cut == 0 {
		cut = len(strings.TrimRightFunc(gap, isOpening))
	}
	last := &all[len(all)-1]
	last.tail = append(last.tail, e.marks(gap[:cut])...)
	// Chinese has words without anything between them. Elsewhere that is one word which is read
	// as several.
	last.spaced = !joined && (gap != "" || e.language != "zh")
	next.head = e.marks(gap[cut:])
}

// marks returns the ids of the punctuation in a text, with single spaces between marks that
// have some.
func (e *Encoder) marks(gap string) (ids []int64) {
	apart := false
	for _, r := range gap {
		if unicode.IsSpace(r) {
			apart = true
			continue
		}
		s, ok := punctuation[r]
		if !ok || !e.table.Knows(s) {
			continue
		}
		// A dash stands between spaces, other marks at the word before them.
		if s == "—" && apart || isOpening(r) && len(ids) > 0 && apart {
			ids = append(ids, e.table.IDs(" ")...)
		}
		ids, apart = append(ids, e.table.IDs(s)...), false
	}
	return ids
}

// punctuation are the marks that a voice knows, and those that mean the same.
var punctuation = func() map[rune]string {
	m := map[rune]string{}
	for symbol, all := range map[string]string{
		";": ";؛；", ":": ":：", ",": ",،、，､", ".": ".。।॥۔．｡", "!": "!！", "?": "?؟？\u037e", "—": "—–", "…": "…", "\"": "\"", "(": "(（[", ")": ")）]",
		"“": "“«《「『【„", "”": "”»》」』】",
	} {
		for _, r := range all {
			m[r] = symbol
		}
	}
	return m
}()

func isOpening(r rune) bool { return strings.ContainsRune("(（[“«《「『【„\"", r) }

// ids returns the ids of a word's symbols, or of what stands for them. The vocabulary has some
// letters with their marks, such as ç, and other marks by themselves.
func (e *Encoder) ids(word string, done *symbols.Encoding) (ids []int64) {
	for _, r := range norm.NFC.String(word) {
		parts := []string{string(r)}
		if !e.table.Knows(parts[0]) {
			parts = symbols.Decompose(parts[0])
		}
		for _, symbol := range parts {
			known, found := e.table.Find(symbol)
			switch found {
			case symbols.Replaced:
				done.Replaced++
			case symbols.Dropped:
				done.Dropped++
			}
			for _, k := range known {
				ids = append(ids, e.table.IDs(k)...)
			}
		}
	}
	return ids
}

package symbols

import "vaak/text"

// Options say how to encode a reading.
type Options struct {
	// Body are the bytes of the text that are heard. What is before and behind them is context
	// and is encoded too. Words belong to the part in which they begin.
	Body text.Span
	// Foreign means that the reading has phonemes of another language than that of the voice, and
	// that accent.Adapt has not replaced them by those of the voice's own.
	// Symbols that the voice has not learned are then replaced, even if it has ids for them.
	Foreign bool
	// Most is how many symbols a piece may have; 0 is the limit of the format. Piper has only that
	// and ignores it.
	Most int
	// Short ends a piece at the first clause at which it has so many symbols, for models whose
	// sound comes only when all of a piece is computed; 0 makes pieces as long as they may be.
	// Formats whose pieces are sentences take no notice.
	Short int
}

// Encoding is a text in the ids of a voice.
type Encoding struct {
	Pieces []Piece // in order
	// Replaced and Dropped are how many symbols the voice does not know, and how many of those
	// have nothing to stand for them.
	Replaced, Dropped int
}

// Piece is what a voice speaks in one run of its model.
type Piece struct {
	IDs []int64
	// From and To are the ids that belong to the body. They include those of silence and
	// punctuation at an end where no context is. They are equal if the piece is all context.
	From, To int
	Words    []Word // of the body, in order
	Ends     bool   // a sentence ends with it
}

// Word tells which ids of a piece are a word.
type Word struct {
	Start, End int // bytes of the body
	From, To   int // ids; equal if nothing of the word is heard
}

// Symbols returns how many ids of all pieces belong to words.
func (e Encoding) Symbols() (n int) {
	for _, p := range e.Pieces {
		for _, w := range p.Words {
			n += w.To - w.From
		}
	}
	return n
}

// Builder makes a Piece. The zero Builder, with the body and the first ids put, is ready to use.
type Builder struct {
	Body          text.Span
	piece         Piece
	before, after bool // context was put in front of the body, behind it
}

// Len returns how many ids were put.
func (b *Builder) Len() int { return len(b.piece.IDs) }

// Put adds ids that belong to no word.
func (b *Builder) Put(ids ...int64) { b.piece.IDs = append(b.piece.IDs, ids...) }

// Word adds the ids of a word, which is written at some bytes of the whole text.
func (b *Builder) Word(at text.Span, ids []int64) {
	first := len(b.piece.IDs)
	switch {
	case at.Start < b.Body.Start:
		b.before = true
	case at.Start >= b.Body.End:
		if !b.after {
			b.piece.To = first
		}
		b.after = true
	default:
		if len(b.piece.Words) == 0 && b.before {
			b.piece.From = first
		}
		b.piece.Words = append(b.piece.Words, Word{
			Start: at.Start - b.Body.Start, End: min(at.End, b.Body.End) - b.Body.Start,
			From: first, To: first + len(ids),
		})
	}
	b.Put(ids...)
}

// Piece returns the piece, and starts the next one.
func (b *Builder) Piece() Piece {
	p := b.piece
	switch {
	case len(p.Words) == 0:
		p.From, p.To = 0, 0
	case !b.after:
		p.To = len(p.IDs)
	}
	*b = Builder{Body: b.Body}
	return p
}

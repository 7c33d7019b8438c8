package chunk

// These limit the context, which is needed for prosody only.
const (
	contextWords = 30
	contextRunes = 500
)

// sentenceContext holds the end of what was spoken of the current sentence, in whole words.
type sentenceContext struct {
	text  []byte
	units []unit
	from  unit // end of the unit before, hence where the context begins
}

// reset forgets the context, because a new sentence begins.
func (b *sentenceContext) reset() { b.text, b.units = b.text[:0], b.units[:0] }

// add adds text in units, which begins where unit at ends. It drops the oldest words that
// exceed the limits.
func (b *sentenceContext) add(text []byte, units []unit, at unit) {
	if len(b.units) == 0 {
		b.from = at
	}
	b.text = append(b.text, text...)
	b.units = append(b.units, units...)
	// Count the words to drop: each is dropped while the rest exceeds a limit.
	over := 0
	for over < len(b.units) && (len(b.units)-over > contextWords || b.units[len(b.units)-1].count-b.start(over).count > contextRunes) {
		over++
	}
	if over == 0 {
		return
	}
	start := b.start(over)
	b.text = append(b.text[:0], b.text[start.end-b.from.end:]...)
	b.units = append(b.units[:0], b.units[over:]...)
	b.from = start
}

// start returns the unit that ends where unit i begins.
func (b *sentenceContext) start(i int) unit {
	if i == 0 {
		return b.from
	}
	return b.units[i-1]
}

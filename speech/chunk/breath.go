package chunk

// Bounds of what is kept of a sentence that is partly spoken.
const (
	breathWords = 30
	breathRunes = 500
)

// breath is the end of what was spoken of the sentence at hand, whole words.
type breath struct {
	text  []byte
	units []unit
	from  unit // where it begins
}

// end forgets everything: what comes is of a new breath.
func (b *breath) end() { b.text, b.units = b.text[:0], b.units[:0] }

// add adds text in units, which begins at a place.
func (b *breath) add(text []byte, units []unit, at unit) {
	if len(b.units) == 0 {
		b.from = at
	}
	b.text = append(b.text, text...)
	b.units = append(b.units, units...)
	over := 0
	for over < len(b.units) && (len(b.units)-over > breathWords || b.units[len(b.units)-1].count-b.start(over).count > breathRunes) {
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

// start returns where a unit begins.
func (b *breath) start(i int) unit {
	if i == 0 {
		return b.from
	}
	return b.units[i-1]
}

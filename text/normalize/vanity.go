package normalize

import "strings"

// readVanity reads a telephone number with letters for digits, 1-800-FLOWERS,
// one letter or digit after the other.
func readVanity(c *cursor, i int) outcome {
	if !c.opens(i) || !c.is(i+1, '-') {
		return outcome{}
	}
	parts, j := []string(nil), i
	for len(parts) < 2 && c.kind(j) == digits && c.is(j+1, '-') && c.toks[j].end-c.toks[j].start <= 4 {
		c.steps++
		w, ok := c.spell(arabic(c.text(j)))
		if !ok {
			return outcome{}
		}
		parts = append(parts, w)
		j += 2
	}
	if first := c.text(i); c.kind(j) != word || !(first == "1" && len(parts) == 2 || len(first) == 4 && first[:2] == "18" || len(first) == 3 && first[0] == '8') {
		return outcome{}
	}
	letters := 0
	for c.kind(j) == word && c.toks[j].upper && len(parts) < 6 {
		c.steps++
		letters += runeLen(c.text(j))
		parts = append(parts, c.letters(c.text(j)))
		if j++; !c.is(j, '-') || c.kind(j+1) != word || !c.toks[j+1].upper {
			break
		}
		j++
	}
	if letters < 6 || letters > 10 || !c.closes(j) {
		return outcome{}
	}
	return said(strings.Join(parts, ", "), j-i)
}

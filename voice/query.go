package voice

import (
	"cmp"
	"slices"
	"strings"

	"vaak/lang"
)

// Order is the order in which voices are listed.
type Order string

// The orders. The zero Order is that of the roster.
const (
	ByRoster Order = ""
	ByName   Order = "name"
)

// Query selects voices. A voice must match every field that is set; a zero field matches all
// voices. Case, diacritics and punctuation do not matter in any field.
type Query struct {
	// Search has words that must all match, as in [Directory.Search].
	Search string
	// IDs are the voices to select from.
	IDs []ID
	// Category is [Premade] or [Custom].
	Category string
	// Languages are native languages; the voice must have one of them.
	Languages []lang.Code
	// Accent has words, each of which must begin a word of the voice's accent.
	Accent string
	// Gender is the gender of the voice.
	Gender string
	// Order is the order of the result; Descending reverses it.
	Order      Order
	Descending bool
}

// Select returns the voices that a query selects. The slice belongs to the caller.
func (d *Directory) Select(q Query) []Voice { return d.entries().roster.find(q) }

func (t roster) find(q Query) []Voice {
	words, accent := split(q.Search), split(q.Accent)
	q.Gender, q.Category = cmp.Or(folded(q.Gender), q.Gender), cmp.Or(folded(q.Category), q.Category)
	var found []Voice
	for i, v := range t.voices {
		if q.wants(v) && t.matches(t.words[i], words) && beginAll(t.accents[i], accent) {
			found = append(found, v)
		}
	}
	if q.Order == ByName {
		slices.SortFunc(found, func(a, b Voice) int {
			return cmp.Or(cmp.Compare(t.names[a.ID], t.names[b.ID]), cmp.Compare(a.ID, b.ID))
		})
	}
	if q.Descending {
		slices.Reverse(found)
	}
	return found
}

// wants reports whether a voice matches the fields that are compared with single values, which
// must be folded.
func (q Query) wants(v Voice) bool {
	return (len(q.IDs) == 0 || slices.Contains(q.IDs, v.ID)) &&
		(len(q.Languages) == 0 || slices.Contains(q.Languages, v.Native)) &&
		(q.Category == "" || q.Category == v.Category()) &&
		(q.Gender == "" || q.Gender == string(v.Gender))
}

// folded returns the words of a text as a search compares them, separated by single spaces.
func folded(text string) string { return strings.Join(split(text), " ") }

package voice

import (
	"cmp"
	"slices"
	"strings"

	"vaak/lang"
)

// Order says in which order voices are listed.
type Order string

// The orders. The zero Order is that of the roster.
const (
	ByRoster Order = ""
	ByName   Order = "name"
)

// Query says which voices are wanted. A field that is left out wants all;
// voices must match every field that is set. Case, diacritics and punctuation
// make no difference to the words of any field.
type Query struct {
	// Search is words that must all match, as in [Search].
	Search string
	// IDs are the voices to choose from.
	IDs []ID
	// Category is one word; all voices are [Category].
	Category string
	// Languages are native languages, one of which must be the voice's.
	Languages []lang.Code
	// Accent is words that must all begin words of the voice's accent.
	Accent string
	// Gender is that of the voice.
	Gender string
	// Order of what is found, and whether it is turned round.
	Order      Order
	Descending bool
}

// Find returns the voices that a query wants, in a slice of the caller's own.
func (q Query) Find() []Voice {
	t := table()
	words, accent := split(q.Search), split(q.Accent)
	q.Gender, q.Category = cmp.Or(folded(q.Gender), q.Gender), cmp.Or(folded(q.Category), q.Category)
	var found []Voice
	for i, v := range t.voices {
		if q.wants(v) && matches(t.words[i], words) && beginAll(t.accents[i], accent) {
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

// wants reports whether a voice has the values that a query names, which are
// folded.
func (q Query) wants(v Voice) bool {
	return (len(q.IDs) == 0 || slices.Contains(q.IDs, v.ID)) &&
		(len(q.Languages) == 0 || slices.Contains(q.Languages, v.Native)) &&
		(q.Category == "" || q.Category == Category) &&
		(q.Gender == "" || q.Gender == string(v.Gender))
}

// folded returns the words of a text as a search sees them, with single spaces.
func folded(text string) string { return strings.Join(split(text), " ") }

package catalogue

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"

	"vaak/internal/fault"
)

// cursor is where a page ended: the order key of its last dataset. Because it is a key and not a
// number of rows, datasets that are added or removed meanwhile do not make the next page skip
// or repeat others. It belongs to one query, because the order of another may differ.
type cursor struct {
	score int
	key   key
	query uint16 // digest of the query
}

// MaxCursor is the longest cursor, in bytes.
const MaxCursor = 4096

func (c cursor) String() string {
	text, _ := json.Marshal([]any{c.score, c.key.value, c.key.title, c.key.slug, c.query}) // strings and numbers: it cannot fail
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor reads what String has written. It returns nil for "", the first page.
func parseCursor(s string) (*cursor, error) {
	if s == "" {
		return nil, nil
	}
	var c cursor
	parts := []any{&c.score, &c.key.value, &c.key.title, &c.key.slug, &c.query}
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil && len(s) <= MaxCursor {
		err = json.Unmarshal(text, &parts)
	}
	if err != nil || len(s) > MaxCursor || len(parts) != 5 || !IsSlug(c.key.slug) {
		return nil, fault.BadParameter("cursor", "cursor %.40q is not one that this list gave; leave it out to begin at the beginning", s)
	}
	return &c, nil
}

// orderForm is the version of the order of search results. It must change with that order, so
// that cursors of the earlier order are refused instead of skipping datasets.
const orderForm = 3

// digest tells queries apart that select or order datasets differently. It covers everything of
// a selection except the page. It only has to find mistakes, and is short because language
// models have to copy cursors.
func (s selection) digest() uint16 {
	var languages []string
	for _, w := range s.languages {
		languages = append(languages, w.key)
	}
	domains, licences := keysOfWanted(s.domains), keysOfWanted(s.licences)
	rates := slices.Compact(slices.Sorted(slices.Values(s.SampleRates)))
	languages = slices.Compact(slices.Sorted(slices.Values(languages)))
	nothing := len(s.terms) == 0 && strings.TrimSpace(s.Q) != ""
	var terms []string
	for _, t := range s.terms {
		terms = append(terms, t.text)
	}
	asked := []any{terms, nothing, languages, s.Channels, s.Collection, s.Sample, s.Transcribed, s.MinHours}
	if len(s.terms) > 0 {
		asked = append(asked, orderForm, s.least)
	}
	// Cursors of queries without these are as they were before there were these.
	if len(domains)+len(licences)+len(rates)+s.MinSpeakers > 0 || s.Similar != "" || s.Sort != ByRelevance || s.OrUnknown {
		asked = append(asked, domains, licences, rates, s.MinSpeakers, s.Similar, s.Sort, s.OrUnknown)
	}
	text, _ := json.Marshal(asked) // NaN was refused: it cannot fail
	h := fnv.New32a()
	h.Write(text)
	// Folded to 16 bits: a cursor of a wrong query passes once in 65,536 times.
	sum := h.Sum32()
	return uint16(sum ^ sum>>16)
}

// keysOfWanted returns the different keys of wanted values, sorted.
func keysOfWanted(wanted []wantedValue) (keys []string) {
	for _, w := range wanted {
		keys = append(keys, w.key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// continued returns the cursor of a selection, which must come from the same query.
func (s selection) continued() (*cursor, error) {
	c, err := parseCursor(s.Cursor)
	if err == nil && c != nil && c.query != s.asked {
		return nil, fault.BadParameter("cursor", "cursor %.40q is of a list with other filters or words; send those with it (only the limit may change), or leave it out to begin at the beginning", s.Cursor)
	}
	return c, err
}

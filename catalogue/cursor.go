package catalogue

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"

	"vaak/internal/fault"
)

// cursor is where a page ended: the order key of its last dataset. What is added or
// taken away meanwhile moves nothing that was not shown yet off the next page. In the
// order of another query it would pass over datasets, so it knows its own.
type cursor struct {
	score int
	key   key
	query uint16 // the digest of what was asked
}

// MaxCursor is the longest cursor, in bytes.
const MaxCursor = 4096

func (c cursor) String() string {
	text, _ := json.Marshal([]any{c.score, c.key.centihours, c.key.title, c.key.slug, c.query}) // strings and numbers: it cannot fail
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor reads what String wrote; nil is the beginning.
func parseCursor(s string) (*cursor, error) {
	if s == "" {
		return nil, nil
	}
	var c cursor
	parts := []any{&c.score, &c.key.centihours, &c.key.title, &c.key.slug, &c.query}
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil && len(s) <= MaxCursor {
		err = json.Unmarshal(text, &parts)
	}
	if err != nil || len(s) > MaxCursor || len(parts) != 5 || !IsSlug(c.key.slug) {
		return nil, fault.BadParameter("cursor", "cursor %.40q is not one that this list gave; leave it out to begin at the beginning", s)
	}
	return &c, nil
}

// orderForm changes with the order of what words find, so that a cursor of another order is
// refused and does not pass over datasets.
const orderForm = 2

// digest tells queries apart that select or order differently: all of a selection
// but which page of it, and whether it is counted. It finds mistakes, so it may be
// short: cursors are read by models.
func (s selection) digest() uint16 {
	languages := slices.Compact(slices.Sorted(slices.Values(s.tags)))
	nothing := len(s.terms) == 0 && strings.TrimSpace(s.Q) != ""
	asked := []any{s.terms, nothing, languages, s.Channels, s.Collection, s.Sample, s.Transcribed, s.MinHours}
	if len(s.terms) > 0 {
		asked = append(asked, orderForm, s.least)
	}
	text, _ := json.Marshal(asked) // NaN was refused: it cannot fail
	h := fnv.New32a()
	h.Write(text)
	sum := h.Sum32()
	return uint16(sum ^ sum>>16)
}

// continued reads the cursor of a selection, which has to be one of its own.
func (s selection) continued() (*cursor, error) {
	c, err := parseCursor(s.Cursor)
	if err == nil && c != nil && c.query != s.digest() {
		return nil, fault.BadParameter("cursor", "cursor %.40q is of a list with other filters or words; send those with it (only the limit may change), or leave it out to begin at the beginning", s.Cursor)
	}
	return c, err
}

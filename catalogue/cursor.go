package catalogue

import (
	"encoding/base64"
	"encoding/json"

	"vaak/internal/fault"
)

// cursor is where a page ended: the order key of its last dataset. What is added or
// taken away meanwhile moves nothing that was not shown yet off the next page.
type cursor struct {
	score int
	key   key
}

// MaxCursor is the longest cursor, in bytes.
const MaxCursor = 4096

func (c cursor) String() string {
	text, _ := json.Marshal([]any{c.score, c.key.centihours, c.key.title, c.key.slug}) // strings and numbers: it cannot fail
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor reads what String wrote; nil is the beginning.
func parseCursor(s string) (*cursor, error) {
	if s == "" {
		return nil, nil
	}
	var c cursor
	parts := []any{&c.score, &c.key.centihours, &c.key.title, &c.key.slug}
	text, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil && len(s) <= MaxCursor {
		err = json.Unmarshal(text, &parts)
	}
	if err != nil || len(s) > MaxCursor || len(parts) != 4 || !IsSlug(c.key.slug) {
		return nil, fault.BadParameter("cursor", "cursor %.40q is not one that this list gave; leave it out to begin at the beginning", s)
	}
	return &c, nil
}

package dictionary

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vaak/internal/fault"
	"vaak/text/respell"
)

// Sort is what a list is sorted by.
type Sort string

// The sorts.
const (
	ByCreation Sort = "creation_time_unix"
	ByName     Sort = "name"
)

// Bounds of a page.
const (
	MaxPage     = 100
	DefaultPage = 30
)

// Query says which page of a list is wanted. The zero value is the first, the newest
// dictionaries first.
type Query struct {
	Size      int  // 1 to MaxPage; 0 is DefaultPage
	Sort      Sort // "" is ByCreation
	Ascending bool
	Cursor    string // [Page].Next of the page before; "" is the first
}

// Page is a part of a list.
type Page struct {
	Dictionaries []Dictionary
	Next         string // "" when there are no more
}

// List returns a page of an organisation's dictionaries. What was made or deleted
// between two pages is missed or told, and nothing else is told twice or missed.
func (s *Service) List(ctx context.Context, org string, q Query) (Page, error) {
	order, err := q.order()
	if err != nil {
		return Page{}, err
	}
	after, err := q.after()
	if err != nil {
		return Page{}, err
	}
	all, err := s.store.List(ctx, org)
	if err != nil {
		return Page{}, err
	}
	slices.SortFunc(all, order)
	if after != nil {
		at, found := slices.BinarySearchFunc(all, *after, order)
		if found {
			at++
		}
		all = all[at:]
	}
	if len(all) <= q.Size {
		return Page{Dictionaries: all}, nil
	}
	return Page{Dictionaries: all[:q.Size], Next: q.cursor(all[q.Size-1])}, nil
}

// place is where a page ended.
type place struct {
	Sort      Sort   `json:"s"`
	Ascending bool   `json:"a,omitempty"`
	ID        string `json:"i"`
	Name      string `json:"n,omitempty"`
	At        int64  `json:"t,omitempty"` // microseconds
}

// cursor returns what names the place behind a dictionary.
func (q Query) cursor(d Dictionary) string {
	p := place{Sort: q.Sort, Ascending: q.Ascending, ID: d.ID, At: d.CreatedAt.UnixMicro()}
	if q.Sort == ByName {
		p.Name, p.At = d.Name, 0
	}
	b, _ := json.Marshal(p) // strings and numbers
	return base64.RawURLEncoding.EncodeToString(b)
}

// maxCursor is the longest cursor, in bytes: a name may be of the longest characters,
// each escaped.
const maxCursor = 8 << 10

// after returns the dictionary behind which the page begins, nil for the first page.
func (q Query) after() (*Dictionary, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	var p place
	b, err := base64.RawURLEncoding.DecodeString(q.Cursor[:min(len(q.Cursor), maxCursor)])
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil || p.Sort != q.Sort || p.Ascending != q.Ascending {
		return nil, fault.BadParameter("cursor", "cursor %.40q is not one that this list gave; leave it out to begin at the beginning", q.Cursor)
	}
	return &Dictionary{ID: p.ID, Name: p.Name, CreatedAt: time.UnixMicro(p.At)}, nil
}

// order checks a query and returns how its list is sorted. Ids part those that are
// equal.
func (q *Query) order() (func(a, b Dictionary) int, error) {
	if q.Size == 0 {
		q.Size = DefaultPage
	}
	if q.Size < 1 || q.Size > MaxPage {
		return nil, fault.BadParameter("page_size", "page_size %d is outside 1 to %d", q.Size, MaxPage)
	}
	var by func(a, b Dictionary) int
	switch q.Sort {
	case "", ByCreation:
		q.Sort = ByCreation
		by = func(a, b Dictionary) int { return a.CreatedAt.Compare(b.CreatedAt) }
	case ByName:
		by = func(a, b Dictionary) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }
	default:
		return nil, fault.BadParameter("sort", "sort %.40q is not one of %s, %s", q.Sort, ByCreation, ByName)
	}
	return func(a, b Dictionary) int {
		if !q.Ascending {
			a, b = b, a
		}
		return cmp.Or(by(a, b), strings.Compare(a.ID, b.ID))
	}, nil
}

// reads bounds how often a dictionary is read anew because its latest version went
// between two reads.
const reads = 5

// Get returns a dictionary of an organisation with the rules of its latest version,
// as they are at this moment.
func (s *Service) Get(ctx context.Context, org, id string) (Dictionary, []respell.Rule, error) {
	for range reads {
		d, err := s.current(ctx, org, id)
		if err != nil {
			return d, nil, err
		}
		_, rules, ok, err := s.store.Rules(ctx, d.ID, d.Latest.ID)
		if err != nil || ok {
			return d, rules, err
		}
	}
	return Dictionary{}, nil, busy(id)
}

// current returns a dictionary of an organisation as the store has it.
func (s *Service) current(ctx context.Context, org, id string) (Dictionary, error) {
	d, ok, err := s.get(ctx, id)
	if err != nil {
		return Dictionary{}, err
	}
	if !ok || org != Everyone && d.Org != org {
		return Dictionary{}, NotFound(id)
	}
	return d, nil
}

// Version returns a version of an organisation's dictionary with its rules.
func (s *Service) Version(ctx context.Context, org, id, version string) (Version, []respell.Rule, error) {
	d, err := s.current(ctx, org, id)
	if err != nil {
		return Version{}, nil, err
	}
	return s.rules(ctx, edition{d.ID, version})
}

// Versions returns the versions of an organisation's dictionary that are kept, the
// latest first.
func (s *Service) Versions(ctx context.Context, org, id string) ([]Version, error) {
	d, err := s.current(ctx, org, id)
	if err != nil {
		return nil, err
	}
	return s.store.Versions(ctx, d.ID)
}

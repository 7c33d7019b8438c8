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

// Query says which page of a list is wanted. The zero value is the first page, newest
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

// List returns a page of an organisation's dictionaries. A dictionary that is made or deleted
// between two pages may be in the pages or not. Every other dictionary is in exactly one page.
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

// place is the position in a list behind which the next page begins.
type place struct {
	Sort      Sort   `json:"s"`
	Ascending bool   `json:"a,omitempty"`
	ID        string `json:"i"`
	Name      string `json:"n,omitempty"`
	At        int64  `json:"t,omitempty"` // microseconds
}

// cursor returns the cursor of the page that begins behind a dictionary. It holds the values
// that the list is sorted by and no index, so that it stays right when dictionaries come and go.
func (q Query) cursor(d Dictionary) string {
	p := place{Sort: q.Sort, Ascending: q.Ascending, ID: d.ID, At: d.CreatedAt.UnixMicro()}
	if q.Sort == ByName {
		p.Name, p.At = d.Name, 0
	}
	b, _ := json.Marshal(p) // strings and numbers cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

// maxCursor is the longest cursor, in bytes. It has room for a name of MaxName characters that
// are each four bytes long and escaped.
const maxCursor = 8 << 10

// after returns the dictionary behind which the page begins; nil for the first page.
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

// order checks a query, fills in its defaults, and returns the order of its list. Dictionaries
// that are equal in it are ordered by id, so that every position is unique.
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

// reads is how often a dictionary is read, because between the read of the dictionary and that
// of its rules an edit may delete the version.
const reads = 5

// Get returns a dictionary of an organisation with the rules of its latest version. It asks the
// store, so it sees every edit that has ended.
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

// current returns a dictionary of an organisation from the store, past the cache.
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

package console

import (
	"net/url"
	"strconv"

	"vaak/internal/fault"
)

// pageSize is how many lines a page of a list has.
const pageSize = 50

// paging is the links from one page of a list to others; "" is none.
type paging struct {
	First, Newer, Older string
	Page, Pages         int // this one, from 1, and how many there are; 0 where they are not counted
}

// None reports whether all of the list is on one page.
func (p paging) None() bool { return p.First == "" && p.Newer == "" && p.Older == "" }

// span is the part of a list that a page shows: from the first, up to the second.
type span struct{ from, to int }

// pageNumber reads the number of a page; "" is 1.
func pageNumber(s string) (int, error) {
	if s == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 1_000_000 {
		return 0, fault.BadParameter("page", "page %.40q is not a whole number from 1 up", s)
	}
	return n, nil
}

// pageAt returns what page n of a list shows, which has so many things, size of them on
// a page, and links to others at a path, which keep the parameters that filter. A page
// after the last one is the last.
func pageAt(n, things, size int, path string, filter url.Values) (span, paging) {
	p := paging{Pages: max(1, (things+size-1)/size)}
	p.Page = min(n, p.Pages)
	if p.Page > 2 {
		p.First = pageAddress(path, filter, 1)
	}
	if p.Page > 1 {
		p.Newer = pageAddress(path, filter, p.Page-1)
	}
	if p.Page < p.Pages {
		p.Older = pageAddress(path, filter, p.Page+1)
	}
	from := (p.Page - 1) * size
	return span{from, min(from+size, things)}, p
}

// paged returns the part of a list in memory that the parameter page asks for, and the
// links to the pages beside it.
func paged[T any](v *visit, all []T, filter url.Values) ([]T, paging, error) {
	n, err := pageNumber(v.r.URL.Query().Get("page"))
	if err != nil {
		return nil, paging{}, err
	}
	s, p := pageAt(n, len(all), pageSize, v.r.URL.Path, filter)
	return all[s.from:s.to], p, nil
}

// pageAddress returns the address of a page of a list.
func pageAddress(path string, filter url.Values, page int) string {
	q := url.Values{}
	for name, values := range filter {
		q[name] = values
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	return address(path, q)
}

// address joins a path and parameters, of which those that are empty are left out.
func address(path string, q url.Values) string {
	kept := url.Values{}
	for name, values := range q {
		if len(values) > 0 && values[0] != "" {
			kept[name] = values
		}
	}
	if len(kept) == 0 {
		return path
	}
	return path + "?" + kept.Encode()
}

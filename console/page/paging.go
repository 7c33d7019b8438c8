package page

import (
	"net/url"
	"strconv"

	"vaak/internal/fault"
)

// Lines is how many lines of a list a page shows.
const Lines = 50

// Paging is the links from one page of a list to others; "" is none.
type Paging struct {
	First, Newer, Older string
	Page, Pages         int // this one, from 1, and how many there are; 0 where they are not counted
}

// None reports whether all of the list is on one page.
func (p Paging) None() bool { return p.First == "" && p.Newer == "" && p.Older == "" }

// Span is the part of a list that a page shows: the indices from From up to, and without,
// To.
type Span struct{ From, To int }

// Number reads the number of a page of a list, from 1; "" is 1.
func Number(s string) (int, error) {
	if s == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 1_000_000 {
		return 0, fault.BadParameter("page", "page %.40q is not a whole number from 1 up", s)
	}
	return n, nil
}

// Cut returns the part of a list that page n shows, and the links to the other pages. The
// list has so many things, size of them on a page. The links lead to the path and keep the
// parameters of filter. A number after the last page means the last page, since things may
// have gone since the link was made.
func Cut(n, things, size int, path string, filter url.Values) (Span, Paging) {
	p := Paging{Pages: max(1, (things+size-1)/size)}
	// Things are counted anew at each request, so a page may have vanished.
	p.Page = min(n, p.Pages)
	if p.Page > 2 {
		p.First = Numbered(path, filter, 1)
	}
	if p.Page > 1 {
		p.Newer = Numbered(path, filter, p.Page-1)
	}
	if p.Page < p.Pages {
		p.Older = Numbered(path, filter, p.Page+1)
	}
	from := (p.Page - 1) * size
	return Span{from, min(from+size, things)}, p
}

// Slice returns the things of a list that the parameter page of the address asks for, and
// the links to the other pages.
func Slice[T any](v *Visit, all []T, filter url.Values) ([]T, Paging, error) {
	n, err := Number(v.R.URL.Query().Get("page"))
	if err != nil {
		return nil, Paging{}, err
	}
	s, p := Cut(n, len(all), Lines, v.R.URL.Path, filter)
	return all[s.From:s.To], p, nil
}

// Numbered returns the address of page n of a list.
func Numbered(path string, filter url.Values, n int) string {
	q := url.Values{}
	for name, values := range filter {
		q[name] = values
	}
	if n > 1 {
		q.Set("page", strconv.Itoa(n))
	}
	return Address(path, q)
}

// Address joins a path and parameters, without those that are empty.
func Address(path string, q url.Values) string {
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

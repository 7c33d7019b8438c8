package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestPageAt(t *testing.T) {
	t.Parallel()
	filter := url.Values{"q": {"a b"}, "org": {""}}
	for _, tt := range []struct {
		n, things, size int
		shown           span
		want            paging
	}{
		{1, 0, 50, span{0, 0}, paging{Page: 1, Pages: 1}},
		{9, 0, 50, span{0, 0}, paging{Page: 1, Pages: 1}},
		{1, 50, 50, span{0, 50}, paging{Page: 1, Pages: 1}},
		{1, 51, 50, span{0, 50}, paging{Older: "/l?page=2&q=a+b", Page: 1, Pages: 2}},
		{2, 51, 50, span{50, 51}, paging{Newer: "/l?q=a+b", Page: 2, Pages: 2}},
		{3, 160, 40, span{80, 120}, paging{First: "/l?q=a+b", Newer: "/l?page=2&q=a+b", Older: "/l?page=4&q=a+b", Page: 3, Pages: 4}},
		{1_000_000, 160, 40, span{120, 160}, paging{First: "/l?q=a+b", Newer: "/l?page=3&q=a+b", Page: 4, Pages: 4}},
	} {
		shown, p := pageAt(tt.n, tt.things, tt.size, "/l", filter)
		if shown != tt.shown || p != tt.want {
			t.Errorf("page %d of %d by %d = %v, %+v, want %v, %+v", tt.n, tt.things, tt.size, shown, p, tt.shown, tt.want)
		}
		if p.None() != (tt.things <= tt.size) {
			t.Errorf("%+v: None = %v", p, p.None())
		}
	}
	if filter.Has("page") {
		t.Error("the filter was changed")
	}
}

// TestPagers: lists that count their pages go to and fro with the same links.
func TestPagers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, at := w.as(t, w.member), "/o/"+w.acme.ID+"/voices"
	has(t, page(t, b.get(at+"?quality=standard&page=2"), http.StatusOK), `href="`+at+`?quality=standard" rel="prev">Previous</a>`, "<span>Page 2 of ",
		`href="`+at+`?page=3&amp;quality=standard" rel="next">Next</a>`, `data-query="?page=2&amp;quality=standard"`)
	last := page(t, b.get(at+"?page=999"), http.StatusOK)
	has(t, last, "Page 8 of 8", `data-query="?page=8"`, `<a href="`+at+`">First page</a>`)
	lacks(t, last, `rel="next"`)
	for _, bad := range []string{"0", "-1", "x", "1.5", "99999999999999999999"} {
		has(t, page(t, b.get(at+"?page="+bad), http.StatusBadRequest), "is not a whole number from 1 up")
	}
	if one := page(t, b.get(at+"?language=ta"), http.StatusOK); strings.Contains(one, `class="pager"`) {
		t.Error("one page has links to others")
	}
}

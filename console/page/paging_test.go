package page

import (
	"net/url"
	"testing"
)

func TestCut(t *testing.T) {
	t.Parallel()
	filter := url.Values{"q": {"a b"}, "org": {""}}
	for _, tt := range []struct {
		n, things, size int
		shown           Span
		want            Paging
	}{
		{1, 0, 50, Span{0, 0}, Paging{Page: 1, Pages: 1}},
		{9, 0, 50, Span{0, 0}, Paging{Page: 1, Pages: 1}},
		{1, 50, 50, Span{0, 50}, Paging{Page: 1, Pages: 1}},
		{1, 51, 50, Span{0, 50}, Paging{Older: "/l?page=2&q=a+b", Page: 1, Pages: 2}},
		{2, 51, 50, Span{50, 51}, Paging{Newer: "/l?q=a+b", Page: 2, Pages: 2}},
		{3, 160, 40, Span{80, 120}, Paging{First: "/l?q=a+b", Newer: "/l?page=2&q=a+b", Older: "/l?page=4&q=a+b", Page: 3, Pages: 4}},
		{1_000_000, 160, 40, Span{120, 160}, Paging{First: "/l?q=a+b", Newer: "/l?page=3&q=a+b", Page: 4, Pages: 4}},
	} {
		shown, p := Cut(tt.n, tt.things, tt.size, "/l", filter)
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

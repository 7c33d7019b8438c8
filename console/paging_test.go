package console

import (
	"net/http"
	"strings"
	"testing"
)

// TestPagers: lists that count their pages go to and fro with the same links.
func TestPagers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b, at := w.as(t, w.member), "/o/"+w.acme.ID+"/voices"
	has(t, shown(t, b.get(at+"?quality=standard&page=2"), http.StatusOK), `href="`+at+`?quality=standard" rel="prev">Previous</a>`, "<span>Page 2 of ",
		`href="`+at+`?page=3&amp;quality=standard" rel="next">Next</a>`, `data-query="?page=2&amp;quality=standard"`)
	last := shown(t, b.get(at+"?page=999"), http.StatusOK)
	has(t, last, "Page 8 of 8", `data-query="?page=8"`, `<a href="`+at+`">First page</a>`)
	lacks(t, last, `rel="next"`)
	for _, bad := range []string{"0", "-1", "x", "1.5", "99999999999999999999"} {
		has(t, shown(t, b.get(at+"?page="+bad), http.StatusBadRequest), "is not a whole number from 1 up")
	}
	if one := shown(t, b.get(at+"?language=ta"), http.StatusOK); strings.Contains(one, `class="pager"`) {
		t.Error("one page has links to others")
	}
}

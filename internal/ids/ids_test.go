package ids

import (
	"strings"
	"testing"
)

// TestIs: what New and Of write has the shape, and nothing else has.
func TestIs(t *testing.T) {
	t.Parallel()
	for _, n := range []int{Bytes, 16, 32} {
		id := New("key_", n)
		if other := New("key_", n); other == id || !Is("key_", n, id) || Is("org_", n, id) || Is("key_", n+1, id) {
			t.Errorf("New(%d) = %s and %s, which are no two ids", n, id, other)
		}
		for _, s := range []string{"", "key_", id[1:], id[:len(id)-1], id + "a", strings.ToUpper(id), id[:len(id)-1] + "=", id[:len(id)-1] + "\n", id + "\n"} {
			if Is("key_", n, s) {
				t.Errorf("%q has the shape of an id of %d bytes", s, n)
			}
		}
	}
	if got, want := Of("ds_", []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 255}), "ds_aaaaaaaaaaaaaah7"; got != want {
		t.Errorf("Of = %s, want %s", got, want)
	}
}

package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUnchunker(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		bodies := rapid.SliceOf(rapid.StringN(1, 300, -1)).Draw(rt, "chunks")
		raw := []byte(chunked(bodies...) + "the next response")
		u := Unchunker{chunked: true}
		var got strings.Builder
		for len(raw) > 0 {
			n := rapid.IntRange(1, len(raw)).Draw(rt, "part")
			if err := u.Feed(raw[:n], func(b []byte) error { got.Write(b); return nil }); err != nil {
				rt.Fatal(err)
			}
			raw = raw[n:]
		}
		if want := strings.Join(bodies, ""); got.String() != want || !u.Ended() {
			rt.Fatalf("body %q, ended %t; want %q, ended", got.String(), u.Ended(), want)
		}
	})
	none := func([]byte) error { return nil }
	for _, bad := range []string{"size\r\n", "-1\r\n", "1\r\nxy\r\n", "0\r\ntrailer: x\r\n", strings.Repeat("1", 100)} {
		if err := (&Unchunker{chunked: true}).Feed([]byte(bad), none); err == nil {
			t.Errorf("%q gives no error", bad)
		}
	}
	u := Unchunker{left: 5}
	if err := u.Feed([]byte("123"), none); err != nil || u.Ended() {
		t.Errorf("after 3 of 5 bytes: ended %t, %v", u.Ended(), err)
	}
	if err := u.Feed([]byte("45"), none); err != nil || !u.Ended() {
		t.Errorf("after 5 of 5 bytes: ended %t, %v", u.Ended(), err)
	}
}

// FuzzUnchunker checks that it does not matter where the bytes are split.
func FuzzUnchunker(f *testing.F) {
	f.Add([]byte(chunked("one", "two and three")), 3)
	f.Add([]byte("zz\r\n"), 1)
	f.Fuzz(func(t *testing.T, raw []byte, split int) {
		read := func(part int) (string, bool, bool) {
			u := Unchunker{chunked: true}
			var body strings.Builder
			for p := range slices.Chunk(raw, part) {
				if err := u.Feed(p, func(b []byte) error { body.Write(b); return nil }); err != nil {
					return body.String(), u.Ended(), true
				}
			}
			return body.String(), u.Ended(), false
		}
		size := len(raw) + 1
		body, ended, bad := read(size)
		body2, ended2, bad2 := read(1 + max(split, 0)%size)
		if body != body2 || ended != ended2 || bad != bad2 {
			t.Errorf("whole: %q, ended %t, error %t; in parts: %q, %t, %t", body, ended, bad, body2, ended2, bad2)
		}
	})
}

// chunked returns a body in chunks as HTTP/1.1 sends it.
func chunked(chunks ...string) string {
	var b strings.Builder
	for _, c := range append(chunks, "") {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(c), c)
	}
	return b.String()
}

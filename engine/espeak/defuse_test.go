package espeak

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

func isReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

func TestDefuse(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "Nothing to do.", "Nothing to do."},
		{"dots", "a.b.c.", "a. b. c."},
		{"ellipsis", "wait...", "wait. . ."},
		{"long token", strings.Repeat("x", 250), strings.Repeat("x", 100) + " " + strings.Repeat("x", 100) + " " + strings.Repeat("x", 50)},
		{"marks stay with their letter", strings.Repeat("x", 99) + "काा", strings.Repeat("x", 99) + "काा"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := defuse(tt.in).text; got != tt.want {
				t.Errorf("defuse(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// FuzzDefuse checks that every code point of a defused or bisected text knows
// where it came from.
func FuzzDefuse(f *testing.F) {
	f.Add("a.b.c.d. नमस्ते दुनिया", 3)
	f.Add(strings.Repeat("ab.", 80), 1)
	f.Fuzz(func(t *testing.T, s string, depth int) {
		if !utf8.ValidString(s) || len(s) > 1<<12 {
			return
		}
		q, _ := piece{text: s}.defused()
		check(t, s, q)
		if again, ok := q.defused(); ok {
			t.Fatalf("%q is defused to %q and then to %q", s, q.text, again.text)
		}
		pieces := []piece{q}
		for range depth & 7 {
			var next []piece
			for _, p := range pieces {
				if l, r, ok := bisect(p); ok {
					if l.text+r.text != p.text || l.text == "" || r.text == "" {
						t.Fatalf("bisect(%q) = %q, %q", p.text, l.text, r.text)
					}
					next = append(next, l, r)
				}
			}
			for _, p := range next {
				check(t, s, p)
			}
			pieces = next
		}
	})
}

func check(t *testing.T, s string, p piece) {
	t.Helper()
	whole, i := []rune(s), 0
	for _, r := range p.text {
		from := p.at(i)
		if from < 0 || from >= len(whole) || r != ' ' && whole[from] != r {
			t.Fatalf("code point %d of %q came from %d of %q", i, p.text, from, s)
		}
		i++
	}
}

package graph

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIsTag(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$`)
	check := func(t interface{ Errorf(string, ...any) }, s string) {
		if got, want := isTag(s), shape.MatchString(s); got != want {
			t.Errorf("isTag(%q) = %v, want %v", s, got, want)
		}
	}
	for _, s := range []string{"", "-", "en", "hi-IN", "en-", "-en", "e1", "en-1", "en--x", "abcdefghi", "abcdefgh-12345678", "a-123456789", "é", "e n", "EN", "@", "{", "[en", "`", strings.Repeat("a-1-", 50) + "b"} {
		check(t, s)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.StringMatching(`[aZ09@\[{é-]{0,12}`).Draw(t, "tag")) })
}

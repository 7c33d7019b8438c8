package pools

import (
	"strings"
	"testing"
	"time"

	"vaak/engine/remote/remotetest"
)

// TestCompare: words that are missing, repeated and cut are told apart.
func TestCompare(t *testing.T) {
	t.Parallel()
	split := func(s string) []string { return strings.Fields(s) }
	for _, tt := range []struct {
		want, got string
		heard     heard
	}{
		{"a b c", "a b c", heard{}},
		{"a b c", "a b b c", heard{repeated: 1}},
		{"a b c", "a b~ b c", heard{repeated: 1, cut: 1}},
		{"a b c", "a b~ c", heard{missing: 1, cut: 1}},
		{"a b c", "a c", heard{missing: 1}},
		{"a b c", "a b b", heard{missing: 1, repeated: 1}},
		{"a b c d", "", heard{missing: 4}},
	} {
		if h := compare(split(tt.want), split(tt.got)); h != tt.heard {
			t.Errorf("compare(%q, %q) = %+v, want %+v", tt.want, tt.got, h, tt.heard)
		}
	}
}

// TestStory: texts are made of words that can be told by ear, and are as long as they are to be.
func TestStory(t *testing.T) {
	t.Parallel()
	words, err := vocabulary()
	if err != nil || len(words) < 30 {
		t.Fatalf("%d words, %v", len(words), err)
	}
	one, other := story(words, 20*time.Second, 1), story(words, 20*time.Second, 2)
	if d := remotetest.Duration(one); d < 20*time.Second || d > 30*time.Second || one == other {
		t.Errorf("a text of %s; the same for all: %v", d, one == other)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	if b, err := decode([]byte(`data: {"type":"speech.audio.delta","audio":"AQI="}`)); err != nil || string(b) != "\x01\x02" {
		t.Errorf("decode = %v, %v", b, err)
	}
	if _, err := decode([]byte("data: nothing")); err == nil {
		t.Error("an event without JSON is taken")
	}
}

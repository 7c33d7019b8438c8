package enquiry_test

import (
	"testing"

	"vaak/enquiry"
)

func TestInert(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": "", "plain\ttext\n": "plain\ttext\n", "a\u202eb": "a⟨U+202E⟩b", "a\rb": "a⟨U+000D⟩b", "\x00": "⟨U+0000⟩", "\u2029": "⟨U+2029⟩",
		"a\xffb": "a\uFFFDb", "क्\u200dष\u200c": "क्\u200dष\u200c", "\u0600١": "\u0600١", "a\u200fb": "a\u200fb", "\u3164\ufffc": "⟨U+3164⟩⟨U+FFFC⟩", "❤\ufe0f": "❤\ufe0f", "<b>": "<b>",
	} {
		if got := enquiry.Inert(s); got != want {
			t.Errorf("Inert(%q) = %q, want %q", s, got, want)
		}
	}
}

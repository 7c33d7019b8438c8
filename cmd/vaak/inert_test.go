package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestInert(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                         "",
		"Asha Rao":                 "Asha Rao",
		"नमस्ते क्\u200dष":         "नमस्ते क्\u200dष",
		"日本語 “é” 👍":                "日本語 “é” 👍",
		"a\x1b[2Jb":                `a\x1b[2Jb`,
		"a\r\nb\tc\x00":            `a\r\nb\tc\x00`,
		"a\u0085\u009b31m\u007f":   `a\u0085\u009b31m\x7f`,
		"\u202eevil\u2066\u200f":   `\u202eevil\u2066\u200f`,
		"\u2028\u2029\ufeff\u00ad": `\u2028\u2029\ufeff\u00ad`,
		"\U000e0041":               `\U000e0041`,
		"\xff\xfeok\ufffd":         `\xff\xfeok` + "\ufffd",
	} {
		if got := inert(in); got != want {
			t.Errorf("inert(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzInert: whatever a stranger typed comes out as one line that does nothing to a
// terminal, and in JSON as what it was.
func FuzzInert(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[2J", "\xff", "\u202e\n", "\U000e0041é", "\\u001b\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := inert(text)
		if i := strings.IndexFunc(got, func(r rune) bool { return !harmless(r) }); i >= 0 || !utf8.ValidString(got) {
			t.Errorf("inert(%q) = %q, which is not harmless", text, got)
		}
		var b bytes.Buffer
		if err := (streams{out: &b}).inertJSON(text); err != nil {
			t.Fatal(err)
		}
		line, ended := strings.CutSuffix(b.String(), "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return !harmless(r) }); i >= 0 || !ended {
			t.Errorf("%q as JSON is %q, which is not harmless", text, line)
		}
		var back string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || utf8.ValidString(text) && back != text {
			t.Errorf("%q as JSON is %q, %v, which says %q", text, line, err, back)
		}
	})
}

package clean

import "testing"

func TestWeb(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://example.org/a?b=c#d":   "https://example.org/a?b=c#d",
		"https://example.org/भाषा":      "https://example.org/%E0%A4%AD%E0%A4%BE%E0%A4%B7%E0%A4%BE",
		"javascript:alert(1)":           "",
		"https://user:key@example.org/": "",
		"https://example.org/?a=<b>":    "",
		"https://example.org/ b":        "",
		"https://example.org/\r\nX: y":  "",
		"ftp://example.org/":            "",
		"/path":                         "",
		"":                              "",
	} {
		if got := Web(in); got != want {
			t.Errorf("Web(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	if got := Line(" a\tb\x00\n c\u202e\uffff d\xff "); got != "a b c d" {
		t.Errorf("Line = %q", got)
	}
}

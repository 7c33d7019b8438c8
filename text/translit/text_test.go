package translit_test

import (
	"testing"

	"vaak/text"
	"vaak/text/translit"
)

func TestText(t *testing.T) {
	t.Parallel()
	const s = "kya haal hai, 5 baje?"
	const want = "क्या हाल है, 5 बजे?"
	got, m := translit.Text("hi", s)
	if got != want {
		t.Errorf("Text(hi, %q) = %q, want %q", s, got, want)
	}
	if err := m.Check(len(got), len(s)); err != nil {
		t.Error(err)
	}
	at := len("क्या ")
	if in := m.Back(text.Span{Start: at, End: at + len("हाल")}).In(s); in != "haal" {
		t.Errorf("हाल comes from %q, want haal", in)
	}
	for _, s := range []string{"", " ", "'", "\xff", "ha'", "'ha", "h\u0301a’", "नमस्ते"} {
		got, m := translit.Text("hi", s)
		if err := m.Check(len(got), len(s)); err != nil {
			t.Errorf("Text(hi, %q) = %q: %v", s, got, err)
		}
	}
}

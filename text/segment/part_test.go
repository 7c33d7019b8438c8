package segment_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/text/segment"
)

// inParts returns the parts of a text that comes in pieces.
func inParts(most int, pieces ...string) (parts []string, ends []bool) {
	p := segment.NewParts(most)
	for _, s := range pieces {
		p.Add(s)
		for {
			part, end, ok := p.Full()
			if !ok {
				break
			}
			parts, ends = append(parts, part), append(ends, end)
		}
	}
	for {
		part, end, ok := p.All()
		if !ok {
			return parts, ends
		}
		parts, ends = append(parts, part), append(ends, end)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		most       int
		want       []string
		ends       []bool
	}{
		{"nothing", "", 10, nil, nil},
		{"as long as a part", "It is late", 10, []string{"It is late"}, []bool{true}},
		{"sentences", "It is late. We go. Home is far.", 20, []string{"It is late. We go. ", "Home is far."}, []bool{true, true}},
		{"an abbreviation", "We saw Dr. Smith there.", 14, []string{"We saw Dr. ", "Smith there."}, []bool{false, true}},
		{"a paragraph rather than a sentence", "One is here.\n\nTwo. Three is there.", 20, []string{"One is here.\n\n", "Two. Three is there."}, []bool{true, true}},
		{"no short paragraph", "One.\n\nTwo is here. Three is there.", 20, []string{"One.\n\nTwo is here. ", "Three is there."}, []bool{true, true}},
		{"a clause", "when it is late, we go home", 20, []string{"when it is late, ", "we go home"}, []bool{false, true}},
		{"a space", "when it is late we go", 12, []string{"when it is ", "late we go"}, []bool{false, true}},
		{"nothing but letters", "abcdefgh", 3, []string{"abc", "def", "gh"}, []bool{false, false, true}},
		{"clusters", "नमस्तेनमस्ते", 4, []string{"नम", "स्ते", "नम", "स्ते"}, []bool{false, false, false, true}},
		{"a cluster that is too long", "e" + strings.Repeat("\u0301", 5), 4, []string{"e\u0301\u0301\u0301", "\u0301\u0301"}, []bool{false, true}},
		{"Chinese", "今天很好。我们回家。", 7, []string{"今天很好。", "我们回家。"}, []bool{true, true}},
		{"a mark after an empty line", "It is late\n\n\u0301. ", 4, []string{"It ", "is ", "late", "\n\n", "\u0301. "}, []bool{false, false, false, true, true}},
		{"a mark on a space after an empty line", "Late\n\n \u0301. ", 3, []string{"Lat", "e\n\n", " \u0301.", " "}, []bool{false, false, false, true}},
		{"a short sentence before a long one", "No. when it is very late we go", 12, []string{"No. when it ", "is very ", "late we go"}, []bool{false, false, true}},
		{"a sentence end rather than a full part", "No. It is late and we go", 12, []string{"No. ", "It is late ", "and we go"}, []bool{true, false, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			parts, ends := inParts(tt.most, tt.text)
			if diff := cmp.Diff(tt.want, parts); diff != "" {
				t.Errorf("parts of %q (-want +got)\n%s", tt.text, diff)
			}
			if diff := cmp.Diff(tt.ends, ends); diff != "" {
				t.Errorf("ends of %q (-want +got)\n%s", parts, diff)
			}
		})
	}
}

func TestPartsKnowWhatWaits(t *testing.T) {
	t.Parallel()
	p := segment.NewParts(100)
	if _, ok := p.Sentences(); ok || !p.Blank() || p.EndsLine() {
		t.Error("an empty Parts has sentences, text or a line")
	}
	p.Add("It is late. We go. Hom")
	got, ok := p.Sentences()
	if !ok || got != "It is late. We go. " || p.Ahead(2) != "Ho" || p.Ahead(0) != "" || p.Waiting() != 3 {
		t.Errorf("Sentences = %q, %v, then %q ahead and %d waiting", got, ok, p.Ahead(2), p.Waiting())
	}
	if _, ok := p.Sentences(); ok {
		t.Error("Sentences takes one that is not complete")
	}
	if p.Add("e "); p.EndsLine() || p.Blank() {
		t.Error("a space ends a line")
	}
	if p.Add("\n "); !p.EndsLine() {
		t.Error("a line's end does not end a line")
	}
	if got := p.Ahead(100); got != "Home \n " {
		t.Errorf("Ahead = %q", got)
	}
}

// lawful checks what holds of the parts of every text.
func lawful(t interface{ Errorf(string, ...any) }, text string, most int, parts []string) {
	if got := strings.Join(parts, ""); got != text {
		t.Errorf("the parts are %q, the text %q", got, text)
		return
	}
	whole := map[int]bool{} // where clusters end
	long := map[int]bool{}  // inside a cluster that is longer than a part
	at := 0
	for g := graphemes.FromString(text); g.Next(); {
		if utf8.RuneCountInString(g.Value()) > most {
			for i := at + 1; i < at+len(g.Value()); i++ {
				long[i] = true
			}
		}
		at += len(g.Value())
		whole[at] = true
	}
	inside := map[int]bool{} // a sentence that fits
	for s := range segment.Sentences(text, nil) {
		if utf8.RuneCountInString(s.In(text)) <= most {
			for i := s.Start + 1; i < s.End; i++ {
				inside[i] = true
			}
		}
	}
	at = 0
	for _, p := range parts {
		at += len(p)
		if n := utf8.RuneCountInString(p); n > most || n == 0 {
			t.Errorf("part %q has %d code points, want 1 to %d", p, n, most)
		}
		if !whole[at] && !long[at] {
			t.Errorf("%q is cut inside a cluster, after %q", text, text[:at])
		}
		if inside[at] && at < len(text) {
			t.Errorf("%q is cut inside a sentence that fits into %d, after %q", text, most, text[:at])
		}
	}
}

var partPieces = []string{
	"It is late", ". ", "! ", "? ", ", ", "\n", "\n\n", " ", "we go", "Dr. ", "3.", "e\u0301", "नमस्ते", "। ", "今天", "。", "，", "«", "»", "\"", "👩‍👧", "🇮🇳", "مرحبا", "؟ ", "...", "\r\n", "א", "\u0301",
}

func TestPartsLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom(partPieces), 0, 60).Draw(t, "pieces")
		most := rapid.IntRange(1, 80).Draw(t, "most")
		text := strings.Join(pieces, "")
		parts, _ := inParts(most, text)
		lawful(t, text, most, parts)
		if again, _ := inParts(most, pieces...); !cmp.Equal(parts, again) {
			t.Errorf("in one piece %q, in several %q", parts, again)
		}
	})
}

func FuzzParts(f *testing.F) {
	f.Add("It is late. We go.\n\nHome, sweet home", 7)
	f.Add("नमस्ते दुनिया। 今天很好。👩‍👧🇮🇳e\u0301\u0301", 3)
	f.Fuzz(func(t *testing.T, text string, most int) {
		if !utf8.ValidString(text) || most < 1 || most > 1000 || len(text) > 1<<14 {
			t.Skip("passage checks text and size before")
		}
		parts, _ := inParts(most, text)
		lawful(t, text, most, parts)
	})
}

package espeak

import (
	"strings"
	"testing"

	"vaak/engine/enginetest"
	"vaak/voice"
)

func TestSequel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		after string
		ends  bool
	}{
		{"of the", false},
		{"the end.", true},
		{"this, and", true},
		{"“end.” he", true},
		{"3.5 of", false},
		{"1,234 of", false},
		{"o'clock", false},
		{"घर है।", true},
		{"घर है", false},
		{"好，我们", true},
		{"好我们", false},
		{"هل؟", true},
		{"really?", true},
	} {
		if got := sequel(tt.after) == ""; got != tt.ends {
			t.Errorf("sequel(%q) = %q, want nothing: %v", tt.after, sequel(tt.after), tt.ends)
		}
	}
	for _, after := range []string{"", " ", "— 🙂", "“"} {
		if got := sequel(after); got != "" {
			t.Errorf("sequel(%q) = %q, want nothing behind what has no words", after, got)
		}
	}
}

// TestSequelIsNotHeard speaks the beginning of a preview in every language that
// writes spaces. What is heard ends where the lookahead begins, so it is about as
// long as the same words are in the whole.
func TestSequelIsNotHeard(t *testing.T) {
	e := open(t, 0)
	for _, code := range e.Languages() {
		words := strings.Fields(voice.PreviewText(code))
		if len(words) < 6 || strings.ContainsAny(words[4]+words[5], ".,;:?!") {
			continue
		}
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			whole := enginetest.Speak(t, e, in(code, strings.Join(words, " ")))
			u := in(code, strings.Join(words[:4], " ")+" ")
			u.After, u.Edge = words[4]+" "+words[5], 441
			s := enginetest.Speak(t, e, u)
			want := 0
			for _, w := range whole.Words {
				if w.Start >= len(u.Text) {
					want = w.Sample
					break
				}
			}
			if len(s.Trail) != u.Edge || want == 0 {
				t.Fatalf("%d samples behind the text, want %d", len(s.Trail), u.Edge)
			}
			if r := float64(len(s.PCM)) / float64(want); r < 0.85 || r > 1.15 {
				t.Errorf("four words last %.2f of what they do in their sentence", r)
			}
		})
	}
}

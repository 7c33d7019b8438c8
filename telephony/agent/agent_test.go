package agent

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, message, wrong string }{
		{"text", `{"type":"text","text":"Hel"}`, ""},
		{"more than we know", `{"type":"end","later":true}`, ""},
		{"settings", `{"type":"settings","voice":"","lang":"hi","speed":1.2}`, ""},
		{"no type", `{"text":"Hel"}`, `type "" is not one of text, flush`},
		{"a type of ours", `{"type":"start"}`, `type "start" is not one of`},
		{"no JSON", `text`, "cannot be read"},
		{"a list", `[]`, "cannot be read"},
		{"a number for text", `{"type":"text","text":7}`, "cannot be read"},
		{"a mark without a name", `{"type":"mark"}`, "a name of 1 to 256 bytes, not of 0"},
		{"a long mark", `{"type":"mark","name":"` + strings.Repeat("x", 257) + `"}`, "not of 257"},
		{"too fast", `{"type":"settings","speed":2}`, "speed 2 is outside 0.7 to 1.5"},
		{"not UTF-8", "{\"type\":\"text\",\"text\":\"\xff\"}", "not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(tt.message))
			switch {
			case tt.wrong == "" && err != nil:
				t.Errorf("Parse(%s): %v", tt.message, err)
			case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
				t.Errorf("Parse(%s): %v, want an error with %q", tt.message, err, tt.wrong)
			}
		})
	}
}

// FuzzParse checks that what is taken is within the bounds.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":"text","text":"Hel"}`))
	f.Add([]byte(`{"type":"settings","voice":"a","lang":"hi","speed":0.7}`))
	f.Add([]byte(`{"type":"hangup","now":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			return
		}
		if !utf8.ValidString(c.Text) || len(c.Name) > maxName && c.Type == Mark || c.Speed != nil && c.Type == Settings && (*c.Speed < 0.7 || *c.Speed > 1.5) {
			t.Errorf("Parse(%q) = %+v", data, c)
		}
	})
}

package frontend_test

import (
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/frontend"
)

// TestRomanised has texts in Latin letters with and without a hint: the language that they are
// read in, and the runs as "language:text".
func TestRomanised(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		hint lang.Tag
		want lang.Tag
		runs string
	}{
		{"mere timer ko pause karo", lang.Tag{}, lang.Tag{Code: "hi", Script: "Latn"}, "hi:मेरे |en:timer |hi:को |en:pause |hi:करो"},
		{"mere timer ko pause karo", lang.Tag{Code: "hi"}, lang.Tag{Code: "hi"}, "hi:मेरे |en:timer |hi:को |en:pause |hi:करो"},
		{"please send the report by Monday", lang.Tag{Code: "hi"}, lang.Tag{Code: "hi"}, "en:please send the report by Monday"},
		{"naalaiku leave venum sir", lang.Tag{Code: "ta"}, lang.Tag{Code: "ta"}, "ta:நாளைக்கு |en:leave |ta:வேணும் |en:sir"},
		{"aap kahan hain", lang.Tag{Code: "ur"}, lang.Tag{Code: "ur"}, "ur:آپ کہاں ہیں"},
		{"tume kemiti achha", lang.Tag{}, lang.Tag{Code: "or", Script: "Latn"}, "or:ତୁମେ କେମିତି ଅଛ"},
		{"tumi kene asa, moi bhale asu", lang.Tag{}, lang.Tag{Code: "as", Script: "Latn"}, "as:তুমি কেনে আছা, মই ভালে আছো"},
		{"I had biryani at Saravana Bhavan", lang.Tag{}, lang.Tag{Code: "en"}, "en:I had biryani at Saravana Bhavan"},
		{"I already told you, no puedo salir esta noche because my mom is visiting.", lang.Tag{}, lang.Tag{Code: "en"},
			"en:I already told you, |es:no puedo salir esta noche |en:because my mom is visiting."},
	} {
		p, err := frontend.New().Prepare(tt.text, tt.hint)
		if err != nil {
			t.Fatal(err)
		}
		var runs []string
		for r := range p.Runs() {
			runs = append(runs, string(r.Language)+":"+r.Text)
		}
		if got := strings.Join(runs, "|"); p.Language != tt.want || got != tt.runs {
			t.Errorf("Prepare(%q, %v) is in %v: %s, want %v: %s", tt.text, tt.hint, p.Language, got, tt.want, tt.runs)
		}
	}
}

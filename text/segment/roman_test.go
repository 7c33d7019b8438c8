package segment_test

import (
	"testing"

	"vaak/lang"
	"vaak/text/segment"
)

func TestRomanNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ request, text, want string }{
		{"ru", "в XIX веке", "ru:в XIX веке"},
		{"ru", "Екатерина II правила", "ru:Екатерина II правила"},
		{"ru", "в XIX–XX веках", "ru:в XIX–XX веках"},
		{"uk", "у X столітті", "uk:у X столітті"},
		{"el", "τον XX αιώνα", "el:τον XX αιώνα"},
		{"hi", "कक्षा XII की", "hi:कक्षा XII की"},
		{"hi", "World War II के बाद", "en:World War II |hi:के बाद"},
		{"hi", "X पर पोस्ट", "en:X |hi:पर पोस्ट"},
		{"ru", "iPhone X вышел", "en:iPhone X |ru:вышел"},
		{"ru", "тип IIX здесь", "ru:тип |en:IIX |ru:здесь"},
		{"ru", "XIX", "en:XIX"},
	} {
		if got := show(tt.text, segment.Runs(tt.text, lang.Tag{Code: lang.Code(tt.request)})); got != tt.want {
			t.Errorf("Runs(%q, %q) = %q, want %q", tt.text, tt.request, got, tt.want)
		}
	}
}

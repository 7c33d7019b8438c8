package personal

import (
	"maps"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want map[Kind]int
	}{
		{"", nil},
		{"I was born in 1984 and paid 1,200 rupees on 12/05", nil},
		{"it costs 12,50,000 rupees", nil}, // nobody dials commas
		{"write to asha.k@example.co.in or b@c.org", map[Kind]int{Email: 2}},
		{"लिखिए राम@उदाहरण.भारत", map[Kind]int{Email: 1}},
		{"asha at gmail dot com please", map[Kind]int{Email: 1}},
		{"आशा एट द रेट जीमेल डॉट कॉम", map[Kind]int{Email: 1}},
		{"look at the dot there", map[Kind]int{Email: 1}}, // a false alarm that a person sees
		{"at home", nil},
		{"at this point I would say, at that point in time", nil},
		{"asha arobase exemple point fr, y luego asha arroba ejemplo punto es", map[Kind]int{Email: 2}},
		{"9, 8, 7, 6, 5, 4, 3, 2, 1, 0", map[Kind]int{Phone: 1}},
		{"98765, 43210", map[Kind]int{Phone: 1}},
		{"98765\u00a043210 or 98765\u201343210 or 98765 \u2014 43210", map[Kind]int{Phone: 3}},
		{"it costs 12,50,000, or 100,000 each", nil},
		{"call +91 98765 43210", map[Kind]int{Phone: 1}},
		{"मेरा नंबर ९८७६५४३२१० है", map[Kind]int{Phone: 1}},
		{"card 4111 1111 1111 1111", map[Kind]int{Card: 1}},
		{"card 4111 1111 1111 1112", map[Kind]int{Number: 1}},
		{"Aadhaar 2341 2341 2346", map[Kind]int{Aadhaar: 1}},
		{"ref 2341 2341 2347", map[Kind]int{Phone: 1}},
		{"ABCDE1234F is my PAN", map[Kind]int{PAN: 1}},
		{"GB82 WEST 1234 5698 7654 32", map[Kind]int{IBAN: 1}},
		{"pin 560 001", map[Kind]int{Number: 1}},
		{"nine eight seven six five four", map[Kind]int{Spoken: 1}},
		{"नौ आठ सात छह पांच चार तीन दो एक शून्य", map[Kind]int{Spoken: 1}},
		{"नाइन एट सेवन डबल सिक्स फाइव", map[Kind]int{Spoken: 1}},
		{"ஒன்பது எட்டு ஏழு ஆறு ஐந்து நான்கு", map[Kind]int{Spoken: 1}},
		{"one or two, maybe three", nil},
	} {
		if got := Find(tt.text); !maps.Equal(got, tt.want) {
			t.Errorf("Find(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

// TestLongTexts reads texts that look like a pattern all along: time grows with their length only.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"1", "1-", "a@", "@", "one ", "A", "GB82", "१", ".a@a"} {
		if got := Find(strings.Repeat(s, 100_000/len(s))); len(got) > 2 {
			t.Errorf("%q, over and over: %v", s, got)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("call +91 98765 43210, asha at gmail dot com")
	f.Fuzz(func(t *testing.T, text string) {
		for k, n := range Find(text) {
			if n <= 0 || k == "" {
				t.Errorf("%q: %d", k, n)
			}
		}
	})
}

package personal

import (
	"maps"
	"strings"
	"testing"
)

func TestFindName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		want map[Kind]int
	}{
		{"", nil},
		{"rec/+919876543210_2024-05-01", map[Kind]int{Phone: 1}},
		{"+919876543210-2024-05-01", map[Kind]int{Phone: 1}},
		{"call +91 98765 43210", map[Kind]int{Phone: 1}},
		{"+1 (415) 555-2671", map[Kind]int{Phone: 1}},
		{"＋९१९८७६५४३२१०", map[Kind]int{Phone: 1}},
		{"call9876543210a", map[Kind]int{Phone: 1}},
		{"9876543210_9876543211", map[Kind]int{Phone: 2}},
		{"919876543210-1a2b3c4d", map[Kind]int{Phone: 1}},
		{"09876543210", map[Kind]int{Phone: 1}},
		{"0091-9876543210", map[Kind]int{Phone: 1}},
		{"98765 43210", map[Kind]int{Phone: 1}},
		{"asha.k@example.co.in", map[Kind]int{Email: 1}},
		{"audio/asha@example.org_2024", map[Kind]int{Email: 1}},
		{"2341-2341-2346", map[Kind]int{Aadhaar: 1}},
		{"scan_234123412346_1", map[Kind]int{Aadhaar: 1}},

		// Numbers of corpora and of recorders.
		{"common_voice_hi_23795238", nil},
		{"clips/common_voice_en_39905672", nil},
		{"61-70968-0000", nil},
		{"1844_931_000003", nil},
		{"844424932691175-1023-f", nil},
		{"281474976697216_chunk_1", nil},
		{"1714550400", nil},    // seconds since 1970
		{"1714550400123", nil}, // and milliseconds
		{"a+2024-05-01", nil},
		{"20240501103045", nil},
		{"98765432101", nil}, // eleven digits
		{"70968-00001", nil},
		{"234123412347", nil}, // another check digit
		{"202405011033", nil}, // a time with the check digit of an Aadhaar number
		{"mic@48k.v2", nil},
		{"7c7aa9a0-1b2c-4d3e-8f90-a9876543210b", nil},
		{"7c7aa9a01b2c4d3e8f90f9876543210b" + strings.Repeat("0c", 48) + "_1", nil},
	} {
		if got := FindName(tt.name); !maps.Equal(got, tt.want) {
			t.Errorf("FindName(%q) = %v, want %v", tt.name, got, tt.want)
		}
	}
	if !verhoeff([]int{2, 0, 2, 4, 0, 5, 0, 1, 1, 0, 3, 3}) {
		t.Error("the time in the table has another check digit, so it tests nothing")
	}
}

// TestLongNames reads names that look like a pattern all along.
func TestLongNames(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"1", "+1", "a@", "a@a.", "98765 43210 ", "2341_", "0a", "१"} {
		FindName(strings.Repeat(s, 100_000/len(s)))
	}
}

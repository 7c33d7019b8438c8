package check

import "testing"

func TestIsDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2026": true, "2026-05": true, "2026-05-04": true, "20260504": true, "2026-W19": true,
		"2026-W19-1": true, "2026W191": true, "2026-124": true, "2026124": true, "2024-02-29": true,
		"2026-05-04T08": true, "2026-05-04T08:30": true, "2026-05-04T08:30:00Z": true,
		"2026-05-04T08:30:00.123+05:30": true, "20260504T083000Z": true, "2026-05-04T24:00": true,
		"": false, "202605": false, "26-05-04": false, "2026-13-01": false, "2026-02-30": false,
		"2026-5-4": false, "May 2026": false, "2026-05-04 08:30": false, "2026-05-04T": false,
		"2026-05-04T25:00": false, "2026-05-04T08:60": false, "2026-W54": false, "2026-367": false,
		"2026-05-04T08:30:00 Z": false, "0000-01-01": false, "2025-11-02/2026-03-28": false,
	} {
		if got := isDate(text); got != want {
			t.Errorf("isDate(%q) = %v, want %v", text, got, want)
		}
	}
}

package page

import (
	"testing"
)

func TestLengths(t *testing.T) {
	t.Parallel()
	for hours, want := range map[float64]string{
		0: "0 s", 0.003: "11 s", 0.016666: "1 min", 0.03: "2 min", 0.99: "59 min", 0.9917: "1 hour", 1: "1 hour", 1.04: "1 hour", 1.26: "1.3 hours",
		99.5: "99.5 hours", 99.96: "100 hours", 1234.6: "1,235 hours",
	} {
		if got := Hours(hours); got != want {
			t.Errorf("Hours(%g) = %q, want %q", hours, got, want)
		}
	}
	for size, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1 kB", 1550: "1.6 kB", 999_960: "1 MB", 5_000_000_000: "5 GB", 1 << 62: "4.6 EB"} {
		if got := Bytes(size); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", size, got, want)
		}
	}
}

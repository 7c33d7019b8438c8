package usage

import (
	"testing"
)

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		part, of int
		want     string
	}{{0, 0, "–"}, {0, 5, "0%"}, {5, 5, "100%"}, {4999, 5000, "99.9%"}, {1, 3, "33.3%"}, {1, 2, "50%"}} {
		if got := percent(tt.part, tt.of); got != tt.want {
			t.Errorf("percent(%d, %d) = %q, want %q", tt.part, tt.of, got, tt.want)
		}
	}
}

package layout

import "testing"

// TestPlaceOfSupervision checks how times of a cut become times of its file.
func TestPlaceOfSupervision(t *testing.T) {
	t.Parallel()
	of := func(kind string) cut {
		c := cut{Duration: 2, Recording: &lhotseRecording{}}
		c.Recording.Sources = append(c.Recording.Sources, struct {
			Type   string `json:"type"`
			Source string `json:"source"`
		}{Type: kind})
		return c
	}
	for _, tt := range []struct {
		kind                  string
		from, start, duration float64
		wantStart, wantLength float64
	}{
		{"file", 10, 0.5, 1, 10.5, 1},
		{"file", 10, -1, 4, 9, 4},
		{"file", 0, -1, 3, 0, 2},
		{"shar", 0, -1, 4, 0, 2},
		{"shar", 0, 1.5, 1, 1.5, 0.5},
	} {
		s := lhotseSupervision{Start: &tt.start, Duration: &tt.duration}
		of(tt.kind).place(&s, tt.from)
		if *s.Start != tt.wantStart || *s.Duration != tt.wantLength {
			t.Errorf("%+v: starts at %v for %v s", tt, *s.Start, *s.Duration)
		}
	}
}

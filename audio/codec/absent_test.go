package codec

import (
	"slices"
	"testing"

	"vaak/audio"
)

// TestAbsent: each codec is either available or has a reason.
func TestAbsent(t *testing.T) {
	t.Parallel()
	all := Available()
	for _, a := range Absent() {
		if a.Err == nil || a.Package == "" || slices.Contains(all, a.Codec) {
			t.Errorf("%+v is absent without a reason, or is available", a)
		}
		all = append(all, a.Codec)
	}
	for _, c := range audio.Codecs {
		if !slices.Contains(all, c) {
			t.Errorf("%s is neither available nor absent", c)
		}
	}
}

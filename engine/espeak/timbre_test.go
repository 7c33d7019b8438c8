package espeak

import (
	"regexp"
	"strings"
	"testing"

	"vaak/voice"
)

func TestTimbresCoverTheRoster(t *testing.T) {
	t.Parallel()
	all := voice.All()
	if got, want := len(timbres()), len(all); got != want {
		t.Errorf("timbres.tsv has %d voices, the roster %d", got, want)
	}
	name := regexp.MustCompile(`^[A-Za-z0-9]+$`)
	for _, v := range all {
		tb, ok := timbres()[v.ID]
		if !ok {
			t.Errorf("%s (%s) has no timbre", v.ID, v.Name)
			continue
		}
		switch {
		case !name.MatchString(tb.Variant):
			t.Errorf("%s: variant %q", v.ID, tb.Variant)
		case tb.Pitch < 0 || tb.Pitch > 99:
			t.Errorf("%s: pitch %d is outside 0 to 99", v.ID, tb.Pitch)
		case tb.Range < 0 || tb.Range > 99:
			t.Errorf("%s: range %d is outside 0 to 99", v.ID, tb.Range)
		case tb.Rate < 160 || tb.Rate > 190:
			t.Errorf("%s: rate %d is outside 160 to 190", v.ID, tb.Rate)
		case tb.Volume < 1 || tb.Volume > 200:
			t.Errorf("%s: volume %d is outside 1 to 200", v.ID, tb.Volume)
		}
	}
}

func TestTimbresDifferInsideALanguage(t *testing.T) {
	t.Parallel()
	const apart = 10 // Hz between two voices of a gender, at the least
	for i, a := range voice.All() {
		for _, b := range voice.All()[:i] {
			if a.Native != b.Native {
				continue
			}
			x, y := timbreOf(a.ID), timbreOf(b.ID)
			if x.Variant == y.Variant {
				t.Errorf("%s: %s and %s are both variant %s", a.Native, a.Name, b.Name, x.Variant)
			}
			if many := len(voice.ForLanguage(a.Native)) > 8; a.Gender == b.Gender && !many && max(x.Hz-y.Hz, y.Hz-x.Hz) < apart {
				t.Errorf("%s: %s and %s speak at %d and %d Hz, want %d apart", a.Native, a.Name, b.Name, x.Hz, y.Hz, apart)
			}
		}
	}
}

// The roster says of every voice whether it is low, medium or high for its
// gender; that has to be true on this engine.
func TestPitchIsAsDescribed(t *testing.T) {
	t.Parallel()
	bands := map[voice.Gender][2]int{voice.Male: {106, 124}, voice.Female: {187, 213}} // Hz
	for _, v := range voice.All() {
		hz, limit := timbreOf(v.ID).Hz, bands[v.Gender]
		want := "medium"
		switch {
		case hz < limit[0]:
			want = "low"
		case hz >= limit[1]:
			want = "high"
		}
		if !strings.Contains(v.Description, " "+want+"-pitched ") {
			t.Errorf("%s speaks at %d Hz, which is %s for %s: %q", v.ID, hz, want, v.Gender, v.Description)
		}
	}
}

func TestTimbreOfUnknownVoice(t *testing.T) {
	t.Parallel()
	if got := timbreOf("sv_nobody"); got != plainTimbre {
		t.Errorf("timbreOf of an unknown voice = %+v, want %+v", got, plainTimbre)
	}
}

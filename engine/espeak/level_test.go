package espeak

import (
	"math"
	"testing"

	"vaak/engine"
	"vaak/lang"
	"vaak/voice"
)

func TestLevelsCoverTheLanguages(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		name, _ := voiceName(l.Code)
		for id, tb := range timbres() {
			db, ok := levels()[name][tb.Variant]
			if !ok || math.Abs(db) > 12 {
				t.Fatalf("%s (%s) with variant %s of %s: %.1f dB, measured %v", l.Code, name, tb.Variant, id, db, ok)
			}
		}
	}
}

func TestVolumeIn(t *testing.T) {
	t.Parallel()
	he, en := levels()["he"]["f1"], levels()["en-us"]["f1"]
	if he > en-2 {
		t.Fatalf("he is at %.1f dB and en-us at %.1f; want he, which is soft, well below", he, en)
	}
	factor := math.Pow(10, (en-he)/20)
	for _, tt := range []struct {
		name         string
		volume       int
		native, code lang.Code
		spoken       string
		want         int
	}{
		{"its own language", 50, "en", "en", "en-us", 50},
		{"a neighbour's voice", 50, "mai", "hi", "hi", 50},
		{"a soft language", 50, "en", "he", "he", int(math.Round(50 * factor))},
		{"a soft voice", 50, "he", "en", "en-us", int(math.Round(50 / factor))},
		{"a soft voice in a regional variety", 50, "he", "en", "en-029", int(math.Round(50 / factor))},
		{"no louder than the library", 190, "en", "he", "he", 200},
		{"nobody's", 50, "", "he", "he", 50},
		{"unknown", 50, "en", "xx", "xx", 50},
	} {
		if got := volumeIn(Timbre{Variant: "f1", Volume: tt.volume}, tt.native, tt.code, tt.spoken); got != tt.want {
			t.Errorf("%s: volumeIn(%d, %s, %s) = %d, want %d", tt.name, tt.volume, tt.native, tt.spoken, got, tt.want)
		}
	}
	if got := volumeIn(Timbre{Variant: "whisper", Volume: 50}, "en", "he", "he"); got != 50 {
		t.Errorf("a variant that was not measured changes to %d, want 50", got)
	}
}

func TestParametersHoldTheLevel(t *testing.T) {
	t.Parallel()
	v := voice.ForLanguage("en")[0]
	plain := func(lang.Code, lang.Code) bool { return false } // with the language's own sounds
	own, _ := parametersOf(engine.Utterance{Language: "en", Voice: v}, newAccents(plain), timbres())
	soft, _ := parametersOf(engine.Utterance{Language: "he", Voice: v}, newAccents(plain), timbres())
	british, _ := parametersOf(engine.Utterance{Language: "en", Region: "GB", Voice: v}, newAccents(plain), timbres())
	if own.Volume != timbreOf(v.ID).Volume || british.Volume != own.Volume || soft.Volume <= own.Volume {
		t.Errorf("volumes %d in en, %d in en-GB, %d in he; want %d twice and then more", own.Volume, british.Volume, soft.Volume, timbreOf(v.ID).Volume)
	}
}

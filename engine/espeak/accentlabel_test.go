package espeak

import (
	"strings"
	"testing"

	"vaak/engine"
	"vaak/lang"
	"vaak/voice"
)

// heard is what the ways of speaking of the library's regional voices are called.
var heard = map[string]string{
	"en-us": "American English", "en": "British English", "en-029": "Caribbean English",
	"es": "European Spanish", "es-419": "Latin American Spanish",
	"pt-br": "Brazilian Portuguese", "pt": "European Portuguese",
	"fr": "European French", "fr-be": "Belgian French", "fr-ch": "Swiss French",
	"hy": "Eastern Armenian", "hyw": "Western Armenian",
}

// TestAccentSaysWhatIsHeard: the accent of every voice is that of the library's voice
// which speaks its native language for it, where the engine tells regions apart.
func TestAccentSaysWhatIsHeard(t *testing.T) {
	t.Parallel()
	spoken := func(u engine.Utterance) string {
		p, ok := ParametersOf(u)
		if !ok {
			t.Fatalf("%s is not spoken", u.Language)
		}
		name, _, _ := strings.Cut(p.Voice, "+")
		return name
	}
	for _, v := range voice.All() {
		name := spoken(engine.Utterance{Text: "text", Language: v.Native, Voice: v})
		if regional[v.Native] == nil {
			l, _ := lang.Lookup(v.Native)
			if v.Region != "" || !strings.HasPrefix(v.Accent, l.Name) {
				t.Errorf("%s has the region %q and the accent %q, and %s has one form here", v.Name, v.Region, v.Accent, l.Name)
			}
			continue
		}
		if v.Region == "" || heard[name] != v.Accent {
			t.Errorf("%s of %s, region %q, is spoken by %s, which is %q", v.Name, v.Accent, v.Region, name, heard[name])
		}
		if known, ok := voiceFor(v.Native, v.Region, "text"); !ok || known != name {
			t.Errorf("%s of region %q is spoken by %s, want %s", v.Name, v.Region, name, known)
		}
	}
	for _, v := range voice.ForLanguage("en") {
		for region, want := range map[string]string{"US": "en-us", "GB": "en", "JM": "en-029"} {
			if got := spoken(engine.Utterance{Text: "text", Language: "en", Region: region, Voice: v}); got != want {
				t.Errorf("%s, asked for en-%s, is spoken by %s, want %s", v.Name, region, got, want)
			}
		}
		if got, want := spoken(engine.Utterance{Text: "texto", Language: "pt", Voice: v}), "en-us"; got != want {
			t.Errorf("%s speaks Portuguese with the sounds of %s, want %s, of which the accent was measured", v.Name, got, want)
		}
	}
}

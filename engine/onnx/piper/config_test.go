package piper

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"vaak/internal/fault"
	"vaak/lang"
)

func TestParse(t *testing.T) {
	t.Parallel()
	c, err := Parse(configOf(t, map[string]any{
		"audio": map[string]any{"sample_rate": 22500, "quality": "high"}, "num_speakers": 3, "speaker_id_map": map[string]any{"p2": 2, "p0": 0},
		"default_speaker_id": 2, "hop_length": 512, "inference": map[string]any{"noise_w": 0.5},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if c.SampleRate != 22050 || c.Quality != "high" || c.Hop != 512 || !slices.Equal(c.Speakers, []string{"p0", "1", "p2"}) || c.Default != 2 ||
		c.NoiseScale != 0.667 || c.LengthScale != 1 || c.NoiseW != 0.5 || c.Phonemes != Espeak || c.Symbols != 256 || len(c.IDs) != 157 ||
		c.Language != "en" || c.Region != "US" || c.Reader != "US" || c.Dataset != "tiny" || c.Version != "1.0.0" {
		t.Errorf("%+v", c)
	}
	// The least that a voice can have.
	c, err = Parse([]byte(`{"audio":{"sample_rate":16000},"espeak":{"voice":"de"},"phoneme_id_map":{"_":[0],"^":[1],"$":[2],"a":3}}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.Hop != 256 || c.Symbols != 4 || len(c.Speakers) != 1 || c.Region != "" || c.NoiseW != 0.8 {
		t.Errorf("%+v", c)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		voice, told  string // told is the region of the key language
		code         lang.Code
		region, read string
	}{
		{"en-us", "US", "en", "US", "US"},
		{"en-gb-x-rp", "GB", "en", "GB", "GB"},
		{"en", "", "en", "GB", "GB"},
		{"en-us", "GB", "en", "GB", "US"},
		{"es", "MX", "es", "MX", "ES"},
		{"es-419", "AR", "es", "AR", "419"},
		{"pt-PT", "PT", "pt", "PT", "PT"},
		{"pt", "", "pt", "PT", "PT"},
		{"pt-br", "BR", "pt", "BR", "BR"},
		{"fr", "FR", "fr", "FR", "FR"},
		{"cmn", "CN", "zh", "CN", "CN"},
		{"nb", "NO", "nb", "NO", "NO"},
		{"no", "", "nb", "NO", "NO"},
		{"vi-vn-x-central", "VN", "vi", "VN", ""},
		{"de", "DE", "de", "DE", ""},
		{"fa", "IR", "fa", "IR", ""},
		{"sv+f3", "wrong", "sv", "", ""},
		{"hyw", "", "hy", "LB", "LB"},
	} {
		c, err := Parse(configOf(t, map[string]any{"espeak": map[string]any{"voice": tt.voice}, "language": map[string]any{"region": tt.told}}))
		if err != nil {
			t.Errorf("%s: %v", tt.voice, err)
			continue
		}
		if c.Language != tt.code || c.Region != tt.region || c.Reader != tt.read {
			t.Errorf("%s in %q is %s %q read by %q, want %s %q %q", tt.voice, tt.told, c.Language, c.Region, c.Reader, tt.code, tt.region, tt.read)
		}
	}
	// A voice that takes text needs no voice of espeak-ng.
	c, err := Parse(configOf(t, map[string]any{"espeak": nil, "phoneme_type": "text", "language": map[string]any{"code": "uk_UA", "region": "UA"}}))
	if err != nil || c.Language != "uk" || c.Region != "UA" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	many := map[string]any{"_": []int{0}, "^": []int{1}, "$": []int{2}}
	for i := range 5000 {
		many[string(rune(0x4e00+i))] = []int{3}
	}
	without := usualIDs()
	delete(without, "^")
	outside := usualIDs()
	outside["a"] = []int64{256}
	long := usualIDs()
	long["a"] = make([]int64, 9)
	for _, tt := range []struct {
		name    string
		changes map[string]any
		field   string
		say     []string
	}{
		{"no rate", map[string]any{"audio": map[string]any{}}, "audio.sample_rate", []string{"8000 to 48000", "missing"}},
		{"no audio", map[string]any{"audio": nil}, "audio", []string{"missing"}},
		{"audio is a list", map[string]any{"audio": []int{1}}, "audio", []string{"JSON object", "[1]"}},
		{"rate of text", map[string]any{"audio": map[string]any{"sample_rate": "22050"}}, "audio.sample_rate", []string{`"22050"`}},
		{"rate too high", map[string]any{"audio": map[string]any{"sample_rate": 96000}}, "audio.sample_rate", []string{"96000"}},
		{"rate of a part", map[string]any{"audio": map[string]any{"sample_rate": 22050.5}}, "audio.sample_rate", []string{"22050.5"}},
		{"hop", map[string]any{"hop_length": 0}, "hop_length", []string{"16 to 4096", "is 0"}},
		{"language", map[string]any{"espeak": map[string]any{"voice": "lb"}}, "espeak.voice", []string{"en, hi, bn", `"lb"`}},
		{"no voice", map[string]any{"espeak": map[string]any{}}, "espeak.voice", []string{"missing"}},
		{"voice auto", map[string]any{"espeak": map[string]any{"voice": "auto"}}, "espeak.voice", []string{`"auto"`}},
		{"pinyin", map[string]any{"phoneme_type": "pinyin"}, "phoneme_type", []string{"espeak or text", `"pinyin"`}},
		{"type of number", map[string]any{"phoneme_type": 3}, "phoneme_type", []string{"is 3"}},
		{"noise", map[string]any{"inference": map[string]any{"noise_scale": -1}}, "inference.noise_scale", []string{"0 to 10", "-1"}},
		{"length", map[string]any{"inference": map[string]any{"length_scale": 1e6}}, "inference.length_scale", []string{"0.1 to 10", "1000000"}},
		{"many symbols", map[string]any{"phoneme_id_map": many}, "phoneme_id_map", []string{"4096", "5003"}},
		{"no BOS", map[string]any{"phoneme_id_map": without}, "phoneme_id_map", []string{"no ^"}},
		{"no map", map[string]any{"phoneme_id_map": nil}, "phoneme_id_map", []string{"missing"}},
		{"id outside", map[string]any{"phoneme_id_map": outside}, "phoneme_id_map.a", []string{"0 to 255", "256"}},
		{"many ids", map[string]any{"phoneme_id_map": long}, "phoneme_id_map.a", []string{"1 to 8", "has 9"}},
		{"ids of text", map[string]any{"phoneme_id_map": map[string]any{"a": []string{"b"}}}, "phoneme_id_map.a", nil},
		{"negative speakers", map[string]any{"num_speakers": -1}, "num_speakers", []string{"1 to 4096", "-1"}},
		{"speaker outside", map[string]any{"num_speakers": 2, "speaker_id_map": map[string]any{"p": 2}}, "speaker_id_map.p", []string{"0 to 1", "is 2"}},
		{"speaker twice", map[string]any{"num_speakers": 2, "speaker_id_map": map[string]any{"p": 1, "q": 1}}, "speaker_id_map.q", []string{`"p"`}},
		{"speaker's name", map[string]any{"num_speakers": 2, "speaker_id_map": map[string]any{"p\n": 1}}, "speaker_id_map", []string{"control"}},
		{"default speaker", map[string]any{"default_speaker_id": 1}, "default_speaker_id", []string{"0 to 0"}},
		{"map of symbols", map[string]any{"phoneme_map": map[string]any{"a": 3}}, "phoneme_map.a", []string{"list", "is 3"}},
		{"clusters", map[string]any{"vowel_clusters": [][]string{{"a"}}}, "vowel_clusters", []string{"2 to 8", "has 1"}},
		{"dataset", map[string]any{"dataset": strings.Repeat("a", 200)}, "dataset", []string{"128"}},
	} {
		_, err := Parse(configOf(t, tt.changes))
		checkRefused(t, tt.name, err, tt.field, tt.say...)
	}
	for name, data := range map[string]string{
		"empty": "", "no object": "[]", "null": "null", "cut off": `{"audio":{`, "two values": "{} {}", "deep": strings.Repeat("[", 1e5),
		"not UTF-8": "{\"a\":\"\xff\"}", "large": strings.Repeat(" ", maxConfig+1),
	} {
		_, err := Parse([]byte(data))
		checkRefused(t, name, err, "")
	}
}

// checkRefused fails unless an error is a sentence about a key.
func checkRefused(t *testing.T, name string, err error, field string, say ...string) {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Invalid || f.Field != field || len(f.Msg) > 600 {
		t.Errorf("%s: error %v about %q, want one about %q", name, err, f.Field, field)
		return
	}
	for _, s := range append(say, field) {
		if !strings.Contains(f.Msg, s) {
			t.Errorf("%s: %q does not say %q", name, f.Msg, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"audio":{"sample_rate":16000},"espeak":{"voice":"de"},"phoneme_id_map":{"_":[0],"^":[1],"$":[2],"a":3}}`))
	f.Add([]byte(`{"audio":{"sample_rate":1e4},"num_speakers":2,"speaker_id_map":{"a":1},"vowel_clusters":[["a","b"]],"phoneme_map":{"a":["b"]}}`))
	f.Add([]byte(`{"num_symbols":null,"phoneme_id_map":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("error %v", err)
			}
			return
		}
		if c.SampleRate < 8000 || c.Hop < 16 || len(c.Speakers) == 0 || c.Default >= len(c.Speakers) || c.Language == "" || math.IsNaN(c.NoiseW) || c.LengthScale < 0.1 {
			t.Errorf("%+v", c)
		}
		for _, ids := range c.IDs {
			for _, id := range ids {
				if id < 0 || id >= int64(c.Symbols) {
					t.Errorf("id %d of %d", id, c.Symbols)
				}
			}
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
		NewEncoder(c)
	})
}

func TestParseName(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]Name{
		"en_US-lessac-medium.onnx":                  {"en_US", "lessac", "medium", "Lessac"},
		"/x/en_GB-southern_english_female-low.onnx": {"en_GB", "southern_english_female", "low", "Southern English Female"},
		"uk_UA-ukrainian_tts-medium.onnx.json":      {"uk_UA", "ukrainian_tts", "medium", "Ukrainian Tts"},
		"de_DE-thorsten_emotional-x_low":            {"de_DE", "thorsten_emotional", "x_low", "Thorsten Emotional"},
		"es-419-some-high":                          {"es_419", "some", "high", "Some"},
		"hi-x-medium":                               {"hi", "x", "medium", "X"},
		"glados.onnx":                               {"", "glados", "", "Glados"},
		"medium.onnx":                               {"", "medium", "", "Medium"},
		"":                                          {},
		`C:\voices\kk_KZ-iseke-x_low.onnx`:          {"kk_KZ", "iseke", "x_low", "Iseke"},
		"en_US-\xff\x00-high":                       {"en_US", "\xff\x00", "high", ""},
	} {
		if got := ParseName(file); got != want {
			t.Errorf("ParseName(%q) = %+v, want %+v", file, got, want)
		}
	}
}

func TestLicence(t *testing.T) {
	t.Parallel()
	for card, want := range map[string]string{
		"# Model card for lessac (medium)\n\n* Language: en_US\n\n## Dataset\n\n* URL: https://x\n* License: CC BY 4.0\n": "CC BY 4.0",
		"---\nlicense: apache-2.0\n---\n# Voice": "apache-2.0",
		"- **License:** mit\r\n":                 "mit",
		"* Licence : \"See URL\" ":               "See URL",
		"The license: of this":                   "",
		"License:\n\nMIT":                        "",
		"# Licence\nMIT":                         "",
		"":                                       "",
		"License: " + strings.Repeat("ü", 300):   strings.Repeat("ü", 200),
		"license: a\x1b[31mb":                    "a[31mb",
	} {
		if got, ok := Licence(card); got != want || ok != (want != "") {
			t.Errorf("Licence(%q) = %q, %v, want %q", card, got, ok, want)
		}
	}
}

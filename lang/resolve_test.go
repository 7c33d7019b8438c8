package lang_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/lang"
)

func TestResolveEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		_, region, _ := strings.Cut(l.BCP47, "-")
		for hint, want := range map[string]lang.Tag{
			string(l.Code):                        {Code: l.Code},
			strings.ToUpper(string(l.Code)):       {Code: l.Code},
			l.ISO6393:                             {Code: l.Code},
			l.Name:                                {Code: l.Code},
			strings.ToUpper(l.Name):               {Code: l.Code},
			l.Native:                              {Code: l.Code},
			" " + l.Native + " ":                  {Code: l.Code},
			l.BCP47:                               {Code: l.Code, Region: region},
			strings.ReplaceAll(l.BCP47, "-", "_"): {Code: l.Code, Region: region},
			strings.ToLower(l.BCP47):              {Code: l.Code, Region: region},
			l.Name + "-" + region:                 {Code: l.Code, Region: region},
		} {
			if got, err := lang.Resolve(hint); err != nil || got != want {
				t.Errorf("Resolve(%q) = %v, %v, want %v", hint, got, err, want)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for hint, want := range map[string]lang.Tag{
		"": {}, "auto": {}, "AUTO": {}, "und": {}, "  ": {}, "\t": {},
		"hi-IN": {Code: "hi", Region: "IN"}, "hi_in": {Code: "hi", Region: "IN"},
		"en-us": {Code: "en", Region: "US"}, "en_US.UTF-8": {Code: "en", Region: "US"},
		"hi-Latn": {Code: "hi", Script: "Latn"}, "hi_latn_IN": {Code: "hi", Script: "Latn", Region: "IN"},
		"zh-Hant-TW": {Code: "zh", Script: "Hant", Region: "TW"},
		"es-419":     {Code: "es", Region: "419"},
		"zh-cmn":     {Code: "zh"}, "zh-yue": {Code: "yue"}, "zh-yue-HK": {Code: "yue", Region: "HK"},
		"cmn-Hans-CN": {Code: "zh", Script: "Hans", Region: "CN"},
		"iw":          {Code: "he"}, "in": {Code: "id"}, "iw-IL": {Code: "he", Region: "IL"},
		"no": {Code: "nb"}, "nn": {Code: "nb"}, "nn-NO": {Code: "nb", Region: "NO"}, "nor": {Code: "nb"},
		"sh": {Code: "sr", Script: "Latn"}, "scc": {Code: "sr"}, "scr": {Code: "hr"},
		"mo": {Code: "ro", Region: "MD"}, "prs": {Code: "fa", Region: "AF"},
		"pnb": {Code: "pa", Script: "Arab"}, "pes": {Code: "fa"}, "per": {Code: "fa"},
		"ory": {Code: "or"}, "gom": {Code: "kok"}, "npi": {Code: "ne"}, "swh": {Code: "sw"},
		"ger": {Code: "de"}, "fre": {Code: "fr"}, "chi": {Code: "zh"}, "zsm": {Code: "ms"}, "may": {Code: "ms"},
		"Farsi": {Code: "fa"}, "Mandarin": {Code: "zh"}, "Bangla": {Code: "bn"}, "Oriya": {Code: "or"},
		"Panjabi": {Code: "pa"}, "Castilian": {Code: "es"}, "Flemish": {Code: "nl", Region: "BE"},
		"Norwegian": {Code: "nb"}, "Meitei": {Code: "mni"}, "Brazilian Portuguese": {Code: "pt", Region: "BR"},
		"Hinglish": {Code: "hi", Script: "Latn"}, "Chinese (Traditional)": {Code: "zh"},
		"traditional chinese": {Code: "zh", Script: "Hant"}, "English (India)": {Code: "en"},
		"hindi language": {Code: "hi"}, "hindi_IN": {Code: "hi", Region: "IN"},
		"Turkce": {Code: "tr"}, "francais": {Code: "fr"}, "tieng viet": {Code: "vi"}, "Cestina": {Code: "cs"},
		"TÜRKÇE": {Code: "tr"}, "ＨＩＮＤＩ": {Code: "hi"}, "o'zbek": {Code: "uz"}, "oʻzbek": {Code: "uz"},
		"en-GB-oxendict": {Code: "en", Region: "GB"}, "hi-IN-u-nu-deva": {Code: "hi", Region: "IN"},
		"pt-PT": {Code: "pt", Region: "PT"}, "pt_BR": {Code: "pt", Region: "BR"}, "en-GB": {Code: "en", Region: "GB"},
		"de-AT": {Code: "de", Region: "AT"}, "ta-Latn": {Code: "ta", Script: "Latn"}, "ur-Deva": {Code: "ur", Script: "Deva"},
		"eng": {Code: "en"}, "eng-IN": {Code: "en", Region: "IN"}, "ben-Beng-BD": {Code: "bn", Script: "Beng", Region: "BD"},
		"Hindi (India)": {Code: "hi"}, "English-IN": {Code: "en", Region: "IN"}, "zh-HK": {Code: "zh", Region: "HK"},
		"sr-Cyrl-RS": {Code: "sr", Script: "Cyrl", Region: "RS"}, "pa-Arab-PK": {Code: "pa", Script: "Arab", Region: "PK"},
		"Deutsch": {Code: "de"}, "allemand": {Code: "de"}, "alemán": {Code: "de"}, "aleman": {Code: "de"}, "немецкий": {Code: "de"},
		"जर्मन": {Code: "de"}, "德语": {Code: "de"}, "德文": {Code: "de"}, "ドイツ語": {Code: "de"}, "الألمانية": {Code: "de"},
		"अंग्रेज़ी": {Code: "en"}, "अंग्रेजी": {Code: "en"}, "बंगाली": {Code: "bn"}, "английский": {Code: "en"},
		"हिन्दी": {Code: "hi"}, "हिंदी": {Code: "hi"}, "বাংলা": {Code: "bn"}, "日本語": {Code: "ja"},
	} {
		if got, err := lang.Resolve(hint); err != nil || got != want {
			t.Errorf("Resolve(%q) = %v, %v, want %v", hint, got, err, want)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	for hint, want := range map[string]string{
		"hindhi":                 `lang "hindhi" is not a supported language; did you mean hi (Hindi) or sd (Sindhi)?`,
		"englsh":                 "en (English)",
		"klingon":                "; GET /v1/languages lists the 80 that are",
		"tlh":                    "; GET /v1/languages lists the 80 that are",
		"hi-XYZQ9!":              "hi (Hindi)",
		"mul":                    "; GET /v1/languages lists the 80 that are",
		"zxx":                    "; GET /v1/languages lists the 80 that are",
		"th":                     "; GET /v1/languages lists the 80 that are",
		"Thai":                   "; GET /v1/languages lists the 80 that are",
		"français, English":      "; did you mean fr (French) or en (English)?",
		"अफ़्रीकी":               "; GET /v1/languages lists the 80 that are",
		"[hi]":                   "; GET /v1/languages lists the 80 that are",
		"-":                      "; GET /v1/languages lists the 80 that are",
		"ger man":                "de (German)",
		"fil":                    "; GET /v1/languages lists the 80 that are",
		"a\x00b\n":               `lang "a\x00b\n" is`,
		"\xff\xfe":               `lang "\xff\xfe" is`,
		strings.Repeat("ह", 300): `lang "` + strings.Repeat("ह", 40) + `…" is`,
		strings.Repeat("x", 41):  `lang "` + strings.Repeat("x", 40) + `…" is`,
	} {
		got, err := lang.Resolve(hint)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok {
			t.Errorf("Resolve(%q) = %v, %v, want a fault", hint, got, err)
			continue
		}
		if f.Kind != fault.Invalid || f.Code != fault.CodeInvalidParameter || f.Field != "lang" {
			t.Errorf("Resolve(%q) error = %+v", hint, f)
		}
		if !strings.Contains(f.Msg, want) {
			t.Errorf("Resolve(%q) says %s, want %s", hint, f.Msg, want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"", "auto", "hi-IN", "zh_Hant_TW", "Norwegian Bokmål", "hindhi", "x-y-z", "en-u-nu-latn", "\xff", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, hint string) {
		tag, err := lang.Resolve(hint)
		if err != nil {
			if !utf8.ValidString(err.Error()) || len(err.Error()) > 1000 {
				t.Errorf("Resolve(%q) says %q", hint, err)
			}
			return
		}
		if tag.IsZero() {
			return
		}
		if _, ok := lang.Lookup(tag.Code); !ok {
			t.Errorf("Resolve(%q) = %v, which is no language", hint, tag)
		}
		if again, err := lang.Resolve(tag.String()); err != nil || again != tag {
			t.Errorf("Resolve(%q) = %v; resolved again %v, %v", hint, tag, again, err)
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	for _, hint := range []string{"hi", "en-IN", "Norwegian Bokmål", "hindhi"} {
		b.Run(hint, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = lang.Resolve(hint)
			}
		})
	}
}

// Find knows what Resolve knows.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, hint := range []string{"hi", "Farsi", "zh-Hant-TW", "auto", "", "und", "klingon", "hi-", "\xff", strings.Repeat("a", 257)} {
		want, err := lang.Resolve(hint)
		if got, ok := lang.Find(hint); got != want || ok != (err == nil) {
			t.Errorf("Find(%q) = %v, %t; Resolve = %v, %v", hint, got, ok, want, err)
		}
	}
}

// TestInstead suggests languages that are near, and none where none is: by what a hint
// names, by relation, by spelling.
func TestInstead(t *testing.T) {
	t.Parallel()
	const none = "GET /v1/languages lists the 80 that are"
	for hint, want := range map[string]string{
		"hindhi": "did you mean hi (Hindi) or sd (Sindhi)?", "englsh": "did you mean en (English)?", "Portugeuse": "did you mean pt (Portuguese)?",
		"Hnidi": "did you mean hi (Hindi)?", "Malyalam": "did you mean ml (Malayalam)?", "norwegain": "did you mean nb (Norwegian Bokmål)?",
		"தமில்": "did you mean ta (Tamil)?", "hi-IN-xyzzyxyzzy": "did you mean hi (Hindi)?", "English or French": "did you mean en (English) or fr (French)?",
		"gl": "did you mean es (Spanish) or pt (Portuguese)?", "Galician": "did you mean es (Spanish) or pt (Portuguese)?", "gl-ES": "did you mean es (Spanish) or pt (Portuguese)?",
		"bs-Latn-BA": "did you mean hr (Croatian), sr (Serbian) or sl (Slovenian)?", "Swiss German": "did you mean de (German)?", "jv": "did you mean id (Indonesian) or ms (Malay)?",
		"th": none, "tha": none, "Thai": none, "th-TH": none, "Klingon": none, "tlh": none, "fil": none, "lo": none, "km": none, "my": none, "zu": none,
		"xx": none, "x": none, "mul": none, "123": none, "\xff": none, "-": none, strings.Repeat("hindi", 60): none,
	} {
		if got := lang.Instead(hint); got != want {
			t.Errorf("Instead(%q) = %s, want %s", hint, got, want)
		}
		if _, err := lang.Resolve(hint); err == nil || !strings.HasSuffix(err.Error(), "; "+want) {
			t.Errorf("Resolve(%q) = %v, want it to say %s", hint, err, want)
		}
	}
}

package espeak

import (
	"testing"

	"vaak/lang"
)

func TestVoiceName(t *testing.T) {
	t.Parallel()
	for code, want := range map[lang.Code]string{
		"en": "en-us", "fr": "fr", "pt": "pt-br", "zh": "cmn-latn-pinyin", "yue": "yue", "ja": "ja", "nb": "nb",
		"hi": "hi", "kok": "mr", "sa": "kn", "mai": "hi", "ks": "ur", "mni": "bn", "sat": "hi",
	} {
		if got, ok := voiceName(code); !ok || got != want {
			t.Errorf("voiceName(%q) = %q, %v, want %q", code, got, ok, want)
		}
	}
	for _, code := range []lang.Code{"", "xx", "th", "en-us", "cmn"} {
		if got, ok := voiceName(code); ok {
			t.Errorf("voiceName(%q) = %q, want none", code, got)
		}
	}
}

func TestEveryLanguageHasAVoice(t *testing.T) {
	t.Parallel()
	spoken := map[string]bool{} // by voices of the languages' own
	for _, l := range lang.All() {
		if v, ok := voiceName(l.Code); ok && !l.BorrowedPhonology {
			spoken[v] = true
		}
	}
	for _, l := range lang.All() {
		v, ok := voiceName(l.Code)
		if !ok {
			t.Errorf("voiceName(%q) has none", l.Code)
		}
		if l.BorrowedPhonology && (!spoken[v] || v == string(l.Code)) {
			t.Errorf("%s borrows the voice %q, which is no other language's own", l.Code, v)
		}
	}
	for code := range standIns {
		if _, ok := lang.Lookup(code); !ok {
			t.Errorf("borrowed has %q, which is not a supported language", code)
		}
	}
}

func TestVoiceFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code lang.Code
		text string
		want string
	}{
		{"pa", "ਸਤ ਸ੍ਰੀ ਅਕਾਲ", "pa"},
		{"pa", "25 سلام", "ur"},
		{"doi", "नमस्ते", "hi"},
		{"doi", "سلام", "ur"},
		{"sd", "السلام", "sd"},
		{"sd", "सिन्धी", "hi"},
		{"ks", "کٲشُر", "ur"},
		{"ks", "कॉशुर", "hi"},
		{"ks", "25", "ur"},
		{"hi", "سلام", "hi"},
	} {
		if got, ok := voiceFor(tt.code, "", tt.text); !ok || got != tt.want {
			t.Errorf("voiceFor(%q, %q) = %q, %v, want %q", tt.code, tt.text, got, ok, tt.want)
		}
	}
	if got, ok := voiceFor("xx", "", "text"); ok {
		t.Errorf("voiceFor(%q) = %q, want none", "xx", got)
	}
}

func TestVoiceOfARegion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code   lang.Code
		region string
		want   string
	}{
		{"en", "IN", "en-us"},
		{"en", "US", "en-us"},
		{"en", "GB", "en"},
		{"en", "AU", "en"},
		{"en", "JM", "en-029"},
		{"es", "ES", "es"},
		{"es", "MX", "es-419"},
		{"es", "419", "es-419"},
		{"pt", "BR", "pt-br"},
		{"pt", "PT", "pt"},
		{"fr", "CA", "fr"},
		{"fr", "CH", "fr-ch"},
		{"fr", "BE", "fr-be"},
		{"hy", "AM", "hy"},
		{"hy", "LB", "hyw"},
		{"zh", "TW", "cmn-latn-pinyin"},
		{"hi", "GB", "hi"},
	} {
		if got, ok := voiceFor(tt.code, tt.region, "text"); !ok || got != tt.want {
			t.Errorf("voiceFor(%q, %q) = %q, %v, want %q", tt.code, tt.region, got, ok, tt.want)
		}
	}
	if got, _ := voiceFor("sd", "PK", "सिन्धी"); got != "hi" {
		t.Errorf("voiceFor(sd, PK) in Devanagari = %q, want hi", got)
	}
}

package lang_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"vaak/lang"
)

func TestScriptOfAgreesWithUnicode(t *testing.T) {
	t.Parallel()
	tables := map[string]string{
		"Latn": "Latin", "Deva": "Devanagari", "Arab": "Arabic", "Cyrl": "Cyrillic", "Hani": "Han",
		"Hang": "Hangul", "Kana": "Katakana", "Hira": "Hiragana", "Ethi": "Ethiopic", "Thai": "Thai",
		"Zyyy": "Common", "Zinh": "Inherited", "Mtei": "Meetei_Mayek", "Grek": "Greek",
	}
	want := map[rune]string{}
	for iso, table := range tables {
		for _, r := range unicode.Scripts[table].R16 {
			for c := int(r.Lo); c <= int(r.Hi); c += int(r.Stride) {
				want[rune(c)] = iso
			}
		}
		for _, r := range unicode.Scripts[table].R32 {
			for c := int(r.Lo); c <= int(r.Hi); c += int(r.Stride) {
				want[rune(c)] = iso
			}
		}
	}
	for r := rune(-1); r <= 0x3FFFF; r++ {
		got := lang.ScriptOf(r)
		if _, listed := tables[got]; listed && got != want[r] || !listed && want[r] != "" || len(got) != 4 {
			t.Fatalf("ScriptOf(%U) = %s, want %s", r, got, want[r])
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]lang.Code{
		"": "en", "12345": "en", "... !": "en", "😀": "en", "\xff\xfe": "en", "ไทย": "en",
		"Hello world": "en", "café naïve": "en", "Łódź is a city in Poland": "en",
		"नमस्ते दुनिया": "hi", "१२३": "hi", "मी शाळेत जातो आणि फळे खातो": "mr",
		"আমার সোনার বাংলা": "bn", "মই অসমীয়া ভাষা কওঁ আৰু লিখোঁ": "as", "ꯃꯩꯇꯩꯂꯣꯟ": "mni", "ᱥᱟᱱᱛᱟᱲᱤ": "sat",
		"வணக்கம்": "ta", "నమస్కారం": "te", "ನಮಸ್ಕಾರ": "kn", "നമസ്കാരം": "ml", "ਸਤ ਸ੍ਰੀ ਅਕਾਲ": "pa",
		"નમસ્તે": "gu", "ନମସ୍କାର": "or", "ආයුබෝවන්": "si",
		"مرحبا بالعالم": "ar", "یہ اردو زبان ہے": "ur", "سلام دنیا چطوری": "fa", "سنڌي ٻولي ۾ لکيل": "sd", "کٲشُر زَبان": "ks",
		"Привет, мир": "ru", "Съешь объект и подъезд ещё": "ru", "Привіт, світе, її їжа": "uk", "Прывітанне, у мяне ёсць ідэя": "be",
		"Добрае раніца, ўсім": "be", "Сәлем, әлем, қалың қалай": "kk", "Салам, дүйнө, кыргыз тилинде сүйлөйм": "ky",
		"Здраво, ћаскамо са ђаком": "sr", "Београд је главни град": "sr", "Здраво, ќе дојдам кај ѓаволот": "mk",
		"Българският език е славянски, гълъбът лети": "bg",
		"你好，世界": "zh", "こんにちは世界": "ja", "カタカナ": "ja", "我哋喺香港，你唔好走": "yue", "안녕하세요": "ko", "大韓民國 만세 우리나라": "ko",
		"שלום עולם": "he", "ሰላም ለዓለም": "am", "გამარჯობა": "ka", "Բարեւ": "hy", "Γειά σου": "el",
		"Dziękuję": "pl", "Köszönöm": "hu", "Teşekkür ederim": "tr", "Buenos días": "es", "Kiitos paljon": "fi", "Asante sana": "sw",
		"да": "ru", "мир": "ru", "Спасибо": "ru", "مرحبا": "ar", "আমি ভাত খাই": "bn", "谢谢": "zh", "धन्यवाद": "hi",
		"١٢٣": "ar", "১২": "bn", "你好": "zh", "شکریہ": "ur", "क्या हाल है": "hi",
		"Tôi yêu tiếng Việt lắm": "vi", "Gdzie są łyżki? Łukasz ma łopatę": "pl", "Příliš žluťoučký kůň úpěl": "cs",
		"Şu dağın ardında ışık var": "tr", "Mən Azərbaycan dilində danışıram": "az",
		"मैं office जा रहा हूँ": "hi", "The word नमस्ते means hello": "en",
	} {
		if got := lang.Detect(text); got != want {
			t.Errorf("Detect(%q) = %s, want %s", text, got, want)
		}
	}
}

// A native name is written in a script of its own language, so detection comes
// to a language that writes the same script.
func TestDetectNativeNames(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		got, _ := lang.Lookup(lang.Detect(l.Native))
		shares := false
		for _, r := range l.Native {
			shares = shares || l.Writes(lang.ScriptOf(r)) && got.Writes(lang.ScriptOf(r))
		}
		if !shares {
			t.Errorf("Detect(%q) = %s, which does not write the script of %s", l.Native, got.Code, l.Code)
		}
	}
}

func TestDetectIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, script string
		want         lang.Code
	}{
		{"Hello नमस्ते", "Deva", "hi"},
		{"Hello नमस्ते", "Latn", "en"},
		{"Hello नमस्ते", "Arab", ""},
		{"शाळा means school, घर is home", "Deva", "mr"},
		{"東京 tower タワー", "Hani", "ja"},
		{"東京 tower タワー", "Kana", "ja"},
		{"東京 tower", "Kana", ""},
		{"ไทย", "Thai", ""},
		{"x", "Qqqq", ""},
	} {
		if got := lang.DetectIn(tt.text, tt.script); got != tt.want {
			t.Errorf("DetectIn(%q, %s) = %q, want %q", tt.text, tt.script, got, tt.want)
		}
	}
}

func TestDetectDoesNotAllocate(t *testing.T) {
	text := strings.Repeat("मैं office जा रहा हूँ ", 20)
	if n := testing.AllocsPerRun(10, func() { lang.Detect(text) }); n != 0 {
		t.Errorf("Detect allocates %v times", n)
	}
	some := lang.Offering("en", "mr", "sr").Voiced("mr")
	if n := testing.AllocsPerRun(10, func() { some.Detect(text); some.DetectIn(text, "Latn") }); n != 0 {
		t.Errorf("Detect with a prior allocates %v times", n)
	}
}

func FuzzDetect(f *testing.F) {
	for _, s := range []string{"", "Hello", "नमस्ते", "東京タワー", "یہ ہے", "\xffъ", "ъ", "123"} {
		f.Add(s)
	}
	var before lang.Memory
	before.Detect("मी शाळेत जातो")
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := lang.Lookup(lang.Detect(text)); !ok {
			t.Errorf("Detect(%q) = %q, which is no language", text, lang.Detect(text))
		}
		m := before
		if _, ok := lang.Lookup(m.Detect(text)); !ok {
			t.Errorf("Memory.Detect(%q) is no language", text)
		}
		some := lang.Offering("mr", "sr", "yue", "pt")
		if got := some.Voiced("pt").Detect(text); !some.Offers(got) {
			t.Errorf("Detect(%q) = %s, which is not offered", text, got)
		}
		for _, script := range []string{"Latn", "Deva", "Arab", "Cyrl", "Hani", "Kana", "Thai"} {
			if got := lang.DetectIn(text, script); got != "" {
				if l, _ := lang.Lookup(got); !l.Writes(script) {
					t.Errorf("DetectIn(%q, %s) = %q, which does not write it", text, script, got)
				}
			}
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	for name, s := range map[string]string{"latin": "The quick brown fox jumps. ", "devanagari": "मैं आज स्कूल जा रहा हूँ। ", "cyrillic": "Съешь же ещё этих мягких булок. "} {
		for _, n := range []int{100, 5000} {
			text := string([]rune(strings.Repeat(s, 300))[:n])
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					lang.Detect(text)
				}
			})
		}
	}
}

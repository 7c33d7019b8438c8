package segment_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/lang"
	"vaak/text/segment"
)

// show writes runs as "code:text|code:text".
func show(s string, runs []segment.Run) string {
	var parts []string
	for _, r := range runs {
		parts = append(parts, string(r.Code)+":"+r.In(s))
	}
	return strings.Join(parts, "|")
}

func TestRuns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ request, text, want string }{
		{"", "", ""},
		{"en", "Hello, world.", "en:Hello, world."},
		{"", "12 34!", "en:12 34!"},
		{"hi", "12 34!", "hi:12 34!"},
		{"hi", "मैं office जा रहा हूँ", "hi:मैं |en:office |hi:जा रहा हूँ"},
		{"", "मैं office जा रहा हूँ।", "hi:मैं |en:office |hi:जा रहा हूँ।"},
		{"en", "The word नमस्ते means hello.", "en:The word |hi:नमस्ते |en:means hello."},
		{"hi", "order 25 तारीख", "en:order |hi:25 तारीख"},
		{"hi", "फ़ोटो 10x15 सेमी", "hi:फ़ोटो 10x15 सेमी"},
		{"ko", "크기 60x40x180cm", "ko:크기 60x40x180cm"},
		{"ru", "фото 10х15 и 4x4", "ru:фото 10х15 и 4x4"},
		{"hi", "2x तेज़", "hi:2x तेज़"},
		{"hi", "कोड 0x1F", "hi:कोड |en:0x1F"},
		{"ja", "R6.4.1に", "ja:R6.4.1に"},
		{"ja", "R6年4月", "ja:R6年4月"},
		{"ja", "AM9:00から", "ja:AM9:00から"},
		{"ko", "PM 5:30 회의", "ko:PM 5:30 회의"},
		{"hi", "समय GMT+5:30 है", "hi:समय |en:GMT+5:30 |hi:है"},
		{"ta", "office-க்கு போ", "en:office-|ta:க்கு போ"},
		{"hi", "नमस्ते (hello) जी", "hi:नमस्ते |en:(hello) |hi:जी"},
		{"hi", "नमस्ते(hello)जी", "hi:नमस्ते|en:(hello)|hi:जी"},
		{"en", "(कॉल 98765 43210) today", "hi:(कॉल |en:98765 43210) today"},
		{"hi", "(कॉल 98765 43210) today", "hi:(कॉल 98765 43210) |en:today"},
		{"", "(कॉल करें 98765 43210) today", "hi:(कॉल करें 98765 43210) |en:today"},
		{"en", "कॉल(98765 43210) today", "hi:कॉल|en:(98765 43210) today"},
		{"hi", "कॉल(98765 43210) today", "hi:कॉल(98765 43210) |en:today"},
		{"", "order 25 तारीख को", "en:order |hi:25 तारीख को"},
		{"en", "order 25 तारीख को", "en:order 25 |hi:तारीख को"},
		{"hi", "कहा “hello” और", "hi:कहा |en:“hello” |hi:और"},
		{"mr", "मी शाळेत", "mr:मी शाळेत"},
		{"mr", "नमस्ते", "mr:नमस्ते"},
		{"en", "first घर then शाळा", "en:first |mr:घर |en:then |mr:शाळा"},
		{"ja", "東京タワー", "ja:東京タワー"},
		{"en", "see 東京タワー now", "en:see |ja:東京タワー |en:now"},
		{"zh", "我喜欢タワー", "zh:我喜欢|ja:タワー"},
		{"ko", "大韓民國 만세", "ko:大韓民國 만세"},
		{"ko", "안녕 hello", "ko:안녕 |en:hello"},
		{"sr", "Здраво svete", "sr:Здраво svete"},
		{"ru", "Привет, ваш iPhone готов", "ru:Привет, ваш |en:iPhone |ru:готов"},
		{"en", "hello ไทย there", "en:hello ไทย there"},
		{"hi", "  ...hello", "en:  ...hello"},
		{"hi", "नमस्ते 😀👍🏽 hello", "hi:नमस्ते |en:😀👍🏽 hello"},
		{"hi", "नमस्ते😀 hello", "hi:नमस्ते😀 |en:hello"},
		{"ur", "یہ मेरा گھر", "ur:یہ |hi:मेरा |ur:گھر"},
		{"en", "x क\u094d\u200dष y", "en:x |hi:क\u094d\u200dष |en:y"},
		{"en", "a\u093f b", "en:a\u093f b"},
	} {
		tag, err := lang.Resolve(tt.request)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, show(tt.text, segment.Runs(tt.text, tag))); diff != "" {
			t.Errorf("Runs(%q, %s) (-want +got):\n%s", tt.text, tt.request, diff)
		}
	}
}

// holds checks the laws that hold for every text and request.
func holds(t testing.TB, s string, request lang.Tag) {
	t.Helper()
	runs := segment.Runs(s, request)
	at := 0
	for i, r := range runs {
		if r.Start != at || r.End <= r.Start {
			t.Fatalf("Runs(%q): run %d is %v, the one before ends at %d", s, i, r.Span, at)
		}
		if i > 0 && runs[i-1].Code == r.Code && runs[i-1].Script == r.Script && runs[i-1].Around == r.Around {
			t.Fatalf("Runs(%q): runs %d and %d are both %s %s", s, i-1, i, r.Code, r.Script)
		}
		if r.Joined && (i == 0 || strings.ContainsFunc(runs[i-1].In(s)[max(0, runs[i-1].Len()-1):]+r.In(s)[:1], unicode.IsSpace)) {
			t.Fatalf("Runs(%q): run %d is joined to the one before", s, i)
		}
		if _, ok := lang.Lookup(r.Code); !ok {
			t.Fatalf("Runs(%q): run %d is in %q", s, i, r.Code)
		}
		at = r.End
	}
	if at != len(s) {
		t.Fatalf("Runs(%q) covers %d bytes of %d", s, at, len(s))
	}
	boundaries := map[int]bool{}
	for g := graphemes.FromString(s); g.Next(); {
		boundaries[g.Start()] = true
	}
	for _, r := range runs {
		if !boundaries[r.Start] {
			t.Fatalf("Runs(%q) cuts a cluster at %d", s, r.Start)
		}
	}
}

func TestLaws(t *testing.T) {
	t.Parallel()
	all := lang.All()
	pieces := rapid.SampledFrom([]string{
		"a", "Z", "é", "e\u0301", "क", "ि", "्", "\u200d", "\u200c", "ক", "த்", "ж", "ы", "中", "あ", "ー", "한", "ᄀ", "ᅡ", "ع", "ٹ",
		" ", "  ", "\r", "\n", "\r\n", "1", "२", "٣", "(", ")", "[", "“", "”", "’", "«", "»", "-", ".", "।", "😀", "👩\u200d👩\u200d👧", "🇮🇳", "\u0600", "\u0301", "\ufe0f", "\xff", "ไ",
		"₹", "$", "Rs. ", "5", "km", "%", "°C", "pm", "www.a.in/", "a@b.co", "@ab", "#a", "://", "\u00a0", "/", "'", "pero no puedo ", "and then we ", "das ist nicht ", "mere timer ko ", "kya ", "ghar ", "½", "۵", "\n\n", "ー", "\u0600", "ᱟ", "ꯃ",
	})
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Join(rapid.SliceOfN(pieces, 0, 30).Draw(rt, "pieces"), "")
		tag := lang.Tag{}
		if rapid.Bool().Draw(rt, "given") {
			tag.Code = rapid.SampledFrom(all).Draw(rt, "language").Code
			tag.Script = rapid.SampledFrom([]string{"", "Latn"}).Draw(rt, "script")
		}
		holds(t, s, tag)
	})
}

func FuzzRuns(f *testing.F) {
	for _, s := range []string{"Hello", "मैं office (जा 12) रहा", "東京 tower タワー", "a\u200d😀ब", "\xff(", "﷽ “x", "২ মি. x ৩", "10 x "} {
		f.Add(s, "hi")
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, s, code string) {
		tag := lang.Tag{Code: lang.Code(code)}
		if _, ok := lang.Lookup(tag.Code); !ok {
			tag = lang.Tag{}
		}
		holds(t, s, tag)
	})
}

func TestEndsSentence(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"Hi.", "Hi!", "Hi? ", "He said “hi.” ", "(yes!)", "Well…", "है।", "है॥", "ہے۔", "کیا؟", "好。", "好！", "好？」",
		"ነው።", "ነው፧", "Բարեւ։", "…", "gut.“\n", "꯫", "᱾", "．", "ok.'\"", "ۃ۔ ", "Τι;", "Τι;;!» ",
	} {
		if !segment.EndsSentence(s) {
			t.Errorf("EndsSentence(%q) = false", s)
		}
	}
	for _, s := range []string{"", " ", "Hi", "Hi,", "a. b", "hello:", "12", ")", "؛", "、", "\xff", "a;", ";", "Τι.”;"} {
		if segment.EndsSentence(s) {
			t.Errorf("EndsSentence(%q) = true", s)
		}
	}
}

func BenchmarkRuns(b *testing.B) {
	for name, s := range map[string]string{
		"latin": "The quick brown fox jumps over it. ", "latin1": "Où est la bibliothèque où tu lis? ",
		"devanagari": "मैं आज स्कूल जा रहा हूँ। ", "mixed": "मैं office जा रहा हूँ, see you (कल) ",
	} {
		text := string([]rune(strings.Repeat(s, 300))[:5000])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(utf8.RuneCountInString(text)))
			for b.Loop() {
				segment.Runs(text, lang.Tag{Code: "hi"})
			}
		})
	}
}

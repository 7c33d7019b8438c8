package frontend_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/text/frontend"
)

// show writes runs as "pause code:text|code:text".
func show(p frontend.Prepared) string {
	var parts []string
	for _, r := range slices.Collect(p.Runs()) {
		s := string(r.Language) + ":" + r.Text
		if r.Pause > 0 {
			s = fmt.Sprint(r.Pause, " ", s)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "|")
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, hint, text, want string }{
		{"plain", "", "Hello, world.", "en:Hello, world."},
		{"empty", "", "", ""},
		{"mixed", "", "मैं office जा रहा हूँ", "hi:मैं |en:office |hi:जा रहा हूँ"},
		{"code across languages", "hi", "आपका OTP 4829 है", "hi:आपका |en:O T P |hi:चार आठ दो नौ है"},
		{"NFC", "fr", "cafe\u0301 noir", "fr:café noir"},
		{"NFC decides", "", "Tie\u0302\u0301ng Vie\u0323\u0302t", "vi:Tiếng Việt"},
		{"controls", "en", "a\x00b\tc\r\nd\x7fe\u0085f\u2028g\u009fh", "en:ab c  de f gh"},
		{"invisible", "en", "\ufeffa\u200bb\u200e\u202ac\u202c\u00ad\u2066d\u2069\u2060e", "en:abcde"},
		{"joiners stay", "hi", "क्\u200dष र्\u200cय", "hi:क्\u200dष र्\u200cय"},
		{"selectors", "zh", "葛\U000E0100\ufe0f城", "zh:葛城"},
		{"emoji", "en", "I ❤️ you 👩🏽\u200d🚀!", "en:I   you  !"},
		{"flag and key", "en", "in 🇮🇳 press 1️⃣ or 2", "en:in   press   or two"},
		{"signs", "en", "Vaak™ © 2024", "en:Vaak trademark copyright twenty twenty-four"},
		{"signs as emoji", "en", "Vaak™️ ©️ 2024", "en:Vaak    twenty twenty-four"},
		{"not UTF-8", "en", "a\xffb", "en:a b"},
		{"composed after removal", "en", "e\u200b\u0301", "en:é"},
		{"tags", "en", `<speak>un<emphasis level="strong">believ</emphasis>able</speak>`, "en: unbelievable "},
		{"paragraphs", "en", "<p>one</p><P>two</P>", "en: one  two "},
		{"sub", "en", `<sub alias='World Wide Web'>WWW</sub> <say-as interpret-as="date">1</say-as>`, "en:W W W one"},
		{"pause", "en", `one<break time="500ms"/>two`, "en:one |500ms en:two"},
		{"pauses add up", "en", `one<break time="1s"/> <break time='900ms' />two`, "en:one |1.9s en:two"},
		{"long pause", "en", `<break time="99s"/>two`, "3s en:two"},
		{"last pause", "en", `one<break time="1s"/>`, "en:one "},
		{"pause without time", "en", `one<break strength="weak"/>two<break time="x"/>three<break time="-1s"/>`, "en:one two three "},
		{"pause across languages", "", `मैं<break time="1s"/>office <break time="2s"/>जा रहा`, "hi:मैं |1s en:office  |2s hi:जा रहा"},
		{"not tags", "en", "a < b <i>c</i> <p x> <speak <s 1> </p/> <break", "en:a is less than b i c i p x speak s one p break"},
		{"nothing", "en", "... 😀 <break time='1s'/> !", ""},
		{"digits", "", "12:30", "en:twelve thirty"},
		{"romanised", "hi-Latn", "main ghar जा raha", "hi:मैं घर जा रहा"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hint, err := lang.Resolve(tt.hint)
			if err != nil {
				t.Fatal(err)
			}
			p, err := frontend.New().Prepare(tt.text, hint)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, show(p)); diff != "" {
				t.Errorf("Prepare(%q) (-want +got):\n%s", tt.text, diff)
			}
			if got, want := frontend.Speakable(tt.text), len(slices.Collect(p.Runs())) > 0; got != want {
				t.Errorf("Speakable(%q) = %v with %d runs", tt.text, got, len(slices.Collect(p.Runs())))
			}
		})
	}
}

func TestPrepareLanguage(t *testing.T) {
	t.Parallel()
	f := frontend.New()
	if p, _ := f.Prepare("<speak>नमस्ते</speak>", lang.Tag{}); p.Language != (lang.Tag{Code: "hi"}) {
		t.Errorf("detected %v", p.Language)
	}
	given := lang.Tag{Code: "en", Region: "IN"}
	if p, _ := f.Prepare("नमस्ते", given); p.Language != given {
		t.Errorf("given %v, got %v", given, p.Language)
	}
	_, err := f.Prepare("x", lang.Tag{Code: "tlh"})
	if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Invalid || e.Field != "lang" {
		t.Errorf("unsupported language: %v", err)
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	for s, want := range map[string][]string{
		"a < b":                                  nil,
		"<p/>a":                                  {"SSML is not obeyed; 1 tag was removed and its text is spoken"},
		`<speak>a<break/>b</speak>`:              {"SSML is not obeyed; 3 tags were removed and their text is spoken"},
		`<speak>a<break time="500ms"/>b</speak>`: {"of SSML only <break time> is obeyed, up to 3 s: 1 pause is made; 2 tags were removed and their text is spoken"},
		`<s>a<break time="9s"/>b<break time="1s"/>c`: {"of SSML only <break time> is obeyed, up to 3 s: 2 pauses are made; 1 tag was removed and its text is spoken"},
		`a<break time="500ms"/>b`:                    {"of SSML only <break time> is obeyed, up to 3 s: 1 pause is made"},
	} {
		p, err := frontend.New().Prepare(s, lang.Tag{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Notices); diff != "" {
			t.Errorf("Prepare(%q) notices (-want +got):\n%s", s, diff)
		}
	}
}

// Every word of the output leads to the word that the caller wrote.
func TestMaps(t *testing.T) {
	t.Parallel()
	const s = "\ufeff<p>Cafe\u0301 😀 मैं</p> <break time='1s'/>offi\u00adce 葛\U000E0100城"
	p, err := frontend.New().Prepare(s, lang.Tag{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range slices.Collect(p.Runs()) {
		at := 0
		for word := range strings.FieldsSeq(r.Text) {
			at += strings.Index(r.Text[at:], word)
			got[word] = r.Map.Back(text.Span{Start: at, End: at + len(word)}).In(s)
			at += len(word)
		}
	}
	want := map[string]string{"Café": "Cafe\u0301", "मैं": "मैं", "office": "offi\u00adce", "葛城": "葛\U000E0100城"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestSpeakable(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"a", "1", "é", "क", "½", "₹", "%", "&", "@", "#", "§", "°", "+", "中", "² ", "... x", "№"} {
		if !frontend.Speakable(s) {
			t.Errorf("Speakable(%q) = false", s)
		}
	}
	for _, s := range []string{"", " ", "...", "😀", "1️⃣", "🇮🇳", "?!", "।", "«»", "\u0301", "\u200b", "\x00", "<p></p>", "<break time='1s'/>", "---", "***", "\xff"} {
		if frontend.Speakable(s) {
			t.Errorf("Speakable(%q) = true", s)
		}
	}
}

func FuzzPrepare(f *testing.F) {
	for _, s := range []string{
		"Hello", "मैं <p>office</p> 😀", "<break time='1s'/>x<break time=\"2s\"/>", "e\u200b\u0301\xff", "1️⃣ 🇮🇳", "a" + strings.Repeat("\u0301", 70),
		"\u09af\u09bc\u0958", "<speak><speak", "ᄀ\u200bᅡ",
		"# T\n\n1. **a** [b](https://x.org/c)\n- `c`\n\n| a | b |\n|---|---|\n| c |\n\n```\nx\n```\n> $x^2$", "ไทย abc ๑ ລາວ",
		strings.Repeat("Words and words. ", 100), strings.Repeat("मैं office जा रहा हूँ। ", 60), strings.Repeat("好<break time='1s'/>。", 90),
	} {
		f.Add(s, "")
		f.Add(s, "hi")
	}
	f.Fuzz(func(t *testing.T, s, hint string) {
		tag := lang.Tag{Code: lang.Code(hint)}
		if _, ok := lang.Lookup(tag.Code); !ok {
			tag = lang.Tag{}
		}
		holds(t, s, tag)
	})
}

// holds checks the laws of the whole chain: the maps of the runs are whole and
// cover the input in order and without overlap, the runs are text, in supported
// languages and in NFC, and words are no longer than they may be.
func holds(t testing.TB, s string, tag lang.Tag) {
	t.Helper()
	p, err := frontend.New().Prepare(s, tag)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := frontend.Speakable(s), len(slices.Collect(p.Runs())) > 0; got != want {
		t.Fatalf("Speakable = %v with %d runs", got, len(slices.Collect(p.Runs())))
	}
	total, from := 0, 0
	runs := slices.Collect(p.Runs())
	for i, r := range runs {
		if r.Last != (i == len(runs)-1) {
			t.Fatalf("run %d of %d says last: %v", i, len(runs), r.Last)
		}
		back := r.Map.Back(text.Span{End: len(r.Text)})
		if back.Start < from {
			t.Fatalf("run %d is from %v, the one before ends at %d", i, back, from)
		}
		from = back.End
		if !utf8.ValidString(r.Text) || r.Text == "" {
			t.Fatalf("run %d is %q", i, r.Text)
		}
		if !norm.NFC.IsNormalString(r.Text) {
			t.Fatalf("run %d is not in NFC: %+q", i, r.Text)
		}
		if strings.ContainsFunc(r.Text, func(c rune) bool { return c < ' ' && c != '\n' || 0x7F <= c && c < 0xA0 }) {
			t.Fatalf("run %d has control characters: %q", i, r.Text)
		}
		if err := r.Map.Check(len(r.Text), len(s)); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		for k, l := range r.Map {
			// Pieces of what was made of one part of the input are from all of it.
			if k > 0 && l.In.Start < r.Map[k-1].In.End && (l.In != r.Map[k-1].In || l.Verbatim) {
				t.Fatalf("run %d: %v and %v of the input overlap", i, r.Map[k-1].In, l.In)
			}
			if l.Verbatim && l.Out.In(r.Text) != l.In.In(s) {
				t.Fatalf("run %d: %q is not %q", i, l.Out.In(r.Text), l.In.In(s))
			}
		}
		if r.Pause < 0 || r.Pause > 3*time.Second {
			t.Fatalf("run %d waits %v", i, r.Pause)
		}
		if _, ok := lang.Lookup(r.Language); !ok {
			t.Fatalf("run %d is in %q", i, r.Language)
		}
		total += utf8.RuneCountInString(r.Text)
	}
	if n := utf8.RuneCountInString(s); total > 20*n+500 {
		t.Fatalf("%d code points became %d", n, total)
	}
}

// TestMarkBehindWhatIsNotRead: a mark that gets behind a letter since what was between is not read
// makes one letter with it.
func TestMarkBehindWhatIsNotRead(t *testing.T) {
	t.Parallel()
	holds(t, "![a#\u1369\u0301\u2109\u134a| NASA ", lang.Tag{})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	all := lang.All()
	pieces := rapid.SampledFrom([]string{
		"a", "The ", "is ", "मैं ", "है। ", "kya ", "hai ", "நான் ", "ক", "Привет ", "中文", "あ", "한국 ", "עברית ", "ፊ", "ٹ", "1", "12", "२", "٣", "1,234", "12/05/2024", "5:30 pm", "₹", "$3.50",
		"%", "½", "℉", "km", "-", ".", ",", ":", "/", "@", "#", "(", ")", "<b>", "<break time='1s'/>", "😀", "\u200d", "\u0301", "\xff", "\n", " ", "  ", "Dr. ", "IV ", "NASA ", "www.x.com", "a@b.co ",
		"+91 98765 43210", "1st ", "5वाँ ", "XX век ", "3–5", "2+2=4", "v1.2", "192.168.1.1", "२०२४", "ﷺ", "㎏", "Ⅷ", "①", "９", "፩",
		"**", "*", "_", "`", "```\n", "\n\n", "\n- ", "\n1. ", "\n## ", "\n> ", "| ", "\n|", "|---|", "[", "](https://x.org/a)", "![", "$x^2$", "$", "\\frac{1}{2}", "&lt;", "&#769;", "~~", "สวัสดี", "ខ្មែរ",
	})
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Join(rapid.SliceOfN(pieces, 0, 40).Draw(rt, "pieces"), "")
		tag := lang.Tag{}
		if rapid.Bool().Draw(rt, "given") {
			tag.Code = rapid.SampledFrom(all).Draw(rt, "language").Code
			tag.Script = rapid.SampledFrom([]string{"", "Latn"}).Draw(rt, "script")
			tag.Region = rapid.SampledFrom([]string{"", "IN", "US", "419"}).Draw(rt, "region")
		}
		holds(t, s, tag)
	})
}

func BenchmarkPrepare(b *testing.B) {
	texts := map[string]string{
		"latin": "The quick brown fox jumps over it. ", "latin1": "Où est la bibliothèque où tu lis? ",
		"devanagari": "मैं आज स्कूल जा रहा हूँ। ", "mixed": "मैं office जा रहा हूँ, see you (कल) ",
		"markup": "<p>Hello <emphasis>there</emphasis>\n😀</p>",
	}
	for name, s := range texts {
		for _, n := range []int{20, 5000} {
			text := string([]rune(strings.Repeat(s, 300))[:n])
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				f := frontend.New()
				b.ReportAllocs()
				for b.Loop() {
					p, err := f.Prepare(text, lang.Tag{})
					if err != nil {
						b.Fatal(err)
					}
					for range p.Runs() {
					}
				}
			})
		}
	}
}

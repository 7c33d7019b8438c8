package plain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vaak/mcp/plain"
)

const (
	zwnj = "\u200c"
	zwj  = "\u200d"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, give, want string }{
		{"controls", "a\x00b\x1b[31mc\x7f\u0085d\te", "ab[31mc\nd\te"},
		{"line ends", "a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne"},
		{"direction", "a\u202eb\u202c\u2066c\u2069\u200e\u200f\u061cd", "abcd"},
		{"no width", "a\u200bb\u2060c\ufeffd\u00ade\u034ff" + zwj + "g" + zwnj + "h", "abcdefgh"},
		{"tags", "a\U000e0041\U000e0042b\U000e0001c\U000e0fffd", "abcd"},
		{"private", "a\ue000b\U000f0000c\U0010fffdd", "abcd"},
		{"broken", "a\ufffdb\xffc\ufdd0d\U0001fffe", "abcd"},
		{"fillers", "a\u3164b\uffa0c\u115f\u1160d\u17b4\u17b5", "abcd"},
		{"selectors", "a\ufe00b\ufe0fc\U000e0100d\u180be", "abcde"},
		{"selectors that select", "❤\ufe0f 1\ufe0f\u20e3 葛\U000e0100", "❤\ufe0f 1\ufe0f\u20e3 葛\U000e0100"},
		{"selectors in a row", "❤\ufe0f\ufe0f\ufe01", "❤\ufe0f"},
		{"emoji", "👩" + zwj + "💻 👩🏽" + zwj + "💻 🏳\ufe0f" + zwj + "🌈", "👩" + zwj + "💻 👩🏽" + zwj + "💻 🏳\ufe0f" + zwj + "🌈"},
		{"half an emoji", "👩" + zwj + " 💻" + zwnj + "👩", "👩 💻👩"},
		{"joiners in a row", "क्" + zwj + zwj + zwnj + "ष", "क्" + zwj + "ष"},
		{"joiner at the end", "कल" + zwj + " क्" + zwnj, "कल क्" + zwnj},
		{"joiner behind a tag", "<b>" + zwj + "ष", "ष"},
		{"joiner before a tag", "क्" + zwj + "<b>ष</b>", "क्" + zwj + "ष"},
		{"inline tags", `a <b>bold</b>, <a href="https://x.test/?a>b">link</A >`, `a bold, b">link`},
		{"block tags", "one<br>two<p>three</p>four <br/> five", "one two three four  five"},
		{"script", "a<script>alert(1)</script>b<style>p{}</style >c", "a b c"},
		{"open script", "a<script>b", "ab"},
		{"comments", "a<!-- hidden > <b> -- -->b<!---->c<!-->d", "abcd"},
		{"open comment", "a<!-- b", "a<!-- b"},
		{"nested comment", "a<!-- b <!-- c -->d", "ad"},
		{"nested tags", "<scr<b>ipt>x</scr</b>ipt>y", "y"},
		{"tag in pieces", "<scr\u200bipt>x</scr\u00adipt>", ""},
		{"comment in pieces", "a<!\u200b-<b>- b --\u200b>c", "ac"},
		{"quoted bracket", `a<img alt="<" src=x>b`, "ab"},
		{"marks of transcripts", "<laugh> yes <unk/> <spk1> </laugh>", "<laugh> yes <unk/> <spk1> </laugh>"},
		{"signs", "a < b and c > d, 1<2>0, <3", "a < b and c > d, 1<2>0, <3"},
		{"blank lines", "a\n\n\n \n\t\nb\n\nc\n", "a\n\nb\n\nc\n"},
		{"doctype", "<!DOCTYPE html>a", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := plain.Text(tt.give, 1000); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.give, got, tt.want)
			}
		})
	}
}

// written is text as people write it.
var written = []string{
	"A plain sentence, with 3 < 4 and “quotes” — and a\ttab.\n\nAnother paragraph.",
	"नमस्ते, क्या आप ठीक हैं? उन्होंने राष्ट्र" + zwnj + "ीय क्" + zwj + "षण पढ़ा। १२३",
	"می" + zwnj + "خواهم کتاب" + zwnj + "ها را بخوانم؛ سال ۱۴۰۵ ه" + zwj + ".ش",
	"یہ اُردو ہے، صَلَّی اللہُ عَلَیْہِ وَسَلَّم ؀۱۲",
	"ශ්" + zwj + "රී ලංකාව, ක්" + zwj + "ෂේත්" + zwj + "රය",
	"അവന്" + zwj + " പറഞ്ഞു; മലയാളം ൺ", "বাংলা র" + zwj + "্যাব, উত্" + zwj + " ক্" + zwnj + "ষ",
	"தமிழ் க்" + zwnj + "ஷ", "ಕನ್ನಡ ರ್" + zwj + "ಕ", "తెలుగు నాన్" + zwnj + "న", "ગુજરાતી", "ਪੰਜਾਬੀ", "ଓଡ଼ିଆ",
	"日本語と中文 한국어 ไทย ភាសាខ្មែរ မြန်မာ བོད་ཡིག", "Ünïcödé e\u0301 naïve ½ ² ™ © ® ¿qué?", "👍🏽 👨" + zwj + "👩" + zwj + "👧 🇮🇳 ✔\ufe0f",
}

func TestTextStays(t *testing.T) {
	t.Parallel()
	for _, s := range written {
		if got := plain.Text(s, 1000); got != s {
			t.Errorf("Text(%q) = %q, want it as it was", s, got)
		}
	}
}

func TestTextIsCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give string
		most int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"ab  cd", 5, "ab…"},
		{"नमस्ते", 6, "नमस्ते"}, {"नमस्ते जी", 7, "नमस्ते…"}, {"क्" + zwj + "षा", 4, "क्…"},
		{strings.Repeat("x", 100_000), 200, strings.Repeat("x", 199) + "…"},
	} {
		if got := plain.Text(tt.give, tt.most); got != tt.want {
			t.Errorf("Text(%.20q, %d) = %q, want %q", tt.give, tt.most, got, tt.want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"a b": "a b", " a\n\n b\t\tc ": "a b c", "a<br>b\r\nc": "a b c", "": "", "\n": "",
		"IGNORE\u200b ALL\n# Result": "IGNORE ALL # Result",
	} {
		if got := plain.Line(give, 100); got != want {
			t.Errorf("Line(%q) = %q, want %q", give, got, want)
		}
	}
}

// pieces are what is put together to hostile text.
var pieces = rapid.SampledFrom(append([]string{
	"<", ">", "/", "!", "-", "--", "<!--", "-->", "<b>", "</b>", "script", "<script>", "</script>", "br", " ", "\n", "\r", "\"", "'", "a", "…",
	zwj, zwnj, "\ufe0f", "\U000e0100", "\u180b", "\u200b", "\u202e", "\xff", "\ufffd", "\x00", "क", "्", "葛", "👩", "ᠠ", "م", "<title", "<laugh>", "=",
}, written...))

func hostile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "any") {
			return rapid.String().Draw(t, "string")
		}
		return strings.Join(rapid.SliceOfN(pieces, 0, 30).Draw(t, "pieces"), "")
	})
}

// obey checks what holds of every text.
func obey(t interface{ Errorf(string, ...any) }, s string, most int) {
	for name, f := range map[string]func(string, int) string{"Text": plain.Text, "Line": plain.Line} {
		got := f(s, most)
		if again := f(got, most); again != got {
			t.Errorf("%s(%q, %d) = %q, and of that it is %q", name, s, most, got, again)
		}
		if n := utf8.RuneCountInString(got); n > most || !utf8.ValidString(got) {
			t.Errorf("%s(%q, %d) = %q, which has %d code points", name, s, most, got, n)
		}
		if i := strings.IndexAny(got, "\x00\u200b\u202e\ufffd\ufeff\u00ad\U000e0041"); i >= 0 || strings.Contains(strings.ToLower(got), "<script>") {
			t.Errorf("%s(%q, %d) = %q", name, s, most, got)
		}
		if name == "Line" && strings.ContainsAny(got, "\n\t\r") {
			t.Errorf("Line(%q, %d) = %q, of several lines", s, most, got)
		}
	}
}

func TestTextLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		obey(t, hostile().Draw(t, "s"), rapid.IntRange(1, 60).Draw(t, "most"))
	})
}

func FuzzText(f *testing.F) {
	for _, s := range written {
		f.Add(s, 10)
	}
	f.Add("<scr<b>ipt>x<!-- > --\u200b> <img alt='<'>", 1000)
	f.Fuzz(func(t *testing.T, s string, most int) {
		obey(t, s, max(1, min(most, 1<<20)))
	})
}

// BenchmarkHostile is text that nests what it can.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range map[string]string{"open": "<", "quoted": `<b "`, "comments": "<!--", "tags": "<b>", "joiners": "क्" + zwj, "close": `<a>"<b x=>`} {
		s := strings.Repeat(unit, 100_000/len(unit))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				plain.Text(s, 1<<20)
			}
		})
	}
}

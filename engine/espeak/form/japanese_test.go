package form

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ikawaha/kagome-dict/ipa"
	"pgregory.net/rapid"

	origin "vaak/text"
)

func TestJapanese(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"私は学校へ行って、本を読む。", "ワタシワ ガッコーエ イッテ、ホンオ ヨム。"},
		{"今日は暑いですね。", "キョーワ アツイデスネ。"},
		{"こんにちは", "コンニチワ"},
		{"すもももももももものうち", "スモモモ モモモ モモノウチ"},
		{"ウェブサイトのファイル", "ウェブサイトノ ファイル"},
		{"先生と言う", "センセイト ユウ"},
		{"東京・大阪「カギ」", "トーキョー オーサカ「カギ」"},
		{"スィッチ、ー、いすゞ", "スイッチ、、イスズ"},
		{"ヷ、カァ、ーカ", "ヴァ、カァ、カ"},
		{"麤い", "麤 イ"},
		{"25度 ٢٥", "25ド 25"},
	} {
		if got, _ := Of("ja", tt.text); got != tt.want {
			t.Errorf("Of(ja, %q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestJapaneseNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"二千二十四年五月十二日", "ニセンニジューヨネン ゴガツ ジューニニチ"},
		{"午前九時四十五分", "ゴゼン クジ ヨンジューゴフン"},
		{"七月七日", "シチガツ ナノカ"},
		{"九月十九日", "クガツ ジュークニチ"},
		{"四月一日", "シガツ ツイタチ"},
		{"一日", "イチニチ"},
		{"二十四日", "ニジューヨッカ"},
		{"三日間", "ミッカカン"},
		{"十時十分", "ジュージ ジュップン"},
		{"十分な時間", "ジューブンナ ジカン"},
		{"十分後", "ジュップンゴ"},
		{"第十二回", "ダイジューニカイ"},
		{"三十分後に", "サンジュップンゴニ"},
		{"二十四時間", "ニジューヨジカン"},
		{"三百円", "サンビャクエン"},
		{"六百人", "ロッピャクニン"},
		{"八千台", "ハッセンダイ"},
		{"千百円", "センヒャクエン"},
		{"一万二千三百四十五", "イチマンニセンサンビャクヨンジューゴ"},
		{"一千万円", "イッセンマンエン"},
		{"十兆円", "ジュッチョーエン"},
		{"一本、三本、四本、六本、百本", "イッポン、サンボン、ヨンホン、ロッポン、ヒャッポン"},
		{"一回、六回、八回、十回", "イッカイ、ロッカイ、ハッカイ、ジュッカイ"},
		{"三階、四階", "サンガイ、ヨンカイ"},
		{"一人、二人、四人", "ヒトリ、フタリ、ヨニン"},
		{"一つ、九つ", "ヒトツ、ココノツ"},
		{"三番目", "サンバンメ"},
		{"零時", "レージ"},
		{"二・五倍", "ニテンゴバイ"},
		{"三・一四", "サンテンイチヨン"},
		{"〇", "ゼロ"},
		{"〇九〇", "ゼロキューゼロ"},
		{"二〇二四年", "ニセンニジューヨネン"},
		{"〇年", "ゼロネン"},
		// words that begin with a number
		{"八百屋", "ヤオヤ"},
		{"六本木", "ロッポンギ"},
		{"三日月", "ミカズキ"},
		{"四国", "シコク"},
		{"千葉", "チバ"},
		{"一般", "イッパン"},
		{"万年筆", "マンネンヒツ"},
	} {
		if got, _ := Of("ja", tt.text); got != tt.want {
			t.Errorf("Of(ja, %q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestJapaneseMap(t *testing.T) {
	t.Parallel()
	const text = "今日は、東京へ。"
	got, m := Of("ja", text)
	for _, tt := range []struct{ kana, written string }{
		{"キョー", "今日"}, {"ワ", "は"}, {"キョーワ", "今日は"}, {"、", "、"}, {"トーキョーエ", "東京へ"},
	} {
		at := strings.Index(got, tt.kana)
		if back := m.Back(origin.Span{Start: at, End: at + len(tt.kana)}).In(text); back != tt.written {
			t.Errorf("%q of %q came from %q, want %q", tt.kana, got, back, tt.written)
		}
	}
}

// TestNothingToRepeat: a mark that repeats the character before it, alone.
func TestNothingToRepeat(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"ゝ", "ゝゝ"} {
		if got := checkForm(t, "ja", s); got != "" {
			t.Errorf("Of(ja, %q) = %q, want nothing", s, got)
		}
	}
}

// A number has to be said whatever its digits.
func TestEveryJapaneseNumberHasAReading(t *testing.T) {
	t.Parallel()
	numerals := []rune("〇零一二三四五六七八九十百千万億兆京・年月日時分本回つ人")
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom(numerals)).Draw(t, "number")
		got := checkForm(t, "ja", s)
		for _, r := range got {
			if r == utf8.RuneError || unicode.Is(unicode.Han, r) {
				t.Errorf("Of(ja, %q) = %q, which no voice reads", s, got)
			}
		}
	})
}

// Splitting into words takes time that grows faster than what is split, so a long
// text is split in pieces of a bounded length.
func TestLongJapaneseTextIsSplitInClauses(t *testing.T) {
	readings()
	for _, piece := range []string{"あ", "亜", "一", "ー", "々", "アヴ", "東京都に住んでいます", "。", "\xff", "麤", "・"} {
		text := strings.Repeat(piece, 6000/utf8.RuneCountInString(piece))
		checkForm(t, "ja", text)
		for rest := text; rest != ""; {
			n := clause(rest)
			if count := utf8.RuneCountInString(rest[:n]); n == 0 || count > maxClause {
				t.Fatalf("of 6,000 code points of %q a clause has %d bytes, %d code points; want 1 to %d code points", piece, n, count, maxClause)
			}
			rest = rest[n:]
		}
	}
}

// readings.flate has to be of the very dictionary that is linked.
func TestLengthyReadingsAreOfTheDictionary(t *testing.T) {
	if testing.Short() {
		t.Skip("loads the whole dictionary")
	}
	d := readings()
	full := ipa.Dict()
	if len(full.Contents) == 0 {
		t.Fatal("the dictionary was loaded without its content")
	}
	const at = ipa.Pronunciation - ipa.POSHierarchy // a row begins after the parts of speech
	for id, row := range full.Contents {
		want := row[at]
		if got := string(d.pronunciation(nil, id)); got != want && got != "" {
			t.Fatalf("word %d is read %q, want %q", id, got, want)
		}
	}
}

func BenchmarkJapanese(b *testing.B) {
	text := strings.Repeat("昨日の夜、友達と一緒に新しい映画を見に行きました。", 10)
	readings()
	for b.Loop() {
		Of("ja", text)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(utf8.RuneCountInString(text)), "µs/char")
}

package segment_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/lang"
	"vaak/text/segment"
)

// showAll writes runs like show, with the Script after the language and a plus
// sign before a run that is joined to the one before.
func showAll(s string, runs []segment.Run) string {
	var out string
	for i, r := range runs {
		if i > 0 {
			out += "|"
		}
		if r.Joined {
			out += "+"
		}
		out += string(r.Code)
		if r.Script != "" {
			out += "-" + r.Script
		}
		out += ":" + r.In(s)
	}
	return out
}

func resolve(t *testing.T, hint string) lang.Tag {
	t.Helper()
	tag, err := lang.Resolve(hint)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

// What goes with a number, what is one word, and where no pause belongs.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, request, text, want string }{
		{"suffix", "ta", "office-க்கு போ", "en:office-|+ta:க்கு போ"},
		{"suffix without hyphen", "ml", "Bankൽ പോയി", "en:Bank|+ml:ൽ പോയി"},
		{"prefix", "he", "פגישה ב-Zoom היום", "he:פגישה ב-|+en:Zoom |he:היום"},
		{"no spaces", "zh", "我用iPhone拍", "zh:我用|+en:iPhone|+zh:拍"},
		{"punctuation parts", "zh", "好，OK。", "zh:好，|en:OK。"},
		{"bracket parts", "hi", "घर(home)है", "hi:घर|en:(home)|hi:है"},
		{"number goes with its word", "en", "ডিনার 7টায় today", "bn:ডিনার 7টায় |en:today"},
		{"number goes with its hyphened word", "en", "on 5-வது floor", "en:on |ta:5-வது |en:floor"},
		{"word goes with its number", "en", "第3章 here", "zh:第3章 |en:here"},
		{"code", "hi", "यह 5G फोन है", "hi:यह |en:5G |hi:फोन है"},
		{"code with hyphen", "hi", "वह COVID-19 था", "hi:वह |en:COVID-19 |hi:था"},
		{"version", "hi", "यह v2.3 नया", "hi:यह |en:v2.3 |hi:नया"},
		{"class", "hi", "वह Class 10-B में", "hi:वह |en:Class 10-B |hi:में"},
		{"compound", "hi", "यह 24-hour सेवा", "hi:यह |en:24-hour |hi:सेवा"},
		{"unit", "hi", "दूर 5 km है", "hi:दूर 5 km है"},
		{"times a price", "hi", "214 यूनिट x ₹6.50 है", "hi:214 यूनिट x ₹6.50 है"},
		{"extension", "ru", "Скиньте отчёт_2024.pdf сюда", "ru:Скиньте отчёт_2024.pdf сюда"},
		{"unit without space", "ja", "体重が65kgから", "ja:体重が65kgから"},
		{"unit over unit", "hi", "गति 80 km/h है", "hi:गति 80 km/h है"},
		{"unit with suffix", "en", "was 5 km-ல் then", "en:was |ta:5 km-ல் |en:then"},
		{"degrees", "hi", "आज 42 °C है", "hi:आज 42 °C है"},
		{"no unit alone", "hi", "कितने km है", "hi:कितने |en:km |hi:है"},
		{"no unit in a word", "hi", "वे 5 kmart गए", "hi:वे 5 |en:kmart |hi:गए"},
		{"half of the day", "hi", "कल 10:30 a.m. पर", "hi:कल 10:30 a.m. पर"},
		{"half of the day, close", "hi", "कल 9PM पर", "hi:कल 9PM पर"},
		{"currency before", "hi", "कुल Rs. 1,450 लगे", "hi:कुल Rs. 1,450 लगे"},
		{"currency after", "hi", "कुल 500 USD लगे", "hi:कुल 500 USD लगे"},
		{"currency sign before", "hi", "pay ₹ 500 now", "en:pay |hi:₹ 500 |en:now"},
		{"dollars of a country", "hi", "कुल US$50 है", "hi:कुल US$50 है"},
		{"price over unit", "hi", "दर ₹106.31/L है", "hi:दर ₹106.31/L है"},
		{"Indian price", "hi", "only 500/- now", "en:only |hi:500/- |en:now"},
		{"scale", "hi", "कुल $5M मिले", "hi:कुल $5M मिले"},
		{"two prices", "hi", "कुल 50 $100 लगे", "hi:कुल 50 $100 लगे"},
		{"telephone", "hi", "call +91 98765-43210 now", "en:call |hi:+91 98765-43210 |en:now"},
		{"percent", "de", "скидка 25 % сегодня", "ru:скидка |de:25 % |ru:сегодня"},
		{"matrix by sentence", "", "यह 5 रुपये है। It is 5 rupees.", "hi:यह 5 रुपये है। |en:It is 5 rupees."},
		{"borrowed words are no matrix", "", "software company में job मिली 20 दिन", "en:software company |hi:में |en:job |hi:मिली 20 दिन"},
		{"grammar is", "", "In Hindi the word घर means a home, 20 times.", "en:In Hindi the word |hi:घर |en:means a home, 20 times."},
		{"sentence without letters", "", "यह घर है। 25. 26!", "hi:यह घर है। 25. 26!"},
		{"native digits", "en", "on २५ May", "en:on |hi:२५ |en:May"},
		{"link", "hi", "देखो https://a.in/x?y=1. फिर", "hi:देखो |en:https://a.in/x?y=1. |hi:फिर"},
		{"link in brackets", "hi", "साइट (www.a.in/b_(c)) है", "hi:साइट |en:(www.a.in/b_(c)) |hi:है"},
		{"link with other letters", "hi", "यह https://a.in/घर है", "hi:यह |en:https://a.in/घर |hi:है"},
		{"link with suffix", "ta", "www.a.in-ல் பார்", "en:www.a.in-|+ta:ல் பார்"},
		{"link before other letters", "ja", "www.a.jpを見る", "en:www.a.jp|+ja:を見る"},
		{"address", "hi", "मेल a.b+1@c-d.co.in पर", "hi:मेल |en:a.b+1@c-d.co.in |hi:पर"},
		{"handle", "hi", "देखो @ab_12 को", "hi:देखो |en:@ab_12 |hi:को"},
		{"hashtag", "en", "see #मेराIndia2024 now", "en:see |hi:#मेराIndia2024 |en:now"},
		{"host", "hi", "यह amazon.in/5 है", "hi:यह |en:amazon.in/5 |hi:है"},
		{"request in Latin letters", "fr", "मैं office में", "hi:मैं |fr:office |hi:में"},
		{"Polish text", "hi", "Zażółć gęślą jaźń i jeszcze więcej słów tutaj, proszę pana", "pl:Zażółć gęślą jaźń i jeszcze więcej słów tutaj, proszę pana"},
		{"French word", "hi", "यह café अच्छा है", "hi:यह |en:café |hi:अच्छा है"},
		{"English text", "hi", "See you soon", "en:See you soon"},
		{"key", "hi", "दबाओ 1️⃣ अब", "hi:दबाओ 1️⃣ अब"},
		{"arabic digits", "en", "on ٢٥ May", "en:on |ar:٢٥ |en:May"},
	} {
		tag := resolve(t, tt.request)
		if diff := cmp.Diff(tt.want, showAll(tt.text, segment.Runs(tt.text, tag))); diff != "" {
			t.Errorf("%s: Runs(%q, %s) (-want +got):\n%s", tt.name, tt.text, tt.request, diff)
		}
	}
}

func TestRomanised(t *testing.T) {
	t.Parallel()
	const words = "main ghar ja raha hoon kal ko hai"
	for _, tt := range []struct{ request, text, want string }{
		{"hi-Latn", "main office ja raha hoon", "hi-Latn:main |en:office |hi-Latn:ja raha hoon"},
		{"", "main office ja raha hoon", "hi-Latn:main |en:office |hi-Latn:ja raha hoon"},
		{"en", "kal 25 ko ja raha", "hi-Latn:kal |en:25 |hi-Latn:ko ja raha"},
		{"", "kal 25 ko ja raha", "hi-Latn:kal 25 ko ja raha"},
		{"", "25 ko ghar ja raha", "hi-Latn:25 ko ghar ja raha"},
		{"hi", "kal 5 km ja raha hoon", "hi-Latn:kal |hi:5 km |hi-Latn:ja raha hoon"},
		{"hi-Latn", "main ghar जा raha hoon", "hi-Latn:main ghar |hi:जा |hi-Latn:raha hoon"},
		{"hi-Latn", "see www.ghar.in now", "en:see www.ghar.in now"},
		{"fr", "main ghar", "fr:main ghar"},
		{"ru", "main ghar", "en:main ghar"},
		{"", "Zażółć ja gęślą jaźń i jeszcze więcej słów ko tutaj", "pl:Zażółć ja gęślą jaźń i jeszcze więcej słów ko tutaj"},
		{"hi", "kal office-ko hai", "hi-Latn:kal |en:office-|+hi-Latn:ko hai"},
	} {
		g := segment.Romanised(tt.text, resolve(t, tt.request), "hi", words)
		if diff := cmp.Diff(tt.want, showAll(tt.text, g.Runs(tt.text))); diff != "" {
			t.Errorf("Runs(%q, %s) (-want +got):\n%s", tt.text, tt.request, diff)
		}
	}
}

// No text makes the work grow faster than its length.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{
		"a", "a-", "@", "@a", "a@", "a@b", "a.b@", "#", "#a", "www.", "://", "a://", "a.com/", "a.com/.", "(", ")", "(a", "1", "1 ", "1,", "1km", "1 km ",
		"Rs", "Rs ", "$", "$ ", "- ", "+", "क", "क ", "क1", "क-1", "क् ", "\u200d", "\u0301", "a\u0301", "1\u20e3", " \u0301", "中a", "मa", ". ", "A. ", "😀", "\xff", "1\u0301",
	} {
		work := func(n int) int { return segment.Work(strings.Repeat(piece, n), lang.Tag{Code: "hi"}) }
		if few, many := work(500), work(5000); many > 11*few+1000 || many > 12*5000*len(piece) {
			t.Errorf("Runs looks at %d bytes for 500 of %q, %d for 5000", few, piece, many)
		}
	}
}

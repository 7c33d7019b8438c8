package normalize

import (
	"strings"
	"testing"

	"vaak/lang"
)

// languages are those whose speed is measured.
var languages = []lang.Code{"en", "hi", "ru", "ar", "zh", "ta", "de"}

// repeat returns a text repeated to 5,000 characters or little less.
func repeat(s string) string { return strings.Repeat(s, 5000/len([]rune(s))) }

// BenchmarkNumbers reads 5,000 characters of numbers, dates, times and money.
func BenchmarkNumbers(b *testing.B) {
	s := repeat("1,234 12/05/2024 10:30 3.14 ₹500 25% 5–7 km 98765 43210 2024 ")
	for _, code := range languages {
		b.Run(string(code), func(b *testing.B) {
			n := For(lang.Tag{Code: code})
			for b.Loop() {
				n.Text(s)
			}
		})
	}
}

// BenchmarkDigits reads numbers only.
func BenchmarkDigits(b *testing.B) {
	s := repeat("17 234567 89 ")
	for _, code := range languages {
		b.Run(string(code), func(b *testing.B) {
			n := For(lang.Tag{Code: code})
			for b.Loop() {
				n.Text(s)
			}
		})
	}
}

// BenchmarkProse reads 5,000 characters without any written form.
func BenchmarkProse(b *testing.B) {
	for code, s := range map[lang.Code]string{
		"en": "The quick brown fox jumps over the lazy dog. It barks, and the fox runs away from it! ",
		"hi": "यह एक साधारण वाक्य है जिसमें कोई संख्या नहीं है। वह घर गया और सो गया। ",
		"ru": "Это простое предложение без чисел. Он пошёл домой и лёг спать. ",
		"zh": "这是一个没有数字的简单句子。他回家睡觉了。",
		"de": "Das ist ein einfacher Satz ohne Zahlen. Er ging nach Hause und schlief ein. ",
	} {
		s = repeat(s)
		b.Run(string(code), func(b *testing.B) {
			n := For(lang.Tag{Code: code})
			for b.Loop() {
				n.Text(s)
			}
		})
	}
}

// BenchmarkCompile makes the normalizer of a language.
func BenchmarkCompile(b *testing.B) {
	v := variantOf(lang.Tag{Code: "en"})
	for b.Loop() {
		compile(v)
	}
}

package lang_test

import (
	"testing"

	"vaak/lang"
)

// A deployment's languages limit what is detected; the voice decides for texts that say nothing.
func TestPrior(t *testing.T) {
	t.Parallel()
	some := lang.Offering("hi", "en", "ta", "sr", "zh")
	for _, tt := range []struct {
		prior lang.Prior
		text  string
		want  lang.Code
	}{
		{lang.Prior{}, "12345", "en"},
		{some, "12345", "hi"},
		{some, "", "hi"},
		{some, "मी शाळेत जातो आणि घरी येतो", "hi"},
		{some, "Guten Morgen, wie geht es Ihnen heute?", "en"},
		{some, "வணக்கம்", "ta"},
		{some, "నమస్కారం", "hi"}, // no offered language writes it
		{some, "Здраво, како сте?", "sr"},
		{some, "Привет, как дела?", "sr"},
		{some, "こんにちは世界", "zh"},
		{some, "سلام", "hi"},
		{some, "Samsung", "en"},
		{lang.Offering("de", "en"), "Samsung", "de"},
		{lang.Offering("hi"), "Samsung", "hi"},
		{lang.Offering("sr", "ta"), "Dobro jutro", "sr"},
		{lang.Offering("xx"), "Bonjour", "fr"},
		{lang.Offering(), "Bonjour", "fr"},
		{lang.Prior{}.Voiced("de"), "Samsung", "de"},
		{lang.Prior{}.Voiced("hi"), "Samsung", "en"}, // Hindi is not written in these letters
		{lang.Prior{}.Voiced("mr"), "राहुल", "mr"},
		{lang.Prior{}.Voiced("mr"), "काम", "mr"},
		{lang.Prior{}.Voiced("mr"), "मैं घर जा रहा हूँ", "hi"},
		{lang.Prior{}.Voiced("en"), "Guten Morgen", "de"},
		{lang.Prior{}.Voiced("en"), "Hola", "es"},
		{lang.Prior{}.Voiced("de"), "The train is late again", "en"},
		{lang.Offering("de", "en").Voiced("fr"), "Samsung", "de"}, // French is not offered
	} {
		if got := tt.prior.Detect(tt.text); got != tt.want {
			t.Errorf("%+v.Detect(%q) = %s, want %s", tt.prior, tt.text, got, tt.want)
		}
	}
}

func TestPriorDetectIn(t *testing.T) {
	t.Parallel()
	some := lang.Offering("hi", "en", "zh")
	for _, tt := range []struct {
		text, script string
		want         lang.Code
	}{
		{"घर தமிழ்", "Deva", "hi"},
		{"घर தமிழ்", "Taml", ""},
		{"東京タワー", "Hani", "zh"},
		{"東京タワー", "Kana", ""},
		{"Merci beaucoup", "Latn", "en"},
	} {
		if got := some.DetectIn(tt.text, tt.script); got != tt.want {
			t.Errorf("DetectIn(%q, %s) = %q, want %q", tt.text, tt.script, got, tt.want)
		}
	}
}

func TestPriorOffers(t *testing.T) {
	t.Parallel()
	some := lang.Offering("hi", "en")
	for code, want := range map[lang.Code]bool{"hi": true, "en": true, "de": false, "xx": false} {
		if got := some.Offers(code); got != want {
			t.Errorf("Offers(%s) = %t, want %t", code, got, want)
		}
	}
	if all := (lang.Prior{}); !all.Offers("de") || !all.Voiced("de").Offers("hi") {
		t.Error("the zero Prior does not offer all")
	}
}

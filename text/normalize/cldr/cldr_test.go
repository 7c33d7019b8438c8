package cldr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/lang"
	"vaak/text/normalize/cldr"
)

// simple are the fields of a locale that hold one value.
type simple struct {
	Decimal, Group                               string
	Indian                                       bool
	May, MayAlone, MayShort, Sunday, SundayShort string
	AM, PM, Noon, Midnight, BC, AD               string
	LongDate, DateOrder, Per                     string
}

func simpleOf(l *cldr.Locale) simple {
	return simple{
		l.Decimal, l.Group, l.Indian, l.Months[4], l.MonthsAlone[4], l.MonthsShort[4], l.Days[0], l.DaysShort[0],
		l.AM, l.PM, l.Noon, l.Midnight, l.BC, l.AD, l.LongDate, l.DateOrder, l.Per,
	}
}

func TestSimpleFields(t *testing.T) {
	t.Parallel()
	for code, want := range map[lang.Code]simple{
		"en": {
			Decimal: ".", Group: ",", May: "May", MayAlone: "May", MayShort: "May", Sunday: "Sunday", SundayShort: "Sun",
			AM: "AM", PM: "PM", Noon: "noon", Midnight: "midnight", BC: "Before Christ", AD: "Anno Domini",
			LongDate: "MMMM d, y", DateOrder: "mdy", Per: "{0} per {1}",
		},
		"hi": {
			Decimal: ".", Group: ",", Indian: true, May: "मई", MayAlone: "मई", MayShort: "मई", Sunday: "रविवार", SundayShort: "रवि",
			Midnight: "मध्यरात्रि", BC: "ईसा-पूर्व", AD: "ईसवी सन", LongDate: "d MMMM y", DateOrder: "dmy", Per: "{0} प्रति {1}",
		},
		"ru": {
			Decimal: ",", Group: "\u00a0", May: "мая", MayAlone: "май", MayShort: "мая", Sunday: "воскресенье", SundayShort: "вс",
			Noon: "полдень", Midnight: "полночь", BC: "до Рождества Христова", AD: "от Рождества Христова",
			LongDate: "d MMMM y\u202f'г'.", DateOrder: "dmy",
		},
		"es": {
			Decimal: ",", Group: ".", May: "mayo", MayAlone: "mayo", MayShort: "may", Sunday: "domingo", SundayShort: "dom",
			AM: "a.\u00a0m.", PM: "p.\u00a0m.", Noon: "del mediodía", BC: "antes de Cristo", AD: "después de Cristo",
			LongDate: "d 'de' MMMM 'de' y", DateOrder: "dmy", Per: "{0} por {1}",
		},
		"bho": {
			Decimal: ".", Group: ",", May: "मई", MayAlone: "मई", MayShort: "मई", Sunday: "रबीबार", SundayShort: "रबीबार",
			AM: "भोर", PM: "सांझ", LongDate: "y MMMM d", DateOrder: "ymd",
		},
	} {
		if diff := cmp.Diff(want, simpleOf(cldr.Of(code))); diff != "" {
			t.Errorf("Of(%s) (-want +got):\n%s", code, diff)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code lang.Code
		id   string
		want cldr.Unit
	}{
		{"en", "length-kilometer", cldr.Unit{Forms: cldr.Forms{cldr.One: "{0} kilometer", cldr.Other: "{0} kilometers"}, Per: "{0} per kilometer"}},
		{"de", "duration-hour", cldr.Unit{Gender: "feminine", Forms: cldr.Forms{cldr.One: "{0} Stunde", cldr.Other: "{0} Stunden"}, Per: "{0} pro Stunde"}},
		{"ru", "concentr-percent", cldr.Unit{Gender: "masculine", Forms: cldr.Forms{cldr.One: "{0} процент", cldr.Few: "{0} процента", cldr.Many: "{0} процентов", cldr.Other: "{0} процента"}}},
		{"ta", "mass-kilogram", cldr.Unit{Forms: cldr.Forms{cldr.One: "{0} கிலோகிராம்", cldr.Other: "{0} கிலோகிராம்கள்"}}},
		{"sv", "digital-bit", cldr.Unit{Gender: "common", Forms: cldr.Forms{cldr.One: "{0} bit", cldr.Other: "{0} bit"}}},
	} {
		if diff := cmp.Diff(tt.want, cldr.Of(tt.code).Units[tt.id]); diff != "" {
			t.Errorf("Of(%s).Units[%s] (-want +got):\n%s", tt.code, tt.id, diff)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{cldr.Of("hi").Currencies["INR"].For(cldr.One), "भारतीय रुपया"},
		{cldr.Of("hi").Currencies["INR"].For(cldr.Few), "भारतीय रुपए"},
		{cldr.Of("nb").Currencies["NOK"].For(cldr.Other), "norske kroner"},
		{cldr.Of("sr").Currencies["RSD"].For(cldr.Many), "српских динара"},
		{cldr.Of("hi").Symbols["%"], "प्रतिशत"},
		{cldr.Of("en").Symbols["→"], "right-pointing arrow"},
		{cldr.Of("fr").Symbols["&"], "esperluette"},
		{cldr.Of("bho").Currencies["INR"].For(cldr.Other), ""},
		{cldr.Of("bho").Symbols["%"], ""},
	} {
		if tt.got != tt.want {
			t.Errorf("name = %q, want %q", tt.got, tt.want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for code, want := range map[lang.Code]string{
		"en": "%spellout-cardinal:\n-x: minus →→;\nx.x: ←← point →→;\nInf: infinite;\nNaN: not a number;\n0: zero;\n",
		"hi": "%spellout-cardinal:\n-x: ऋण →→;\nx.x: ←← दशमलव →→;\n0: शून्य;\n1: एक;\n",
		"de": "%%ste2:\n0: ste;\n1: ' =%spellout-ordinal=;\n",
	} {
		if got := cldr.Of(code).Rules; !strings.Contains(got, want) || strings.Contains(got, "lenient") {
			t.Errorf("Of(%s).Rules lacks %q, or has sets for parsing", code, want)
		}
	}
	for _, code := range []lang.Code{"bn", "te", "sat", "eu", "uz"} {
		if got := cldr.Of(code).Rules; got != "" {
			t.Errorf("Of(%s).Rules = %q, want none", code, got)
		}
	}
}

func TestForRegion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tag   lang.Tag
		order string
		name  string // of May, or another word that tells
		point string
	}{
		{lang.Tag{Code: "en"}, "mdy", "May", "."},
		{lang.Tag{Code: "en", Region: "US"}, "mdy", "May", "."},
		{lang.Tag{Code: "en", Region: "GB"}, "dmy", "May", "."},
		{lang.Tag{Code: "en", Region: "IN"}, "dmy", "May", "."},
		{lang.Tag{Code: "en", Region: "KE"}, "dmy", "May", "."},
		{lang.Tag{Code: "en", Region: "GB", Script: "Latn"}, "dmy", "May", "."},
		{lang.Tag{Code: "es", Region: "ES"}, "dmy", "mayo", ","},
		{lang.Tag{Code: "es", Region: "PE"}, "dmy", "mayo", "."},
		{lang.Tag{Code: "es", Region: "MX"}, "dmy", "mayo", "."},
		{lang.Tag{Code: "fr", Region: "CA"}, "ymd", "mai", ","},
		{lang.Tag{Code: "de", Region: "CH"}, "dmy", "Mai", "."},
		{lang.Tag{Code: "ar", Region: "SY"}, "dmy", "أيار", "."},
		{lang.Tag{Code: "ar", Region: "MA"}, "dmy", "ماي", ","},
		{lang.Tag{Code: "sr", Script: "Latn"}, "dmy", "maj", ","},
		{lang.Tag{Code: "sr", Script: "Cyrl", Region: "ME"}, "dmy", "мај", ","},
		{lang.Tag{Code: "sd", Region: "IN"}, "ymd", "مئي", "."},
		{lang.Tag{Code: "hi", Script: "Latn", Region: "IN"}, "dmy", "मई", "."},
		{lang.Tag{Code: "qq", Region: "IN"}, "ymd", "", "."},
		{lang.Tag{}, "ymd", "", "."},
	} {
		l := cldr.ForRegion(tt.tag)
		if l.DateOrder != tt.order || l.Months[4] != tt.name || l.Decimal != tt.point {
			t.Errorf("ForRegion(%s) = %s %q %q, want %s %q %q", tt.tag, l.DateOrder, l.Months[4], l.Decimal, tt.order, tt.name, tt.point)
		}
	}
}

// A region has the rules and names of its language, changed where it differs.
func TestForRegionInherits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tag, got, want string }{
		{"en-GB", cldr.ForRegion(lang.Tag{Code: "en", Region: "GB"}).Units["length-kilometer"].Forms.For(cldr.Other), "{0} kilometres"},
		{"en-GB", cldr.ForRegion(lang.Tag{Code: "en", Region: "GB"}).Rules, cldr.Of("en").Rules},
		{"pt-PT", cldr.ForRegion(lang.Tag{Code: "pt", Region: "PT"}).Currencies["EUR"].For(cldr.Other), "euros"},
		{"pt-AO", cldr.ForRegion(lang.Tag{Code: "pt", Region: "AO"}).Symbols["™"], "marca comercial"},
		{"zh-TW", cldr.ForRegion(lang.Tag{Code: "zh", Region: "TW"}).Units["length-kilometer"].Forms.For(cldr.Other), "{0} 公里"},
		{"zh-TW", cldr.ForRegion(lang.Tag{Code: "zh", Region: "TW"}).Currencies["EUR"].For(cldr.Other), "歐元"},
		{"zh-Hans-TW", cldr.ForRegion(lang.Tag{Code: "zh", Script: "Hans", Region: "TW"}).Currencies["EUR"].For(cldr.Other), "欧元"},
	} {
		if tt.got != tt.want {
			t.Errorf("ForRegion(%s) has %.40q, want %.40q", tt.tag, tt.got, tt.want)
		}
	}
	for tag, word := range map[lang.Tag]string{
		{Code: "en", Region: "IN"}: "lakh", {Code: "de", Region: "CH"}: "dreissig", {Code: "fr", Region: "CH"}: "huitante",
		{Code: "fr", Region: "BE"}: "septante", {Code: "fr", Region: "CA"}: "quatre-vingt", {Code: "pt", Region: "PT"}: "dezassete",
		{Code: "zh", Region: "HK"}: "萬", {Code: "zh"}: "万", {Code: "es", Region: "MX"}: "veinti",
	} {
		if !strings.Contains(cldr.ForRegion(tag).Rules, word) {
			t.Errorf("ForRegion(%s).Rules lacks %q", tag, word)
		}
	}
}

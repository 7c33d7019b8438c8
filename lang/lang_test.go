package lang_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

func TestTable(t *testing.T) {
	t.Parallel()
	all := lang.All()
	if len(all) != 80 {
		t.Fatalf("All has %d languages, want 80", len(all))
	}
	native, borrowed := 0, 0
	seen := map[lang.Code]bool{}
	for _, l := range all {
		if seen[l.Code] {
			t.Errorf("%s is there twice", l.Code)
		}
		seen[l.Code] = true
		if l.NativeVoices {
			native++
		}
		if l.BorrowedPhonology {
			borrowed++
		}
		want := l.ISO6391
		if want == "" {
			want = l.ISO6393
		}
		if string(l.Code) != want {
			t.Errorf("%s: code is not its ISO code %s", l.Code, want)
		}
		if len(l.ISO6393) != 3 || l.Name == "" || l.Native == "" || len(l.Scripts) == 0 {
			t.Errorf("%s: incomplete row %+v", l.Code, l)
		}
		if !strings.HasPrefix(l.BCP47, string(l.Code)+"-") {
			t.Errorf("%s: default tag %s", l.Code, l.BCP47)
		}
		if rtl := l.Scripts[0] == "Arab" || l.Scripts[0] == "Hebr"; (l.Direction == "rtl") != rtl {
			t.Errorf("%s: direction %s with script %s", l.Code, l.Direction, l.Scripts[0])
		}
		if !norm.NFC.IsNormalString(l.Native) {
			t.Errorf("%s: native name is not in NFC", l.Code)
		}
		got, ok := lang.Lookup(l.Code)
		if !ok || !cmp.Equal(got, l) {
			t.Errorf("Lookup(%s) = %+v, %v", l.Code, got, ok)
		}
	}
	if native != 78 || borrowed != 8 {
		t.Errorf("%d native, %d borrowed, want 78 and 8", native, borrowed)
	}
	for _, c := range []lang.Code{"sa", "eo"} {
		if l, _ := lang.Lookup(c); l.NativeVoices {
			t.Errorf("%s has native voices", c)
		}
	}
	if _, ok := lang.Lookup("HI"); ok {
		t.Error("Lookup folds case; Resolve does that")
	}
	all[0].Name = "changed"
	if lang.All()[0].Name == "changed" {
		t.Error("All gives away the table")
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tag    lang.Tag
		script string
		want   bool
	}{
		{lang.Tag{Code: "hi"}, "Deva", true},
		{lang.Tag{Code: "hi"}, "Latn", false},
		{lang.Tag{Code: "hi", Script: "Latn"}, "Latn", true},
		{lang.Tag{Code: "hi", Script: "Latn"}, "Deva", true},
		{lang.Tag{Code: "ja"}, "Kana", true},
		{lang.Tag{Code: "ja"}, "Hani", true},
		{lang.Tag{Code: "ja"}, "Hang", false},
		{lang.Tag{Code: "ko"}, "Hang", true},
		{lang.Tag{Code: "ko"}, "Hani", true},
		{lang.Tag{Code: "zh", Script: "Hant"}, "Hani", true},
		{lang.Tag{Code: "yue"}, "Hani", true},
		{lang.Tag{Code: "sr"}, "Cyrl", true},
		{lang.Tag{Code: "sr"}, "Latn", true},
		{lang.Tag{Code: "pa"}, "Arab", true},
		{lang.Tag{Code: "sat"}, "Olck", true},
		{lang.Tag{Code: "mni"}, "Mtei", true},
		{lang.Tag{}, "Latn", false},
	} {
		if got := tt.tag.Writes(tt.script); got != tt.want {
			t.Errorf("%v.Writes(%s) = %v, want %v", tt.tag, tt.script, got, tt.want)
		}
	}
}

func TestTagString(t *testing.T) {
	t.Parallel()
	for want, tag := range map[string]lang.Tag{
		"und": {}, "hi": {Code: "hi"}, "zh-Hant-TW": {Code: "zh", Script: "Hant", Region: "TW"},
		"es-419": {Code: "es", Region: "419"},
	} {
		if got := tag.String(); got != want {
			t.Errorf("String() = %s, want %s", got, want)
		}
		if back, err := lang.Resolve(want); err != nil || back != tag {
			t.Errorf("Resolve(%s) = %v, %v", want, back, err)
		}
	}
}

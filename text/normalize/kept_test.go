package normalize

import (
	"fmt"
	"testing"

	"vaak/lang"
)

func TestKept(t *testing.T) {
	t.Parallel()
	k := tagged{list: map[lang.Tag]*Normalizer{}}
	n := new(Normalizer)
	for i := range mostTags + 100 {
		k.keep(lang.Tag{Code: "hi", Region: fmt.Sprint(i % 1000), Script: fmt.Sprint(i / 1000)}, n)
	}
	if len(k.list) != mostTags {
		t.Errorf("%d tags are kept, want %d", len(k.list), mostTags)
	}
	k = tagged{list: map[lang.Tag]*Normalizer{}}
	for _, tag := range []lang.Tag{{Code: "zz"}, {Code: "hi", Region: "Bharat"}, {Code: "hi", Script: "Devanagari"}} {
		if k.keep(tag, n); k.find(tag) != nil {
			t.Errorf("%v is kept, want none", tag)
		}
	}
	tag := lang.Tag{Code: "hi", Region: "IN"}
	if k.keep(tag, n); k.find(tag) != n {
		t.Errorf("find(%v) = %p, want what was kept", tag, k.find(tag))
	}
	if a, b := For(lang.Tag{Code: "en", Region: "IN"}), For(lang.Tag{Code: "en", Region: "US"}); a == b {
		t.Error("en-IN and en-US share a normalizer")
	}
}

func BenchmarkFor(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		For(lang.Tag{Code: "hi", Region: "IN"})
	}
}

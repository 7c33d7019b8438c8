package main

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tarball packs files as npm does.
func tarball(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range sorted(files) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUntar(t *testing.T) {
	t.Parallel()
	data := tarball(t, map[string]string{
		"package/main/hi/units.json": "hi", "package/main/xx/units.json": "xx", "package/main/hi/other.json": "x",
		"package/rbnf/de_CH-SpelloutRules.txt": "rules", "package/rbnf/de.json": "x", "package/supplemental/plurals.json": "p",
	})
	got := map[string][]byte{}
	r := bytes.NewReader(append(data, "rest"...))
	if err := untar(r, got, wanted()); err == nil {
		t.Error("untar of an archive with a rest = nil, want an error")
	}
	got = map[string][]byte{}
	if err := untar(bytes.NewReader(data), got, wanted()); err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{
		"main/hi/units.json": []byte("hi"), "rbnf/de_CH-SpelloutRules.txt": []byte("rules"), "supplemental/plurals.json": []byte("p"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("untar (-want +got):\n%s", diff)
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	english, latin, other := owner{english: true}, owner{latin: true, words: true}, owner{}
	for _, tt := range []struct {
		o                     owner
		name, inherited, want string
	}{
		{english, "{0} km", "{0} km", "{0} km"},
		{latin, "{0}\u00a0km", "{0} km", ""},
		{latin, "{0} bit", "{0} bit", "{0} bit"},
		{owner{latin: true}, "{0} bit", "{0} bit", ""},
		{latin, "{0} Meter", "{0} m", "{0} Meter"},
		{latin, "{0} miles per gallon", "{0} mpg", ""},
		{latin, "{0} %", "", ""},
		{latin, "", "", ""},
		{other, "{0} kWh", "", ""},
		{other, "{0} मीटर", "{0} m", "{0} मीटर"},
		{other, "US डॉलर", "", "US डॉलर"},
		{owner{latin: true, full: true}, "{0} milltir y galwyn Imp.", "", ""},
		{owner{latin: true, full: true}, "{0} km/u", "", ""},
		{owner{latin: true, full: true}, "{0} kilometr/saat", "", "{0} kilometr/saat"},
		{owner{latin: true, full: true}, "{0} kilometer pr. time", "", "{0} kilometer pr. time"},
		{owner{full: true}, "{0} 公升/100 公里", "", "{0} 公升/100 公里"},
		{owner{name: "ga", latin: true, full: true}, "{0} bl", "", ""},
		{owner{latin: true, foreign: map[string]bool{"{0} terabits": true}}, "{0} terabits", "{0} Tb", ""},
	} {
		if got := tt.o.word(tt.name, tt.inherited); got != tt.want {
			t.Errorf("%+v.word(%q, %q) = %q, want %q", tt.o, tt.name, tt.inherited, got, tt.want)
		}
	}
	if got := latin.rate("{0}/metro", "{0}/m"); got != "" {
		t.Errorf("rate with a slash = %q, want none", got)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	o := owner{latin: true}
	for _, tt := range []struct {
		names map[string]string
		plain string
		want  string
	}{
		{map[string]string{"n-one": "Meter", "n-other": "Metern"}, "", "one Meter\nother Metern"},
		{map[string]string{"n-one": "euro"}, "Euro", "one euro\nother Euro"},
		{map[string]string{"n-one": "meter", "n-other": "m"}, "", ""},
		{nil, "", ""},
	} {
		if got := o.forms(tt.names, "n-", tt.plain, "m"); got != tt.want {
			t.Errorf("forms(%v, %q) = %q, want %q", tt.names, tt.plain, got, tt.want)
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"M/d/yy": "mdy", "dd.MM.y": "dmy", "y-MM-dd": "ymd", "d.L.y": "dmy", "'dag' y M d": "ymd", "y. M. d.": "ymd",
		"d/M": "", "": "",
	} {
		got, err := order(pattern)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("order(%q) = %q, %v, want %q", pattern, got, err, want)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	got, err := rules("\n%a:\r\n-x: minus >>;\n1: ' =%%b=;\n%%lenient-parse:\n&a << b;\n%%b:\n0: <<[ >>];\n")
	want := "%a:\n-x: minus →→;\n1: ' =%%b=;\n%%b:\n0: ←←[ →→];\n"
	if got != want || err != nil {
		t.Errorf("rules = %q, %v, want %q", got, err, want)
	}
	if _, err := rules("%a\n0: x;\n"); err == nil {
		t.Error("rules of a set without a colon = nil, want an error")
	}
}

func TestConditionsAndSamples(t *testing.T) {
	t.Parallel()
	table := map[string]map[string]string{"no": {
		"pluralRule-count-one":   "n = 1 @integer 1 @decimal 1.0, 1.00",
		"pluralRule-count-other": " @integer 0, 2~16, 100, … @decimal 0.0~0.9, …",
	}}
	if got, want := conditions(table["no"]), "one n = 1"; got != want {
		t.Errorf("conditions = %q, want %q", got, want)
	}
	var b strings.Builder
	(&source{}).samplesOf(&b, "nb", "plural", table)
	want := "nb\tplural\tone\t1, 1.0, 1.00\nnb\tplural\tother\t0, 2~16, 100, 0.0~0.9\n"
	if got := b.String(); got != want {
		t.Errorf("samplesOf = %q, want %q", got, want)
	}
}

func TestChainAndAliases(t *testing.T) {
	t.Parallel()
	s := &source{
		parents: map[string]string{"es-MX": "es-419", "es-PE": "es-419", "hi-Latn": "en-IN", "zh-Hant": "und"},
		likely:  map[string]string{"es": "es-Latn-ES", "zh-TW": "zh-Hant-TW", "zh": "zh-Hans-CN", "sd-IN": "sd-Deva-IN"},
	}
	for name, want := range map[string][]string{
		"es-MX": {"es-MX", "es-419", "es"}, "nb": {"no"}, "zh-Hant": {"zh-Hant"}, "und": nil, "de-AT": {"de-AT", "de"},
	} {
		if diff := cmp.Diff(want, s.chain(name)); diff != "" {
			t.Errorf("chain(%s) (-want +got):\n%s", name, diff)
		}
	}
	locales := []*locale{{name: "es"}, {name: "es-419"}, {name: "es-MX"}, {name: "en-IN"}, {name: "zh"}, {name: "zh-Hant"}, {name: "sd-Deva"}}
	want := "es-Latn es\nes-PE es-419\nzh-Hans zh\nzh-TW zh-Hant\n"
	if got := string(s.aliases(locales)); got != want {
		t.Errorf("aliases = %q, want %q", got, want)
	}
}

func TestSubtract(t *testing.T) {
	t.Parallel()
	l := &locale{records: map[string]string{"same": "a", "differs": "b", "own": "c"}}
	l.subtract(&locale{records: map[string]string{"same": "a", "differs": "x", "gone": "y"}})
	if diff := cmp.Diff(map[string]string{"differs": "b", "own": "c", "gone": ""}, l.records); diff != "" {
		t.Errorf("subtract (-want +got):\n%s", diff)
	}
}

// Packing twice gives the same bytes, and the first segment reads back.
func TestPack(t *testing.T) {
	t.Parallel()
	locales := []*locale{{name: "xx", records: map[string]string{"per": "{0} p {1}", "unit/length-meter": "\n\nother {0} m"}}}
	first, err := pack(locales, []byte("yy xx\n"))
	second, err2 := pack(locales, []byte("yy xx\n"))
	if err != nil || err2 != nil || !bytes.Equal(first, second) {
		t.Fatalf("pack = %d bytes, %v, then %d, %v, want the same", len(first), err, len(second), err2)
	}
	size, n := binary.Uvarint(first)
	length, m := binary.Uvarint(first[n:])
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(first[n+m : n+m+int(length)])))
	if err != nil || uint64(len(text)) != size || !bytes.Equal(text, preset()) {
		t.Errorf("dictionary of %d bytes, %v, want %d", len(text), err, len(preset()))
	}
}

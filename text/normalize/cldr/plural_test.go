package cldr_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/normalize/cldr"
)

// TestPluralSamples checks every sample number that CLDR gives for its rules.
func TestPluralSamples(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/plurals.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	locales, samples := map[string]bool{}, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cols := strings.Split(lines.Text(), "\t")
		if len(cols) != 4 {
			continue
		}
		locales[cols[0]] = true
		l := cldr.ForRegion(tag(cols[0]))
		for sample := range strings.SplitSeq(cols[3], ",") {
			low, high, _ := strings.Cut(strings.TrimSpace(sample), "~")
			checkSample(t, cols, l, low)
			if high != "" {
				checkSample(t, cols, l, high)
			}
			samples++
		}
	}
	if len(locales) < 78 || samples < 2500 {
		t.Errorf("%d locales with %d samples, want 78 and 2500 or more", len(locales), samples)
	}
}

// tag reads a tag of a language and perhaps a region.
func tag(name string) lang.Tag {
	code, region, _ := strings.Cut(name, "-")
	return lang.Tag{Code: lang.Code(code), Region: region}
}

func checkSample(t *testing.T, cols []string, l *cldr.Locale, sample string) {
	t.Helper()
	o, ok := cldr.NewOperands(sample)
	if !ok {
		t.Errorf("NewOperands(%q) = false", sample)
		return
	}
	of := l.Plural
	if cols[1] == "ordinal" {
		of = l.Ordinal
	}
	if got := of(o).String(); got != cols[2] {
		t.Errorf("%s %s of %s = %s, want %s", cols[0], cols[1], sample, got, cols[2])
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("7", 4999)
	for _, tt := range []struct {
		code   lang.Code
		number string
		want   cldr.Category
	}{
		{"ru", "-1", cldr.One},
		{"ru", digits + "1", cldr.One},
		{"ru", digits + "2", cldr.Few},
		{"ru", digits + "5", cldr.Many},
		{"ru", "1.5", cldr.Other},
		{"en", "1", cldr.One},
		{"en", "1.0", cldr.Other},
		{"en", "1000000000000000000000000000001", cldr.Other},
		{"ar", "0", cldr.Zero},
		{"ar", "2", cldr.Two},
		{"ar", "1000000000000000003", cldr.Few},
		{"lv", "0." + digits + "1", cldr.One},
		{"fr", "1000000", cldr.Many},
		{"fr", "1c6", cldr.Many},
		{"hi", "0.5", cldr.One},
		{"ja", "1", cldr.Other},
		{"sa", "1", cldr.Other},
	} {
		o, ok := cldr.NewOperands(tt.number)
		if got := cldr.Of(tt.code).Plural(o); !ok || got != tt.want {
			t.Errorf("Of(%s).Plural(%.40s) = %s, want %s", tt.code, tt.number, got, tt.want)
		}
	}
}

func TestNewOperandsRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "-", "--1", "+1", "1.", ".5", "1.2.3", "1,5", "१", "1c", "1c-6", "1c100", "1c2c3", "0x1", " 1", "1\x00", "\xff"} {
		if o, ok := cldr.NewOperands(s); ok {
			t.Errorf("NewOperands(%q) = %+v, want none", s, o)
		}
	}
}

func FuzzNewOperands(f *testing.F) {
	for _, s := range []string{"0", "-5", "3.50", "1.2c6", "1e3", "99999999999999999999.00", "1.", "c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, ok := cldr.NewOperands(s)
		signed, okSigned := cldr.NewOperands("-" + s)
		if ok && s[0] != '-' && (!okSigned || o != signed) {
			t.Errorf("NewOperands(-%q) = %+v, want %+v", s, signed, o)
		}
		for _, code := range []lang.Code{"ar", "br", "lt", "cy"} {
			if got := cldr.Of(code).Plural(o); got > cldr.Other {
				t.Errorf("Plural(%q) = %d", s, got)
			}
		}
	})
}

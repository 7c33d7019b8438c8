package accent

import (
	"strings"
	"testing"

	"vaak/lang"
)

func TestPairs(t *testing.T) {
	t.Parallel()
	all := Pairs()
	seen, kinds := map[pairKey]bool{}, map[Kind]int{}
	var text strings.Builder
	for _, p := range all {
		seen[pairKey{p.Native, p.Spoken}] = true
		kinds[p.Kind]++
		text.WriteString(p.Row() + "\n")
		if KindOf(p.Native, p.Spoken) != p.Kind || IsMapped(p.Native, p.Spoken) != (p.Kind == Mapped) {
			t.Errorf("%s in a voice of %s is %s, looked up %s", p.Spoken, p.Native, p.Kind, KindOf(p.Native, p.Spoken))
		}
		if p.Kind != Native && p.Measurement.Kind() != p.Kind {
			t.Errorf("%s in a voice of %s is %s, measured %s: %s", p.Spoken, p.Native, p.Kind, p.Measurement.Kind(), p.Row())
		}
		if p.Native == p.Spoken && p.Kind != Native {
			t.Errorf("%s is %s to itself", p.Native, p.Kind)
		}
		if p.Silent > 0 || p.Names > 0 || min(p.Duration, p.Plain) < Shortest || max(p.Duration, p.Plain) > Longest || p.Segments < 20 || p.Words < 3 {
			t.Errorf("measured of %s in a voice of %s: %s", p.Spoken, p.Native, p.Row())
		}
	}
	natives := 0
	for _, n := range lang.All() {
		if !n.NativeVoices {
			continue
		}
		natives++
		for _, l := range lang.All() {
			if !seen[pairKey{n.Code, l.Code}] {
				t.Errorf("%s in a voice of %s is missing", l.Code, n.Code)
			}
		}
	}
	if natives != 78 || len(all) != 78*80 || len(seen) != len(all) {
		t.Errorf("%d rows, %d pairs, of %d native languages", len(all), len(seen), natives)
	}
	if kinds[Mapped] < 5800 || kinds[Native] < 78 {
		t.Errorf("kinds are %v", kinds)
	}
	if _, rows, _ := strings.Cut(pairsTSV, "plain\n"); rows != text.String() {
		t.Error("the rows do not read as they are written")
	}
	if len(pairsTSV) > 340_000 {
		t.Errorf("the table has %d bytes", len(pairsTSV))
	}
}

func TestKindOfUnknown(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]lang.Code{{"", ""}, {"xx", "en"}, {"en", "xx"}, {"sa", "en"}, {"eo", "eo"}, {"EN", "hi"}} {
		if got := KindOf(pair[0], pair[1]); got != Unknown || IsMapped(pair[0], pair[1]) {
			t.Errorf("KindOf(%q, %q) = %s", pair[0], pair[1], got)
		}
	}
	for _, k := range []Kind{Unknown, 99} {
		if k.String() != "unknown" || kindOf(k.String()) != Unknown {
			t.Errorf("kind %d is %q", k, k)
		}
	}
}

// TestKind has for each thing that is measured a value that just does and one that
// does not.
func TestKind(t *testing.T) {
	t.Parallel()
	good := Measurement{Sounds: 100, Missed: 2, Cost: 0.27, Duration: 1, Words: 10, Segments: 100}
	for _, tt := range []struct {
		name string
		set  func(*Measurement)
		want Kind
	}{
		{"good", func(*Measurement) {}, Mapped},
		{"shortest", func(m *Measurement) { m.Duration = 0.5 }, Mapped},
		{"too short", func(m *Measurement) { m.Duration = 0.49 }, Own},
		{"longest", func(m *Measurement) { m.Duration = 2 }, Mapped},
		{"too long", func(m *Measurement) { m.Duration = 2.01 }, Own},
		{"one silent word", func(m *Measurement) { m.Silent = 1 }, Own},
		{"no words", func(m *Measurement) { m.Words = 0 }, Own},
		{"a letter named", func(m *Measurement) { m.Names = 1 }, Own},
		{"too much missed", func(m *Measurement) { m.Missed = 3 }, Own},
		{"a tone", func(m *Measurement) { m.Tones = 1 }, Own},
		{"too far", func(m *Measurement) { m.Cost = 0.28 }, Own},
	} {
		m := good
		tt.set(&m)
		if got := m.Kind(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestParsePair(t *testing.T) {
	t.Parallel()
	row := "hi\ten\tmapped\t-1.5\t10\t0\t0.10\t0.90\t3\t0\t-2\t9\t0\t0\t1.00"
	if p, err := parsePair(strings.Split(row, "\t")); err != nil || p.Row() != row {
		t.Errorf("parsePair = %+v, %v", p, err)
	}
	for _, bad := range []string{"", "hi\ten", strings.Replace(row, "mapped", "near", 1), strings.Replace(row, "10\t0", "x\t0", 1), strings.Replace(row, "0.90", "y", 1), row + "\t1"} {
		if p, err := parsePair(strings.Split(bad, "\t")); err == nil {
			t.Errorf("parsePair(%q) = %+v", bad, p)
		}
	}
}

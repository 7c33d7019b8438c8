package lang

import (
	"strings"
	"testing"
)

// No other name takes the place of a code or of a name of the table, and the
// left column of the other names is a tag that resolves to itself.
func TestNamesDoNotCollide(t *testing.T) {
	t.Parallel()
	owner := map[string]Code{}
	claim := func(name string, code Code) {
		key := fold(name)
		if key == "" {
			t.Errorf("%s: name %q folds to nothing", code, name)
		}
		if o, ok := owner[key]; ok && o != code {
			t.Errorf("%q means %s and %s", name, o, code)
		}
		owner[key] = code
	}
	for _, l := range table.rows {
		claim(string(l.Code), l.Code)
		claim(l.ISO6393, l.Code)
		claim(l.Name, l.Code)
		claim(l.Native, l.Code)
	}
	for line := range strings.Lines(aliasesTSV + exonymsTSV) {
		tag, list, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		meant, err := Resolve(tag)
		if err != nil || meant.String() != tag {
			t.Errorf("Resolve(%s) = %v, %v", tag, meant, err)
		}
		for name := range strings.SplitSeq(list, ", ") {
			if name == "" {
				continue // no name besides those of the table
			}
			claim(name, meant.Code)
			if got, err := Resolve(name); err != nil || got.Code != meant.Code {
				t.Errorf("Resolve(%q) = %v, %v, want %s", name, got, err, tag)
			}
		}
	}
}

// TestNeighbours checks that what is suggested is supported, and that nothing is
// suggested for what is.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	if len(neighbours()) < 100 {
		t.Errorf("%d names have neighbours", len(neighbours()))
	}
	for name, codes := range neighbours() {
		if tag, ok := Find(name); ok {
			t.Errorf("%q is supported: %v", name, tag)
		}
		if len(codes) == 0 || len(codes) > maxNear {
			t.Errorf("%q has %d neighbours, want 1 to %d", name, len(codes), maxNear)
		}
		for _, c := range codes {
			if _, ok := Lookup(c); !ok {
				t.Errorf("%q has the neighbour %q, which is not supported", name, c)
			}
		}
	}
}

func BenchmarkNames(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		buildNames()
	}
}

func TestScriptNumbersFit(t *testing.T) {
	t.Parallel()
	if len(scriptNames) > numScripts {
		t.Errorf("%d scripts, room for %d", len(scriptNames), numScripts)
	}
}

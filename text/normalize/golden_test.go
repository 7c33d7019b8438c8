package normalize_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
	"vaak/text/normalize"
	"vaak/text/normalize/scan"
)

// classes are the kinds of written forms.
var classes = strings.Fields("cardinal ordinal decimal fraction percent date year time duration money measure telephone " +
	"digits electronic roman abbreviation acronym range ratio math address version symbol plain")

// golden is one case: a written text and how it is read.
type golden struct {
	line                           int
	class, region, written, spoken string
	source                         string
}

// cases reads the cases of every language.
func cases(t *testing.T) map[lang.Code][]golden {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	all := map[lang.Code][]golden{}
	for _, name := range files {
		code := lang.Code(strings.TrimSuffix(filepath.Base(name), ".tsv"))
		if _, ok := lang.Lookup(code); !ok {
			t.Errorf("%s: no such language", name)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !norm.NFC.IsNormal(b) {
			t.Errorf("%s: not in NFC", name)
		}
		for i, line := range strings.Split(string(b), "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			g, err := parseGolden(line)
			if err != nil {
				t.Errorf("%s:%d: %v", name, i+1, err)
				continue
			}
			g.line = i + 1
			all[code] = append(all[code], g)
		}
	}
	return all
}

func parseGolden(line string) (golden, error) {
	f := strings.Split(line, "\t")
	if len(f) != 4 {
		return golden{}, fmt.Errorf("%d columns, want class, written, spoken, source", len(f))
	}
	g := golden{written: f[1], spoken: f[2], source: f[3]}
	g.class, g.region, _ = strings.Cut(f[0], "@")
	switch {
	case !slices.Contains(classes, g.class):
		return g, fmt.Errorf("unknown class %q", g.class)
	case strings.TrimSpace(g.source) == "":
		return g, fmt.Errorf("no source")
	case g.written == "" || g.spoken == "":
		return g, fmt.Errorf("empty text")
	}
	return g, nil
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for code, list := range cases(t) {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			passed := 0
			for _, g := range list {
				tag := lang.Tag{Code: code, Region: g.region}
				got, m := normalize.Run(g.written, code, tag)
				if err := m.Check(len(got), len(g.written)); err != nil {
					t.Errorf("line %d: map of %q: %v", g.line, g.written, err)
				}
				if got != g.spoken {
					t.Errorf("line %d: %s: Run(%q) = %q, want %q", g.line, g.class, g.written, got, g.spoken)
					continue
				}
				passed++
			}
			t.Logf("%s: %d of %d cases pass", code, passed, len(list))
		})
	}
}

// TestCut reads what is left of each text when it begins or ends at another token, so that
// recognizers look for words beyond both ends.
func TestCut(t *testing.T) {
	t.Parallel()
	for code, list := range cases(t) {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			for _, g := range list {
				tag := lang.Tag{Code: code, Region: g.region}
				for _, token := range scan.Scan(g.written, nil) {
					for _, s := range []string{g.written[token.Start:], g.written[:token.End]} {
						got, m := normalize.Run(s, code, tag)
						if err := m.Check(len(got), len(s)); err != nil {
							t.Errorf("line %d: map of %q: %v", g.line, s, err)
						}
					}
				}
			}
		})
	}
}

package segment_test

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"vaak/lang"
	"vaak/text/segment"
)

// mixed is the labelled set; its head tells the format.
//
//go:embed testdata/mixed.tsv
var mixed string

// labels tells in which languages the letters and digits of each token of a text
// are read.
func labels(s string, runs []segment.Run) []string {
	var out []string
	at := 0
	for _, token := range strings.Fields(s) {
		start := at + strings.Index(s[at:], token)
		at = start + len(token)
		var codes []string
		for _, r := range runs {
			if part := s[max(r.Start, start):max(min(r.End, at), max(r.Start, start))]; !strings.ContainsFunc(part, isSpoken) {
				continue
			}
			if n := len(codes); n == 0 || codes[n-1] != string(r.Code) {
				codes = append(codes, string(r.Code))
			}
		}
		if len(codes) == 0 {
			codes = []string{"-"}
		}
		out = append(out, strings.Join(codes, "+"))
	}
	return out
}

func isSpoken(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.Sc)
}

type score struct{ right, all int }

func (s score) percent() float64 { return 100 * float64(s.right) / float64(s.all) }

// TestMixed compares with the labels of a careful reader.
func TestMixed(t *testing.T) {
	t.Parallel()
	var all, romanised score
	pairs := map[string]*score{}
	for line := range strings.Lines(mixed) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		tag, err := lang.Resolve(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		s, want := fields[1], strings.Fields(fields[2])
		got := labels(s, segment.Runs(s, tag))
		latin := !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
		pair := pairOf(want, latin)
		if pairs[pair] == nil {
			pairs[pair] = new(score)
		}
		for i, token := range strings.Fields(s) {
			right := 0
			if got[i] == want[i] {
				right = 1
			} else {
				t.Logf("miss: %q in %q (%s) is %s, want %s", token, s, fields[0], got[i], want[i])
			}
			for _, n := range []*score{&all, pairs[pair]} {
				n.right, n.all = n.right+right, n.all+1
			}
			if latin {
				romanised.right, romanised.all = romanised.right+right, romanised.all+1
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(pairs)) {
		t.Logf("%-14s %5.1f %% of %d", p, pairs[p].percent(), pairs[p].all)
	}
	t.Logf("romanised      %5.1f %% of %d", romanised.percent(), romanised.all)
	t.Logf("total          %5.1f %% of %d", all.percent(), all.all)
	if all.percent() < 95 {
		t.Errorf("%.1f %% of the tokens are in the right language, want 95 %%", all.percent())
	}
}

// pairOf names the languages of a sentence.
func pairOf(want []string, latin bool) string {
	set := map[string]bool{}
	for _, w := range want {
		for c := range strings.SplitSeq(w, "+") {
			if c != "-" {
				set[c] = true
			}
		}
	}
	pair := strings.Join(slices.Sorted(maps.Keys(set)), "-")
	if latin {
		pair += " Latn"
	}
	return pair
}

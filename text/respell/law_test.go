package respell

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"vaak/lang"
)

// held reports whether a cluster is held to the next letter of its script by a joiner
// or virama, of the letters and marks in the pieces of the tests.
func held(cluster, after string) bool {
	first, next := []rune(cluster)[0], []rune(after)[0]
	same := func(script *unicode.RangeTable) bool { return unicode.Is(script, first) && unicode.Is(script, next) }
	letter := strings.TrimRight(cluster, "\u0301\u0307\u0345\u093C\u094D\u0CBC\u0CCD\u200D\uFE0F")
	tail := cluster[len(letter):]
	return unicode.IsLetter(first) && unicode.IsLetter(next) &&
		(same(unicode.Latin) || same(unicode.Devanagari) || same(unicode.Kannada)) &&
		(strings.ContainsAny(tail, "\u094D\u0CCD") || strings.Contains(tail, "\u200D") && !strings.HasSuffix(letter, "\u200C"))
}

// bounds returns the places of a text where matches may begin and end, with both ends:
// those between grapheme clusters that are not held together. A byte that is no text is
// a cluster.
func bounds(s string) []int {
	var at []int
	all := clusterBounds(s)
	for i, edge := range all {
		if i == 0 || i == len(all)-1 || !held(s[all[i-1]:edge], s[edge:]) {
			at = append(at, edge)
		}
	}
	return at
}

func clusterBounds(s string) []int {
	at := []int{0}
	for rest := s; rest != ""; {
		n := sound(rest)
		for g := graphemes.FromString(rest[:n]); g.Next(); {
			at = append(at, len(s)-len(rest)+g.End())
		}
		if n < len(rest) {
			n++
			at = append(at, len(s)-len(rest)+n)
		}
		rest = rest[n:]
	}
	return at
}

// checkMatches says what is wrong with the matches of a text by the rules, if anything.
func checkMatches(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, rules []Rule, s string, ms []Match) {
	t.Helper()
	type read struct {
		how             folding
		key, respelling string
	}
	foldings := []folding{cased, folded, turkic}
	can := map[read]bool{}
	for _, r := range rules {
		for _, how := range foldings {
			can[read{how, string(keyOf(r.Term, how)), r.Respelling}] = true
		}
	}
	at, edges := 0, bounds(s)
	for _, m := range ms {
		if m.Start < at || m.End <= m.Start || m.End > len(s) {
			t.Fatalf("match %v of %q after %d", m, s, at)
		}
		at = m.End
		for _, edge := range []int{m.Start, m.End} {
			if _, ok := slices.BinarySearch(edges, edge); !ok {
				t.Fatalf("match %v of %q splits a cluster", m, s)
			}
		}
		if !slices.ContainsFunc(foldings, func(how folding) bool { return can[read{how, string(keyOf(m.In(s), how)), m.Respelling}] }) {
			t.Fatalf("match %v of %q, %q, is of no rule in %+v", m, s, m.In(s), rules)
		}
	}
}

// The plain matcher below tries every rule at every place, with strings instead of a
// trie, for texts of a few scripts.

// plainKey is the form in which the plain matcher compares.
func plainKey(s string, caseSensitive bool) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\u200B\u200C\u200D\u00AD\uFE0F", r) {
			return -1
		}
		return r
	}, s)
	s = norm.NFC.String(strings.ReplaceAll(s, "ĳ", "ij"))
	if !caseSensitive {
		s = norm.NFC.String(cases.Fold().String(s))
	}
	return strings.Join(strings.Fields(s), " ")
}

// plainClass returns a letter for the class of a code point: of a script, of a digit,
// of what is looked through, of white space and signs.
func plainClass(r rune) byte {
	switch {
	case unicode.IsDigit(r):
		return '9'
	case unicode.Is(unicode.Latin, r):
		return 'L'
	case unicode.Is(unicode.Devanagari, r):
		return 'D'
	case unicode.Is(unicode.Kannada, r):
		return 'K'
	case unicode.Is(unicode.Han, r):
		return 'H'
	case strings.ContainsRune("\u200C\u200D\u00AD\uFE0F\u0301", r):
		return 'z'
	}
	return ' '
}

func plainClasses(s string) string {
	var b strings.Builder
	for _, r := range s {
		if c := plainClass(r); c != 'z' {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// plainWord reports whether the part of a text from i to j is of whole words.
func plainWord(s string, i, j int) bool {
	before, in, after := plainClasses(s[:i]), plainClasses(s[i:j]), plainClasses(s[j:])
	goesOn := func(in, beside byte, inner string) bool {
		switch {
		case !strings.ContainsRune("LDK9", rune(in)) || beside == ' ' || beside == 'H':
			return false
		case in == '9' && beside != '9':
			for _, c := range inner { // the letter of the term next to its digits
				if c != '9' {
					return c != 'L' && c != 'D' && c != 'K' && c != 'H' || byte(c) == beside
				}
			}
			return true
		}
		return beside == '9' || in == beside
	}
	if before != "" && goesOn(in[0], before[len(before)-1], in) {
		return false
	}
	back := []byte(in)
	slices.Reverse(back)
	return after == "" || !goesOn(in[len(in)-1], after[0], string(back))
}

func plainFind(dictionaries [][]Rule, s string, request lang.Tag) []Match {
	var all []Match
	edges := bounds(s)
	overlaps := func(i, j int) bool {
		return slices.ContainsFunc(all, func(m Match) bool { return i < m.End && m.Start < j })
	}
	for _, rules := range dictionaries {
		var mine []Match
		for a := 0; a < len(edges); a++ {
			for b := len(edges) - 1; b > a; b-- {
				i, j := edges[a], edges[b]
				if overlaps(i, j) {
					continue
				}
				if k := plainBest(rules, s, i, j, request); k >= 0 {
					m := Match{Respelling: rules[k].Respelling, Rule: k}
					m.Start, m.End = i, j
					mine = append(mine, m)
					a = b - 1
					break
				}
			}
		}
		all = append(all, mine...)
	}
	slices.SortFunc(all, func(a, b Match) int { return a.Start - b.Start })
	return all
}

// plainBest returns the index of the rule that matches just the part of a text, or -1.
func plainBest(rules []Rule, s string, i, j int, request lang.Tag) int {
	// What is ignored stays outside of a match where it is a cluster of its own.
	if part := s[i:j]; strings.Trim(part, " \n\u00AD") != part {
		return -1
	}
	at := -1
	var best *Rule
	for k := range rules {
		r := &rules[k]
		switch {
		case plainKey(s[i:j], r.CaseSensitive) != plainKey(r.Term, r.CaseSensitive),
			plainKey(r.Term, true) == "",
			len(r.Only) > 0 && !slices.Contains(r.Only, string(request.Code)),
			slices.Contains(r.Except, string(request.Code)),
			!r.InWords && !plainWord(s, i, j):
			continue
		}
		if best == nil || len(r.Only) > len(best.Only) ||
			len(r.Only) == len(best.Only) && r.CaseSensitive && !best.CaseSensitive {
			best, at = r, k
		}
	}
	return at
}

// draw returns texts made of pieces.
func draw(pieces []string, least, most int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), least, most), func(p []string) string {
		return strings.Join(p, "")
	})
}

// some draws a few of the pieces, so that rules often match.
func some(t *rapid.T, pieces []string) []string {
	return rapid.SliceOfN(rapid.SampledFrom(pieces), 2, 6).Draw(t, "pieces")
}

func drawRules(pieces []string) *rapid.Generator[[]Rule] {
	one := rapid.Custom(func(t *rapid.T) Rule {
		scope := rapid.SampledFrom([][]string{nil, nil, nil, {"en"}, {"hi"}})
		return Rule{
			Term: draw(pieces, 1, 4).Draw(t, "term"), Respelling: rapid.StringMatching(`[x-z]{1,3}`).Draw(t, "alias"),
			CaseSensitive: rapid.Bool().Draw(t, "cased"), InWords: rapid.Bool().Draw(t, "inside"),
			Only: scope.Draw(t, "only"), Except: scope.Draw(t, "except"),
		}
	})
	return rapid.SliceOfN(one, 0, 8)
}

// few are the pieces for which the plain matcher is right.
var few = []string{"a", "A", "b", "é", "e\u0301", "ß", "ss", "क", "कि", "ज़", "ज\u093C", "1", "२", " ", "\n", "-", "國", "\u00AD", "क्\u200Dष", "a b", "👍🏽", "👍", "ĳ", "ij", "ಕ್", "ಕ", "ಷ", "ಕ್\u200D", "क्", "a\u200D"}

func TestFindAsPlain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := some(t, few)
		one, two := drawRules(pieces).Draw(t, "rules"), drawRules(pieces).Draw(t, "more")
		s := draw(pieces, 0, 24).Draw(t, "text")
		request := lang.Tag{Code: rapid.SampledFrom([]lang.Code{"en", "hi", "de"}).Draw(t, "request")}
		got := compileAll(one, two).Find(s, request)
		checkMatches(t, slices.Concat(one, two), s, got)
		if want := plainFind([][]Rule{one, two}, s, request); !slices.Equal(got, want) {
			t.Fatalf("Find(%q) = %v, want %v", s, got, want)
		}
		checkProspects(t, compileAll(one, two), s, request)
	})
}

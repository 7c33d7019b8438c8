package respell

import (
	"slices"
	"strings"
	"testing"

	"vaak/lang"
)

// FuzzFind takes rules as lines of options, a term and a respelling: "cw|API|A P I",
// where c is for the exact casing and w for matches inside words.
func FuzzFind(f *testing.F) {
	for _, tt := range slices.Concat(optionCases, latinCases, indicCases, rightToLeftCases, eastAsianCases, signCases, orderCases) {
		var b strings.Builder
		for _, r := range slices.Concat(tt.rules, tt.more) {
			options := ""
			if r.CaseSensitive {
				options += "c"
			}
			if r.InWords {
				options += "w"
			}
			b.WriteString(options + "|" + r.Term + "|" + r.Respelling + "\n")
		}
		f.Add(b.String(), tt.text, tt.request)
	}
	f.Fuzz(func(t *testing.T, lines, s, hint string) {
		request, err := lang.Resolve(hint)
		if err != nil || len(s) > 1<<9 || len(lines) > 1<<9 {
			return
		}
		var rules []Rule
		for line := range strings.Lines(lines) {
			fields := strings.SplitN(strings.TrimRight(line, "\n"), "|", 3)
			if len(fields) == 3 {
				rules = append(rules, Rule{Term: fields[1], Respelling: fields[2],
					CaseSensitive: strings.Contains(fields[0], "c"), InWords: strings.Contains(fields[0], "w")})
			}
		}
		ds := Dictionaries{Compile(rules)}
		ms, n := ds.FindOpen(s, request)
		checkMatches(t, rules, s, ms)
		checkProspects(t, ds, s, request)
		if closed := ds.Find(s, request); !slices.Equal(ms, closed) {
			t.Errorf("FindOpen(%q) = %v, Find %v", s, ms, closed)
		}
		if now, later := beginningIn(n, ms), beginningIn(n, ds.Find(s+" x", request)); !slices.Equal(now, later) {
			t.Errorf("of the first %d bytes of %q match %v, but with more %v", n, s, now, later)
		}
	})
}

package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text/respell"
)

// The limits of pronunciation dictionaries.
const (
	respellLimit = 2 * time.Millisecond  // 1,000 rules over 5,000 characters
	compileLimit = 20 * time.Millisecond // 1,000 rules
)

// respelling measures the largest dictionary on one core, beside a regular expression
// of the same terms, which knows nothing of languages and clusters.
func respelling(_ context.Context, b *bench) ([]part, error) {
	texts, err := runningTexts(5000)
	if err != nil {
		return nil, err
	}
	rules := termsOf(texts)
	var made *respell.Dictionary
	compile := timed(b.plan.rounds, func() { made = respell.Compile(rules) })
	check := timed(b.plan.rounds, func() { err = respell.Check(rules) })
	if err != nil {
		return nil, fmt.Errorf("rules of the benchmark: %w", err)
	}
	var naive *regexp.Regexp
	naiveCompile := timed(b.plan.rounds, func() { naive = expressionOf(rules) })

	out := &table{header: []string{"text of 5,000 characters", "matches", "time", "a regular expression", "times as long"}}
	var slowest time.Duration
	row := func(name, text string, tag lang.Tag, rules []respell.Rule, expression *regexp.Regexp) {
		ds, found := respell.Dictionaries{respell.Compile(rules)}, 0
		ours := timed(b.plan.rounds, func() { found = len(ds.Find(text, tag)) })
		theirs := timed(b.plan.rounds, func() { expression.FindAllStringIndex(text, -1) })
		slowest = max(slowest, ours)
		out.add(name, fmt.Sprint(found), millis(ours), millis(theirs), whole(over(theirs, ours)))
	}
	for _, code := range []lang.Code{"en", "hi", "ta", "ar", "ru", "zh", "ja", "ko", "tr"} {
		row(string(code), texts[code], lang.Tag{Code: code}, rules, naive)
	}
	atMost(&b.report, "pronunciation dictionary, 1,000 rules over 5,000 characters, slowest language", slowest, respellLimit, millis)
	letters := strings.Repeat("a", 5000)
	row("one letter, terms of 1 to 128 of it", letters, lang.Tag{Code: "en"}, sameLetter(""), expressionOf(sameLetter("")))
	row("one letter, the same with another at the end", letters, lang.Tag{Code: "en"}, sameLetter("b"), expressionOf(sameLetter("b")))
	atMost(&b.report, "pronunciation dictionary, 1,000 rules made ready", compile, compileLimit, millis)
	return []part{
		prose(fmt.Sprintf("1,000 rules whose terms are words of the texts of all languages. Making them ready takes %s, and %.1f MB of memory; a regular expression of the same terms %s. "+
			"Looking whether they may be kept takes %s. In the last two texts every place begins as many terms as can be, which match, or come to nothing.",
			millis(compile), float64(made.Size())/1e6, millis(naiveCompile), millis(check))),
		out,
	}, nil
}

// timed returns the median time of what is done a few times.
func timed(rounds int, do func()) time.Duration {
	var all []time.Duration
	for range max(rounds, 3) * 3 {
		began := time.Now()
		do()
		all = append(all, time.Since(began))
	}
	return median(all)
}

// termsOf returns as many rules as a dictionary may have, of words from all texts.
func termsOf(texts map[lang.Code]string) []respell.Rule {
	seen := map[string]bool{}
	var rules []respell.Rule
	for from := 0; from < 1000; from += 5 {
		for _, l := range lang.All() {
			words := strings.Fields(texts[l.Code])
			for _, w := range words[min(from, len(words)):min(from+5, len(words))] {
				w = strings.ToLower(strings.Trim(w, ".,;:!?()\"'«»„“”’।。、，-"))
				if n := utf8.RuneCountInString(w); n > 20 { // a script without spaces
					w = string([]rune(w)[:3])
				}
				if n := utf8.RuneCountInString(w); n < 2 || n > 20 || seen[w] {
					continue
				}
				seen[w] = true
				rules = append(rules, respell.Rule{Term: w, Respelling: w})
				if len(rules) == respell.MaxRules {
					return rules
				}
			}
		}
	}
	return rules
}

// sameLetter returns rules for words of one letter with an ending, in any casing and in
// the one that it has.
func sameLetter(end string) (rules []respell.Rule) {
	for n := range respell.MaxTerm - len(end) {
		term := strings.Repeat("a", n+1) + end
		rules = append(rules, respell.Rule{Term: term, Respelling: "c", InWords: true},
			respell.Rule{Term: term, Respelling: "d", InWords: true, CaseSensitive: true})
	}
	return rules
}

// expressionOf returns a regular expression that finds the terms of rules, the longest
// first.
func expressionOf(rules []respell.Rule) *regexp.Regexp {
	terms := make([]string, len(rules))
	for i, r := range rules {
		terms[i] = regexp.QuoteMeta(r.Term)
	}
	slices.SortFunc(terms, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile("(?i)(?:" + strings.Join(terms, "|") + ")")
}

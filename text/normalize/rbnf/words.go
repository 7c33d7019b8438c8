package rbnf

import (
	"embed"
	"strings"
	"sync"

	"vaak/lang"
	"vaak/text/normalize/cldr"
)

// words holds rules of ours for the languages that CLDR has none for, and for
// those whose rules in CLDR are mostly wrong.
//
//go:embed words/*.txt
var words embed.FS

// corrections mends the rules of CLDR where they have mistakes. Its columns are the
// language, what CLDR has, what it ought to be, and why; "\n" parts rules.
//
//go:embed corrections.tsv
var corrections string

// formatters are those that [Of] made, each under the locale it was made of.
var formatters sync.Map // of *cldr.Locale to func() *Formatter

// Of returns the formatter of a language as the tag's region has it: ours where we
// have rules, else CLDR's with their mistakes corrected; nil when there are neither.
// It is made on first use and kept.
func Of(tag lang.Tag) *Formatter {
	l := cldr.ForRegion(tag)
	if made, ok := formatters.Load(l); ok {
		return made.(func() *Formatter)()
	}
	// Two first callers may both come here. One function is stored, and it parses once,
	// whoever calls it.
	once := sync.OnceValue(func() *Formatter { return load(tag.Code, l) })
	made, _ := formatters.LoadOrStore(l, once)
	return made.(func() *Formatter)()
}

// load parses the rules of a language. The tests parse all there are, so an error
// means that there are none.
func load(code lang.Code, l *cldr.Locale) *Formatter {
	rules := correct(code, l.Rules)
	if text, err := words.ReadFile("words/" + string(code) + ".txt"); err == nil {
		rules = string(text)
	}
	f, err := Parse(rules, l)
	if err != nil {
		return nil
	}
	return f
}

// correct mends the rules of a language.
func correct(code lang.Code, rules string) string {
	prefix := string(code) + "\t"
	spelled := false
	for line := range strings.Lines(corrections) {
		if !strings.HasPrefix(line, prefix) {
			continue
		}
		if !spelled {
			// The table is written in the spelling that spell makes. spell may run again in
			// Parse, as it changes nothing the second time.
			rules, spelled = spell(rules), true
		}
		wrong, right := correction(line)
		rules = strings.ReplaceAll(rules, wrong, right)
	}
	return rules
}

// correction reads a line of the table.
func correction(line string) (wrong, right string) {
	_, rest, _ := strings.Cut(line, "\t")
	wrong, rest, _ = strings.Cut(rest, "\t")
	right, _, _ = strings.Cut(rest, "\t")
	return strings.ReplaceAll(wrong, `\n`, "\n"), strings.ReplaceAll(right, `\n`, "\n")
}

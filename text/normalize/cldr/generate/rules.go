package main

import (
	"fmt"
	"strings"
)

// rbnf takes the spellout rules of the nearest locale that has any.
func (s *source) rbnf(l *locale, _ owner) error {
	for _, k := range s.chain(l.name) {
		if text, ok := s.files[rulesFile(k)]; ok {
			rules, err := rules(string(text))
			if err != nil {
				return fmt.Errorf("read %s: %w", rulesFile(k), err)
			}
			l.set("rules", rules)
			return nil
		}
	}
	return nil
}

// rulesFile is the path of a locale's spellout rules as rule text. The JSON
// beside it is not read because it spoils the apostrophes that guard leading
// spaces in some locales.
func rulesFile(k string) string {
	return "rbnf/" + strings.ReplaceAll(k, "-", "_") + "-SpelloutRules.txt"
}

// rules tidies rule text: arrows are written as such, and the sets for lenient
// parsing, which are no number rules, are left out.
func rules(text string) (string, error) {
	var b strings.Builder
	skip := true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "":
		case strings.HasPrefix(line, "%"):
			if skip = line == "%%lenient-parse:"; !strings.HasSuffix(line, ":") {
				return "", fmt.Errorf("%q is no rule set", line)
			}
			fallthrough
		default:
			if !skip {
				b.WriteString(arrows.Replace(line) + "\n")
			}
		}
	}
	return b.String(), nil
}

// arrows replaces the ASCII signs of rule text by the arrows that they mean.
var arrows = strings.NewReplacer("<", "←", ">", "→")

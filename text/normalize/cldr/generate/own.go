package main

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// owner tells the words of a language's own from what it inherits.
type owner struct {
	name    string          // of the locale
	english bool            // nothing is foreign
	latin   bool            // the language is written in the Latin script
	words   bool            // unit names equal to root's may be the language's own
	full    bool            // abbreviations are no names
	foreign map[string]bool // names that are English beyond doubt
}

// international are the unit names of root that are words, the same in most
// languages of the Latin script.
var international = []string{"{0} bit", "{0} byte", "{0} bar"}

// borrowed are English names that CLDR has in other languages of the Latin
// script, and which no voice of theirs can read.
var borrowed = []string{
	"{0} mile per gallon", "{0} miles per gallon", "{0} part per million", "{0} parts per million",
	"{0} dot per inch", "{0} dots per inch", "{0} pixel per inch", "{0} pixels per inch",
	"{0} fluid ounce", "{0} fluid ounces", "{0} g-force", "{0} feet", "{0} feet vuông", "en dash", "em dash", "trade mark",
}

// word returns a name when it is the language's own, else "". Foreign is what
// root has, what has no letter, and in another script what is all Latin.
func (o owner) word(name, inherited string) string {
	name = strings.TrimSpace(name)
	// ↑↑↑ is CLDR's marker for "as in the parent locale".
	if strings.Contains(name, "\n") || strings.Contains(name, "↑↑↑") {
		return ""
	}
	if o.english {
		return name
	}
	// Locales differ from root in no-break spaces alone; that makes no name of their own.
	plain := strings.ReplaceAll(name, "\u00a0", " ")
	if plain == strings.ReplaceAll(inherited, "\u00a0", " ") &&
		!(o.words && o.latin && slices.Contains(international, plain)) {
		return ""
	}
	if o.full && o.abbreviation(plain) {
		return ""
	}
	if slices.Contains(borrowed, plain) || o.foreign[plain] {
		return ""
	}
	if !o.spoken(strings.NewReplacer("{0}", "", "{1}", "").Replace(plain)) {
		return ""
	}
	return name
}

// spoken reports whether a text has a letter that the language may own.
func (o owner) spoken(text string) bool {
	for _, r := range text {
		if unicode.IsLetter(r) && (o.latin || !unicode.Is(unicode.Latin, r)) {
			return true
		}
	}
	return false
}

// list writes names in the order of keys, one a line; "" when one is foreign.
func (o owner) list(names, inherited map[string]string, keys []string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		// All or none: a date would be read half in another language otherwise.
		if out[i] = o.word(names[k], inherited[k]); out[i] == "" {
			return ""
		}
	}
	return strings.Join(out, "\n")
}

// forms writes the forms of a name, lines of a category and a text. Without
// plural forms the plain name is that of every number.
func (o owner) forms(names map[string]string, prefix, plain, inherited string) string {
	var lines []string
	hasOther := false
	for _, c := range categories {
		name := names[prefix+c]
		if name == "" && c == "other" {
			name = plain
		}
		if name = o.word(name, inherited); name != "" {
			lines = append(lines, c+" "+name)
			hasOther = hasOther || c == "other"
		}
	}
	if !hasOther {
		return ""
	}
	return strings.Join(lines, "\n")
}

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// rate returns the pattern of a rate when it is the language's own and in
// words: one with a slash cannot be read.
func (o owner) rate(pattern, inherited string) string {
	if strings.Contains(pattern, "/") {
		return ""
	}
	return o.word(pattern, inherited)
}

package notation

import (
	"strings"

	"vaak/lang"
)

// Suggest says what to write in place of a notation: how the letters of the term are
// spelled where it looks like an abbreviation, else what a respelling looks like.
func Suggest(term string, only []lang.Tag) string {
	spelled, whole := spellOut(term)
	if spelled == "" {
		return `write the letters to read, for example "engine x" for "nginx"` + inScript(only, `"API"`, "ए पी आई")
	}
	devanagari := ""
	if whole && len(term) <= maxNamed {
		devanagari = inDevanagari(term)
	}
	return "write the letters to read, for example \"" + spelled + "\"" + inScript(only, "", devanagari)
}

// inScript mentions the scripts in which the languages of a rule are written. The
// example in Devanagari is of a term; "" is no example.
func inScript(only []lang.Tag, of, devanagari string) string {
	if of != "" {
		of = " for " + of
	}
	foreign := ""
	for _, t := range only {
		if t.Writes("Deva") && devanagari != "" {
			return ", or in Devanagari, for example \"" + devanagari + "\"" + of
		}
		if l, ok := lang.Lookup(t.Code); ok && foreign == "" && l.Scripts[0] != "Latn" {
			foreign = l.Name
		}
	}
	switch {
	case foreign != "":
		return ", or write it in the script of " + foreign
	case len(only) > 0:
		return ""
	case devanagari == "":
		return ", or write it in another script"
	}
	return ", or in another script, for example \"" + devanagari + "\"" + of
}

// The longest terms that are spelled out, and whose letters are named, in bytes.
const (
	maxSpelled = 24
	maxNamed   = 6
)

// spellOut puts spaces between the capitals of an abbreviation and around its words
// and numbers: "A P I", "Chat G P T", "H 264", "A P I s". It returns "" for a term
// that has no two capitals beside each other, and whether all of the term are capital
// letters.
func spellOut(term string) (spelled string, whole bool) {
	term = strings.TrimSpace(term)
	if len(term) > maxSpelled {
		return "", false
	}
	var b strings.Builder
	run := false
	whole = true
	for i := range len(term) {
		c := term[i]
		capital, digit := latinCapital(c), '0' <= c && c <= '9'
		if !latinLetter(c) && !digit {
			return "", false
		}
		whole = whole && capital
		before := byteAt(term, i-1)
		plural := c == 's' && i == len(term)-1 && latinCapital(before) // the s of APIs
		if i > 0 && (capital || plural || digit && !('0' <= before && before <= '9')) {
			b.WriteByte(' ')
		}
		run = run || capital && latinCapital(before)
		b.WriteByte(c)
	}
	if !run {
		return "", false
	}
	return b.String(), whole
}

// letterNames are the names of A to Z in Devanagari, as they are said in Hindi.
var letterNames = strings.Fields("ए बी सी डी ई एफ़ जी एच आई जे के एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई ज़ेड")

// inDevanagari writes the names of capital letters.
func inDevanagari(term string) string {
	term = strings.TrimSpace(term)
	names := make([]string, len(term))
	for i := range len(term) {
		names[i] = letterNames[term[i]-'A']
	}
	return strings.Join(names, " ")
}

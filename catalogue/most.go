package catalogue

import (
	"slices"
	"strings"
	"unicode"

	"vaak/catalogue/spelling"
	"vaak/lang"
)

// A dataset matches a query if most of the words fit: somebody who asks for "Hindi customer
// support calls" means calls to Hindi call centres, whatever their titles say. Of one or two
// words all must fit, of more at least half. The name of a language must always fit, because
// datasets in other languages are not what was asked for. A query without a space, such as a
// slug, is one word, and all its parts must fit.

// allTerms is the largest number of terms of which all must fit.
const allTerms = 2

// leastTerms returns how many of n terms must fit.
func leastTerms(n int) int {
	if n <= allTerms {
		return n
	}
	return (n + 1) / 2
}

// term is what one word of a query asks for, or several words that name a language.
type term struct {
	text string   // folded
	run  bool     // of a script without spaces; see [spelling.Word]
	tag  lang.Tag // zero where it is no name of a language
	// exact says that typing errors are not looked for; see maxMistyped.
	exact bool
}

// maxName is how many words the name of a language has at most.
const maxName = 4

// termsOf returns the different words of a query, folded and sorted. Words that name a language
// together are one. An English plural becomes its singular: words are matched by prefix, so the
// singular finds both. Words that any text has, such as "of", are left out of several.
//
// A word that reads like a tag is one if spoken reports so of the language; otherwise it is words
// like others, such as those of "hi-fi" and of slugs.
func termsOf(q string, spoken func(lang.Tag) bool) []term {
	var out, common []term
	fields := strings.Fields(q)
	for i := 0; i < len(fields); {
		if t, n := languageTerm(fields[i:], spoken); n > 0 {
			out = append(out, t)
			i += n
			continue
		}
		for _, w := range spelling.Words(fields[i]) {
			t := term{text: w.Text, run: w.Run}
			if !w.Run {
				t.text = singular(w.Text)
			}
			if len(fields) > 1 && commonWords[w.Text] {
				common = append(common, t)
			} else {
				out = append(out, t)
			}
		}
		i++
	}
	if len(out) == 0 {
		out = common
	}
	slices.SortFunc(out, func(a, b term) int { return strings.Compare(a.text, b.text) })
	return slices.CompactFunc(out, func(a, b term) bool { return a.text == b.text })
}

// languageTerm returns the term of the longest name of a language at the beginning of fields and
// how many fields it has; 0 for none. Codes are words like others, because many are words too,
// but tags such as hi_IN are not.
func languageTerm(fields []string, spoken func(lang.Tag) bool) (term, int) {
	for n := min(len(fields), maxName); n > 0; n-- {
		key := nameKey(strings.Join(fields[:n], " "))
		if tag, ok := languageNames()[key]; ok {
			return term{text: key, tag: tag, run: isRun(key)}, n
		}
	}
	if tag, ok := lang.Find(fields[0]); ok && tag.Code != "" && isTag(fields[0]) && spoken(tag) {
		return term{text: languageKey(fields[0]), tag: tag}, 1
	}
	return term{}, 0
}

// isTag reports whether a word is a code of a language with a script or a region, and nothing
// else.
func isTag(word string) bool {
	word, _, _ = strings.Cut(word, ".") // the encoding of a locale
	if strings.ContainsFunc(word, func(r rune) bool {
		return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) {
		return false // lang.Find would pass over it
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '_' })
	if len(parts) < 2 || len(parts) > 3 || len(parts[0]) > 3 {
		return false
	}
	for _, p := range parts[1:] {
		if len(p) < 2 || len(p) > 4 {
			return false
		}
	}
	return true
}

// singular returns a word of four or more ASCII letters without a final "s".
func singular(word string) string {
	ascii := !strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
	if ascii && len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

// commonWords are words of questions that say nothing about a dataset, folded.
var commonWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a an the of in on at for with and or to from by about is are as that which where
		del los las con para por les des du et dans avec pour der die das und mit von fur im
		में और का की के से को पर এবং ও এর và и в на с о про من في على و عن از در و به با και σε για του της των`) {
		m[spelling.Fold(w)] = true
	}
	return m
}()

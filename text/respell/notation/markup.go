package notation

import (
	"regexp"
	"strings"
)

var (
	// speechTag is a tag of SSML or of a pronunciation lexicon, or its beginning.
	speechTag = regexp.MustCompile(`(?i)(?:<|&lt;|&#60;|&#x3c;)[/?]?\s*(?:speak|phoneme|say-as|sub|break|prosody|emphasis|voice|audio|lexicon|lexeme|grapheme|alias|mark|lang|amazon:[a-z-]+|mstts:[a-z-]+)(?:[\s/>&]|$)`)
	// anyTag is a whole tag: <b>, </b>, <br/>, <a href="x">. Neither <3 nor the
	// comparison in "a<b and c>d" is one.
	anyTag = regexp.MustCompile(`(?i)</?[a-z][a-z0-9:_.-]*(?:\s+[a-z_][a-z0-9:_.-]*\s*=\s*["'][^<>]*)?\s*/?>|<\?xml|<!--`)
	// escaped is a < or a character by its number, written for a markup language.
	escaped = regexp.MustCompile(`(?i)&(?:lt|#[0-9]+|#x[0-9a-f]+);`)
	// attribute is one of those that carry a notation. "pH=7" and "alphabet = 26"
	// are none.
	attribute = regexp.MustCompile(`\bph\s*=\s*["']|\bph=[^\s\d=]|(?i:\balphabet\s*=\s*["'a-z])|\binterpret-as\s*=`)
)

// Markup returns the first markup in a value.
func Markup(s string) (found string, ok bool) {
	return first(s, speechTag, attribute, anyTag, escaped)
}

// SpeechMarkup returns the first markup of speech in a value. Other tags may well stand in a term
// that is to be read ("<b>", "vector<int>"), but markup of speech is taken out of a text before
// rules see it, so a term with it would never match.
func SpeechMarkup(s string) (found string, ok bool) {
	return first(s, speechTag, attribute)
}

// first returns the match of the first pattern that matches.
func first(s string, patterns ...*regexp.Regexp) (found string, ok bool) {
	// Without one of these no pattern matches, and most values have none.
	if !strings.ContainsAny(s, "<&=") {
		return "", false
	}
	for _, re := range patterns {
		if found = re.FindString(s); found != "" {
			return strings.TrimSpace(found), true
		}
	}
	return "", false
}

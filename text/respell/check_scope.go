package respell

import (
	"fmt"
	"slices"
	"sync"

	"vaak/lang"
)

const (
	// maxLanguage bounds what names a language in a list, in bytes; the longest name
	// that is known, of Bokmål in Hindi, has 52.
	maxLanguage = 64
	// maxNearest bounds for how many unknown languages of a list of rules the nearest
	// known ones are searched, because a search takes milliseconds.
	maxNearest = 8
)

// languages resolves a list of languages, without those that are not known.
func (c *checker) languages(field Field, list []string) (languages, *wrong) {
	if n := len(list); n > MaxLanguages {
		return languages{}, &wrong{code: CodeTooLong, msg: fmt.Sprintf("%s has %d languages; at most %d are allowed", field, n, MaxLanguages)}
	}
	var w *wrong
	for _, hint := range list {
		if len(hint) > maxLanguage {
			return languages{}, &wrong{code: CodeLanguage, msg: fmt.Sprintf("%s holds a language of %d bytes; names of at most %d are allowed: %s", field, len(hint), maxLanguage, quoted(hint))}
		}
		if !c.known(hint) && w == nil {
			w = &wrong{code: CodeLanguage, msg: c.unknown(field, hint)}
		}
	}
	return c.names.list(list), w
}

// known reports whether a hint names a language. Those that do not are noted here, for
// the resolver would look for what is nearest to each.
func (c *checker) known(hint string) bool {
	t, ok := c.names.tags[hint]
	if !ok {
		if t, _ = lang.Find(hint); t.IsZero() {
			c.names.tags[hint] = t
		}
	}
	return !t.IsZero()
}

// unknown says what is wrong with a language, and which may have been meant.
func (c *checker) unknown(field Field, hint string) string {
	if _, ok := lang.Find(hint); ok {
		return fmt.Sprintf("%s holds %s, which names no language; name languages such as \"hi\" or \"English\", or leave %s out for every language", field, quoted(hint), field)
	}
	msg := fmt.Sprintf("%s holds %s, which is not a supported language", field, quoted(hint))
	if c.nearest++; c.nearest > maxNearest {
		return msg
	}
	return msg + "; " + lang.Instead(hint)
}

// everyLanguage is the tags of all languages.
var everyLanguage = sync.OnceValue(func() []lang.Tag {
	var tags []lang.Tag
	for _, l := range lang.All() {
		tags = append(tags, lang.Tag{Code: l.Code})
	}
	return tags
})

// checkApart checks that Except leaves something of Only, or of all languages.
func checkApart(only, except languages) *wrong {
	if !except.given {
		return nil
	}
	of, tags := "all languages of "+string(FieldOnly), only.tags
	if !only.given {
		of, tags = "every supported language", everyLanguage()
	}
	for _, t := range tags {
		if at, same := slices.BinarySearchFunc(except.tags, t, compareTags); !same && !inside(t, except.tags[:at]) {
			return nil
		}
	}
	return &wrong{code: CodeConflict, msg: fmt.Sprintf("%s holds %s, so that the rule applies nowhere; leave one of them out", FieldExcept, of)}
}

package catalogue

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"vaak/catalogue/spelling"
	"vaak/lang"
)

func newTongue(e Entry) *tongue {
	t := &tongue{
		name: strings.Clone(e.Brief.Language), bcp47: strings.Clone(e.Brief.BCP47), script: strings.Clone(e.Script),
	}
	for _, name := range e.Names {
		t.names = append(t.names, strings.Clone(name))
	}
	all := append([]string{t.name, t.bcp47}, t.names...)
	var whole []string
	for _, name := range all {
		t.keys = append(t.keys, languageKey(name))
		words := spelling.Words(name)
		for _, w := range words {
			t.words = append(t.words, w.Text)
		}
		if len(words) == 1 {
			whole = append(whole, words[0].Text)
		}
	}
	slices.Sort(t.words)
	t.words = slices.Compact(t.words)
	slices.Sort(whole)
	// A word of a longer name, such as "language", is no language.
	for _, w := range slices.Compact(whole) {
		if letters := spelling.Letters(w); len(letters) >= minMistyped && !isRun(w) {
			t.mistyped = append(t.mistyped, languageName{letters: letters, sign: spelling.Sign(letters)})
		}
	}
	for _, name := range append([]string{t.bcp47}, t.names...) {
		if tag, ok := lang.Find(name); ok && tag.Code != "" {
			t.tag = tag
			break
		}
	}
	if t.script != "" {
		t.tag.Script = t.script
	}
	return t
}

// compareTongues sorts languages by tag, then by name.
func compareTongues(a, b *tongue) int {
	return strings.Compare(a.bcp47+"\x00"+a.name, b.bcp47+"\x00"+b.name)
}

// languageKey returns the form in which names and tags of languages are compared.
func languageKey(name string) string {
	return strings.ReplaceAll(spelling.Fold(strings.TrimSpace(name)), "_", "-")
}

// wanted is a language that a query names.
type wanted struct {
	key string   // see languageKey
	tag lang.Tag // zero where the language is not among the known ones
}

// wantedLanguage reads a name, a code or a tag in any form.
func wantedLanguage(name string) wanted {
	w := wanted{key: languageKey(name)}
	if tag, ok := lang.Find(name); ok {
		w.tag = tag
	}
	return w
}

// means reports whether a query that names a language means t. A range means all tags that begin
// with it (RFC 4647, basic filtering), and so does a tag in another form.
func (w wanted) means(t *tongue) bool {
	if slices.Contains(t.keys, w.key) || w.key != "" && strings.HasPrefix(languageKey(t.bcp47), w.key+"-") {
		return true
	}
	return t.is(w.tag)
}

// is reports whether a tag with all that it says is true of t. A script that nobody has told is
// the usual one.
func (t *tongue) is(tag lang.Tag) bool {
	if tag.Code == "" || tag.Code != t.tag.Code || tag.Region != "" && tag.Region != t.tag.Region {
		return false
	}
	if tag.Script == "" || tag.Script == t.tag.Script {
		return true
	}
	l, ok := lang.Lookup(tag.Code)
	return ok && t.tag.Script == "" && l.Scripts[0] == tag.Script
}

// languageName is a name of a language as one word, in which typing errors are looked for.
type languageName struct {
	tag     lang.Tag
	letters []rune
	sign    spelling.Signature
}

// languageNames are the names of all languages that are known, folded, with a space between words.
var languageNames = sync.OnceValue(func() map[string]lang.Tag {
	m := map[string]lang.Tag{}
	for name, tag := range lang.Names() {
		// A code may be a word.
		if len(name) < minMistyped {
			continue
		}
		m[nameKey(name)] = tag
	}
	return m
})

// nameKey returns the words of a name with a space between them.
func nameKey(name string) string {
	var words []string
	for _, w := range spelling.Words(name) {
		words = append(words, w.Text)
	}
	return strings.Join(words, " ")
}

// mistypedNames are the names of one word that are long enough to be found with typing errors.
var mistypedNames = sync.OnceValue(func() (all []languageName) {
	for name, tag := range languageNames() {
		if letters := spelling.Letters(name); len(letters) >= minMistyped && !strings.Contains(name, " ") && !isRun(name) {
			all = append(all, languageName{tag, letters, spelling.Sign(letters)})
		}
	}
	return all
})

func isRun(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return spelling.Unspaced(r)
}

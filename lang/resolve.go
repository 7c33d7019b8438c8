package lang

import (
	_ "embed"
	"fmt"
	"iter"
	"maps"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"vaak/internal/fault"
)

//go:embed aliases.tsv
var aliasesTSV string

//go:embed exonyms.tsv
var exonymsTSV string

// maxHint is the longest hint in bytes; no name of a language is nearly as long.
const maxHint = 256

// Resolve returns the language that a hint means. A hint may be a name in English or in the
// language itself; a common other name ("Farsi", "Mandarin"); a code of two or three letters,
// also a retired, bibliographic, individual or macrolanguage code; or a BCP 47 tag or POSIX
// locale with script and region ("hi-IN", "hi_IN.UTF-8", "zh-Hant-TW", "es-419", "hi-Latn").
// Case does not matter.
//
// The hints "", "auto" and "und" ask for detection: the result is the zero Tag. Any other hint
// that is not a supported language gives a *fault.Error of kind Invalid for the field "lang".
// It names up to three near languages, or says where all are listed.
func Resolve(hint string) (Tag, error) {
	if t, ok := Find(hint); ok {
		return t, nil
	}
	return Tag{}, unsupported(hint)
}

// Find does what [Resolve] does, but does not search for near languages, which takes hundreds
// of times as long. It suits callers with many hints.
func Find(hint string) (t Tag, ok bool) {
	if len(hint) > maxHint {
		return Tag{}, false
	}
	key := fold(hint)
	if key == "auto" || key == "und" || strings.TrimSpace(hint) == "" {
		return Tag{}, true
	}
	return resolve(key)
}

func resolve(key string) (Tag, bool) {
	if t, ok := names()[key]; ok {
		return t, true
	}
	if t, ok := withSubtags(key); ok {
		return t, true
	}
	if plain := unaccented(key); plain != key {
		if t, ok := names()[plain]; ok {
			return t, true
		}
		if t, ok := withSubtags(plain); ok {
			return t, true
		}
	}
	if name, ok := strings.CutSuffix(key, "-language"); ok {
		t, found := names()[name]
		return t, found
	}
	return Tag{}, false
}

// withSubtags finds the longest name or code at the start of key, and parses what follows as
// the script, region and other subtags of BCP 47.
func withSubtags(key string) (Tag, bool) {
	// From the last hyphen to the first, so the longest name that is known wins.
	for i := strings.LastIndexByte(key, '-'); i > 0; i = strings.LastIndexByte(key[:i], '-') {
		t, ok := names()[key[:i]]
		if !ok {
			continue
		}
		if word, others, more := strings.Cut(key[i+1:], "-"); extends(t, word) {
			t = names()[word]
			if !more {
				return t, true
			}
			return subtags(t, others)
		}
		return subtags(t, key[i+1:])
	}
	return Tag{}, false
}

// extends reports whether a word is an extended language subtag, such as yue in zh-yue, which
// is the language itself.
func extends(t Tag, word string) bool {
	if len(word) != 3 {
		return false
	}
	e, ok := names()[word]
	return ok && (e.Code == t.Code || t.Code == "zh" && e.Code == "yue")
}

// subtags adds the script and the region in text to t. It returns false if text is malformed or
// unknown.
func subtags(t Tag, text string) (Tag, bool) {
	// "und" stands for the language, which is known already and may be no BCP 47 subtag.
	parsed, err := language.Raw.Parse("und-" + text)
	if err != nil {
		return Tag{}, false
	}
	base, script, region := parsed.Raw()
	if base.String() != "und" {
		return Tag{}, false // a second language
	}
	if s := script.String(); s != "Zzzz" {
		t.Script = s
	}
	if r := region.String(); r != "ZZ" {
		t.Region = r
	}
	return t, true
}

// Names yields every name and code by which [Find] knows a language, in lower case and with a
// hyphen for each space, and what it means, in no particular order. Codes that are names too
// come once.
func Names() iter.Seq2[string, Tag] { return maps.All(names()) }

// names maps the folded form of every code, name and alias to what it means. Codes take
// precedence over names. It is built when first used.
var names = sync.OnceValue(buildNames)

func buildNames() map[string]Tag {
	m := make(map[string]Tag, 2048)
	add := func(name string, t Tag) {
		full := fold(name)
		for _, key := range []string{full, unaccented(full)} {
			if _, taken := m[key]; !taken && key != "" {
				m[key] = t
			}
		}
	}
	// The first entry for a key stays, so codes must be added before names.
	for _, l := range table.rows {
		for _, code := range []string{string(l.Code), l.ISO6391, l.ISO6393} {
			add(code, Tag{Code: l.Code})
		}
	}
	for _, l := range table.rows {
		add(l.Name, Tag{Code: l.Code})
		add(l.Native, Tag{Code: l.Code})
	}
	for line := range strings.Lines(aliasesTSV + exonymsTSV) {
		tag, list, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		t := aliasTag(tag)
		for name := range strings.SplitSeq(list, ", ") {
			add(name, t)
		}
	}
	return m
}

// aliasTag parses the left column of aliases.tsv.
func aliasTag(s string) Tag {
	code, others, more := strings.Cut(s, "-")
	t := Tag{Code: Code(code)}
	if _, ok := table.byCode[t.Code]; !ok {
		panic(fmt.Sprintf("aliases.tsv: %q is not in the table", s))
	}
	if more {
		t, _ = subtags(t, others)
	}
	return t
}

// fold returns the form in which hints are compared: NFKC, lower case, with one kind of
// apostrophe, without text in brackets and the encoding of a POSIX locale, and with one hyphen
// for each run of spaces, underscores and hyphens.
func fold(hint string) string {
	s := strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(hint, "\uFFFD")))
	var b strings.Builder
	b.Grow(len(s))
	depth, gap := 0, false
	for _, r := range s {
		switch {
		case r == '(' || r == '[':
			depth++
			continue
		case (r == ')' || r == ']') && depth > 0:
			depth--
			continue
		case depth > 0:
			continue
		case r == '.' || r == '@': // the encoding or modifier of a POSIX locale: hi_IN.UTF-8, sd_IN@devanagari
			if b.Len() > 0 {
				return b.String()
			}
		}
		switch r {
		case '_', '-', '\u2010', '\u2011', '\u2012', '\u2013':
			r = ' '
		case '\u2018', '\u2019', '\u02BB', '\u02BC', '`', '\u00B4':
			r = '\''
		case '\u200C', '\u200D', '\uFEFF', '\u0307': // joiners, and the dot that remains of İ in lower case
			continue
		}
		if unicode.IsSpace(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 { // only before another character, so none stands at either end
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// unaccented removes the accents of a name, in scripts that are often written without: accents
// of Latin, Greek and Cyrillic, the nukta of Devanagari, the short vowels of Arabic. Other
// names are returned unchanged.
func unaccented(key string) string {
	if isASCII(key) {
		return key
	}
	first, _ := utf8.DecodeRuneInString(key)
	var drop func(r rune) bool
	switch ScriptOf(first) {
	case "Latn", "Grek", "Cyrl":
		drop = func(r rune) bool { return unicode.Is(unicode.Mn, r) }
	case "Deva":
		drop = func(r rune) bool { return r == '\u093C' } // nukta
	case "Arab":
		drop = func(r rune) bool { return '\u064B' <= r && r <= '\u0652' } // short vowels
	default:
		return key
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(key) {
		if !drop(r) {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unsupported returns the error for a hint that is not a language.
func unsupported(hint string) error {
	shown := hint
	if n := 0; len(hint) > maxShown {
		for i := range hint {
			if n++; n > maxShown {
				shown = hint[:i] + "…"
				break
			}
		}
	}
	return fault.BadParameter("lang", "lang %q is not a supported language; %s", shown, Instead(hint))
}

// maxShown is how many runes of a hint an error message repeats.
const maxShown = 40

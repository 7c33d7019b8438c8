package espeak

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/lang"
	"vaak/voice"
)

// joined bounds how many words of its declaration and preview a language reads
// as one with the word before, which the library reports as one: Bulgarian its
// prepositions, for one.
var joined = map[lang.Code]int{"bg": 14, "ko": 6, "sl": 2, "da": 1, "en": 1, "hu": 1, "it": 1, "sk": 1, "ur": 1}

// TestWordsAreReported reads paragraphs of every language and looks for words
// that nothing is reported of.
func TestWordsAreReported(t *testing.T) {
	t.Parallel()
	e := open(t, 0)
	texts := map[lang.Code][]string{}
	for line := range strings.Lines(udhrTSV) {
		if hint, s, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && line[0] != '#' {
			tag, err := lang.Resolve(hint)
			if err != nil {
				t.Fatal(err)
			}
			texts[tag.Code] = append(texts[tag.Code], s)
		}
	}
	for _, l := range lang.All() {
		var missing []string
		for _, s := range append(texts[l.Code], voice.PreviewText(l.Code)) {
			missing = append(missing, unreported(s, enginetest.Speak(t, e, in(l.Code, s)).Words)...)
		}
		if len(missing) > joined[l.Code] {
			t.Errorf("%s: nothing is reported of %q, want at most %d such words", l.Code, missing, joined[l.Code])
		}
	}
}

// unreported returns the words of a text that none of those reported lies in.
func unreported(s string, words []engine.Word) (missing []string) {
	at := 0
	for _, f := range strings.Fields(s) {
		at += strings.Index(s[at:], f)
		end := at + len(f)
		if strings.ContainsFunc(f, unicode.IsLetter) && !slices.ContainsFunc(words, func(w engine.Word) bool { return w.Start < end && w.End > at }) {
			missing = append(missing, f)
		}
		at = end
	}
	return missing
}

// TestWordsAreInTheirPlaces reads texts whose words the library misplaces: after
// a full stop before a small letter, and at the ends of long clauses.
func TestWordsAreInTheirPlaces(t *testing.T) {
	t.Parallel()
	e := open(t, 0)
	for _, tt := range []struct {
		code         lang.Code
		before, text string
		words        string
	}{
		{"fr", "", "Arbre. bonjour. le monde. deux, trois.", "Arbre bonjour le monde deux trois"},
		{"en", "", "ok. small letters. e.g. this", "ok small letters e.g this"},
		{"de", "Bitte.", "hallo Welt", "hallo Welt"},
		{"de", "", "Anspruch auf die Rechte ohne Unterschied, etwa nach Rasse, Hautfarbe, Geschlecht, Sprache, Vermögen, Geburt oder Stand",
			"Anspruch auf die Rechte ohne Unterschied etwa nach Rasse Hautfarbe Geschlecht Sprache Vermögen Geburt oder Stand"},
	} {
		u := in(tt.code, tt.text)
		u.Before = tt.before
		var words []string
		for _, w := range enginetest.Speak(t, e, u).Words {
			words = append(words, tt.text[w.Start:w.End])
		}
		if got := strings.Join(words, " "); got != tt.words {
			t.Errorf("%q after %q: the words are %q, want %q", tt.text, tt.before, got, tt.words)
		}
	}
}

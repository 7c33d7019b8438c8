package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// script is the number of a script: the index of its name in scriptNames.
type script uint8

// The scripts that detection needs by name. Others have only a number; see scriptNames.
const (
	unknown script = iota
	common
	inherited
	latin
	devanagari
	bengali
	arabic
	cyrillic
	han
	hiragana
	katakana
	bopomofo
	hangul
	named // the number of the first script without a constant
)

// numScripts is the size of arrays indexed by script; a test checks that it is enough.
const numScripts = 64

// scriptNames has, for each script that [ScriptOf] knows, the ISO 15924 code and the name of
// its table in package unicode.
var scriptNames = []struct{ iso, table string }{
	unknown: {"Zzzz", ""}, common: {"Zyyy", "Common"}, inherited: {"Zinh", "Inherited"},
	latin: {"Latn", "Latin"}, devanagari: {"Deva", "Devanagari"}, bengali: {"Beng", "Bengali"},
	arabic: {"Arab", "Arabic"}, cyrillic: {"Cyrl", "Cyrillic"}, han: {"Hani", "Han"},
	hiragana: {"Hira", "Hiragana"}, katakana: {"Kana", "Katakana"},
	bopomofo: {"Bopo", "Bopomofo"}, hangul: {"Hang", "Hangul"},
	named: {"Taml", "Tamil"},
	{"Telu", "Telugu"}, {"Gujr", "Gujarati"}, {"Knda", "Kannada"}, {"Mlym", "Malayalam"},
	{"Guru", "Gurmukhi"}, {"Orya", "Oriya"}, {"Mtei", "Meetei_Mayek"}, {"Olck", "Ol_Chiki"},
	{"Sinh", "Sinhala"}, {"Hebr", "Hebrew"}, {"Ethi", "Ethiopic"}, {"Geor", "Georgian"},
	{"Armn", "Armenian"}, {"Grek", "Greek"},
	// Supported languages do not use these, but they must not be mistaken for scripts that are
	// used.
	{"Thai", "Thai"}, {"Laoo", "Lao"}, {"Mymr", "Myanmar"}, {"Khmr", "Khmer"},
	{"Tibt", "Tibetan"}, {"Mong", "Mongolian"}, {"Syrc", "Syriac"}, {"Thaa", "Thaana"},
	{"Nkoo", "Nko"}, {"Cher", "Cherokee"}, {"Cans", "Canadian_Aboriginal"},
	{"Copt", "Coptic"}, {"Tfng", "Tifinagh"}, {"Yiii", "Yi"}, {"Java", "Javanese"},
	{"Bali", "Balinese"}, {"Sund", "Sundanese"}, {"Cham", "Cham"}, {"Glag", "Glagolitic"},
	{"Goth", "Gothic"}, {"Runr", "Runic"}, {"Ogam", "Ogham"}, {"Lepc", "Lepcha"},
	{"Limb", "Limbu"}, {"Newa", "Newa"}, {"Adlm", "Adlam"}, {"Wara", "Warang_Citi"},
}

// ScriptOf returns the ISO 15924 code of a rune's script. It is "Zyyy" for characters that many
// scripts share (digits, punctuation, spaces, symbols, emoji), "Zinh" for marks that take the
// script of their letter, and "Zzzz" for characters in no known script.
func ScriptOf(r rune) string { return scriptNames[scriptOf(r)].iso }

func scriptOf(r rune) script {
	if r < utf8.RuneSelf {
		if l := r | 0x20; 'a' <= l && l <= 'z' {
			return latin
		}
		if r < 0 {
			return unknown
		}
		return common
	}
	if r <= 0xFFFF { // two array accesses, since detection does this for each letter
		if p := scripts.pages[r>>8]; p != nil {
			return p[r&0xFF]
		}
		return unknown
	}
	return scripts.beyond(r)
}

// page holds the scripts of 256 runes.
type page [256]script

// scriptTable holds the scripts of the Basic Multilingual Plane by page, and the others as a
// short ascending list.
type scriptTable struct {
	pages [256]*page
	spans []scriptSpan
}

type scriptSpan struct {
	lo, hi rune
	script script
}

var scripts = buildScripts()

func buildScripts() *scriptTable {
	t := new(scriptTable)
	full := map[script]*page{} // pages of one script are shared
	for i, n := range scriptNames {
		tab := unicode.Scripts[n.table]
		if tab == nil {
			continue
		}
		for _, r := range tab.R16 {
			t.fill(rune(r.Lo), rune(r.Hi), rune(r.Stride), script(i), full)
		}
		for _, r := range tab.R32 {
			for lo := rune(r.Lo); lo <= rune(r.Hi); lo += rune(r.Stride) {
				hi := lo
				if r.Stride == 1 {
					hi = rune(r.Hi)
				}
				t.insert(scriptSpan{lo, hi, script(i)})
				if r.Stride == 1 {
					break
				}
			}
		}
	}
	return t
}

// fill sets the script of every stride-th rune from lo to hi.
func (t *scriptTable) fill(lo, hi, stride rune, s script, full map[script]*page) {
	for r := lo; r <= hi; {
		n := r >> 8
		// A page that lies within the range is set to the shared page of the script. No later
		// range writes to it, because every rune has one script.
		if stride == 1 && r&0xFF == 0 && r+0xFF <= hi {
			if full[s] == nil {
				full[s] = new(page)
				for i := range full[s] {
					full[s][i] = s
				}
			}
			t.pages[n] = full[s]
			r += 0x100
			continue
		}
		if t.pages[n] == nil {
			t.pages[n] = new(page)
		}
		t.pages[n][r&0xFF] = s
		r += stride
	}
}

// beyond returns the script of a rune outside the Basic Multilingual Plane, by binary search.
func (t *scriptTable) beyond(r rune) script {
	lo, hi := 0, len(t.spans)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); t.spans[mid].hi < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(t.spans) && t.spans[lo].lo <= r {
		return t.spans[lo].script
	}
	return unknown
}

// insert adds a span, keeping the list ascending, and joins it to an adjacent span of the same
// script.
func (t *scriptTable) insert(s scriptSpan) {
	i := len(t.spans)
	for i > 0 && t.spans[i-1].lo > s.lo {
		i--
	}
	if i > 0 && t.spans[i-1].hi+1 == s.lo && t.spans[i-1].script == s.script {
		t.spans[i-1].hi = s.hi
		return
	}
	t.spans = append(t.spans, scriptSpan{})
	copy(t.spans[i+1:], t.spans[i:])
	t.spans[i] = s
}

// ScriptName returns the English name of a script by its ISO 15924 code, or the code itself if
// it is none that [ScriptOf] returns.
func ScriptName(iso string) string {
	for _, n := range scriptNames {
		if n.iso == iso && n.table != "" {
			return strings.ReplaceAll(n.table, "_", " ")
		}
	}
	return iso
}

// ScriptParts returns the scripts that a script of the table stands for: Hani, Hira and Kana
// for Jpan, and the script itself for most.
func ScriptParts(iso string) []string {
	switch iso {
	case "Jpan":
		return []string{"Hani", "Hira", "Kana"}
	case "Kore":
		return []string{"Hang", "Hani"}
	case "Hans", "Hant":
		return []string{"Hani"}
	}
	return []string{iso}
}

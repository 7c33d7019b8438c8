package respell

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"vaak/lang"
)

// folding is how much the forms of a letter are made equal.
type folding uint8

const (
	cased  folding = iota // NFC, width and ligatures
	folded                // also full case folding
	turkic                // the same, but with dotted and dotless i kept apart
)

// foldingOf returns the folding for rules that ignore case in a request.
func foldingOf(request lang.Tag) folding {
	if request.Code == "tr" || request.Code == "az" {
		return turkic
	}
	return folded
}

// folder converts grapheme clusters to the form in which texts and terms are compared.
// It reuses its slices from cluster to cluster.
type folder struct {
	runes, units []rune
	in, out      []byte
}

// cased returns the code points of a cluster without those that are ignored, in NFC
// and ordinary width, with plain signs, all white space as ' '. The slice holds until the
// next call.
func (f *folder) cased(cluster string) []rune {
	f.runes = f.runes[:0]
	for _, r := range cluster {
		switch {
		case unicode.IsSpace(r):
			f.runes = append(f.runes, ' ')
		case !ignorable(r):
			f.runes = append(f.runes, plainSign(r))
		}
	}
	f.runes = f.compose(f.runes)
	if !slicesWide(f.runes) {
		return f.runes
	}
	f.units = f.units[:0]
	for _, r := range f.runes {
		f.units = appendNarrow(f.units, r)
	}
	f.runes = append(f.runes[:0], f.units...)
	f.runes = f.compose(f.runes)
	return f.runes
}

// folded returns cased code points of a cluster without their case. The slice holds
// until the next call.
func (f *folder) folded(units []rune, how folding) []rune {
	f.units = f.units[:0]
	changed := false
	for _, r := range units {
		before := len(f.units)
		f.units = appendFold(f.units, r, how)
		changed = changed || len(f.units) != before+1 || f.units[before] != r
	}
	if changed && len(f.units) > 1 {
		f.units = f.compose(f.units)
	}
	return f.units
}

// compose brings code points to NFC in place, or in a longer slice.
func (f *folder) compose(rs []rune) []rune {
	plain := true
	for _, r := range rs {
		plain = plain && r < 0x300 // no mark, and nothing that NFC changes
	}
	if plain {
		return rs
	}
	f.in = f.in[:0]
	for _, r := range rs {
		f.in = utf8.AppendRune(f.in, r)
	}
	if norm.NFC.IsNormal(f.in) {
		return rs
	}
	f.out = norm.NFC.Append(f.out[:0], f.in...)
	rs = rs[:0]
	for b := f.out; len(b) > 0; {
		r, n := utf8.DecodeRune(b)
		rs, b = append(rs, r), b[n:]
	}
	return rs
}

// plainSign returns the sign of ASCII for a typographic apostrophe and for the geresh and
// gershayim of Hebrew.
func plainSign(r rune) rune {
	switch r {
	case '’', '‘', '׳':
		return '\''
	case '״':
		return '"'
	}
	return r
}

// slicesWide reports whether some of the code points have an ordinary form.
func slicesWide(rs []rune) bool {
	for _, r := range rs {
		if ligature(r) || 0xFF00 <= r && r <= 0xFFEF {
			return true
		}
	}
	return false
}

// ligature reports whether a code point stands for several letters, or is the form that
// an Arabic letter has at one place of a word.
func ligature(r rune) bool {
	switch {
	case r < 0xFB00:
		return r == 'Ĳ' || r == 'ĳ'
	case r <= 0xFB17, 0xFB50 <= r && r <= 0xFDFF, 0xFE70 <= r && r <= 0xFEFC:
		return true
	}
	return false
}

// appendNarrow adds the ordinary form of a fullwidth or halfwidth character, or the
// letters of a ligature. Other compatibility forms, such as superscripts, stay, and so do
// the Arabic vowel signs that have a space to stand on.
func appendNarrow(dst []rune, r rune) []rune {
	if ligature(r) {
		if s := norm.NFKC.String(string(r)); s[0] != ' ' {
			return append(dst, []rune(s)...)
		}
		return append(dst, r)
	}
	if n := width.LookupRune(r).Folded(); n != 0 {
		r = n
	}
	return append(dst, r)
}

// appendFold adds the full case folding of a code point.
func appendFold(dst []rune, r rune, how folding) []rune {
	switch {
	case how == turkic && r == 'I':
		return append(dst, 'ı')
	case how == turkic && r == 'İ':
		return append(dst, 'i')
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r |= 0x20
		}
		return append(dst, r)
	case caseless(r):
		return append(dst, r)
	}
	if to, ok := foldings()[r]; ok {
		return append(dst, to...)
	}
	return append(dst, r)
}

// caseless reports whether a code point surely has no case: it is in the scripts from
// Hebrew to Myanmar, or from the radicals of Han to Hangul.
func caseless(r rune) bool {
	return 0x590 <= r && r < 0x10A0 || 0x2E80 <= r && r < 0xA640 || 0xAC00 <= r && r < 0xFB00
}

// foldings holds the code points beyond ASCII that full case folding changes. It is
// built when the first of them is met.
var foldings = sync.OnceValue(func() map[rune][]rune {
	m := make(map[rune][]rune, 1600)
	fold := cases.Fold()
	for r := rune(utf8.RuneSelf); r < 0x20000; r++ {
		// Those that fold to several and to no single one are in these blocks.
		several := r < 0x600 || 0x1E00 <= r && r < 0x2000
		if caseless(r) || !several && unicode.SimpleFold(r) == r {
			continue
		}
		if to := fold.String(string(r)); to != string(r) {
			m[r] = []rune(to)
		}
	}
	return m
})

// ignorable reports whether a code point is looked through in texts and terms: joiners,
// soft hyphens, marks of direction, variation selectors and others that have no form of
// their own. Tags are not: they tell the flags of nations apart.
func ignorable(r rune) bool {
	switch {
	case r < 0x300:
		return r == 0xAD
	case r >= 0xE0000:
		return 0xE0100 <= r && r <= 0xE01EF
	case 0x200B <= r && r <= 0x206F:
		return r <= 0x200F || 0x202A <= r && r <= 0x202E || 0x2060 <= r
	case 0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF:
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		r == 0x061C || r == 0x180E || 0x1BCA0 <= r && r <= 0x1BCA3 || 0x1D173 <= r && r <= 0x1D17A
}

// base returns the code point that the canonical decomposition of r begins with,
// which stays when marks follow; i and its dotless form count as one, since a dot
// may follow.
func base(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	if r == 'ı' {
		return 'i'
	}
	d := norm.NFD.PropertiesString(string(r)).Decomposition()
	if d == nil {
		return r
	}
	first, _ := utf8.DecodeRune(d)
	return first
}

package rbnf

import "golang.org/x/text/unicode/norm"

// inert are the bytes of ASCII, of Latin letters and of the basic Cyrillic ones,
// U+0000 to U+02FF and U+0400 to U+047F, which are in NFC whatever follows. Rules
// and results are checked by package norm only from the first other byte on,
// since that takes longer than all else there is to do.
var inert = func() (t [256]bool) {
	for b := range t {
		// 0xCC and 0xCD begin U+0300 to U+037F, where the combining marks are. 0xC0 and
		// 0xC1 begin no character. 0xD0 and 0xD1 begin U+0400 to U+047F.
		t[b] = b < 0xcc && b != 0xc0 && b != 0xc1 || b == 0xd0 || b == 0xd1
	}
	return t
}()

// composed returns a text in NFC.
func composed(s string) string {
	for i := range len(s) {
		if !inert[s[i]] {
			return norm.NFC.String(s)
		}
	}
	return s
}

// joins reports whether a text, in NFC itself, may make what it is appended to another
// text in NFC: it begins with a mark.
func joins(s string) bool {
	return s != "" && !inert[s[0]] && !norm.NFC.PropertiesString(s).BoundaryBefore()
}

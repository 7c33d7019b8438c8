package segment

import (
	"unicode"
	"unicode/utf8"

	stops "vaak/text/stop"
)

// usual says whether a word before a full stop is a usual abbreviation.
func usual(w []byte) mark {
	var low [len(token{}.buf) + 4]byte
	n := 0
	for i := 0; i < len(w); {
		r, size := utf8.DecodeRune(w[i:])
		i += size
		// A small letter may take more bytes than its capital, so four bytes of room follow
		// the longest token. A word that does not fit is in no list.
		if r = unicode.ToLower(r); n+utf8.RuneLen(r) > len(low) {
			return stop
		}
		n += utf8.EncodeRune(low[n:], r)
	}
	switch stops.Usual(low[:n]) {
	case stops.Before:
		return abbreviated
	case stops.Count:
		return counting
	}
	return stop
}

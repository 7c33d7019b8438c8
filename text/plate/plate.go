// Package plate finds the plates of vehicles in India, which text/segment keeps in one piece and
// text/normalize/code says letter by letter.
package plate

import "strings"

// states are the letters with which plates begin: of the states and territories, with those of
// former names that are still on the roads.
const states = " AN AP AR AS BR CG CH DD DL DN GA GJ HP HR JH JK KA KL LA LD MH ML MN MP MZ NL OD OR PB PY RJ SK TG TN TR TS UK UP WB "

// shortest is the length in bytes of the shortest plate: DL1A1234.
const shortest = 8

// India returns the length in bytes of the plate at the start of a text, 0 for none: the letters
// of a state, the one or two digits of a district, one or two groups of up to three letters and
// four digits, each after a space or a hyphen or directly after the one before: KA 05 MJ 4172,
// DL-8C-AB-1234, UP32BX4455.
func India(s string) int {
	if len(s) < shortest || !capital(s[0]) || !capital(s[1]) || capital(s[2]) || !strings.Contains(states, " "+s[:2]+" ") {
		return 0
	}
	at := apart(s, 2)
	for _, part := range [...]struct {
		least, most int
		is          func(byte) bool
	}{{1, 2, digit}, {1, 3, capital}, {0, 3, capital}, {4, 4, digit}} {
		n := run(s, at, part.is)
		if n < part.least || n > part.most {
			return 0
		}
		if at += n; n > 0 && part.least < 4 {
			at = apart(s, at)
		}
	}
	if at < len(s) && (s[at]|0x20 >= 'a' && s[at]|0x20 <= 'z') {
		return 0
	}
	return at
}

// apart returns the place behind the space or the hyphen at a place, or the place.
func apart(s string, at int) int {
	if at < len(s) && (s[at] == ' ' || s[at] == '-') {
		return at + 1
	}
	return at
}

// run returns how many characters of a kind stand at a place.
func run(s string, at int, is func(byte) bool) (n int) {
	for at+n < len(s) && is(s[at+n]) {
		n++
	}
	return n
}

func capital(b byte) bool { return b >= 'A' && b <= 'Z' }

func digit(b byte) bool { return b >= '0' && b <= '9' }

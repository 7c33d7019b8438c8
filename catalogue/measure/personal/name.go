package personal

import (
	"regexp"
	"strings"
	"time"
	"unicode"
)

var (
	// opaque is an identifier made of hexadecimal digits, such as a UUID or the digest by which Common
	// Voice calls its speakers. By chance, its digits look like a telephone number. What is in the
	// group has no letter or digit before and after it.
	opaque = regexp.MustCompile(`(?i)(?:^|[^0-9a-z])([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,})(?:[^0-9a-z]|$)`)
	// mailName ends with the letters of a top-level domain, so that "mic@48k.v2" is none.
	mailName = regexp.MustCompile(`[\p{L}\p{M}\p{N}._%+-]{1,64}@(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,4}[\p{L}\p{M}]{2,63}`)
	// dialled is a number with its country code: 10 digits and more. Eight would find "+2024-05-01".
	dialled = regexp.MustCompile(`\+[ (]?[1-9](?:[ .()-]{0,2}[0-9]){9,14}`)
	// mobile is an Indian mobile number: 10 digits from 6 on, perhaps after 0, 91 or 0091. There
	// is no digit before and after the group, here and below.
	mobile = regexp.MustCompile(`(?:^|[^0-9])((?:(?:0|91|0091)[ -]?)?[6-9][0-9]{4} ?[0-9]{5})(?:[^0-9]|$)`)
	// twelve are the digits of an Aadhaar number, perhaps in groups of four.
	twelve = regexp.MustCompile(`(?:^|[^0-9])([2-9][0-9]{3}[ _-]?[0-9]{4}[ _-]?[0-9]{4})(?:[^0-9]|$)`)
)

// leastInName is the number of digits of the shortest number that is looked for in names.
const leastInName = 10

// FindName returns how often e-mail addresses, phone numbers and Aadhaar numbers are in the name
// of a file, a recording or a speaker; nil if there is none. Names are full of numbers that
// are not personal, so it is stricter than [Find]:
//
//   - a phone number begins with + and has 10 to 15 digits, or is an Indian mobile number: exactly
//     10 digits of which the first is 6 to 9, perhaps after 0, 91 or 0091;
//   - an Aadhaar number has exactly 12 digits with the right check digit, and is not a date with a
//     time;
//   - an e-mail address has an @ and ends with letters;
//   - UUIDs, and words of 16 hexadecimal digits and more with a letter among them, are not looked
//     at.
//
// The extension of a file should be removed before, because it looks like the end of an address.
func FindName(name string) map[Kind]int {
	digits, at := 0, false
	for _, r := range name {
		if unicode.IsDigit(r) {
			digits++
		}
		at = at || r == '@'
	}
	if digits < leastInName && !at {
		return nil
	}
	found := map[Kind]int{}
	name = strings.Map(ascii, name)
	bounded(opaque, &name, func(s string) bool { return strings.Trim(s, "0123456789-") != "" })
	blank := func(re *regexp.Regexp, kind Kind) {
		name = re.ReplaceAllStringFunc(name, func(string) string {
			found[kind]++
			return "/" // which is in no pattern
		})
	}
	blank(mailName, Email)
	blank(dialled, Phone)
	bounded(mobile, &name, func(string) bool { found[Phone]++; return true })
	bounded(twelve, &name, func(s string) bool {
		var values []int
		var plain []byte
		for _, c := range []byte(s) {
			if c >= '0' && c <= '9' {
				values, plain = append(values, int(c-'0')), append(plain, c)
			}
		}
		if !verhoeff(values) || isTime(string(plain)) {
			return false
		}
		found[Aadhaar]++
		return true
	})
	if len(found) == 0 {
		return nil
	}
	return found
}

// bounded calls take with each match of the first group, and blanks it if take returns true. What
// ends one match may begin the next.
func bounded(re *regexp.Regexp, name *string, take func(string) bool) {
	var out strings.Builder
	rest := *name
	for {
		m := re.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		if take(rest[m[2]:m[3]]) {
			out.WriteString(rest[:m[2]] + "/")
		} else {
			out.WriteString(rest[:m[3]])
		}
		rest = rest[m[3]:]
	}
	*name = out.String() + rest
}

// ascii returns digits of any script, and the full-width plus and at, as those of ASCII.
func ascii(r rune) rune {
	if v, ok := digit(r); ok {
		return '0' + rune(v)
	}
	switch r {
	case '＋':
		return '+'
	case '＠':
		return '@'
	}
	return r
}

// isTime reports whether 12 digits are a date of these centuries with a time, in an order that
// recorders use. One of ten such times has the check digit of an Aadhaar number.
func isTime(digits string) bool {
	for _, layout := range []string{"200601021504", "020120061504", "060102150405"} {
		if at, err := time.Parse(layout, digits); err == nil && at.Year() >= 1900 && at.Year() < 2100 {
			return true
		}
	}
	return false
}

// Package personal finds patterns in transcripts that may be personal data: e-mail addresses,
// numbers of telephones, cards, accounts and identity papers, also spoken digit by digit.
//
// It flags places for people to look at. It does not decide that something is personal, does not
// find names or addresses of homes, and returns no text: only kinds and how many there are.
package personal

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Kind is a kind of pattern.
type Kind string

// The kinds. A text that fits several counts as the first of them.
const (
	Email   Kind = "email"         // an address with @, or one that is spoken: "name at gmail dot com"
	IBAN    Kind = "iban"          // an account number with the right check digits
	Card    Kind = "card"          // 13 to 19 digits with the right check digit (Luhn)
	Aadhaar Kind = "aadhaar"       // 12 digits with the right check digit (Verhoeff)
	PAN     Kind = "pan"           // five letters, four digits and a letter, as on an Indian tax card
	Phone   Kind = "phone"         // 8 to 15 digits, some perhaps with signs between them
	Number  Kind = "number"        // 6 or 7 digits, or 16 and more
	Spoken  Kind = "spoken-number" // 6 digits and more that are written as words
)

// Kinds are all kinds.
var Kinds = []Kind{Email, IBAN, Card, Aadhaar, PAN, Phone, Number, Spoken}

// The patterns are bounded: no alternative can match the same text in two ways, and regexp takes
// time in proportion to the text.
var (
	email = regexp.MustCompile(`(?i)[\p{L}\p{M}\p{N}._%+-]{1,64}@[\p{L}\p{M}\p{N}-]{1,63}(?:\.[\p{L}\p{M}\p{N}-]{1,63}){1,4}`)
	iban  = regexp.MustCompile(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`)
	pan   = regexp.MustCompile(`\b[A-Z]{5}\d{4}[A-Z]\b`)
	// digits is a run of digits of any script with signs between them. A comma counts only before a
	// space: without one it is in a price.
	digits = regexp.MustCompile(`\p{Nd}(?:(?:[\p{Zs}\p{Pd}./()]{0,3}|,\p{Zs})\p{Nd}){5,}`)
)

const (
	numberLeast = 6
	phoneLeast  = 8
	phoneMost   = 15
	spokenLeast = 6
)

// Find returns how often each kind is in a text; nil if there is none.
func Find(text string) map[Kind]int {
	var found map[Kind]int
	add := func(k Kind) {
		if found == nil {
			found = map[Kind]int{}
		}
		found[k]++
	}
	// Each pattern is blanked, so that a later one does not find its parts.
	take := func(re *regexp.Regexp, kind func(string) Kind) {
		if !re.MatchString(text) {
			return
		}
		text = re.ReplaceAllStringFunc(text, func(s string) string {
			k := kind(s)
			if k == "" {
				return s
			}
			add(k)
			return " , "
		})
	}
	if strings.ContainsRune(text, '@') {
		take(email, func(string) Kind { return Email })
	}
	if strings.ContainsFunc(text, unicode.IsDigit) {
		take(iban, func(s string) Kind {
			if validIBAN(s) {
				return IBAN
			}
			return ""
		})
		take(pan, func(string) Kind { return PAN })
		take(digits, kindOf)
	}
	spoken(text, add)
	return found
}

// kindOf returns what a run of digits may be.
func kindOf(s string) Kind {
	var values []int
	for _, r := range s {
		if v, ok := digit(r); ok {
			values = append(values, v)
		}
	}
	n := len(values)
	switch {
	case n >= 13 && n <= 19 && luhn(values):
		return Card
	case n == 12 && values[0] > 1 && verhoeff(values):
		return Aadhaar
	case n >= phoneLeast && n <= phoneMost:
		return Phone
	case n >= numberLeast:
		return Number
	}
	return ""
}

// digit returns the value of a decimal digit of any script.
func digit(r rune) (int, bool) {
	if r >= '0' && r <= '9' {
		return int(r - '0'), true
	}
	if !unicode.Is(unicode.Nd, r) {
		return 0, false
	}
	// Unicode has the ten digits of a script in a row from 0 on, beside each other or, for those
	// of mathematics, in rows that begin at the start of the range.
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10, true
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return int(r-rune(t.Lo)) % 10, true
		}
	}
	return 0, false
}

// luhn checks the last digit of a card, ISO/IEC 7812-1.
func luhn(d []int) bool {
	sum := 0
	for i := range d {
		v := d[len(d)-1-i]
		if i%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// verhoeff checks the last digit of an Aadhaar number; J. Verhoeff, Error Detecting Decimal
// Codes, 1969.
func verhoeff(d []int) bool {
	permute := [10]int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}
	c := 0
	for i := range d {
		v := d[len(d)-1-i]
		for range i % 8 {
			v = permute[v]
		}
		c = dihedral(c, v)
	}
	return c == 0
}

// dihedral multiplies in the dihedral group of order ten.
func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b)%5
	case b < 5:
		return 5 + (a-b)%5
	}
	return (a - b + 5) % 5
}

// validIBAN checks the digits of an account number, ISO 13616.
func validIBAN(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	r := 0
	for _, c := range s[4:] + s[:4] {
		if c >= 'A' {
			r = (r*100 + int(c-'A') + 10) % 97
		} else {
			r = (r*10 + int(c-'0')) % 97
		}
	}
	return r == 1
}

//go:embed digits.tsv
var digitsTSV string

// digitWords are the words of digits, in lower case.
var digitWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(digitsTSV) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		_, list, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for w := range strings.FieldsSeq(list) {
			words[w] = true
		}
	}
	return words
})

// Words of a spoken e-mail address, in letters that calls are transcribed in.
var (
	atWords  = map[string]bool{"at": true, "एट": true, "ऐट": true, "अट": true, "arroba": true, "arobase": true, "arobas": true, "chiocciola": true}
	dotWords = map[string]bool{"dot": true, "डॉट": true, "डाट": true, "punto": true, "ponto": true, "punkt": true, "point": true}
	// After "point" must come one of these: English has "at this point", also before "in".
	endings = map[string]bool{"com": true, "org": true, "net": true, "fr": true, "ch": true, "eu": true, "edu": true}
)

// spoken finds what is written as words.
func spoken(text string, add func(Kind)) {
	known := digitWords()
	run, at := 0, -1 // words of digits in a row; how many words ago "at" was
	point := false   // the word before was a "point" that may be a dot
	end := func() {
		if run >= spokenLeast {
			add(Spoken)
		}
		run = 0
	}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}) {
		w = strings.ToLower(w)
		switch {
		case known[w]:
			run++
		case len(w) == 1 && w[0] >= '0' && w[0] <= '9' && run > 0:
			run++
		default:
			end()
		}
		if at >= 0 {
			at++
		}
		if point && endings[w] {
			add(Email)
			at = -1
		}
		point = w == "point" && at > 1 && at <= 5
		switch {
		case atWords[w]:
			at = 0
		case point:
		// "at gmail dot com", "at the rate gmail dot com"
		case dotWords[w] && at > 1 && at <= 5:
			add(Email)
			at = -1
		}
	}
	end()
}

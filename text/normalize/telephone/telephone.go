// Package telephone reads telephone numbers, those with letters too: 1-800-FLOWERS.
package telephone

import (
	"strings"

	"vaak/text/normalize/abbreviation"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads telephone numbers as one language says them. It is safe for
// concurrent use.
type Recognizer struct {
	say           *speak.Speaker
	quantities    *quantity.Recognizer
	abbreviations *abbreviation.Recognizer
	after         scan.Phrases[bool] // words after a telephone number
	digit         map[string]string  // words for digits that differ in telephone numbers
	forms         []phoneForm
	extension     map[string]bool // words between a number and that of an extension
	not           map[string]bool // words for things that a short number may count
	notEnding     []string        // their endings
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker, quantities *quantity.Recognizer, abbreviations *abbreviation.Recognizer) *Recognizer {
	tr := &Recognizer{say: say, quantities: quantities, abbreviations: abbreviations}
	tr.compile()
	return tr
}

// Telephone reads a telephone number that its form shows, and a short one before words
// such as "पर कॉल" (call).
func (tr *Recognizer) Telephone(in *scan.View, i int) scan.Outcome {
	if w, n := tr.Phone(in, i, false); n > 0 {
		return scan.Said(w, n)
	}
	return scan.Said(tr.shortPhone(in, i))
}

// shortPhone reads a number of three to five digits before words which show that it is
// dialled: 112 पर कॉल करें.
func (tr *Recognizer) shortPhone(in *scan.View, i int) (string, int) {
	if in.Kind(i) != scan.Digits || !in.Opens(i) || in.Kind(i-1) == scan.Sign {
		return "", 0
	}
	if n := scan.RuneLen(in.Text(i)); n < 3 || n > 5 {
		return "", 0
	}
	j := in.Skip(i + 1)
	if j == i+1 && in.Kind(j) != scan.Word {
		return "", 0
	}
	if _, n := tr.after.Match(in, j); n == 0 || !in.Closes(j+n) {
		return "", 0
	}
	w, ok := tr.dialSpell(scan.Arabic(in.Text(i)))
	if !ok {
		return "", 0
	}
	return w, 1
}

// dial is a telephone number as it was written.
type dial struct {
	plus    bool
	bracket bool // an area code in brackets
	groups  []string
	seps    string // the signs between the groups
	total   int    // digits
	end     int
}

// Phone reads a telephone number at i. Pass true for told when a word before the number
// announces a telephone number, as in "call 100"; then three digits are enough.
func (tr *Recognizer) Phone(in *scan.View, i int, told bool) (string, int) {
	r := in.Rune(i)
	if in.Kind(i) == scan.Sign && r != '+' && r != '(' || in.Kind(i) != scan.Sign && in.Kind(i) != scan.Digits || !in.Opens(i) {
		return "", 0
	}
	// The digits are the end of a decimal, a date, an address or a price.
	if in.Kind(i-1) == scan.Sign && !scan.IsWide(in.Text(i-1)) && strings.ContainsRune(".,/:-#$₹€£", in.Rune(i-1)) && !told {
		return "", 0
	}
	if in.Kind(i) == scan.Digits && !told && !tr.dials(in, i) {
		return "", 0
	}
	var room [8]string
	d, ok := dialAt(in, i, room[:0])
	if !ok || !tr.dialled(in, d, told) || told && tr.countsAfter(in, d) {
		return "", 0
	}
	var b strings.Builder
	if d.plus && tr.say.Signs.PhonePlus != "" {
		b.WriteString(tr.say.Signs.PhonePlus + " ")
	}
	for k, g := range d.groups {
		w, ok := tr.dialSpell(g)
		if !ok {
			return "", 0
		}
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString(w)
	}
	// The last digits of another number, or a whole one: 022-24567890/91.
	for range 3 {
		if !in.Is(d.end, '/') || in.Kind(d.end+1) != scan.Digits || in.Token(d.end+1).End-in.Token(d.end+1).Start > 4*speak.Most || !in.Closes(d.end+2) || between(in, d.end+2) > d.end+2 && in.Is(d.end+2, '-') && in.Kind(d.end+3) == scan.Digits {
			break
		}
		w, ok := tr.dialSpell(scan.Arabic(in.Text(d.end + 1)))
		if !ok {
			break
		}
		b.WriteString(", " + w)
		d.end += 2
	}
	tr.extend(in, &d, &b)
	return b.String(), d.end - i
}

// extend adds the number of an extension behind a word for it: 65529988转8012.
func (tr *Recognizer) extend(in *scan.View, d *dial, b *strings.Builder) {
	k := in.Skip(d.end)
	j := in.Skip(k + 1)
	if word := in.Text(k); tr.extension[word] && in.Kind(j) == scan.Digits && scan.RuneLen(in.Text(j)) < whole && !tr.quantities.Counted(in, in.Skip(j+1)) {
		if w, ok := tr.dialSpell(scan.Arabic(in.Text(j))); ok {
			if tr.say.Spaced {
				word = " " + word + " "
			}
			b.WriteString(word + w)
			d.end = j + 1
		}
	}
}

// whole is the smallest number of digits of a telephone number that is no part of one.
const whole = 7

// dials reports whether a first group of digits may begin a telephone number. It is a
// cheap check before all groups are collected.
func (tr *Recognizer) dials(in *scan.View, i int) bool {
	switch n := scan.RuneLen(in.Text(i)); {
	case n >= 10:
		return true
	case scan.Zero(in.Rune(i)) == in.Rune(i):
		return true
	case n == 5:
		// Mobile numbers of India begin with 6 to 9, and are often written as five and five
		// digits.
		return in.Rune(i)-scan.Zero(in.Rune(i)) >= 6
	default:
		return n == 3 || in.Text(i) == "1" || n == 4 && in.Is(i+1, '-') && in.Kind(i+2) == scan.Digits || n == 4 && in.Rune(i) == '1' || tr.beginsForm(in.Text(i))
	}
}

// dialAt collects the groups of digits of a telephone number. It ends at the first token
// that cannot be part of one.
func dialAt(in *scan.View, i int, groups []string) (d dial, ok bool) {
	d.groups = groups
	j := i
	if in.Is(j, '+') {
		d.plus = true
		j = in.Skip(j + 1)
	}
	seps := make([]byte, 0, 8)
	for len(d.groups) < 8 {
		open := in.Is(j, '(')
		if open && d.total > 0 && (!in.Is(j+2, ')') || in.Kind(between(in, j+3)) != scan.Digits) {
			break // a remark in brackets: +91 98765 43210 (9 am), 410 U.S. 113 (1973)
		}
		if open {
			d.bracket = true
			j++
		}
		// Four bytes are the longest digit. Longer runs are no group of a telephone number.
		if in.Kind(j) != scan.Digits || in.Token(j).End-in.Token(j).Start > 4*speak.Most {
			break
		}
		in.Step()
		g := scan.Arabic(in.Text(j))
		d.groups, d.total, d.end = append(d.groups, g), d.total+len(g), j+1
		j++
		if open {
			if !in.Is(j, ')') {
				return d, false
			}
			j++
			d.end = j
		}
		k := between(in, j)
		if len(d.groups) == 1 && in.Is(j, '/') && g[0] == '0' && (len(g) > 2 && in.Kind(j+1) == scan.Digits && scan.RuneLen(in.Text(j+1)) > 3 || len(g) == 2 && in.Kind(j+1) == scan.Digits && scan.RuneLen(in.Text(j+1)) > 5) {
			k = j + 1 // an area code: 030/123456
		} else if len(d.groups) == 2 && in.Is(j, '/') && d.groups[0] == "06" && len(g) < 3 && digitsFrom(in, j+1) > 5 {
			k = j + 1 // 06-30/123-4567
		} else if len(d.groups) == 1 && in.Is(j, '/') && len(g) > 2 && len(g) < 6 {
			if n := digitsFrom(in, j+1); g[0] == '0' && n > 4 && n < 10 || len(g) == 3 && n > 5 && n < 8 {
				k = j + 1 // 0171/234 56 78, 333/1234567
			}
		}
		if len(d.groups) == 2 && in.Is(j, '/') && d.groups[0][0] == '0' && len(d.groups[0]) == 2 && len(g) < 3 && in.Kind(j+1) == scan.Digits && scan.RuneLen(in.Text(j+1)) > 2 {
			k = j + 1 // behind the prefix of long distance: 06-70/123-4567
			seps = append(seps, ' ')
			j = k
			continue
		}
		if k == j && len(d.groups) == 1 && g[0] == '0' && len(g) > 1 && (in.Is(j, '(') || in.Is(j, ')')) && in.Kind(j+1) == scan.Digits {
			open, d.bracket = true, true // 03(1234)5678, 02)123-4567
			if in.Is(j, ')') {
				k = j + 1
			}
		}
		if k == j && !open && len(d.groups) == 1 && g[0] == '0' && len(g) > 1 && in.Is(j, ')') && in.Kind(j+1) == scan.Space && in.Kind(j+2) == scan.Digits {
			open, d.bracket, k = true, true, j+2 // 051) 123-4567
		}
		if k == j && !open {
			break
		}
		sep := byte(' ')
		if in.Kind(j) == scan.Sign {
			sep = byte(in.Rune(j))
		}
		// Another number begins behind a dash between spaces: 3825 1234 - 0987 654 321.
		if k > j+2 && d.total > 7 && (in.Is(k, '(') || in.Kind(k) == scan.Digits && scan.Zero(in.Rune(k)) == in.Rune(k)) {
			break
		}
		if in.Kind(k) == scan.Digits || in.Is(k, '(') && in.Kind(k+1) == scan.Digits {
			seps = append(seps, sep)
		}
		j = k
	}
	d.seps = string(seps)
	return d, len(d.groups) > 0
}

// digitsFrom returns how many digits are in the groups from j on that spaces or hyphens
// separate.
func digitsFrom(in *scan.View, j int) int {
	n := 0
	for range 5 {
		in.Step()
		if in.Kind(j) != scan.Digits || in.Token(j).End-in.Token(j).Start > 16 {
			break
		}
		n += scan.RuneLen(in.Text(j))
		j++
		if in.Is(j, '-') || in.Skip(j) > j {
			j++
		}
	}
	return n
}

// between returns the token after what separates two groups: one space, or a hyphen or
// full stop.
func between(in *scan.View, j int) int {
	if k := in.Skip(j); k > j {
		if in.Is(k, '-') && in.Kind(k+1) == scan.Space {
			return k + 2
		}
		return k
	}
	if r := in.Rune(j); in.Kind(j) == scan.Sign && (r == '-' || r == '.' || r == '‑' || r == '–') {
		return j + 1
	}
	return j
}

// dialled reports whether groups of digits are a telephone number. E.164 allows at most
// 15 digits.
func (tr *Recognizer) dialled(in *scan.View, d dial, told bool) bool {
	if d.total > 15 || !in.Closes(d.end) || in.Is(d.end, '/') && (d.total < 7 && !(told && d.total == 3) || in.Kind(d.end+1) != scan.Digits) || in.Is(d.end, ':') || in.Is(d.end, '%') {
		return false
	}
	if told {
		// 2.24.10 is a version of WhatsApp.
		return d.total >= 3 && (d.total > 6 || !strings.Contains(d.seps, ".")) && (len(d.groups) > 1 || len(d.groups[0]) < 15)
	}
	first, n := d.groups[0], len(d.groups)
	switch {
	// A plus announces the country code of E.164, of one to three digits.
	case d.plus:
		return d.total >= 8 && (n > 1 && len(first) <= 4 || d.total >= 10)
	case d.bracket:
		return d.total >= 7 && n > 1 && (len(first) >= 2 || d.total == 11 || d.total == 8)
	case n == 1 && !tr.formed(in, d):
		return tr.say.Indian && d.total == 10 && first[0] >= '6' || d.total == 11 && tr.say.Indian && first[0] == '0' && first[1] >= '6'
	case tr.formed(in, d):
		return true
	// Two kinds of signs are a date or a code and no number to dial.
	case uneven(d.seps):
		return false
	// 0 is the trunk prefix of most countries.
	case first[0] == '0':
		return d.total >= 9 && len(first) >= 2 && !strings.Contains(d.seps, ".") && len(d.groups[n-1]) >= 2
	case n == 2 && d.seps == "-" && len(d.groups[1]) == 4 && len(first) < 5:
		return tr.local(in, d)
	// A mobile number of Italy, where a point parts no decimals: 347.1234567.
	case n == 2 && d.seps == "." && tr.say.Locale.Decimal == "," && len(first) == 3 && len(d.groups[1]) > 5:
		return len(d.groups[1]) < 9 && !strings.HasSuffix(d.groups[1], "000")
	// A mobile number of India or Nepal in other groups: 9841-234567.
	case tr.say.Indian && n == 2 && d.total == 10 && first[0] >= '7' && len(first) >= 3 && len(first) <= 4 && d.seps == "-":
		return !strings.HasSuffix(first, "00")
	case n == 2 && len(first) == 5 && len(d.groups[1]) == 5:
		return first[0] >= '6'
	// North America with its country code: 1-800-555-0100.
	case first == "1" && n == 4:
		return len(d.groups[1]) == 3 && len(d.groups[3]) == 4
	// Toll-free and shared-cost numbers of India.
	case first == "1800" || first == "1860":
		return d.total >= 10
	}
	// North America: 212-555-0100.
	return n == 3 && len(first) == 3 && len(d.groups[1]) == 3 && len(d.groups[2]) == 4
}

// local reports whether two numbers with a hyphen between them are a telephone number
// without an area code: 555-0123 in English, 2345-6789 anywhere. A range is of round
// numbers or of years, or counts something.
func (tr *Recognizer) local(in *scan.View, d dial) bool {
	first, second := d.groups[0], d.groups[1]
	if tr.quantities.Counted(in, in.Skip(d.end)) || strings.HasSuffix(second, "00") || strings.HasSuffix(first, "00") {
		return false
	}
	if len(first) == 3 {
		return tr.say.Code == "en" && !strings.HasSuffix(second, "0") && first[0] > '1'
	}
	return len(first) == 4 && first > "2099" && !(strings.HasSuffix(first, "0") && strings.HasSuffix(second, "0"))
}

// uneven reports whether groups have two different separators, not counting spaces.
func uneven(seps string) bool {
	for i := 1; i < len(seps); i++ {
		if seps[i] != seps[0] && seps[i] != ' ' && seps[0] != ' ' {
			return true
		}
	}
	return false
}

// dialSpell says the digits of a group one by one. Some languages have another word for a
// digit in telephone numbers; it is used here.
func (tr *Recognizer) dialSpell(group string) (string, bool) {
	if len(tr.digit) == 0 {
		return tr.say.Digits(group)
	}
	words := make([]string, 0, len(group))
	for i := range len(group) {
		w := tr.digit[group[i:i+1]]
		if w == "" {
			w = tr.say.Digit[group[i]-'0']
		}
		if w == "" {
			return "", false
		}
		words = append(words, w)
	}
	if _, dense := scan.Classify(scan.FirstRune(words[0])); dense {
		return strings.Join(words, ""), true
	}
	return tr.say.Join(words...), true
}

// shortest is the largest number of digits that a number may have to count as short. After
// a short number, a noun may show that it is no telephone number but a count: call 100
// people.
const shortest = 5

// countsAfter reports whether a short number after a word such as phone counts what
// follows it.
func (tr *Recognizer) countsAfter(in *scan.View, d dial) bool {
	if len(d.groups) != 1 || d.total > shortest || d.plus || d.groups[0][0] == '0' {
		return false
	}
	j := in.Skip(d.end)
	if j == d.end {
		return false
	}
	if tr.abbreviations.FollowsNumber(in, j) || tr.quantities.Counted(in, j) {
		return true
	}
	w := in.Text(j)
	if in.Kind(j) != scan.Word || !in.Closes(j+1) {
		return false
	}
	for _, ending := range tr.notEnding {
		if strings.HasSuffix(w, ending) && scan.RuneLen(w) > 3 && !in.Capitalized(j) {
			return true
		}
	}
	return tr.not[w]
}

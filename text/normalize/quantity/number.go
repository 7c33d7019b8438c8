package quantity

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// numbers parses written numbers.
type numbers struct {
	say     *speak.Speaker
	isMoney func(in *scan.View, i int) bool // a currency stands there
	counts  func(in *scan.View, i int) bool // a currency, a unit or a percent sign stands there
	naming  map[string]bool                 // abbreviations before a number, such as No.
}

// numbered reports whether the n tokens at j, the symbol of a unit, are rather an
// abbreviation that belongs to the number after it: ust. 2 pkt 3, ul. Prosta 12 m. 34. A
// span of time goes on with smaller units: 5 min. 30 s.
func (nu *numbers) numbered(in *scan.View, j, n int, unit string) bool {
	w := in.Span(j, j+n)
	if !nu.naming[w] {
		if !in.Is(j+n, '.') || !nu.naming[w+"."] {
			return false
		}
		n++
	}
	k := in.Skip(j + n)
	return k > j+n && in.Kind(k) == scan.Digits && !strings.HasPrefix(unit, "duration-")
}

// at returns the number at a token, without a sign.
func (nu *numbers) at(in *scan.View, i int) (n scan.Number, ok bool) {
	// Several recognizers ask for the number at one place. The view keeps it, so it is
	// parsed once.
	if n, ok := in.Number(i); ok {
		return n, true
	}
	if n, ok = nu.parseNumber(in, i); ok {
		in.KeepNumber(n)
	}
	return n, ok
}

func (nu *numbers) parseNumber(in *scan.View, i int) (n scan.Number, ok bool) {
	n.Start = i
	if a, b, ok := vulgar(in.Rune(i)); ok {
		n.Above, n.Below, n.End = a, b, i+1
		return n, true
	}
	if LeadingPoint(in, i) {
		n.Whole, n.Frac, n.End = "0", scan.Arabic(in.Text(i+1)), i+2
		return n, true
	}
	if nu.say.Locale.Decimal == "," && in.Kind(i) == scan.Sign && scan.IsDash(in.Rune(i)) && in.Is(i+1, ',') && in.TwoDigits(i+2) && in.Opens(i) {
		// The dash stands for no whole coins: -,50 €.
		n.Whole, n.Frac, n.End = "0", scan.Arabic(in.Text(i+2)), i+3
		return n, nu.counts(in, in.Skip(n.End))
	}
	if in.Kind(i) != scan.Digits {
		return n, false
	}
	n.Whole, n.End = scan.Arabic(in.Text(i)), i+1
	// The order matters: a fraction is tried before groups, and groups before a decimal,
	// since each takes digits that the next would read otherwise.
	nu.simple(in, i, &n)
	if n.Below != "" {
		return n, true
	}
	nu.grouping(in, &n)
	nu.fraction(in, &n)
	if n.Frac == "" {
		vulgarAfter(in, &n)
	}
	return n, true
}

// LeadingPoint reports whether a decimal without a whole part stands at i: .5
func LeadingPoint(in *scan.View, i int) bool {
	if !in.Is(i, '.') || in.Kind(i+1) != scan.Digits || in.Is(i+2, '.') && in.Kind(i+3) == scan.Digits {
		return false
	}
	k := in.Kind(i - 1)
	return k == 0 || k == scan.Space || in.Token(i-1).Dense || k == scan.Sign && strings.ContainsRune("(-−+$€£₹¥", in.Rune(i-1))
}

// grouping extends a number over groups of digits, as in 12,34,567. All groups have the
// same separator; the last has three digits, and the others three, or two as in India.
func (nu *numbers) grouping(in *scan.View, n *scan.Number) {
	// The first group has one to three digits and no leading zero. "0,123" is a decimal.
	if len(n.Whole) > 3 || n.Whole[0] == '0' || in.Kind(n.End+1) != scan.Digits {
		return
	}
	sep, j, parts, two := in.Rune(n.End), n.End, 0, 0
	if !groupSign(sep) || scan.IsWide(in.Text(n.End)) && in.Rune(n.Start) < '０' {
		return
	}
	last, wide := 0, scan.IsWide(in.Text(n.End))
	for parts < 8 && in.Rune(j) == sep && scan.IsWide(in.Text(j)) == wide && in.Kind(j+1) == scan.Digits && (in.Kind(j) == scan.Sign || in.Text(j) == string(sep)) {
		in.Step()
		last = scan.RuneLen(in.Text(j + 1))
		if last > 3 || last < 2 {
			return
		}
		if last == 2 {
			two++
		}
		parts++
		j += 2
	}
	// In India the groups before the last have two digits: 12,34,567. Then all of them have
	// two, and the sign is a comma.
	if parts == 0 || last != 3 || two > 0 && (two != parts-1 || sep != ',' || len(n.Whole) > 2) || !nu.groups(sep, parts) && !elsewhere(in, sep, j) && !nu.spaced(in, n, sep, parts, j) {
		return
	}
	for k := n.End + 1; k < j; k += 2 {
		n.Whole += scan.Arabic(in.Text(k))
	}
	n.End, n.Groups, n.Lakhs, n.By = j, true, two > 0, sep
}

// elsewhere reports whether groups with a full stop or comma between them end at j
// before the other of the two and digits. Then 1.250,50 is one number also where
// 1,250.50 is usual.
func elsewhere(in *scan.View, sep rune, j int) bool {
	return (sep == '.' && in.Is(j, ',') || sep == ',' && in.Is(j, '.')) && in.Kind(j+1) == scan.Digits &&
		!(in.Rune(j+2) == in.Rune(j) && in.Kind(j+3) == scan.Digits)
}

// spaced reports whether groups with plain spaces between them, which end at j, are one
// number in a language that does not write numbers so. Something must show it: what the
// number counts, two decimals, or a first group that is too short for a telephone number.
func (nu *numbers) spaced(in *scan.View, n *scan.Number, sep rune, parts, j int) bool {
	if sep != ' ' || in.Rune(n.Start) >= '０' {
		return false
	}
	if parts > 1 && len(n.Whole) < 3 || parts == 1 && strings.Trim(scan.Arabic(in.Text(j-1)), "0") == "" {
		return true // no number begins with noughts: 12 000 people
	}
	if (in.Is(j, ',') || in.Is(j, '.')) && in.TwoDigits(j+1) && in.Kind(j+2) != scan.Word {
		return true
	}
	return nu.counts(in, in.Skip(j)) || in.Kind(in.Back(n.Start-1)) == scan.Sign && nu.counts(in, in.Back(n.Start-1))
}

// groupSign reports whether a rune separates groups of digits in some language.
func groupSign(r rune) bool {
	switch r {
	case ',', '.', '\'', '’', ' ', '\u00a0', '\u202f', '\u2009', '٬', '،':
		return true
	}
	return false
}

// groups reports whether so many groups with a separator are one number in this
// language.
func (nu *numbers) groups(sep rune, parts int) bool {
	group := scan.FirstRune(nu.say.Locale.Group)
	switch sep {
	case ',':
		// "1,250" is a decimal where the comma is the decimal sign. Two groups,
		// "1,250,000", are no decimal anywhere.
		return nu.say.Locale.Decimal != "," || parts > 1
	case '.':
		// A full stop before exactly three digits is no decimal sign where the comma is one.
		return group == '.' || nu.say.Locale.Decimal == ","
	case ' ':
		return group == '\u00a0' || group == '\u202f' || group == ' '
	}
	return true
}

// fraction takes the digits after a decimal sign into a number.
func (nu *numbers) fraction(in *scan.View, n *scan.Number) {
	sep := in.Rune(n.End)
	if in.Kind(n.End) != scan.Sign || in.Kind(n.End+1) != scan.Digits {
		return
	}
	switch {
	case sep == '٫', sep == '．':
	case sep == '.' && !(n.Groups && n.By == '.'):
	// After groups with full stops a comma is the decimal sign in every language: 1.250,50.
	case sep == ',' && (nu.say.Locale.Decimal == "," || n.By == '.' || n.By == ' '):
	// No group has two digits at its end, so beside a currency they are cents: €5,99.
	case sep == ',' && !n.Groups && in.TwoDigits(n.End+1) && nu.priced(in, n):
	// An apostrophe stands for the decimal sign of a price where that is a comma: 12'50 €.
	case (sep == '\'' || sep == '’') && nu.say.Locale.Decimal == "," && !n.Groups && in.TwoDigits(n.End+1) && nu.priced(in, n):
	// In Arabic script both commas are also the decimal sign. Three digits would be a group,
	// which was taken before.
	case (sep == ',' || sep == '،') && !n.Groups && eastern(in.Rune(n.Start)) && scan.RuneLen(in.Text(n.End+1)) < 3:
	default:
		return
	}
	// A second sign of the same kind means a version, an address or a date: 1.2.3
	if in.Rune(n.End+2) == sep && in.Kind(n.End+3) == scan.Digits {
		return
	}
	n.Frac = scan.Arabic(in.Text(n.End + 1))
	n.End += 2
}

// priced reports whether a currency stands before a number, or after the two digits behind
// its separator.
func (nu *numbers) priced(in *scan.View, n *scan.Number) bool {
	j := in.Skip(n.End + 2)
	return nu.isMoney(in, j) && in.Kind(n.End+2) != scan.Digits || in.Kind(in.Back(n.Start-1)) == scan.Sign && nu.isMoney(in, in.Back(n.Start-1))
}

// eastern reports whether a digit is one of the Arabic script.
func eastern(r rune) bool { return r >= '٠' && r <= '٩' || r >= '۰' && r <= '۹' }

// vulgarAfter takes the fraction after a whole number into it: 1½, 1 1/2.
func vulgarAfter(in *scan.View, n *scan.Number) {
	j := in.Skip(n.End)
	if a, b, ok := vulgar(in.Rune(j)); ok {
		n.Above, n.Below, n.End = a, b, j+1
		return
	}
	// Thousands have no fraction written so: ￥12,345 6/10.
	if len(n.Whole) > 3 || j == n.End || in.Kind(j) != scan.Digits || !in.Is(j+1, '/') && !in.Is(j+1, '⁄') || in.Kind(j+2) != scan.Digits || !in.Closes(j+3) || in.Is(j+3, '/') {
		return
	}
	a, b := scan.Arabic(in.Text(j)), scan.Arabic(in.Text(j+2))
	// Only a fraction below one follows a whole number. "5 4/2" is two things.
	if len(a) <= 2 && len(b) <= 2 && scan.Atoi(a) < scan.Atoi(b) && a[0] != '0' {
		n.Above, n.Below, n.End = a, b, j+3
	}
}

// vulgar returns the parts of a fraction that is one character, such as ½.
func vulgar(r rune) (above, below string, ok bool) {
	if r < 0xBC || r > 0xBE && r < 0x2150 || r > 0x2189 {
		return "", "", false
	}
	p, ok := vulgars[r]
	if !ok {
		return "", "", false
	}
	above, below, _ = strings.Cut(p, "/")
	return above, below, true
}

// vulgarAt reports whether such a fraction stands at k.
func vulgarAt(in *scan.View, k int) bool {
	_, _, ok := vulgar(in.Rune(k))
	return ok
}

var vulgars = map[rune]string{
	'¼': "1/4", '½': "1/2", '¾': "3/4", '⅐': "1/7", '⅑': "1/9", '⅒': "1/10", '⅓': "1/3", '⅔': "2/3", '⅕': "1/5",
	'⅖': "2/5", '⅗': "3/5", '⅘': "4/5", '⅙': "1/6", '⅚': "5/6", '⅛': "1/8", '⅜': "3/8", '⅝': "5/8", '⅞': "7/8", '↉': "0/3",
}

// simple reads the fraction a/b at i. It leaves dates, rates and formulas alone: the
// numerator has at most two digits, the denominator is 2 to 100, and no sign of
// mathematics is near.
func (nu *numbers) simple(in *scan.View, i int, n *scan.Number) {
	if !in.Is(i+1, '/') && !in.Is(i+1, '⁄') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || !in.Closes(i+3) {
		return
	}
	if in.IsOperator(in.Skip(i+3)) || in.IsOperator(in.Back(i-1)) {
		return
	}
	// 12/3/B is the number of a house.
	if in.Is(i+3, '/') && (in.Kind(i+4) == scan.Digits || in.Kind(i+4) == scan.Word && scan.Atoi(scan.Arabic(in.Text(i))) > scan.Atoi(scan.Arabic(in.Text(i+2)))) || in.Is(i-1, '/') || in.Is(i-1, '.') {
		return
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if a[0] == '0' || b[0] == '0' || len(a) > 2 || len(b) > 3 || scan.Atoi(b) > 100 || scan.Atoi(b) < 2 || scan.Atoi(a) > scan.Atoi(b) && scan.Atoi(b) > 20 {
		return
	}
	// A price per so many units: £2/100 g.
	if (b == "100" || b == "10") && in.Kind(i-1) == scan.Sign && nu.isMoney(in, i-1) {
		return
	}
	if !nu.say.HasFraction(a, b) {
		return
	}
	n.Whole, n.Above, n.Below, n.End = "", a, b, i+3
}

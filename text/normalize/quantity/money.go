package quantity

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// count says an amount of money. Two decimals are the number of the smaller coin, unless
// the amount is a range or has a scale.
func (mo *money) count(q amount) (string, bool) {
	m := mo.currencies[q.money]
	if m == nil {
		return "", false
	}
	// Without coins in use, three decimals are a group of digits: 350,000 VND, Rp 350,000.
	if w := q.a.Whole; len(q.a.Frac) == 3 && (len(m.minor) == 0 || q.money == "IDR") && !q.ranged && q.scale == "" && w != "" && w[0] != '0' && len(w) <= 3 {
		q.a.Whole, q.a.Frac = w+q.a.Frac, ""
	}
	if q.ranged && q.scale == "" && coined(q.a) && coined(q.b) && (q.a.Frac != "" || q.b.Frac != "") && len(m.minor) > 0 {
		return mo.priceRange(q)
	}
	// "$5.5" and "$1.234" are no coins, and "$5.50 million" is not 50 cents.
	minor := len(m.minor) > 0 && len(q.a.Frac) == 2 && !q.ranged && q.scale == "" && q.a.Below == ""
	if !minor && q.a.Frac == "00" && !q.ranged && q.scale == "" {
		q.a.Frac = "" // a price in whole coins
	}
	if !minor {
		return mo.coins(q, m.major, m.majorGender)
	}
	// 5.05 is five and 5 cents, so leading zeros of the cents are dropped.
	cents := strings.TrimLeft(q.a.Frac, "0")
	part := amount{a: scan.Number{Whole: cents, Minus: false}, genitive: q.genitive}
	q.a.Frac = ""
	whole := strings.Trim(q.a.Whole, "0") != ""
	if cents == "" {
		return mo.coins(q, m.major, m.majorGender)
	}
	if !whole {
		// The sign was on the whole, which is not spoken here.
		part.a.Minus = q.a.Minus
		return mo.coins(part, m.minor, m.minorGender)
	}
	a, ok := mo.coins(q, m.major, m.majorGender)
	if !ok {
		return "", false
	}
	b, ok := mo.coins(part, m.minor, m.minorGender)
	return mo.say.Endings.Fill2(mo.and, "{major}", a, "{minor}", b), ok
}

// coined reports whether a number is written as prices are: without decimals or with two.
func coined(x scan.Number) bool { return x.Below == "" && (x.Frac == "" || len(x.Frac) == 2) }

// priceRange says a range of prices with cents, as in €5.99–7.99: each of the two as a
// price.
func (mo *money) priceRange(q amount) (string, bool) {
	a, b := q, q
	a.ranged, b.ranged, b.a = false, false, q.b
	x, ok := mo.count(a)
	y, ok2 := mo.count(b)
	return mo.say.Range(x, y), ok && ok2
}

// coins says a number of coins of one size. A form that ends in {-} contains the number
// already, such as an Arabic dual.
func (mo *money) coins(q amount, forms map[cldr.Category]string, gender string) (string, bool) {
	// A scale may be two words, "lakh crore". The last one stands before the currency.
	last := strings.LastIndexByte(q.scale, ' ') + 1
	if w := mo.scaleMoney[q.scale[last:]]; w != "" {
		q.scale = q.scale[:last] + w
	}
	form, set := speak.FieldSet(mo.coinForm(q, forms))
	if set = mo.say.FirstSet(set); set == "" {
		set = mo.say.SetFor(gender)
	}
	w, ok := mo.amounts.sayNumbers(q, set)
	if !ok || len(forms) == 0 {
		return "", false
	}
	if alone, ok := strings.CutSuffix(form, "{-}"); ok {
		return alone + q.ending, true
	}
	form += q.ending
	if strings.Contains(form, "{n}") {
		return speak.Fill1(form, "{n}", w), true
	}
	return speak.Fill2(mo.pattern, "{n}", w, "{c}", form), true
}

// coinForm returns the form of a currency after an amount. After million and the like it
// does not depend on the number.
func (mo *money) coinForm(q amount, forms map[cldr.Category]string) string {
	if q.scale != "" && mo.small(q.scale) {
		q.scale = ""
		for _, x := range [...]*scan.Number{&q.a, &q.b} {
			if x.Whole += "000"; x.Frac != "" {
				x.Whole, x.Frac = "1500", "" // any thousands that are not round
			}
		}
	}
	if q.scale != "" {
		if _, dual := forms[cldr.Two]; dual {
			return forms[cldr.Other]
		}
		if f, ok := forms[cldr.Many]; ok && !mo.countsMany() {
			return f
		}
	}
	return speak.Pick(forms, mo.amounts.category(q))
}

// small reports whether a scale is the thousand of the language. Unlike a million it is a
// numeral, so no "de" stands between it and the currency: dez mil reais.
func (mo *money) small(scale string) bool {
	if w, _ := mo.say.Int(1000, ""); scale == w {
		return true
	}
	w, _ := mo.say.Int(2000, "")
	return len(scale) > 2 && strings.HasSuffix(w, scale)
}

// countsMany reports whether some number of the language has the plural category Many.
// Where none has, the lexicon uses Many for the currency after a million.
func (mo *money) countsMany() bool {
	for _, sample := range [...]string{"5", "11", "1.5", "1000000"} {
		if x, ok := cldr.NewOperands(sample); ok && mo.say.Locale.Plural(x) == cldr.Many {
			return true
		}
	}
	return false
}

func (mo *money) is(in *scan.View, j int) bool {
	_, n := mo.signs.Match(in, j)
	return n > 0
}

// prefixed reports whether a currency of n tokens at j stands before a number and is not
// the end of a longer word.
func prefixed(in *scan.View, j, n int) bool {
	if in.Kind(j) == scan.Word && (!in.Opens(j) || in.Token(j).Dense) {
		return false // 元 and the like stand after their number
	}
	k := in.Skip(j + n)
	// A currency is a prefix only with a number behind it.
	return in.Kind(k) == scan.Digits || LeadingPoint(in, k) || (in.Is(k, '-') || in.Is(k, '−')) && in.Kind(k+1) == scan.Digits || vulgarAt(in, k)
}

// nextPrice reports whether a currency sign after a space belongs to the number after
// it: "2 $5 notes".
func nextPrice(in *scan.View, j, n int) bool {
	return in.Kind(j-1) == scan.Space && in.Kind(j+n) == scan.Digits
}

// moneyTail takes the /- after prices in South Asia, the /= of East Africa and the ,-
// after round prices in Europe into an amount.
func (mo *money) moneyTail(in *scan.View, q *amount) {
	mo.roundTail(in, q)
	if in.Is(q.end, '.') && in.Kind(q.end+1) == scan.Sign && scan.IsDash(in.Rune(q.end+1)) && in.Closes(q.end+2) && q.a.Frac == "" {
		q.end += 2 // CHF 50.–
	}
	if in.Is(q.end, '/') && (in.Is(q.end+1, '-') || in.Is(q.end+1, '–') || in.Is(q.end+1, '=')) && in.Closes(q.end+2) {
		q.end += 2
	}
}

// codeAfter takes the code after an amount that has the sign of a dollar or peso before
// it: $1,500 MXN. The code says which currency it is.
func (mo *money) codeAfter(in *scan.View, q *amount) {
	j := in.Skip(q.end)
	if !in.Is(in.Back(q.a.Start-1), '$') {
		return
	}
	if code := mo.codeAhead(in, j); code != "" {
		q.money = code
		return
	}
	if in.Kind(j) != scan.Word || !in.Token(j).Upper || scan.RuneLen(in.Text(j)) != 3 || !in.Closes(j+1) {
		return
	}
	if code, ok := mo.signs.Token(in.Text(j)); ok && mo.currencies[code] != nil {
		q.money, q.end = code, j+1
	}
}

// codeAhead returns the code behind the next amount with the sign of a dollar, which is one
// for both: $1,299.00 a solo $899 MXN. It returns "" where none follows in the same sentence.
func (mo *money) codeAhead(in *scan.View, j int) string {
	for k := j; k < j+scan.Lookahead && k < in.Len(); k++ {
		in.Step()
		switch {
		case in.Is(k, '$'):
			if k == j || in.Kind(k-1) == scan.Word {
				return ""
			}
			x, ok := mo.numbers.at(in, in.Skip(k+1))
			end := in.Skip(x.End)
			if !ok || in.Kind(end) != scan.Word || !in.Token(end).Upper || scan.RuneLen(in.Text(end)) != 3 || !in.Closes(end+1) {
				return ""
			}
			code, ok := mo.signs.Token(in.Text(end))
			if !ok || mo.currencies[code] == nil {
				return ""
			}
			return code
		case in.Is(k, '.') || in.Is(k, '!') || in.Is(k, '?') || in.Is(k, ';') || in.EndsLine(k):
			return ""
		case in.Kind(k) == scan.Word && in.Token(k).Upper && scan.RuneLen(in.Text(k)) == 3:
			return "" // the code of this one
		}
	}
	return ""
}

// roundTail takes the dash that stands for no cents into an amount, as in € 25,- and
// 500,– kr.
func (mo *money) roundTail(in *scan.View, q *amount) {
	if mo.say.Locale.Decimal != "," || q.a.Frac != "" || !in.Is(q.end, ',') {
		return
	}
	j := q.end + 1
	// One dash or two: ",-" and ",--".
	for k := j; k < j+2 && in.Kind(k) == scan.Sign && scan.IsDash(in.Rune(k)); k++ {
		q.end = k + 1
	}
}

// unnamed removes the currency from the words of an amount when the text has its name
// after the sign and the number, too: ₹500 रुपये, ৳500 টাকায়. In South Asia the name
// may have another ending, so its first three letters are compared.
func (mo *money) unnamed(in *scan.View, w string, q amount) string {
	j := in.Skip(q.end)
	if q.counted != 0 || j == q.end || in.Kind(j) != scan.Word || mo.currencies[q.money] == nil {
		return w
	}
	for _, form := range mo.currencies[q.money].major {
		bare, ok := strings.CutSuffix(w, " "+form)
		if !ok {
			continue
		}
		if r := []rune(form); mo.say.SouthAsian && len(r) >= 3 {
			form = string(r[:3])
		} else if in.Text(j) != form {
			return w
		}
		if strings.HasPrefix(in.Text(j), form) {
			return bare
		}
	}
	return w
}

// coin is a currency with its minor unit.
type coin struct {
	major, minor             map[cldr.Category]string // minor is nil when there is none
	majorGender, minorGender string
}

// coinage is how currencies are written in every language.
var coinage = map[string]string{
	"₹": "INR", "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "￥": "JPY", "₽": "RUB", "₩": "KRW", "₺": "TRY",
	"₴": "UAH", "₪": "ILS", "₫": "VND", "₸": "KZT", "₼": "AZN", "₾": "GEL", "֏": "AMD", "₦": "NGN", "₱": "PHP", "฿": "THB",
	"৳": "BDT", "₨": "INR", "A$": "AUD", "C$": "CAD", "R$": "BRL", "HK$": "HKD", "元": "CNY",
	"﷼": "IRR", "＄": "USD", "￡": "GBP",
}

// codes are the ISO 4217 codes that are read in every language.
const codes = "INR USD EUR GBP JPY CNY AUD CAD CHF SGD AED SAR PKR BDT LKR NPR RUB KRW TRY UAH ILS VND KZT AZN GEL AMD " +
	"NGN PHP THB BRL MXN ZAR SEK NOK DKK PLN CZK HUF RON BGN HKD IDR MYR EGP IRR KES ETB ISK RSD MKD ALL BYN UZS KGS"

// lowerCodes are the codes that are also read in small letters, because they are words in
// no language.
const lowerCodes = "inr usd eur gbp jpy cny aud sgd aed pkr npr bdt lkr myr idr vnd krw uah pln czk brl mxn nok"

// money knows the currencies and says amounts of them.
type money struct {
	say          *speak.Speaker
	amounts      *amounts
	numbers      *numbers
	signs        scan.Phrases[string] // symbols and codes, to ISO 4217 codes
	currencies   map[string]*coin     // by ISO code
	scaleMoney   map[string]string    // scales as they are said before a currency
	pattern, and string               // of an amount with its currency, and of coins of both sizes
	round        string               // the ISO code of a round price whose currency is not written: 9,-
}

// compile reads the currencies.
func (mo *money) compile(starts *scan.Starts) {
	lex := mo.say.Lexicon
	mo.currencies = map[string]*coin{}
	mo.scaleMoney = lex.ByFirst("scale.money")
	mo.round = lex.Word("money.round")
	mo.pattern, mo.and = mo.say.Or("money.pattern", mo.say.Join("{n}", "{c}")), mo.say.Or("money.and", mo.say.Join("{major}", "{minor}"))
	for _, r := range lex.Rows("money.symbol") {
		for s := range strings.FieldsSeq(r[0]) {
			mo.signs.Add(s, r[1])
			starts.Add(s)
		}
	}
	for s, code := range coinage {
		mo.signs.Add(s, code)
		if scan.IsLetter(scan.FirstRune(s)) {
			starts.Add(s)
		}
	}
	for code := range strings.FieldsSeq(codes) {
		if _, own := lex.Lookup("money", code); own || code != "ALL" && code != "TRY" { // ALL and TRY may be ordinary words in capitals
			mo.signs.Add(code, code)
			starts.Add(code)
		}
		if f := mo.say.Locale.Currencies[code]; len(f) > 0 {
			mo.currencies[code] = &coin{major: f}
		}
	}
	for code := range strings.FieldsSeq(lowerCodes) {
		mo.signs.Add(code, strings.ToUpper(code))
	}
	for _, r := range lex.Rows("money") {
		mo.currencies[r[0]] = lexCoin(r.Value(1), r.Value(2), r.Value(3), r.Value(4))
	}
}

func lexCoin(major, majorGender, minor, minorGender string) *coin {
	return &coin{
		major: speak.Forms(major), majorGender: majorGender,
		minor: speak.Forms(minor), minorGender: minorGender,
	}
}

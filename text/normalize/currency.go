package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// coin is a currency with its minor unit.
type coin struct {
	major, minor             map[cldr.Category]string // minor is nil when there is none
	majorGender, minorGender string
}

// coinage is how currencies are written everywhere.
var coinage = map[string]string{
	"₹": "INR", "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "￥": "JPY", "₽": "RUB", "₩": "KRW", "₺": "TRY",
	"₴": "UAH", "₪": "ILS", "₫": "VND", "₸": "KZT", "₼": "AZN", "₾": "GEL", "֏": "AMD", "₦": "NGN", "₱": "PHP", "฿": "THB",
	"৳": "BDT", "₨": "INR", "A$": "AUD", "C$": "CAD", "R$": "BRL", "HK$": "HKD", "元": "CNY",
	"﷼": "IRR", "＄": "USD", "￡": "GBP",
}

// codes are the currencies that are known by their ISO code.
const codes = "INR USD EUR GBP JPY CNY AUD CAD CHF SGD AED SAR PKR BDT LKR NPR RUB KRW TRY UAH ILS VND KZT AZN GEL AMD " +
	"NGN PHP THB BRL MXN ZAR SEK NOK DKK PLN CZK HUF RON BGN HKD IDR MYR EGP IRR KES ETB ISK RSD MKD ALL BYN UZS KGS"

// compileMoney reads the currencies.
func (n *Normalizer) compileMoney() {
	t := &n.tables
	t.coins = map[string]*coin{}
	for _, r := range n.lex.Rows("money.symbol") {
		for s := range strings.FieldsSeq(r[0]) {
			t.currency.add(s, r[1])
			t.start(s)
		}
	}
	for s, code := range coinage {
		t.currency.add(s, code)
		if letter(firstRune(s)) {
			t.start(s)
		}
	}
	for code := range strings.FieldsSeq(codes) {
		if _, own := n.lex.Lookup("money", code); own || code != "ALL" && code != "TRY" { // they are words in capitals, too
			t.currency.add(code, code)
			t.start(code)
		}
		if f := n.loc.Currencies[code]; len(f) > 0 {
			t.coins[code] = &coin{major: f}
		}
	}
	for _, r := range n.lex.Rows("money") {
		t.coins[r[0]] = n.lexCoin(r.Value(1), r.Value(2), r.Value(3), r.Value(4))
	}
}

func (n *Normalizer) lexCoin(major, majorGender, minor, minorGender string) *coin {
	return &coin{
		major: forms(major), majorGender: majorGender,
		minor: forms(minor), minorGender: minorGender,
	}
}

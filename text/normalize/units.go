package normalize

import "strings"

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

// symbols are the written forms of units that every language knows. Those that
// a word might be stand directly after their number.
var symbols = map[string]string{
	"km": "length-kilometer", "m": "length-meter", "cm": "length-centimeter", "mm": "length-millimeter",
	"µm": "length-micrometer", "μm": "length-micrometer", "nm": "length-nanometer", "mi": "length-mile", "ft": "length-foot",
	"yd": "length-yard", "kg": "mass-kilogram", "g": "mass-gram", "mg": "mass-milligram", "lb": "mass-pound", "lbs": "mass-pound",
	"oz": "mass-ounce", "l": "volume-liter", "L": "volume-liter", "ml": "volume-milliliter", "mL": "volume-milliliter",
	"cl": "volume-centiliter", "km/h": "speed-kilometer-per-hour", "kmph": "speed-kilometer-per-hour",
	"kph": "speed-kilometer-per-hour", "mph": "speed-mile-per-hour", "m/s": "speed-meter-per-second",
	"°C": "temperature-celsius", "℃": "temperature-celsius", "°F": "temperature-fahrenheit", "℉": "temperature-fahrenheit",
	"° C": "temperature-celsius", "° F": "temperature-fahrenheit", "°": "angle-degree",
	"kB": "digital-kilobyte", "KB": "digital-kilobyte", "MB": "digital-megabyte", "GB": "digital-gigabyte",
	"TB": "digital-terabyte", "kW": "power-kilowatt", "W": "power-watt", "MW": "power-megawatt", "GW": "power-gigawatt",
	"kWh": "energy-kilowatt-hour", "V": "electric-volt", "mA": "electric-milliampere", "Ω": "electric-ohm",
	"Hz": "frequency-hertz", "kHz": "frequency-kilohertz", "MHz": "frequency-megahertz", "GHz": "frequency-gigahertz",
	"m²": "area-square-meter", "km²": "area-square-kilometer", "cm²": "area-square-centimeter", "m³": "volume-cubic-meter",
	"cm³": "volume-cubic-centimeter", "ha": "area-hectare", "h": "duration-hour", "hr": "duration-hour", "hrs": "duration-hour",
	"min": "duration-minute", "mins": "duration-minute", "s": "duration-second", "sec": "duration-second", "ms": "duration-millisecond",
	"cal": "energy-calorie", "kcal": "energy-kilocalorie", "J": "energy-joule", "kJ": "energy-kilojoule", "N": "force-newton",
	"Pa": "pressure-pascal", "hPa": "pressure-hectopascal", "bar": "pressure-bar", "hp": "power-horsepower", "ppm": "concentr-permillion",
	"px": "graphics-pixel", "MP": "graphics-megapixel", "t": "mass-tonne", "‰": "concentr-permille", "kPa": "pressure-kilopascal",
	"Mbps": "", "dB": "", "sq ft": "area-square-foot", "sq m": "area-square-meter", "sq km": "area-square-kilometer",
	"m2": "area-square-meter", "km2": "area-square-kilometer", "cm2": "area-square-centimeter", "m3": "volume-cubic-meter",
	"ft²": "area-square-foot", "d": "duration-day",
}

// attached says of a symbol that it must touch its number.
func attached(symbol string) bool {
	switch symbol {
	case "in", "J", "N", "t", "s", "h", "d", "mi", "cal", "bar", "ms":
		return true
	}
	return false
}

// compileUnits reads the units.
func (n *Normalizer) compileUnits() {
	made := map[string]*unit{}
	n.tables.loose = map[string]bool{}
	for _, r := range n.lex.Rows("unit") {
		made[r[0]] = &unit{key: r[0], forms: forms(r.Value(1)), gender: r.Value(2)}
		if len(r) < 3 {
			made[r[0]].gender = n.loc.Units[r[0]].Gender
		}
	}
	find := func(key string) *unit {
		u, ok := made[key]
		if !ok {
			if d := n.loc.Units[key]; len(d.Forms) > 0 {
				u = n.asCounter(&unit{key: key, gender: d.Gender, forms: n.unitForms(d.Forms)})
			}
			made[key] = u
		}
		return u
	}
	for _, r := range n.lex.Rows("unit.symbol") {
		n.unitSymbol(r[0], find(r[1]))
		n.tables.loose[r[0]] = true
	}
	for symbol, key := range symbols {
		n.unitSymbol(symbol, find(key))
	}
}

func (n *Normalizer) unitSymbol(symbol string, u *unit) {
	if u == nil {
		return
	}
	n.tables.unit.add(symbol, u)
}

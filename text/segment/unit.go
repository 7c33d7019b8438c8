package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// unit returns the length of the symbol of a unit at the start of a text, or of
// AM and PM in any form; 0 when there is none or when the word goes on.
func unit(s string) int {
	n := letters(s)
	if n == 0 {
		return halfOfDay(s)
	}
	if m := halfOfDay(s); m > 0 {
		return m
	}
	if !isUnit(s[:n]) {
		return 0
	}
	return n
}

// letters returns the length of the Latin letters at the start of a text, with
// the mu of micro; 0 if a digit follows.
func letters(s string) int {
	n := 0
	for _, micro := range []string{"µ", "μ"} {
		if strings.HasPrefix(s, micro) {
			n = len(micro)
		}
	}
	for n < len(s) && isLatin(s[n]) {
		n++
	}
	// Letters with a digit behind them are a word such as "m2m" and no unit.
	if n < len(s) && isDigit(s[n]) {
		return 0
	}
	return n
}

// halfOfDay returns the length of am, PM, a.m. or the like.
func halfOfDay(s string) int {
	for _, form := range []string{"a.m.", "p.m.", "am", "pm"} {
		if hasPrefixFold(s, form) && !isLatinAt(s, len(form)) {
			return len(form)
		}
	}
	return 0
}

// isUnit reports whether a word is the symbol of a unit. Single letters that are more
// often something else after a number (A, C, G, K, M, T) are not among them.
func isUnit(s string) bool {
	switch s {
	case "m", "g", "l", "L", "W", "V", "s", "km", "cm", "mm", "nm", "µm", "μm", "dm",
		"kg", "mg", "µg", "μg", "gm", "gms", "kgs", "lb", "lbs", "oz", "ml", "mL", "dl", "dL", "cl", "kl", "kL",
		"ha", "ft", "yd", "mi", "sqft", "sqm", "cc", "hp", "HP",
		"ms", "sec", "secs", "min", "mins", "hr", "hrs", "h",
		"kmph", "kmh", "kph", "mph", "kmpl", "rpm", "RPM", "fps", "dpi", "ppm",
		"KB", "kB", "MB", "GB", "TB", "PB", "kb", "Mb", "Gb", "gb", "mb", "tb", "Kbps", "kbps", "Mbps", "mbps", "MBps", "Gbps", "gbps", "MP",
		"Hz", "kHz", "KHz", "MHz", "GHz", "kW", "KW", "MW", "GW", "kWh", "KWh", "MWh", "Wh", "mAh", "Ah", "Nm", "mA", "kV", "mV",
		"cal", "kcal", "Kcal", "kJ", "J", "Pa", "hPa", "kPa", "dB", "mol", "mmHg", "Mbit", "Gbit", "LDK", "DK":
		return true
	}
	return len(s) > 1 && len(s) <= len("kmph") && isUnitFolded(strings.ToLower(s))
}

// isUnitFolded reports whether a word in small letters is the symbol of a unit that
// people also write in other letters, KG, Kmph, MAH. Symbols that are words in capitals,
// such as MS and HA, are not among them.
func isUnitFolded(s string) bool {
	switch s {
	case "km", "cm", "mm", "kg", "mg", "gm", "gms", "kgs", "kms", "lb", "lbs", "oz", "ml", "ltr", "lts", "ft", "sqft", "sqm", "cc", "hp",
		"sec", "secs", "mins", "hr", "hrs", "kmph", "kmh", "kph", "mph", "kmpl", "rpm", "fps", "bpm", "dpi",
		"kb", "mb", "gb", "tb", "kbps", "mbps", "gbps", "hz", "khz", "mhz", "ghz", "kw", "mw", "gw", "kwh", "wh", "mah", "kv",
		"kcal", "kpa", "db", "tsp", "tbsp", "pcs":
		return true
	}
	return false
}

// currency returns the length of a currency at the start of a text, a sign, a
// code or "Rs." with its dot, and whether it has letters.
func currency(s string) (n int, lettered bool) {
	r, size := utf8.DecodeRuneInString(s)
	if r >= utf8.RuneSelf || r == '$' {
		if unicode.Is(unicode.Sc, r) {
			return size, false
		}
		return 0, false
	}
	// No code of a currency has more than three letters, so a fourth tells that it is
	// another word.
	for n < len(s) && n < 4 && isLatin(s[n]) {
		n++
	}
	if n == 0 || isLatinAt(s, n) {
		return 0, false
	}
	if n < len(s) && s[n] == '$' && n <= 2 { // US$, A$
		return n + 1, true
	}
	switch s[:n] {
	case "Rs", "rs", "RS", "Re", "RE":
		if n < len(s) && s[n] == '.' {
			n++
		}
		return n, true
	case "INR", "USD", "EUR", "GBP", "JPY", "CNY", "RMB", "AED", "SAR", "PKR", "NPR", "LKR", "BDT", "Tk", "AUD", "CAD", "SGD", "HKD", "CHF", "RUB", "UAH", "KRW", "TRY", "ILS", "NIS", "EGP", "IRR", "BRL", "kr", "BTC",
		"inr", "usd", "eur", "gbp", "aed", "pkr", "npr", "bdt", "lkr", "sgd", "MXN", "COP", "ARS", "PLN", "CZK", "HUF", "RON", "SEK", "NOK",
		"DKK", "KZT", "MYR", "IDR", "VND", "QAR", "KWD", "OMR", "BHD", "MAD":
		return n, true
	}
	return 0, false
}

// spanOfTime returns the length of a slash with an English word for a span of time, or
// for a person, at the start of a text: ₹500/month. 0 for none.
func spanOfTime(s string) int {
	n := letters(s[1:])
	switch s[1 : 1+n] {
	case "mo", "month", "yr", "year", "wk", "week", "day", "hr", "hour", "night", "person", "pc", "piece":
		return 1 + n
	}
	return 0
}

// isIndianScale reports whether a word is lakh or crore in any spelling. Languages of India
// write them in Latin letters also without a currency: 2.5 Lacs.
func isIndianScale(s string) bool {
	switch s[0] {
	case 'l', 'L', 'c', 'C':
		return true
	}
	return false
}

// scale returns the length of a letter that multiplies a sum of money.
func scale(s string) int {
	n := letters(s)
	switch s[:n] {
	case "k", "K", "M", "B", "T", "L", "mn", "bn", "cr", "Cr", "CR", "lakh", "crore", "lakhs", "crores",
		"lac", "lacs", "Lac", "Lacs", "Lakh", "Lakhs", "Crore", "Crores":
		return n
	}
	return 0
}

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
		"Hz", "kHz", "KHz", "MHz", "GHz", "kW", "KW", "MW", "GW", "kWh", "KWh", "MWh", "Wh", "mAh", "Ah", "mA", "kV", "mV",
		"cal", "kcal", "Kcal", "kJ", "J", "Pa", "hPa", "kPa", "dB", "mol", "mmHg":
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
	case "Rs", "rs", "RS", "Re":
		if n < len(s) && s[n] == '.' {
			n++
		}
		return n, true
	case "INR", "USD", "EUR", "GBP", "JPY", "CNY", "RMB", "AED", "SAR", "PKR", "NPR", "LKR", "BDT", "Tk", "AUD", "CAD", "SGD", "HKD", "CHF", "RUB", "UAH", "KRW", "TRY", "ILS", "NIS", "EGP", "IRR", "BRL", "kr", "BTC":
		return n, true
	}
	return 0, false
}

// scale returns the length of a letter that multiplies a sum of money.
func scale(s string) int {
	n := letters(s)
	switch s[:n] {
	case "k", "K", "M", "B", "T", "L", "mn", "bn", "cr", "Cr", "lakh", "crore":
		return n
	}
	return 0
}

package main

import (
	"strings"

	"vaak/lang"
)

// variants are the locales beside those of the languages themselves: regions
// whose numbers, dates or words differ, and second scripts.
var variants = strings.Fields(`
	en-001 en-AU en-CA en-GB en-IE en-IN en-NZ en-SG en-ZA
	es-419 es-AR es-CL es-CO es-MX es-US pt-PT fr-BE fr-CA fr-CH
	de-AT de-CH de-LI it-CH nl-BE ro-MD sv-FI
	ar-AE ar-DZ ar-IQ ar-JO ar-LB ar-LY ar-MA ar-SA ar-SY ar-TN
	bn-IN fa-AF ms-BN ms-ID ms-SG ne-IN sw-CD sw-KE ta-LK ta-MY ta-SG ur-IN
	ks-Deva mni-Mtei pa-Arab sat-Deva sd-Deva sr-Latn uz-Cyrl yue-Hans zh-Hant zh-Hant-HK`)

// units are the ids of the units whose names are taken.
var units = strings.Fields(`
	acceleration-g-force acceleration-meter-per-square-second
	angle-arc-minute angle-arc-second angle-degree angle-radian angle-revolution
	area-acre area-hectare area-square-centimeter area-square-foot area-square-inch
	area-square-kilometer area-square-meter area-square-mile area-square-yard
	concentr-karat concentr-mole concentr-part-per-1e6 concentr-percent concentr-permille
	consumption-liter-per-100-kilometer consumption-liter-per-kilometer
	consumption-mile-per-gallon consumption-mile-per-gallon-imperial
	digital-bit digital-byte digital-gigabit digital-gigabyte digital-kilobit digital-kilobyte
	digital-megabit digital-megabyte digital-petabyte digital-terabit digital-terabyte
	duration-century duration-day duration-decade duration-hour duration-microsecond
	duration-millisecond duration-minute duration-month duration-nanosecond duration-quarter
	duration-second duration-week duration-year
	electric-ampere electric-milliampere electric-ohm electric-volt
	energy-calorie energy-electronvolt energy-joule energy-kilocalorie energy-kilojoule energy-kilowatt-hour
	force-newton frequency-gigahertz frequency-hertz frequency-kilohertz frequency-megahertz
	graphics-dot-per-inch graphics-megapixel graphics-pixel graphics-pixel-per-inch
	length-astronomical-unit length-centimeter length-decimeter length-foot length-inch
	length-kilometer length-light-year length-meter length-micrometer length-mile length-millimeter
	length-nanometer length-nautical-mile length-parsec length-point length-yard
	light-candela light-lumen light-lux
	mass-carat mass-gram mass-kilogram mass-microgram mass-milligram mass-ounce mass-pound
	mass-stone mass-ton mass-tonne
	power-gigawatt power-horsepower power-kilowatt power-megawatt power-milliwatt power-watt
	pressure-atmosphere pressure-bar pressure-hectopascal pressure-kilopascal pressure-megapascal
	pressure-millibar pressure-millimeter-ofhg pressure-pascal pressure-pound-force-per-square-inch
	speed-kilometer-per-hour speed-knot speed-meter-per-second speed-mile-per-hour
	temperature-celsius temperature-fahrenheit temperature-generic temperature-kelvin
	torque-newton-meter
	volume-barrel volume-centiliter volume-cubic-centimeter volume-cubic-foot volume-cubic-inch
	volume-cubic-kilometer volume-cubic-meter volume-cup volume-deciliter volume-fluid-ounce
	volume-gallon volume-gallon-imperial volume-hectoliter volume-liter volume-milliliter
	volume-pint volume-quart volume-tablespoon volume-teaspoon`)

// currencies are the ISO 4217 codes of the currencies whose names are taken:
// those of the countries where the languages are spoken, and those that are
// traded most.
var currencies = strings.Fields(`
	AED AFN ALL AMD ARS AUD AZN BAM BDT BGN BHD BND BRL BTN BYN CAD CHF CLP CNY COP
	CZK DKK DZD EGP ETB EUR GBP GEL HKD HUF IDR ILS INR IQD IRR ISK JOD JPY KES KGS
	KRW KWD KZT LBP LKR LYD MAD MDL MKD MMK MOP MVR MXN MYR NGN NOK NPR NZD OMR PEN
	PHP PKR PLN QAR RON RSD RUB SAR SDG SEK SGD SYP THB TND TRY TWD TZS UAH UGX USD
	UYU UZS VES VND XAF XOF YER ZAR`)

// symbols are the characters whose spoken names are taken.
var symbols = strings.Fields(`
	% ‰ @ & + - − – — = ≠ < > ≤ ≥ ± ∓ × ÷ * / \ | _ # ~ ^ ° ′ ″ § ¶ © ® ™ ℗ µ № • · …
	← ↑ → ↓ ↔ ↕ ↗ ↘ ↙ ↖ ⇐ ⇒ ⇔ ∞ √ ∑ ∏ ∫ ∂ ∆ ∇ ≈ ≡ ∝ ∈ ∉ ∋ ∩ ∪ ⊂ ⊃ ⊆ ⊇ ∅ ∀ ∃ ∧ ∨ ¬ ∴ ∵ ∠ ∥ ⊥ ∶
	$ € £ ¥ ₹ ₨ ¢ ₩ ₽ ₱ ₿ ₺ ₫ ₪
	( ) [ ] { } , . : ; ! ¡ ? ¿ ؟ ، ؛ ' " ‘ ’ “ ” « » † ‡ ¹ ² ³
	☎ ♪ ♭ ♯ ♀ ♂ ★ ☆ ✓ ✔ ✗ ✘ ❤ ♥ ♦ ♣ ♠ ■ □ ▲ △ ▶ ▼ ● ○ ◆ ◇ ⚠ ♻`)

// names lists the locales of the extract: root, the languages, the variants.
func names() []string {
	out := []string{root}
	for _, l := range lang.All() {
		out = append(out, string(l.Code))
	}
	return append(out, variants...)
}

// root is CLDR's name of the locale that all others inherit from.
const root = "und"

// key returns CLDR's own name of a locale, which differs for Norwegian Bokmål.
func key(name string) string {
	if name == "nb" {
		return "no"
	}
	return name
}

// latin reports whether the names of a locale are written in the Latin script.
func latin(name string) bool {
	code, variant, _ := strings.Cut(name, "-")
	script, _, _ := strings.Cut(variant, "-")
	if len(script) == 4 {
		return script == "Latn"
	}
	l, ok := lang.Lookup(lang.Code(code))
	return ok && l.Scripts[0] == "Latn"
}

// english reports whether a locale is one of English.
func english(name string) bool { return name == "en" || strings.HasPrefix(name, "en-") }

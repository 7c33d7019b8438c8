package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
)

// unit is a unit of measurement; its forms have {n} for the number, or {n:SET}
// for the number by a rule set. From the number limit on, if there is one, the
// forms of above are used.
type unit struct {
	key    string
	gender string
	forms  map[cldr.Category]string
	limit  int
	above  map[cldr.Category]string
	// counter is a word that counts things: an ordinal may be written with it.
	counter bool
}

// unitForms turns CLDR's patterns into ours, with a space after the number if
// the language parts words, and none if it does not. A pattern that has a sign
// instead of a word is none.
func (n *Normalizer) unitForms(f cldr.Forms) map[cldr.Category]string {
	m := make(map[cldr.Category]string, len(f))
	for c, s := range f {
		if strings.ContainsAny(s, "%٪‰") {
			return nil
		}
		s = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(s)
		before, after, found := strings.Cut(s, "{0}")
		switch {
		case !found:
		case !n.spaced:
			s = strings.TrimSpace(before) + "{n}" + strings.TrimSpace(after)
		case after != "" && letter(firstRune(after)):
			s = before + "{n} " + after
		default:
			s = before + "{n}" + after
		}
		m[c] = s
	}
	return m
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

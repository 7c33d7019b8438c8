package quantity

import (
	"strconv"
	"strings"
	"sync"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// unit is a unit of measurement or a counter. Its forms have the field {n} for the
// number, or {n:SET} for the number by a rule set. From the number limit on, if there is
// one, the forms of above replace them.
type unit struct {
	key    string
	gender string
	forms  map[cldr.Category]string
	limit  int
	above  map[cldr.Category]string
	// counter marks a word that counts things, such as 个. An ordinal may have it, too.
	counter bool
}

// unitForms converts patterns of CLDR. A space follows the number where the language has
// spaces between words, and none follows it elsewhere. It returns nil when a pattern has
// a sign in place of a word.
func (un *units) unitForms(f cldr.Forms) map[cldr.Category]string {
	m := make(map[cldr.Category]string, len(f))
	for c, s := range f {
		if strings.ContainsAny(s, "%٪‰") {
			return nil
		}
		s = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(s)
		before, after, found := strings.Cut(s, "{0}")
		switch {
		case !found:
		case !un.say.Spaced:
			s = strings.TrimSpace(before) + "{n}" + strings.TrimSpace(after)
		case after != "" && scan.IsLetter(scan.FirstRune(after)):
			s = before + "{n} " + after
		default:
			s = before + "{n}" + after
		}
		m[c] = s
	}
	return m
}

// symbols are how units are written in every language. "" is a unit without a name in
// CLDR.
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

// attached reports whether a symbol counts as a unit only directly after its number,
// because it may be a word elsewhere.
func attached(symbol string) bool {
	switch symbol {
	case "in", "J", "N", "t", "s", "d", "mi", "cal", "bar", "ms":
		return true
	}
	return false
}

// units knows the units of measurement and the words that count things.
type units struct {
	say       *speak.Speaker
	amounts   *amounts
	numbers   *numbers
	made      sync.Map // keys of CLDR to the units that were asked for
	signs     scan.Phrases[*unit]
	loose     map[string]bool // symbols that the language writes after a space
	counters  map[string]*unit
	countsNot map[string]bool          // words before a number that then counts nothing
	span      string                   // the pattern of a range of counted things
	percent   map[cldr.Category]string // patterns
	per       string                   // the pattern of a price for a unit
}

// compile reads the units. The symbols of a language win over those of every language.
func (un *units) compile() {
	lex := un.say.Lexicon
	un.compileCounters()
	un.countsNot = lex.Set("counter.not")
	un.span, un.per = lex.Word("counter.range"), lex.Word("per")
	if un.percent = speak.FormsOf(lex.Forms("percent")); un.percent == nil {
		un.percent = un.unitForms(un.say.Locale.Units["concentr-percent"].Forms)
	}

	// Several symbols may mean one unit, so each is made once.
	made := map[string]*unit{}
	un.loose = map[string]bool{}
	for _, r := range lex.Rows("unit") {
		made[r[0]] = &unit{key: r[0], forms: speak.Forms(r.Value(1)), gender: r.Value(2)}
		if len(r) < 3 {
			made[r[0]].gender = un.say.Locale.Units[r[0]].Gender
		}
	}
	find := func(key string) *unit {
		u, ok := made[key]
		if !ok {
			if d := un.say.Locale.Units[key]; len(d.Forms) > 0 {
				u = un.asCounter(&unit{key: key, gender: d.Gender, forms: un.unitForms(d.Forms)})
			}
			made[key] = u
		}
		return u
	}
	for _, r := range lex.Rows("unit.symbol") {
		un.unitSymbol(r[0], find(r[1]))
		un.loose[r[0]] = true
	}
	// After the symbols of the language: the first to claim a sign keeps it.
	for symbol, key := range symbols {
		un.unitSymbol(symbol, find(key))
	}
}

func (un *units) unitSymbol(symbol string, u *unit) {
	if u == nil {
		return
	}
	un.signs.Add(symbol, u)
}

// minutes reads the minutes after hours, 2h 30m, where m is no metre. It gets the words
// so far and returns the words with the minutes, and the token after them.
func (un *units) minutes(in *scan.View, w string, end int) (string, int) {
	i := in.Skip(end)
	x, ok := un.numbers.at(in, i)
	if !ok || x.Below != "" || in.Kind(i) != scan.Digits {
		return w, end
	}
	j := in.Skip(x.End)
	if t := in.Text(j); t != "m" && t != "min" && t != "mins" || !in.Closes(j+1) {
		return w, end
	}
	u, n := un.signs.Match(in, j)
	if in.Text(j) == "m" {
		u = un.byKey("duration-minute")
		n = 1
	}
	if n == 0 || u == nil {
		return w, end
	}
	m, ok := un.amounts.count(amount{a: x}, u.forms, u.gender)
	if !ok {
		return w, end
	}
	return un.say.Join(w, m), j + n
}

// perUnit reads the unit after a slash, ₹50/kg, and returns the words and the token
// after it.
func (un *units) perUnit(in *scan.View, w string, end int) (string, int) {
	if !in.Is(end, '/') {
		return w, end
	}
	u, n := un.signs.Match(in, end+1)
	if n == 0 && un.say.SouthAsian {
		return un.perWord(in, w, end)
	}
	if n == 0 || !in.Closes(end+1+n) {
		return w, end
	}
	p := un.say.Locale.Units[u.key].Per
	if p == "" || strings.ContainsAny(p, "/.") { // CLDR has only a sign or an abbreviation
		one, _ := cldr.NewOperands("1")
		form, _ := speak.FieldSet(speak.Pick(u.forms, un.say.Locale.Plural(one)))
		name := strings.TrimSpace(speak.Fill1(form, "{n}", ""))
		if un.per != "" {
			return un.say.Endings.Fill2(un.per, "{u}", name, "{n}", w), end + 1 + n
		}
		p = speak.Fill1(un.say.Locale.Per, "{1}", name)
	}
	if !strings.Contains(p, "{0}") || strings.Contains(p, "/") {
		return w, end
	}
	return speak.Fill1(p, "{0}", w), end + 1 + n
}

// perWord reads a word after a slash that is no unit, in South Asian scripts: ₹30/किलो,
// ₹80/दर्जन.
func (un *units) perWord(in *scan.View, w string, end int) (string, int) {
	p := un.say.Locale.Per
	if un.per != "" || !strings.Contains(p, "{0}") || strings.Contains(p, "/") {
		return w, end
	}
	if in.Kind(end+1) != scan.Word || in.Rune(end+1) < 0x600 || !in.Closes(end+2) || in.Is(end+2, '/') {
		return w, end
	}
	return speak.Fill2(p, "{0}", w, "{1}", in.Text(end+1)), end + 2
}

// percentGender returns the gender of numbers before the word for percent.
func (un *units) percentGender() string {
	if u := un.byKey("concentr-percent"); u != nil {
		return u.gender
	}
	return ""
}

// byKey returns the unit of a CLDR key, nil when the language has no name for it. It is
// made on first use and kept.
func (un *units) byKey(key string) *unit {
	if u, ok := un.made.Load(key); ok {
		return u.(*unit)
	}
	// Two callers may make the same unit at once. Both get the one that was stored first.
	u, _ := un.made.LoadOrStore(key, un.make(key))
	return u.(*unit)
}

func (un *units) make(key string) *unit {
	d := un.say.Locale.Units[key]
	if r, ok := un.say.Lexicon.Lookup("unit", key); ok {
		u := &unit{key: key, forms: speak.Forms(r.Value(1)), gender: r.Value(2)}
		if len(r) < 3 {
			u.gender = d.Gender
		}
		return u
	}
	if len(d.Forms) == 0 {
		return nil
	}
	return un.asCounter(&unit{key: key, forms: un.unitForms(d.Forms), gender: d.Gender})
}

// compileCounters reads the words that count things after a number, such as 个, 명 and 本.
// They are units whose name is spoken as it is written.
func (un *units) compileCounters() {
	un.counters = map[string]*unit{}
	for _, r := range un.say.Lexicon.Rows("counter") {
		for _, w := range r.List(0) {
			u := &unit{key: "counter-" + w, counter: true, forms: named(r.Value(1), w)}
			if limit := r.Value(2); limit != "" {
				u.limit, u.above = scan.Atoi(limit), named(r.Value(3), w)
			}
			un.signs.Add(w, u)
			un.counters[w] = u
		}
	}
}

// asCounter returns a unit with the forms of the counter of the same name, if there is
// one. Then 2kg and 2公斤 are read alike.
func (un *units) asCounter(u *unit) *unit {
	if u == nil {
		return nil
	}
	name, after := strings.CutPrefix(u.forms[cldr.Other], "{n}")
	k := un.counters[strings.TrimSpace(name)]
	if k == nil || !after {
		return u
	}
	return &unit{key: u.key, gender: u.gender, counter: true, forms: k.forms, limit: k.limit, above: k.above}
}

// named puts the name of a counter into its pattern.
func named(pattern, name string) map[cldr.Category]string {
	return map[cldr.Category]string{cldr.Other: strings.ReplaceAll(pattern, "{c}", name)}
}

// formsFor returns the forms of a unit for a number. Some counters have other forms for
// large numbers.
func (u *unit) formsFor(x scan.Number) map[cldr.Category]string {
	if u.limit > 0 && len(u.above) > 0 && scan.Atoi(x.Whole) >= u.limit {
		return u.above
	}
	return u.forms
}

// count says an amount of a unit. A range of counted things may have a pattern of its
// own, in which both ends name what they count.
func (un *units) count(q amount) (string, bool) {
	u := q.unit
	if !q.ranged || un.span == "" || !u.counter {
		return un.amounts.count(q, u.formsFor(q.a), u.gender)
	}
	a, b := q, q
	a.ranged, b.ranged, b.a = false, false, q.b
	x, ok := un.amounts.count(a, u.formsFor(a.a), u.gender)
	y, ok2 := un.amounts.count(b, u.formsFor(b.a), u.gender)
	return speak.Fill2(un.span, "{a}", x, "{b}", y), ok && ok2
}

// name returns the name of the unit of a key of CLDR beside a whole number, without
// the number.
func (un *units) name(key string, n int, genitive bool) (string, bool) {
	u := un.byKey(key)
	if u == nil {
		return "", false
	}
	q := amount{a: scan.Number{Whole: strconv.Itoa(n)}, genitive: genitive}
	form, _ := speak.FieldSet(speak.Pick(u.forms, un.amounts.category(q)))
	return strings.TrimSpace(speak.Fill1(form, "{n}", "")), true
}

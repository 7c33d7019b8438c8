package quantity

import (
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

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
	"cl": "volume-centiliter", "dl": "volume-deciliter", "dL": "volume-deciliter",
	"km/h": "speed-kilometer-per-hour", "kmph": "speed-kilometer-per-hour",
	"kph": "speed-kilometer-per-hour", "mph": "speed-mile-per-hour", "m/s": "speed-meter-per-second",
	"°C": "temperature-celsius", "℃": "temperature-celsius", "°F": "temperature-fahrenheit", "℉": "temperature-fahrenheit",
	"ºC": "temperature-celsius", "ºF": "temperature-fahrenheit", "º C": "temperature-celsius", "º F": "temperature-fahrenheit",
	"° C": "temperature-celsius", "° F": "temperature-fahrenheit", "°": "angle-degree",
	"kB": "digital-kilobyte", "KB": "digital-kilobyte", "MB": "digital-megabyte", "GB": "digital-gigabyte",
	"TB": "digital-terabyte", "kW": "power-kilowatt", "W": "power-watt", "MW": "power-megawatt", "GW": "power-gigawatt",
	"kWh": "energy-kilowatt-hour", "V": "electric-volt", "mA": "electric-milliampere", "Ω": "electric-ohm",
	"Hz": "frequency-hertz", "kHz": "frequency-kilohertz", "MHz": "frequency-megahertz", "GHz": "frequency-gigahertz",
	"m²": "area-square-meter", "km²": "area-square-kilometer", "cm²": "area-square-centimeter", "m³": "volume-cubic-meter",
	"cm³": "volume-cubic-centimeter", "ha": "area-hectare", "h": "duration-hour", "hr": "duration-hour", "hrs": "duration-hour",
	"min": "duration-minute", "mins": "duration-minute", "s": "duration-second", "sec": "duration-second", "ms": "duration-millisecond",
	"cal": "energy-calorie", "kcal": "energy-kilocalorie", "J": "energy-joule", "kJ": "energy-kilojoule", "N": "force-newton",
	"Pa": "pressure-pascal", "hPa": "pressure-hectopascal", "mmHg": "pressure-millimeter-ofhg", "bar": "pressure-bar", "hp": "power-horsepower", "ppm": "concentr-permillion",
	"px": "graphics-pixel", "MP": "graphics-megapixel", "t": "mass-tonne", "‰": "concentr-permille", "kPa": "pressure-kilopascal",
	"dB": "sound-decibel", "sq ft": "area-square-foot", "sq m": "area-square-meter", "sq km": "area-square-kilometer",
	"m2": "area-square-meter", "km2": "area-square-kilometer", "cm2": "area-square-centimeter", "m3": "volume-cubic-meter",
	"ft²": "area-square-foot", "d": "duration-day", "w": "power-watt", "v": "electric-volt",
	"Mbps": "digital-megabit/s", "Mbit/s": "digital-megabit/s", "Mb/s": "digital-megabit/s", "Gbps": "digital-gigabit/s",
	"Gbit/s": "digital-gigabit/s", "Gb/s": "digital-gigabit/s", "kbps": "digital-kilobit/s", "kbit/s": "digital-kilobit/s",
	"kB/s": "digital-kilobyte/s", "KB/s": "digital-kilobyte/s", "MB/s": "digital-megabyte/s", "MBps": "digital-megabyte/s",
	"GB/s": "digital-gigabyte/s", "Mbit": "digital-megabit", "Gbit": "digital-gigabit",
	"l/100 km": fuel, "l/100km": fuel, "L/100 km": fuel, "L/100km": fuel, "mpg": "consumption-mile-per-gallon",
}

// fuel is the key of CLDR for the fuel that a car needs.
const fuel = "consumption-liter-per-100-kilometer"

// attached reports whether a symbol counts as a unit only directly after its number,
// because it may be a word elsewhere.
func attached(symbol string, tokens int) bool {
	if len(symbol) > 1 && tokens == 1 {
		symbol = strings.ToLower(symbol)
	}
	switch symbol {
	case "in", "J", "N", "t", "s", "d", "mi", "cal", "bar", "ms", "w", "v", "pa", "ma", "mpg":
		return true
	}
	return false
}

// apart reports whether the symbol at j, of n tokens, is no unit after a space.
func (un *units) apart(in *scan.View, j, n int) bool {
	return attached(in.Text(j), n) && !un.loose[in.Span(j, j+n)] || n == 1 && un.stuck[in.Text(j)]
}

// units knows the units of measurement and the words that count things.
type units struct {
	say       *speak.Speaker
	amounts   *amounts
	numbers   *numbers
	made      sync.Map // keys of CLDR to the units that were asked for
	signs     scan.Phrases[*unit]
	folded    map[string]*unit // units by their symbol in small letters
	loose     map[string]bool  // symbols that the language writes after a space
	stuck     map[string]bool  // symbols that the language writes only directly after the number
	counters  map[string]*unit
	countsNot map[string]bool          // words before a number that then counts nothing
	span      string                   // the pattern of a range of counted things
	percent   map[cldr.Category]string // patterns
	// Patterns of a percentage below nought, and the words of some percentages.
	percentBelow map[cldr.Category]string
	percentWord  map[string]string
	per          string // the pattern of a price for a unit
}

// compile reads the units. The symbols of a language win over those of every language.
func (un *units) compile() {
	lex := un.say.Lexicon
	un.compileCounters()
	un.countsNot = lex.Set("counter.not")
	un.span, un.per = lex.Word("counter.range"), lex.Word("per")
	un.percentBelow, un.percentWord = speak.FormsOf(lex.Forms("percent.below")), lex.ByFirst("percent.word")
	if un.percent = speak.FormsOf(lex.Forms("percent")); un.percent == nil {
		un.percent = un.unitForms(un.say.Locale.Units["concentr-percent"].Forms)
	}

	// Several symbols may mean one unit, so each is made once.
	made := map[string]*unit{}
	un.loose, un.stuck = map[string]bool{}, map[string]bool{}
	for _, r := range lex.Rows("unit") {
		made[r[0]] = &unit{key: r[0], forms: speak.Forms(r.Value(1)), gender: r.Value(2)}
		if len(r) < 3 {
			made[r[0]].gender = un.say.Locale.Units[r[0]].Gender
		}
	}
	find := func(key string) *unit {
		u, ok := made[key]
		if base, rate := strings.CutSuffix(key, "/s"); !ok && rate {
			u = un.perSecond(base)
			made[key] = u
		} else if !ok {
			if d := un.say.Locale.Units[key]; len(d.Forms) > 0 {
				u = un.asCounter(&unit{key: key, gender: d.Gender, forms: un.unitForms(d.Forms)})
				if key == fuel {
					u.forms = un.spelled(u.forms)
				}
				if len(u.forms) == 0 {
					u = nil
				}
			}
			made[key] = u
		}
		return u
	}
	for _, r := range lex.Rows("unit.symbol") {
		un.unitSymbol(r[0], find(r[1]))
		if r.Value(2) == "" {
			un.loose[r[0]] = true
		} else {
			un.stuck[r[0]] = true
		}
	}
	// After the symbols of the language: the first to claim a sign keeps it.
	for symbol, key := range symbols {
		un.unitSymbol(symbol, find(key))
	}
	un.fold()
}

func (un *units) unitSymbol(symbol string, u *unit) {
	if u == nil {
		return
	}
	un.signs.Add(symbol, u)
}

// fold prepares the look for symbols in other letters than they should have, such as KG,
// Kg, mbps and KMPH. Only symbols that are one word of at least two letters are found in
// this way: among single letters the case makes the difference.
func (un *units) fold() {
	un.folded = map[string]*unit{}
	add := func(symbol string) {
		u, ok := un.signs.Token(symbol)
		if strings.Contains(symbol, "/") {
			u, ok = un.signs.Whole(symbol)
		}
		if ok && scan.RuneLen(symbol) > 1 {
			// The same letters in another case may be another unit, such as Mb and MB. Then the
			// smaller key wins, so that the choice does not depend on the order of a map.
			low := strings.ToLower(symbol)
			if have := un.folded[low]; have == nil || u.key < have.key {
				un.folded[low] = u
			}
		}
	}
	// Two letters of the language's own may be an abbreviation in capitals, as pc and os
	// are. Those that all languages have are known well enough, but for a few.
	for _, r := range un.say.Lexicon.Rows("unit.symbol") {
		if len(r[0]) > 2 && scan.RuneLen(r[0]) > 1 {
			add(r[0])
		}
	}
	for symbol := range symbols {
		switch symbol {
		case "hr", "sec", "dB", "ha", "nm": // Nm is another unit
		default:
			add(symbol)
		}
	}
	// Megabytes are meant much more often than megabits, watts in millions more often than
	// in thousandths.
	for low, symbol := range map[string]string{"mbps": "Mbps", "mb/s": "MB/s"} {
		if u, ok := un.signs.Whole(symbol); ok {
			un.folded[low] = u
		}
	}
}

// at returns the unit whose symbol stands at j and how many tokens it takes, 0 for none.
func (un *units) at(in *scan.View, j int) (*unit, int) {
	if in.Quoted && in.Is(j, '"') {
		return nil, 0 // it closes the quotation
	}
	if u, n := un.signs.Match(in, j); n > 0 {
		return u, n
	}
	if in.Kind(j) != scan.Word || in.Token(j).Dense {
		return nil, 0
	}
	if in.Is(j+1, '/') && in.Kind(j+2) == scan.Word && in.Token(j+2).End-in.Token(j).Start <= mostSymbol {
		if u := un.folded[strings.ToLower(in.Span(j, j+3))]; u != nil {
			return u, 3 // KM/H
		}
	}
	if in.Token(j).End-in.Token(j).Start > mostSymbol || !cased(in.Text(j)) {
		return nil, 0
	}
	if u := un.folded[strings.ToLower(in.Text(j))]; u != nil {
		return u, 1
	}
	return nil, 0
}

// beforeOrdinal reports whether a number with a word written to it that is no unit follows
// at j, as the number of a street does.
func (un *units) beforeOrdinal(in *scan.View, j int) bool {
	if in.Kind(j) != scan.Space || in.Kind(j+1) != scan.Digits || in.Kind(j+2) != scan.Word {
		return false
	}
	_, n := un.at(in, j+2)
	return n == 0
}

// mostSymbol is the length up to which a word may be the symbol of a unit, in bytes.
const mostSymbol = 12

// cased reports whether a word is of a script that has capitals.
func cased(w string) bool {
	r := scan.FirstRune(w)
	if strings.HasSuffix(w, "s") && len(w) > 2 && strings.ToUpper(w[:len(w)-1]) == w[:len(w)-1] {
		return false // the plural of an acronym: PCs
	}
	return unicode.IsUpper(r) || unicode.IsLower(r)
}

// perSecond returns the unit of a key in a second: megabits per second.
func (un *units) perSecond(key string) *unit {
	u := un.byKey(key)
	if u == nil {
		return nil
	}
	p := un.say.Locale.Units["duration-second"].Per
	if p == "" || strings.ContainsAny(p, "/.") {
		second, ok := un.name("duration-second", 1, false)
		if !ok || un.per == "" {
			return nil
		}
		p = un.say.Endings.Fill2(un.per, "{u}", second, "{n}", "{0}")
	}
	forms := make(map[cldr.Category]string, len(u.forms))
	for c, f := range u.forms {
		forms[c] = speak.Fill1(p, "{0}", f)
	}
	return &unit{key: key + "/s", gender: u.gender, forms: forms}
}

// spelled returns the forms of a unit whose name has the number 100 in it with that
// number in words; nil when digits or signs remain in a form.
func (un *units) spelled(forms map[cldr.Category]string) map[cldr.Category]string {
	hundred, ok := un.say.Int(100, "")
	if !ok {
		return nil
	}
	for c, f := range forms {
		f = strings.ReplaceAll(f, ",", "")
		for _, r := range f {
			if k, _ := scan.Classify(r); k == scan.Digits {
				i := strings.IndexRune(f, r)
				end := i + 3*utf8.RuneLen(r)
				if end > len(f) || scan.Arabic(f[i:end]) != "100" {
					return nil
				}
				f = f[:i] + " " + hundred + " " + f[end:]
				break
			}
		}
		f = strings.Join(strings.Fields(f), " ")
		if strings.ContainsAny(f, "/.") || strings.Contains(f, "km") {
			return nil
		}
		if forms[c] = f; !un.say.Spaced {
			forms[c] = strings.ReplaceAll(f, " ", "")
		}
	}
	return forms
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
	u, n := un.at(in, j)
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

// inchesAfter reads the inches after feet, 5 ft 8 in. It gets the words so far and
// returns the words with the inches, and the token after them.
func (un *units) inchesAfter(in *scan.View, w string, end int) (string, int) {
	i := in.Skip(end)
	inches := scan.Arabic(in.Text(i))
	j := in.Skip(i + 1)
	if in.Kind(i) != scan.Digits || len(inches) > 2 || scan.Atoi(inches) > 11 || in.Text(j) != "in" && in.Text(j) != "inches" || !in.Closes(j+1) {
		return w, end
	}
	v, ok := un.measure(scan.Number{Whole: inches}, "length-inch")
	if !ok {
		return w, end
	}
	return un.say.Join(w, v), j + 1
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

// hyphened reads the symbol of a unit between a number and a noun, all with hyphens, as
// German writes them: 500-g-Packung, 1,5-l-Flasche. It returns the words and the token after
// the symbol.
func (un *units) hyphened(in *scan.View, w string, end int) (string, int) {
	if !in.Is(end, '-') || in.Kind(end+1) != scan.Word || !in.Is(end+2, '-') || in.Kind(end+3) != scan.Word {
		return w, end
	}
	u, n := un.at(in, end+1)
	if n != 1 || u.counter {
		return w, end
	}
	name, ok := un.name(u.key, 2, false)
	if !ok || name == "" {
		return w, end
	}
	return w + "-" + name, end + 2
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

// measure says a number without a fraction with the unit of a key of CLDR.
func (un *units) measure(x scan.Number, key string) (string, bool) {
	u := un.byKey(key)
	if u == nil {
		return "", false
	}
	return un.count(amount{a: x, unit: u})
}

// counts says a whole number of the unit of a key of CLDR.
func (un *units) counts(n int, key string) (string, bool) {
	return un.measure(scan.Number{Whole: strconv.Itoa(n)}, key)
}

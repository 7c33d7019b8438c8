package locale

// group is the keys about one thing.
type group struct {
	title string
	keys  []shape
}

// shape says how the rows of a key look.
type shape struct {
	key string
	// columns are the kinds of its values, in order: w a word or words, l a list
	// parted by semicolons, f plural forms, s a rule set's name, p a pattern, d
	// digits, c one of the words, r what follows from a written suffix: a rule set,
	// + or a pattern. Those from the first capital letter on may be left out.
	columns string
	doc     string // what it is for
	without string // what holds without it, "" for nothing
	// fields are those that a pattern must have, in the order of its kind.
	fields []string
	// words are those that a value of kind c may be.
	words []string
	// table says that a key has many rows, which differ in the first column.
	table bool
	// many says that rows may be many and are not told apart by a column.
	many bool
}

// shapes are the keys that files may have, by name.
var shapes = byKey(groups)

func byKey(groups []group) map[string]shape {
	m := map[string]shape{}
	for _, g := range groups {
		for _, s := range g.keys {
			m[s.key] = s
		}
	}
	return m
}

// groups are the same in the order in which the description of the files has them.
var groups = []group{
	{"Numbers", []shape{
		{key: "cardinal", columns: "s", doc: "rule set of plain numbers", without: "spellout-cardinal, its masculine, or the first there is"},
		{key: "counting", columns: "s", doc: "rule set of a number before a noun of unknown gender", without: "that of `cardinal`"},
		{key: "counting.noun", columns: "lsLC", words: []string{"last", "one", "few"}, table: true, doc: "nouns after a plain number and the rule set that it takes: whole words, `-ending`, `beginning-`, `*` for any other word; then words that they do not hold for, and `last` where of a range only the last number takes it, or `one` or `few` where only numbers of that plural form do"},
		{key: "counting.before", columns: "ls", table: true, doc: "words before a number and the rule set of the case in which it stands then with what it counts", without: "`ordinal.before`"},
		{key: "counting.except", columns: "l", many: true, doc: "words after a number that are not what it counts; `^` for those with a capital or a digit"},
		{key: "counting.link", columns: "l", many: true, doc: "words between a number and its noun, such as `de`"},
		{key: "gender", columns: "ws", table: true, doc: "a gender of CLDR and its rule set", without: "`spellout-cardinal-GENDER`"},
		{key: "point", columns: "w", doc: "word between the whole part and the digits after it", without: "the rule for decimals"},
		{key: "point.number", columns: "w", doc: "`yes`: two digits behind the point are said as one number: 3,14"},
		{key: "digit.zero", columns: "w", doc: "nought in a row of digits", without: "the cardinal"},
		{key: "negative", columns: "w", doc: "before a number below nought: -5", without: "that of the number rules"},
		{key: "suffix", columns: "ww", table: true, doc: "endings written to a number, and how the number's last word takes them: `from>to`, parted by bars"},
		{key: "ending", columns: "l", many: true, doc: "endings written to digits or signs, which stay attached"},
		{key: "ending.mark", columns: "wlW", many: true, doc: "a mark between a number and an ending that is not spoken, the endings (`*` for any word in small letters), and letters that the number loses before them: 5'te, 5-ში"},
		{key: "ending.harmony", columns: "w", doc: "`yes`: the vowels of an ending after the mark of a unit are those that its name asks for: 100 TL'ye"},
		{key: "range", columns: "p", fields: []string{"{a}", "{b}"}, doc: "10–20"},
		{key: "range.before", columns: "lp", fields: []string{"{a}", "{b}"}, table: true, doc: "words after a range and the pattern of a range before them: 13:00-17:00 arası"},
		{key: "range.after", columns: "lp", fields: []string{"{a}", "{b}"}, many: true, doc: "words before a range and the pattern that they ask for: between 5-10"},
		{key: "range.year", columns: "p", fields: []string{"{a}", "{b}"}, doc: "2024–25"},
		{key: "range.open", columns: "w", doc: "behind the first end of a range that has no other: 1,200円〜"},
		{key: "ratio", columns: "p", fields: []string{"{a", "{b"}, doc: "3:2; `{b:SET}` takes a rule set"},
		{key: "score", columns: "p", fields: []string{"{a", "{b"}, doc: "3-1 after a `score.word`", without: "`ratio`"},
		{key: "score.cross", columns: "w", doc: "`yes`: a result may be written with an x, 2 x 1"},
		{key: "score.word", columns: "l", many: true, doc: "words before a score"},
		{key: "sport.word", columns: "l", many: true, doc: "words before or after a result that show it to be one: wickets, goal"},
		{key: "sport.minute", columns: "rl", doc: "how a minute of play is said, 45', and the words before it"},
		{key: "cricket", columns: "p", fields: []string{"{a", "{b"}, doc: "runs and wickets: 187/4"},
		{key: "cricket.not-out", columns: "w", doc: "the star after a batter's runs: 102*"},
		{key: "hours.word", columns: "l", many: true, doc: "words before hours of opening, which are a `range` also when they go down: Sat 10-2"},
		{key: "odds.word", columns: "l", many: true, doc: "words before odds, 5/1, which are said as a `ratio`"},
		{key: "fold", columns: "p", fields: []string{"{n"}, doc: "how many times: 2x faster"},
		{key: "fold.word", columns: "dw", table: true, doc: "a number of times that has its own word: 2 → twice"},
		{key: "fold.per", columns: "p", fields: []string{"{n}", "{u}"}, doc: "3x/week"},
		{key: "fold.by", columns: "w", doc: "`yes`: the first side of 10x15 is said with `fold`"},
		{key: "verse", columns: "p", fields: []string{"{a}", "{b}"}, doc: "chapter and verse", without: "one after the other"},
		{key: "verse.book", columns: "l", many: true, doc: "names of books before chapter and verse: John 3:16"},
		{key: "percent", columns: "f", fields: []string{"{n"}, doc: "per cent", without: "CLDR's unit"},
		{key: "number-sign", columns: "w", doc: "`#` and `№` before a number"},
		{key: "version", columns: "w", doc: "the v of v2.3"},
		{key: "version.word", columns: "l", many: true, doc: "words before a version or the number of a section, whose full stop is no decimal point: chapitre 3.2; after them the v of v2.3 is not said"},
		{key: "version.point", columns: "w", doc: "the point in v2.3", without: "that of an address"},
		{key: "scale", columns: "lfW", table: true, doc: "words that follow a number and belong to it (million, k, करोड़), how they are said (`-` as written) and their gender"},
		{key: "scale.letter", columns: "l", many: true, doc: "letters that are a `scale` also without a currency, directly after the number: 10k", without: "k and M"},
		{key: "scale.split", columns: "l", many: true, doc: "scales that stand in the place of the point: 5tr5"},
		{key: "scale.half", columns: "w", doc: "half of such a scale", without: "five"},
		{key: "scale.money", columns: "ww", table: true, doc: "a scale as it is said before a currency"},
		{key: "scale.ending", columns: "l", many: true, doc: "case endings of a scale that the currency takes instead"},
		{key: "oblique", columns: "ww", table: true, doc: "a word of a number or unit and its form after `oblique.before`"},
		{key: "oblique.before", columns: "l", many: true, doc: "words before a number that ask for its oblique case, such as prepositions"},
		{key: "prefix", columns: "l", many: true, doc: "short words that are written to a number, with a hyphen or without: ב-5"},
		{key: "pressure", columns: "p", fields: []string{"{a}", "{b}"}, doc: "the two numbers of a blood pressure: 120/80"},
		{key: "pressure.word", columns: "l", many: true, doc: "words before a blood pressure"},
		{key: "rating", columns: "p", fields: []string{"{a", "{b"}, doc: "one number of another: 3/5 stars"},
		{key: "rating.part", columns: "l", many: true, doc: "words before one of several parts, with the number of all: instalment 3/12"},
		{key: "pair.word", columns: "l", many: true, doc: "words before two numbers with a slash that are said one after the other: size 38/40"},
		{key: "rating.word", columns: "l", many: true, doc: "words beside a rating"},
	}},
	{"Fractions", []shape{
		{key: "fraction", columns: "ww", table: true, doc: "a fraction alone: 1/2, 3/4"},
		{key: "fraction.noun", columns: "wlw", many: true, doc: "a fraction before nouns or units: whole words, `-ending`, `#GENDER` for units of a gender and for nouns that take the rule set of that gender, and its words; a hyphen at the end joins them to the noun"},
		{key: "fraction.tail", columns: "wlw", many: true, doc: "a fraction after a number, said behind the noun or unit: its genders as in `fraction.noun`, and the words: dos horas y media"},
		{key: "fraction.other", columns: "f", fields: []string{"{a", "{b"}, doc: "any other, by plural form of {a}; may have `{a:SET}`, `{b:SET}`"},
		{key: "fraction.mixed", columns: "p", fields: []string{"{n}", "{f}"}, doc: "2 1/4"},
		{key: "fraction.special", columns: "ww", table: true, doc: "a whole written form: `1 1/2`"},
		{key: "fraction.add", columns: "wp", fields: []string{"{n}"}, table: true, doc: "a fraction and the pattern of a number with it: साढ़े {n}"},
	}},
	{"Ordinals", []shape{
		{key: "ordinal", columns: "s", doc: "rule set of ordinals", without: "spellout-ordinal or its masculine"},
		{key: "ordinal.suffix", columns: "wr", table: true, doc: "suffixes of digits, parted by spaces (`_` is a space), and a rule set, a pattern with {n}, or `+`: the cardinal with the suffix"},
		{key: "ordinal.word", columns: "ww", table: true, doc: "an ordinal as written, and its word"},
		{key: "ordinal.pattern", columns: "p", fields: []string{"{n}"}, doc: "ordinal from the cardinal where there is no rule set"},
		{key: "ordinal.dot", columns: "w", doc: "`yes`: a full stop after a number makes an ordinal"},
		{key: "ordinal.before", columns: "ls", table: true, doc: "words before an ordinal, a date or an hour that choose its rule set"},
		{key: "ordinal.case", columns: "ls", table: true, doc: "words before a roman numeral that belongs to an abbreviation, and its rule set", without: "`ordinal.before`"},
		{key: "ordinal.after", columns: "ls", table: true, doc: "words after an ordinal with a full stop, or after a suffix that would make it masculine, that choose its rule set; `-letter` for other words by their last letter"},
		{key: "ordinal.hyphen", columns: "w", doc: "`yes`: a hyphen between a number and a word makes an ordinal: 5-sinf"},
		{key: "ordinal.prefix", columns: "lr", table: true, doc: "prefixes of an ordinal, and a rule set, a pattern with {n}, or `+`: მე-5"},
		{key: "ordinal.stem", columns: "sl", doc: "rule set of a number with a hyphen before an adjective, and how such adjectives begin; both are one word: 5-этажный"},
		{key: "ordinal.stem.end", columns: "ww", doc: "the last letter of the number and what stands for it before such an adjective: u o"},
		{key: "ordinal.stem.word", columns: "dw", table: true, doc: "a number that has another form there: 1 → одно"},
		{key: "ordinal.noun", columns: "lsc", words: []string{"before", "year", "day"}, table: true, doc: "nouns that make a plain number an ordinal: `before` a number below 100, after a `year` or after a `day`; and its rule set"},
	}},
	{"Dates", []shape{
		{key: "date", columns: "p", fields: []string{"{d", "{y"}, doc: "day, month and year; `{d:SET}`, `{month}`, `{month-alone}`, `{m}` the number", without: "CLDR's long date"},
		{key: "date.day-month", columns: "p", fields: []string{"{d"}, doc: "without the year", without: "cut from `date`"},
		{key: "date.month-year", columns: "p", fields: []string{"{y"}, doc: "without the day", without: "cut from `date`"},
		{key: "date.month-first", columns: "p", fields: []string{"{d", "{y"}, doc: "where the month was written first"},
		{key: "date.month-first.day-month", columns: "p", fields: []string{"{d"}, doc: "the same without the year"},
		{key: "date.year-first", columns: "p", fields: []string{"{d", "{y}"}, doc: "where the year was written first"},
		{key: "date.weekday", columns: "p", fields: []string{"{weekday}", "{date}"}, doc: "with the day of the week"},
		{key: "date.day", columns: "dw", table: true, doc: "a day and its word: 1 → premier"},
		{key: "date.day-word", columns: "l", many: true, doc: "words after the day that belong to it"},
		{key: "date.month", columns: "dw", table: true, doc: "a month and its word for {m}"},
		{key: "date.span", columns: "ls", table: true, doc: "words between two days of one month, and the rule set of the first: с 1 по 15 мая"},
		{key: "date.weekday-after", columns: "p", fields: []string{"{weekday}", "{date}"}, doc: "a date with its day of the week in brackets: 5月12日（日）"},
		{key: "date.word", columns: "l", many: true, doc: "words before a day and a month in numbers: ngày 5/12"},
		{key: "date.after", columns: "l", many: true, doc: "words after a day and a month in numbers, where the first is the larger: 22/7 तक"},
		{key: "date.part", columns: "l", many: true, doc: "words after two numbers that make them a fraction also behind a `date.word`: le 3/4 de la ville"},
		{key: "date.not", columns: "l", many: true, doc: "words before a number and a year that name a law or a file: order 05/2024"},
		{key: "date.card", columns: "l", many: true, doc: "the last word before the month and year until which something is valid: valid thru 08/27"},
		{key: "date.point", columns: "l", many: true, doc: "words before a day and a month with one full stop, which are no decimal then: до 14.03"},
		{key: "month.common", columns: "lL", doc: "months that in small letters are mostly other words, and words before a date that make them months; in a script without capitals, months only with their full stop"},
		{key: "month", columns: "dl", table: true, doc: "other spellings of a month, 1 to 12"},
		{key: "month.name", columns: "dw", table: true, doc: "the spoken name of a month", without: "CLDR's"},
		{key: "weekday", columns: "dl", table: true, doc: "other spellings of a day, 1 is Sunday"},
		{key: "weekday.link", columns: "l", many: true, doc: "words between two days, beside `and`: Mo. bis Fr."},
		{key: "weekday.beside", columns: "l", many: true, doc: "words beside a short name of a day that stands alone: Do geschl., closed Sun."},
		{key: "calendar", columns: "ddl", doc: "first and last year of another calendar, and its months"},
		{key: "year", columns: "s", doc: "rule set of years", without: "spellout-numbering-year or the cardinal"},
		{key: "year.word", columns: "l", many: true, doc: "words before a year"},
		{key: "year.hundreds", columns: "wW", doc: "1100 to 1999 by hundreds: with {c} and {r}, and the round ones"},
		{key: "year.era", columns: "lp", fields: []string{"{y"}, table: true, doc: "words after a year and the pattern of both"},
		{key: "year.era.after", columns: "wlp", fields: []string{"{y"}, many: true, doc: "a word before the year, words after it, the pattern"},
		{key: "year.short", columns: "p", fields: []string{"{n}"}, doc: "a year in two digits after an apostrophe: '24", without: "the number"},
		{key: "year.letter", columns: "ww", table: true, doc: "a letter before a date in numbers and the era that it stands for: R6.4.1"},
		{key: "decade", columns: "lp", fields: []string{"{y"}, table: true, doc: "what is written after a decade, and its pattern"},
		{key: "decade.word", columns: "dw", table: true, doc: "tens of years and their word"},
		{key: "decade.before", columns: "l", many: true, doc: "words before two digits and an s that make a decade: the 30s"},
		{key: "duration.and", columns: "p", fields: []string{"{a}", "{b}"}, doc: "two parts of a duration: 1h 30min", without: "one after the other"},
		{key: "duration.in", columns: "l", many: true, doc: "words before minutes and seconds, which are no time of day then: in 42:17"},
		{key: "duration.before", columns: "l", many: true, doc: "words before two digits and an s that make seconds: wait 30s"},
	}},
	{"Times", []shape{
		{key: "time", columns: "p", fields: []string{"{h", "{m"}, doc: "hours and minutes; `{h:SET}`, `{unit-h}` and `{unit-m}` are CLDR's units"},
		{key: "time.range", columns: "p", fields: []string{"{a}", "{b}"}, doc: "9:00–18:00", without: "`range`"},
		{key: "time.hour", columns: "p", fields: []string{"{h"}, doc: "full hours"},
		{key: "time.second", columns: "p", fields: []string{"{h", "{m", "{s"}, doc: "with seconds"},
		{key: "time.12", columns: "p", fields: []string{"{h", "{m", "{period}"}, doc: "with am or pm"},
		{key: "time.12.hour", columns: "p", fields: []string{"{h", "{period}"}, doc: "full hours with am or pm"},
		{key: "time.am", columns: "w", doc: "am", without: "CLDR's day period"},
		{key: "time.pm", columns: "w", doc: "pm", without: "CLDR's day period"},
		{key: "time.part", columns: "dw", table: true, doc: "from this hour on, the part of the day that stands for am and pm"},
		{key: "time.mark", columns: "lwPP", table: true, doc: "words after a time: `am`, `pm`, `24` (kept), `quarters` (kept, and :15, :30 and :45 are fractions of the hour), `hm` (after hours and minutes); patterns of full hours and of hours and minutes with it"},
		{key: "time.word", columns: "l", many: true, doc: "words that make a time of what follows them"},
		{key: "time.point", columns: "l", many: true, doc: "parts of the day before a time with a full stop: रात्री १०.३०"},
		{key: "time.before", columns: "l", many: true, doc: "words before an hour that nothing counted follows: o 17"},
		{key: "time.span", columns: "ww", table: true, doc: "the words before two hours that nothing counted follows: od 8 do 16"},
		{key: "time.oh", columns: "w", doc: "nought before a minute: ten oh five"},
		{key: "time.24", columns: "p", fields: []string{"{h", "{m"}, doc: "hours from 13 on and 0, with minutes", without: "`time`"},
		{key: "time.24.hour", columns: "p", fields: []string{"{h"}, doc: "full hours from 13 on and 0", without: "`time.24`"},
	}},
	{"Money", []shape{
		{key: "money", columns: "wfWFW", table: true, doc: "ISO code, main unit, its gender, minor unit, its gender; `-` for none"},
		{key: "money.symbol", columns: "ww", table: true, doc: "signs and short forms, parted by spaces, and their ISO code"},
		{key: "money.round", columns: "w", doc: "ISO code of a round price whose currency is not written: 99,-", without: "the number alone"},
		{key: "money.pattern", columns: "p", fields: []string{"{n}", "{c}"}, doc: "number and currency", without: "`{n} {c}`"},
		{key: "money.and", columns: "p", fields: []string{"{major}", "{minor}"}, doc: "main and minor unit", without: "`{major} {minor}`"},
		{key: "per.phrase", columns: "lp", fields: []string{"{n}"}, table: true, doc: "what is written after an amount, `/mo` or `p.a.`, and the pattern of both"},
		{key: "per.measure", columns: "p", fields: []string{"{u}", "{n}"}, doc: "price per number of units, 2 €/100 g, with {u}", without: "`per`"},
		{key: "per", columns: "p", fields: []string{"{u}", "{n}"}, doc: "price per unit, with {u}", without: "CLDR's"},
	}},
	{"Units", []shape{
		{key: "unit", columns: "wfW", fields: []string{"{n"}, table: true, doc: "a unit of CLDR, its forms with {n}, its gender"},
		{key: "unit.symbol", columns: "wwC", words: []string{"attached"}, table: true, doc: "a symbol and the unit of CLDR, with `/s` for that unit in a second; `attached` where it is one only directly after its number; SI symbols are known"},
		{key: "unit.split", columns: "ww", table: true, doc: "a unit that stands in the place of the point, and its word: 1m72"},
		{key: "counter", columns: "lpDP", fields: []string{"{n", "{c}"}, table: true, doc: "words that count things behind a number, with {n} and {c} the word; then a number from which on another pattern holds"},
		{key: "counter.not", columns: "l", many: true, doc: "words before a number that then counts nothing: 第"},
		{key: "counter.range", columns: "p", fields: []string{"{a}", "{b}"}, doc: "a range of counted things; the word is said with both numbers"},
	}},
	{"Mathematics", []shape{
		{key: "minus", columns: "w", doc: "−5"},
		{key: "plus", columns: "w", doc: "+"},
		{key: "plus-minus", columns: "w", doc: "±"},
		{key: "times", columns: "w", doc: "×"},
		{key: "divided", columns: "w", doc: "÷"},
		{key: "equals", columns: "w", doc: "="},
		{key: "not-equal", columns: "w", doc: "≠"},
		{key: "less", columns: "w", doc: "<"},
		{key: "greater", columns: "w", doc: ">"},
		{key: "less-equal", columns: "w", doc: "≤"},
		{key: "greater-equal", columns: "w", doc: "≥"},
		{key: "approximately", columns: "w", doc: "≈"},
		{key: "root", columns: "w", doc: "√"},
		{key: "squared", columns: "w", doc: "²"},
		{key: "cubed", columns: "w", doc: "³"},
		{key: "power", columns: "w", doc: "between base and exponent"},
		{key: "infinity", columns: "w", doc: "∞"},
		{key: "by", columns: "w", doc: "the x between dimensions, 3 x 4", without: "`times`"},
	}},
	{"Signs", []shape{
		{key: "sign", columns: "ww", table: true, doc: "any other sign and its word, `-` for none", without: "CLDR's name"},
		{key: "lead", columns: "ww", table: true, doc: "a sign before a number that has nothing on its left: `<5`, and its word, or a pattern with {n}"},
		{key: "letter", columns: "ww", table: true, doc: "a letter's name, where the engine has it wrong"},
		{key: "at", columns: "w", doc: "@"},
		{key: "dot", columns: "w", doc: ". in an address"},
		{key: "slash", columns: "w", doc: "/"},
		{key: "backslash", columns: "w", doc: "\\"},
		{key: "hyphen", columns: "w", doc: "- in an address"},
		{key: "underscore", columns: "w", doc: "_"},
		{key: "hash", columns: "w", doc: "#"},
		{key: "tag", columns: "w", doc: "# before a tag", without: "`hash`"},
		{key: "and", columns: "w", doc: "&"},
		{key: "star", columns: "w", doc: "*"},
		{key: "colon", columns: "w", doc: ":"},
		{key: "tilde", columns: "w", doc: "~"},
	}},
	{"Telephone numbers and codes", []shape{
		{key: "phone.plus", columns: "w", doc: "the plus of +91", without: "`plus`"},
		{key: "phone.word", columns: "l", many: true, doc: "words before a telephone number, or after it where they begin with `… `"},
		{key: "phone.or", columns: "l", many: true, doc: "words between telephone numbers: call 112 or 108"},
		{key: "phone.form", columns: "ld", table: true, doc: "how telephone numbers begin, and how many digits they have then"},
		{key: "phone.digit", columns: "dw", table: true, doc: "a digit that is said otherwise in telephone numbers"},
		{key: "phone.not", columns: "l", many: true, doc: "words after a short number that is then no telephone number; `-ending` for all with an ending: call 100 people"},
		{key: "pin.word", columns: "l", many: true, doc: "words before a code that is read digit by digit"},
		{key: "seat.word", columns: "l", many: true, doc: "words before the number of a seat, whose letter is no scale: место 32К"},
		{key: "plate.word", columns: "l", many: true, doc: "words before the plate of a vehicle, whose letters and digits may stand apart: Kennzeichen M AB 1234"},
		{key: "code.word", columns: "l", many: true, doc: "words before a number of four digits or more that is then read digit by digit: order 48213"},
		{key: "code.link", columns: "l", many: true, doc: "words that may stand between a word of `pin.word` or `code.word` and its number: no., is"},
		{key: "code.after", columns: "l", many: true, doc: "words after a number of four to eight digits that make a code of it: 482913 is your OTP"},
		{key: "address.slash", columns: "p", fields: []string{"{a}", "{b}"}, doc: "the number of a house with a slash: ул. Гагарина, 15/3"},
		{key: "address.hyphen", columns: "w", doc: "between the numbers of a house: 1-2-3"},
	}},
	{"Roman numerals", []shape{
		{key: "roman.before", columns: "l", many: true, doc: "words before a roman numeral that is a cardinal"},
		{key: "roman.ordinal", columns: "lr", table: true, doc: "words before one that is an ordinal, and its rule set or pattern"},
		{key: "roman.dot", columns: "w", doc: "`yes`: a full stop after a roman numeral before a name makes an ordinal: XIV. Louis"},
		{key: "roman.after", columns: "lrW", table: true, doc: "words after one, its rule set or pattern, and the word of which they are an abbreviation, with forms by the case of the rule set: `kwartał | locative=kwartale`"},
	}},
	{"Abbreviations", []shape{
		{key: "abbr", columns: "ww", table: true, doc: "an abbreviation with its full stops, and its words; whether it ends a sentence is told by `stop.kind`"},
		{key: "abbr.name", columns: "ww", table: true, doc: "the same before a name: St. Paul"},
		{key: "abbr.number", columns: "ww", table: true, doc: "only before a number: No. 5"},
		{key: "abbr.ending", columns: "ww", table: true, doc: "the abbreviated end of a word in two parts, with its full stop: Sonnenstr."},
		{key: "abbr.after", columns: "ww", table: true, doc: "only after a number"},
		{key: "acronym", columns: "ww", table: true, doc: "capitals and how they are read"},
		{key: "letter.word", columns: "l", many: true, doc: "names of letters, and of parts of degrees, with which initials are written: एम.बी.ए."},
		{key: "acronym.word", columns: "l", many: true, doc: "capitals that are read as a word"},
		{key: "acronym.spell", columns: "l", many: true, doc: "capitals that are spelled although they look like a word"},
		{key: "shout.word", columns: "l", many: true, doc: "ordinary words that are no acronyms in capitals"},
	}},
	{"Ends of sentences", []shape{
		{key: "stop.kind", columns: "cl", words: []string{"before", "count", "tail", "unit", "time", "month", "day", "weak", "word"}, many: true, doc: "abbreviations with their full stops, and what they are: `before` what they belong to (no sentence ends with them), `count` before a number, `tail` behind what they belong to, `unit` behind a number, `time` behind an hour, `month`, `day` of the week, `weak` (a name may follow), `word` for none; `# g.` only behind a number", without: "`weak` for those of `abbr`"},
		{key: "stop.open", columns: "l", many: true, doc: "words, in small letters, with which sentences begin and that have a small letter elsewhere"},
		{key: "stop.link", columns: "l", many: true, doc: "words that go on a sentence behind an abbreviation, such as postpositions; `-ending` for all with an ending"},
		{key: "stop.verb", columns: "l", many: true, doc: "words that complete a sentence; `-ending` for all with an ending"},
		{key: "stop.cut", columns: "l", many: true, doc: "words behind which a clause begins that has no verb yet"},
		{key: "stop.style", columns: "c", words: []string{"nouns", "verb-first", "attributive"}, many: true, doc: "`nouns` have capitals; the verb comes first (`verb-first`); an ordinal stands before names (`attributive`)"},
	}},
}

package locale

// shape says how the rows of a key look.
type shape struct {
	// columns are the kinds of its values, in order: w a word or words, l a list
	// parted by semicolons, f plural forms, s a rule set's name, p a pattern, d
	// digits, r what follows from a written suffix: a rule set, + or a pattern.
	// Those from the first capital letter on may be left out.
	columns string
	// fields are those that a pattern must have, in the order of its kind.
	fields []string
	// table says that a key has many rows, which differ in the first column.
	table bool
	// many says that rows may be many and are not told apart by a column.
	many bool
}

// shapes are the keys that files may have. Names of mathematics and of signs in
// addresses are one word each.
var shapes = map[string]shape{
	"cardinal": {columns: "s"}, "counting": {columns: "s"}, "counting.except": {columns: "l", many: true}, "counting.link": {columns: "l", many: true}, "counting.plain": {columns: "s"}, "counting.ending": {columns: "lsL", table: true}, "counting.noun": {columns: "sl", table: true}, "gender": {columns: "ws", table: true},
	"point": {columns: "w"},

	"minus": {columns: "w"}, "plus": {columns: "w"}, "plus-minus": {columns: "w"}, "times": {columns: "w"},
	"divided": {columns: "w"}, "equals": {columns: "w"}, "not-equal": {columns: "w"}, "less": {columns: "w"},
	"greater": {columns: "w"}, "less-equal": {columns: "w"}, "greater-equal": {columns: "w"},
	"approximately": {columns: "w"}, "root": {columns: "w"}, "squared": {columns: "w"}, "cubed": {columns: "w"},
	"power": {columns: "w"}, "infinity": {columns: "w"},

	"at": {columns: "w"}, "dot": {columns: "w"}, "slash": {columns: "w"}, "backslash": {columns: "w"},
	"hyphen": {columns: "w"}, "underscore": {columns: "w"}, "hash": {columns: "w"}, "and": {columns: "w"},
	"star": {columns: "w"}, "colon": {columns: "w"}, "tilde": {columns: "w"},
	"sign": {columns: "ww", table: true}, "lead": {columns: "ww", table: true}, "number-sign": {columns: "w"}, "version": {columns: "w"},

	"percent":    {columns: "f", fields: []string{"{n"}},
	"range.year": {columns: "p", fields: []string{"{a}", "{b}"}},
	"range":      {columns: "p", fields: []string{"{a}", "{b}"}},
	"ratio":      {columns: "p", fields: []string{"{a", "{b"}},
	"score":      {columns: "p", fields: []string{"{a", "{b"}}, "score.word": {columns: "l", many: true},

	"fraction": {columns: "ww", table: true}, "fraction.other": {columns: "f", fields: []string{"{a", "{b"}},
	"fraction.mixed": {columns: "p", fields: []string{"{n}", "{f}"}}, "fraction.special": {columns: "ww", table: true},
	"fraction.add": {columns: "wp", fields: []string{"{n}"}, table: true},

	"ordinal": {columns: "s"}, "ordinal.suffix": {columns: "wr", table: true}, "ordinal.word": {columns: "ww", table: true},
	"ordinal.pattern": {columns: "p", fields: []string{"{n}"}}, "ordinal.dot": {columns: "w"}, "ordinal.hyphen": {columns: "w"},
	"ordinal.prefix": {columns: "lr", table: true}, "ordinal.noun": {columns: "ls", table: true},
	"ending.mark": {columns: "wlW", many: true}, "day.ordinal": {columns: "ls", table: true},
	"prefix":         {columns: "l", many: true},
	"ordinal.before": {columns: "ls", table: true}, "ordinal.after": {columns: "ls", table: true},

	"date": {columns: "p", fields: []string{"{d", "{y"}}, "date.day-month": {columns: "p", fields: []string{"{d"}},
	"date.month-year": {columns: "p", fields: []string{"{y"}}, "date.day": {columns: "dw", table: true}, "date.month": {columns: "dw", table: true},
	"date.month-first":           {columns: "p", fields: []string{"{d", "{y"}},
	"date.month-first.day-month": {columns: "p", fields: []string{"{d"}},
	"date.weekday":               {columns: "p", fields: []string{"{weekday}", "{date}"}},
	"date.year-first":            {columns: "p", fields: []string{"{d", "{y}"}},
	"month.name":                 {columns: "dw", table: true},
	"month":                      {columns: "dl", table: true}, "weekday": {columns: "dl", table: true},
	"calendar": {columns: "ddl"},
	"year":     {columns: "s"}, "year.word": {columns: "l", many: true},
	"year.hundreds": {columns: "wW"}, "year.ordinal": {columns: "ls", table: true},
	"year.era.after": {columns: "wlp", fields: []string{"{y"}, many: true},
	"year.era":       {columns: "lp", fields: []string{"{y"}, table: true},
	"decade":         {columns: "lp", fields: []string{"{y"}, table: true}, "decade.word": {columns: "dw", table: true},

	"time": {columns: "p", fields: []string{"{h", "{m"}}, "time.hour": {columns: "p", fields: []string{"{h"}},
	"time.second":  {columns: "p", fields: []string{"{h", "{m", "{s"}},
	"time.12":      {columns: "p", fields: []string{"{h", "{m", "{period}"}},
	"time.12.hour": {columns: "p", fields: []string{"{h", "{period}"}},
	"time.am":      {columns: "w"}, "time.pm": {columns: "w"}, "time.mark": {columns: "lwPP", table: true}, "time.oh": {columns: "w"},
	"date.day-word": {columns: "l", many: true}, "time.word": {columns: "l", many: true},

	"money": {columns: "wfWFW", table: true}, "money.symbol": {columns: "ww", table: true},
	"money.pattern": {columns: "p", fields: []string{"{n}", "{c}"}},
	"money.and":     {columns: "p", fields: []string{"{major}", "{minor}"}},
	"scale":         {columns: "lfW", table: true}, "scale.ending": {columns: "l", many: true},
	"ending":          {columns: "l", many: true},
	"time.part":       {columns: "dw", table: true},
	"per":             {columns: "p", fields: []string{"{u}", "{n}"}},
	"scale.money":     {columns: "ww", table: true},
	"counting.before": {columns: "l", many: true}, "suffix": {columns: "ww", table: true},

	"counter": {columns: "lpDP", fields: []string{"{n", "{c}"}, table: true}, "counter.not": {columns: "l", many: true},
	"counter.range":  {columns: "p", fields: []string{"{a}", "{b}"}},
	"address.hyphen": {columns: "w"},
	"time.24":        {columns: "p", fields: []string{"{h", "{m"}}, "time.24.hour": {columns: "p", fields: []string{"{h"}},
	"version.point": {columns: "w"}, "date.weekday-after": {columns: "p", fields: []string{"{weekday}", "{date}"}},
	"date.word": {columns: "l", many: true}, "phone.form": {columns: "ld", table: true}, "phone.digit": {columns: "dw", table: true},

	"unit": {columns: "wfW", fields: []string{"{n"}, table: true}, "unit.symbol": {columns: "ww", table: true},

	"phone.plus": {columns: "w"}, "phone.word": {columns: "l", many: true}, "pin.word": {columns: "l", many: true},
	"digit.zero": {columns: "w"},
	"phone.not":  {columns: "l", many: true},

	"by":            {columns: "w"},
	"decade.before": {columns: "l", many: true}, "duration.before": {columns: "l", many: true},
	"rating": {columns: "p", fields: []string{"{a}", "{b}"}}, "rating.word": {columns: "l", many: true},
	"abbr.name": {columns: "ww", table: true}, "shout.word": {columns: "l", many: true},

	"roman.before": {columns: "l", many: true}, "roman.ordinal": {columns: "lr", table: true},
	"roman.after": {columns: "lr", table: true},

	"abbr": {columns: "ww", table: true}, "abbr.number": {columns: "ww", table: true}, "abbr.after": {columns: "ww", table: true},
	"acronym.word": {columns: "l", many: true}, "acronym.spell": {columns: "l", many: true},
	"acronym": {columns: "ww", table: true}, "letter": {columns: "ww", table: true},
}

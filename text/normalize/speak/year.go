package speak

import (
	"strings"
	"unicode/utf8"

	"vaak/text/normalize/scan"
)

// Year says a year, given in digits, by a rule set; "" is the set for years.
func (sp *Speaker) Year(year, set string) (string, bool) {
	if sp.num == nil {
		return "", false
	}
	if set == "" && sp.hundreds[0] != "" && len(year) == 4 && year[0] == '1' && year[1] != '0' {
		return sp.hundredsYear(year)
	}
	if set == "" || !sp.num.Has(set) {
		set = sp.year
	}
	return sp.num.Format(set, year)
}

// hundredsYear says a year from 1100 to 1999 by its hundreds: nineteen eighty-four.
func (sp *Speaker) hundredsYear(year string) (string, bool) {
	c, ok := sp.Int(scan.Atoi(year[:2]), "")
	if !ok {
		return "", false
	}
	if year[2:] == "00" {
		return Fill1(sp.hundreds[1], "{c}", c), sp.hundreds[1] != ""
	}
	r, ok := sp.Int(scan.Atoi(year[2:]), "")
	return Fill2(sp.hundreds[0], "{c}", c, "{r}", r), ok
}

// compileMarks finds the marks after year, month and day of a language that writes dates
// in numbers: 2024年5月12日.
func (sp *Speaker) compileMarks() {
	p := sp.LongDate()
	if !strings.Contains(p, "{m}") {
		return
	}
	for k, field := range []string{"{y}", "{m}", "{d}"} {
		_, after, _ := strings.Cut(p, field)
		lit, _, _ := strings.Cut(after, "{")
		sp.DateMarks[k] = strings.TrimSpace(lit)
	}
}

// LongDate converts the pattern of a long date in CLDR (UTS #35, date field symbols) to
// the fields {d}, {m}, {month}, {month-alone} and {y}.
func (sp *Speaker) LongDate() string {
	var b strings.Builder
	p, quoted := sp.Locale.LongDate, false
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRuneInString(p[i:])
		width := 1
		// In these patterns a repeated letter is one field, and its width is how long the
		// form is (MM is a number, MMMM a name).
		for !quoted && i+width < len(p) && r < utf8.RuneSelf && rune(p[i+width]) == r && r != '\'' && r != ' ' {
			width++
		}
		switch {
		case r == '\'':
			quoted = !quoted
		case quoted:
			b.WriteRune(r)
		case r == 'd':
			b.WriteString("{d}")
		case r == 'M' && width < 3:
			b.WriteString("{m}")
		case r == 'M':
			b.WriteString("{month}")
		case r == 'L':
			b.WriteString("{month-alone}")
		case r == 'y':
			b.WriteString("{y}")
		// The era and the day of the week are not part of our pattern.
		case r == 'G' || r == 'E' || r == 'e' || r == 'c':
		default:
			b.WriteString(strings.Repeat(string(r), width))
		}
		i += max(size, width)
	}
	return sp.finishDate(strings.TrimSpace(b.String()))
}

// finishDate removes from a pattern what is written but not spoken: the number in the
// name of a month, the full stop that marks an ordinal (it becomes a rule set), and an
// abbreviated word after the year, which would be spoken twice where the text has it
// too.
func (sp *Speaker) finishDate(p string) string {
	// Chinese and its neighbours name months by number, as 1月.
	if name, numbered := strings.CutPrefix(sp.Locale.Months[0], "1"); numbered {
		p = strings.Replace(p, "{month}", "{m}"+name, 1)
	}
	if sp.OrdinalSet != "" {
		p = strings.Replace(p, "{d}.", "{d:"+sp.OrdinalSet+"}", 1)
	}
	p = strings.ReplaceAll(p, "}.", "}")
	if strings.HasSuffix(p, ".") {
		p = p[:strings.LastIndex(p, "}")+1]
	}
	return p
}

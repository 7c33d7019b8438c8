package cldr

import "strings"

// set takes one record of a segment. Keys are the names of simple fields, as
// below, or "unit/ID", "currency/CODE" and "symbol/X". Lists have one item a
// line; forms are lines of a category and a text. An empty value of the last
// three removes what the base locale has.
func (l *Locale) set(key, value string) {
	kind, name, keyed := strings.Cut(key, "/")
	switch {
	case keyed && kind == "unit":
		put(l.Units, name, value, unitOf)
	case keyed && kind == "currency":
		put(l.Currencies, name, value, formsOf)
	case keyed && kind == "symbol":
		put(l.Symbols, name, value, func(s string) string { return s })
	case !l.setNames(key, value):
		l.setSimple(key, value)
	}
}

// put stores a value under a name, or removes it when it is empty.
func put[V any](m map[string]V, name, value string, decode func(string) V) {
	if value == "" {
		delete(m, name)
		return
	}
	m[name] = decode(value)
}

// setNames takes a record that holds a list of names.
func (l *Locale) setNames(key, value string) bool {
	switch key {
	case "months":
		list(l.Months[:], value)
	case "months-alone":
		list(l.MonthsAlone[:], value)
	case "months-short":
		list(l.MonthsShort[:], value)
	case "days":
		list(l.Days[:], value)
	case "days-short":
		list(l.DaysShort[:], value)
	default:
		return false
	}
	return true
}

// setSimple takes a record that holds one string or a set of rules.
func (l *Locale) setSimple(key, value string) {
	switch key {
	case "indian":
		l.Indian = value == "yes"
	case "plural":
		l.cardinal = rulesOf(value)
	case "ordinal":
		l.ordinal = rulesOf(value)
	default:
		if field := l.text(key); field != nil {
			*field = value
		}
	}
}

// text returns the field of a key that holds a string, nil for any other key.
func (l *Locale) text(key string) *string {
	switch key {
	case "decimal":
		return &l.Decimal
	case "group":
		return &l.Group
	case "rules":
		return &l.Rules
	case "am":
		return &l.AM
	case "pm":
		return &l.PM
	case "noon":
		return &l.Noon
	case "midnight":
		return &l.Midnight
	case "bc":
		return &l.BC
	case "ad":
		return &l.AD
	case "date-long":
		return &l.LongDate
	case "date-order":
		return &l.DateOrder
	case "per":
		return &l.Per
	}
	return nil
}

// list fills names from lines; a missing line leaves "".
func list(names []string, value string) {
	for i := range names {
		names[i], value, _ = strings.Cut(value, "\n")
	}
}

// unitOf reads a unit: its gender, its rate pattern, and its forms.
func unitOf(value string) Unit {
	var u Unit
	u.Gender, value, _ = strings.Cut(value, "\n")
	u.Per, value, _ = strings.Cut(value, "\n")
	u.Forms = formsOf(value)
	return u
}

// formsOf reads lines of a category, a space and a text.
func formsOf(value string) Forms {
	f := make(Forms, strings.Count(value, "\n")+1)
	for value != "" {
		var line string
		line, value, _ = strings.Cut(value, "\n")
		category, text, ok := strings.Cut(line, " ")
		if ok {
			f[categoryOf(category)] = text
		}
	}
	return f
}

package main

import (
	"fmt"
	"slices"
	"strings"
)

// locale is one locale of the extract: the records of its segment by key, as
// package cldr reads them.
type locale struct {
	name    string
	base    string // the locale that a segment differs from, "" for a whole one
	records map[string]string
}

// extract builds all locales.
func (s *source) extract() ([]*locale, error) {
	var out []*locale
	whole := map[string]*locale{}
	for _, name := range names() {
		l, err := s.locale(name)
		if err != nil {
			return nil, fmt.Errorf("extract %s: %w", name, err)
		}
		chain := s.chain(name)
		// The last of the chain is the language itself. Languages come before variants in
		// names, so its whole locale is there already.
		if last := len(chain) - 1; last > 0 && whole[chain[last]] != nil {
			l.base = chain[last]
			l.subtract(whole[l.base])
		}
		whole[name] = l
		out = append(out, l)
	}
	return out, nil
}

// subtract leaves the records that differ from those of a whole locale. One
// that only the other has becomes empty.
func (l *locale) subtract(base *locale) {
	for k, v := range base.records {
		switch own, ok := l.records[k]; {
		case !ok:
			// An empty value removes the record when the segment is read; see Locale.set.
			l.records[k] = ""
		case own == v:
			delete(l.records, k)
		}
	}
}

// locale builds a whole locale.
func (s *source) locale(name string) (*locale, error) {
	l := &locale{name: name, records: map[string]string{}}
	own := owner{name: name, english: english(name), latin: latin(name)}
	for _, step := range []func(*locale, owner) error{
		s.numbers, s.currencies, s.units, s.dates, s.rbnf, s.plurals, s.annotations,
	} {
		if err := step(l, own); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// set stores a record unless it is empty.
func (l *locale) set(k, v string) {
	if strings.Trim(v, "\n") != "" {
		l.records[k] = v
	}
}

// decodeMain reads one of the files that CLDR has for every locale.
func decodeMain[T any](s *source, name, file string) (T, error) {
	var doc struct{ Main map[string]T }
	err := s.decode("main/"+key(name)+"/"+file, &doc)
	return doc.Main[key(name)], err
}

// numbers takes the symbols and the grouping of Latin digits.
func (s *source) numbers(l *locale, _ owner) error {
	doc, err := decodeMain[struct {
		Numbers struct {
			Symbols struct{ Decimal, Group string } `json:"symbols-numberSystem-latn"`
			Formats struct{ Standard string }       `json:"decimalFormats-numberSystem-latn"`
		}
	}](s, l.name, "numbers.json")
	if err != nil {
		return err
	}
	n := doc.Numbers
	l.set("decimal", n.Symbols.Decimal)
	l.set("group", n.Symbols.Group)
	if strings.HasPrefix(n.Formats.Standard, "#,##,##0") {
		l.set("indian", "yes")
	}
	return nil
}

// currencies takes the names of the chosen currencies.
func (s *source) currencies(l *locale, own owner) error {
	doc, err := decodeMain[struct {
		Numbers struct{ Currencies map[string]map[string]string }
	}](s, l.name, "currencies.json")
	if err != nil {
		return err
	}
	for _, code := range currencies {
		c := doc.Numbers.Currencies[code]
		l.set("currency/"+code, own.forms(c, "displayName-count-", c["displayName"], code))
	}
	return nil
}

// units takes the long names of the chosen units, and the pattern of rates.
func (s *source) units(l *locale, own owner) error {
	here, err := s.longUnits(l.name)
	if err != nil {
		return err
	}
	inherited, err := s.longUnits(root)
	if err != nil {
		return err
	}
	l.set("per", own.rate(here["per"]["compoundUnitPattern"], inherited["per"]["compoundUnitPattern"]))
	// Where not even the kilometre has a name, few others are the language's own.
	const probe, other = "length-kilometer", "unitPattern-count-other"
	own.full = true
	if own.words = own.word(here[probe][other], inherited[probe][other]) != ""; !own.words {
		if own.foreign, err = s.englishUnits(); err != nil {
			return err
		}
	}
	for _, id := range units {
		if slices.Contains(strings.Fields(mistaken[l.name]), id) {
			continue
		}
		u, r := here[id], inherited[id]
		// English has every unit, so a missing one is misspelt in the list or renamed by
		// CLDR.
		if u == nil && l.name == "en" {
			return fmt.Errorf("no unit %s in CLDR", id)
		}
		forms := own.forms(u, "unitPattern-count-", "", r[other])
		if forms != "" {
			per := own.rate(u["perUnitPattern"], r["perUnitPattern"])
			l.set("unit/"+id, u["gender"]+"\n"+per+"\n"+forms)
		}
	}
	return nil
}

// englishUnits is the set of the English names of units.
func (s *source) englishUnits() (map[string]bool, error) {
	all, err := s.longUnits("en")
	out := map[string]bool{}
	for _, u := range all {
		for _, name := range u {
			out[name] = true
		}
	}
	return out, err
}

// longUnits reads the long unit names of a locale by id.
func (s *source) longUnits(name string) (map[string]map[string]string, error) {
	doc, err := decodeMain[struct {
		Units struct{ Long map[string]map[string]any }
	}](s, name, "units.json")
	out := map[string]map[string]string{}
	for id, u := range doc.Units.Long {
		out[id] = map[string]string{}
		for k, v := range u {
			out[id][k], _ = v.(string)
		}
	}
	return out, err
}

// plurals takes the conditions of the plural categories.
func (s *source) plurals(l *locale, _ owner) error {
	for kind, table := range map[string]map[string]map[string]string{"plural": s.cardinal, "ordinal": s.ordinal} {
		for _, k := range s.chain(l.name) {
			if rules, ok := table[k]; ok {
				l.set(kind, conditions(rules))
				break
			}
		}
	}
	return nil
}

// conditions writes the conditions of plural rules without their samples.
func conditions(rules map[string]string) string {
	var lines []string
	for _, c := range categories {
		condition, _, _ := strings.Cut(rules["pluralRule-count-"+c], "@")
		if condition = strings.TrimSpace(condition); condition != "" {
			lines = append(lines, c+" "+condition)
		}
	}
	return strings.Join(lines, "\n")
}

// categories are the plural categories in CLDR's order.
var categories = []string{"zero", "one", "two", "few", "many", "other"}

// annotations takes the spoken names of the chosen symbols, those of a region
// before those of its language.
func (s *source) annotations(l *locale, own owner) error {
	// From the language to the region, so that a later set replaces an earlier one.
	for _, k := range slices.Backward(s.chain(l.name)) {
		path := "annotations/" + k + "/annotations.json"
		if !s.has(path) {
			continue
		}
		var doc struct {
			Annotations struct {
				Annotations map[string]struct{ TTS []string }
			}
		}
		if err := s.decode(path, &doc); err != nil {
			return err
		}
		for _, symbol := range symbols {
			if tts := doc.Annotations.Annotations[symbol].TTS; len(tts) > 0 {
				l.set("symbol/"+symbol, own.word(tts[0], symbol))
			}
		}
	}
	return nil
}

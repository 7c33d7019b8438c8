package locale

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"
)

// Check reads every file and returns all faults, each with file and line; nil when there
// are none.
func Check() []error {
	files, err := fs.Glob(data, "data/*.tsv")
	if err != nil {
		return []error{err}
	}
	var faults []error
	for _, name := range files {
		b, err := data.ReadFile(name)
		if err != nil {
			return append(faults, err)
		}
		_, wrong := parse(string(b))
		for _, w := range wrong {
			faults = append(faults, fmt.Errorf("%s: %w", name, w))
		}
	}
	return faults
}

// parse reads a file. It returns every fault that it finds.
func parse(file string) (*Lexicon, []error) {
	l := &Lexicon{rows: map[string][]Row{}, regions: map[string]map[string][]Row{}}
	var faults []error
	if !strings.HasPrefix(file, "#") {
		faults = append(faults, fmt.Errorf("line 1: no comment with the language and the source"))
	}
	number := 0
	for line := range strings.SplitSeq(file, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		if err := l.add(line); err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", number, err))
		}
	}
	// Only after the last line: rows of a region may stand before those that they replace.
	l.regional = make(map[string]*Lexicon, len(l.regions))
	for region := range l.regions {
		l.regional[region] = l.merge(region)
	}
	return l, faults
}

// add reads one line.
func (l *Lexicon) add(line string) error {
	columns := strings.Split(line, "\t")
	// A key with a region is written key@IN: ISO 3166-1 with two letters, or UN M.49 with
	// three digits, as in language tags of BCP 47.
	key, region, regional := strings.Cut(columns[0], "@")
	sh, ok := shapes[key]
	if !ok {
		return fmt.Errorf("unknown key %q", key)
	}
	if regional && (len(region) < 2 || len(region) > 3 || strings.ToUpper(region) != region) {
		return fmt.Errorf("%q is no region", region)
	}
	row := Row(columns[1:])
	if err := sh.check(row); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	// A row of a region may repeat one of the language, which it replaces. So each looks
	// for a second row only among its own.
	to := l.rows
	if regional {
		if l.regions[region] == nil {
			l.regions[region] = map[string][]Row{}
		}
		to = l.regions[region]
	}
	switch {
	case sh.table && holds(to[key], row[0]):
		return fmt.Errorf("%s: second row for %q", key, row[0])
	case !sh.table && !sh.many && len(to[key]) > 0:
		return fmt.Errorf("%s: second row", key)
	}
	to[key] = append(to[key], row)
	return nil
}

// check says what is wrong with a row.
func (sh shape) check(row Row) error {
	if len(row) > len(sh.columns) {
		return fmt.Errorf("%d values, not %d", len(row), len(sh.columns))
	}
	// Columns with a capital letter may be missing, and so may all after them. kind|0x20 is
	// the small letter.
	for i, kind := range sh.columns {
		if i >= len(row) {
			if kind >= 'a' {
				return fmt.Errorf("%d values are too few", len(row))
			}
			return nil
		}
		if err := sh.checkValue(kind|0x20, row[i]); err != nil {
			return fmt.Errorf("value %d: %w", i+1, err)
		}
	}
	return nil
}

// checkValue says what is wrong with a value of a kind.
func (sh shape) checkValue(kind rune, v string) error {
	switch {
	case v == "":
		return fmt.Errorf("is empty")
	case !utf8.ValidString(v):
		return fmt.Errorf("%q is not UTF-8", v)
	case strings.TrimSpace(v) != v:
		return fmt.Errorf("%q has space at an end", v)
	// A dash says that there is no value, in any column but one of fixed words.
	case v == "-" && kind != 'c':
		return nil
	}
	switch kind {
	case 'd':
		if strings.Trim(v, "0123456789") != "" {
			return fmt.Errorf("%q is no number", v)
		}
	case 'c':
		if !slices.Contains(sh.words, v) {
			return fmt.Errorf("%q is none of %s", v, strings.Join(sh.words, ", "))
		}
	case 's':
		if strings.ContainsAny(v, " %{}") {
			return fmt.Errorf("%q is no name of a rule set", v)
		}
	case 'p':
		return fields(v, sh.fields)
	case 'f':
		return sh.checkForms(v)
	case 'l':
		for item := range strings.SplitSeq(v, ";") {
			if item == "" || strings.TrimSpace(item) != item {
				return fmt.Errorf("%q has an empty item or one with space at an end", v)
			}
		}
	}
	return balanced(v)
}

func (sh shape) checkForms(v string) error {
	forms := ParseForms(v)
	if _, ok := forms["other"]; !ok {
		return fmt.Errorf("%q has no form for other", v)
	}
	for _, f := range forms {
		if strings.Contains(f, "|") || strings.Contains(f, "=") {
			return fmt.Errorf("%q: forms are written one=… | other=…", v)
		}
		// A form may leave the number out, where the word holds it.
		if err := balanced(f); err != nil {
			return err
		}
	}
	return fields(forms["other"], sh.fields)
}

// fields says whether a pattern lacks one of its fields.
func fields(pattern string, want []string) error {
	for _, f := range want {
		if !strings.Contains(pattern, f) {
			return fmt.Errorf("%q has no %s", pattern, f)
		}
	}
	return balanced(pattern)
}

// balanced says whether the braces of a pattern are closed and not nested.
func balanced(pattern string) error {
	open := false
	for _, r := range pattern {
		// An opening brace is wrong while one is open, a closing brace while none is.
		if (r == '{') == open && (r == '{' || r == '}') {
			return fmt.Errorf("%q has braces that do not match", pattern)
		}
		if r == '{' || r == '}' {
			open = r == '{'
		}
	}
	if open {
		return fmt.Errorf("%q has a brace that is not closed", pattern)
	}
	return nil
}

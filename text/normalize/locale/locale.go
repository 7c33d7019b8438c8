// Package locale holds the words that normalization needs and CLDR lacks: one hand-written
// file for each language, in data. A language may have no file, and a file may leave out
// entries; the package normalize then uses CLDR or leaves a form as it is written.
package locale

import (
	"embed"
	"iter"
	"strings"
	"sync"

	"vaak/lang"
)

//go:embed data/*.tsv
var data embed.FS

// Lexicon is the word data of one language, as one region has it. It is
// read-only and safe for concurrent use.
type Lexicon struct {
	rows map[string][]Row
	// regions are the entries that regions have instead, by region and key.
	regions map[string]map[string][]Row
	// regional are the finished lexicons of those regions.
	regional map[string]*Lexicon
}

// Row is one line of a file without its key.
type Row []string

// Value returns the value of a column counted from 0; "" when the row is
// shorter or the value is "-", which says that there is none.
func (r Row) Value(column int) string {
	if column >= len(r) || r[column] == "-" {
		return ""
	}
	return r[column]
}

// List returns the values that a column holds parted by semicolons.
func (r Row) List(column int) []string {
	v := r.Value(column)
	if v == "" {
		return nil
	}
	return strings.Split(v, ";")
}

// Set returns the values that a column holds parted by semicolons, as a set; nil
// for none.
func (r Row) Set(column int) map[string]bool {
	list := r.List(column)
	if list == nil {
		return nil
	}
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}

// lexicons remembers what was parsed, by language.
var lexicons sync.Map // lang.Code to func() *Lexicon

// Of returns the lexicon of a language without regard to regions. It is never
// nil: a language without a file has an empty one, and so has a faulty file,
// which [Check] tells. The file is parsed on first use.
func Of(code lang.Code) *Lexicon {
	once, ok := lexicons.Load(code)
	if !ok {
		if _, known := lang.Lookup(code); !known {
			return &Lexicon{}
		}
		// Two first callers store one function, and the file is parsed once. Unknown codes
		// are not stored: callers could fill the map with them.
		once, _ = lexicons.LoadOrStore(code, sync.OnceValue(func() *Lexicon { return load(code) }))
	}
	return once.(func() *Lexicon)()
}

// For returns the lexicon of a language in the region of a tag. Regions that no
// entry of the file names share the one of [Of].
func For(tag lang.Tag) *Lexicon {
	l := Of(tag.Code)
	if r := l.regional[tag.Region]; r != nil {
		return r
	}
	return l
}

// load reads a language's file.
func load(code lang.Code) *Lexicon {
	b, err := data.ReadFile("data/" + string(code) + ".tsv")
	if err != nil {
		return &Lexicon{}
	}
	l, faults := parse(string(b))
	// Half a file would give speech that is partly from it and partly from CLDR. Without
	// the file all of it is from CLDR, which is at least even.
	if len(faults) > 0 {
		return &Lexicon{}
	}
	return l
}

// Rows returns the rows of a key in the order of the file, nil for none. They
// must not be changed.
func (l *Lexicon) Rows(key string) []Row { return l.rows[key] }

// Word returns the first value of a key's only row, "" for none.
func (l *Lexicon) Word(key string) string {
	if rows := l.rows[key]; len(rows) > 0 {
		return rows[0].Value(0)
	}
	return ""
}

// Lookup returns the row of a key whose first column is the one given.
func (l *Lexicon) Lookup(key, first string) (Row, bool) {
	for _, r := range l.rows[key] {
		if r[0] == first {
			return r, true
		}
	}
	return nil, false
}

// List returns all values of a key that holds a list, of all its rows.
func (l *Lexicon) List(key string) []string {
	var all []string
	for _, r := range l.rows[key] {
		all = append(all, r.List(0)...)
	}
	return all
}

// ByFirst returns a map from the first column of the rows of a key to the second.
func (l *Lexicon) ByFirst(key string) map[string]string {
	rows := l.Rows(key)
	m := make(map[string]string, len(rows))
	for _, r := range rows {
		m[r[0]] = r.Value(1)
	}
	return m
}

// ByWord returns a map from the words of the list in the first column of the rows of a
// key to the second column.
func (l *Lexicon) ByWord(key string) map[string]string {
	m := map[string]string{}
	for _, r := range l.Rows(key) {
		for _, w := range r.List(0) {
			m[w] = r.Value(1)
		}
	}
	return m
}

// Set returns the words of a key that holds lists.
func (l *Lexicon) Set(key string) map[string]bool {
	m := map[string]bool{}
	for _, w := range l.List(key) {
		m[w] = true
	}
	return m
}

// Pairs yields each word of the list in the first column of the rows of a key, with the
// second column.
func (l *Lexicon) Pairs(key string) iter.Seq2[string, string] {
	return func(yield func(word, value string) bool) {
		for _, r := range l.Rows(key) {
			for _, w := range r.List(0) {
				if !yield(w, r.Value(1)) {
					return
				}
			}
		}
	}
}

// Forms returns the plural forms that are a key's first value, nil for none.
func (l *Lexicon) Forms(key string) Forms { return ParseForms(l.Word(key)) }

// merge makes the lexicon of a region.
func (l *Lexicon) merge(region string) *Lexicon {
	m := &Lexicon{rows: make(map[string][]Row, len(l.rows))}
	// The slices are shared with the lexicon of the language: no one changes them after
	// parse has returned.
	for key, rows := range l.rows {
		m.rows[key] = rows
	}
	for key, own := range l.regions[region] {
		if !shapes[key].table {
			m.rows[key] = own
			continue
		}
		// A new slice, since rows may be shared with the lexicons of other regions.
		var rows []Row
		for _, r := range l.rows[key] {
			if !holds(own, r[0]) {
				rows = append(rows, r)
			}
		}
		// The region's rows replace those of the same first column; the others stay.
		m.rows[key] = append(rows, own...)
	}
	return m
}

func holds(rows []Row, first string) bool {
	for _, r := range rows {
		if r[0] == first {
			return true
		}
	}
	return false
}

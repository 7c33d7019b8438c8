package voice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/internal/fault"
)

// Naming is what an operator says of the names under which voices are found.
type Naming struct {
	// Aliases are further names of voices, or replace built-in ones; with the id "" a
	// built-in one is switched off.
	Aliases map[string]ID
	// NoBuiltIn switches all built-in aliases off.
	NoBuiltIn bool
}

// Directory finds voices by what clients call them: the id, an alias, or the display
// name. Every way into the service asks it. A nil Directory has the built-in aliases.
// It is safe for concurrent use.
type Directory struct {
	byName  map[string]ID // by what folds alike
	aliases map[ID][]string
	written []string // what a mistyped name may have meant: ids, aliases, display names
}

// maxAlias is the most bytes of an alias.
const maxAlias = 100

// NewDirectory returns a directory. It refuses aliases of voices that do not exist,
// that are the id of a voice, that no client can send, and two that differ in case alone.
func NewDirectory(n Naming) (*Directory, error) {
	ids := map[string]ID{}
	if !n.NoBuiltIn {
		for _, a := range builtInAliases() {
			ids[a.Name] = a.Voice
		}
	}
	builtIn := map[string]string{} // as it is written, by what folds alike
	for name := range ids {
		builtIn[foldName(name)] = name
	}
	own := map[string]string{}
	for name, id := range n.Aliases {
		if err := checkAlias(name, id); err != nil {
			return nil, err
		}
		key := foldName(name)
		if other, twice := own[key]; twice {
			return nil, fmt.Errorf("voice_aliases has %q and %q, which differ in case alone", min(name, other), max(name, other))
		}
		own[key] = name
		delete(ids, builtIn[key])
		if id != "" {
			ids[name] = id
		}
	}
	return directoryOf(ids), nil
}

// checkAlias refuses an alias that cannot be one.
func checkAlias(name string, id ID) error {
	switch _, isID := Lookup(ID(name)); {
	case isID:
		return fmt.Errorf("voice_aliases: %q is the id of a voice, which always means that voice", name)
	case name == "" || len(name) > maxAlias || !utf8.ValidString(name) || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("voice_aliases: a name has 1 to %d bytes, with no space around it and no control characters, not %.100q", maxAlias, name)
	}
	if _, ok := Lookup(id); !ok && id != "" {
		return fmt.Errorf("voice_aliases: %q names the unknown voice %q; an id begins with sv_, and \"\" switches a built-in alias off", name, id)
	}
	return nil
}

// directoryOf returns the directory of the roster with these aliases.
func directoryOf(aliases map[string]ID) *Directory {
	d := &Directory{byName: map[string]ID{}, aliases: map[ID][]string{}}
	for _, v := range table().voices {
		d.byName[foldName(v.Name)] = v.ID
		d.written = append(d.written, string(v.ID), v.Name)
	}
	for name, id := range aliases { // after the display names, which they go before
		d.byName[foldName(name)] = id
		d.aliases[id] = append(d.aliases[id], name)
		d.written = append(d.written, name)
	}
	for _, names := range d.aliases {
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	}
	slices.Sort(d.written)
	return d
}

var builtIn = sync.OnceValue(func() *Directory {
	d, err := NewDirectory(Naming{})
	if err != nil {
		panic(err) // cannot be: an operator has said nothing
	}
	return d
})

// orBuiltIn returns the directory, or the built-in one for nil.
func (d *Directory) orBuiltIn() *Directory {
	if d == nil {
		return builtIn()
	}
	return d
}

// Lookup returns the voice that a client calls by a name: an id as it is written, else
// an alias or a display name, in whose letters case makes no difference. An alias goes
// before the display name of another voice.
func (d *Directory) Lookup(name string) (Voice, bool) {
	if v, ok := Lookup(ID(name)); ok {
		return v, true
	}
	if len(name) > maxAlias {
		return Voice{}, false
	}
	id, ok := d.orBuiltIn().byName[foldName(name)]
	if !ok {
		return Voice{}, false
	}
	return Lookup(id)
}

// Find is [Directory.Lookup] for the value of a parameter. The error is a *fault.Error
// of kind NotFound that names the parameter and what may have been meant.
func (d *Directory) Find(parameter, name string) (Voice, error) {
	v, ok := d.Lookup(name)
	if ok {
		return v, nil
	}
	near := ""
	if names := d.Near(name); len(names) > 0 {
		near = "; near it are " + strings.Join(names, ", ")
	}
	return Voice{}, fault.New(fault.NotFound, fault.CodeVoiceNotFound, parameter,
		"voice %.64q does not exist%s; GET /v1/voices lists the ids, which begin with sv_, and the names", name, near)
}

// Aliases returns the aliases of a voice, the shortest first, in a slice of the
// caller's own.
func (d *Directory) Aliases(id ID) []string { return slices.Clone(d.orBuiltIn().aliases[id]) }

// maxNear is how many names are offered for one that is not known.
const maxNear = 3

// Near returns the ids, aliases and display names that a name may have meant: those that take the fewest changes to write, if these are less than
// every third letter: what is farther is another word.
func (d *Directory) Near(name string) []string {
	want := []rune(foldName(name))
	if len(want) == 0 || len(want) > maxAlias {
		return nil
	}
	best := max(1, (len(want)-1)/3)
	var found []string
	for _, written := range d.orBuiltIn().written {
		have := []rune(foldName(written))
		if len(have)-len(want) > best || len(want)-len(have) > best {
			continue
		}
		switch n := edits(want, have); {
		case n < best:
			best, found = n, []string{written}
		case n == best:
			found = append(found, written)
		}
	}
	return found[:min(len(found), maxNear)]
}

// edits is the number of letters to insert, delete or replace that make b of a.
func edits(a, b []rune) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, c := range b {
			replaced := diagonal
			if c != r {
				replaced++
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, replaced)
		}
	}
	return row[len(b)]
}

// foldName returns what names have in common that differ in case alone.
func foldName(name string) string { return norm.NFC.String(cases.Fold().String(name)) }

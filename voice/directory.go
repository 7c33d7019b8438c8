package voice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/internal/fault"
)

// Naming configures the names under which voices are found.
type Naming struct {
	// Aliases are additional names of voices. They may replace built-in aliases; the id ""
	// switches a built-in alias off.
	Aliases map[string]ID
	// NoBuiltIn switches all built-in aliases off.
	NoBuiltIn bool
	// Added are the voices that the operator has added; see [Directory.Extend].
	Added []Voice
}

// Directory finds voices: those of the roster, and those that the operator has added. Clients
// name them by an id, an alias or a display name. All transports use it. A nil Directory has the
// roster and the built-in aliases. It is safe for concurrent use.
type Directory struct {
	aliases map[string]ID
	now     atomic.Pointer[entries]
}

// entries are the voices of a directory at one time.
type entries struct {
	roster      roster
	byName      map[string]ID // by folded name
	aliases     map[ID][]string
	suggestions []string // ids, aliases and display names, to suggest for a mistyped name
}

// maxAlias is the longest alias in bytes.
const maxAlias = 100

// NewDirectory returns a directory. It returns an error if an alias belongs to no existing
// voice, equals the id of a voice, cannot be sent by a client, or differs from another one in
// case only.
func NewDirectory(n Naming) (*Directory, error) {
	all := newRoster(slices.Concat(table().voices, n.Added))
	ids := map[string]ID{}
	if !n.NoBuiltIn {
		for _, a := range builtInAliases() {
			ids[a.Name] = a.Voice
		}
	}
	builtIn := map[string]string{} // original spelling by folded name
	for name := range ids {
		builtIn[foldName(name)] = name
	}
	own := map[string]string{}
	for name, id := range n.Aliases {
		if err := all.checkAlias(name, id); err != nil {
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
	d := &Directory{aliases: ids}
	d.now.Store(newEntries(all, ids))
	return d, nil
}

// checkAlias returns an error if a name cannot be an alias of a voice.
func (r roster) checkAlias(name string, id ID) error {
	switch _, isID := r.lookup(ID(name)); {
	case isID:
		return fmt.Errorf("voice_aliases: %q is the id of a voice, which always means that voice", name)
	case name == "" || len(name) > maxAlias || !utf8.ValidString(name) || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("voice_aliases: a name has 1 to %d bytes, with no space around it and no control characters, not %.100q", maxAlias, name)
	}
	if _, ok := r.lookup(id); !ok && id != "" {
		return fmt.Errorf("voice_aliases: %q names the unknown voice %q; an id begins with sv_, and \"\" switches a built-in alias off", name, id)
	}
	return nil
}

// Extend replaces the voices that the operator has added. A name that a voice of the roster or
// an earlier one has keeps meaning that voice.
func (d *Directory) Extend(added []Voice) {
	d.now.Store(newEntries(newRoster(slices.Concat(table().voices, added)), d.aliases))
}

func newEntries(r roster, aliases map[string]ID) *entries {
	e := &entries{roster: r, byName: map[string]ID{}, aliases: map[ID][]string{}}
	for _, v := range r.voices {
		e.name(v.Name, v.ID)
		// Of an added voice also without what is in brackets: "Amy" means "Amy (medium)".
		if short, _, ok := strings.Cut(v.Name, " ("); ok && v.Engine != "" {
			e.name(short, v.ID)
		}
		e.suggestions = append(e.suggestions, string(v.ID), v.Name)
	}
	for name, id := range aliases { // after the display names, because aliases take precedence
		e.byName[foldName(name)] = id
		e.aliases[id] = append(e.aliases[id], name)
		e.suggestions = append(e.suggestions, name)
	}
	for _, names := range e.aliases {
		slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	}
	slices.Sort(e.suggestions)
	return e
}

// BuiltIn is the directory of the roster with the built-in aliases.
func BuiltIn() *Directory { return builtIn() }

// name gives a name to a voice, unless it means another one.
func (e *entries) name(name string, id ID) {
	if key := foldName(name); e.byName[key] == "" {
		e.byName[key] = id
	}
}

var builtIn = sync.OnceValue(func() *Directory {
	d, err := NewDirectory(Naming{})
	if err != nil {
		panic(err) // impossible: only an operator's naming can be wrong
	}
	return d
})

// entries returns what the directory has now, or the built-in one if it is nil.
func (d *Directory) entries() *entries {
	if d == nil {
		d = BuiltIn()
	}
	return d.now.Load()
}

// All returns all voices: the roster, grouped by native language in the order of the language
// table, then those that the operator has added. The slice belongs to the caller.
func (d *Directory) All() []Voice { return slices.Clone(d.entries().roster.voices) }

// Len returns how many voices there are.
func (d *Directory) Len() int { return len(d.entries().roster.voices) }

// ByID returns the voice with an id.
func (d *Directory) ByID(id ID) (Voice, bool) { return d.entries().roster.lookup(id) }

// Stamp is a value that changes whenever the voices do.
func (d *Directory) Stamp() any { return d.entries() }

// Lookup returns the voice with a name: an exact id, else an alias or a display name in any
// case. An alias takes precedence over the display name of another voice.
func (d *Directory) Lookup(name string) (Voice, bool) {
	e := d.entries()
	if v, ok := e.roster.lookup(ID(name)); ok {
		return v, true
	}
	if len(name) > maxAlias {
		return Voice{}, false
	}
	id, ok := e.byName[foldName(name)]
	if !ok {
		return Voice{}, false
	}
	return e.roster.lookup(id)
}

// Find is [Directory.Lookup] for the value of a parameter. The error is a *fault.Error of kind
// NotFound that names the parameter and suggests similar names.
func (d *Directory) Find(parameter, name string) (Voice, error) {
	v, ok := d.Lookup(name)
	if ok {
		return v, nil
	}
	near := ""
	if names := d.near(name); len(names) > 0 {
		near = "; near it are " + strings.Join(names, ", ")
	}
	return Voice{}, fault.New(fault.NotFound, fault.CodeVoiceNotFound, parameter,
		"voice %.64q does not exist%s; GET /v1/voices lists the ids, which begin with sv_, and the names", name, near)
}

// Aliases returns the aliases of a voice, the shortest first. The slice belongs to the caller.
func (d *Directory) Aliases(id ID) []string { return slices.Clone(d.entries().aliases[id]) }

// maxNear is the most names to suggest.
const maxNear = 3

// near returns the ids, aliases and display names that need the fewest edits to become a name,
// if that is at most one edit in three letters. Anything farther away is another word.
func (d *Directory) near(name string) []string {
	want := []rune(foldName(name))
	if len(want) == 0 || len(want) > maxAlias {
		return nil
	}
	best := max(1, (len(want)-1)/3)
	var found []string
	for _, written := range d.entries().suggestions {
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

// edits returns the Levenshtein distance of a and b.
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

// foldName returns a form of a name that does not depend on its case.
func foldName(name string) string { return norm.NFC.String(cases.Fold().String(name)) }

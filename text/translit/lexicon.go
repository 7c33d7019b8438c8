package translit

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed lexicon/*.tsv
var lexiconFiles embed.FS

// lexicon holds the frequent words of one language. A file has a word a line,
// frequent ones first where two are typed alike: the word in its own script, a
// tab, the ways in which it is typed, parted by spaces; without them they are those of
// [Typed]. A third column marks the
// stems and the endings of verbs: each stem of class "v" goes with each ending
// of class "+v". The words and spellings are our own work.
type lexicon struct {
	exact map[string]string // as typed, to the word in its own script
	loose map[string]string // in loose spelling
}

// lexiconOf returns a language's lexicon, which is read on first use.
func lexiconOf(i int) *lexicon { return loaders()[i]() }

var loaders = sync.OnceValue(func() *[numCodes]func() *lexicon {
	var all [numCodes]func() *lexicon
	for i := range all {
		// One gate for each language: a request in Tamil does not wait for the words of
		// Hindi.
		all[i] = sync.OnceValue(func() *lexicon { return readLexicon(i) })
	}
	return &all
})

// affix is a stem or an ending with the ways in which it is typed.
type affix struct {
	native string
	typed  []string
}

// readLexicon reads an embedded file; a fault in it is a fault of the program.
func readLexicon(i int) *lexicon {
	name := "lexicon/" + string(codes[i]) + ".tsv"
	file, err := lexiconFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	l := &lexicon{exact: map[string]string{}, loose: map[string]string{}}
	stems, endings := map[string][]affix{}, map[string][]affix{}
	for line := range strings.Lines(string(file)) {
		column := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(column) == 1 {
			// The ways in which it is typed follow from the word.
			column = append(column, strings.Join(Typed(codes[i], column[0]), " "))
		}
		if len(column) > 3 {
			panic(fmt.Sprintf("%s: %d columns: %q", name, len(column), line))
		}
		typed := strings.Fields(column[1])
		switch {
		case len(column) == 2:
			l.add(i, column[0], typed)
		case strings.HasPrefix(column[2], "+"):
			endings[column[2][1:]] = append(endings[column[2][1:]], affix{column[0], typed})
		default:
			stems[column[2]] = append(stems[column[2]], affix{column[0], typed})
		}
	}
	// The forms follow the words of the file, which keep a spelling that both would claim.
	for class, list := range stems {
		for _, stem := range list {
			l.inflect(i, stem, endings[class])
		}
	}
	return l
}

// add enters a word under the ways in which it is typed; the first word to claim
// one keeps it.
func (l *lexicon) add(i int, native string, typed []string) {
	for _, t := range typed {
		if _, taken := l.exact[t]; !taken {
			l.exact[t] = native
		}
		if key := loosen(i, t); l.loose[key] == "" {
			l.loose[key] = native
		}
	}
}

// inflect enters the forms of a stem. Ways to type a form that differ in loose
// letters only are found by the loose spelling of the first.
func (l *lexicon) inflect(i int, stem affix, endings []affix) {
	for _, e := range endings {
		var known string
		for _, a := range stem.typed {
			for _, b := range e.typed {
				t := a + b
				key := loosen(i, t)
				if key == known {
					continue
				}
				known = key
				l.add(i, stem.native+e.native, []string{t})
			}
		}
	}
}

// find looks up a word in small letters. Loosely says that only its loose
// spelling is known.
func (l *lexicon) find(i int, word string) (native string, loosely, ok bool) {
	if native, ok = l.exact[word]; ok {
		return native, false, true
	}
	var buf [maxLoose]byte
	native, ok = l.loose[string(appendLoose(buf[:0], groups[i], word))]
	return native, true, ok
}

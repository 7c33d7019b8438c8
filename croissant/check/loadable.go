package check

import (
	"maps"
	"slices"
	"strings"

	"vaak/croissant/graph"
)

// loadability decides whether a finding is loadable where that depends on more than its
// rule: whether the reference library, mlcroissant 1.1.1, loads a document that has this
// fault alone. The conditions below were found by experiment. testdata/changes has a
// document for each, and conformance/croissant/corpus.py runs the library on all of them.
type loadability struct {
	*subject
	*inventory
}

// judge decides it for the problems that were found when the document was read, where it
// depends on the node that a problem is in.
func (l *loadability) judge(g *graph.Graph) {
	var at map[string]*graph.Node // by pointer; made only if there is a problem to judge
	node := func(pointer string) *graph.Node {
		if at == nil {
			at = make(map[string]*graph.Node, len(g.Nodes))
			for _, n := range g.Nodes {
				at[n.Pointer] = n
			}
		}
		if n := at[pointer]; n != nil {
			return n
		}
		return &graph.Node{}
	}
	var old []string
	if slices.ContainsFunc(l.doc.Problems, func(p graph.Problem) bool { return p.Kind == graph.OldSpace }) {
		old = l.oldWords()
	}
	for i := range l.doc.Problems {
		p := &l.doc.Problems[i]
		switch p.Kind {
		case graph.ID:
			n := node(parent(p.Pointer))
			// Files, record sets and fields need an @id that is valid; other things do not.
			p.Passes = p.Passes && !isFile(n) && !n.Has(typeRecordSet) && !n.Has(typeField)
		case graph.Language:
			p.Passes = p.Passes && passesLanguage(p, node(parent(parent(p.Pointer))))
		case graph.OldSpace:
			l.oldContext = l.oldContext || strings.HasPrefix(p.Pointer, "/@context/")
			p.Passes = !slices.ContainsFunc(old, func(word string) bool { return strings.HasPrefix(word, p.Property) })
		}
	}
}

// parent returns the pointer to the object or array that holds what pointer points to.
func parent(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

func isFile(n *graph.Node) bool { return n.Has(typeFileObject) || n.Has(typeFileSet) }

// strict reports whether the library checks the name of a node. It accepts anything as the
// name of a person, an organisation or a work.
func strict(n *graph.Node) bool {
	return isFile(n) || n.Has(typeDataset) || n.Has(typeRecordSet) || n.Has(typeField)
}

// passesLanguage reports whether the library loads a document with a bad member in a
// language map such as {"en": ..., "hi": ...}. n is the node that has the map.
func passesLanguage(p *graph.Problem, n *graph.Node) bool {
	named := p.Property == propName
	switch p.Value.(type) {
	case nil: // the tag is bad
		return !named || isFile(n) || !strict(n) || !strings.HasSuffix(p.Pointer, "/")
	case map[string]any:
		return !named || !isFile(n)
	case []any:
		return named && !strict(n) || !named && !isFile(n) && !n.Has(typeField)
	}
	// The bad member is neither null, an object nor an array: a number or a boolean.
	others := n.Values(p.Property) != nil
	return others && (named && !strict(n) || !named && !isFile(n) && !n.Has(typeField))
}

// needed returns the names of schema.org that the library must recognise to load a
// document. It does not recognise them when they are written with http://.
func needed() map[string]bool {
	words := map[string]bool{
		"Dataset": true, "CreativeWork": true, "Person": true, "Organization": true,
		"contentUrl": true, "distribution": true, "encodingFormat": true, "sha256": true,
	}
	for _, name := range dataTypes() {
		if word, ok := strings.CutPrefix(name, "sc:"); ok {
			words[word] = true
		}
	}
	return words
}

// oldWords returns the addresses of needed names that the document writes with
// http://schema.org/.
func (l *loadability) oldWords() []string {
	needed, old := needed(), map[string]bool{}
	look := func(name string) {
		means, _ := l.doc.Means(name)
		if word, found := strings.CutPrefix(means, oldSchemaOrg); found && needed[word] {
			old[means] = true
		}
	}
	var walk func(v any, name bool)
	walk = func(v any, name bool) {
		switch v := v.(type) {
		case string:
			if name {
				look(v)
			}
		case []any:
			for _, e := range v {
				walk(e, name)
			}
		case map[string]any:
			for key, e := range v {
				means, _ := l.doc.Means(key)
				switch means {
				case propData, mlcommons + "examples":
					continue // JSON values, which the library does not look into
				}
				look(key)
				walk(e, means == "@type" || means == propDataType)
			}
		}
	}
	walk(l.doc.Root, false)
	return slices.Collect(maps.Keys(old))
}

// duplicates reports every @id that is defined more than once.
func (l *loadability) duplicates(g *graph.Graph) {
	for _, d := range g.Duplicates {
		l.addAs("E021", l.merges(d), d.Node, graph.Child(d.Pointer, "@id"), "the @id %s is defined twice, here and at %s; give one of them another @id, or leave only {\"@id\": ...} here", quote(d.Node.Written), quote(d.Node.Pointer))
	}
}

// merges reports whether the library merges two definitions of an @id. It uses the first
// of most values; but it refuses two different names, and a field in two record sets.
func (l *loadability) merges(d graph.Duplicate) bool {
	if !strict(d.Node) {
		return true
	}
	if l.shared[d.Node] {
		return false
	}
	// Two definitions with different names cannot be merged; missing names can.
	one, other := d.Node.Values(propName), d.Stated[propName]
	if len(one) == 0 || other == nil || len(other.Values) == 0 {
		return true
	}
	a, _ := one[0].Text()
	b, _ := other.Values[0].Text()
	return a == b
}

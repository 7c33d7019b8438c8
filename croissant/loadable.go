package croissant

import (
	"maps"
	"slices"
	"strings"

	"vaak/croissant/graph"
)

// Here stands what depends on the document of whether a finding is loadable: whether
// the reference library, mlcroissant 1.1.1, takes a document that has this fault
// alone. testdata/changes.json has a document for each case, and
// conformance/croissant/corpus.py holds the library against all of them.

// judge decides of the problems of a document whether they are loadable, where that
// depends on what they stand in.
func (c *checker) judge(g *graph.Graph) {
	var at map[string]*graph.Node
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
	if slices.ContainsFunc(c.doc.Problems, func(p graph.Problem) bool { return p.Kind == graph.OldSpace }) {
		old = c.oldWords()
	}
	for i := range c.doc.Problems {
		p := &c.doc.Problems[i]
		switch p.Kind {
		case graph.ID:
			n := node(parent(p.Pointer))
			p.Passes = p.Passes && !isFile(n) && !n.Has(typeRecordSet) && !n.Has(typeField)
		case graph.Language:
			p.Passes = p.Passes && passesLanguage(p, node(parent(parent(p.Pointer))))
		case graph.OldSpace:
			c.oldContext = c.oldContext || strings.HasPrefix(p.Pointer, "/@context/")
			p.Passes = !slices.ContainsFunc(old, func(word string) bool { return strings.HasPrefix(word, p.Property) })
		}
	}
}

// parent is the pointer to what a pointer is in.
func parent(pointer string) string { return pointer[:max(0, strings.LastIndexByte(pointer, '/'))] }

func isFile(n *graph.Node) bool { return n.Has(typeFileObject) || n.Has(typeFileSet) }

// strict says whether the library looks closely at the name of a node: it takes any
// of a person, an organisation or a work.
func strict(n *graph.Node) bool {
	return isFile(n) || n.Has(typeDataset) || n.Has(typeRecordSet) || n.Has(typeField)
}

// passesLanguage says whether the library reads past a bad member of a map of
// languages.
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
	others := n.Values(p.Property) != nil
	return others && (named && !strict(n) || !named && !isFile(n) && !n.Has(typeField))
}

// needed are the words of schema.org without which the library refuses a document
// that uses them: it finds none of them under http://.
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

// oldWords returns the words that the library needs and that the document writes with
// an address that begins with http://schema.org/.
func (c *checker) oldWords() []string {
	needed, old := needed(), map[string]bool{}
	look := func(name string) {
		means, _ := c.doc.Means(name)
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
				means, _ := c.doc.Means(key)
				switch means {
				case propData, croissant + "examples":
					continue
				}
				look(key)
				walk(e, means == "@type" || means == propDataType)
			}
		}
	}
	walk(c.doc.Root, false)
	return slices.Collect(maps.Keys(old))
}

// merges says whether the library makes one of two definitions of an @id. It takes the
// first of most values, but a name only if it is one, and a field only in one record
// set.
func (c *checker) merges(d graph.Duplicate) bool {
	if !strict(d.Node) {
		return true
	}
	if c.shared[d.Node] {
		return false
	}
	one, other := d.Node.Values(propName), d.Stated[propName]
	if len(one) == 0 || other == nil || len(other.Values) == 0 {
		return true
	}
	a, _ := one[0].Text()
	b, _ := other.Values[0].Text()
	return a == b
}

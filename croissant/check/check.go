// Package check finds what is wrong with a Croissant document, ours or another.
//
// [Validate] reads the document into a graph (croissant/graph) and applies the [Rules] to
// it, one group of rules after the other: the dataset, its files, its record sets with
// their fields, and where the fields get their values. Every finding carries the code of
// its rule, and says whether mlcroissant 1.1.1, the reference library of the format,
// would still load the document.
//
// Documents come from strangers. The work on one is bounded, and nothing that it names
// is fetched or opened.
package check

import (
	"encoding/json"
	"slices"
	"strings"

	"vaak/croissant"
	"vaak/croissant/graph"
)

// MaxDocument is the size of the largest document that is checked, in bytes.
const MaxDocument = 1 << 20

// Validate checks a document against the rules of its version and returns all that is
// wrong with it. It accepts any bytes. Safe for concurrent use.
func Validate(document []byte) Report {
	f := newFindings()
	if len(document) > MaxDocument {
		f.addAs("E000", true, "", "", "the document has more than %d bytes, the most that are checked: describe many files by one FileSet, and long tables by a file", MaxDocument)
		return f.done()
	}
	doc := graph.Read(document)
	switch _, object := doc.Root.(map[string]any); {
	case doc.Readable && object:
		c := &checker{subject: &subject{findings: f, doc: doc, checked: map[use][]string{}}}
		c.run()
	case doc.Readable:
		f.add("E001", "", "", `the root of the document is not an object; it must be one, with @context and "@type": "sc:Dataset"`)
		f.problems(doc)
	default:
		f.problems(doc)
	}
	return f.done()
}

// checker runs all groups of rules over one document whose root is an object.
type checker struct{ *subject }

// run expands the document and applies all rules. The order of the groups matters:
// later groups look up what earlier ones have entered in the inventory.
func (c *checker) run() {
	c.prepare()
	g := c.doc.Expand()
	things := newInventory()
	library := &loadability{c.subject, things}
	library.judge(g)
	c.problems(c.doc) // must follow Expand and judge: both add to or change the problems
	if g.Err != "" {
		c.findings.add("E001", "", "", "the document is not JSON-LD that can be read: %s", g.Err)
		return
	}
	dataset := c.findDataset(g)
	if dataset == nil {
		library.duplicates(g)
		return
	}
	live := (&datasetRules{c.subject}).check(dataset)
	(&fileRules{c.subject, things, live}).check(dataset)
	sources := &sourceRules{c.subject, things}
	(&recordSetRules{c.subject, things, newFieldRules(sources)}).check(dataset)
	(&containment{sources}).check() // containedIn may name a field, so all fields must be known
	library.duplicates(g)           // needs to know which fields are in several record sets
	c.meaningless(g)
}

// prepare makes the context of the document usable and finds out which version the
// document says that it is in. A document that names none is checked as 1.0.
func (c *checker) prepare() {
	c.doc.Prepare(defaultContext())
	c.doc.RequirePrefixes(prefixes())
	c.version = known(c.doc.Peek(propConformsTo))
	if c.version != "" {
		c.report.ConformsTo = c.version.ConformsTo()
	} else {
		c.version = croissant.V10
	}
	c.doc.RequireVocabulary(schemaOrg, schemaNames())
	c.doc.Require(required(c.version))
	c.missingTerms()
}

// defaultContext returns the context that is assumed where the document has none that
// can be used, so that the remaining rules can still be applied.
func defaultContext() map[string]any {
	var context map[string]any
	if err := json.Unmarshal(croissant.V10.Context(), &context); err != nil {
		panic("the context of Croissant 1.0 is not JSON: " + err.Error()) // a table of ours
	}
	return context
}

// known returns the version that the first known address of a list names, or "".
func known(addresses []string) croissant.Version {
	for _, a := range addresses {
		for _, v := range []croissant.Version{croissant.V10, croissant.V11} {
			if a == v.ConformsTo() {
				return v
			}
		}
	}
	return ""
}

// missingTerms warns when an inline context lacks terms of the format.
func (c *checker) missingTerms() {
	root, _ := c.doc.Root.(map[string]any)
	if _, inline := root["@context"].(map[string]any); !inline {
		return
	}
	var missing []string
	for _, name := range append([]string{"@language", "@vocab", "conformsTo", "cr", "dct", "rai", "sc"}, ownTerms()...) {
		if !c.doc.Terms(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		// Without @language the library refuses the document; it does without the others.
		c.findings.addAs("W02", !slices.Contains(missing, "@language"), "/@context", "", "@context lacks %s; copy the whole context of the format, because readers compare it", strings.Join(missing, ", "))
	}
}

// findDataset returns the node that the document describes. It reports when that is not
// a dataset, and returns nil when there is no node at all.
func (c *checker) findDataset(g *graph.Graph) *graph.Node {
	root := g.Root()
	if root != nil && root.Has(typeDataset) {
		return root
	}
	var sets []*graph.Node
	for _, n := range g.Nodes {
		if n.Has(typeDataset) {
			sets = append(sets, n)
		}
	}
	if len(sets) > 1 {
		// Datasets that are only mentioned, as in isBasedOn, do not count.
		described := slices.DeleteFunc(slices.Clone(sets), func(n *graph.Node) bool {
			return n.Values(propDistribution) == nil && n.Values(propRecordSet) == nil && n.Values(propConformsTo) == nil
		})
		if len(described) != 1 {
			c.addAs("E001", true, sets[1], sets[1].Pointer, "%d objects are of type Dataset, and a document describes one; remove the others, or move them to documents of their own", len(sets))
			return sets[0]
		}
		sets = described
	}
	switch {
	case len(sets) == 1:
		return sets[0]
	case root == nil:
		c.findings.add("E001", "/@graph", "", `no object is of type Dataset; add "@type": "sc:Dataset" to the object that describes the dataset`)
	case root.TypeKey != "":
		c.add("E001", root, root.TypeKey, "the document is of type %s; it must be sc:Dataset", curies(root.Types))
	default:
		c.add("E001", root, "/@type", `the document has no @type; add "@type": "sc:Dataset"`)
	}
	return root
}

// meaningless reports objects without @id, @type and values: the reference library does
// not terminate on them. It runs last, because an object that already has a finding is
// not reported again.
func (c *checker) meaningless(g *graph.Graph) {
	reported := map[string]bool{}
	for _, f := range c.report.Errors {
		reported[f.Path] = true
		reported[parent(f.Path)] = true
	}
	for _, n := range g.Nodes {
		if hasContent(n) || reported[n.Pointer] {
			continue
		}
		c.add("E049", n, n.Pointer, "the object says nothing: it has no @id, no @type and no property that has a value; leave it out")
	}
}

// hasContent reports whether an object has an @id, a type or a value.
func hasContent(n *graph.Node) bool {
	if n.ID != "" || len(n.Types) > 0 {
		return true
	}
	for _, p := range n.Properties {
		if len(p.Values) > 0 {
			return true
		}
	}
	return false
}

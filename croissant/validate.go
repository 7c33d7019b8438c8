package croissant

import (
	"slices"
	"strings"

	"vaak/croissant/graph"
)

// MaxDocument is the size of the largest document that is checked, in bytes.
const MaxDocument = 1 << 20

// Validate checks a document against the rules of its version, and says all that
// is wrong with it. It takes any bytes; it opens and fetches nothing, and its work
// is bounded. Safe for concurrent use.
func Validate(document []byte) Report {
	f := newFindings()
	if len(document) > MaxDocument {
		f.addAs("E000", true, "", "", "the document has more than %d bytes, the most that are checked: describe many files by one FileSet, and long tables by a file", MaxDocument)
		return f.done()
	}
	doc := graph.Read(document)
	switch _, object := doc.Root.(map[string]any); {
	case doc.Readable && object:
		c := &checker{doc: doc, findings: f, checked: map[use][]string{}}
		c.read()
	case doc.Readable:
		f.add("E001", "", "", `the root of the document is not an object; it must be one, with @context and "@type": "sc:Dataset"`)
		f.problems(doc)
	default:
		f.problems(doc)
	}
	return f.done()
}

// problems adds what was found when the document was read.
func (f *findings) problems(doc *graph.Document) {
	for _, p := range doc.Problems {
		f.addAs(problemCode(p), p.Passes, p.Pointer, "", "%s", p.Message)
	}
	f.report.Omitted += doc.Omitted
}

func problemCode(p graph.Problem) string {
	switch p.Kind {
	case graph.Syntax:
		return "E000"
	case graph.Context:
		return "E002"
	case graph.ID:
		return "E020"
	case graph.OldSpace:
		return "W06"
	case graph.Language:
		switch p.Property {
		case propName:
			return "E017"
		case propDescription:
			return "E011"
		}
		return "E049"
	}
	return "E001"
}

// done sorts what was found.
func (f *findings) done() Report {
	order := func(a, b Finding) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.Code, b.Code)
	}
	slices.SortStableFunc(f.report.Errors, order)
	slices.SortStableFunc(f.report.Warnings, order)
	return f.report
}

// checker applies the rules to one document.
type checker struct {
	*findings
	doc        *graph.Document
	version    Version
	live       bool
	dataset    *graph.Node
	files      map[string]*graph.Node      // what is in distribution, by @id
	fields     map[string]*graph.Node      // all fields, by @id
	parents    map[*graph.Node]*graph.Node // record set or field that a field is in
	sets       []*graph.Node
	named      map[string]bool             // the @ids of the record sets
	types      map[string]bool             // the data types that are known
	setOf      map[*graph.Node]*graph.Node // record set that a field is in, however deep
	checked    map[use][]string            // what need not be checked again, and the @ids that it names
	typed      map[*graph.Node]bool        // whether a field has one of them, its own or another's
	oldContext bool                        // the context has addresses that begin with http://schema.org/
	shared     map[*graph.Node]bool        // fields that are in more than one record set
}

// read expands the document and applies all rules.
func (c *checker) read() {
	c.doc.Prepare(canonical())
	c.doc.RequirePrefixes(prefixes())
	c.version = known(c.doc.Peek(propConformsTo))
	if c.version != "" {
		c.report.ConformsTo = c.version.ConformsTo()
	} else {
		c.version = V10
	}
	c.doc.RequireVocabulary(schemaOrg, schemaNames())
	c.doc.Require(required(c.version))
	c.missingTerms()
	g := c.doc.Expand()
	c.judge(g)
	c.problems(c.doc) // nothing is added to them after this
	if g.Err != "" {
		c.findings.add("E001", "", "", "the document is not JSON-LD that can be read: %s", g.Err)
		return
	}
	if c.dataset = c.findDataset(g); c.dataset == nil {
		c.duplicates(g)
		return
	}
	c.checkDataset()
	files := c.checkDistribution()
	c.checkRecordSets()
	c.containment(files)
	c.duplicates(g)
	c.meaningless(g)
}

// duplicates reports what is defined more than once. It comes when it is known which
// record sets a field is in.
func (c *checker) duplicates(g *graph.Graph) {
	for _, d := range g.Duplicates {
		c.addAs("E021", c.merges(d), d.Node, graph.Child(d.Pointer, "@id"), "the @id %s is defined twice, here and at %s; give one of them another @id, or leave only {\"@id\": ...} here", quote(d.Node.Written), quote(d.Node.Pointer))
	}
}

// known returns the first of the addresses that names a version.
func known(addresses []string) Version {
	for _, a := range addresses {
		for _, v := range []Version{V10, V11} {
			if a == v.ConformsTo() {
				return v
			}
		}
	}
	return ""
}

// missingTerms tells which names of the format the context does not have.
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
		c.findings.addAs("W02", !slices.Contains(missing, "@language"), "/@context", "", "@context lacks %s; copy the whole context of the format, because readers compare it", strings.Join(missing, ", "))
	}
}

// findDataset returns the node that the document is about; nil when none can be it.
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

// add adds a finding about a node, loadable or not as its rule says.
func (c *checker) add(code string, n *graph.Node, path, format string, args ...any) {
	c.findings.add(code, path, n.Written, format, args...)
}

// addAs adds a finding about a node, of which it is known whether it is loadable.
func (c *checker) addAs(code string, loadable bool, n *graph.Node, path, format string, args ...any) {
	c.findings.addAs(code, loadable, path, n.Written, format, args...)
}

// at returns where a property of a node is, or where it would be.
func (c *checker) at(n *graph.Node, iri string) string {
	if p := n.Properties[iri]; p != nil {
		return p.Pointer
	}
	return graph.Child(n.Pointer, c.doc.Name(iri))
}

// key returns how the document writes the name of a property of a node.
func (c *checker) key(n *graph.Node, iri string) string {
	if p := n.Properties[iri]; p != nil && p.Key != "" {
		return p.Key
	}
	return c.doc.Name(iri)
}

// label names a node in a message.
func label(n *graph.Node) lazy { return func() string { return labelOf(n) } }

func labelOf(n *graph.Node) string {
	if n.Has(typeDataset) {
		return "the dataset"
	}
	what := "the object"
	for _, t := range []string{typeFileObject, typeFileSet, typeRecordSet, typeField} {
		if n.Has(t) {
			_, what, _ = strings.Cut(curie(t), ":")
			break
		}
	}
	switch {
	case n.Written != "":
	case n.Pointer == "":
		return "the document"
	default:
		return what + " at " + quoted(n.Pointer)
	}
	return what + " " + quoted(n.Written)
}

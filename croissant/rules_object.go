package croissant

import (
	"cmp"
	"strings"

	"vaak/croissant/graph"
)

// itself reports a value that is a file, a field or the like where an object that
// names one is asked for, and says whether it is such a value. property is what most
// often names one there.
func (c *checker) itself(code string, n *graph.Node, v graph.Value, what, property string) bool {
	to := v.Node
	is := label(to)
	switch {
	case !to.Defined:
		is = func() string { return quoted(to.Written) + ", which is not defined" }
	case to.TypeKey == "", namesSource(to) && (to.Pointer == v.Pointer || !to.Has(typeRecordSet)):
		return false // a source, perhaps with a type that it should not have
	case to.Has(typeFileObject):
		property = "fileObject"
	case to.Has(typeFileSet):
		property = "fileSet"
	case to.Has(typeField):
		property = "field"
	case to.Has(typeRecordSet):
		c.add(code, n, v.Pointer, "%s of %s is %s; name the field of it that is meant: {\"field\": {\"@id\": \"...\"}}, or a file by fileObject or fileSet", what, label(n), is)
		return true
	default:
		if to.Pointer == v.Pointer {
			return false
		}
		c.add(code, n, v.Pointer, "%s of %s is %s; it must be an object with exactly one of field, fileObject and fileSet: {\"%s\": {\"@id\": \"...\"}}", what, label(n), is, property)
		return true
	}
	id := cmp.Or(to.Written, "...")
	c.add(code, n, v.Pointer, "%s of %s is %s itself; put it in the one of field, fileObject and fileSet that fits: {\"%s\": {\"@id\": %s}}", what, label(n), is, property, quote(id))
	return true
}

// namesSource says whether an object has a property that says where a source leads.
func namesSource(n *graph.Node) bool {
	for _, iri := range sources() {
		if len(n.Values(iri)) > 0 {
			return true
		}
	}
	return false
}

// meaningless reports the objects that say nothing: the reference library goes round
// in them for ever. Where one already has a finding, that is enough, so this comes
// last.
func (c *checker) meaningless(g *graph.Graph) {
	told := map[string]bool{}
	for _, f := range c.report.Errors {
		told[f.Path] = true
		told[f.Path[:max(0, strings.LastIndexByte(f.Path, '/'))]] = true
	}
	for _, n := range g.Nodes {
		if says(n) || told[n.Pointer] {
			continue
		}
		c.add("E049", n, n.Pointer, "the object says nothing: it has no @id, no @type and no property that has a value; leave it out")
	}
}

// says says whether an object has anything that means something.
func says(n *graph.Node) bool {
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

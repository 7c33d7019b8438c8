package croissant

import (
	"slices"
	"strconv"
	"strings"

	"vaak/croissant/graph"
)

func itoa(n int) string { return strconv.Itoa(n) }

// checkField checks a field and those inside it.
//
// read says that the record set has rows, or that something in it says where they come
// from.
func (c *checker) checkField(n *graph.Node, hasData, read bool) {
	c.fieldItself(n)
	inside := c.own(n, propSubField)
	if n.Values(propSubField) == nil {
		c.leaf(n, hasData, read)
		c.dataType(n)
	}
	for _, f := range inside {
		c.checkField(f, hasData, true) // the reference library does not look at these
	}
	c.annotations(n)
}

// fieldItself checks what a field or annotation says of itself.
func (c *checker) fieldItself(n *graph.Node) {
	c.name(n, true)
	c.texts("E049", n, propDescription)
	for _, iri := range []string{croissant + "repeated", propIsArray, croissant + "isEnumeration"} {
		c.booleans("E049", n, iri)
	}
	c.texts("E049", n, croissant+"equivalentProperty")
	c.fieldSources(n)
	if c.sourced(n) && n.Values(propValue) != nil {
		c.add("E044", n, c.at(n, propValue), "%s has value and source; keep value when it is the same in all records, else source", label(n))
	}
	c.arrayShape(n)
	c.one(n, propSource, propReferences, propParentField, propIsArray, propArrayShape, croissant+"repeated")
}

func (c *checker) sourced(n *graph.Node) bool { return n.Values(propSource) != nil }

// leaf checks that the values of a field come from somewhere.
func (c *checker) leaf(n *graph.Node, hasData, read bool) {
	value := n.Values(propValue) != nil
	switch {
	case c.sourced(n) || hasData || value && c.version != V10:
	case value:
		c.addAs("E032", true, n, c.at(n, propSource), "%s has value and no source, and value is of version 1.1; give the source, or say in conformsTo that the document is in 1.1", label(n))
	case c.version == V10:
		c.addAs("E032", read, n, c.at(n, propSource), "%s has no source; say which file or field its values come from, or give the RecordSet data", label(n))
	default:
		c.addAs("E032", read, n, c.at(n, propSource), "%s has no source and no value; say which file or field its values come from, or give the RecordSet data", label(n))
	}
}

// naming is a property that names where values are, and how it is checked.
type naming struct {
	iri, what    string
	code, absent string // rules of its form, and of what it names and is not there
	usual        string // what is most often named by it
	form         string
}

func ofSource() naming {
	return naming{propSource, "source", "E036", "E033", "fileObject",
		`an object with exactly one of field, fileObject and fileSet: {"fileObject": {"@id": "..."}, "extract": {"column": "..."}}`}
}

func ofReferences() naming {
	return naming{propReferences, "references", "E038", "E038", "field", `an object: {"field": {"@id": "..."}}`}
}

// fieldSources checks source, references and parentField.
func (c *checker) fieldSources(n *graph.Node) {
	c.names(n, n, ofSource())
	c.names(n, n, ofReferences())
	for _, v := range n.Values(propParentField) {
		if v.Node == nil {
			c.add("E049", n, v.Pointer, "parentField of %s is %s; it must be an object with source or references", label(n), kind(v))
			continue
		}
		if !c.first(v.Node, "parentField") {
			continue
		}
		c.untyped(n, v.Node, "E036", "parentField")
		c.names(n, v.Node, ofReferences())
		c.names(n, v.Node, ofSource())
	}
}

// names checks what a field names by a property, in itself or in a part of it.
func (c *checker) names(n, part *graph.Node, by naming) {
	for _, v := range part.Values(by.iri) {
		switch {
		case v.Node == nil:
			c.add(by.code, n, v.Pointer, "%s of %s is %s; it must be %s", by.what, label(n), kind(v), by.form)
		case c.itself(by.code, n, v, by.what, by.usual):
		default:
			c.checkSource(n, v.Node, by.code)
			c.exists(by.absent, n, v.Node, part != n) // the library does not follow those of a parentField
		}
	}
}

// arrayShape checks the shape of arrays.
func (c *checker) arrayShape(n *graph.Node) {
	vs := n.Values(propArrayShape)
	if len(vs) == 0 {
		return
	}
	isArray := slices.ContainsFunc(n.Values(propIsArray), func(v graph.Value) bool { return v.Literal == true })
	if !isArray {
		c.add("E045", n, c.at(n, propIsArray), "%s has arrayShape and is not an array; add %q: true", label(n), c.key(n, propIsArray))
	}
	for _, v := range vs {
		s, text := v.Text()
		if !text || !isShape(s) {
			c.addAs("E045", text && (s == "" || isIntegers(s)), n, v.Pointer, "arrayShape of %s is %s; it must be text of whole numbers with commas, -1 where the size is not known, as in \"-1,3\"", label(n), kind(v))
		}
	}
}

func isShape(s string) bool {
	for part := range strings.SplitSeq(s, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(part)); err != nil || n < -1 {
			return false
		}
	}
	return true
}

// isIntegers says whether a text is what the reference library takes for a shape.
func isIntegers(s string) bool {
	for part := range strings.SplitSeq(s, ",") {
		if _, err := strconv.Atoi(strings.TrimSpace(part)); err != nil {
			return false
		}
	}
	return true
}

// annotations checks the annotations of a field or record set.
func (c *checker) annotations(n *graph.Node) {
	for _, v := range n.Values(propAnnotation) {
		if c.is(v, typeField, "E031", n, c.key(n, propAnnotation)) && c.parents[v.Node] == nil {
			c.parents[v.Node] = n
			c.fieldItself(v.Node)
		}
	}
}

// typeNames names the types that are known.
func typeNames() string { return strings.Join(dataTypes(), ", ") }

// dataType checks that a field has a type that readers know.
func (c *checker) dataType(n *graph.Node) {
	if c.hasType(n) {
		c.oldType(n)
		return
	}
	vs := n.Values(propDataType)
	if len(vs) == 0 {
		c.add("E034", n, c.at(n, propDataType), "%s has no dataType, and comes from no field that has one; give one of %s", label(n), lazy(typeNames))
		return
	}
	var names []string
	for _, v := range vs {
		if name := target(v); name != "" {
			names = append(names, curie(graph.Schema(name)))
		}
	}
	path := c.at(n, propDataType)
	if len(vs) == 1 {
		path = vs[0].Pointer
	}
	mend := "give one of"
	if len(names) == 0 {
		c.add("E034", n, path, "dataType of %s is %s; it must be the name of a type, one of %s", label(n), kind(vs[0]), lazy(typeNames))
		return
	} else if _, text := vs[0].Text(); text {
		mend = "that is text which is not read as a name; write the name alone, without @value, one of"
	} else if meaning(names) {
		mend = "that says what the values mean; add what they are, one of"
	}
	c.add("E034", n, path, "dataType of %s is %s; %s %s", label(n), quotes(names, len(names)), mend, lazy(typeNames))
}

// oldType warns of types that are known but for their spelling, unless the context is
// the cause and is reported.
func (c *checker) oldType(n *graph.Node) {
	known := slices.ContainsFunc(n.Values(propDataType), func(v graph.Value) bool { return c.types[target(v)] })
	for _, v := range n.Values(propDataType) {
		if name := target(v); strings.HasPrefix(name, oldSchemaOrg) && !c.oldContext {
			c.addAs("W06", known || !c.types[graph.Schema(name)], n, v.Pointer, "dataType %s of %s begins with http://, and the format's schema.org addresses begin with https://schema.org/", quote(name), label(n))
		}
	}
}

// meaning says whether all types are such that say what values mean, not what they
// are.
func meaning(names []string) bool {
	return !slices.ContainsFunc(names, func(s string) bool {
		return s != "cr:Label" && s != "cr:Split" && s != "cr:SegmentationMask"
	})
}

// hasType says whether a field has a known type, or the field that it comes from
// has, however far that is.
func (c *checker) hasType(n *graph.Node) bool {
	var way []*graph.Node
	found := false
	for n != nil {
		known, done := c.typed[n]
		if done {
			found = known
			break
		}
		c.typed[n] = false // should the way lead back here
		way = append(way, n)
		if found = c.isTyped(n); found || n.Values(propSubField) != nil {
			found = true
			break
		}
		n = c.sourceField(n)
	}
	for _, n := range way {
		c.typed[n] = found
	}
	return found
}

func (c *checker) isTyped(n *graph.Node) bool {
	for _, v := range n.Values(propDataType) {
		if c.types[graph.Schema(target(v))] {
			return true
		}
	}
	return false
}

// sourceField returns the field that a field comes from; nil when that is a file.
func (c *checker) sourceField(n *graph.Node) *graph.Node {
	for _, v := range n.Values(propSource) {
		if v.Node == nil {
			continue
		}
		for _, f := range v.Node.Values(propField) {
			return c.fields[target(f)]
		}
	}
	return nil
}

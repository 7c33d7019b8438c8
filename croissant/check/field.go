package check

import (
	"slices"
	"strconv"
	"strings"

	"vaak/croissant"
	"vaak/croissant/graph"
)

// fieldRules checks fields.
type fieldRules struct {
	*sourceRules
	dataTypes map[string]bool      // addresses of the types that readers know
	typed     map[*graph.Node]bool // whether a field has a type; see hasDataType
}

func newFieldRules(sources *sourceRules) *fieldRules {
	r := &fieldRules{sources, map[string]bool{}, map[*graph.Node]bool{}}
	for _, name := range dataTypes() {
		r.dataTypes[full(name)] = true
	}
	return r
}

// check checks a field and the fields inside it. hasData says that the document contains
// the rows of the record set. sourced says that it does, or that some field of the record
// set has a source.
func (r *fieldRules) check(n *graph.Node, hasData, sourced bool) {
	r.properties(n)
	// A field with fields inside it is only a group: the inner fields have types and sources.
	inside := r.own(n, propSubField)
	if n.Values(propSubField) == nil {
		r.origin(n, hasData, sourced)
		r.dataType(n)
	}
	for _, f := range inside {
		r.check(f, hasData, true) // the library ignores a missing source here
	}
	r.annotations(n)
}

// properties checks the properties of a field or an annotation.
func (r *fieldRules) properties(n *graph.Node) {
	r.name(n, true)
	r.texts("E049", n, propDescription)
	for _, iri := range []string{mlcommons + "repeated", propIsArray, mlcommons + "isEnumeration"} {
		r.booleans("E049", n, iri)
	}
	r.texts("E049", n, mlcommons+"equivalentProperty")
	r.fieldSources(n)
	if hasSource(n) && n.Values(propValue) != nil {
		// A constant and a source contradict each other.
		r.add("E044", n, r.at(n, propValue), "%s has value and source; keep value when it is the same in all records, else source", label(n))
	}
	r.arrayShape(n)
	r.one(n, propSource, propReferences, propParentField, propIsArray, propArrayShape, mlcommons+"repeated")
}

func hasSource(n *graph.Node) bool { return n.Values(propSource) != nil }

// origin checks that a field without fields inside it says where its values come from.
func (r *fieldRules) origin(n *graph.Node, hasData, sourced bool) {
	value := n.Values(propValue) != nil
	switch {
	case hasSource(n) || hasData || value && r.version != croissant.V10:
	case value:
		r.addAs("E032", true, n, r.at(n, propSource), "%s has value and no source, and value is of version 1.1; give the source, or say in conformsTo that the document is in 1.1", label(n))
	case r.version == croissant.V10:
		r.addAs("E032", sourced, n, r.at(n, propSource), "%s has no source; say which file or field its values come from, or give the RecordSet data", label(n))
	default:
		r.addAs("E032", sourced, n, r.at(n, propSource), "%s has no source and no value; say which file or field its values come from, or give the RecordSet data", label(n))
	}
}

// naming is a property whose value is a source: an object that names a file or a field.
type naming struct {
	iri, what    string
	code, absent string // the rule for its form, and the rule for names of nothing
	usual        string // the property that such an object most often has
	form         string // what is allowed, for messages
}

func ofSource() naming {
	return naming{propSource, "source", "E036", "E033", "fileObject",
		`an object with exactly one of field, fileObject and fileSet: {"fileObject": {"@id": "..."}, "extract": {"column": "..."}}`}
}

func ofReferences() naming {
	return naming{propReferences, "references", "E038", "E038", "field", `an object: {"field": {"@id": "..."}}`}
}

// fieldSources checks source, references and parentField. A parentField is an object that
// has a source and references of its own.
func (r *fieldRules) fieldSources(n *graph.Node) {
	r.names(n, n, ofSource())
	r.names(n, n, ofReferences())
	for _, v := range n.Values(propParentField) {
		if v.Node == nil {
			r.add("E049", n, v.Pointer, "parentField of %s is %s; it must be an object with source or references", label(n), kind(v))
			continue
		}
		if !r.first(v.Node, "parentField") {
			continue
		}
		r.untyped(n, v.Node, "E036", "parentField")
		r.names(n, v.Node, ofReferences())
		r.names(n, v.Node, ofSource())
	}
}

// names checks the sources that part has by a property. part is the field n, or its
// parentField.
func (r *fieldRules) names(n, part *graph.Node, by naming) {
	for _, v := range part.Values(by.iri) {
		switch {
		case v.Node == nil:
			r.add(by.code, n, v.Pointer, "%s of %s is %s; it must be %s", by.what, label(n), kind(v), by.form)
		case r.itself(by.code, n, v, by.what, by.usual):
		default:
			r.source(n, v.Node, by.code)
			r.exists(by.absent, n, v.Node, part != n) // the library does not follow a parentField
		}
	}
}

// arrayShape checks the shape of a field whose values are arrays.
func (r *fieldRules) arrayShape(n *graph.Node) {
	vs := n.Values(propArrayShape)
	if len(vs) == 0 {
		return
	}
	// isArray must be the boolean: the text "true" is reported by properties and does not count.
	isArray := slices.ContainsFunc(n.Values(propIsArray), func(v graph.Value) bool { return v.Literal == true })
	if !isArray {
		r.add("E045", n, r.at(n, propIsArray), "%s has arrayShape and is not an array; add %q: true", label(n), r.key(n, propIsArray))
	}
	for _, v := range vs {
		s, text := v.Text()
		if !text || !isShape(s) {
			r.addAs("E045", text && (s == "" || isIntegers(s)), n, v.Pointer, "arrayShape of %s is %s; it must be text of whole numbers with commas, -1 where the size is not known, as in \"-1,3\"", label(n), kind(v))
		}
	}
}

// isShape reports whether a text lists sizes: whole numbers from 0, or -1 for any size.
func isShape(s string) bool {
	for part := range strings.SplitSeq(s, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(part)); err != nil || n < -1 {
			return false
		}
	}
	return true
}

// isIntegers reports whether the reference library accepts a text as a shape.
func isIntegers(s string) bool {
	for part := range strings.SplitSeq(s, ",") {
		if _, err := strconv.Atoi(strings.TrimSpace(part)); err != nil {
			return false
		}
	}
	return true
}

// annotations checks the annotations of a field or record set. They are fields too, but no
// rule asks where their values come from.
func (r *fieldRules) annotations(n *graph.Node) {
	for _, v := range n.Values(propAnnotation) {
		if r.hasType(v, typeField, "E031", n, r.key(n, propAnnotation)) && r.parents[v.Node] == nil {
			r.parents[v.Node] = n
			r.properties(v.Node)
		}
	}
}

// typeNames lists the data types, for messages.
func typeNames() string { return strings.Join(dataTypes(), ", ") }

// dataType checks that a field has a data type that readers know.
func (r *fieldRules) dataType(n *graph.Node) {
	if r.hasDataType(n) {
		r.oldType(n)
		return
	}
	vs := n.Values(propDataType)
	if len(vs) == 0 {
		r.add("E034", n, r.at(n, propDataType), "%s has no dataType, and comes from no field that has one; give one of %s", label(n), lazy(typeNames))
		return
	}
	var names []string
	for _, v := range vs {
		if name := target(v); name != "" {
			names = append(names, curie(graph.Schema(name)))
		}
	}
	// One wrong value is reported at itself, several at the property.
	path := r.at(n, propDataType)
	if len(vs) == 1 {
		path = vs[0].Pointer
	}
	mend := "give one of"
	if len(names) == 0 {
		r.add("E034", n, path, "dataType of %s is %s; it must be the name of a type, one of %s", label(n), kind(vs[0]), lazy(typeNames))
		return
	} else if _, text := vs[0].Text(); text {
		mend = "that is text which is not read as a name; write the name alone, without @value, one of"
	} else if onlyMeaning(names) {
		mend = "that says what the values mean; add what they are, one of"
	}
	r.add("E034", n, path, "dataType of %s is %s; %s %s", label(n), quotes(names, len(names)), mend, lazy(typeNames))
}

// oldType warns about types that are written with http://schema.org/. It is silent where
// the context is the cause, because that is reported already.
func (r *fieldRules) oldType(n *graph.Node) {
	known := slices.ContainsFunc(n.Values(propDataType), func(v graph.Value) bool { return r.dataTypes[target(v)] })
	for _, v := range n.Values(propDataType) {
		if name := target(v); strings.HasPrefix(name, oldSchemaOrg) && !r.oldContext {
			r.addAs("W06", known || !r.dataTypes[graph.Schema(name)], n, v.Pointer, "dataType %s of %s begins with http://, and the format's schema.org addresses begin with https://schema.org/", quote(name), label(n))
		}
	}
}

// onlyMeaning reports whether all types say what the values mean, such as a label, and
// none says what they are, such as text.
func onlyMeaning(names []string) bool {
	return !slices.ContainsFunc(names, func(s string) bool {
		return s != "cr:Label" && s != "cr:Split" && s != "cr:SegmentationMask"
	})
}

// hasDataType reports whether a field has a known data type, or the field that its values
// come from has, however long that chain is. It remembers the answer of every field on
// the chain, so that the work on all fields is linear.
func (r *fieldRules) hasDataType(n *graph.Node) bool {
	var chain []*graph.Node
	found := false
	for n != nil {
		known, done := r.typed[n]
		if done {
			found = known
			break
		}
		r.typed[n] = false // ends the loop if the chain comes back to this field
		chain = append(chain, n)
		// A field with inner fields counts as typed: its inner fields have the types.
		if found = r.isTyped(n); found || n.Values(propSubField) != nil {
			found = true
			break
		}
		n = r.sourceField(n)
	}
	for _, n := range chain {
		r.typed[n] = found
	}
	return found
}

// isTyped reports whether a field itself has a known data type.
func (r *fieldRules) isTyped(n *graph.Node) bool {
	for _, v := range n.Values(propDataType) {
		if r.dataTypes[graph.Schema(target(v))] {
			return true
		}
	}
	return false
}

// sourceField returns the field that the values of a field come from, or nil where that is
// a file.
func (r *fieldRules) sourceField(n *graph.Node) *graph.Node {
	for _, v := range n.Values(propSource) {
		if v.Node == nil {
			continue
		}
		// Only the first field of a source counts.
		for _, f := range v.Node.Values(propField) {
			return r.fields[target(f)]
		}
	}
	return nil
}

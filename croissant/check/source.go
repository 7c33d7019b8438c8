package check

import (
	"cmp"
	"encoding/json"
	"strings"

	"vaak/croissant"
	"vaak/croissant/check/jsonpath"
	"vaak/croissant/graph"
)

// sourceRules checks sources and references: objects that say which file or field values
// come from, and how to get them out of there.
type sourceRules struct {
	*subject
	*inventory
}

// sources returns the properties by which a source names a file or a field.
func sources() []string { return []string{propField, propFileObject, propFileSet} }

// source checks a source or reference of a node, and returns the @ids that it names. code
// is the rule that requires exactly one such name. An object that several nodes refer to
// is checked once, for the first of them.
func (r *sourceRules) source(n, source *graph.Node, code string) []string {
	// Documents may use one source object in thousands of fields.
	ids, checked := r.checked[use{source, code}]
	if !checked {
		ids = r.sourceObject(n, source, code)
		r.checked[use{source, code}] = ids
	}
	return ids
}

// sourceObject checks the object of a source.
func (r *sourceRules) sourceObject(n, source *graph.Node, code string) []string {
	r.untyped(n, source, code, "a source")
	var ids, present []string
	for _, iri := range sources() {
		for _, v := range source.Values(iri) {
			ids = append(ids, target(v))
		}
		if source.Values(iri) != nil {
			present = append(present, r.key(source, iri))
		}
	}
	switch {
	case len(present) > 1:
		r.add(code, n, source.Pointer, "a source of %s has %s; keep exactly one of field, fileObject and fileSet", label(n), strings.Join(present, " and "))
	// recordSet is not one of the three properties: readers need the field that is meant.
	case len(present) == 0 && source.Values(propRecordSet) != nil:
		r.add(code, n, r.at(source, propRecordSet), "a source of %s names a RecordSet; name the field of it that is meant: {\"field\": {\"@id\": \"...\"}}", label(n))
	case len(present) == 0:
		r.add(code, n, source.Pointer, "a source of %s names nothing; it must have exactly one of field, fileObject and fileSet: {\"fileObject\": {\"@id\": \"...\"}}", label(n))
	}
	r.one(source, sources()...)
	r.extracts(n, source)
	r.transforms(n, source)
	r.samplingRate(n, source)
	r.texts("E049", source, mlcommons+"format")
	return ids
}

// untyped reports an @type on an object that must not have one.
func (r *sourceRules) untyped(n, part *graph.Node, code, what string) {
	if part.TypeKey != "" {
		r.add(code, n, part.TypeKey, "%s of %s is of type %s; it has no @type, so leave it out", what, label(n), curies(part.Types))
	}
}

// extracts checks which part of a file the values are.
func (r *sourceRules) extracts(n, source *graph.Node) {
	r.one(source, propExtract)
	for _, v := range source.Values(propExtract) {
		if v.Node == nil {
			r.add("E037", n, v.Pointer, "extract of %s is %s; it must be an object with one of column, fileProperty and jsonPath", label(n), kind(v))
			continue
		}
		if !r.first(v.Node, "E037") {
			continue
		}
		r.untyped(n, v.Node, "E037", "extract")
		var present []string
		for _, iri := range []string{propColumn, propFileProperty, propJSONPath} {
			// An empty text counts as absent.
			if !empty(v.Node, iri) {
				present = append(present, r.key(v.Node, iri))
			}
			r.one(v.Node, iri)
		}
		if len(present) == 0 {
			r.add("E037", n, v.Pointer, "extract of %s has none of column, fileProperty and jsonPath; add the one that says what to read", label(n))
		} else if len(present) > 1 {
			r.add("E037", n, v.Pointer, "extract of %s has %s; keep exactly one of column, fileProperty and jsonPath", label(n), strings.Join(present, " and "))
		}
		r.texts("E049", v.Node, propColumn)
		r.fileProperty(n, v.Node)
		r.jsonPaths(n, v.Node, false)
	}
}

// fileProperty checks the name of a property of files.
func (r *sourceRules) fileProperty(n, extract *graph.Node) {
	for _, v := range extract.Values(propFileProperty) {
		s, _ := v.Text()
		switch s {
		case "content", "filename", "filepath", "fullpath", "lines", "lineNumbers":
			continue
		}
		r.add("E035", n, v.Pointer, "fileProperty of %s is %s; it must be one of content, filename, filepath, fullpath, lines, lineNumbers", label(n), kind(v))
	}
}

// jsonPaths checks the JSON paths of an extract or a transform. The reference library does
// not parse those of a transform, so it loads the document all the same.
func (r *sourceRules) jsonPaths(n, part *graph.Node, transform bool) {
	for _, v := range part.Values(propJSONPath) {
		s, text := v.Text()
		switch wrong := jsonpath.Check(s); {
		case !text:
			r.add("E043", n, v.Pointer, "jsonPath of %s is %s; it must be text, as in \"$.items[*].name\"", label(n), kind(v))
		case s != "" && wrong != "":
			r.addAs("E043", transform, n, v.Pointer, "jsonPath of %s is %s, and %s; write it as in \"$.items[*].name\"", label(n), quote(s), wrong)
		}
	}
}

// textTransforms returns the properties of a transform that hold text. It must have exactly
// one of them, unless one of flagTransforms is true.
func textTransforms() []string {
	return []string{mlcommons + "format", propJSONPath, mlcommons + "regex", mlcommons + "replace", mlcommons + "separator"}
}

// flagTransforms returns the properties of a transform that are true or false.
func flagTransforms() []string { return []string{mlcommons + "readLines", mlcommons + "unArchive"} }

// transforms checks how values that were read are changed.
func (r *sourceRules) transforms(n, source *graph.Node) {
	for _, v := range source.Values(propTransform) {
		if v.Node == nil {
			r.add("E042", n, v.Pointer, "transform of %s is %s; it must be an object with one of format, jsonPath, regex, replace, separator, readLines, unArchive", label(n), kind(v))
			continue
		}
		if r.first(v.Node, "E042") {
			r.transform(n, v.Node)
		}
	}
}

func (r *sourceRules) transform(n, t *graph.Node) {
	r.untyped(n, t, "E042", "transform")
	var present []string
	for _, iri := range textTransforms() {
		if !empty(t, iri) {
			present = append(present, r.key(t, iri))
		}
		if iri != propJSONPath {
			r.texts("E042", t, iri)
		}
		r.one(t, iri)
	}
	flagged := false
	for _, iri := range flagTransforms() {
		r.booleans("E042", t, iri)
		for _, v := range t.Values(iri) {
			flagged = flagged || v.Literal == true
		}
	}
	switch {
	case len(present) > 1:
		r.add("E042", n, t.Pointer, "transform of %s has %s; make an array of transforms with one each", label(n), strings.Join(present, " and "))
	case len(present) == 0 && !flagged && t.Values(mlcommons+"delimiter") != nil:
		r.add("E042", n, r.at(t, mlcommons+"delimiter"), "transform of %s has delimiter, which readers call separator; write separator", label(n))
	case len(present) == 0 && !flagged && r.unmapped(t) != "":
		key := r.unmapped(t)
		r.add("E042", n, r.at(t, schemaOrg+key), "transform of %s has %s, which is of version 1.1; say in conformsTo that the document is in 1.1, or write \"cr:%s\"; what 1.0 has is format, jsonPath, regex, replace, separator", label(n), key, key)
	case len(present) == 0 && !flagged:
		r.add("E042", n, t.Pointer, "transform of %s does nothing; give one of format, jsonPath, regex, replace, separator, readLines, unArchive", label(n))
	}
	r.jsonPaths(n, t, true)
	r.samplingRate(n, t)
}

// unmapped returns the property of version 1.1 that a transform in a document of 1.0 has,
// or "". The context of 1.0 does not map these names, so they are read as schema.org's.
func (r *sourceRules) unmapped(t *graph.Node) string {
	for _, key := range []string{"readLines", "unArchive"} {
		if r.version == croissant.V10 && len(t.Values(schemaOrg+key)) > 0 {
			return key
		}
	}
	return ""
}

// samplingRate checks the sample rate in a source or transform, in Hz.
func (r *sourceRules) samplingRate(n, part *graph.Node) {
	r.one(part, propSamplingRate)
	for _, v := range part.Values(propSamplingRate) {
		// A rate in quotes is text, which the library refuses.
		number, _ := v.Literal.(json.Number)
		if rate, ok := isInteger(string(number)); !ok || rate <= 0 {
			r.addAs("E046", ok, n, v.Pointer, "samplingRate of %s is %s; it must be a whole number of Hz without quotes, as in 16000", label(n), kind(v))
		}
	}
}

// exists checks that what a source names exists and is what the property says. inParent
// says that the source is in a parentField, which the library does not follow.
func (r *sourceRules) exists(code string, n, source *graph.Node, inParent bool) {
	if !r.first(source, code+" exists") {
		return
	}
	for _, iri := range sources() {
		for _, v := range source.Values(iri) {
			r.target(code, n, iri, v, inParent)
		}
	}
}

// target checks what one value of a source names. The reference library checks only that
// it exists, so naming the wrong kind of thing is loadable.
func (r *sourceRules) target(code string, n *graph.Node, iri string, v graph.Value, inParent bool) {
	id := target(v)
	key := iri[strings.LastIndexByte(iri, '/')+1:]
	file, field := r.files[id], r.fields[id]
	switch {
	case id == "":
		r.addAs(code, inParent, n, v.Pointer, "%s of %s is %s; name what is meant: {\"@id\": \"...\"}", key, label(n), kind(v))
	case file == nil && field == nil && r.isRecordSet(id):
		r.addAs(code, true, n, v.Pointer, "%s of %s names %s, which is a RecordSet; name the @id of a file of the distribution or of a field", key, label(n), quote(id))
	case file == nil && field == nil:
		r.addAs(code, inParent, n, v.Pointer, "%s of %s names %s, which is not defined; name the @id of a file of the distribution or of a field", key, label(n), quote(id))
	case iri == propField && field == nil:
		r.addAs(code, true, n, v.Pointer, "field of %s names %s, which is a file; write fileObject or fileSet", label(n), quote(id))
	case iri != propField && file == nil:
		r.addAs(code, true, n, v.Pointer, "%s of %s names %s, which is a field; write field", key, label(n), quote(id))
	case iri == propFileObject && !file.Has(typeFileObject):
		r.addAs(code, true, n, v.Pointer, "fileObject of %s names %s, which is a FileSet; write fileSet", label(n), quote(id))
	case iri == propFileSet && !file.Has(typeFileSet):
		r.addAs(code, true, n, v.Pointer, "fileSet of %s names %s, which is a FileObject; write fileObject", label(n), quote(id))
	}
}

// itself reports a value that is a file, a field or a record set itself, where an object
// that names one is required: {"@id": "a.csv"} in place of {"fileObject": {"@id":
// "a.csv"}}. Its result is whether the value is such. property is the name to suggest
// where the kind of thing does not decide it.
func (r *sourceRules) itself(code string, n *graph.Node, v graph.Value, what, property string) bool {
	to := v.Node
	is := label(to)
	switch {
	// Neither a source nor a thing of the document: the object only refers to something.
	case !to.Defined:
		is = func() string { return quoted(to.Written) + ", which is not defined" }
	case to.TypeKey == "", namesSource(to) && (to.Pointer == v.Pointer || !to.Has(typeRecordSet)):
		return false // a source, perhaps with an @type, which untyped reports
	case to.Has(typeFileObject):
		property = "fileObject"
	case to.Has(typeFileSet):
		property = "fileSet"
	case to.Has(typeField):
		property = "field"
	case to.Has(typeRecordSet):
		r.add(code, n, v.Pointer, "%s of %s is %s; name the field of it that is meant: {\"field\": {\"@id\": \"...\"}}, or a file by fileObject or fileSet", what, label(n), is)
		return true
	default:
		if to.Pointer == v.Pointer {
			return false
		}
		r.add(code, n, v.Pointer, "%s of %s is %s; it must be an object with exactly one of field, fileObject and fileSet: {\"%s\": {\"@id\": \"...\"}}", what, label(n), is, property)
		return true
	}
	id := cmp.Or(to.Written, "...")
	r.add(code, n, v.Pointer, "%s of %s is %s itself; put it in the one of field, fileObject and fileSet that fits: {\"%s\": {\"@id\": %s}}", what, label(n), is, property, quote(id))
	return true
}

// namesSource reports whether an object has a property that names a file or a field.
func namesSource(n *graph.Node) bool {
	for _, iri := range sources() {
		if len(n.Values(iri)) > 0 {
			return true
		}
	}
	return false
}

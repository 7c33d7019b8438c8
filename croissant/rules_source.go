package croissant

import (
	"encoding/json"
	"strings"

	"vaak/croissant/graph"
)

// sources returns the properties that say where a source leads.
func sources() []string { return []string{propField, propFileObject, propFileSet} }

// checkSource checks a source or reference of a node, and returns the @ids that it
// names. code is the rule that the choice of the property is under. What many nodes
// refer to is checked for the first of them.
func (c *checker) checkSource(n, source *graph.Node, code string) []string {
	ids, checked := c.checked[use{source, code}]
	if !checked {
		ids = c.sourceItself(n, source, code)
		c.checked[use{source, code}] = ids
	}
	return ids
}

// use is a node under the rule that it is checked by.
type use struct {
	node *graph.Node
	code string
}

// first says whether a node was not checked under a rule yet.
func (c *checker) first(n *graph.Node, code string) bool {
	if _, checked := c.checked[use{n, code}]; checked {
		return false
	}
	c.checked[use{n, code}] = nil
	return true
}

func (c *checker) sourceItself(n, source *graph.Node, code string) []string {
	c.untyped(n, source, code, "a source")
	var ids, present []string
	for _, iri := range sources() {
		for _, v := range source.Values(iri) {
			ids = append(ids, target(v))
		}
		if source.Values(iri) != nil {
			present = append(present, c.key(source, iri))
		}
	}
	switch {
	case len(present) > 1:
		c.add(code, n, source.Pointer, "a source of %s has %s; keep exactly one of field, fileObject and fileSet", label(n), strings.Join(present, " and "))
	case len(present) == 0 && source.Values(propRecordSet) != nil:
		c.add(code, n, c.at(source, propRecordSet), "a source of %s names a RecordSet; name the field of it that is meant: {\"field\": {\"@id\": \"...\"}}", label(n))
	case len(present) == 0:
		c.add(code, n, source.Pointer, "a source of %s names nothing; it must have exactly one of field, fileObject and fileSet: {\"fileObject\": {\"@id\": \"...\"}}", label(n))
	}
	c.one(source, sources()...)
	c.extracts(n, source)
	c.transforms(n, source)
	c.samplingRate(n, source)
	for _, iri := range []string{croissant + "format"} {
		c.texts("E049", source, iri)
	}
	return ids
}

// untyped reports a type where none may be.
func (c *checker) untyped(n, part *graph.Node, code, what string) {
	if part.TypeKey != "" {
		c.add(code, n, part.TypeKey, "%s of %s is of type %s; it has no @type, so leave it out", what, label(n), curies(part.Types))
	}
}

// extracts checks how a part of a file is chosen.
func (c *checker) extracts(n, source *graph.Node) {
	c.one(source, propExtract)
	for _, v := range source.Values(propExtract) {
		if v.Node == nil {
			c.add("E037", n, v.Pointer, "extract of %s is %s; it must be an object with one of column, fileProperty and jsonPath", label(n), kind(v))
			continue
		}
		if !c.first(v.Node, "E037") {
			continue
		}
		c.untyped(n, v.Node, "E037", "extract")
		var present []string
		for _, iri := range []string{propColumn, propFileProperty, propJSONPath} {
			if !empty(v.Node, iri) {
				present = append(present, c.key(v.Node, iri))
			}
			c.one(v.Node, iri)
		}
		if len(present) == 0 {
			c.add("E037", n, v.Pointer, "extract of %s has none of column, fileProperty and jsonPath; add the one that says what to read", label(n))
		} else if len(present) > 1 {
			c.add("E037", n, v.Pointer, "extract of %s has %s; keep exactly one of column, fileProperty and jsonPath", label(n), strings.Join(present, " and "))
		}
		c.texts("E049", v.Node, propColumn)
		c.fileProperty(n, v.Node)
		c.jsonPaths(n, v.Node, false)
	}
}

func (c *checker) fileProperty(n, extract *graph.Node) {
	for _, v := range extract.Values(propFileProperty) {
		s, _ := v.Text()
		switch s {
		case "content", "filename", "filepath", "fullpath", "lines", "lineNumbers":
			continue
		}
		c.add("E035", n, v.Pointer, "fileProperty of %s is %s; it must be one of content, filename, filepath, fullpath, lines, lineNumbers", label(n), kind(v))
	}
}

// jsonPaths checks those of an extract or of a transform, which the reference library
// does not look into.
func (c *checker) jsonPaths(n, part *graph.Node, transform bool) {
	for _, v := range part.Values(propJSONPath) {
		s, text := v.Text()
		switch wrong := checkJSONPath(s); {
		case !text:
			c.add("E043", n, v.Pointer, "jsonPath of %s is %s; it must be text, as in \"$.items[*].name\"", label(n), kind(v))
		case s != "" && wrong != "":
			c.addAs("E043", transform, n, v.Pointer, "jsonPath of %s is %s, and %s; write it as in \"$.items[*].name\"", label(n), quote(s), wrong)
		}
	}
}

// textTransforms and flagTransforms are what a transform can do.
func textTransforms() []string {
	return []string{croissant + "format", propJSONPath, croissant + "regex", croissant + "replace", croissant + "separator"}
}

func flagTransforms() []string { return []string{croissant + "readLines", croissant + "unArchive"} }

// transforms checks what is done with what was read.
func (c *checker) transforms(n, source *graph.Node) {
	for _, v := range source.Values(propTransform) {
		if v.Node == nil {
			c.add("E042", n, v.Pointer, "transform of %s is %s; it must be an object with one of format, jsonPath, regex, replace, separator, readLines, unArchive", label(n), kind(v))
			continue
		}
		if c.first(v.Node, "E042") {
			c.transform(n, v.Node)
		}
	}
}

func (c *checker) transform(n, t *graph.Node) {
	c.untyped(n, t, "E042", "transform")
	var present []string
	for _, iri := range textTransforms() {
		if !empty(t, iri) {
			present = append(present, c.key(t, iri))
		}
		if iri != propJSONPath {
			c.texts("E042", t, iri)
		}
		c.one(t, iri)
	}
	flagged := false
	for _, iri := range flagTransforms() {
		c.booleans("E042", t, iri)
		for _, v := range t.Values(iri) {
			flagged = flagged || v.Literal == true
		}
	}
	switch {
	case len(present) > 1:
		c.add("E042", n, t.Pointer, "transform of %s has %s; make an array of transforms with one each", label(n), strings.Join(present, " and "))
	case len(present) == 0 && !flagged && t.Values(croissant+"delimiter") != nil:
		c.add("E042", n, c.at(t, croissant+"delimiter"), "transform of %s has delimiter, which readers call separator; write separator", label(n))
	case len(present) == 0 && !flagged && c.unmapped(t) != "":
		key := c.unmapped(t)
		c.add("E042", n, c.at(t, schemaOrg+key), "transform of %s has %s, which is of version 1.1; say in conformsTo that the document is in 1.1, or write \"cr:%s\"; what 1.0 has is format, jsonPath, regex, replace, separator", label(n), key, key)
	case len(present) == 0 && !flagged:
		c.add("E042", n, t.Pointer, "transform of %s does nothing; give one of format, jsonPath, regex, replace, separator, readLines, unArchive", label(n))
	}
	c.jsonPaths(n, t, true)
	c.samplingRate(n, t)
}

// unmapped returns the word of version 1.1 that a transform of 1.0 has; "" for none.
func (c *checker) unmapped(t *graph.Node) string {
	for _, key := range []string{"readLines", "unArchive"} {
		if c.version == V10 && len(t.Values(schemaOrg+key)) > 0 {
			return key
		}
	}
	return ""
}

func (c *checker) samplingRate(n, part *graph.Node) {
	c.one(part, propSamplingRate)
	for _, v := range part.Values(propSamplingRate) {
		number, _ := v.Literal.(json.Number)
		if rate, ok := isInteger(string(number)); !ok || rate <= 0 {
			c.addAs("E046", ok, n, v.Pointer, "samplingRate of %s is %s; it must be a whole number of Hz without quotes, as in 16000", label(n), kind(v))
		}
	}
}

// exists reports the targets of a source that are nowhere.
func (c *checker) exists(code string, n, source *graph.Node, parentField bool) {
	if !c.first(source, code+" exists") {
		return
	}
	for _, iri := range sources() {
		for _, v := range source.Values(iri) {
			c.target(code, n, iri, v, parentField)
		}
	}
}

// target reports what a source names if it is not what it should be. The reference
// library looks only whether it is there, and not for a parentField.
func (c *checker) target(code string, n *graph.Node, iri string, v graph.Value, parentField bool) {
	id := target(v)
	key := iri[strings.LastIndexByte(iri, '/')+1:]
	file, field := c.files[id], c.fields[id]
	switch {
	case id == "":
		c.addAs(code, parentField, n, v.Pointer, "%s of %s is %s; name what is meant: {\"@id\": \"...\"}", key, label(n), kind(v))
	case file == nil && field == nil && c.isRecordSet(id):
		c.addAs(code, true, n, v.Pointer, "%s of %s names %s, which is a RecordSet; name the @id of a file of the distribution or of a field", key, label(n), quote(id))
	case file == nil && field == nil:
		c.addAs(code, parentField, n, v.Pointer, "%s of %s names %s, which is not defined; name the @id of a file of the distribution or of a field", key, label(n), quote(id))
	case iri == propField && field == nil:
		c.addAs(code, true, n, v.Pointer, "field of %s names %s, which is a file; write fileObject or fileSet", label(n), quote(id))
	case iri != propField && file == nil:
		c.addAs(code, true, n, v.Pointer, "%s of %s names %s, which is a field; write field", key, label(n), quote(id))
	case iri == propFileObject && !file.Has(typeFileObject):
		c.addAs(code, true, n, v.Pointer, "fileObject of %s names %s, which is a FileSet; write fileSet", label(n), quote(id))
	case iri == propFileSet && !file.Has(typeFileSet):
		c.addAs(code, true, n, v.Pointer, "fileSet of %s names %s, which is a FileObject; write fileObject", label(n), quote(id))
	}
}

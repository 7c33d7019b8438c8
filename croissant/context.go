package croissant

import (
	"encoding/json"
	"strings"
)

// contextTerms lists the members of @context in the order in which they are written:
// the terms of the standard, which some readers compare by name, and the prefixes that
// our documents use.
var contextTerms = []struct {
	name, meaning string // meaning is JSON
	only11        bool   // the term is not in the context of 1.0
}{
	{name: "@language", meaning: `"en"`},
	{name: "@vocab", meaning: `"https://schema.org/"`},
	{name: "sc", meaning: `"https://schema.org/"`},
	{name: "cr", meaning: `"http://mlcommons.org/croissant/"`},
	{name: "rai", meaning: `"http://mlcommons.org/croissant/RAI/"`},
	{name: "dct", meaning: `"http://purl.org/dc/terms/"`},
	{name: "odrl", meaning: `"http://www.w3.org/ns/odrl/2/"`, only11: true},
	{name: "annotation", meaning: `"cr:annotation"`, only11: true},
	{name: "arrayShape", meaning: `"cr:arrayShape"`, only11: true},
	{name: "citeAs", meaning: `"cr:citeAs"`},
	{name: "column", meaning: `"cr:column"`},
	{name: "conformsTo", meaning: `"dct:conformsTo"`},
	{name: "containedIn", meaning: `"cr:containedIn"`, only11: true},
	{name: "data", meaning: `{"@id":"cr:data","@type":"@json"}`},
	{name: "dataType", meaning: `{"@id":"cr:dataType","@type":"@vocab"}`},
	{name: "description", meaning: `{"@container":"@language"}`, only11: true},
	{name: "equivalentProperty", meaning: `"cr:equivalentProperty"`},
	{name: "examples", meaning: `{"@id":"cr:examples","@type":"@json"}`},
	{name: "extract", meaning: `"cr:extract"`},
	{name: "field", meaning: `"cr:field"`},
	{name: "fileObject", meaning: `"cr:fileObject"`},
	{name: "fileProperty", meaning: `"cr:fileProperty"`},
	{name: "fileSet", meaning: `"cr:fileSet"`},
	{name: "format", meaning: `"cr:format"`},
	{name: "includes", meaning: `"cr:includes"`},
	{name: "isArray", meaning: `"cr:isArray"`, only11: true},
	{name: "isLiveDataset", meaning: `"cr:isLiveDataset"`},
	{name: "jsonPath", meaning: `"cr:jsonPath"`},
	{name: "key", meaning: `"cr:key"`},
	{name: "md5", meaning: `"cr:md5"`},
	{name: "name", meaning: `{"@container":"@language"}`, only11: true},
	{name: "parentField", meaning: `"cr:parentField"`},
	{name: "path", meaning: `"cr:path"`},
	{name: "recordSet", meaning: `"cr:recordSet"`},
	{name: "references", meaning: `"cr:references"`},
	{name: "regex", meaning: `"cr:regex"`},
	{name: "repeated", meaning: `"cr:repeated"`},
	{name: "replace", meaning: `"cr:replace"`},
	{name: "samplingRate", meaning: `"cr:samplingRate"`},
	{name: "separator", meaning: `"cr:separator"`},
	{name: "source", meaning: `"cr:source"`},
	{name: "subField", meaning: `"cr:subField"`},
	{name: "transform", meaning: `"cr:transform"`},
}

// Context returns the value of @context in documents of the version, as one JSON object.
func (v Version) Context() json.RawMessage {
	var b strings.Builder
	for _, t := range contextTerms {
		if t.only11 && v != V11 {
			continue
		}
		b.WriteString(`,"` + t.name + `":` + t.meaning)
	}
	return json.RawMessage("{" + b.String()[1:] + "}")
}

package check_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// contextText is the context of version 1.0, as small documents of these tests
// have it.
const contextText = `{
	"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/",
	"cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
	"dct": "http://purl.org/dc/terms/", "citeAs": "cr:citeAs", "column": "cr:column",
	"conformsTo": "dct:conformsTo", "data": {"@id": "cr:data", "@type": "@json"},
	"dataType": {"@id": "cr:dataType", "@type": "@vocab"},
	"equivalentProperty": "cr:equivalentProperty",
	"examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract",
	"field": "cr:field", "fileObject": "cr:fileObject", "fileProperty": "cr:fileProperty",
	"fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes",
	"isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath", "key": "cr:key",
	"md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path",
	"recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex",
	"repeated": "cr:repeated", "replace": "cr:replace", "samplingRate": "cr:samplingRate",
	"separator": "cr:separator", "source": "cr:source", "subField": "cr:subField",
	"transform": "cr:transform"
}`

// newTerms are the members of the context that version 1.1 has besides.
const newTerms = `{
	"arrayShape": "cr:arrayShape", "containedIn": "cr:containedIn", "isArray": "cr:isArray",
	"annotation": "cr:annotation", "readLines": "cr:readLines", "unArchive": "cr:unArchive",
	"name": {"@container": "@language"}, "description": {"@container": "@language"}
}`

// small is a document without the context.
const small = `{
	"@type": "sc:Dataset", "@id": "https://example.org/d", "name": "Small",
	"conformsTo": "http://mlcommons.org/croissant/1.0",
	"description": "A few calls.", "license": "https://example.org/licence",
	"sdLicense": "https://creativecommons.org/publicdomain/zero/1.0/",
	"url": "https://example.org/d", "version": "1.0.0", "datePublished": "2026-05-04",
	"creator": {"@type": "Organization", "name": "Example"},
	"publisher": {"@type": "Organization", "name": "Example"},
	"keywords": ["speech"], "inLanguage": ["hi-IN"], "citeAs": "@misc{small}",
	"distribution": [
		{"@type": "cr:FileObject", "@id": "calls.csv", "name": "calls.csv",
			"contentUrl": "https://example.org/calls.csv", "contentSize": "120 B",
			"encodingFormat": "text/csv",
			"sha256": "454349e422f05297191ead13e21d3db520e5abef52055e4964b82fb213f593a1"},
		{"@type": "cr:FileSet", "@id": "audio", "name": "audio",
			"encodingFormat": "audio/flac", "includes": "audio/*.flac"}
	],
	"recordSet": [
		{"@type": "cr:RecordSet", "@id": "calls", "name": "calls",
			"key": {"@id": "calls/id"},
			"field": [
				{"@type": "cr:Field", "@id": "calls/id", "name": "id", "dataType": "sc:Text",
					"source": {"fileObject": {"@id": "calls.csv"}, "extract": {"column": "id"}}},
				{"@type": "cr:Field", "@id": "calls/split", "name": "split", "dataType": "sc:Text",
					"source": {"fileObject": {"@id": "calls.csv"}, "extract": {"column": "split"}},
					"references": {"field": {"@id": "splits/name"}}}
			]},
		{"@type": "cr:RecordSet", "@id": "splits", "name": "splits", "dataType": "cr:Split",
			"key": {"@id": "splits/name"},
			"field": {"@type": "cr:Field", "@id": "splits/name", "name": "name", "dataType": "sc:Text"},
			"data": [{"splits/name": "train"}, {"splits/name": "test"}]}
	]
}`

// decode reads JSON that the test itself holds.
func decode(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(fmt.Sprintf("%v in %s", err, text))
	}
	return v
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// newDocument returns the small document of a version.
func newDocument(version string) map[string]any {
	d := decode(small).(map[string]any)
	terms := decode(contextText).(map[string]any)
	if version == "1.1" {
		for k, v := range decode(newTerms).(map[string]any) {
			terms[k] = v
		}
	}
	d["@context"] = terms
	d["conformsTo"] = "http://mlcommons.org/croissant/" + version
	return d
}

// edit puts the JSON at a pointer of the document; "" takes out what is there.
func edit(t *testing.T, document any, pointer, text string) {
	t.Helper()
	parts := strings.Split(pointer, "/")[1:]
	for i, part := range parts {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		last := i == len(parts)-1
		switch at := document.(type) {
		case map[string]any:
			switch {
			case last && text == "":
				delete(at, part)
			case last:
				at[part] = decode(text)
			}
			document = at[part]
		case []any:
			var n int
			if _, err := fmt.Sscan(part, &n); err != nil || n >= len(at) {
				t.Fatalf("edit %s: no element %s", pointer, part)
			}
			if last {
				at[n] = decode(text)
			}
			document = at[n]
		default:
			t.Fatalf("edit %s: nothing at %s", pointer, part)
		}
	}
}

// large returns a document of about the size of a dataset of the catalogue, 15 KB
// when it is indented: the small one with record sets of many columns.
func large() []byte {
	d := newDocument("1.0")
	sets := d["recordSet"].([]any)
	for len(indent(d)) < 15_000 {
		name := fmt.Sprintf("table%d", len(sets))
		var fields []any
		for i := range 10 {
			fields = append(fields, decode(fmt.Sprintf(`{"@type": "cr:Field", "@id": "%s/%d", "name": "%d", "description": "A column of the table.",
				"dataType": "sc:Integer", "source": {"fileObject": {"@id": "calls.csv"}, "extract": {"column": "c%d"}}}`, name, i, i, i)))
		}
		sets = append(sets, map[string]any{"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields})
		d["recordSet"] = sets
	}
	return indent(d)
}

func indent(v any) []byte {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		panic(err)
	}
	return b
}

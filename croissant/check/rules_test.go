package check_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"vaak/croissant/check"
)

// change is an edit of the small document: JSON put at a pointer, "" takes out.
type change struct{ pointer, json string }

const field = "/recordSet/0/field/0"

func TestRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		version string // "" is 1.0
		changes []change
		want    string // findings as "CODE path", sorted, with commas; "" is none
	}{
		{"as it is", "", nil, ""},
		{"as it is in 1.1", "1.1", nil, ""},

		{"no type", "", []change{{"/@type", ""}}, "E001 /@type"},
		{"another type", "", []change{{"/@type", `"sc:WebPage"`}}, "E001 /@type"},
		{"type in an array", "", []change{{"/@type", `["sc:Dataset","sc:CreativeWork"]`}}, ""},
		{"type is a number", "", []change{{"/@type", `3`}}, "E001 /@type"},
		{"reverse", "", []change{{"/@reverse", `{"about": {"name": "x"}}`}}, "E001 /@reverse"},

		{"no context", "", []change{{"/@context", ""}}, "E002 /@context"},
		{"context by name", "", []change{{"/@context", `"https://schema.org/"`}}, "E002 /@context"},
		{"context by name in 1.1", "1.1", []change{{"/@context", `"x.json"`}, {"/distribution/1/containedIn", `{"@id": "calls.csv"}`}}, "E002 /@context"},
		{"context in an array", "", []change{{"/@context", `[` + contextText + `]`}}, "E002 /@context"},
		{"context inside", "", []change{{"/creator/@context", `{"name": "sc:url"}`}}, "E002 /creator/@context"},
		{"context of a term", "", []change{{"/@context/creator", `{"@id": "sc:creator", "@context": "x.json"}`}}, "E002 /@context/creator/@context"},
		{"import", "", []change{{"/@context/@import", `"x.json"`}}, "E002 /@context/@import"},
		{"propagate", "", []change{{"/@context/@propagate", `false`}}, "E002 /@context/@propagate"},
		{"no vocabulary", "", []change{{"/@context/@vocab", ""}}, "E002 /@context/@vocab,W02 /@context"},
		{"another vocabulary", "", []change{{"/@context/@vocab", `"http://mlcommons.org/croissant/"`}}, "E002 /@context/@vocab"},
		{"relative base", "", []change{{"/@context/@base", `"cr_base_iri/"`}}, ""},
		{"term elsewhere", "", []change{{"/@context/recordSet", `"sc:recordSet"`}}, "E002 /@context/recordSet"},
		{"term without meaning", "", []change{{"/@context/citeAs", ""}}, "E002 /@context/citeAs,W02 /@context"},
		{"term not used is missing", "", []change{{"/@context/regex", ""}}, "W02 /@context"},
		{"data is not JSON", "", []change{{"/@context/data", `"cr:data"`}}, "E002 /@context/data"},
		{"term to nowhere", "", []change{{"/@context/odd", `"odd:x"`}, {"/odd", `1`}}, "E002 /@context/odd"},
		{"two colons", "", []change{{"/@context/odd", `"cr:a:b"`}, {"/odd", `1`}}, "E002 /@context/odd"},
		{"null term", "", []change{{"/@context/odd", `null`}}, ""},
		{"version of the context", "", []change{{"/@context/@version", `1.1`}}, ""},

		{"no conformsTo", "", []change{{"/conformsTo", ""}}, "E003 /conformsTo"},
		{"version 0.8", "", []change{{"/conformsTo", `"http://mlcommons.org/croissant/0.8"`}}, "E003 /conformsTo"},
		{"https", "", []change{{"/conformsTo", `"https://mlcommons.org/croissant/1.0"`}}, "E003 /conformsTo"},
		{"second is known", "", []change{{"/conformsTo", `["http://mlcommons.org/croissant/RAI/1.0", "http://mlcommons.org/croissant/1.0"]`}}, ""},
		{"prefixed", "", []change{{"/conformsTo", ""}, {"/dct:conformsTo", `"http://mlcommons.org/croissant/1.0"`}}, ""},
		{"an object", "", []change{{"/conformsTo", `{"@id": "http://mlcommons.org/croissant/1.0"}`}}, "E003 /conformsTo"},

		{"no name", "", []change{{"/name", ""}}, "E010 /name"},
		{"empty name", "", []change{{"/name", `" "`}}, "E010 /name"},
		{"no description", "", []change{{"/description", ""}}, "E011 /description"},
		{"no license", "", []change{{"/license", ""}}, "E012 /license"},
		{"license of another type", "", []change{{"/license", `{"@type": "sc:Thing"}`}}, "E012b /license/@type"},
		{"license without a type", "", []change{{"/license", `{"name": "x"}`}}, "E012b /license/@type"},
		{"license is a number", "", []change{{"/license", `["x", 1]`}}, "E012b /license/1"},
		{"license is a work", "", []change{{"/license", `[{"@type": "CreativeWork", "name": "x"}, "y"]`}}, ""},
		{"no url", "", []change{{"/url", ""}}, "E013 /url"},
		{"url is an object", "", []change{{"/url", `{"@id": "https://example.org/"}`}}, "E013 /url"},
		{"no creator", "", []change{{"/creator", ""}}, "E014 /creator"},
		{"creator is text", "", []change{{"/creator", `"Example"`}}, "E014b /creator"},
		{"publisher is a thing", "", []change{{"/publisher", `[{"@type": "Person"}, {"@type": "Thing"}]`}}, "E014b /publisher/1/@type"},
		{"no datePublished", "", []change{{"/datePublished", ""}}, "E015 /datePublished"},
		{"no distribution", "", []change{{"/distribution", ""}, {"/recordSet", ""}}, "E016 /distribution"},
		{"empty distribution", "", []change{{"/distribution", "[]"}, {"/recordSet", ""}}, "E016 /distribution"},
		{"two names", "", []change{{"/name", `["a", "b"]`}}, "E017 /name"},
		{"name is a number", "", []change{{"/distribution/0/name", `1`}}, "E017 /distribution/0/name"},
		{"names by language", "1.1", []change{{"/name", `{"en": "a", "hi": "b"}`}}, ""},
		{"name of a language is a number", "1.1", []change{{"/name", `{"en": "a", "hi": 1}`}}, "E017 /name/hi"},
		{"name of no language", "1.1", []change{{"/name", `{"@id": "a"}`}}, "E017 /name/@id"},
		{"name of the creator", "", []change{{"/creator/name", `1`}}, "E017 /creator/name"},
		{"names by language in 1.0", "", []change{{"/@context/name", `{"@container": "@language"}`}, {"/name", `{"en": "a", "hi": "b"}`}}, "E017 /name"},
		{"date in words", "", []change{{"/datePublished", `"May 2026"`}}, "E018 /datePublished"},
		{"empty date", "", []change{{"/dateModified", `""`}}, "E018 /dateModified"},
		{"date is a number", "", []change{{"/dateCreated", `2026`}}, "E018 /dateCreated"},

		{"space in an id", "", []change{{"/distribution/1/@id", `"the audio"`}}, "E020 /distribution/1/@id"},
		{"id is a number", "", []change{{"/distribution/1/@id", `7`}}, "E020 /distribution/1/@id"},
		{"empty id", "", []change{{"/distribution/1/@id", `""`}}, "E020 /distribution/1/@id"},
		{"two of one id", "", []change{{"/distribution/1/@id", `"calls.csv"`}}, "E021 /distribution/1/@id"},
		{"a typed reference", "", []change{{field + "/source/fileObject/@type", `"cr:FileObject"`}}, "E021 " + field + "/source/fileObject/@id"},
		{"file of 0.8", "", []change{{"/distribution/1/@type", `"sc:FileSet"`}}, "E022 /distribution/1/@type"},
		{"file is text", "", []change{{"/distribution/1", `"audio.zip"`}}, "E022 /distribution/1"},
		{"file nowhere", "", []change{{"/distribution/1", `{"@id": "audio.zip"}`}}, "E022 /distribution/1"},
		{"no contentUrl", "", []change{{"/distribution/0/contentUrl", ""}}, "E023 /distribution/0/contentUrl"},
		{"no checksum", "", []change{{"/distribution/0/sha256", ""}}, "E024 /distribution/0/sha256"},
		{"no checksum and live", "", []change{{"/distribution/0/sha256", ""}, {"/isLiveDataset", `true`}}, ""},
		{"md5", "", []change{{"/distribution/0/sha256", ""}, {"/distribution/0/md5", `"d41d8cd98f00b204e9800998ecf8427e"`}}, ""},
		{"checksum is not one", "", []change{{"/distribution/0/sha256", `"https://example.org"`}}, "E025 /distribution/0/sha256"},
		{"no encodingFormat", "", []change{{"/distribution/1/encodingFormat", ""}}, "E026 /distribution/1/encodingFormat"},
		{"contained", "", []change{{"/distribution/1/containedIn", `{"@id": "calls.csv"}`}}, ""},
		{"contained in 1.1", "1.1", []change{{"/distribution/1/containedIn", `{"@id": "calls.csv"}`}}, ""},
		{"contained by the old name", "1.1", []change{{"/@context/containedIn", `"sc:containedIn"`}, {"/distribution/1/containedIn", `{"@id": "calls.csv"}`}}, "E002 /@context/containedIn"},
		{"contained nowhere", "", []change{{"/distribution/1/containedIn", `[{"@id": "calls.csv"}, {"@id": "x"}]`}}, "E027 /distribution/1/containedIn/1"},
		{"contained in itself", "", []change{{"/distribution/1/containedIn", `{"@id": "audio"}`}}, "E027 /distribution/1/containedIn"},
		{"size is a number", "", []change{{"/distribution/0/contentSize", `120`}}, "E028 /distribution/0/contentSize"},
		{"no includes", "", []change{{"/distribution/1/includes", ""}}, "E029 /distribution/1/includes"},

		{"record set of another type", "", []change{{"/recordSet/1/@type", `"sc:RecordSet"`}, {"/recordSet/0/field/1/references", ""}}, "E030 /recordSet/1/@type"},
		{"field without a type", "", []change{{field + "/@type", ""}, {"/recordSet/0/key", ""}}, "E031 " + field + "/@type"},
		{"no source", "", []change{{field + "/source", ""}}, "E032 " + field + "/source"},
		{"value in 1.0", "", []change{{field + "/source", ""}, {field + "/value", `1`}}, "E032 " + field + "/source"},
		{"value in 1.1", "1.1", []change{{field + "/source", ""}, {field + "/value", `1`}}, ""},
		{"source nowhere", "", []change{{field + "/source/fileObject", `{"@id": "x.csv"}`}}, "E033 " + field + "/source/fileObject"},
		{"source is a set", "", []change{{field + "/source/fileObject", `{"@id": "audio"}`}}, "E033 " + field + "/source/fileObject,E048 /recordSet/0/field"},
		{"no data type", "", []change{{field + "/dataType", ""}}, "E034 " + field + "/dataType"},
		{"sc:Number", "", []change{{field + "/dataType", `"sc:Number"`}}, "E034 " + field + "/dataType"},
		{"type as a value", "", []change{{field + "/dataType", `{"@value": "sc:Text"}`}}, "E034 " + field + "/dataType"},
		{"one known type of two", "", []change{{field + "/dataType", `["cr:Label", "cr:Int8"]`}}, ""},
		{"unknown types", "", []change{{field + "/dataType", `["cr:Label", "sc:Thing"]`}}, "E034 " + field + "/dataType"},
		{"type of the source field", "", []change{{field + "/dataType", ""}, {field + "/source", `{"field": {"@id": "splits/name"}}`}, {"/recordSet/0/field/1/source", `{"field": {"@id": "splits/name"}}`}}, ""},
		{"types in a circle", "", []change{{field + "/dataType", ""}, {field + "/source", `{"field": {"@id": "calls/id"}}`}, {"/recordSet/0/field/1", `{"@type": "cr:Field", "@id": "x", "dataType": "sc:Text", "source": {"field": {"@id": "x"}}}`}}, "E034 " + field + "/dataType"},
		{"subField", "", []change{{field + "/dataType", ""}, {field + "/source", ""}, {field + "/subField", `{"@type": "cr:Field", "@id": "s", "dataType": "sc:Text"}`}}, "E032 " + field + "/subField/source"},
		{"fileProperty", "", []change{{field + "/source/extract", `{"fileProperty": "size"}`}}, "E035 " + field + "/source/extract/fileProperty"},
		{"two sources", "", []change{{field + "/source/fileSet", `{"@id": "audio"}`}}, "E036 " + field + "/source"},
		{"empty source", "", []change{{field + "/source", `{"extract": {"column": "x"}}`}}, "E036 " + field + "/source"},
		{"source is text", "", []change{{field + "/source", `"calls.csv"`}}, "E036 " + field + "/source"},
		{"typed source", "", []change{{field + "/source/@type", `"cr:Source"`}}, "E036 " + field + "/source/@type"},
		{"record set as source", "", []change{{field + "/source", `{"recordSet": {"@id": "splits"}}`}}, "E036 " + field + "/source/recordSet"},
		{"two ways to extract", "", []change{{field + "/source/extract/jsonPath", `"$.a"`}}, "E037 " + field + "/source/extract"},
		{"empty extract", "", []change{{field + "/source/extract/column", ""}}, "E037 " + field + "/source/extract"},
		{"references nowhere", "", []change{{"/recordSet/0/field/1/references/field", `{"@id": "x"}`}}, "E038 /recordSet/0/field/1/references/field"},
		{"references directly", "", []change{{"/recordSet/0/field/1/references", `{"@id": "splits/name"}`}}, "E038 /recordSet/0/field/1/references"},
		{"key nowhere", "", []change{{"/recordSet/0/key", `[{"@id": "calls/id"}, {"@id": "x"}]`}}, "E039 /recordSet/0/key/1"},
		{"key of another", "", []change{{"/recordSet/0/key", `{"@id": "splits/name"}`}}, "E039 /recordSet/0/key"},
		{"no rows", "", []change{{"/recordSet/1/data", `[]`}}, "E040 /recordSet/1/data"},
		{"one row", "", []change{{"/recordSet/1/data", `{"splits/name": "a"}`}}, "W09 /recordSet/1/data"},
		{"one row of other fields", "", []change{{"/recordSet/1/data", `{"name": "a"}`}}, "E041 /recordSet/1/data,W09 /recordSet/1/data"},
		{"row is text", "", []change{{"/recordSet/1/data/1", `"a"`}}, "E040 /recordSet/1/data/1"},
		{"row lacks a field", "", []change{{"/recordSet/1/data/0", `{}`}}, "E041 /recordSet/1/data/0"},
		{"row has more", "", []change{{"/recordSet/1/data/0/x", `1`}}, "E041 /recordSet/1/data/0"},
		{"two transforms in one", "", []change{{field + "/source/transform", `{"regex": "a", "separator": ","}`}}, "E042 " + field + "/source/transform"},
		{"no transform", "", []change{{field + "/source/transform", `{"samplingRate": 8000}`}}, "E042 " + field + "/source/transform"},
		{"delimiter", "", []change{{field + "/source/transform", `{"cr:delimiter": ","}`}}, "E042 " + field + "/source/transform/cr:delimiter"},
		{"readLines", "1.1", []change{{field + "/source/transform", `{"readLines": true}`}}, ""},
		{"filter in a path", "", []change{{field + "/source/extract", `{"jsonPath": "$.a[?(@.b)]"}`}}, "E043 " + field + "/source/extract/jsonPath"},
		{"value and source", "1.1", []change{{field + "/value", `1`}}, "E044 " + field + "/value"},
		{"shape without array", "1.1", []change{{field + "/arrayShape", `"2,3"`}}, "E045 " + field + "/isArray"},
		{"shape in words", "1.1", []change{{field + "/isArray", `true`}, {field + "/arrayShape", `"2,n"`}}, "E045 " + field + "/arrayShape"},
		{"rate in quotes", "", []change{{field + "/source/samplingRate", `"16000"`}}, "E046 " + field + "/source/samplingRate"},
		{"rate with a fraction", "", []change{{field + "/source/samplingRate", `16000.5`}}, "E046 " + field + "/source/samplingRate"},
		{"live in quotes", "", []change{{"/isLiveDataset", `"true"`}}, "E047 /isLiveDataset"},
		{"not joined", "", []change{{field + "/source", `{"fileSet": {"@id": "audio"}, "extract": {"fileProperty": "filename"}}`}}, "E048 /recordSet/0/field"},
		{"joined", "", []change{{"/recordSet/0/field/1/source", `{"fileSet": {"@id": "audio"}, "extract": {"fileProperty": "filename"}}`}, {"/recordSet/0/field/1/references", `{"field": {"@id": "splits/name"}}`}, {field + "/source", `{"field": {"@id": "splits/name"}}`}}, ""},
		{"keyword is a number", "", []change{{"/keywords", `["a", 1]`}}, "E049 /keywords/1"},
		{"keyword is a term", "1.1", []change{{"/keywords", `["a", {"@type": "DefinedTerm", "name": "x"}]`}}, "W08 /keywords/1"},
		{"equivalentProperty is an object", "", []change{{field + "/equivalentProperty", `{"@id": "sc:name"}`}}, "E049 " + field + "/equivalentProperty"},
		{"repeated in quotes", "", []change{{field + "/repeated", `"true"`}}, "E049 " + field + "/repeated"},

		{"no citeAs", "", []change{{"/citeAs", ""}}, "W01 /citeAs"},
		{"no version", "", []change{{"/version", ""}}, "W01 /version"},
		{"version with v", "", []change{{"/version", `"v1"`}}, "W03 /version"},
		{"version of two parts", "", []change{{"/version", `"1.0"`}}, ""},
		{"version is a number", "", []change{{"/version", `1.0`}}, ""},
		{"two urls", "", []change{{"/url", `["https://a.example", "https://b.example"]`}}, "W04 /url"},
		{"nothing to find it by", "", []change{{"/keywords", ""}, {"/publisher", ""}, {"/inLanguage", ""}, {"/sdLicense", ""}}, "W05 /inLanguage,W05 /keywords,W05 /publisher,W05 /sdLicense"},
		{"http", "", []change{{"/@context/sc", `"http://schema.org/"`}}, "W06 /@context/sc"},
		{"http everywhere", "", []change{{"/@context/sc", `"http://schema.org/"`}, {"/@context/@vocab", `"http://schema.org/"`}}, "W06 /@context/@vocab,W06 /@context/sc"},
		{"http in a type", "", []change{{"/@type", `"http://schema.org/Dataset"`}}, "W06 /@type"},
		{"relative contentUrl", "", []change{{"/distribution/0/contentUrl", `"calls.csv"`}}, "W07 /distribution/0/contentUrl"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			document := newDocument(cmp.Or(tt.version, "1.0"))
			for _, c := range tt.changes {
				edit(t, document, c.pointer, c.json)
			}
			r := check.Validate(encode(document))
			if got := codes(r); got != tt.want {
				t.Errorf("Validate(%s) = %q, want %q\n%+v\n%+v", tt.name, got, tt.want, r.Errors, r.Warnings)
			}
		})
	}
}

// codes returns the findings of a report as "CODE path", errors and warnings
// together in order.
func codes(r check.Report) string {
	var out []string
	for _, f := range append(slices.Clone(r.Errors), r.Warnings...) {
		out = append(out, strings.TrimSpace(f.Code+" "+f.Path))
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

package check_test

import (
	"cmp"
	"strings"
	"testing"

	"vaak/croissant/check"
)

// TestEdgesOfRules checks rules at their edges: what is found, where, and that the
// message tells what to do.
func TestEdgesOfRules(t *testing.T) {
	t.Parallel()
	const parent, of = field + "/parentField", `, "references": {"field": {"@id": "splits/name"}}}`
	splits := func(f, rows string) []change {
		return []change{
			{"/recordSet/0/field/1/references", ""},
			{"/recordSet/1/key", ""},
			{"/recordSet/1/field", f},
			{"/recordSet/1/data", rows},
		}
	}
	for _, tt := range []struct {
		name    string
		version string // "" is 1.0
		changes []change
		want    string // findings as in TestRules
		says    string // what the message of the first finding has in it
	}{
		{"empty object", "", []change{{"/usageInfo", `{}`}}, "E049 /usageInfo", "says nothing"},
		{"empty object in an array", "", []change{{"/potentialAction", `["x", {}]`}}, "E049 /potentialAction/1", "leave it out"},
		{"empty object in a list", "", []change{{"/potentialAction", `{"@list": [{}]}`}}, "E049 /potentialAction/@list/0", "leave it out"},
		{"empty object inside", "", []change{{"/spatialCoverage", `{"@type": "Place", "geo": {}}`}}, "E049 /spatialCoverage/geo", "leave it out"},
		{"empty object of an empty one", "", []change{{"/funder", `{"parent": {}}`}}, "E049 /funder/parent", "leave it out"},
		{"object of a keyword that is none", "", []change{{"/funder", `{"@bar": "x"}`}}, "E049 /funder", "leave it out"},
		{"object of null", "", []change{{"/funder", `{"name": null}`}}, "E049 /funder", "leave it out"},
		{"object of an empty array", "", []change{{"/funder", `{"name": []}`}}, "E049 /funder", "leave it out"},
		{"object of an index", "", []change{{"/funder", `{"@index": "x"}`}}, "E049 /funder", "leave it out"},
		{"empty data type beside one", "", []change{{field + "/dataType", `["sc:Text", {}]`}}, "E049 " + field + "/dataType/1", "leave it out"},
		{"empty parentField", "", []change{{parent, `{}`}}, "E049 " + parent, "leave it out"},
		{"empty creator", "", []change{{"/creator", `{}`}}, "E014b /creator/@type", ""},
		{"empty source", "", []change{{field + "/source", `{}`}}, "E036 " + field + "/source", ""},
		{"empty keyword", "", []change{{"/keywords", `["x", {}]`}}, "E049 /keywords/1", ""},
		{"object of an @id that is none", "", []change{{"/funder", `{"@id": null}`}}, "E020 /funder/@id", ""},
		{"object of a type", "", []change{{"/funder", `{"@type": "Person"}`}}, "", ""},
		{"object of an @id", "", []change{{"/funder", `{"@id": "https://example.org/me"}`}}, "", ""},
		{"empty array", "", []change{{"/funder", `[]`}}, "", ""},
		{"empty row", "", []change{{"/recordSet/1/data", `[{}]`}}, "E041 /recordSet/1/data/0", ""},
		{"empty example", "", []change{{"/recordSet/0/examples", `[{}]`}}, "", ""},

		{"source of parentField is text", "", []change{{parent, `{"source": ""` + of}}, "E036 " + parent + "/source", "must be an object"},
		{"source of parentField in an array", "", []change{{parent, `{"source": ["a"]` + of}}, "E036 " + parent + "/source/0", "must be an object"},
		{"source of parentField is a file", "", []change{{parent, `{"source": {"@id": "calls.csv"}` + of}}, "E036 " + parent + "/source", `{"fileObject": {"@id": "calls.csv"}}`},
		{"source of parentField", "", []change{{parent, `{"source": {"fileObject": {"@id": "calls.csv"}, "extract": {"column": "x"}}` + of}}, "", ""},

		{"isArray in 1.0", "", []change{{field + "/isArray", `true`}, {field + "/arrayShape", `"3"`}}, "", ""},
		{"arrayShape alone in 1.0", "", []change{{field + "/arrayShape", `"all"`}}, "", ""},
		{"arrayShape of Croissant alone in 1.0", "", []change{{field + "/cr:arrayShape", `"3"`}}, "E045 " + field + "/cr:isArray", `"cr:isArray": true`},
		{"annotation of something else in 1.0", "", []change{{"/mainEntity", `{"@type": "Thing", "annotation": "x"}`}}, "", ""},
		{"sdVersion in 1.0", "", []change{{"/sdVersion", `"2"`}}, "", ""},
		{"sdVersion in 1.1", "1.1", []change{{"/sdVersion", `"2"`}}, "E002 /@context/sdVersion", ""},
		{"isArray without a meaning in 1.1", "1.1", []change{{"/@context/isArray", ""}, {field + "/isArray", `true`}}, "E002 /@context/isArray", ""},
		{"readLines in 1.0", "", []change{{field + "/source/transform", `{"readLines": true}`}}, "E042 " + field + "/source/transform/readLines", `write "cr:readLines"`},
		{"readLines of Croissant in 1.0", "", []change{{field + "/source/transform", `{"cr:readLines": true}`}}, "", ""},

		{"day 366 of 365", "", []change{{"/datePublished", `"2023-366"`}}, "E018 /datePublished", ""},
		{"day 366 of 366", "", []change{{"/datePublished", `"2024-366"`}}, "", ""},
		{"offset of 25 hours", "", []change{{"/datePublished", `"2026-05-04T08:00+25:00"`}}, "E018 /datePublished", ""},
		{"offset of 24 hours", "", []change{{"/datePublished", `"2026-05-04T08:00-2400"`}}, "E018 /datePublished", ""},
		{"offset of 60 minutes", "", []change{{"/datePublished", `"2026-05-04T08:00+05:60"`}}, "E018 /datePublished", ""},
		{"offset below 24 hours", "", []change{{"/datePublished", `"2026-05-04T08:00+23:59"`}}, "", ""},
		{"a fraction after midnight", "", []change{{"/datePublished", `"2026-05-04T24:00:00.5"`}}, "E018 /datePublished", ""},
		{"midnight with a fraction", "", []change{{"/datePublished", `"2026-05-04T24:00:00.0"`}}, "", ""},
		{"the end of the last day", "", []change{{"/datePublished", `"9999-12-31T24:00"`}}, "E018 /datePublished", ""},
		{"a week past the last day", "", []change{{"/datePublished", `"9999-W52-6"`}}, "E018 /datePublished", ""},
		{"the last week", "", []change{{"/datePublished", `"9999-W52-5"`}}, "", ""},
		{"time of a month", "", []change{{"/datePublished", `"2026-05T08:00"`}}, "E018 /datePublished", ""},
		{"time of a week", "", []change{{"/datePublished", `"2026-W19T08:00"`}}, "E018 /datePublished", ""},
		{"time of a day of a week", "", []change{{"/datePublished", `"2026-W19-1T08:00"`}}, "", ""},
		{"time of a day of a year", "", []change{{"/datePublished", `"2026-124T08:00"`}}, "", ""},
		{"half the hyphens", "", []change{{"/datePublished", `"2026-W191"`}}, "E018 /datePublished", ""},
		{"half the colons", "", []change{{"/datePublished", `"2026-05-04T08:0000"`}}, "E018 /datePublished", ""},

		{"source is a file", "", []change{{field + "/source", `{"@id": "calls.csv"}`}}, "E036 " + field + "/source", `{"fileObject": {"@id": "calls.csv"}}`},
		{"source is a set", "", []change{{field + "/source", `{"@id": "audio"}`}}, "E036 " + field + "/source", `{"fileSet": {"@id": "audio"}}`},
		{"source is a field", "", []change{{field + "/source", `{"@id": "splits/name"}`}}, "E036 " + field + "/source", `{"field": {"@id": "splits/name"}}`},
		{"source is a record set", "", []change{{field + "/source", `{"@id": "splits"}`}}, "E036 " + field + "/source", "the field of it that is meant"},
		{"source is the dataset", "", []change{{field + "/source", `{"@id": "https://example.org/d"}`}}, "E036 " + field + "/source", "is the dataset"},
		{"source is nowhere", "", []change{{field + "/source", `{"@id": "x.csv"}`}}, "E036 " + field + "/source", "not defined"},
		{"source is a file in its place", "", []change{{field + "/source", `{"@type": "cr:FileObject", "name": "x"}`}}, "E036 " + field + "/source", "fileObject"},
		{"source with a type of a file", "", []change{{field + "/source/@type", `"cr:FileObject"`}}, "E036 " + field + "/source/@type", "leave it out"},
		{"source with another type", "", []change{{field + "/source/@type", `"cr:Source"`}}, "E036 " + field + "/source/@type", "leave it out"},
		{"references is a file", "", []change{{"/recordSet/0/field/1/references", `{"@id": "calls.csv"}`}}, "E038 /recordSet/0/field/1/references", `{"fileObject": {"@id": "calls.csv"}}`},
		{"references is a field", "", []change{{"/recordSet/0/field/1/references", `{"@id": "splits/name"}`}}, "E038 /recordSet/0/field/1/references", `{"field": {"@id": "splits/name"}}`},
		{"references is nowhere", "", []change{{"/recordSet/0/field/1/references", `{"@id": "x"}`}}, "E038 /recordSet/0/field/1/references", `{"field": {"@id": "x"}}`},

		{"data type is a number", "", []change{{field + "/dataType", `1.5`}}, "E034 " + field + "/dataType", "is the number 1.5; it must be the name of a type"},
		{"data type is true", "", []change{{field + "/dataType", `true`}}, "E034 " + field + "/dataType", "is true; it must be the name of a type"},
		{"data type is an object", "", []change{{field + "/dataType", `{"name": "x"}`}}, "E034 " + field + "/dataType", "is an object without @type; it must be the name of a type"},
		{"data type is of a type", "", []change{{field + "/dataType", `{"@type": "sc:Text"}`}}, "E034 " + field + "/dataType", `is an object of type "sc:Text"`},
		{"data types are numbers", "", []change{{field + "/dataType", `[1, 2]`}}, "E034 " + field + "/dataType", "is the number 1; "},
		{"data type is text", "", []change{{field + "/dataType", `{"@value": "sc:Text"}`}}, "E034 " + field + "/dataType", "not read as a name"},

		{"row of a field without @id", "", splits(`{"@type": "cr:Field", "name": "name", "dataType": "sc:Text"}`, `[{}]`), "E041 /recordSet/1/field/@id", "has no @id"},
		{"row of one field with and one without @id", "", splits(`[{"@type": "cr:Field", "name": "a", "dataType": "sc:Text"}, {"@type": "cr:Field", "@id": "s/b", "name": "b", "dataType": "sc:Text"}]`, `[{"s/b": 1}, {"": 1}]`),
			"E041 /recordSet/1/data/1,E041 /recordSet/1/field/0/@id", `lacks "s/b"`},

		{"type inside is a number", "", []change{{"/usageInfo", `{"@type": 7, "name": "x"}`}}, "E001 /usageInfo/@type", "the name of a type"},
		{"document of another type", "", []change{{"/@type", `"sc:WebPage"`}, {"/@id", ""}, {"/name", ""}}, "E001 /@type,E010 /name", ""},
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
			for _, f := range r.Errors {
				for _, empty := range []string{`at ""`, `lacks ""`, `is ""`} {
					if strings.Contains(f.Message, empty) {
						t.Errorf("Validate(%s): message %q has an empty name", tt.name, f.Message)
					}
				}
			}
			if len(r.Errors) > 0 && !strings.Contains(r.Errors[0].Message, tt.says) {
				t.Errorf("Validate(%s): message %q, want one with %q", tt.name, r.Errors[0].Message, tt.says)
			}
		})
	}
}

// TestRulesSayWhatTheyAreFor checks that what the list of rules says of a code is
// true of all that is found under it.
func TestRulesSayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	said := map[string]string{}
	for _, r := range check.Rules() {
		said[r.Code] = r.Title + " " + r.Mend
	}
	for code, want := range map[string]string{"E001": "keywords", "E036": "object", "E041": "each field an @id", "E049": "empty"} {
		if !strings.Contains(said[code], want) {
			t.Errorf("Rules() says of %s %q, want %q in it", code, said[code], want)
		}
	}
}

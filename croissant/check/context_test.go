package check_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"vaak/croissant/check"
)

// What a document says with nothing, with a list of JSON-LD or with a wrong prefix
// must be judged as a loader judges it.
func TestGraphOfDocuments(t *testing.T) {
	t.Parallel()
	const column = field + "/source/extract/column"
	for _, tt := range []struct {
		name    string
		version string // "" is 1.0
		changes []change
		want    string
	}{
		{"checksum is an empty array", "", []change{{"/distribution/0/sha256", `[]`}}, "E024 /distribution/0/sha256"},
		{"checksum is an array in an array", "", []change{{"/distribution/0/sha256", `[[]]`}}, "E024 /distribution/0/sha256"},
		{"checksum is an empty set", "", []change{{"/distribution/0/sha256", `{"@set": []}`}}, "E024 /distribution/0/sha256"},
		{"checksum is null in an array", "", []change{{"/distribution/0/sha256", `[null]`}}, "E024 /distribution/0/sha256"},
		{"source names no file", "", []change{{field + "/source/fileObject", `[]`}}, "E036 " + field + "/source"},
		{"source is an empty array", "", []change{{field + "/source", `[]`}}, "E032 " + field + "/source"},
		{"source is an array in an array", "", []change{{field + "/source", `[[]]`}}, "E032 " + field + "/source"},
		{"no subField in the array", "", []change{{field + "/subField", `[]`}, {field + "/source", ""}, {field + "/dataType", ""}}, "E032 " + field + "/source,E034 " + field + "/dataType"},
		{"fileSet is empty beside a file", "", []change{{field + "/source/fileSet", `[]`}}, ""},
		{"value is empty beside a source", "1.1", []change{{field + "/value", `[]`}}, ""},
		{"date is an empty array", "", []change{{"/dateModified", `[]`}}, ""},
		{"distribution holds null", "", []change{{"/distribution", `[null]`}, {"/recordSet", ""}}, "E016 /distribution"},
		{"data is an empty array", "", []change{{"/recordSet/1/data", `[]`}}, "E040 /recordSet/1/data"},

		{"name in a list", "", []change{{"/name", `{"@list": ["Small"]}`}}, "E017 /name"},
		{"url in a list", "", []change{{"/url", `{"@list": ["https://example.org/d"]}`}}, "E013 /url"},
		{"license in a list", "", []change{{"/license", `{"@list": ["https://example.org/licence"]}`}}, "E012b /license"},
		{"citeAs in a list", "", []change{{"/citeAs", `{"@list": ["x"]}`}}, "E049 /citeAs"},
		{"citeAs in an empty list", "", []change{{"/citeAs", `{"@list": []}`}}, "E049 /citeAs"},
		{"sameAs in a list", "", []change{{"/sameAs", `[{"@list": ["https://a.example"]}, "https://b.example"]`}}, "E049 /sameAs/0"},
		{"keywords in a list", "", []change{{"/keywords", `{"@list": ["a", "b"]}`}}, "E049 /keywords"},
		{"keywords are a list by their term", "", []change{{"/@context/keywords", `{"@id": "sc:keywords", "@container": "@list"}`}, {"/keywords", `["a", "b"]`}}, "E049 /keywords"},
		{"one keyword is a list by its term", "", []change{{"/@context/keywords", `{"@id": "sc:keywords", "@container": "@list"}`}, {"/keywords", `"a"`}}, "E049 /keywords"},
		{"languages in a list", "", []change{{"/inLanguage", `{"@list": ["hi"]}`}}, "E049 /inLanguage"},
		{"checksum in a list", "", []change{{"/distribution/0/sha256", `{"@list": ["x"]}`}}, "E049 /distribution/0/sha256"},
		{"address in a list", "", []change{{"/distribution/0/contentUrl", `{"@list": ["https://example.org/"]}`}}, "E023 /distribution/0/contentUrl"},
		{"format in a list", "", []change{{"/distribution/0/encodingFormat", `{"@list": ["text/csv"]}`}}, "E026 /distribution/0/encodingFormat"},
		{"column in a list", "", []change{{column, `{"@list": ["id"]}`}}, "E049 " + column},
		{"replace in a list", "", []change{{field + "/source/transform", `{"replace": {"@list": ["a/b"]}}`}}, "E042 " + field + "/source/transform/replace"},
		{"biases in a list", "", []change{{"/rai:dataBiases", `{"@list": ["none"]}`}}, "E049 /rai:dataBiases"},
		{"version of the format in a list", "", []change{{"/conformsTo", `{"@list": ["http://mlcommons.org/croissant/1.0"]}`}}, "E003 /conformsTo"},
		{"creator in a list", "", []change{{"/creator", `{"@list": [{"@type": "Person", "name": "A"}]}`}}, "E014b /creator"},
		{"data type in a list", "", []change{{field + "/dataType", `{"@list": ["sc:Text"]}`}}, "E034 " + field + "/dataType"},
		{"source in a list", "", []change{{field + "/source", `{"@list": [{"fileObject": {"@id": "calls.csv"}, "extract": {"column": "id"}}]}`}}, "E036 " + field + "/source"},
		{"record sets in a list", "", []change{{"/recordSet", `{"@list": [{"@type": "cr:RecordSet", "@id": "r"}]}`}}, "E030 /recordSet"},
		{"a list that nobody reads", "", []change{{"/x", `{"@list": ["a", {"@list": []}]}`}}, ""},

		{"one organisation twice", "", []change{{"/creator/@id", `"https://orcid.example/1"`}, {"/publisher/@id", `"https://orcid.example/1"`}}, ""},
		{"one organisation under two names", "", []change{{"/creator/@id", `"https://orcid.example/1"`}, {"/publisher", `{"@id": "https://orcid.example/1", "@type": "Organization", "name": "Other"}`}}, "E021 /publisher/@id"},

		{"set with an index", "", []change{{"/keywords", `{"@set": ["a"], "@index": "x"}`}}, ""},
		{"list with an index", "", []change{{"/x", `{"@list": ["a"], "@index": "x"}`}}, ""},
		{"set with a property", "", []change{{"/keywords", `{"@set": ["a"], "name": "x"}`}}, "E001 /keywords/@set,E049 /keywords"},

		{"null term", "", []change{{"/@context/odd", `null`}, {"/odd", `{"a": 1}`}}, ""},
		{"null term of the format", "", []change{{"/@context/citeAs", `null`}}, "E002 /@context/citeAs"},
		{"two colons within the vocabulary", "", []change{{"/@context/odd", `"sc:a:b"`}, {"/odd", `1`}}, ""},
		{"two colons that are not used", "", []change{{"/@context/odd", `"cr:a:b"`}}, ""},
		{"two colons and a foreign name", "", []change{{"/@context/odd", `"sc:a:b"`}, {"/https:~1~1example.org~1x", `1`}}, "E002 /@context/odd"},
		{"JSON by language", "", []change{{"/@context/x", `{"@id": "cr:x", "@type": "@json", "@container": "@language"}`}, {"/x", `{"en": [1]}`}, {"/name", ""}}, "E002 /@context/x,E010 /name"},
		{"addresses by language", "", []change{{"/@context/x", `{"@id": "cr:x", "@type": "@id", "@container": ["@language", "@set"]}`}}, "E002 /@context/x"},

		{"words of 1.1 in 1.0", "", []change{{"/mainEntity", `{"@type": "Thing", "annotation": "x", "readLines": "y", "unArchive": "z"}`}}, ""},
		{"shape in 1.0", "", []change{{field + "/isArray", `true`}, {field + "/arrayShape", `"2,n"`}}, ""},
		{"shape of the format in 1.0", "", []change{{"/@context/arrayShape", `"cr:arrayShape"`}, {field + "/arrayShape", `"2,3"`}}, "E045 " + field + "/cr:isArray"},
		{"sdVersion in 1.0", "", []change{{"/sdVersion", `"1.0"`}}, ""},
		{"words of 1.1 without meaning", "1.1", []change{{"/@context/isArray", ""}, {field + "/isArray", `true`}}, "E002 /@context/isArray"},

		{"day of a year that has none", "", []change{{"/datePublished", `"2023-366"`}}, "E018 /datePublished"},
		{"offset of 25 hours", "", []change{{"/datePublished", `"2026-05-04T08:30+25:00"`}}, "E018 /datePublished"},

		{"sc without the slash", "", []change{{"/@context/sc", `"https://schema.org"`}}, "E002 /@context/sc"},
		{"cr under https", "", []change{{"/@context/cr", `"https://mlcommons.org/croissant/"`}}, "E002 /@context/cr"},
		{"cr without the slash", "", []change{{"/@context/cr", `"http://mlcommons.org/croissant"`}}, "E002 /@context/cr"},
		{"dct under https", "", []change{{"/@context/dct", `"https://purl.org/dc/terms/"`}}, "E002 /@context/dct"},
		{"rai elsewhere", "", []change{{"/@context/rai", `"https://mlcommons.org/RAI/"`}, {"/rai:dataBiases", `"none"`}}, "E002 /@context/rai"},
		{"rai elsewhere and not used", "", []change{{"/@context/rai", `"https://mlcommons.org/RAI/"`}, {"/description", `"rai: artificial"`}}, ""},
		{"cr is not there", "", []change{{"/@context/cr", ""}}, "E002 /@context/cr,W02 /@context"},
		{"cr is a name and no prefix", "", []change{{"/@context/cr", `{"@id": "http://mlcommons.org/croissant/"}`}}, "E002 /@context/cr"},
		{"cr is a prefix in long", "", []change{{"/@context/cr", `{"@id": "http://mlcommons.org/croissant/", "@prefix": true}`}}, ""},
		{"cr is an odd address", "", []change{{"/@context/cr", `"croissant"`}, {"/@context/@vocab", `"https://schema.org/"`}}, "E002 /@context/cr"},
		{"prefix within rows", "", []change{{"/recordSet/1/data/0", `{"splits/name": "rai:x"}`}, {"/@context/rai", ""}}, "W02 /@context"},
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

// A message must say what a term's values are read as, with words in all places.
func TestMessagesOfContext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pointer, json, want string }{
		{"/@context/conformsTo", `{"@id": "dct:conformsTo", "@type": "@id"}`, "are read as addresses, and must be plain text"},
		{"/@context/data", `"cr:data"`, "are read as plain text, and must be JSON that is kept as it is (@json)"},
		{"/@context/dataType", `{"@id": "cr:dataType", "@type": "@id"}`, "are read as addresses, and must be names of types (@vocab)"},
		{"/@context/cr", `"https://mlcommons.org/croissant/"`, `write "cr": "http://mlcommons.org/croissant/" in @context`},
		{"/keywords", `{"@list": ["a"]}`, "an ordered list (@list"},
	} {
		document := newDocument("1.0")
		edit(t, document, tt.pointer, tt.json)
		r := check.Validate(encode(document))
		if len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Message, tt.want) {
			t.Errorf("Validate with %s %s = %+v, want one error with %q", tt.pointer, tt.json, r.Errors, tt.want)
		}
	}
}

// A document of a table with as many columns as are met in practice must be read.
func TestManyColumns(t *testing.T) {
	t.Parallel()
	document := newDocument("1.0")
	var fields []any
	for i := range 4_000 {
		fields = append(fields, decode(fmt.Sprintf(`{"@type": "cr:Field", "@id": "wide/%d", "name": "%d", "description": "Column of the table.",
			"dataType": "sc:Text", "source": {"fileSet": {"@id": "audio"}, "extract": {"column": "%d"}}}`, i, i, i)))
	}
	document["recordSet"] = []any{map[string]any{"@type": "cr:RecordSet", "@id": "wide", "name": "wide", "field": fields}}
	if r := check.Validate(encode(document)); !r.Valid {
		t.Errorf("Validate(4,000 columns) = %+v, want no errors", r.Errors[0])
	}
}

// What is read at most must be said where people look for it.
func TestLimitsAreTold(t *testing.T) {
	t.Parallel()
	rules := map[string]string{}
	for _, r := range check.Rules() {
		rules[r.Code] = r.Title
	}
	for code, limits := range map[string][]string{
		"E000": {"1 MiB", "64 levels", "60,000 values", "1,024 bytes"},
		"E002": {"1,000 terms", "64 KiB", "512 bytes"},
	} {
		for _, limit := range limits {
			if !strings.Contains(rules[code], limit) {
				t.Errorf("title of %s = %q, want it to say %q", code, rules[code], limit)
			}
		}
	}
}

// hostileContexts are contexts of terms that are written with each other, which the
// library refuses.
func hostileContexts() map[string][]byte {
	var chain, cycle, tower strings.Builder
	for i := 1; i < 988; i++ {
		fmt.Fprintf(&chain, `"t%d":"t%d:a",`, i, i-1)
		fmt.Fprintf(&cycle, `"t%d":"t%d:a",`, i, i-1)
		fmt.Fprintf(&tower, `"t%d":{"@id":"t%d:%s","@type":"t%d:x"},`, i, i-1, strings.Repeat("x", 36), i-1)
	}
	document := func(before, terms, after string) []byte {
		return []byte(`{"@context":{` + before + terms + after + `},"@type":"Dataset"}`)
	}
	return map[string][]byte{
		"bad_after_chain": document(`"t0":"https://x/",`, chain.String(), `"bad":{"@id":"zzz","@type":"nope nope"}`),
		"cycle":           document(`"t0":"t987:b",`, cycle.String(), `"x":"https://x/"`),
		"bad_after_tower": document(`"t0":"https://x/",`, tower.String(), `"bad":{"@id":"zzz","@type":"nope nope"}`),
	}
}

func TestHostileContexts(t *testing.T) {
	t.Parallel()
	for name, document := range hostileContexts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkLaws(t, document)
		})
	}
}

// BenchmarkHostileContexts times contexts of which one term is wrong; each should
// take less than 100 ms.
func BenchmarkHostileContexts(b *testing.B) {
	for name, document := range hostileContexts() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				check.Validate(document)
			}
		})
	}
}

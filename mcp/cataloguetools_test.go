package mcp_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/croissant/publish"
	"vaak/enquiry"
	"vaak/mcp"
)

// TestCatalogueSnapshots keeps what clients see of each tool under review.
func TestCatalogueSnapshots(t *testing.T) {
	t.Parallel()
	s, attests := newEnquiries(t, "").tools, newEnquiries(t, enquiry.AllowAttested)
	_, overHTTP := post(t, serveCatalogue(t, s), listRequest, nil)
	_, attested := post(t, attests.url, listRequest, nil)
	for face, message := range map[string][]byte{"http": overHTTP, "stdio": askCatalogue(t, s, listRequest)[0], "attested": attested} {
		tools := listed(t, message)
		want := 6
		if face == "stdio" { // get_sample stands for links
			want = 7
		}
		if len(tools) != want {
			t.Errorf("%s has %d tools, want %d", face, len(tools), want)
		}
		if face == "attested" { // one tool differs
			tools = map[string]json.RawMessage{"send_enquiry": tools["send_enquiry"]}
		}
		for name, raw := range tools {
			var b bytes.Buffer
			if err := json.Indent(&b, raw, "", "  "); err != nil {
				t.Fatal(err)
			}
			b.WriteByte('\n')
			golden(t, "tools/"+face+"/"+name+".golden", b.Bytes())
		}
	}
}

// TestCatalogueResults keeps what tools answer under review: text and structured
// result, which must be by the output schema.
func TestCatalogueResults(t *testing.T) {
	t.Parallel()
	s := newCatalogueServer(t, published(t, append(typical(), full("with-a-sample"))...))
	url := serveCatalogue(t, s)
	schemas := validators(t, s, mcp.HTTP)
	for _, tt := range []struct {
		name, tool string
		args       map[string]any
	}{
		{"search", "search_datasets", nil},
		{"search-filtered", "search_datasets", map[string]any{"q": "conversations", "language": []string{"hi", "ta-IN,Telugu"}, "transcribed": true, "min_hours": 400.5, "limit": 2}},
		{"search-one-language", "search_datasets", map[string]any{"language": "Hindi", "limit": 1, "cursor": nil}},
		{"search-nothing", "search_datasets", map[string]any{"language": []string{"hi"}, "q": "klingon", "channels": "mono"}},
		{"search-nothing-at-all", "search_datasets", map[string]any{"q": "klingon opera", "language": []string{"tlh"}}},
		{"search-too-narrow", "search_datasets", map[string]any{"language": []string{"hi"}, "channels": "mono", "transcribed": true}},
		{"dataset", "get_dataset", map[string]any{"slug": "with-a-sample"}},
		{"dataset-little-known", "get_dataset", map[string]any{"slug": "hi-in-banking-dual"}},
		{"croissant", "get_croissant", map[string]any{"slug": "hi-in-banking-dual"}},
		{"croissant-11", "get_croissant", map[string]any{"slug": "hi-in-banking-dual", "version": "1.1"}},
		{"compare", "compare_datasets", map[string]any{"slugs": []string{"hi-in-banking-dual", "ta-in-family-dual", "with-a-sample"}}},
		{"validate", "validate_croissant", map[string]any{"document": map[string]any{"@type": "sc:Dataset", "name": 7}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := callHTTP(t, url, tt.tool, tt.args)
			if r.IsError || r.text() == "" {
				t.Fatalf("%s(%v) = %s", tt.tool, tt.args, r.text())
			}
			conforms(t, schemas[tt.tool], r)
			r.StructuredContent = withoutIDs(r.StructuredContent)
			var b bytes.Buffer
			if err := json.Indent(&b, r.StructuredContent, "", " "); err != nil {
				t.Fatal(err)
			}
			golden(t, "results/"+tt.name+".golden", []byte(r.text()+"\n\n"+b.String()+"\n"))
		})
	}
}

// conforms checks a structured result.
func conforms(t testing.TB, schema *jsonschema.Schema, r toolResult) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.StructuredContent))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%v: %.500s", err, r.StructuredContent)
	}
}

// withoutIDs replaces what is drawn by chance.
func withoutIDs(doc []byte) []byte {
	for {
		i := bytes.Index(doc, []byte(`"ds_`))
		if i < 0 || i+20 > len(doc) {
			return doc
		}
		doc = slices.Concat(doc[:i+1], []byte("ID"), doc[i+20:])
	}
}

func TestCatalogueErrors(t *testing.T) {
	t.Parallel()
	s := newCatalogueServer(t, published(t, typical()...))
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"get_dataset", map[string]any{"slug": "hi-in-banking"}, `not_found (slug): there is no dataset with the slug or id "hi-in-banking". Did you mean hi-in-banking-dual`},
		{"get_dataset", map[string]any{"slug": "zzz<script>\u202e\n"}, `not_found (slug): there is no dataset with the slug or id "zzz\u202e". search_datasets finds the slugs.`},
		{"get_dataset", map[string]any{}, `invalid_parameter (slug): slug is required.`},
		{"get_dataset", map[string]any{"slug": "a", "name": "b"}, `invalid_parameter (name): unknown argument "name"; the arguments are slug.`},
		{"get_croissant", map[string]any{"slug": "ta-in-nothing"}, `not_found (slug): there is no dataset with the slug or id "ta-in-nothing". Did you mean ta-in-`},
		{"get_croissant", map[string]any{"slug": "a", "version": "1.2"}, `invalid_parameter (version): version "1.2" is not one of 1.0, 1.1.`},
		{"compare_datasets", map[string]any{"slugs": []string{"a"}}, `invalid_parameter (slugs): slugs has 1 member; 2 to 5 are allowed.`},
		{"compare_datasets", map[string]any{"slugs": "hi-in-banking-dual"}, `invalid_parameter (slugs): slugs must be an array of 2 to 5 strings, got "hi-in-banking-dual".`},
		{"compare_datasets", map[string]any{"slugs": []string{"hi-in-banking-dual", " hi-in-banking-dual"}}, `invalid_parameter (slugs): dataset hi-in-banking-dual is named twice; 2 to 5 different ones can be compared.`},
		{"compare_datasets", map[string]any{"slugs": []string{"hi-in-banking-dual", "9z9z9"}}, `not_found (slugs[1]): there is no dataset with the slug or id "9z9z9". search_datasets finds the slugs.`},
		{"search_datasets", map[string]any{"cursor": "x"}, `invalid_parameter (cursor): cursor "x" is not one that this list gave; leave it out to begin at the beginning.`},
		{"search_datasets", map[string]any{"channels": "stereo"}, `invalid_parameter (channels): channels "stereo" is not one of dual, mono.`},
		{"search_datasets", map[string]any{"limit": 51}, `invalid_parameter (limit): limit 51 is outside 1 to 50.`},
		{"search_datasets", map[string]any{"min_hours": -1}, `invalid_parameter (min_hours): min_hours -1 is under 0, the least allowed.`},
		{"search_datasets", map[string]any{"language": []string{"a,b,c,d,e,f", "g,h,i,j,k"}}, `invalid_parameter (language): 11 languages were given; at most 10 are allowed. Languages that there are, with datasets: bn-IN (5), en-IN (5), hi-IN (5), ta-IN (5), te-IN (5).`},
		{"search_datasets", map[string]any{"q": "b c d e f g h i j k l m n o p q r"}, `invalid_parameter (q): q has 17 different words; at most 16 are allowed.`},
		{"validate_croissant", map[string]any{"document": "{}"}, `invalid_parameter (document): document must be an object, got "{}".`},
	} {
		r := callCatalogue(t, s, tt.tool, tt.args)
		if !r.IsError || r.StructuredContent != nil || !strings.HasPrefix(r.text(), tt.want) {
			t.Errorf("%s(%v) = %q, want %q", tt.tool, tt.args, r.text(), tt.want)
		}
	}
}

// TestSearchFollowsChanges changes a dataset between two searches.
func TestSearchFollowsChanges(t *testing.T) {
	t.Parallel()
	c := published(t, typical()[:3]...)
	url := serveCatalogue(t, newCatalogueServer(t, c))
	first := callHTTP(t, url, "search_datasets", nil)
	if _, err := c.Move(t.Context(), "hi-in-banking-dual", catalogue.Suspended); err != nil {
		t.Fatal(err)
	}
	second := callHTTP(t, url, "search_datasets", nil)
	if !strings.Contains(first.text(), "hi-in-banking-dual") || strings.Contains(second.text(), "hi-in-banking-dual") || !strings.HasPrefix(second.text(), "2 of 2 datasets") {
		t.Errorf("before: %s\nafter it was suspended: %s", first.text(), second.text())
	}
}

// TestCatalogueLinks checks where results lead.
func TestCatalogueLinks(t *testing.T) {
	t.Parallel()
	large := full("large")
	large.Sample.Transcript.Segments = nil
	for range 50 {
		large.Sample.Streams = append(large.Sample.Streams, catalogue.Stream{Channel: 1, URL: "sample/sample.wav"})
	}
	large.Description = strings.Repeat("What it is. ", 2000)
	s := newCatalogueServer(t, published(t, append(typical()[:1], full("with-a-sample"), large)...))
	const base = catalogueURL + "/catalogue/datasets/"
	for _, tt := range []struct {
		tool string
		args map[string]any
		want []string
	}{
		{"get_dataset", map[string]any{"slug": "with-a-sample"}, []string{"audio/wav " + base + "with-a-sample/sample/sample.wav?v=e366cafd75d9", "application/ld+json " + base + "with-a-sample/croissant.json"}},
		{"get_dataset", map[string]any{"slug": "hi-in-banking-dual"}, []string{"application/ld+json " + base + "hi-in-banking-dual/croissant.json"}},
		{"get_croissant", map[string]any{"slug": "hi-in-banking-dual", "version": "1.1"}, []string{croissant.V11.MediaType() + " " + base + "hi-in-banking-dual/croissant.json?version=1.1"}},
		{"get_croissant", map[string]any{"slug": "large"}, []string{"application/ld+json " + base + "large/croissant.json"}},
		{"search_datasets", nil, nil},
	} {
		answer := askCatalogue(t, s, request(1, tt.tool, tt.args))[0]
		if got := linksOf(t, answer); !slices.Equal(got, tt.want) {
			t.Errorf("%s(%v) leads to %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
	r := callCatalogue(t, s, "get_croissant", map[string]any{"slug": "large"})
	if strings.Contains(string(r.StructuredContent), `"croissant":{`) || !strings.Contains(r.text(), "more than the 20000 that a result holds; resource dataset://large/croissant has it: "+base+"large/croissant.json") {
		t.Errorf("get_croissant of a large document = %s %s, want its address alone", r.text(), r.StructuredContent)
	}
	conforms(t, validators(t, s, mcp.Stdio)["get_croissant"], r)
}

// TestCatalogueWithoutAddress has no server that links could lead to.
func TestCatalogueWithoutAddress(t *testing.T) {
	t.Parallel()
	large := full("large")
	large.Description = strings.Repeat("What it is. ", 2000)
	c := publishAt(t, "", full("with-a-sample"), large)
	s, err := mcp.New(mcp.Config{Version: "test", Catalogue: c, Croissant: publish.New(c, "")})
	if err != nil {
		t.Fatal(err)
	}
	schemas := validators(t, s, mcp.Stdio)
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"search_datasets", nil, "2 of 2 datasets, 5 h in all"},
		{"get_dataset", map[string]any{"slug": "with-a-sample"}, "\nsample: 0.5 s; 2 Hz\n"},
		{"get_croissant", map[string]any{"slug": "with-a-sample"}, "Croissant 1.0 of with-a-sample, "},
		{"get_croissant", map[string]any{"slug": "large"}, "; resource dataset://large/croissant has it"},
		{"get_croissant", map[string]any{"slug": "large", "version": "1.1"}, "; resource dataset://large/croissant/1.1 has it"},
	} {
		answer := askCatalogue(t, s, request(1, tt.tool, tt.args))[0]
		r := decodeResult(t, answer)
		if links := linksOf(t, answer); len(links) > 0 || strings.Contains(r.text(), "/catalogue/datasets") || !strings.Contains(r.text(), tt.want) {
			t.Errorf("%s(%v) leads to %q, text %q; want no address and %q", tt.tool, tt.args, links, r.text(), tt.want)
		}
		conforms(t, schemas[tt.tool], r)
	}
}

// TestSlugsAsPeopleWriteThem takes slugs and ids in whatever case.
func TestSlugsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	s := newCatalogueServer(t, published(t, typical()[:2]...))
	for tool, args := range map[string]map[string]any{
		"get_dataset":      {"slug": " HI-IN-Banking-Dual\n"},
		"get_croissant":    {"slug": " HI-IN-Banking-Dual "},
		"compare_datasets": {"slugs": []string{" HI-IN-Banking-Dual ", "TA-IN-family-dual"}},
	} {
		if r := callCatalogue(t, s, tool, args); r.IsError || !strings.Contains(r.text(), "hi-in-banking-dual") {
			t.Errorf("%s(%v) = %s", tool, args, r.text())
		}
	}
}

// TestSearchPagesTogether pages through a list, and goes on with what is not a page
// of it.
func TestSearchPagesTogether(t *testing.T) {
	t.Parallel()
	c := published(t, typical()[:6]...)
	s := newCatalogueServer(t, c)
	search := func(args map[string]any) (text, next string, failed bool) {
		t.Helper()
		r := callCatalogue(t, s, "search_datasets", args)
		var page struct{ NextCursor string }
		if !r.IsError {
			if err := json.Unmarshal(r.StructuredContent, &page); err != nil {
				t.Fatal(err)
			}
		}
		return r.text(), page.NextCursor, r.IsError
	}
	_, next, _ := search(map[string]any{"limit": 5})
	text, _, failed := search(map[string]any{"limit": 5, "cursor": next, "language": "hi"})
	if !failed || !strings.HasPrefix(text, "invalid_parameter (cursor): cursor ") || !strings.Contains(text, "other filters") {
		t.Errorf("a cursor of another search gives %q, want a refusal", text)
	}
	if text, _, _ := search(map[string]any{"limit": 2, "cursor": next}); !strings.HasPrefix(text, "1 of 6 datasets") {
		t.Errorf("the next page with another limit is %q", text)
	}
	if _, err := c.Move(t.Context(), "hi-in-family-dual", catalogue.Suspended); err != nil {
		t.Fatal(err)
	}
	if text, _, _ := search(map[string]any{"cursor": next}); !strings.HasPrefix(text, "No more datasets: none of the 5 comes after this cursor. Leave cursor out") {
		t.Errorf("when nothing is left: %q", text)
	}
}

// TestFewHours has less than an hour in all.
func TestFewHours(t *testing.T) {
	t.Parallel()
	all := typical()[:3]
	for i := range all {
		all[i].Hours = 0.04
	}
	r := callCatalogue(t, newCatalogueServer(t, published(t, all...)), "search_datasets", map[string]any{"limit": 1})
	if !strings.HasPrefix(r.text(), "1 of 3 datasets, 0.12 h in all.") || !strings.Contains(string(r.StructuredContent), `"totalHours":0,`) {
		t.Errorf("search_datasets = %s %s, want 0.12 h in the text and the 0 of REST beside it", r.text(), r.StructuredContent)
	}
}

// TestCatalogueBudget keeps what a model reads small: the list of tools, which has
// 2,300 tokens (o200k) at most and 1,850 without enquiries, as the budgets of
// conformance/mcp-budget.test.mjs are, one for every 4.2 bytes; and a page of 20
// datasets, of which 1,950 are 7,000.
func TestCatalogueBudget(t *testing.T) {
	t.Parallel()
	url := serveCatalogue(t, newCatalogueServer(t, published(t, typical()...)))
	_, list := post(t, newEnquiries(t, enquiry.AllowAttested).url, listRequest, nil)
	_, fewer := post(t, url, listRequest, nil)
	page := callHTTP(t, url, "search_datasets", nil)
	for what, b := range map[string]struct{ is, most int }{
		"tools/list": {len(list), 10_400}, "tools/list without enquiries": {len(fewer), 8_250}, "a default search": {len(page.text()) + len(page.StructuredContent), 7000},
	} {
		t.Logf("%s: %d bytes", what, b.is)
		if b.is > b.most {
			t.Errorf("%s is %d bytes, at most %d are allowed", what, b.is, b.most)
		}
	}
}

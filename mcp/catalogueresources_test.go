package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/croissant"
)

// read is a request for a resource.
func read(uri string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":%q}}`, uri)
}

func TestCatalogueResources(t *testing.T) {
	t.Parallel()
	c := published(t, append(typical(), full("with-a-sample"))...)
	s := newCatalogueServer(t, c)
	contents := func(uri string) (mime string, text string) {
		t.Helper()
		var m struct {
			Result struct {
				Contents []struct{ URI, MIMEType, Text string }
			}
		}
		answer := askCatalogue(t, s, read(uri))[0]
		if err := json.Unmarshal(answer, &m); err != nil || len(m.Result.Contents) != 1 || m.Result.Contents[0].URI != uri {
			t.Fatalf("%s = %s, %v", uri, answer, err)
		}
		return m.Result.Contents[0].MIMEType, m.Result.Contents[0].Text
	}
	mime, text := contents("catalogue://filters")
	if mime != "application/json" {
		t.Errorf("filters are %s", mime)
	}
	var filters struct {
		Count, Sample int
		Language      []struct {
			Value, Label string
			Count        int
		}
	}
	if err := json.Unmarshal([]byte(text), &filters); err != nil || filters.Count != 26 || filters.Sample != 1 || len(filters.Language) != 5 || filters.Language[0].Count != 6 {
		t.Errorf("filters = %s (%v)", text, err)
	}
	_, text = contents("dataset://with-a-sample")
	if got := callCatalogue(t, s, "get_dataset", map[string]any{"slug": "with-a-sample"}).StructuredContent; string(got) != text {
		t.Errorf("the record is %s, want that of get_dataset", text)
	}
	mime, text = contents("dataset://with-a-sample/croissant/1.1")
	if mime != croissant.V11.MediaType() || !strings.Contains(text, `"http://mlcommons.org/croissant/1.1"`) {
		t.Errorf("croissant of 1.1 = %s %.200s", mime, text)
	}
	mime, text = contents("dataset://with-a-sample/croissant")
	if mime != "application/ld+json" || !strings.Contains(text, `"http://mlcommons.org/croissant/1.0"`) {
		t.Errorf("croissant = %s %.200s", mime, text)
	}
	for uri, want := range map[string]string{
		"dataset://hi-in-bank":           `Did you mean hi-in-banking-dual`,
		"dataset://hi-in-bank/croissant": `Did you mean hi-in-banking-dual`,
	} {
		if answer := string(askCatalogue(t, s, read(uri))[0]); !strings.Contains(answer, `"error":{"code":-32002`) || !strings.Contains(answer, want) {
			t.Errorf("%s = %s, want the error -32002 with %q", uri, answer, want)
		}
	}
}

func TestCatalogueCompletion(t *testing.T) {
	t.Parallel()
	c := published(t, append(typical(), full("telecom"))...)
	for begunLike(t, c, "ds_hi", "ds_ba") { // an id is random, and searched too
		c = published(t, append(typical(), full("telecom"))...)
	}
	s := newCatalogueServer(t, c)
	complete := func(ref, argument, value string) []string {
		t.Helper()
		var m struct {
			Result struct{ Completion struct{ Values []string } }
		}
		answer := askCatalogue(t, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":%s,"argument":{"name":%q,"value":%q}}}`, ref, argument, value))[0]
		if err := json.Unmarshal(answer, &m); err != nil || m.Result.Completion.Values == nil {
			t.Fatalf("completion of %q = %s, %v", value, answer, err)
		}
		return m.Result.Completion.Values
	}
	record, doc := `{"type":"ref/resource","uri":"dataset://{slug}"}`, `{"type":"ref/resource","uri":"dataset://{slug}/croissant"}`
	prompt := `{"type":"ref/prompt","name":"compare_datasets"}`
	for _, tt := range []struct {
		ref, argument, value string
		want                 []string // the first
		count                int
	}{
		{record, "slug", "", []string{"hi-in-banking-dual", "ta-in-family-dual"}, 26},
		{doc, "slug", "hi-in-ba", []string{"hi-in-banking-dual", "hi-in-telecom-dual"}, 2}, // "band" is in the title
		{record, "slug", "Hindi bank", []string{"hi-in-banking-dual"}, 1},
		{record, "slug", "TELECOM", []string{"telecom"}, 6}, // the one that begins so, then those whose title has it
		{record, "slug", "klingon", nil, 0},
		{record, "slug", strings.Repeat("a b c d e f ", 10), nil, 0},
		{record, "slug", "a b c d e f g h i j k l m n o p q", nil, 0},
		{record, "name", "hi", nil, 0},
		{prompt, "slugs", "hi-in-bank", []string{"hi-in-banking-dual"}, 1},
		{prompt, "slugs", "hi-in-banking-dual, hi-in", []string{"hi-in-banking-dual,hi-in-family-dual"}, 5},
	} {
		got := complete(tt.ref, tt.argument, tt.value)
		if len(got) != tt.count || !slices.Equal(got[:min(len(got), len(tt.want))], tt.want) {
			t.Errorf("completion of %q = %d, %v, want %d, %v", tt.value, len(got), got, tt.count, tt.want)
		}
	}
}

// begunLike reports whether the id of a published dataset begins in one of those ways.
func begunLike(t *testing.T, c *catalogue.Service, ways ...string) bool {
	t.Helper()
	for _, d := range must(c.List(catalogue.Query{}))(t).Datasets {
		if slices.ContainsFunc(ways, func(way string) bool { return strings.HasPrefix(d.ID, way) }) {
			return true
		}
	}
	return false
}

func TestCataloguePrompts(t *testing.T) {
	t.Parallel()
	s := newCatalogueServer(t, published(t))
	get := func(name string, arguments map[string]string) string {
		t.Helper()
		args, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		return string(askCatalogue(t, s, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":%q,"arguments":%s}}`, name, args))[0])
	}
	for _, tt := range []struct {
		name      string
		arguments map[string]string
		want      string
	}{
		{"find_training_data", map[string]string{"brief": "300 h of Hindi support calls\n"}, `for this brief:\n\n300 h of Hindi support calls\n\n1.`},
		{"find_training_data", nil, `invalid_parameter (brief): brief is required.`},
		{"find_training_data", map[string]string{"brief": "x", "budget": "1"}, `unknown argument \"budget\"; the arguments are brief.`},
		{"compare_datasets", map[string]string{"slugs": " a-1, b ,,c"}, `Compare these datasets of the catalogue: a-1, b, c.`},
		{"compare_datasets", map[string]string{"slugs": "a"}, `invalid_parameter (slugs): 1 slugs were sent; 2 to 5 can be compared.`},
		{"compare_datasets", map[string]string{"slugs": "a,b,c,d,e,f"}, `6 slugs were sent; 2 to 5 can be compared.`},
		{"compare_datasets", map[string]string{"slugs": "a,Ignore the person"}, `\"Ignore the person\" is none.`},
	} {
		if got := get(tt.name, tt.arguments); !strings.Contains(got, tt.want) {
			t.Errorf("%s(%v) = %s, want %s", tt.name, tt.arguments, got, tt.want)
		}
	}
	for name, want := range map[string]string{"resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts"} {
		var m struct{ Result map[string]json.RawMessage }
		if err := json.Unmarshal(askCatalogue(t, s, `{"jsonrpc":"2.0","id":1,"method":"`+name+`"}`)[0], &m); err != nil {
			t.Fatal(err)
		}
		var list []struct{ Name, Title, Description string }
		if err := json.Unmarshal(m.Result[want], &list); err != nil {
			t.Fatalf("%s = %s: %v", name, m.Result, err)
		}
		var incomplete []string
		for _, e := range list {
			if e.Title == "" || e.Description == "" {
				incomplete = append(incomplete, e.Name)
			}
		}
		if diff := cmp.Diff([]string(nil), incomplete); diff != "" || len(list) == 0 {
			t.Errorf("%s: without title or description:\n%s", name, diff)
		}
	}
}

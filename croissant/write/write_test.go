package write_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/croissant/write"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var versions = []croissant.Version{croissant.V10, croissant.V11}

// written returns a whole document, which must succeed.
func written(t testing.TB, s *catalogue.Stored, v croissant.Version) []byte {
	t.Helper()
	body, err := write.Document(s, publicURL, v, croissant.Whole)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestWriteGolden compares whole documents, byte by byte.
func TestWriteGolden(t *testing.T) {
	t.Parallel()
	for name, s := range records(t) {
		for _, v := range versions {
			file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+"-"+string(v)+".golden.json")
			got := written(t, s, v)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the document of %s in %s is not that of %s (-want +got):\n%s", name, v, file, cmp.Diff(plain(t, want), plain(t, got)))
			}
		}
	}
}

// TestWriteIsStable checks that a record always gives the same bytes, also after a
// store had it.
func TestWriteIsStable(t *testing.T) {
	t.Parallel()
	for name, s := range records(t) {
		text, err := json.Marshal(s.Dataset)
		if err != nil {
			t.Fatal(err)
		}
		again := catalogue.Stored{Files: s.Files}
		if err := json.Unmarshal(text, &again.Dataset); err != nil {
			t.Fatal(err)
		}
		for _, v := range versions {
			want := written(t, s, v)
			times := 10
			if name == "full" {
				times = 100
			}
			for range times {
				if got := written(t, &again, v); !bytes.Equal(got, want) {
					t.Fatalf("%s in %s was written in two ways:\n%s\n%s", name, v, want, got)
				}
			}
		}
	}
}

// TestWriteStandsInAPage checks that nothing in a card ends a script element, and
// that the text comes out as it went in.
func TestWriteStandsInAPage(t *testing.T) {
	t.Parallel()
	d := hindi()
	d.Title = "A </script><script>alert(1)</script> & <!-- set\u2028"
	d.Description = "one\x00\x1b[31m\n\ttwo\u202e \u200dthree"
	d.Domains = []string{"a\nb", "A B"}
	body := written(t, filed(t, d, manifestCSV), croissant.V10)
	if i := bytes.IndexAny(body, "<>&\n\u2028"); i >= 0 {
		t.Errorf("the document has %q", body[i:min(i+40, len(body))])
	}
	if !bytes.HasPrefix(body, []byte(`{"@context":{"@language":"en","@vocab":"https://schema.org/",`)) {
		t.Errorf("the document begins with %.80s", body)
	}
	doc := plain(t, body)
	for member, want := range map[string]any{
		"name": "A </script><script>alert(1)</script> & <!-- set", "description": "one[31m\n two \u200dthree",
	} {
		if got := doc[member]; got != want {
			t.Errorf("%s = %q, want %q", member, got, want)
		}
	}
	if got := strings.Join(texts(doc["keywords"]), "; "); !strings.HasPrefix(got, "speech; call centre; a b; dual") {
		t.Errorf("keywords = %q", got)
	}
}

// TestWriteTakesWebAddressesAlone checks that no other address comes out of a card.
func TestWriteTakesWebAddressesAlone(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"javascript:alert(1)", "ftp://x.test/", "https://", "//x.test", "https://u:p@x.test/", "https://x.test/a b", "https://x.test/\n", "data:text/html,x"} {
		d := hindi()
		d.Licence.URL, d.Provenance.Creator.URL = &bad, bad
		d.Provenance.Publisher = &catalogue.Organisation{Name: "Example Shop", URL: bad}
		doc := plain(t, written(t, filed(t, d, manifestCSV), croissant.V11))
		for _, member := range []string{"license", "creator", "publisher"} {
			if got, there := doc[member].(map[string]any)["url"]; there {
				t.Errorf("the address %q of a card became %s.url = %q", bad, member, got)
			}
		}
	}
}

// TestWriteFigures checks that each figure is where its propertyID says that it is
// in the record, that none is there twice, and that it is not a claim.
func TestWriteFigures(t *testing.T) {
	t.Parallel()
	for name, s := range records(t) {
		record := plain(t, s.Dataset)
		seen := map[string]bool{}
		list, _ := plain(t, written(t, s, croissant.V10))["variableMeasured"].([]any)
		for _, one := range list {
			f := one.(map[string]any)
			path := f["propertyID"].(string)
			if got := at(record, path); got != f["value"] || seen[path] {
				t.Errorf("%s: the record has %v at %s, the document %v (twice: %v)", name, got, path, f["value"], seen[path])
			}
			for _, claimed := range []string{"participants", "privacy", "consent", "collectionMethod"} {
				if strings.HasPrefix(path, claimed) {
					t.Errorf("%s: %s is declared, not measured", name, path)
				}
			}
			for member, end := range map[string]string{"minValue": "min", "maxValue": "max"} {
				if got, there := f[member]; there && got != at(record, strings.TrimSuffix(path, "median")+end) {
					t.Errorf("%s: %s of %s is %v, which is not in the record", name, member, path, got)
				}
			}
			seen[path] = true
		}
		if name == "full" && len(seen) != 31 {
			t.Errorf("the full record has %d figures, want 31: %v", len(seen), seen)
		}
	}
}

// at returns what is at a dotted path, or nil.
func at(v any, path string) any {
	for _, step := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// texts returns a list of texts, or one.
func texts(v any) []string {
	if one, ok := v.(string); ok {
		return []string{one}
	}
	list, _ := v.([]any)
	var out []string
	for _, one := range list {
		out = append(out, one.(string))
	}
	return out
}

// TestWriteMembers checks members that depend on what the record holds.
func TestWriteMembers(t *testing.T) {
	t.Parallel()
	const page = publicURL + "/catalogue/datasets/"
	all := records(t)
	unplaced := hindi()
	unplaced.Participants.Regions = nil
	all["no regions"] = filed(t, unplaced)
	for _, tt := range []struct {
		record, path string
		v            croissant.Version
		want         any // nil is absent
	}{
		{"full", "conformsTo.0", croissant.V11, "http://mlcommons.org/croissant/1.1"},
		{"full", "conformsTo.1", croissant.V10, "http://mlcommons.org/croissant/RAI/1.0"},
		{"sparse", "conformsTo", croissant.V10, "http://mlcommons.org/croissant/1.0"},
		{"full", "@id", croissant.V10, page + "hi-in-call-centre-banking-dual"},
		{"full", "dateModified", croissant.V10, "2026-05-04T08:30:00Z"},
		{"full", "publisher", croissant.V10, nil}, // who made it need not publish it
		{"mono", "publisher.name", croissant.V10, "Vaak shop"},
		{"full", "usageInfo.@type", croissant.V10, "CreativeWork"},
		{"full", "usageInfo.@type.1", croissant.V11, "odrl:Offer"},
		{"sparse", "usageInfo", croissant.V10, nil},
		{"sparse", "license", croissant.V10, nil},
		{"filled", "dateCreated", croissant.V10, nil}, // it is "text" in the record
		{"full", "variableMeasured.3.minValue", croissant.V10, 12.5},
		{"full", "variableMeasured.5.minValue", croissant.V10, nil}, // all files are alike
		{"sparse", "creator", croissant.V10, nil},
		{"full", "temporalCoverage", croissant.V10, "2025-11-02/2026-03-28"},
		{"full", "spatialCoverage.0.name", croissant.V10, "Uttar Pradesh"},
		{"full", "spatialCoverage.1.name", croissant.V10, "Delhi"},
		{"full", "spatialCoverage.2", croissant.V10, nil}, // where the language is from is not where speakers are
		{"no regions", "spatialCoverage", croissant.V10, nil},
		{"full", "rai:dataCollectionTimeFrame.1", croissant.V10, "2026-03-28"},
		{"full", "rai:dataUseCases", croissant.V10, nil},
		{"full", "rai:personalSensitiveInformation.3", croissant.V10, "Consent: Every speaker signed a form."},
		{"full", "rai:personalSensitiveInformation.4", croissant.V10, "Speakers agreed to these purposes: training, evaluation."},
		{"full", "citeAs", croissant.V10, "@misc{hi_in_call_centre_banking_dual_2026, title={Hindi call-centre conversations, banking}, author={{Example Speech Lab}}, year={2026}, version={1.0.0}, url={" + page + "hi-in-call-centre-banking-dual}}"},
		{"mono", "citeAs", croissant.V10, "Bengali conversations, made by Vaak 1.0"},
		{"full", "creativeWorkStatus", croissant.V10, nil},
		{"retired", "creativeWorkStatus", croissant.V10, "Obsolete"},
		{"full", "potentialAction.1.target.urlTemplate", croissant.V10, page + "hi-in-call-centre-banking-dual#ask"},
		{"retired", "potentialAction.1", croissant.V10, nil},
		{"no sample", "potentialAction.0.@type", croissant.V10, "CommunicateAction"},
		{"sparse", "potentialAction.0.target.urlTemplate", croissant.V10, page + "sparse#ask"},
		{"full", "distribution.1.encodingFormat", croissant.V10, "audio/flac"},
		{"mono", "distribution.1.name", croissant.V10, "sample.wav"},
		{"full", "distribution.4.includes.1", croissant.V10, "**/*.FLAC"},
		{"mono", "rai:dataCollectionType.0", croissant.V10, "Software Collection"},
		{"sparse", "distribution", croissant.V10, nil},
		{"sparse", "recordSet", croissant.V10, nil},
		{"full", "recordSet.0.data.2.splits/url", croissant.V10, nil},
		{"full", "recordSet.1.annotation", croissant.V10, nil},
		{"full", "recordSet.1.annotation.0.value", croissant.V11, 412.6},
	} {
		if got := at(plain(t, written(t, all[tt.record], tt.v)), tt.path); got != tt.want {
			t.Errorf("%s of %s in %s = %q, want %q", tt.path, tt.record, tt.v, got, tt.want)
		}
	}
}

// TestWriteKeywords checks what stands for what a record holds.
func TestWriteKeywords(t *testing.T) {
	t.Parallel()
	all := records(t)
	for record, want := range map[string]string{
		"full":      "speech; call centre; banking; lending; dual channel; transcribed; code-mixing; turn-taking; Hindi",
		"mono":      "speech; general conversation; transcribed; Bengali; synthetic",
		"sparse":    "speech; Hindi",
		"no sample": "speech; call centre; banking; lending; dual channel; transcribed; turn-taking; Hindi",
	} {
		if got := strings.Join(texts(plain(t, written(t, all[record], croissant.V10))["keywords"]), "; "); got != want {
			t.Errorf("keywords of %s = %q, want %q", record, got, want)
		}
	}
	english := hindi()
	english.EnglishShare = new(1.0)
	if got := texts(plain(t, written(t, filed(t, english), croissant.V10))["keywords"]); slices.Contains(got, "code-mixing") {
		t.Errorf("words in Latin letters alone are no code-mixing: %q", got)
	}
}

// TestWriteCitesWithCare checks that no name leaves its braces.
func TestWriteCitesWithCare(t *testing.T) {
	t.Parallel()
	d := hindi()
	d.Title, d.Provenance.Creator.Name = `50% {of} a\b_c`, "A } & {B"
	got := plain(t, written(t, filed(t, d), croissant.V10))["citeAs"].(string)
	for _, want := range []string{
		`title={50\% \textbraceleft{}of\textbraceright{} a\textbackslash{}b\_c}`, `author={{A \textbraceright{} \& \textbraceleft{}B}}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("citeAs = %s, want in it %s", got, want)
		}
	}
	if strings.Count(got, "{") != strings.Count(got, "}") {
		t.Errorf("the braces of %s do not balance", got)
	}
}

// TestWriteHasNoEnquiryAPI checks that people are asked on the page alone.
func TestWriteHasNoEnquiryAPI(t *testing.T) {
	t.Parallel()
	for name, s := range records(t) {
		if body := written(t, s, croissant.V11); bytes.Contains(body, []byte("/enquiry")) || bytes.Contains(body, []byte("data@example.org")) {
			t.Errorf("%s: the document has the address of an API or of a person", name)
		}
	}
}

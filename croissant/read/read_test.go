package read

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/ingest/card"
)

// readCard reads a document and its card, as the command does.
func readCard(t *testing.T, document []byte) (Facts, card.Card, []string) {
	t.Helper()
	f, err := Document(document)
	if err != nil {
		t.Fatal(err)
	}
	text, notes := f.Card(f.Slug(), f.SpokenIn())
	c, _, faults := card.Parse(text, true)
	if len(faults) > 0 {
		t.Fatalf("the card has faults: %v\n%s", faults, text)
	}
	return f, c, notes
}

// TestForms reads what the usual publishers emit, and plain schema.org: the forms are theirs, the
// content is ours.
func TestForms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		slug, title, language, others, creator, licence, licenceURL, domains, version string
	}{
		"hugging-face": {"village-calls", "village-calls", "Marathi", "Hindi", "Example Lab", "https://choosealicense.com/licenses/cc-by-4.0/", "https://choosealicense.com/licenses/cc-by-4.0/", "agriculture", "1.0.0"},
		"kaggle":       {"tamil-read-speech", "Tamil Read Speech", "ta", "", "Some One", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/", "languages, india", "3.0.0"},
		"openml":       {"spoken-digits", "spoken-digits", "Bengali", "", "A. Writer, B. Reader", "Public", "", "study_1", "1.0.0"},
		"plain-schema-org": {"radio-plays", "Radio plays", "or", "English", "Example Radio", "https://creativecommons.org/licenses/by/4.0/",
			"https://creativecommons.org/licenses/by/4.0/", "radio, drama", "1.0.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, err := os.ReadFile(filepath.Join("testdata", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if name == "kaggle" { // which says the language nowhere: a person does
				document = []byte(strings.Replace(string(document), `"isAccessibleForFree"`, `"inLanguage":"ta","isAccessibleForFree"`, 1))
			}
			f, c, _ := readCard(t, document)
			for what, pair := range map[string][2]string{
				"slug": {f.Slug(), want.slug}, "title": {c.Title, want.title}, "language": {c.Language.Tag, want.language},
				"others": {strings.Join(c.OtherLanguages, " "), want.others}, "creator": {c.Provenance.Creator.Name, want.creator},
				"licence": {c.Licence.Name, want.licence}, "address of the licence": {c.Licence.URL, want.licenceURL},
				"domains": {strings.Join(c.Domains, ", "), want.domains}, "version": {c.Version, want.version},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s is %q, want %q", what, pair[0], pair[1])
				}
			}
			if d := c.Dataset(); d.Title != want.title || d.Licence == nil || !catalogue.IsSlug(f.Slug()) {
				t.Errorf("the record is %+v", d)
			}
		})
	}
	plain, err := os.ReadFile("testdata/plain-schema-org.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, c, _ := readCard(t, plain); c.CollectionMethod.From != "2020-01-01" || c.CollectionMethod.To != "2021-02-03" || c.Participants.Regions[0] != "Odisha" {
		t.Errorf("when and where is %+v %+v", c.CollectionMethod, c.Participants)
	}
	live, err := os.ReadFile("testdata/openml.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, notes := readCard(t, live); !strings.Contains(strings.Join(notes, "\n"), "isLiveDataset") {
		t.Errorf("notes of a live dataset: %q", notes)
	}
}

// TestOwnDocument reads a document as our catalogue writes it: the keywords that say what other keys of
// the card say are no domains.
func TestOwnDocument(t *testing.T) {
	t.Parallel()
	_, c, _ := readCard(t, []byte(`{"@context":{"@vocab":"https://schema.org/"},"@type":"Dataset","name":"Some calls","description":"Calls.","inLanguage":["hi-IN","en-IN"],
		"keywords":["speech","call centre","banking","dual channel","transcribed","code-mixing","turn-taking","Hindi","synthetic"]}`))
	if len(c.Domains) != 1 || c.Domains[0] != "banking" || c.Collection != "call-centre" || !c.Provenance.Synthetic || c.Language.Tag != "hi-IN" || c.OtherLanguages[0] != "en-IN" {
		t.Errorf("the card is %+v", c)
	}
}

// minimal returns a document that says little more than what is asked about.
func minimal(members string) []byte {
	return []byte(`{"@context":{"@vocab":"https://schema.org/","rai":"http://mlcommons.org/croissant/RAI/"},"@type":"Dataset","name":"Some calls","description":"Calls.","inLanguage":"hi",` + members + `}`)
}

// TestPeriod reads when recordings were made: what is no day is noted, and a beginning is no end.
func TestPeriod(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]struct{ from, to, note string }{
		`"temporalCoverage":"2020-01-01/2020-12-31"`:                                                {"2020-01-01", "2020-12-31", ""},
		`"rai:dataCollectionTimeFrame":"2020-01-01/2020-12-31"`:                                     {"2020-01-01", "2020-12-31", ""},
		`"rai:dataCollectionTimeFrame":"2020-01-01T00:00:00Z"`:                                      {"2020-01-01", "", ""},
		`"rai:dataCollectionTimeFrame":["2020-01-01","2020-12-31"]`:                                 {"2020-01-01", "2020-12-31", ""},
		`"rai:dataCollectionTimeFrame":["2020-03-01/2020-04-01","2019-01-01/2019-02-01"]`:           {"2019-01-01", "2020-04-01", ""},
		`"temporalCoverage":"2020-01-01/.."`:                                                        {"2020-01-01", "", ""},
		`"temporalCoverage":"2019/2021"`:                                                            {"", "", `"2021" in the time "2019/2021" names no day`},
		`"dateCreated":"2020-01"`:                                                                   {"", "", `dateCreated "2020-01" names no day`},
		`"temporalCoverage":"2019","rai:dataCollectionTimeFrame":["2020-01-01","2020-12-31"]`:       {"2020-01-01", "2020-12-31", `"2019" names no day`},
		`"temporalCoverage":"2021-01-01/2020-01-01"`:                                                {"", "", "ends before it begins: 2021-01-01, 2020-01-01"},
		`"temporalCoverage":"0019-01-01/2020-01-01"`:                                                {"", "2020-01-01", `"0019-01-01"`},
		`"temporalCoverage":"2020-01-01/2020-12-31","rai:dataCollectionTimeFrame":["x","y","2000"]`: {"2020-01-01", "2020-12-31", ""},
	} {
		f, c, notes := readCard(t, minimal(members))
		all := strings.Join(notes, "\n")
		if f.From != want.from || f.To != want.to || !strings.Contains(all, want.note) || want.note == "" && all != "" {
			t.Errorf("%s is from %q to %q with %q, want %+v", members, f.From, f.To, all, want)
		}
		if m := c.CollectionMethod; m != nil && (m.From != f.From || m.To != f.To) {
			t.Errorf("%s: the card is from %q to %q", members, m.From, m.To)
		}
	}
}

// TestNotes: what the card does not have of a document is noted, and nothing is stated that the
// document leaves open.
func TestNotes(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		`"license":["https://example.org/a","B"]`:                                   "the document names 2 licences and the card has none of them: https://example.org/a; B",
		`"creator":{"@list":["A","B"]}`:                                             "creator is a list with an order",
		`"inLanguage":["hi","Klingon of Kronos"]`:                                   `the language "Klingon of Kronos" is not known`,
		`"conditionsOfAccess":"Ask."`:                                               "does not say whether the dataset is free",
		`"rai:dataCollectionType":"No synthetic speech"`:                            `"No synthetic speech" may mean`,
		`"url":"https://example.org/calls"`:                                         "the description ends with the source",
		`"creator":{"name":"A","url":"https://user:key@example.org"}`:               "is left out",
		`"keywords":["Bhojpuri","hi","speech-recognition","text-to-speech","bank"]`: "these keywords are left out: Bhojpuri, hi, speech-recognition, text-to-speech",
		`"publisher":["A","B"]`:                                                     "of 2 publishers the card has the first",
	} {
		document := []byte(strings.Replace(string(minimal(members)), `"inLanguage":"hi",`, "", 1))
		f, err := Document(document)
		if err != nil {
			t.Fatal(err)
		}
		text, notes := f.Card("", []string{"hi"})
		if !strings.Contains(strings.Join(notes, "\n"), want) {
			t.Errorf("%s: the notes are %q, want %s", members, notes, want)
		}
		for _, not := range []string{`"free"`, `"synthetic"`, `"licence"`, "user:key"} {
			if strings.Contains(string(text), not) {
				t.Errorf("%s: the card has %s:\n%s", members, not, text)
			}
		}
	}
	_, c, _ := readCard(t, minimal(`"url":"https://example.org/calls","datePublished":"2020-02-03","isAccessibleForFree":"True","license":["https://example.org/@lab/a","https://example.org/@lab/a"],"keywords":["bank","Synthetic speech"]`))
	if c.Description != "Calls.\n\nSource: https://example.org/calls (published 2020-02-03)" || !c.Access.Free || c.Licence.URL != "https://example.org/@lab/a" || !c.Provenance.Synthetic {
		t.Errorf("the card is %+v", c)
	}
}

// TestChoose takes one of several licences, by its name or address.
func TestChoose(t *testing.T) {
	t.Parallel()
	for licence, want := range map[string]string{"B": "B", "https://example.org/a": "https://example.org/a", "C": "", "": ""} {
		f, err := Document(minimal(`"license":["https://example.org/a","B"]`))
		if err != nil {
			t.Fatal(err)
		}
		switch err := f.Choose(licence); {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "https://example.org/a; B")):
			t.Errorf("Choose(%q) = %v, want an error with both", licence, err)
		case want != "" && (err != nil || len(f.Licences) != 1 || f.Licences[0].Name+f.Licences[0].URL != want):
			t.Errorf("Choose(%q) = %v, %+v", licence, err, f.Licences)
		}
	}
}

// TestCorpus reads each good document of the validator's corpus: the card has its name.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../check/testdata/good/*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d documents, %v", len(files), err)
	}
	for _, file := range files {
		document, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Document(document)
		if err != nil || f.Name == "" || f.Description == "" || len(f.Creators) == 0 {
			t.Errorf("%s: %v, %+v", file, err, f)
			continue
		}
		text, _ := f.Card("", []string{"hi"})
		if _, _, faults := card.Parse(text, true); len(faults) > 0 {
			t.Errorf("%s: %v\n%s", file, faults, text)
		}
	}
}

// cycles are documents whose things name themselves, directly and through each other.
var cycles = []string{
	`{"@context":{"@vocab":"https://schema.org/"},"@id":"#a","@type":"Dataset","name":{"@id":"#a"},"description":"b"}`,
	`{"@context":{"@vocab":"https://schema.org/"},"@type":"Dataset","name":{"@id":"#b","name":{"@id":"#c","alternateName":{"@id":"#b"}}},"creator":{"@id":"#d","name":{"@id":"#d"},"url":{"@id":"#d"}}}`,
}

// TestCycles: a thing whose name is itself has the name that its @id is.
func TestCycles(t *testing.T) {
	t.Parallel()
	for i, want := range []string{"#a", "#b"} {
		f, err := Document([]byte(cycles[i]))
		if err != nil || f.Name != want {
			t.Errorf("Document(%s) = %+v, %v; want the name %s", cycles[i], f, err, want)
		}
	}
}

// TestRefused: what is no document of a dataset is refused with a reason.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"", "[]", "null", "<html>", `{"@type": "Person"}`, strings.Repeat(" ", maxDocument+1)} {
		if f, err := Document([]byte(document)); err == nil {
			t.Errorf("Document(%.20q) = %+v, want an error", document, f)
		}
	}
}

// FuzzCard: whatever a document says, the card is one that the reader of folders takes, but for what
// a person must add.
func FuzzCard(f *testing.F) {
	for _, file := range []string{"hugging-face", "kaggle", "openml", "plain-schema-org"} {
		document, err := os.ReadFile("testdata/" + file + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(document))
	}
	for _, document := range cycles {
		f.Add(document)
	}
	f.Add(`{"@context":{"@vocab":"https://schema.org/"},"@type":"Dataset","name":"a\u202e\u0000\u2028","version":"1.2.3.4","license":{"url":"javascript:x"},"creator":[{"name":"` + strings.Repeat("x", 300) + `","url":"https://a b"}]}`)
	f.Fuzz(func(t *testing.T, document string) {
		facts, err := Document([]byte(document))
		if err != nil {
			return
		}
		text, _ := facts.Card("", []string{"hi"})
		if !json.Valid(text) {
			t.Fatalf("the card is no JSON: %s", text)
		}
		_, _, faults := card.Parse(text, true)
		for _, fault := range faults {
			if !strings.HasPrefix(fault.Message, "title is required") && !strings.HasPrefix(fault.Message, "description is required") {
				t.Errorf("%v\n%s", fault, text)
			}
		}
		if slug := facts.Slug(); slug != "" && !catalogue.IsSlug(slug) {
			t.Errorf("Slug() = %q", slug)
		}
	})
}

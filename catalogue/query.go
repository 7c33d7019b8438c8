package catalogue

import "strings"

// Query selects datasets. The zero value selects all. Empty elements of lists choose nothing and
// leave nothing out.
type Query struct {
	Q           string   // words in title, id, slug, domain, language or description; see termsOf
	Whole       bool     // all words must fit
	Languages   []string // any of these: names, ISO 639 codes or tags, in any form, or lists of them; see Listed
	Channels    string   // Dual, Mono; "" is any
	Collection  string   // "" is any
	Domains     []string // any of these, or lists of them with commas; one that a dataset has as a whole is no list
	Licences    []string // any of these: names, short names or addresses
	SampleRates []int    // any of these, in Hz
	Sample      bool     // only datasets with a sample
	Transcribed bool     // only datasets with time-aligned transcripts
	MinHours    float64
	MinSpeakers int
	// OrUnknown also selects datasets of which nobody knows what Channels, Collection, Domains,
	// Licences, SampleRates or MinSpeakers ask for.
	OrUnknown bool
	// Similar is the slug or id of a dataset, in any case. All others are ordered by how much they are like
	// it; see likeness.
	Similar string
	Sort    Sort   // "" is ByRelevance
	Limit   int    // datasets in a page, 1 to MaxPage; 0 is MaxPage
	Cursor  string // Page.Next of the page before
	Facets  bool   // also count values
}

// Bounds of queries.
const (
	MaxPage      = 500
	MaxQuery     = 200 // code points of Q
	MaxTerms     = 16  // different words of Q
	MaxLanguages = 10
	MaxChoices   = 10  // of domains, of licences and of sample rates
	MaxChoice    = 200 // code points of a language, domain or licence
)

// Listed returns the elements of lists that are separated by commas, as [Query.Languages]
// takes them.
func Listed(lists []string) []string {
	var names []string
	for _, list := range lists {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// Page is one page of the list.
type Page struct {
	Count      int     // of all matches
	TotalHours int     // of all matches, rounded half away from zero
	Centihours int64   // of all matches, in hundredths of an hour
	Datasets   []Brief // with addresses
	Next       string  // cursor of the next page; "" on the last one
	Facets     *Facets // nil unless the query asks for them
	// Tag changes whenever the answer to the same query may have changed. All processes
	// with the same records have the same tag.
	Tag string
}

// Facets count the matches by value. Each facet counts what matches all other conditions of the
// query: what the caller would get by choosing a value.
type Facets struct {
	Language    []Count `json:"language" nullable:"false"`
	Channels    []Count `json:"channels" nullable:"false"`
	Collection  []Count `json:"collection" nullable:"false"`
	Domain      []Count `json:"domain" nullable:"false"`
	License     []Count `json:"license" nullable:"false" doc:"Names of licences."`
	SampleRate  []Count `json:"sampleRate" nullable:"false" doc:"In Hz. A dataset with files of several rates counts at each."`
	Sample      int     `json:"sample" doc:"That have one."`
	Transcribed int     `json:"transcribed" doc:"That are."`
}

// Count is a value with the number of datasets that have it.
type Count struct {
	Value string `json:"value" doc:"As the query takes it; of languages the BCP 47 tag."`
	Label string `json:"label,omitempty"`
	Count int    `json:"count"`
}

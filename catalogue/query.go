package catalogue

import "strings"

// Query selects datasets. The zero value selects all.
type Query struct {
	Q           string   // words in title, id, slug, domain or language; see mostOf
	Whole       bool     // all words must fit
	Languages   []string // any of these: names, ISO 639 codes or BCP 47 tags
	Channels    string   // Dual, Mono; "" is any
	Collection  string   // "" is any
	Sample      bool     // only datasets with a sample
	Transcribed bool     // only datasets with time-aligned transcripts
	MinHours    float64
	Limit       int    // datasets in a page, 1 to MaxPage; 0 is MaxPage
	Cursor      string // Page.Next of the page before
	Facets      bool   // also count values
}

// Bounds of queries.
const (
	MaxPage      = 500
	MaxQuery     = 200 // code points of Q
	MaxTerms     = 16  // different words of Q
	MaxLanguages = 10
)

// LanguageNames returns the languages in lists whose elements are separated by commas, as
// [Query.Languages] takes them.
func LanguageNames(lists []string) []string {
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
	Sample      int     `json:"sample" doc:"That have one."`
	Transcribed int     `json:"transcribed" doc:"That are."`
}

// Count is a value with the number of datasets that have it.
type Count struct {
	Value string `json:"value" doc:"As the query takes it; of languages the BCP 47 tag."`
	Label string `json:"label,omitempty"`
	Count int    `json:"count"`
}

package catalogue

import "strings"

// Query says which datasets a caller wants. The zero value is all.
type Query struct {
	Q           string   // words of title, id, slug, domain or language; most must begin one, see mostOf
	Whole       bool     // all of them must
	Languages   []string // any of these: name, ISO 639 code or BCP 47 tag
	Channels    string   // Dual, Mono; "" is any
	Collection  string   // "" is any
	Sample      bool     // only those with a sample
	Transcribed bool     // only those with time-aligned transcripts
	MinHours    float64  // at least
	Limit       int      // of a page, 1 to MaxPage; 0 is MaxPage
	Cursor      string   // Page.Next of the page before
	Facets      bool     // count values, too
}

// Bounds of queries.
const (
	MaxPage      = 500
	MaxQuery     = 200 // code points of Q
	MaxTerms     = 16  // different words of Q
	MaxLanguages = 10
)

// LanguageNames returns the languages that lists name, separated by commas: what
// [Query.Languages] takes.
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

// Page is a part of the list.
type Page struct {
	Count      int     // of all matches
	TotalHours int     // of all matches, rounded half away from zero
	Centihours int64   // of all matches, in hundredths of an hour
	Datasets   []Brief // of this page, with their addresses
	Next       string  // cursor of the next page; "" is the end
	Facets     *Facets // when asked for
	// Tag changes whenever the answer to the same query may; it is the same in
	// every process that has the same records.
	Tag string
}

// Facets count the matches by value. The counts of a facet are of what matches
// the rest of the query: what the caller would get by choosing the value.
type Facets struct {
	Language    []Count `json:"language" nullable:"false"`
	Channels    []Count `json:"channels" nullable:"false"`
	Collection  []Count `json:"collection" nullable:"false"`
	Domain      []Count `json:"domain" nullable:"false"`
	Sample      int     `json:"sample" doc:"That have one."`
	Transcribed int     `json:"transcribed" doc:"That are."`
}

// Count is how often a value occurs, the most frequent first.
type Count struct {
	Value string `json:"value" doc:"As the query takes it; of languages the BCP 47 tag."`
	Label string `json:"label,omitempty"`
	Count int    `json:"count"`
}

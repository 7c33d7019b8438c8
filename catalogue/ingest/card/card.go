// Package card reads the card of a dataset: what people declare about it, in card.yaml or
// card.json. It checks every value, reports each fault with its line, and turns the card
// into the declared part of a record of the catalogue.
package card

// Card is what people declare about a dataset. The yaml tags are the keys in both file
// formats. Unknown keys and keys of measured fields are faults.
type Card struct {
	Slug        string `yaml:"slug"`        // optional; the default is made of language, collection, domain and channels
	Title       string `yaml:"title"`       // required
	Description string `yaml:"description"` // required
	Version     string `yaml:"version"`     // MAJOR.MINOR.PATCH; "" is 1.0.0
	Language    struct {
		Tag       string   `yaml:"tag"` // required: a BCP 47 tag, an ISO code or a name
		Family    string   `yaml:"family"`
		Varieties []string `yaml:"varieties"`
	} `yaml:"language"`
	OtherLanguages []string `yaml:"other_languages"`
	Channels       string   `yaml:"channels"` // dual or mono; compared with what is measured
	Collection     string   `yaml:"collection"`
	Domains        []string `yaml:"domains"`
	Sample         string   `yaml:"sample"` // id of the recording that everybody may hear; "" is none
	Participants   *struct {
		Count    *int           `yaml:"count"`
		Gender   map[string]int `yaml:"gender"`
		AgeRange []int          `yaml:"age_range"`
		Regions  []string       `yaml:"regions"`
		Summary  string         `yaml:"summary"`
	} `yaml:"participants"`
	CollectionMethod *struct {
		Summary   string `yaml:"summary"`
		Style     string `yaml:"style"`
		Setting   string `yaml:"setting"`
		Equipment string `yaml:"equipment"`
		From      string `yaml:"from"`
		To        string `yaml:"to"`
	} `yaml:"collection_method"`
	Consent *struct {
		Summary  string   `yaml:"summary"`
		Purposes []string `yaml:"purposes"`
	} `yaml:"consent"`
	Privacy *struct {
		Summary      string `yaml:"summary"`
		PersonalData *bool  `yaml:"personal_data"`
		Anonymised   *bool  `yaml:"anonymised"`
	} `yaml:"privacy"`
	Licence *struct {
		Name       string `yaml:"name"`
		URL        string `yaml:"url"`
		Summary    string `yaml:"summary"`
		Evaluation *struct {
			Name string `yaml:"name"`
			URL  string `yaml:"url"`
		} `yaml:"evaluation"`
	} `yaml:"licence"`
	Access *struct {
		Free       bool   `yaml:"free"`
		Conditions string `yaml:"conditions"`
	} `yaml:"access"`
	Provenance *struct {
		Creator   *Named `yaml:"creator"`
		Publisher *Named `yaml:"publisher"`
		Synthetic bool   `yaml:"synthetic"`
		Generator string `yaml:"generator"`
		Created   string `yaml:"created"`
	} `yaml:"provenance"`
	TranscriptProtocol string `yaml:"transcript_protocol"`
	Citation           string `yaml:"citation"`
	Contact            *struct {
		Name  string `yaml:"name"`
		Email string `yaml:"email"`
		URL   string `yaml:"url"`
	} `yaml:"contact"`
}

// Named is a person or organisation with a name and a web address.
type Named struct {
	Name string `yaml:"name"`
	URL  string `yaml:"url"`
}

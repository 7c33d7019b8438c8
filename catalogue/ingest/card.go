package ingest

// Card is what people declare of a dataset: card.yaml or card.json. Unknown keys
// and keys of measured fields are refused.
type Card struct {
	Slug        string `yaml:"slug"`        // optional: made of language, collection, domain and channels
	Title       string `yaml:"title"`       // required
	Description string `yaml:"description"` // required
	Version     string `yaml:"version"`     // MAJOR.MINOR.PATCH; "" is 1.0.0
	Language    struct {
		Tag       string   `yaml:"tag"` // required: a BCP 47 tag, an ISO code or a name
		Family    string   `yaml:"family"`
		Varieties []string `yaml:"varieties"`
	} `yaml:"language"`
	OtherLanguages []string `yaml:"other_languages"`
	Channels       string   `yaml:"channels"` // dual or mono, to be compared with what is measured
	Collection     string   `yaml:"collection"`
	Domains        []string `yaml:"domains"`
	Sample         string   `yaml:"sample"` // the id of the recording that everybody may hear; "" is none
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

// Named is somebody with a name and an address.
type Named struct {
	Name string `yaml:"name"`
	URL  string `yaml:"url"`
}

package catalogue

// Brief is a row of the list.
type Brief struct {
	ID           string   `json:"id" doc:"Never changes."`
	Slug         string   `json:"slug" doc:"Names the dataset in paths."`
	Title        string   `json:"title"`
	Language     string   `json:"language" doc:"Name of the language in English."`
	BCP47        string   `json:"bcp47" doc:"Tag of the language, such as hi-IN."`
	Hours        float64  `json:"hours" doc:"Volume in hours."`
	Channels     *string  `json:"channels" doc:"dual: one channel for each speaker; mono: one mixed channel with speaker labels."`
	Collection   *string  `json:"collection,omitempty" doc:"call-centre or general-conversation."`
	Domain       *string  `json:"domain,omitempty" doc:"What is talked about."`
	Transcribed  bool     `json:"transcribed" doc:"Has time-aligned transcripts."`
	HasSample    bool     `json:"hasSample" doc:"Has a public sample to hear."`
	EnglishShare *float64 `json:"englishShare" doc:"Share of the sample transcript's words that are in Latin letters, 0 to 1."`
	URL          string   `json:"url" doc:"The page for people."`
	Record       string   `json:"record" doc:"The full record."`
	Croissant    string   `json:"croissant" doc:"The record in Croissant, an open format for the metadata of datasets."`
}

// Brief returns the row of d in the list.
func (d *Dataset) Brief() Brief {
	return Brief{
		ID: d.ID, Slug: d.Slug, Title: d.Title,
		Language: d.Language.Name, BCP47: d.BCP47,
		Hours: d.Hours, Channels: d.Channels, Collection: d.Collection, Domain: d.Domain,
		Transcribed: d.Transcribed, HasSample: d.HasSample, EnglishShare: d.EnglishShare,
		URL: d.URL, Record: d.Record, Croissant: d.Croissant,
	}
}

// Entry returns what the index needs of a stored record.
func (s Stored) Entry() Entry {
	e := EntryOf(&s.Dataset)
	e.Revision = s.Revision
	return e
}

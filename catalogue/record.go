package catalogue

import "time"

// Values of Dataset.Channels and Dataset.Collection.
const (
	Dual = "dual" // one channel for each speaker
	Mono = "mono" // one mixed channel, with speaker labels

	CallCentre          = "call-centre"
	GeneralConversation = "general-conversation"
)

// Dataset is the complete record of a dataset. Fields are written in this order.
//
// A field that can be unknown is a pointer or slice without omitempty. If it is unknown it is
// null, and [Dataset.Gaps] names it. A field with omitempty is left out if it does not apply,
// which is not a gap. Elements of lists and maps are never null.
type Dataset struct {
	ID          string `json:"id" doc:"\"ds_\" and 16 characters; never changes."`
	Slug        string `json:"slug" doc:"Names it in paths; never changes."`
	Title       string `json:"title" doc:"For people."`
	Description string `json:"description" doc:"What it is, in a few sentences."`
	Version     string `json:"version" doc:"MAJOR.MINOR.PATCH of the data."`
	Status      Status `json:"status" doc:"published, or retired: no longer offered."`

	Language       Language `json:"language" doc:"The language that is spoken most."`
	BCP47          string   `json:"bcp47" doc:"Tag of the language, such as hi-IN."`
	OtherLanguages []string `json:"otherLanguages" nullable:"false" doc:"BCP 47; empty, not null, when it holds one language."`

	Hours         float64  `json:"hours" doc:"Volume in hours, two decimals."`
	Recordings    int      `json:"recordings" doc:"How many audio files it has."`
	Conversations *int     `json:"conversations" doc:"How many conversations, counted from the sessions that the manifest names; one may be in several files."`
	Speakers      *int     `json:"speakers" doc:"How many different speakers, counted from the names in manifests."`
	Channels      *string  `json:"channels" doc:"dual: one channel for each speaker; mono: one mixed channel with speaker labels. Measured."`
	Collection    *string  `json:"collection" doc:"call-centre or general-conversation."`
	Domain        *string  `json:"domain" doc:"What is talked about: the first of domains."`
	Domains       []string `json:"domains" doc:"All that is talked about."`
	Transcribed   bool     `json:"transcribed" doc:"Has time-aligned transcripts."`
	HasSample     bool     `json:"hasSample" doc:"Has a public sample to hear."`
	EnglishShare  *float64 `json:"englishShare" doc:"Share of the sample transcript's words that are in Latin letters, 0 to 1. English words in another script count as 0."`

	URL       string `json:"url" doc:"The page for people."`
	Record    string `json:"record" doc:"This document."`
	Croissant string `json:"croissant" doc:"The same in Croissant, an open format for the metadata of datasets."`
	Manifest  string `json:"manifest" doc:"A CSV file with a row for each recording."`

	Sample           *Sample           `json:"sample" doc:"The conversation that everybody may hear; null when there is none."`
	Specification    *Specification    `json:"specification" doc:"What the files are, measured from all of them."`
	Measurements     *Measurements     `json:"measurements" doc:"How people talk on them: figures of each file, spread over the files."`
	Transcripts      *Transcripts      `json:"transcripts" doc:"What is transcribed."`
	Participants     *Participants     `json:"participants" doc:"Who speaks, as declared."`
	CollectionMethod *CollectionMethod `json:"collectionMethod" doc:"How it was recorded, as declared."`
	Consent          *Consent          `json:"consent" doc:"What the speakers agreed to, as declared."`
	Privacy          *Privacy          `json:"privacy" doc:"What personal data is in it, as declared."`
	Licence          *Licence          `json:"licence" doc:"Under what terms it is given."`
	Access           *Access           `json:"access" doc:"How to get at the data."`
	Splits           []Split           `json:"splits" doc:"Parts for training, validation and testing."`
	Provenance       *Provenance       `json:"provenance" doc:"Where it comes from."`
	Citation         *string           `json:"citation" doc:"How to cite it."`

	DatePublished *string   `json:"datePublished" doc:"When it was first published, YYYY-MM-DD."`
	DateModified  time.Time `json:"dateModified" doc:"When the record last changed."`
	Contact       *Contact  `json:"contact" doc:"Who answers."`
	Gaps          []string  `json:"gaps" nullable:"false" doc:"Names of the fields that are null because nobody knows, as dotted paths, sorted; the outermost null alone."`
}

// Language is the language of a dataset.
type Language struct {
	Name       string   `json:"name" doc:"In English."`
	NativeName *string  `json:"nativeName"`
	ISO6393    string   `json:"iso639_3"`
	ISO6391    *string  `json:"iso639_1"`
	BCP47      string   `json:"bcp47"`
	Script     *string  `json:"script" doc:"ISO 15924, of the transcripts."`
	Region     *string  `json:"region" doc:"ISO 3166-1."`
	Family     *string  `json:"family"`
	Varieties  []string `json:"varieties" doc:"Dialects."`
}

// Sample is the conversation that everybody may hear.
type Sample struct {
	Recording    string            `json:"recording" doc:"Its id in the manifest."`
	URL          string            `json:"url" doc:"The file, all channels."`
	Streams      []Stream          `json:"streams" nullable:"false" doc:"Each channel alone."`
	DurationS    float64           `json:"durationS"`
	SampleRateHz int               `json:"sampleRateHz"`
	Codec        string            `json:"codec" doc:"Of the sample as it is served."`
	Channels     int               `json:"channels"`
	SizeBytes    int64             `json:"sizeBytes"`
	SHA256       string            `json:"sha256"`
	Waveform     Waveform          `json:"waveform"`
	Transcript   *SampleTranscript `json:"transcript"`
	Metrics      Profile           `json:"metrics"`
	Licence      *Terms            `json:"licence"`
	Bundle       Bundle            `json:"bundle"`
}

// Stream is one channel of a sample.
type Stream struct {
	Channel int    `json:"channel" doc:"From 1."`
	URL     string `json:"url"`
	Role    string `json:"role,omitempty"`
	Speaker string `json:"speaker,omitempty"`
}

// Waveform is what is needed to draw the sample.
type Waveform struct {
	Points int         `json:"points" doc:"Of each channel, up to 200."`
	Peaks  [][]float64 `json:"peaks" nullable:"false" doc:"Highest magnitude, 0..1."`
}

// SampleTranscript is the transcript of a sample.
type SampleTranscript struct {
	URL      string    `json:"url" doc:"All of it, as CSV."`
	Format   string    `json:"format" doc:"Of URL: \"csv\"."`
	Source   string    `json:"source" doc:"The format it came in."`
	Count    int       `json:"count" doc:"Segments in all."`
	Segments []Segment `json:"segments" nullable:"false"`
}

// Segment is a segment of the sample's transcript. The record has the first 50.
type Segment struct {
	StartS  float64 `json:"startS"`
	EndS    float64 `json:"endS"`
	Channel int     `json:"channel,omitempty"`
	Speaker string  `json:"speaker,omitempty"`
	Role    string  `json:"role,omitempty"`
	Text    string  `json:"text"`
}

// Terms names a licence.
type Terms struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

// Bundle says how to get the sample together with its licence.
type Bundle struct {
	Available bool   `json:"available"`
	How       string `json:"how"`
}

// Transcripts says what is transcribed.
type Transcripts struct {
	Formats    []string `json:"formats" nullable:"false"`
	Recordings int      `json:"recordings" doc:"That have one."`
	Segments   int      `json:"segments" nullable:"false"`
	Words      *int     `json:"words" doc:"In all; null when no transcript has any, as those of times alone."`
	WordTimes  bool     `json:"wordTimes"`
	Script     *string  `json:"script" doc:"ISO 15924, of most words."`
	Lexical    *Lexical `json:"lexical" doc:"The transcripts that have words, laid end to end; null without one."`
	Coverage   *Spread  `json:"coverage" doc:"Of speech by segments, per file."`
	Protocol   *string  `json:"protocol" doc:"Declared: how they were made."`
	Agreement  *Spread  `json:"agreement" doc:"Of segments and speech, intersection over union, per file."`
}

// Participants are the speakers, as declared.
type Participants struct {
	Count    *int           `json:"count"`
	Gender   map[string]int `json:"gender,omitempty"`
	AgeRange []int          `json:"ageRange,omitempty" doc:"Youngest and oldest."`
	Regions  []string       `json:"regions,omitempty"`
	Summary  *string        `json:"summary"`
}

// CollectionMethod says how the recordings were made, as declared.
type CollectionMethod struct {
	Summary   *string `json:"summary"`
	Style     *string `json:"style" doc:"Such as \"spontaneous\", \"role-played\", \"scripted\"."`
	Setting   *string `json:"setting" doc:"Where."`
	Equipment *string `json:"equipment" doc:"On what."`
	From      *string `json:"from" doc:"YYYY-MM-DD."`
	To        *string `json:"to"`
}

// Consent is what the speakers consented to, as declared.
type Consent struct {
	Summary  *string  `json:"summary"`
	Purposes []string `json:"purposes,omitempty"`
}

// Privacy says which personal data the dataset has, as declared.
type Privacy struct {
	Summary      *string `json:"summary"`
	PersonalData *bool   `json:"personalData"`
	Anonymised   *bool   `json:"anonymised"`
}

// Licence says under which terms the dataset is offered.
type Licence struct {
	Name       string  `json:"name"`
	URL        *string `json:"url"`
	Summary    *string `json:"summary"`
	Evaluation *Terms  `json:"evaluation" doc:"Of the sample."`
}

// Access says how to get the data.
type Access struct {
	Free       bool    `json:"free"`
	Conditions *string `json:"conditions"`
}

// Split is a part of the dataset, such as train.
type Split struct {
	Name       string  `json:"name"`
	Recordings int     `json:"recordings"`
	Hours      float64 `json:"hours"`
}

// Provenance says where the dataset comes from.
type Provenance struct {
	Creator   *Organisation `json:"creator"`
	Publisher *Organisation `json:"publisher"`
	Synthetic bool          `json:"synthetic" doc:"Made by machine."`
	Generator string        `json:"generator,omitempty"`
	Created   *string       `json:"created" doc:"YYYY-MM-DD."`
}

// Organisation is an organisation that made or offers a dataset.
type Organisation struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

// Contact is where questions are answered.
type Contact struct {
	Name  *string `json:"name"`
	Email *string `json:"email"`
	URL   *string `json:"url"`
}

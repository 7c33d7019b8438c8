package catalogue

import (
	"strings"

	"vaak/catalogue"
	"vaak/web/site"
)

// gap is a field of the record that is not known.
type gap struct {
	Words string // what the field means; "" where there are no words for it
	Name  string // name of the field
}

// gapWords are the fields of a record in plain words.
var gapWords = map[string]string{
	"citation":                   "How to cite the dataset",
	"collection":                 "Whether the calls are from a call centre or general conversation",
	"domain":                     "The domain",
	"domains":                    "The domains it covers",
	"channels":                   "Whether each speaker has a channel of their own",
	"conversations":              "How many conversations it holds",
	"speakers":                   "How many people speak",
	"englishShare":               "The share of English words",
	"sample":                     "How it sounds: there is no public sample",
	"sample.transcript":          "What is said in the sample",
	"sample.licence":             "Under what licence the sample is given",
	"sample.metrics.lexical":     "Figures of the words in the sample",
	"specification":              "The specification of the files",
	"measurements":               "The conversation profile of the whole dataset",
	"transcripts":                "Transcripts",
	"transcripts.protocol":       "How the transcripts were made",
	"transcripts.coverage":       "How much of the speech is transcribed",
	"transcripts.agreement":      "How well transcripts and audio agree",
	"transcripts.lexical":        "Figures of the words in all transcripts",
	"transcripts.words":          "How many words the transcripts have: they have none, or times alone",
	"measurements.lexical":       "Figures of words over all recordings",
	"transcripts.script":         "The script of the transcripts",
	"participants":               "Who speaks",
	"participants.count":         "How many people took part",
	"participants.summary":       "Who speaks, in a sentence",
	"collectionMethod":           "How it was recorded",
	"collectionMethod.from":      "When recording began",
	"collectionMethod.to":        "When recording ended",
	"collectionMethod.style":     "Whether the speech is spontaneous, role-played or scripted",
	"consent":                    "What the speakers agreed to",
	"consent.summary":            "What the speakers agreed to, in a sentence",
	"privacy":                    "How personal data is handled",
	"privacy.summary":            "How personal data is handled, in a sentence",
	"privacy.personalData":       "Whether it holds personal data",
	"privacy.anonymised":         "Whether it is anonymised",
	"licence":                    "The licence",
	"licence.url":                "Where the licence can be read",
	"licence.summary":            "The licence in a sentence",
	"licence.evaluation":         "The licence of the sample",
	"access":                     "How to get the data",
	"access.conditions":          "On what conditions the data is given",
	"splits":                     "Whether it is split for training and testing",
	"provenance":                 "Where it comes from",
	"provenance.creator":         "Who made it",
	"provenance.publisher":       "Who publishes it",
	"provenance.created":         "When it was made",
	"datePublished":              "When it was published",
	"contact":                    "Whom to ask",
	"contact.name":               "The name of whom to ask",
	"contact.email":              "An e-mail address to ask at",
	"contact.url":                "A page to ask at",
	"language.nativeName":        "The language's own name",
	"language.iso639_1":          "A two-letter code of the language",
	"language.script":            "The script it is written in",
	"language.region":            "The region",
	"language.family":            "The language family",
	"language.varieties":         "Which dialects are spoken",
	"collectionMethod.summary":   "How it was recorded, in a sentence",
	"collectionMethod.setting":   "Where it was recorded",
	"collectionMethod.equipment": "On what it was recorded",
	"otherLanguages":             "Which other languages are spoken",
}

// newGaps returns the gaps of a record with their words.
func newGaps(d *catalogue.Dataset) []gap {
	out := make([]gap, 0, min(len(d.Gaps), site.ListMax))
	for _, name := range d.Gaps {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if len(out) == site.ListMax {
			break
		}
		out = append(out, gap{gapWords[name], site.Clip(name, site.WordMax)})
	}
	return out
}

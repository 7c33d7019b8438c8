package write

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/catalogue/clean"
)

// raiJSON has the members of the vocabulary for responsible AI. The name of the time frame is that
// which the reference library reads; the text of the specification has another.
type raiJSON struct {
	Collection     string   `json:"rai:dataCollection,omitempty"`
	CollectionType []string `json:"rai:dataCollectionType,omitempty"`
	TimeFrame      []string `json:"rai:dataCollectionTimeFrame,omitempty"`
	Annotation     []string `json:"rai:dataAnnotationProtocol,omitempty"`
	Personal       []string `json:"rai:personalSensitiveInformation,omitempty"`
	Limitations    []string `json:"rai:dataLimitations,omitempty"`
	Biases         []string `json:"rai:dataBiases,omitempty"`
}

func (r *raiJSON) empty() bool {
	return r.Collection == "" && len(r.CollectionType) == 0 && len(r.TimeFrame) == 0 && len(r.Annotation) == 0 &&
		len(r.Personal) == 0 && len(r.Limitations) == 0 && len(r.Biases) == 0
}

// raiOf returns how the data was made and what to consider. It is declared on the card, except for
// the limitations, most of which are measured.
func raiOf(d *catalogue.Dataset) raiJSON {
	r := raiJSON{
		Personal: personal(d.Privacy, d.Consent), Limitations: limitations(d), Biases: speakersOf(d.Participants),
	}
	made := ""
	if p := d.Provenance; p != nil && p.Synthetic {
		r.CollectionType, made = []string{"Software Collection"}, "Made by machine."
		if by := clean.Line(p.Generator); by != "" {
			made = "Made by machine, with " + sentence(by)
		}
	}
	if m := d.CollectionMethod; m != nil {
		r.Collection = strings.Join(some(sentence(clean.Text(m.Summary)), labelled("Setting", clean.Text(m.Setting)), labelled("Equipment", clean.Text(m.Equipment))), " ")
		r.CollectionType = some(append(r.CollectionType, clean.Line(clean.Text(m.Style)))...)
		if from, to := clean.Day(m.From), clean.Day(m.To); from != "" && to != "" { // one date alone would mean one day
			r.TimeFrame = some(from, to)
		}
	}
	r.Collection = strings.Join(some(r.Collection, made), " ")
	if d.Transcripts != nil {
		r.Annotation = some(clean.Text(d.Transcripts.Protocol))
	}
	return r
}

// personal returns which personal data there is and what the speakers consented to. The purposes
// of the consent are limits and not advice, so they are not written as use cases.
func personal(p *catalogue.Privacy, c *catalogue.Consent) []string {
	var all []string
	if p != nil {
		all = append(all, clean.Text(p.Summary), either(p.PersonalData, "It holds personal data.", "It holds no personal data."),
			either(p.Anonymised, "It is anonymised.", "It is not anonymised."))
	}
	if c != nil {
		var purposes []string
		for _, purpose := range c.Purposes {
			purposes = some(append(purposes, clean.Line(purpose))...)
		}
		all = append(all, labelled("Consent", clean.Text(c.Summary)),
			labelled("Speakers agreed to these purposes", strings.Join(purposes, ", ")))
	}
	return some(all...)
}

func either(claim *bool, yes, no string) string {
	switch {
	// Nothing is claimed, so nothing is written.
	case claim == nil:
		return ""
	case *claim:
		return yes
	}
	return no
}

// limitations returns what makes the data less than it may seem.
func limitations(d *catalogue.Dataset) []string {
	var all []string
	if d.Provenance != nil && d.Provenance.Synthetic {
		all = append(all, "Synthetic: the voices are not those of people.")
	}
	if s := d.Specification; s != nil {
		files := s.MeasuredFrom.Files
		if s.UpsampledFiles > 0 {
			all = append(all, fmt.Sprintf("%d of %d files have a higher sample rate than their sound: they were made of narrower recordings.", s.UpsampledFiles, files))
		}
		if s.ClippedFiles > 0 {
			all = append(all, fmt.Sprintf("%d of %d files are clipped.", s.ClippedFiles, files))
		}
		if s.ChannelsClaimed != "" && s.ChannelsMeasured != "" {
			all = append(all, fmt.Sprintf("Said to be %s, and measured as %s.", clean.Line(s.ChannelsClaimed), clean.Line(s.ChannelsMeasured)))
		}
	}
	if t := d.Transcripts; t != nil && t.Recordings < d.Recordings {
		all = append(all, fmt.Sprintf("%d of %d recordings are transcribed.", t.Recordings, d.Recordings))
	}
	return all
}

// speakersOf returns who speaks, and so who is not represented.
func speakersOf(p *catalogue.Participants) []string {
	if p == nil {
		return nil
	}
	all := []string{clean.Text(p.Summary)}
	if len(p.Gender) > 0 {
		var counts []string
		for _, gender := range slices.Sorted(maps.Keys(p.Gender)) {
			counts = append(counts, fmt.Sprintf("%s %d", clean.Line(gender), p.Gender[gender]))
		}
		all = append(all, labelled("Speakers by gender", strings.Join(counts, ", ")))
	}
	if len(p.AgeRange) == 2 {
		all = append(all, fmt.Sprintf("Speakers are %d to %d years old.", p.AgeRange[0], p.AgeRange[1]))
	}
	if len(p.Regions) > 0 {
		all = append(all, labelled("Speakers are from", strings.Join(p.Regions, ", ")))
	}
	return some(all...)
}

package card

import "vaak/catalogue"

// Dataset returns the declared part of a record. The card must have no faults.
func (c *Card) Dataset() catalogue.Dataset {
	language, _ := LanguageOf(c.Language.Tag) // Parse has checked it
	language.Family, language.Varieties = optional(c.Language.Family), c.Language.Varieties
	d := catalogue.Dataset{
		Title: c.Title, Description: c.Description, Version: c.Version,
		Language: language, BCP47: language.BCP47, OtherLanguages: []string{},
		Collection: optional(c.Collection), Domains: c.Domains,
		Citation: optional(c.Citation),
	}
	for _, tag := range c.OtherLanguages {
		if other, err := LanguageOf(tag); err == nil {
			d.OtherLanguages = append(d.OtherLanguages, other.BCP47)
		}
	}
	if len(c.Domains) > 0 {
		d.Domain = optional(c.Domains[0])
	}
	people(&d, c)
	terms(&d, c)
	return d
}

// people sets who speaks, how they were recorded and what they agreed to.
func people(d *catalogue.Dataset, card *Card) {
	if p := card.Participants; p != nil {
		d.Participants = &catalogue.Participants{
			Count: p.Count, Gender: p.Gender, AgeRange: p.AgeRange, Regions: p.Regions, Summary: optional(p.Summary),
		}
	}
	if m := card.CollectionMethod; m != nil {
		d.CollectionMethod = &catalogue.CollectionMethod{
			Summary: optional(m.Summary), Style: optional(m.Style), Setting: optional(m.Setting),
			Equipment: optional(m.Equipment), From: optional(m.From), To: optional(m.To),
		}
	}
	if c := card.Consent; c != nil {
		d.Consent = &catalogue.Consent{Summary: optional(c.Summary), Purposes: c.Purposes}
	}
	if p := card.Privacy; p != nil {
		d.Privacy = &catalogue.Privacy{Summary: optional(p.Summary), PersonalData: p.PersonalData, Anonymised: p.Anonymised}
	}
}

// terms sets who offers the dataset and under what terms.
func terms(d *catalogue.Dataset, card *Card) {
	if l := card.Licence; l != nil {
		d.Licence = &catalogue.Licence{Name: l.Name, URL: optional(l.URL), Summary: optional(l.Summary)}
		if e := l.Evaluation; e != nil {
			d.Licence.Evaluation = &catalogue.Terms{Name: e.Name, URL: e.URL}
		}
	}
	if a := card.Access; a != nil {
		d.Access = &catalogue.Access{Free: a.Free, Conditions: optional(a.Conditions)}
	}
	if p := card.Provenance; p != nil {
		d.Provenance = &catalogue.Provenance{
			Creator: organisation(p.Creator), Publisher: organisation(p.Publisher),
			Synthetic: p.Synthetic, Generator: p.Generator, Created: optional(p.Created),
		}
	}
	if c := card.Contact; c != nil {
		d.Contact = &catalogue.Contact{Name: optional(c.Name), Email: optional(c.Email), URL: optional(c.URL)}
	}
}

// organisation returns an organisation of the record, or nil.
func organisation(n *Named) *catalogue.Organisation {
	if n == nil {
		return nil
	}
	return &catalogue.Organisation{Name: n.Name, URL: n.URL}
}

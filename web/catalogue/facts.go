package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/web/site"
)

// facts returns the parts of the page that say what people declared.
func facts(d *catalogue.Dataset) []section {
	var out []section
	for _, s := range []section{
		{ID: "transcripts", Title: "Transcripts", Facts: transcripts(d.Transcripts)},
		{ID: "people", Title: "People and recording", Lead: "As declared on the card.", Facts: append(participants(d.Participants), recording(d.CollectionMethod)...)},
		{ID: "privacy", Title: "Consent and privacy", Lead: "As declared on the card.", Facts: append(consent(d.Consent), privacy(d.Privacy)...)},
		{ID: "licence", Title: "Licence and access", Lead: "Nothing is priced or licensed automatically: people agree on it.", Facts: append(licence(d.Licence), access(d)...)},
		{ID: "provenance", Title: "Provenance", Facts: provenance(d)},
	} {
		if len(s.Facts) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// factList collects facts, and leaves out those without a value.
type factList []fact

func (t *factList) add(name, value string) {
	if value != "" {
		*t = append(*t, fact{Name: name, Value: value})
	}
}

func (t *factList) text(name string, p *string) { t.add(name, opt(p, site.ProseMax)) }

func (t *factList) claim(name string, p *bool, yes, no string) {
	if p == nil {
		return
	}
	if *p {
		t.add(name, yes)
	} else {
		t.add(name, no)
	}
}

func (t *factList) linked(name, value, href string) {
	if value != "" {
		*t = append(*t, fact{Name: name, Value: value, Href: href})
	}
}

func transcripts(x *catalogue.Transcripts) []fact {
	if x == nil {
		return nil
	}
	var t factList
	t.add("Transcribed", site.Plural(x.Recordings, "recording", "recordings"))
	t.add("Segments", site.Whole(x.Segments))
	if x.Words != nil {
		t.add("Words", site.Whole(*x.Words))
	}
	if x.WordTimes {
		t.add("Times", "of segments and of words")
	} else {
		t.add("Times", "of segments")
	}
	t.add("Formats", listed(x.Formats, 12))
	t.add("Script", opt(x.Script, site.WordMax))
	t.add("Speech covered", shareSpread(x.Coverage))
	t.add("Agreement with the audio", shareSpread(x.Agreement))
	t.text("How they were made (declared)", x.Protocol)
	return t
}

func participants(p *catalogue.Participants) []fact {
	if p == nil {
		return nil
	}
	var t factList
	t.text("Who speaks", p.Summary)
	if p.Count != nil {
		t.add("How many", site.Whole(*p.Count))
	}
	var parts []string
	for _, g := range slices.Sorted(maps.Keys(p.Gender)) {
		if len(parts) < 12 {
			parts = append(parts, site.Clip(g, site.WordMax)+" "+site.Whole(p.Gender[g]))
		}
	}
	t.add("Gender", strings.Join(parts, ", "))
	if len(p.AgeRange) == 2 {
		t.add("Age", fmt.Sprintf("%d to %d years", p.AgeRange[0], p.AgeRange[1]))
	}
	t.add("Regions", listed(p.Regions, 20))
	return t
}

func recording(c *catalogue.CollectionMethod) []fact {
	if c == nil {
		return nil
	}
	var t factList
	t.text("How it was recorded", c.Summary)
	t.text("Style", c.Style)
	t.text("Setting", c.Setting)
	t.text("Equipment", c.Equipment)
	switch from, to := opt(c.From, site.WordMax), opt(c.To, site.WordMax); {
	case from != "" && to != "":
		t.add("When", day(from)+" to "+day(to))
	case from != "":
		t.add("When", "from "+day(from))
	case to != "":
		t.add("When", "until "+day(to))
	}
	return t
}

func consent(c *catalogue.Consent) []fact {
	if c == nil {
		return nil
	}
	var t factList
	t.text("Consent", c.Summary)
	t.add("Agreed purposes", listed(c.Purposes, 20))
	return t
}

func privacy(p *catalogue.Privacy) []fact {
	if p == nil {
		return nil
	}
	var t factList
	t.text("Privacy", p.Summary)
	t.claim("Personal data", p.PersonalData, "yes, it holds some", "none")
	t.claim("Anonymised", p.Anonymised, "yes", "no")
	return t
}

func licence(l *catalogue.Licence) []fact {
	if l == nil {
		return nil
	}
	var t factList
	t.linked("Licence", site.Clip(l.Name, site.TitleMax), outside(opt(l.URL, site.LinkMax)))
	t.text("In short", l.Summary)
	if l.Evaluation != nil {
		t.linked("The sample", site.Clip(l.Evaluation.Name, site.TitleMax), outside(l.Evaluation.URL))
	}
	return t
}

func access(d *catalogue.Dataset) []fact {
	var t factList
	if a := d.Access; a != nil {
		t.claim("Cost", &a.Free, "free of charge", "by agreement")
		t.text("Conditions", a.Conditions)
	}
	if s := d.Sample; s != nil && s.Bundle.How != "" {
		t.add("Sample bundle", site.Clip(s.Bundle.How, site.ProseMax))
	}
	return t
}

func provenance(d *catalogue.Dataset) []fact {
	var t factList
	if p := d.Provenance; p != nil {
		if p.Synthetic {
			t.add("Speech", "made by machine, no person speaks")
			t.add("Generator", site.Clip(p.Generator, site.TitleMax))
		}
		for _, o := range []struct {
			name string
			org  *catalogue.Organisation
		}{{"Made by", p.Creator}, {"Published by", p.Publisher}} {
			if o.org != nil {
				t.linked(o.name, site.Clip(o.org.Name, site.TitleMax), outside(o.org.URL))
			}
		}
		if p.Created != nil {
			t.add("Made on", day(*p.Created))
		}
	}
	if d.DatePublished != nil {
		t.add("Published on", day(*d.DatePublished))
	}
	if !d.DateModified.IsZero() {
		t.add("Record changed on", day(d.DateModified.UTC().Format("2006-01-02")))
	}
	return t
}

// contact returns whom to ask, and where.
func contact(c *catalogue.Contact) []fact {
	if c == nil {
		return nil
	}
	var t factList
	t.add("Name", opt(c.Name, site.TitleMax))
	if email := opt(c.Email, site.TitleMax); email != "" {
		t.linked("E-mail", email, site.Mailto(email))
	}
	if address := opt(c.URL, site.LinkMax); address != "" {
		t.linked("Page", address, outside(address))
	}
	return t
}

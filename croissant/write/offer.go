package write

import (
	"vaak/catalogue"
	"vaak/catalogue/clean"
	"vaak/croissant"
)

// offer sets who offers the dataset, under which terms, and what can be done with it.
func (w *writer) offer(out *datasetJSON) {
	d := w.d
	if d.Licence != nil {
		out.License, out.UsageInfo = licence(d.Licence), w.usage()
	}
	if d.Access != nil {
		out.Conditions, out.Free = clean.Text(d.Access.Conditions), &d.Access.Free
	}
	if p := d.Provenance; p != nil {
		out.DateCreated = clean.Day(p.Created)
		out.Creator, out.Publisher = organisation(p.Creator), organisation(p.Publisher)
	}
	out.Catalogue = &thingJSON{
		Type: oneOrMore[string]{"DataCatalog"}, Name: "Speech datasets", URL: w.base + "/catalogue",
	}
	out.Actions = actions(d, w.sampleFile())
}

// licence returns the licence, or nil if it has neither name nor address.
func licence(l *catalogue.Licence) *thingJSON {
	name, at := clean.Line(l.Name), ""
	if l.URL != nil {
		at = clean.Web(*l.URL)
	}
	if name == "" && at == "" {
		return nil
	}
	return &thingJSON{Type: oneOrMore[string]{"CreativeWork"}, Name: name, URL: at}
}

// usage returns a link to the terms on the page of the dataset. In 1.1 it is also an offer of ODRL,
// without machine-readable rules, because people agree on the terms.
func (w *writer) usage() *thingJSON {
	out := &thingJSON{
		Type: oneOrMore[string]{"CreativeWork"}, Name: "Terms of the licence and how to get it", URL: w.d.URL + "#licence",
	}
	if w.version == croissant.V11 {
		out.Type = append(out.Type, "odrl:Offer")
	}
	return out
}

func organisation(o *catalogue.Organisation) *thingJSON {
	if o == nil || clean.Line(o.Name) == "" {
		return nil
	}
	return &thingJSON{Type: oneOrMore[string]{"Organization"}, Name: clean.Line(o.Name), URL: clean.Web(o.URL)}
}

// actions returns what can be done: hear the sample, and ask the people who answer, by the form on
// the page. A retired dataset cannot be asked for.
func actions(d *catalogue.Dataset, sample *catalogue.File) []actionJSON {
	var all []actionJSON
	if sample != nil {
		all = append(all, actionJSON{
			Type: "ListenAction", Name: "Hear the sample",
			Target: entryJSON{Type: "EntryPoint", URLTemplate: sample.URL, ContentType: mediaType(sample)},
		})
	}
	if d.Status != catalogue.Retired {
		all = append(all, actionJSON{
			Type: "CommunicateAction", Name: "Ask for a licence, a larger sample or anything else",
			Target: entryJSON{Type: "EntryPoint", URLTemplate: d.URL + "#ask", ContentType: "text/html"},
		})
	}
	return all
}

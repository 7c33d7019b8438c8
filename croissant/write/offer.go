package write

import "vaak/croissant"

import "vaak/catalogue"

// offer fills in who offers the dataset, under what terms, and what can be done
// with it now.
func (w *writer) offer(out *datasetJSON) {
	d := w.d
	if d.Licence != nil {
		out.License, out.UsageInfo = licence(d.Licence), w.usage()
	}
	if d.Access != nil {
		out.Conditions, out.Free = text(d.Access.Conditions), &d.Access.Free
	}
	if p := d.Provenance; p != nil {
		out.DateCreated = day(p.Created)
		out.Creator, out.Publisher = organisation(p.Creator), organisation(p.Publisher)
	}
	out.Catalogue = &thingJSON{
		Type: oneOrMore[string]{"DataCatalog"}, Name: "Speech datasets", URL: w.base + "/catalogue",
	}
	out.Actions = actions(d, w.sampleFile())
}

// licence names the terms; nil where they have no name.
func licence(l *catalogue.Licence) *thingJSON {
	name, at := line(l.Name), ""
	if l.URL != nil {
		at = web(*l.URL)
	}
	if name == "" && at == "" {
		return nil
	}
	return &thingJSON{Type: oneOrMore[string]{"CreativeWork"}, Name: name, URL: at}
}

// usage is where the terms stand on the page. It is an offer in the sense of ODRL,
// which 1.1 knows, without rules of its own: they are agreed on by people.
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
	if o == nil || line(o.Name) == "" {
		return nil
	}
	return &thingJSON{Type: oneOrMore[string]{"Organization"}, Name: line(o.Name), URL: web(o.URL)}
}

// actions are to hear the sample, and to ask the people who answer, by the form of the
// page; a dataset that is no longer offered has none.
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

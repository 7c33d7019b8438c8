package catalogue

import (
	"net/url"
	"strings"

	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/web/site"
)

// brief is what somebody looks for: the filters of the list, as a link to keep and to send on.
type brief struct {
	Link    string // the address of the list with it
	Unknown string // the same with what may fit, because something is not known of it; "" where it is
	Ask     string // the form of an enquiry with it; "" where nobody takes enquiries
}

// newBrief returns the brief of a filter, nil without one.
func (s *pages) newBrief(f filter) *brief {
	f.cursor, f.sort = "", ""
	wants := f.wants()
	if len(wants) == 0 {
		return nil
	}
	b := &brief{Link: s.PublicURL() + f.address()}
	if !f.unknown && f.mayBeUnknown() {
		b.Unknown = f.with("unknown", "true").address()
	}
	if s.enquiries != nil {
		message := "We look for speech like this:\n- " + strings.Join(wants, "\n- ") + "\nAs a list: " + b.Link + "\n"
		b.Ask = site.AskPath + "?" + url.Values{"intent": {string(enquiry.Collection)}, "message": {site.Clip(message, enquiry.MaxMessage)}}.Encode()
	}
	return b
}

// wants returns the filters in words, one on a line.
func (f filter) wants() (out []string) {
	add := func(name string, values ...string) {
		if value := strings.Join(values, " or "); value != "" {
			out = append(out, name+": "+site.Clip(value, site.TitleMax))
		}
	}
	add("words", f.q)
	add("language", f.languages...)
	add("domain", f.domains...)
	add("channels", channelWords(&f.channels))
	add("collection", collectionWords(&f.collection))
	var rates []string
	for _, hz := range f.rates {
		rates = append(rates, hertz(hz))
	}
	add("sample rate", rates...)
	add("licence", f.licences...)
	if f.hours > 0 {
		add("hours", "at least "+site.Decimal(f.hours, 2))
	}
	if f.speakers > 0 {
		add("speakers", "at least "+site.Whole(f.speakers))
	}
	if f.transcribed {
		add("transcripts", "with times")
	}
	if f.sample {
		add("sample", "to hear")
	}
	add("like the dataset", f.similar)
	return out
}

// mayBeUnknown reports whether the filter asks for something that is not known of some datasets.
func (f filter) mayBeUnknown() bool {
	return f.channels != "" || f.collection != "" || f.speakers > 0 || len(f.domains)+len(f.licences)+len(f.rates) > 0
}

// unknownOf returns what the filter asks for and nobody knows of a dataset.
func (f filter) unknownOf(d *catalogue.Dataset) (out []string) {
	for _, p := range []struct {
		name           string
		asked, unknown bool
	}{
		{"channels", f.channels != "", d.Channels == nil},
		{"collection", f.collection != "", d.Collection == nil},
		{"domain", len(f.domains) > 0, len(d.Domains) == 0},
		{"licence", len(f.licences) > 0, d.Licence == nil},
		{"sample rate", len(f.rates) > 0, d.Specification == nil || len(d.Specification.SampleRateHz) == 0},
		{"number of speakers", f.speakers > 0, d.Speakers == nil},
	} {
		if p.asked && p.unknown {
			out = append(out, p.name)
		}
	}
	return out
}

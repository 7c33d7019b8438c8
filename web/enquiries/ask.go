package enquiries

import (
	_ "embed"
	"slices"

	"vaak/catalogue"
	"vaak/enquiry"
	"vaak/web/site"
)

// Template returns the text of the template "ask", which is the form and has an [Ask] as
// its dot. Pages of other packages may include it.
func Template() string { return askTemplate }

//go:embed ask.html
var askTemplate string

// Ask is the form of an enquiry, empty or filled in.
type Ask struct {
	Heading string
	About   *subject // nil without a dataset
	Intents []intentChoice
	Typed   sheet // what was typed
	// What is wrong when the form was not sent: Alert where no field is at fault,
	// Problems by field, and Summary with links to these fields.
	Alert    string
	Problems map[string]string
	Summary  []problem
	Terms    terms

	MaxLine, MaxEmail, MaxMessage int
	MaxWords                      string // of MaxMessage
}

// subject is the dataset that an enquiry is about.
type subject struct {
	Slug, Title, Href string
	Silent            bool // it has no sample
}

// intentChoice is something that a person may ask for.
type intentChoice struct {
	Value       enquiry.Intent
	Name, Means string
	Chosen      bool
}

// problem is what is wrong with a field of a form.
type problem struct{ Field, Words string }

// terms is what the form says before a person sends anything: who reads it and how long
// it is kept.
type terms struct {
	Contact string
	Mail    string // the address to write to as a link; "" where it is none
	Keep    string // "2 years"
}

func newTerms(t enquiry.Terms, contact string) terms {
	if contact == "" {
		contact = t.Contact
	}
	return terms{Contact: site.Clip(contact, site.TitleMax), Mail: site.Mailto(site.Clip(contact, site.TitleMax)), Keep: enquiry.Period(t.Keep)}
}

// NewAsk returns an empty form about a dataset, or about none (nil).
func NewAsk(t enquiry.Terms, d *catalogue.Dataset) *Ask {
	v := &Ask{
		Terms: newTerms(t, ""), Problems: map[string]string{}, Typed: sheet{},
		MaxLine: enquiry.MaxLine, MaxEmail: enquiry.MaxEmail, MaxMessage: enquiry.MaxMessage, MaxWords: site.Whole(enquiry.MaxMessage),
	}
	if d != nil {
		v.about(d)
	}
	v.choose("")
	return v
}

func (v *Ask) about(d *catalogue.Dataset) {
	v.About = newSubject(&enquiry.Dataset{Slug: d.Slug, Title: d.Title})
	v.About.Silent = !d.HasSample
}

// newSubject returns a dataset as the pages show it; nil for none.
func newSubject(d *enquiry.Dataset) *subject {
	if d == nil {
		return nil
	}
	title := site.Clip(d.Title, site.TitleMax)
	if title == "" {
		title = d.Slug
	}
	return &subject{Slug: d.Slug, Title: title, Href: site.DatasetPath(d.Slug)}
}

// fill puts in what was typed. The box of consent stays unticked, since consent is given to
// what is sent, and the person may still change that.
func (v *Ask) fill(s sheet) { v.Typed = s }

// choose lists what a person may ask for. A quote or a sample needs a dataset, so without
// one they are left out, unless one of them was chosen. A dataset without a sample has none to
// ask for.
func (v *Ask) choose(chosen enquiry.Intent) {
	all := enquiry.Intents[:]
	if v.About == nil && chosen != enquiry.Quote && chosen != enquiry.Sample {
		all = []enquiry.Intent{enquiry.Collection, enquiry.Question}
	}
	if v.About != nil && v.About.Silent && chosen != enquiry.Sample {
		all = []enquiry.Intent{enquiry.Quote, enquiry.Collection, enquiry.Question}
	}
	v.Intents = nil
	for _, i := range all {
		v.Intents = append(v.Intents, intentChoice{i, intentName(i), intentMeaning(i), i == chosen})
	}
}

// wrong puts in why the form was not sent.
func (v *Ask) wrong(err error) {
	words, field := sentence(messageOf(err)), fieldOf(err)
	if !slices.Contains([]string{"name", "email", "company", "intent", "message", consentField}, field) {
		v.Alert = words
		if words == "" {
			v.Alert = "Something broke on our side, and what went wrong is in our log. You may send it again: the same enquiry is taken once, however often it comes."
		}
		return
	}
	v.Problems[field] = words
	v.Summary = append(v.Summary, problem{field, words})
}

// intentName names an intent in the words of the form.
func intentName(i enquiry.Intent) string {
	switch i {
	case enquiry.Quote:
		return "A licence quote"
	case enquiry.Sample:
		return "The sample bundle"
	case enquiry.Collection:
		return "A collection to a brief"
	case enquiry.Question:
		return "A question"
	}
	return enquiry.Inert(site.Clip(string(i), site.WordMax)) // stored by a version that knows more intents
}

func intentMeaning(i enquiry.Intent) string {
	switch i {
	case enquiry.Quote:
		return "What a licence for this dataset costs. Say what it is for."
	case enquiry.Sample:
		return "Audio, segments and licence text of the sample, under the evaluation licence, by e-mail."
	case enquiry.Collection:
		return "Speech recorded for you. Say which languages, how many hours, and by when."
	case enquiry.Question:
		return "Anything else. This one needs a message."
	}
	return ""
}

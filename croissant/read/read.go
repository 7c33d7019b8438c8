// Package read takes from a Croissant document of others what it says of its dataset, and writes it
// as the card of a dataset of our own.
//
// It reads what publishers emit, not only what is valid: Hugging Face, Kaggle, OpenML and others
// each leave something out. Figures are not taken: what our catalogue says of hours and speakers,
// it has measured. Nothing that the document names is fetched or opened.
package read

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"vaak/croissant"
	"vaak/croissant/graph"
	"vaak/lang"
)

// Organisation is a person or an organisation.
type Organisation struct{ Name, URL string }

// Facts are what a document says of its dataset. What it does not say is empty.
type Facts struct {
	Name, Description, URL, Version string
	Licences                        []Organisation // their names and addresses; more than one leaves open which holds
	Creators                        []Organisation
	Publisher                       Organisation
	Languages                       []string // as the document writes them
	Keywords                        []string
	Citation                        string
	Created, Published              string // days, as in 2026-01-31
	From, To                        string // days of the recordings
	Places                          []string
	Free                            *bool
	Conditions                      string
	Collection, Annotation          string   // how it was collected and annotated (rai:)
	Kinds                           []string // of collection (rai:)
	Personal                        []string // what is personal (rai:)
	Live                            bool     // its files change
	Left                            []string // sentences on what is said and could not be read
}

// maxDocument is the size of the largest document, in bytes.
const maxDocument = 1 << 20

// The vocabularies. Documents write schema.org in both ways.
const (
	schemaOrg    = "https://schema.org/"
	oldSchemaOrg = "http://schema.org/"
	mlcommons    = "http://mlcommons.org/croissant/"
	rai          = mlcommons + "RAI/"
)

// Document reads a document. The error says why there is no dataset in it.
func Document(document []byte) (Facts, error) {
	if len(document) > maxDocument {
		return Facts{}, fmt.Errorf("the document has more than %d bytes", maxDocument)
	}
	doc := graph.Read(document)
	if _, object := doc.Root.(map[string]any); !doc.Readable || !object {
		return Facts{}, fmt.Errorf("the document is no JSON object%s", first(doc))
	}
	var context map[string]any
	if err := json.Unmarshal(croissant.V11.Context(), &context); err != nil {
		panic("the context of Croissant 1.1 is not JSON: " + err.Error()) // a table of ours
	}
	doc.Prepare(context)
	g := doc.Expand()
	if g.Err != "" {
		return Facts{}, fmt.Errorf("the document is not JSON-LD that can be read: %s", g.Err)
	}
	n := dataset(g)
	if n == nil {
		return Facts{}, fmt.Errorf(`nothing in the document is of type Dataset; a Croissant document has "@type": "sc:Dataset"`)
	}
	return facts(reader{n}), nil
}

// first returns the first problem of a document, as the end of a sentence.
func first(doc *graph.Document) string {
	if len(doc.Problems) == 0 {
		return ""
	}
	return ": " + doc.Problems[0].Message
}

// dataset returns the node that the document describes.
func dataset(g *graph.Graph) *graph.Node {
	is := func(n *graph.Node) bool {
		return n != nil && (n.Has(schemaOrg+"Dataset") || n.Has(oldSchemaOrg+"Dataset"))
	}
	if is(g.Root()) {
		return g.Root()
	}
	if i := slices.IndexFunc(g.Nodes, is); i >= 0 {
		return g.Nodes[i]
	}
	return nil
}

// reader reads the properties of a node.
type reader struct{ *graph.Node }

// values returns the values of a property of schema.org or, with its whole address, of another
// vocabulary.
func (r reader) values(name string) []graph.Value {
	if strings.Contains(name, "://") {
		return r.Values(name)
	}
	return slices.Concat(r.Values(schemaOrg+name), r.Values(oldSchemaOrg+name))
}

// texts returns the texts of a property: literals, and the names of things.
func (r reader) texts(name string) (out []string) {
	for _, v := range r.values(name) {
		if s := textOf(v); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// rai returns the texts of a property for responsible AI. Some contexts have these among the terms of
// Croissant itself.
func (r reader) rai(name string) []string {
	return slices.Concat(r.texts(rai+name), r.texts(mlcommons+name))
}

// text returns the first text of a property. Of texts in several languages, the one in English.
func (r reader) text(name string) string {
	vs := r.values(name)
	if i := slices.IndexFunc(vs, func(v graph.Value) bool { return strings.HasPrefix(v.Language, "en") }); i > 0 {
		return textOf(vs[i])
	}
	for _, v := range vs {
		if s := textOf(v); s != "" {
			return s
		}
	}
	return ""
}

// textOf returns a literal as text, or the name of a thing.
func textOf(v graph.Value) string {
	if v.Node == nil {
		return literal(v)
	}
	// The names of a thing are literals. What is a thing again is not followed: it may be one that
	// is on the way here already.
	for _, name := range []string{"name", "alternateName", "identifier", "url"} {
		for _, inner := range (reader{v.Node}).values(name) {
			if s := literal(inner); s != "" {
				return s
			}
		}
	}
	return v.Node.Written
}

func literal(v graph.Value) string {
	switch l := v.Literal.(type) {
	case string:
		return strings.TrimSpace(l)
	case json.Number:
		return l.String()
	}
	return ""
}

// thing returns a person, an organisation or a licence: an object, or its name or address.
func thing(v graph.Value) Organisation {
	if v.Node == nil {
		s := textOf(v)
		if isWeb(s) {
			return Organisation{URL: s}
		}
		return Organisation{Name: s}
	}
	n := reader{v.Node}
	o := Organisation{Name: n.text("name"), URL: n.text("url")}
	if o.URL == "" && isWeb(v.Node.Written) {
		o.URL = v.Node.Written
	}
	if !isWeb(o.URL) { // Kaggle has paths of its own server
		o.URL = ""
	}
	return o
}

func isWeb(s string) bool { return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://") }

func (r reader) things(name string) (out []Organisation) {
	for _, v := range r.values(name) {
		if o := thing(v); o != (Organisation{}) && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

func facts(r reader) Facts {
	f := Facts{
		Name: r.text("name"), Description: r.text("description"), URL: r.text("url"), Version: r.text("version"),
		Creators: r.things("creator"), Licences: r.things("license"), Languages: r.texts("inLanguage"), Keywords: keywords(r.texts("keywords")),
		Citation: cmp.Or(r.text(mlcommons+"citeAs"), r.text("citation")), Places: r.texts("spatialCoverage"), Conditions: r.text("conditionsOfAccess"),
		Collection: strings.Join(r.rai("dataCollection"), "\n"), Annotation: strings.Join(r.rai("dataAnnotationProtocol"), "\n"),
		Kinds: r.rai("dataCollectionType"), Personal: r.rai("personalSensitiveInformation"),
	}
	if some := r.things("publisher"); len(some) > 0 {
		f.Publisher = some[0]
		if len(some) > 1 {
			f.leave("of %d publishers the card has the first", len(some))
		}
	}
	for _, v := range r.values("isAccessibleForFree") {
		f.Free = truth(v)
	}
	for _, v := range r.values(mlcommons + "isLiveDataset") {
		live := truth(v)
		f.Live = live != nil && *live
	}
	f.Created, f.Published = f.day(r, "dateCreated"), f.day(r, "datePublished")
	if f.period(r.texts("temporalCoverage")); f.From == "" && f.To == "" {
		f.period(slices.Concat(r.rai("dataCollectionTimeFrame"), r.rai("dataCollectionTimeframe")))
	}
	for _, name := range []string{
		"name", "description", "url", "version", "creator", "license", "publisher", "inLanguage", "keywords", "citation", "temporalCoverage", "spatialCoverage",
		"dateCreated", "datePublished", "conditionsOfAccess", rai + "dataCollection", rai + "dataCollectionType", rai + "personalSensitiveInformation",
	} {
		if slices.ContainsFunc(r.values(name), func(v graph.Value) bool { return v.List }) {
			f.leave("%s is a list with an order (@list), which is not read", strings.TrimPrefix(name, rai))
		}
	}
	return f
}

// Choose keeps one of several licences: that with a name or an address. The error names all. With
// one licence or none it does nothing.
func (f *Facts) Choose(licence string) error {
	if len(f.Licences) < 2 {
		return nil
	}
	for _, l := range f.Licences {
		if licence != "" && (l.Name == licence || l.URL == licence) {
			f.Licences = []Organisation{l}
			return nil
		}
	}
	return fmt.Errorf("the document names %d licences and not which holds: %s", len(f.Licences), f.named())
}

// named lists the licences.
func (f Facts) named() string {
	var all []string
	for _, l := range f.Licences {
		all = append(all, line(cmp.Or(l.Name, l.URL), 100))
	}
	return line(strings.Join(all, "; "), 1000)
}

// leave notes what is said and could not be read.
func (f *Facts) leave(format string, args ...any) {
	f.Left = append(f.Left, fmt.Sprintf(format, args...))
}

// truth returns what a value says: a boolean, its text, or the address of schema.org for it. It is
// nil for another value.
func truth(v graph.Value) *bool {
	if b, ok := v.Literal.(bool); ok {
		return &b
	}
	text := textOf(v)
	if i := strings.LastIndexAny(text, ":/"); i >= 0 {
		text = text[i+1:] // sc:True, https://schema.org/True
	}
	switch strings.ToLower(text) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

// day returns the day that a property names.
func (f *Facts) day(r reader, name string) string {
	text := r.text(name)
	d := day(text)
	if d == "" && text != "" {
		f.leave("%s %q names no day such as 2026-01-31", name, line(text, 60))
	}
	return d
}

// period sets when the recordings were made. Each text is an interval of ISO 8601 or a day; of
// several days the first begins it and another ends it. A single day is a beginning: nothing says
// that it is the end, too.
func (f *Facts) period(texts []string) {
	var starts, ends []string
	add := func(to *[]string, part, whole string) {
		if part = strings.TrimSpace(part); part == "" || part == ".." {
			return // open at this side
		}
		if d := day(part); d != "" {
			*to = append(*to, d)
			return
		}
		f.leave("%q in the time %q names no day such as 2026-01-31", line(part, 60), line(whole, 60))
	}
	days := 0
	for _, text := range texts {
		if from, to, ok := strings.Cut(text, "/"); ok {
			add(&starts, from, text)
			add(&ends, to, text)
			continue
		}
		if days++; days == 1 {
			add(&starts, text, text)
		} else {
			add(&ends, text, text)
		}
	}
	if len(starts) > 0 {
		f.From = slices.Min(starts)
	}
	if len(ends) > 0 {
		f.To = slices.Max(ends)
	}
	if f.From != "" && f.To != "" && f.From > f.To {
		f.leave("the time of the recordings ends before it begins: %s, %s", f.From, f.To)
		f.From, f.To = "", ""
	}
}

// keywords returns the words, also of those who write all of them in one text.
func keywords(all []string) (out []string) {
	for _, text := range all {
		for word := range strings.SplitSeq(text, ",") {
			// Kaggle has paths of its tags: "subject > people and society > languages". Others say
			// what the data are for, and not what they are about.
			if root, _, path := strings.Cut(word, ">"); path && slices.Contains([]string{"technique", "data type", "task"}, strings.TrimSpace(root)) {
				continue
			}
			if i := strings.LastIndex(word, ">"); i >= 0 {
				word = word[i+1:]
			}
			if word = strings.TrimSpace(word); word != "" && !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
	}
	return out
}

// day returns the day of a date or a time of ISO 8601 that has one, otherwise "". Cards have no day
// before 1900.
func day(s string) string {
	d, _, _ := strings.Cut(s, "T")
	d, _, _ = strings.Cut(d, " ")
	if at, err := time.Parse(time.DateOnly, d); err != nil || at.Year() < 1900 {
		return ""
	}
	return d
}

// tag is a BCP 47 tag in its usual forms.
var tag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// SpokenIn returns the languages that the document names, as the reader of cards takes them: those of
// inLanguage, else the keywords that are names of languages, as Hugging Face has them.
func (f Facts) SpokenIn() (out []string) {
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, s := range f.Languages {
		if isKnown(s) || tag.MatchString(s) {
			add(s)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, word := range f.Keywords {
		if isLanguage(word) {
			add(word)
		}
	}
	return out
}

// isLanguage reports whether a keyword is the name of a language. Short words are codes of languages
// by chance.
func isLanguage(word string) bool { return len([]rune(word)) >= 4 && isKnown(word) }

// isKnown reports whether a text is a name or a code of a language.
func isKnown(text string) bool {
	t, ok := lang.Find(text)
	return ok && !t.IsZero()
}

// Slug returns the name as the slug of a dataset, or "" if it has too few letters for one.
func (f Facts) Slug() string {
	var b strings.Builder
	for _, r := range strings.ToLower(f.Name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && (unicode.IsSpace(r) || strings.ContainsRune("-_/.:,;+&|()[]", r)):
			b.WriteByte('-')
		}
	}
	parts := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' })
	slug := strings.Join(parts, "-")
	if len(slug) > maxSlug {
		slug = strings.TrimRight(slug[:maxSlug], "-")
	}
	if len(slug) < 3 {
		return ""
	}
	return slug
}

// maxSlug is how long a slug that is made here may be.
const maxSlug = 60

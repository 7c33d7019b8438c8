package read

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Bounds of the texts of a card, in code points.
const (
	maxLine    = 200
	maxProse   = 5000
	maxDomains = 20
	maxDomain  = 60
)

// Card returns the facts as a card in JSON, as folders of datasets have it, and sentences on what
// the document said and the card does not. slug may be ""; languages are those that the caller
// has found to be ones, the first of them that of the dataset.
func (f Facts) Card(slug string, languages []string) (card []byte, notes []string) {
	c := cardJSON{Slug: slug, Title: line(f.Name, maxLine), Description: f.described(), OtherLanguages: []string{}}
	notes = slices.Clone(f.Left)
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if len(languages) > 0 {
		c.Language.Tag, c.OtherLanguages = languages[0], languages[1:]
	}
	if f.Version != "" {
		if c.Version = version(f.Version); c.Version == "" {
			note("the version %q is not MAJOR.MINOR.PATCH; the card has 1.0.0", line(f.Version, 40))
		}
	}
	for _, s := range f.Languages {
		if !isKnown(s) && !tag.MatchString(s) {
			note("the language %q is not known", line(s, 60))
		}
	}
	c.keywords(f, note)
	c.offer(f, note)
	c.collected(f)
	if isWeb(f.URL) && c.Description != "" {
		note("the description ends with the source")
	}
	if f.Live {
		note("the document says that its files change (isLiveDataset); a dataset of the catalogue has versions")
	}
	card, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		panic(err) // texts alone: it cannot fail
	}
	return append(card, '\n'), notes
}

// described returns the description with the source of the dataset, for which the card has no place of
// its own.
func (f Facts) described() string {
	text, source := prose(f.Description), line(f.URL, 1000)
	if text == "" || !isWeb(source) {
		return text
	}
	source = "\n\nSource: " + source
	if f.Published != "" {
		source += " (published " + f.Published + ")"
	}
	return cut(text, maxProse-len([]rune(source))) + source
}

// keywords sets what the keywords say.
func (c *cardJSON) keywords(f Facts, note func(string, ...any)) {
	var others []string
	for _, word := range f.Keywords {
		switch strings.ToLower(word) {
		case "call centre", "call center", "call-centre":
			c.Collection = "call-centre"
			continue
		case "general conversation", "general-conversation":
			c.Collection = "general-conversation"
			continue
		}
		same := func(s string) bool { return strings.EqualFold(s, word) }
		word = line(word, maxDomain+1)
		if len([]rune(word)) <= maxDomain && len(c.Domains) < maxDomains && isDomain(word) && !slices.ContainsFunc(f.Languages, same) && !slices.ContainsFunc(c.Domains, same) {
			c.Domains = append(c.Domains, word)
		} else {
			others = append(others, word)
		}
	}
	if len(f.Keywords) > 0 {
		note("of %d keywords these are domains: %s", len(f.Keywords), cmp.Or(strings.Join(c.Domains, ", "), "none"))
	}
	if len(others) > 0 {
		note("these keywords are left out: %s", line(strings.Join(others, ", "), 500))
	}
}

// cardJSON is a card. Its keys are those of docs/datasets.md; a test reads cards of this package
// with the reader of folders.
type cardJSON struct {
	Slug        string `json:"slug,omitempty"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     string `json:"version,omitempty"`
	Language    struct {
		Tag string `json:"tag"`
	} `json:"language"`
	OtherLanguages   []string        `json:"other_languages"`
	Collection       string          `json:"collection,omitempty"`
	Domains          []string        `json:"domains,omitempty"`
	Participants     *peopleJSON     `json:"participants,omitempty"`
	CollectionMethod *methodJSON     `json:"collection_method,omitempty"`
	Privacy          *summaryJSON    `json:"privacy,omitempty"`
	Licence          *namedJSON      `json:"licence,omitempty"`
	Access           *accessJSON     `json:"access,omitempty"`
	Provenance       *provenanceJSON `json:"provenance,omitempty"`
	Protocol         string          `json:"transcript_protocol,omitempty"`
	Citation         string          `json:"citation,omitempty"`
}

type (
	namedJSON struct {
		Name string `json:"name"`
		URL  string `json:"url,omitempty"`
	}
	peopleJSON struct {
		Regions []string `json:"regions"`
	}
	methodJSON struct {
		Summary string `json:"summary,omitempty"`
		Style   string `json:"style,omitempty"`
		From    string `json:"from,omitempty"`
		To      string `json:"to,omitempty"`
	}
	summaryJSON struct {
		Summary string `json:"summary"`
	}
	accessJSON struct {
		Free       *bool  `json:"free,omitempty"`
		Conditions string `json:"conditions,omitempty"`
	}
	provenanceJSON struct {
		Creator   *namedJSON `json:"creator,omitempty"`
		Publisher *namedJSON `json:"publisher,omitempty"`
		Synthetic bool       `json:"synthetic,omitempty"`
		Created   string     `json:"created,omitempty"`
	}
)

// offer sets who offers the dataset and under what terms.
func (c *cardJSON) offer(f Facts, note func(string, ...any)) {
	switch len(f.Licences) {
	case 0:
	case 1:
		l := f.Licences[0]
		l.Name = cmp.Or(l.Name, l.URL) // the card asks for a name; the address is one, too
		c.Licence = named(l, note)
	default:
		note("the document names %d licences and the card has none of them: %s", len(f.Licences), f.named())
	}
	if f.Free != nil || f.Conditions != "" {
		c.Access = &accessJSON{f.Free, prose(f.Conditions)}
		if f.Free == nil {
			note("the document does not say whether the dataset is free; a card that does not say it means that it is not")
		}
	}
	c.Citation = prose(f.Citation)
	p := provenanceJSON{Publisher: known(f.Publisher, note), Created: f.Created}
	if len(f.Creators) > 0 {
		p.Creator = known(f.Creators[0], note)
		var names []string
		for _, o := range f.Creators {
			names = append(names, line(o.Name, maxLine))
		}
		if len(names) > 1 && p.Creator != nil {
			// The card has one creator: all names are in it while they fit.
			if all := strings.Join(names, ", "); len([]rune(all)) <= maxLine {
				p.Creator = &namedJSON{Name: all}
			} else {
				note("of %d creators the card has the first", len(names))
			}
		}
	}
	for _, word := range slices.Concat(f.Kinds, f.Keywords) {
		if whole := strings.ToLower(strings.TrimSpace(word)); slices.Contains(synthetic, whole) {
			p.Synthetic = true
		} else if strings.Contains(whole, "synthetic") {
			note("%q may mean that the speech was made by machine; the card says so only if provenance.synthetic is set", line(word, 60))
		}
	}
	if p != (provenanceJSON{}) {
		c.Provenance = &p
	}
}

// synthetic are values that say that speech was made by machine. "No synthetic speech" has the word,
// too.
var synthetic = []string{"synthetic", "synthetic data", "synthetic speech", "synthetic data generation"}

// collected sets how, when and where the recordings were made.
func (c *cardJSON) collected(f Facts) {
	m := methodJSON{Summary: prose(f.Collection), Style: line(strings.Join(f.Kinds, ", "), maxLine), From: f.From, To: f.To}
	if m != (methodJSON{}) {
		c.CollectionMethod = &m
	}
	var places []string
	for _, p := range f.Places {
		if p = line(p, maxLine); p != "" && !slices.Contains(places, p) && len(places) < 200 {
			places = append(places, p)
		}
	}
	if len(places) > 0 {
		c.Participants = &peopleJSON{places}
	}
	if s := prose(strings.Join(f.Personal, "\n")); s != "" {
		c.Privacy = &summaryJSON{s}
	}
	c.Protocol = prose(f.Annotation)
}

func known(o Organisation, note func(string, ...any)) *namedJSON {
	n := named(o, note)
	if n == nil || n.Name == "" {
		return nil
	}
	return n
}

// named returns a name and an address that a card may have; nil for neither.
func named(o Organisation, note func(string, ...any)) *namedJSON {
	n := namedJSON{line(o.Name, maxLine), o.URL}
	if n.URL != "" && !mayLink(n.URL) {
		note("the address %q is left out: it is none that a card may have", line(n.URL, 100))
		n.URL = ""
	}
	if n == (namedJSON{}) {
		return nil
	}
	return &n
}

// mayLink reports whether the reader of cards takes an address.
func mayLink(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isWeb(s) && u.Hostname() != "" && u.User == nil && len(s) <= maxURL && prose(s) == s && !strings.ContainsFunc(s, unicode.IsSpace)
}

// maxURL is the most bytes of an address.
const maxURL = 2000

var (
	versionForm = regexp.MustCompile(`^v?(0|[1-9][0-9]{0,5})(?:\.(0|[1-9][0-9]{0,5}))?(?:\.(0|[1-9][0-9]{0,5}))?$`)
	// What Hugging Face has among the keywords: sizes, licences, formats, libraries, regions; and what
	// our own documents have, which other keys of the card say.
	noDomain = regexp.MustCompile(`(?i)^(n<1k|[0-9]+[kmbt]? ?[<-] ?n? ?[<-]? ?[0-9]+[kmbt]?|doi:.*|arxiv:.*|.*region: ?[a-z]{2}|croissant|mlcroissant|datasets|pandas|polars|dask|parquet|csv|json|webdataset|soundfolder|audiofolder|text|audio|tabular|cc-by.*|cc0.*|apache-2\.0|mit|other|language:.*|license:.*|size_categories:.*|speech|synthetic|transcribed|dual channel|code-mixing|turn-taking)$`)
	// Tasks for which data are used, as hubs of models name them.
	task = regexp.MustCompile(`(?i)^(asr|tts|(automatic[ -])?speech[ -]recognition|speech[ -](synthesis|translation|processing|separation|enhancement)|text[ -]to[ -]speech|text[ -]to[ -]audio|audio[ -](classification|to[ -]audio)|voice[ -](activity[ -]detection|conversion|cloning)|speaker[ -](identification|verification|diari[sz]ation|recognition)|(spoken[ -])?language[ -](identification|modell?ing)|keyword[ -]spotting|(text|token|zero[ -]shot)[ -]classification|text[ -](generation|retrieval)|feature[ -]extraction|fill[ -]mask|question[ -]answering|translation|summari[sz]ation|sentence[ -]similarity|conversational|multi-?class classification|binary classification|classification|nlp|deep learning|machine learning)$`)
)

// version returns a version as MAJOR.MINOR.PATCH, or "".
func version(s string) string {
	m := versionForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return ""
	}
	for i := range m[1:] {
		if m[i+1] == "" {
			m[i+1] = "0"
		}
	}
	return strings.Join(m[1:], ".")
}

// isDomain reports whether a keyword may say what is talked about.
func isDomain(word string) bool {
	return word != "" && !noDomain.MatchString(word) && !task.MatchString(word) && !isKnown(word)
}

// line returns a text on one line, cut to a number of code points.
func line(s string, most int) string { return cut(strings.Join(strings.Fields(prose(s)), " "), most) }

// prose returns a text that a card may have: without control characters and without characters that
// change the direction of what stands around them.
func prose(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), '\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069', r == '\u2028', r == '\u2029', r == '\uFFFD', r == '\u200E', r == '\u200F', r == '\u061C':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return cut(strings.TrimSpace(s), maxProse)
}

func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return s
}

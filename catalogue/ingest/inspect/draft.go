package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/catalogue"
	"vaak/catalogue/ingest/card"
)

// Answers are what a person says of a dataset when its card is begun. Empty answers become
// questions in the card.
type Answers struct {
	Title    string
	Language string // any form that a card takes
	Licence  string // name
	Creator  string // name
	Contact  string // e-mail address
}

// Draft returns the beginning of a card in YAML: the values that the folder or the answers tell,
// and a comment with a question for each of the others. The second result are the questions that
// must be answered before the dataset can be brought in, and then published. An answer that a card
// does not take is a [card.Fault].
func (v Inspection) Draft(a Answers) ([]byte, []string, error) {
	w := &writer{}
	w.line("# Written by vaak dataset init from what the folder tells. Correct what is wrong, and answer")
	w.line("# the questions by removing the # before their keys. docs/datasets.md has every key.")
	w.line("")
	name, tag := v.language(a)
	title := a.Title
	if title == "" {
		title = v.title(name)
	}
	w.line("title: %s", quoted(title))
	w.line("description: |")
	for _, sentence := range v.describe(name) {
		w.line("  %s", sentence)
	}
	w.line("# What are the recordings about, who speaks, and for what are they good? Add it above.")
	w.line("")
	if tag == "" {
		w.ask("language.tag", "Which language is spoken?", "language:", "  tag: hi-IN")
	} else {
		w.line("language:")
		w.line("  tag: %s # %s", quoted(tag), v.why(a))
		if l, err := card.LanguageOf(tag); err == nil && l.BCP47 != tag {
			w.line("  # Pages will say %s. Write the region into the tag if it is another.", l.BCP47)
		}
		if others := v.others(a); len(others) > 0 {
			w.line("other_languages: [%s]", strings.Join(others, ", "))
		}
	}
	w.line("")
	v.terms(w, a)
	v.people(w)
	if slug := v.slug(tag); slug != "" {
		w.line("slug: %s # the name in addresses, of the language and the folder; it never changes", quoted(slug))
		w.line("")
	} else {
		w.ask("", "A short name for addresses? It never changes. Without it one is made of the language and what is below.", "slug: my-dataset")
	}
	w.ask("", "Are these conversations of a call centre, or general ones?", "collection: call-centre # or general-conversation")
	w.ask("", "What are they about?", "domains: [banking]")
	w.ask("", "Which recording may everybody hear?", "sample: "+v.sampleID())
	w.ask("", "How were they recorded?", "collection_method:", "  summary: Read sentences, recorded on phones.", "  style: scripted # or spontaneous, role-played")
	w.ask("", "What did the speakers agree to?", "consent:", "  summary: Every speaker signed a form.", "  purposes: [training]")
	w.ask("", "How is personal data handled?", "privacy:", "  personal_data: true # a voice is personal data", "  anonymised: false")
	if v.Transcripts.Recordings > 0 {
		w.ask("", "How were the transcripts made?", "transcript_protocol: Typed by native speakers.")
	}
	whole := w.text
	if tag == "" { // a question is left; all other values are checked as if it was answered
		whole = append(slices.Clone(whole), "language: {tag: en}\n"...)
	}
	if _, _, faults := card.Parse(whole, false); len(faults) > 0 {
		return nil, nil, faults[0]
	}
	return w.text, w.open, nil
}

// writer writes a card.
type writer struct {
	text []byte
	open []string // questions that must be answered
}

func (w *writer) line(format string, args ...any) {
	w.text = append(fmt.Appendf(w.text, format, args...), '\n')
}

// ask writes a question and, as a comment, an example of the answer. key is not empty where the
// answer is needed.
func (w *writer) ask(key, question string, example ...string) {
	if key != "" {
		w.open = append(w.open, key+": "+question)
		question += " Needed."
	}
	w.line("# %s", question)
	for _, line := range example {
		w.line("#%s", line)
	}
	w.line("")
}

// quoted returns a text as YAML takes it: JSON strings are YAML.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // writing a string to a buffer cannot fail
	return strings.TrimSpace(b.String())
}

// language returns the name and the tag of the main language.
func (v Inspection) language(a Answers) (name, tag string) {
	if a.Language != "" {
		if l, err := card.LanguageOf(a.Language); err == nil {
			name = l.Name
		}
		return name, a.Language
	}
	if len(v.Languages) == 0 {
		return "", ""
	}
	return v.Languages[0].Name, v.Languages[0].Tag
}

// why says where the language comes from.
func (v Inspection) why(a Answers) string {
	switch {
	case a.Language != "":
		return "as you said"
	case v.Languages[0].Source == "manifest":
		return "as the manifest says"
	case v.Languages[0].Source == "readme":
		return "as README.md says"
	}
	return "guessed from the transcripts: is it right?"
}

// others returns the languages beside the main one, where somebody said so. A guess is not enough.
func (v Inspection) others(a Answers) (tags []string) {
	if a.Language != "" {
		return nil
	}
	for _, l := range v.Languages[1:] {
		if l.Source != "transcripts" {
			tags = append(tags, quoted(l.Tag))
		}
	}
	return tags[:min(len(tags), 200)]
}

// title returns a title for a dataset that nobody has given one.
func (v Inspection) title(language string) string {
	if v.Readme.Title != "" {
		return v.Readme.Title
	}
	name := []rune(strings.Map(func(r rune) rune {
		// What a card may not have, and what stands for it.
		if r == utf8.RuneError || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, v.Folder))
	return spoken(language) + ": " + string(name[:min(len(name), 100)])
}

// slug returns a name in addresses that other folders of the language do not get too, "" if the name of
// the folder has no letter or digit that a slug may have.
func (v Inspection) slug(tag string) string {
	slug := catalogue.SlugOf(v.Folder)
	if l, err := card.LanguageOf(tag); err == nil && slug != "" {
		return catalogue.SlugOf(l.BCP47 + "-" + slug)
	}
	return slug
}

// spoken names speech in a language, which may be unknown.
func spoken(language string) string {
	if language == "" {
		return "Speech"
	}
	return language + " speech"
}

// describe returns sentences about the folder that hold without anybody having said so.
func (v Inspection) describe(language string) []string {
	first := fmt.Sprintf("%s: %s", spoken(language), counted(v.Recordings, "recording"))
	if v.Speakers != nil {
		first += " of " + counted(*v.Speakers, "speaker")
	}
	all := []string{first + "."}
	if t := v.Transcripts; t.Recordings > 0 {
		times := "without times"
		switch {
		case t.Timed == t.Recordings:
			times = "with times"
		case t.Timed > 0:
			times = fmt.Sprintf("of which %d have times", t.Timed)
		}
		all = append(all, fmt.Sprintf("%s of them have a transcript, %s.", share(t.Recordings, v.Recordings), times))
	}
	switch v.Layout {
	case "audio files", "Vaak":
	default:
		all = append(all, fmt.Sprintf("The files are in the layout of %s.", strings.TrimPrefix(v.Layout, "Vaak with a manifest of ")))
	}
	return all
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// share returns how many of some: all, or the number.
func share(n, of int) string {
	if n == of {
		return "All"
	}
	return fmt.Sprint(n)
}

// terms writes what is needed to publish.
func (v Inspection) terms(w *writer, a Answers) {
	if a.Licence != "" {
		w.line("licence:")
		w.line("  name: %s", quoted(a.Licence))
		w.line("")
	} else {
		question, example := "Under which licence may others use it?", "CC BY 4.0"
		if v.Readme.Licence != "" {
			question, example = "Under which licence may others use it? README.md says "+quoted(v.Readme.Licence)+".", v.Readme.Licence
		}
		w.ask("licence.name", question, "licence:", "  name: "+quoted(example), "  url: https://example.org/licence")
	}
	if a.Creator != "" {
		w.line("provenance:")
		w.line("  creator: {name: %s}", quoted(a.Creator))
		w.line("")
	} else {
		w.ask("provenance.creator.name", "Who made it?", "provenance:", "  creator: {name: Example Speech Lab, url: https://example.org}", "  created: 2026-03-05")
	}
	if a.Contact != "" {
		w.line("contact:")
		w.line("  email: %s", quoted(a.Contact))
		w.line("")
	} else {
		w.ask("", "Who answers questions about it?", "contact:", "  email: data@example.org")
	}
}

// people writes the participants, as far as manifests tell.
func (v Inspection) people(w *writer) {
	if v.Speakers == nil {
		w.ask("", "Who speaks?", "participants:", "  count: 4", "  gender: {female: 2, male: 2}", "  age_range: [21, 58]", "  regions: [Delhi]")
		return
	}
	w.line("participants:")
	w.line("  count: %d # names in the manifest", *v.Speakers)
	if len(v.Genders) > 0 {
		var parts []string
		for _, g := range slices.Sorted(maps.Keys(v.Genders)) {
			parts = append(parts, fmt.Sprintf("%s: %d", quoted(g), v.Genders[g]))
		}
		w.line("  gender: {%s}", strings.Join(parts, ", "))
	}
	w.line("  # How old are they, and where do they come from?")
	w.line("  #age_range: [21, 58]")
	w.line("  #regions: [Delhi]")
	w.line("")
}

// sampleID returns the id that the question about the sample shows.
func (v Inspection) sampleID() string {
	if v.firstID != "" {
		return v.firstID
	}
	return "call-0001"
}

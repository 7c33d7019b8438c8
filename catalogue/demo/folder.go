package demo

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"vaak/catalogue/transcript"
)

// writeTranscript writes the transcript of a conversation.
func writeTranscript(dir string, c Conversation) error {
	var b bytes.Buffer
	if err := transcript.Write(&b, c.Segments, transcript.JSON); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "transcripts", c.ID+".json"), b.Bytes(), 0o644)
}

// writeFacts writes the card and the list of recordings of a set.
func writeFacts(set Set, p plan, version string) error {
	card, err := card(p, version)
	if err != nil {
		return err
	}
	list, err := list(p)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(set.Dir, "card.yaml"), card, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(set.Dir, "recordings.csv"), list, 0o644)
}

// list returns the content of recordings.csv.
func list(p plan) ([]byte, error) {
	rows := [][]string{{"id", "path", "split", "session", "speakers", "roles"}}
	for n := range p.takes() {
		t := p.dialogue(n)
		rows = append(rows, []string{t.id, "audio/" + t.id + ".flac", t.split, t.id,
			strings.Join(t.names[:], ";"), strings.Join(p.roles[:], ";")})
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

//go:embed card.yaml.tmpl
var cardText string

// licence is the address of the licence of the sets and of their samples.
const licence = "https://creativecommons.org/publicdomain/zero/1.0/"

// card returns the content of card.yaml. It declares only what is true: no people speak, so there
// are no participants and no consent.
func card(p plan, version string) ([]byte, error) {
	quote := func(s string) (string, error) { // a JSON string is also a YAML string
		b, err := json.Marshal(s)
		return string(b), err
	}
	t, err := template.New("card").Funcs(template.FuncMap{"quote": quote}).Parse(cardText)
	if err != nil {
		return nil, err
	}
	sample, title := p.dialogue(0), p.title+" (synthetic demonstration)"
	about := []string{p.about, p.more, "No person speaks: machines made it from scripts, with the speech engine of the program that serves this catalogue."}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Slug": p.slug, "Title": title, "Citation": title + ", made by " + Generator(version),
		"Description": strings.Join(strings.Fields(strings.Join(about, " ")), " "),
		"Tag":         p.tag, "Others": p.others, "Channels": p.channels(), "Collection": p.collection, "Domain": p.domain,
		"Sample": sample.id, "Generator": Generator(version), "Licence": licence,
	})
	return b.Bytes(), err
}

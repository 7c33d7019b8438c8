package demo

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"vaak/catalogue/transcript"
	"vaak/voice"
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

// terms are those of a set and of its sample.
type terms struct{ Name, URL, Summary string }

// free are the terms of sets that the voices of the roster speak.
var free = terms{"Demonstration data, made by machine; CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/", "Free for every use."}

// termsOf returns the terms of a set that these added voices speak: those of the voices, which
// differ, and may forbid much.
func termsOf(voices []voice.Voice) terms {
	if len(voices) == 0 {
		return free
	}
	var all []string
	for _, v := range voices {
		all = append(all, fmt.Sprintf("%s (%s)", v.Name, cmp.Or(v.License, "licence unknown")))
	}
	return terms{
		Name:    "Demonstration data, made by machine, under the licences of its voices: " + strings.Join(all, ", "),
		Summary: "The scripts are free for every use. What the sound may be used for, the licences of the voices say.",
	}
}

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
	how, again := "with the speech engine of the program that serves this catalogue", "vaak demo --keep DIR"
	added := p.added()
	if len(added) > 0 {
		var names []string
		for _, v := range added {
			names = append(names, v.Name)
		}
		how += ", in part by neural voices: " + strings.Join(names, ", ")
		again = "vaak demo --voices VOICES --keep DIR, where these voices were added"
	}
	about := []string{p.about, p.more, "No person speaks: machines made it from scripts, " + how + "."}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Slug": p.slug, "Title": title, "Citation": title + ", made by " + Generator(version),
		"Description": strings.Join(strings.Fields(strings.Join(about, " ")), " "),
		"Tag":         p.tag, "Others": p.others, "Channels": p.channels(), "Collection": p.collection, "Domain": p.domain,
		"Sample": sample.id, "Generator": Generator(version), "Licence": termsOf(added), "Again": again,
	})
	return b.Bytes(), err
}

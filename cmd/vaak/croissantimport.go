package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"vaak/app/usage"
	"vaak/catalogue"
	"vaak/catalogue/ingest/card"
	"vaak/croissant/read"
	"vaak/internal/fault"
)

type croissantImportCommand struct {
	catalogueFlags
	jsonFlag
	Slug     string   `help:"Slug of the new dataset. Default: made of its name." placeholder:"SLUG"`
	Language []string `help:"Languages of the dataset, the one that is spoken most first. Default: those that the document names." placeholder:"TAG"`
	Licence  string   `help:"Name or address of the licence that holds, where the document names several." placeholder:"LICENCE"`
	Card     string   `help:"Write the card into this file and change nothing in the catalogue: as card.json in a folder, vaak dataset ingest takes it. - is standard output." placeholder:"FILE"`
	File     string   `arg:"" help:"Document: a file, or an address that begins with https:// or http://; - is standard input."`
}

// Run makes a draft of what the document says, and prints its slug and status. What is left out is
// told on standard error, a line each.
func (c croissantImportCommand) Run(ctx context.Context, s streams) error {
	document, err := readDocument(ctx, c.File, s.in)
	if err != nil {
		return err
	}
	facts, err := read.Document(document)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.File, err)
	}
	if err := facts.Choose(c.Licence); err != nil {
		return usage.Errorf("%s: %v; say it with --licence", c.File, err)
	}
	languages := c.Language
	if len(languages) == 0 {
		languages = facts.SpokenIn()
	}
	if len(languages) == 0 {
		return usage.Errorf("%s does not say in which language people speak; say it with --language", c.File)
	}
	slug := cmp.Or(c.Slug, facts.Slug())
	if slug == "" {
		return usage.Errorf("no slug can be made of the name %.60q; give one with --slug", facts.Name)
	}
	text, notes := facts.Card(slug, languages)
	declared, _, faults := card.Parse(text, true)
	if len(faults) > 0 {
		var all []string
		for _, f := range faults {
			all = append(all, f.Message)
		}
		return fmt.Errorf("%s makes no card: %s", c.File, strings.Join(all, "; "))
	}
	for _, note := range notes {
		fmt.Fprintf(s.err, "note: %s\n", note)
	}
	if c.Card != "" {
		return writeCard(ctx, s, c.Card, text)
	}
	return c.draft(ctx, s, slug, declared)
}

// draft writes the dataset as a draft, unless there is one of that slug: it would lose what was
// measured of it.
func (c croissantImportCommand) draft(ctx context.Context, s streams, slug string, declared card.Card) error {
	return c.with(ctx, s, c.place().Open, func(parts catalogueParts) error {
		switch _, err := parts.Find(ctx, slug); {
		case err == nil:
			return fmt.Errorf("there is a dataset %s already, which an import does not replace; give another --slug, or write a card with --card", slug)
		case fault.KindOf(err) != fault.NotFound:
			return err
		}
		d := declared.Dataset()
		d.Slug = slug
		made, err := parts.Put(ctx, catalogue.Draft{Dataset: d})
		if err != nil {
			return err
		}
		return c.made(s, member{"slug", made.Slug}, member{"status", string(made.Status)})
	})
}

// writeCard writes a card into a file or to standard output.
func writeCard(ctx context.Context, s streams, name string, text []byte) error {
	if name == "-" {
		_, err := s.out.Write(text)
		return err
	}
	f, err := createFile(ctx, name)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.end(err == nil))
}

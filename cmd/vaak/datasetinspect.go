package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vaak/app/usage"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/inspect"
)

type datasetInspectCommand struct {
	JSON bool   `help:"Print all that was seen as JSON."`
	Dir  string `arg:"" help:"Folder with recordings, in the layout of a known tool or corpus or in none." type:"existingdir"`
}

// Run prints what was seen: a name and a value a line. The faults follow on standard error.
func (c datasetInspectCommand) Run(ctx context.Context, s streams) error {
	v, err := inspect.Look(ctx, c.Dir, folder.Limits{})
	if err != nil {
		return err
	}
	if c.JSON {
		if err := s.inertJSON(v); err != nil {
			return err
		}
	} else if err := s.lines(harmlessRows(seenRows(v))); err != nil {
		return err
	}
	if !c.JSON {
		tellUnused(s, v.Unused)
	}
	if len(v.Faults) > 0 {
		return told(s, v.Faults)
	}
	return nil
}

// seenRows are what people look at first: what the folder is, what is in it, and what is missing.
func seenRows(v inspect.Inspection) [][]any {
	counts := func(m map[string]int) string {
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(m)) {
			parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
		}
		return strings.Join(parts, ", ")
	}
	rows := [][]any{
		{"layout", v.Layout}, {"manifests", strings.Join(v.Manifests, ", ")}, {"recordings", v.Recordings},
		{"audio_files", v.AudioFiles}, {"audio_bytes", v.AudioBytes}, {"audio_formats", counts(v.Formats)},
		{"splits", counts(v.Splits)}, {"transcripts", v.Transcripts.Recordings}, {"transcripts_with_times", v.Transcripts.Timed},
		{"transcript_formats", counts(v.Transcripts.Formats)},
	}
	speakers := "unknown: not every recording has one"
	if v.Speakers != nil {
		speakers = fmt.Sprint(*v.Speakers)
	}
	rows = append(rows, []any{"speakers", speakers}, []any{"genders", counts(v.Genders)})
	for _, l := range v.Languages {
		rows = append(rows, []any{"language", l.Tag, l.Name, "from the " + l.Source})
	}
	if len(v.Languages) == 0 {
		rows = append(rows, []any{"language", "unknown: nothing tells it"})
	}
	rows = append(rows, []any{"card", v.Card}, []any{"missing_to_ingest", strings.Join(v.ToIngest, ", ")}, []any{"missing_to_publish", strings.Join(v.ToPublish, ", ")})
	for _, r := range v.Remarks {
		rows = append(rows, []any{"remark", r})
	}
	return rows
}

type datasetInitCommand struct {
	Title    string `help:"The title. Default: language and name of the folder, or what README.md says." placeholder:"TEXT"`
	Language string `help:"The language that is spoken: a name, an ISO 639 code or a BCP 47 tag. Default: what manifests or transcripts tell." placeholder:"LANGUAGE"`
	Licence  string `help:"Name of the licence." placeholder:"NAME"`
	Creator  string `help:"Name of who made the dataset." placeholder:"NAME"`
	Contact  string `help:"E-mail address of who answers questions." placeholder:"EMAIL"`
	jsonFlag
	Dir string `arg:"" help:"Folder with recordings and without a card." type:"existingdir"`
}

// Run writes card.yaml and prints its path. What it cannot tell is a question in the card; those
// that must be answered follow on standard error.
func (c datasetInitCommand) Run(ctx context.Context, s streams) error {
	// All three, since a folder with two cards has a card too many and none that is read.
	for _, name := range folder.Cards {
		switch _, err := os.Lstat(filepath.Join(c.Dir, name)); {
		case err == nil:
			return fmt.Errorf("%s is there already; nothing was written", filepath.Join(c.Dir, name))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	v, err := inspect.Look(ctx, c.Dir, folder.Limits{})
	if err != nil {
		return err
	}
	if v.Recordings == 0 {
		if err := told(s, v.Faults); len(v.Faults) > 0 {
			return err
		}
		return errors.New("the folder has no recordings; nothing was written")
	}
	text, open, err := v.Draft(inspect.Answers{Title: c.Title, Language: c.Language, Licence: c.Licence, Creator: c.Creator, Contact: c.Contact})
	if err != nil {
		return usage.Errorf("the card cannot be written: %v", err)
	}
	path := filepath.Join(c.Dir, "card.yaml")
	// O_EXCL also refuses a link that points nowhere.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; nothing was written", path)
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close(), os.Remove(path)) // half a card would be read as a card
	}
	if err := f.Close(); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	for _, question := range open {
		fmt.Fprintf(s.err, "to answer in the card: %s\n", question)
	}
	if n := len(v.Faults); n > 0 {
		fmt.Fprintf(s.err, "the folder has %d faults; vaak dataset inspect names them\n", n)
	}
	return c.made(s, member{"card", path})
}

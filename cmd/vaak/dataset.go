package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vaak/app"
	"vaak/app/deployment"
	"vaak/app/usage"
	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/store"
)

type datasetCommand struct {
	Inspect datasetInspectCommand `cmd:"" help:"Tell what is in a folder and what is missing; nothing is written."`
	Init    datasetInitCommand    `cmd:"" help:"Write a card for a folder: what the folder tells, and questions for the rest."`
	Measure datasetMeasureCommand `cmd:"" help:"Measure the recordings of a folder and tell what was found; nothing is kept but the measurements."`
	Ingest  datasetIngestCommand  `cmd:"" help:"Bring a folder into the catalogue: card, audio, transcripts. All of it or nothing."`
	Publish datasetPublishCommand `cmd:"" help:"Put a dataset on the list."`
	Suspend datasetSuspendCommand `cmd:"" help:"Take a dataset off the list for now."`
	Retire  datasetRetireCommand  `cmd:"" help:"Take a dataset off the list for good; its record stays."`
	List    datasetListCommand    `cmd:"" help:"List datasets of every status: slug, status, hours, title."`
	Show    datasetShowCommand    `cmd:"" help:"Print the record of a dataset as JSON, whatever its status."`
	Diff    datasetDiffCommand    `cmd:"" help:"Print where two datasets differ: field, the one's value, the other's."`
}

// catalogueFlags say where the catalogue is.
type catalogueFlags struct {
	storeFlags
	PublicURL string `help:"Address that clients see; links in records begin with it." name:"public-url" default:"http://127.0.0.1:8080" placeholder:"URL"`
}

// catalogueParts are a catalogue and what it is kept in.
type catalogueParts struct {
	*catalogue.Service
	db *store.Store
}

// with opens the database and runs do with the catalogue. An error that the domain calls
// invalid is a wrong use of the command.
func (f catalogueFlags) with(ctx context.Context, s streams, open opening, do func(catalogueParts) error) error {
	if err := app.CheckPublicURL(f.PublicURL); err != nil {
		return err
	}
	log := logger(s, slog.LevelWarn)
	db, err := open(ctx, log)
	if err != nil {
		return err
	}
	dir, err := f.place().OpenFiles()
	var svc *catalogue.Service
	if err == nil {
		svc, err = deployment.OpenCatalogue(ctx, db, dir, f.PublicURL, log)
	}
	if err == nil {
		err = do(catalogueParts{svc, db})
	}
	if fault.KindOf(err) == fault.Invalid {
		err = usage.Error{Err: err}
	}
	return errors.Join(err, db.Close())
}

// meant adds to the error of a dataset that was not found which slugs are near it, and which
// command lists all.
func (c catalogueParts) meant(err error, slug string) error {
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	near := ""
	if similar := c.SimilarOfAny(slug); len(similar) > 0 {
		near = "; near it: " + strings.Join(similar, ", ")
	}
	return fmt.Errorf("%w%s; vaak dataset list has all", err, near)
}

// move changes the status of a dataset and says so. seen says that somebody has looked at what it
// publishes.
func (f catalogueFlags) move(ctx context.Context, s streams, slug string, to catalogue.Status, seen bool) error {
	return f.with(ctx, s, f.place().Existing, func(c catalogueParts) error {
		move := c.Move
		if seen {
			move = c.MoveSeen
		}
		d, err := move(ctx, slug, to)
		if err != nil {
			return c.meant(lookFirst(err), slug)
		}
		return s.line(d.Slug, string(d.Status))
	})
}

type datasetPublishCommand struct {
	catalogueFlags
	LookedAt bool   `help:"Somebody has looked at what may be personal data in what is published: the transcript of the sample, and names. Without it, such a dataset is not published."`
	Slug     string `arg:"" help:"Slug or id."`
}

// Run publishes.
func (c datasetPublishCommand) Run(ctx context.Context, s streams) error {
	return c.move(ctx, s, c.Slug, catalogue.Published, c.LookedAt)
}

type datasetSuspendCommand struct {
	catalogueFlags
	Slug string `arg:"" help:"Slug or id."`
}

// Run suspends.
func (c datasetSuspendCommand) Run(ctx context.Context, s streams) error {
	return c.move(ctx, s, c.Slug, catalogue.Suspended, false)
}

type datasetRetireCommand struct {
	catalogueFlags
	Slug string `arg:"" help:"Slug or id."`
}

// Run retires.
func (c datasetRetireCommand) Run(ctx context.Context, s streams) error {
	return c.move(ctx, s, c.Slug, catalogue.Retired, false)
}

type datasetListCommand struct {
	catalogueFlags
	jsonFlag
}

// Run prints a line for each, by slug.
func (c datasetListCommand) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.place().Existing, func(parts catalogueParts) error {
		all := slices.Collect(parts.All)
		slices.SortFunc(all, func(a, b catalogue.Entry) int { return strings.Compare(a.Brief.Slug, b.Brief.Slug) })
		var rows [][]any
		for _, e := range all {
			rows = append(rows, []any{e.Brief.Slug, string(e.Status), decimal{e.Brief.Hours, 2}, e.Brief.Title})
		}
		return c.table(s, []string{"slug", "status", "hours", "title"}, rows)
	})
}

type datasetShowCommand struct {
	catalogueFlags
	JSON bool   `help:"It is printed as JSON with this flag or without." name:"json"`
	Slug string `arg:"" help:"Slug or id."`
}

// Run prints the record.
func (c datasetShowCommand) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.place().Existing, func(parts catalogueParts) error {
		d, err := parts.Show(ctx, c.Slug)
		if err != nil {
			return parts.meant(err, c.Slug)
		}
		return s.json(d)
	})
}

type datasetDiffCommand struct {
	catalogueFlags
	jsonFlag
	A string `arg:"" help:"Slug or id of the one."`
	B string `arg:"" help:"Slug or id of the other."`
}

// Run prints a line for each field that differs, in the order of their names.
func (c datasetDiffCommand) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.place().Existing, func(parts catalogueParts) error {
		var fields [2]map[string]string
		for i, slug := range []string{c.A, c.B} {
			d, err := parts.Show(ctx, slug)
			if err != nil {
				return parts.meant(err, slug)
			}
			if fields[i], err = flatten(d); err != nil {
				return err
			}
		}
		var rows [][]any
		for _, d := range differences(fields[0], fields[1]) {
			rows = append(rows, []any{d.field, d.a, d.b})
		}
		return c.table(s, []string{"field", "a", "b"}, rows)
	})
}

// difference is a field that two records do not have in common.
type difference struct{ field, a, b string }

// differences compares flattened records. The value of a field that a record lacks is "-".
func differences(a, b map[string]string) (out []difference) {
	value := func(m map[string]string, field string) string {
		if v, ok := m[field]; ok {
			return v
		}
		return "-"
	}
	for field := range a {
		if va, vb := a[field], value(b, field); va != vb {
			out = append(out, difference{field, va, vb})
		}
	}
	// Fields that both have were compared above.
	for field := range b {
		if _, ok := a[field]; !ok {
			out = append(out, difference{field, "-", b[field]})
		}
	}
	slices.SortFunc(out, func(x, y difference) int { return strings.Compare(x.field, y.field) })
	return out
}

// flatten returns the values of a record by their dotted names, each on one line.
func flatten(d catalogue.Dataset) (map[string]string, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // as they are written
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	out := map[string]string{}
	flattenInto(out, "", v)
	return out, nil
}

func flattenInto(out map[string]string, name string, v any) {
	join := func(part string) string { return strings.TrimPrefix(name+"."+part, ".") }
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			flattenInto(out, join(k), x)
		}
	case []any:
		for i, x := range v {
			flattenInto(out, join(strconv.Itoa(i)), x)
		}
	case string:
		out[name] = v
		if strings.ContainsFunc(v, unicode.IsControl) {
			// A tab or line break in a value would break the columns of the line.
			out[name] = strconv.Quote(v)
		}
	case nil:
		out[name] = "null"
	default:
		out[name] = fmt.Sprint(v)
	}
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"vaak/app/download"
	"vaak/app/usage"
	"vaak/croissant"
	"vaak/croissant/check"
	"vaak/croissant/write"
)

type croissantCommand struct {
	Show     croissantShowCommand     `cmd:"" help:"Print the Croissant metadata of a dataset, whatever its status."`
	Import   croissantImportCommand   `cmd:"" help:"Make a draft of a dataset, or a card, of the Croissant document of others. Figures are not taken, and nothing that it names is opened or fetched."`
	Validate croissantValidateCommand `cmd:"" help:"Check Croissant documents, files or addresses: a report for each, as JSON on a line. Exits with 1 when any is invalid. Nothing that they name is opened or fetched."`
}

type croissantShowCommand struct {
	catalogueFlags
	Format string `help:"Version of the format: 1.0 or 1.1." name:"version" enum:"1.0,1.1" default:"1.0"`
	Slug   string `arg:"" help:"Slug or id."`
}

// Run prints the document, indented.
func (c croissantShowCommand) Run(ctx context.Context, s streams) error {
	return c.with(ctx, s, c.place().Existing, func(parts catalogueParts) error {
		stored, err := parts.ShowFiled(ctx, c.Slug)
		if err != nil {
			return parts.meant(err, c.Slug)
		}
		document, err := write.Document(&stored, strings.TrimRight(c.PublicURL, "/"), croissant.Version(c.Format), croissant.Whole)
		if err != nil {
			return fmt.Errorf("write the Croissant metadata of dataset %s: %w", stored.Dataset.Slug, err)
		}
		var b bytes.Buffer
		if err := json.Indent(&b, document, "", "  "); err != nil {
			return err
		}
		b.WriteByte('\n')
		_, err = b.WriteTo(s.out)
		return err
	})
}

type croissantValidateCommand struct {
	Text  bool     `help:"Print what was found for people to read, in place of JSON." name:"text"`
	Files []string `arg:"" name:"file" help:"Documents: files, or addresses that begin with https:// or http://; - is standard input."`
}

// croissantReport is the report of a file.
type croissantReport struct {
	File string `json:"file"`
	check.Report
}

// Run prints a line for each file that can be read. It fails when a file cannot be read or is
// invalid.
func (c croissantValidateCommand) Run(ctx context.Context, s streams) error {
	if i := slices.Index(c.Files, "-"); i >= 0 && slices.Contains(c.Files[i+1:], "-") {
		return usage.Errorf("standard input (-) is named twice; it can be read once")
	}
	var failures []error
	checked, invalid := 0, 0
	out := json.NewEncoder(s.out)
	out.SetEscapeHTML(false)
	for _, name := range c.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		document, err := readDocument(ctx, name, s.in)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		checked++
		report := check.Validate(document)
		if !report.Valid {
			invalid++
		}
		if c.Text {
			_, err = io.WriteString(s.out, reportText(name, report))
		} else {
			err = out.Encode(croissantReport{name, report})
		}
		if err != nil {
			return err
		}
	}
	if invalid > 0 {
		// The verdict stands first on the line.
		failures = append([]error{fmt.Errorf("%d of %d documents invalid", invalid, checked)}, failures...)
	}
	return errors.Join(failures...)
}

// reportText is a report for people: a line with the verdict, and two for each finding.
func reportText(name string, r check.Report) string {
	var b strings.Builder
	verdict := "invalid"
	if r.Valid {
		verdict = "valid"
	}
	if v, ok := strings.CutPrefix(r.ConformsTo, "http://mlcommons.org/croissant/"); ok {
		verdict += ", Croissant " + v
	}
	fmt.Fprintf(&b, "%s: %s; errors %d, warnings %d\n", name, verdict, len(r.Errors), len(r.Warnings))
	titles := map[string]string{}
	for _, rule := range check.Rules() {
		titles[rule.Code] = rule.Title
	}
	for _, f := range slices.Concat(r.Errors, r.Warnings) {
		fmt.Fprintf(&b, "  %s %s %s\n", f.Code, f.Severity, cmp.Or(f.Path, "(the document)"))
		fmt.Fprintf(&b, "    %s\n    rule: %s\n", strings.Join(strings.Fields(f.Message), " "), titles[f.Code])
	}
	if r.Omitted > 0 {
		fmt.Fprintf(&b, "  and %d more\n", r.Omitted)
	}
	return b.String()
}

// readDocument reads a file or an address. Of one that is too large it reads just enough for the report to
// say so. It returns when ctx ends, and leaves a read that never ends, as of a pipe, to the
// end of the program.
func readDocument(ctx context.Context, name string, in io.Reader) ([]byte, error) {
	type read struct {
		document []byte
		err      error
	}
	// With room for one, so that a read that ends late does not block its goroutine.
	done := make(chan read, 1)
	go func() {
		document, err := readWhole(ctx, name, in)
		done <- read{document, err}
	}()
	select {
	case r := <-done:
		return r.document, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readWhole(ctx context.Context, name string, in io.Reader) ([]byte, error) {
	if download.Is(name) {
		return download.Get(ctx, name, check.MaxDocument, download.Options{Accept: "application/ld+json, application/json;q=0.9, */*;q=0.1", UserAgent: "vaak"})
	}
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close() // read only
		in = f
	}
	// One byte more than allowed, which the report then finds too long.
	return io.ReadAll(io.LimitReader(in, check.MaxDocument+1))
}

package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"vaak/catalogue"
	"vaak/catalogue/ingest"
	"vaak/catalogue/measure"
	"vaak/internal/fault"
)

// others returns the recordings of the visible datasets, from their manifests and from the
// measurements that the database keeps. A recording that was measured by another version of the
// method has no fingerprint and is compared by its digest alone. A dataset whose manifest cannot be read is
// named to tell and left out.
func others(ctx context.Context, c catalogueParts, tell io.Writer) ([]ingest.Other, error) {
	var all []ingest.Other
	for e := range c.All {
		if !e.Status.Visible() {
			continue
		}
		some, err := othersOf(ctx, c, e.Brief.Slug)
		if fault.KindOf(err) == fault.NotFound {
			continue // it has no manifest, or was taken off meanwhile
		}
		if bad, ok := errors.AsType[badManifestError](err); ok && ctx.Err() == nil {
			fmt.Fprintf(tell, "%s: not compared: %v\n", e.Brief.Slug, bad)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the recordings of %s: %w", e.Brief.Slug, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// badManifestError says why a manifest cannot be read.
type badManifestError struct{ error }

// othersOf returns the recordings of one dataset.
func othersOf(ctx context.Context, c catalogueParts, slug string) ([]ingest.Other, error) {
	manifest, err := c.Content(ctx, slug, catalogue.ManifestFile)
	if err != nil {
		return nil, err
	}
	defer manifest.Body.Close() // read only
	rows := csv.NewReader(manifest.Body)
	head, err := rows.Read()
	if err != nil {
		return nil, badManifestError{err}
	}
	at := map[string]int{}
	for i, name := range head {
		at[name] = i
	}
	id, okID := at["recording_id"]
	sum, okSum := at["sha256"]
	if !okID || !okSum {
		return nil, badManifestError{errors.New("its manifest names no digests")}
	}
	var all []ingest.Other
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, badManifestError{err}
		}
		o := ingest.Other{Dataset: slug, ID: row[id], Recording: measure.Recording{SHA256: row[sum]}}
		r, ok, err := measure.Kept(ctx, c.db.Catalogue(), row[sum])
		if err != nil {
			return nil, err
		}
		if ok {
			o.DurationS, o.Prints = r.DurationS, r.Prints
		}
		all = append(all, o)
	}
}

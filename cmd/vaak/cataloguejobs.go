package main

import (
	"context"
	"time"

	"vaak/catalogue"
	"vaak/store"
	"vaak/store/files"
	"vaak/store/jobs"
)

// Files of datasets that no record names any more are removed when they are this
// old: bringing in a dataset keeps its files before its record names them.
const (
	filesSweepEvery = time.Hour
	filesSweepAge   = 24 * time.Hour

	filesSweepTimeout = 30 * time.Minute
)

// catalogueJobs are what is done for the catalogue: once for all processes.
func catalogueJobs(db *store.Store, dir *files.Dir) []jobs.Handler {
	return []jobs.Handler{{Kind: "catalogue.sweep", Every: filesSweepEvery, Timeout: filesSweepTimeout, Work: func(ctx context.Context, _ []byte) error {
		named := map[string]bool{}
		if err := db.Catalogue().EachFile(ctx, func(_ string, f catalogue.File) error {
			named[f.Key] = true
			return nil
		}); err != nil {
			return err
		}
		if len(named) == 0 {
			return nil // a fresh database beside the files of another
		}
		_, err := dir.Sweep(ctx, func(key string) bool { return named[key] }, filesSweepAge)
		return err
	}}}
}

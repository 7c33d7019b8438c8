package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"vaak/app/deployment"
	"vaak/app/usage"
	"vaak/catalogue"
	"vaak/store/files"
)

type filesCommand struct {
	Check filesCheckCommand `cmd:"" help:"Read all files of datasets, compare each with its digest, and tell which are damaged or missing."`
	Move  filesMoveCommand  `cmd:"" help:"Move the files of datasets between directories and object storage. What is interrupted goes on where it was when it is run again."`
}

// filesFlags are those of commands that go through all files.
type filesFlags struct {
	AtOnce int  `help:"How many files at a time." default:"8" placeholder:"N"`
	JSON   bool `help:"Print one object in JSON."`
}

func (f filesFlags) check() error {
	if f.AtOnce < 1 || f.AtOnce > 256 {
		return usage.Errorf("--at-once is 1 to 256, not %d", f.AtOnce)
	}
	return nil
}

// progressEvery is the time between two lines of progress.
const progressEvery = 2 * time.Second

// progress returns a function that writes a line to standard error at times. It is for one
// goroutine.
func (s streams) progress() func(format string, args ...any) {
	last := time.Now()
	return func(format string, args ...any) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			fmt.Fprintf(s.err, format+"\n", args...)
		}
	}
}

type filesCheckCommand struct {
	storeFlags
	filesFlags
}

// checked is what the command found.
type checked struct {
	files.Checks
	Missing      []missingFile `json:"missing,omitempty"` // at most a hundred
	MissingFiles int           `json:"missingFiles"`
	OK           bool          `json:"ok"`
}

// missingFile is a file that a dataset names and that is not kept.
type missingFile struct {
	Dataset string `json:"dataset"` // slug
	File    string `json:"file"`
	Key     string `json:"key"`
}

// maxMissing bounds checked.Missing.
const maxMissing = 100

// Run checks all files.
func (c filesCheckCommand) Run(ctx context.Context, s streams) error {
	if err := c.filesFlags.check(); err != nil {
		return err
	}
	// Before the files: a mistyped directory must not be made.
	db, err := c.place().Existing(ctx, logger(s, slog.LevelWarn))
	if err != nil {
		return err
	}
	kept, err := c.place().OpenFiles()
	if err != nil {
		return errors.Join(err, db.Close())
	}
	var found checked
	tell := s.progress()
	found.Checks, err = files.CheckAll(ctx, kept, c.AtOnce, func(n files.Checks) {
		tell("%d files of %d bytes read, %d damaged", n.Files, n.Bytes, n.DamagedFiles)
	})
	if err == nil {
		err = db.Catalogue().EachFile(ctx, func(slug string, f catalogue.File) error {
			_, err := kept.Stat(ctx, f.Key)
			if errors.Is(err, fs.ErrNotExist) {
				if found.MissingFiles++; len(found.Missing) < maxMissing {
					found.Missing = append(found.Missing, missingFile{slug, f.Name, f.Key})
				}
				return nil
			}
			return err
		})
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	found.OK = found.DamagedFiles == 0 && found.MissingFiles == 0
	if c.JSON {
		err = s.inertJSON(found)
	} else {
		err = s.tellChecked(found)
	}
	if err == nil && !found.OK {
		err = fmt.Errorf("%d files are damaged, %d are missing", found.DamagedFiles, found.MissingFiles)
	}
	return err
}

// tellChecked writes a line for each file at fault, and the totals.
func (s streams) tellChecked(found checked) error {
	for _, key := range found.Damaged {
		if err := s.line("damaged", key); err != nil {
			return err
		}
	}
	for _, f := range found.Missing {
		if err := s.line("missing", f.Key, f.Dataset, f.File); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(s.err, "%d files of %d bytes read\n", found.Files, found.Bytes)
	return err
}

type filesMoveCommand struct {
	filesFlags
	From string `required:"" help:"Where the files are: a directory, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME." placeholder:"PLACE"`
	To   string `required:"" help:"Where they go, in the same form." placeholder:"PLACE"`
	Keep bool   `help:"Copy: remove nothing."`
}

// moved is what the command did.
type moved struct {
	files.Moved
	From string  `json:"from"`
	To   string  `json:"to"`
	Took float64 `json:"took_ms"`
}

// Run moves the files.
func (c filesMoveCommand) Run(ctx context.Context, s streams) error {
	if err := c.filesFlags.check(); err != nil {
		return err
	}
	if !deployment.InBucket(c.From) {
		// A mistyped directory would be made, and found empty.
		if _, err := os.Stat(c.From); err != nil {
			return usage.Errorf("--from: %v", err)
		}
	}
	if same(c.From, c.To) {
		return usage.Errorf("--from and --to are the same place")
	}
	from, err := deployment.OpenStore(c.From)
	if err != nil {
		return err
	}
	to, err := deployment.OpenStore(c.To)
	if err != nil {
		return err
	}
	began, tell := time.Now(), s.progress()
	total, err := files.Move(ctx, files.Moving{From: from, To: to, Keep: c.Keep, AtOnce: c.AtOnce, Progress: func(n files.Moved) {
		tell("%d files of %d bytes are there, %d damaged", n.Files, n.Bytes, n.DamagedFiles)
	}})
	done := moved{total, c.From, c.To, float64(time.Since(began).Microseconds()) / 1000}
	if c.JSON {
		err = errors.Join(err, s.inertJSON(done))
	} else {
		for _, key := range total.Damaged {
			err = errors.Join(err, s.line("damaged", key))
		}
		_, werr := fmt.Fprintf(s.err, "%d files of %d bytes are at %s, %d of them were before\n", total.Files, total.Bytes, c.To, total.Already)
		err = errors.Join(err, werr)
	}
	if err == nil && total.DamagedFiles > 0 {
		err = fmt.Errorf("%d files are damaged and stay where they were", total.DamagedFiles)
	}
	return err
}

// same reports whether two places are one directory, or are written in the same way.
func same(a, b string) bool {
	var infos []os.FileInfo
	for _, path := range []string{a, b} {
		if info, err := os.Stat(path); err == nil && !deployment.InBucket(path) {
			infos = append(infos, info)
		}
	}
	return a == b || len(infos) == 2 && os.SameFile(infos[0], infos[1])
}

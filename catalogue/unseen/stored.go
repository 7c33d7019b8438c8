package unseen

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"vaak/catalogue"
	"vaak/catalogue/transcript"
)

// Stored returns an [*Error] if what a stored dataset publishes may hold personal data: the names in
// its manifest, and the speakers, their roles and the transcript of its sample. open opens a public file of the
// dataset. It fails if a file cannot be read, because it cannot be told then. It is a
// [catalogue.Config.Unseen].
func Stored(ctx context.Context, s *catalogue.Stored, open func(catalogue.File) (io.ReadSeekCloser, error)) error {
	l := newLooker()
	sample := Recording{}
	if s.Dataset.Sample != nil {
		sample.ID = s.Dataset.Sample.Recording
	}
	number := 1 // of the sample
	err := read(s, catalogue.ManifestFile, open, func(body io.Reader) error {
		return manifest(body, func(r Recording) error {
			err := l.named(ctx, r)
			if r.ID == sample.ID {
				number = l.number
			}
			return err
		})
	})
	if err == nil && s.Dataset.Sample != nil {
		if err = sample.publish(s, open); err == nil {
			err = l.said(ctx, number, sample)
		}
	}
	return refuse(l.found, err)
}

// publish sets what is published of a sample. Its speakers are those of its channels and of its
// transcript.
func (r *Recording) publish(s *catalogue.Stored, open func(catalogue.File) (io.ReadSeekCloser, error)) error {
	for _, stream := range s.Dataset.Sample.Streams {
		r.Speakers, r.Roles = append(r.Speakers, stream.Speaker), append(r.Roles, stream.Role)
	}
	r.File = catalogue.SegmentsFile
	// The record has the first of them, and all of them if the transcript has no file.
	if t := s.Dataset.Sample.Transcript; t != nil && !slices.ContainsFunc(s.Files, isSegments) {
		for _, g := range t.Segments {
			r.Segments = append(r.Segments, transcript.Segment{Start: g.StartS, End: g.EndS, Speaker: g.Speaker, Role: g.Role, Text: g.Text})
		}
	}
	return read(s, catalogue.SegmentsFile, open, func(body io.Reader) error {
		file, problems := transcript.Read(body, transcript.CSV, transcript.Limits{Bytes: segmentsMost})
		if len(problems) > 0 {
			return fmt.Errorf("line %d: %s", problems[0].Line, problems[0].Message)
		}
		r.Segments = file.Recordings[""]
		return nil
	})
}

// segmentsMost bounds the transcript of a sample, in bytes. The transcript it was made of has at
// most 64 MiB, perhaps in a shorter form.
const segmentsMost = 256 << 20

func isSegments(f catalogue.File) bool { return f.Name == catalogue.SegmentsFile }

// read calls do with the file of a name, if there is one.
func read(s *catalogue.Stored, name string, open func(catalogue.File) (io.ReadSeekCloser, error), do func(io.Reader) error) error {
	i := slices.IndexFunc(s.Files, func(f catalogue.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	body, err := open(s.Files[i])
	if err == nil {
		err = errors.Join(do(body), body.Close())
	}
	if err != nil {
		return fmt.Errorf("look for personal data in %s of dataset %s: %w", name, s.Dataset.Slug, err)
	}
	return nil
}

// manifest calls yield with the names in each row of a manifest.
func manifest(body io.Reader, yield func(Recording) error) error {
	rows := csv.NewReader(bufio.NewReaderSize(body, 64<<10))
	rows.ReuseRecord = true
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	header = slices.Clone(header)
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r := Recording{}
		for i, column := range header {
			switch column {
			case "recording_id":
				r.ID = row[i]
			case "path":
				r.Path = row[i]
			case "session":
				r.Session = row[i]
			case "split":
				r.Split = row[i]
			}
		}
		if err := yield(r); err != nil {
			return err
		}
	}
}

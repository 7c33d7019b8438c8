package ingest

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/ingesttest"
	"vaak/catalogue/ingest/inspect"
	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/measure"
)

// TestFoldersOfPeople brings a folder of each layout in with a card that is written for it, and no
// word of a person beyond licence, creator and contact.
func TestFoldersOfPeople(t *testing.T) {
	t.Parallel()
	for _, f := range ingesttest.Folders() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			dir := f.Make(t)
			v, err := inspect.Look(t.Context(), dir, folder.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(v.Faults) > 0 {
				t.Fatalf("faults:\n%s", indented(v.Faults))
			}
			speakers := 0
			if v.Speakers != nil {
				speakers = *v.Speakers
			}
			language := ""
			if len(v.Languages) > 0 {
				language = v.Languages[0].Tag
			}
			got := ingesttest.Folder{Name: f.Name, Layout: v.Layout, Recordings: v.Recordings, Transcripts: v.Transcripts.Recordings,
				Timed: v.Transcripts.Timed, Speakers: speakers, Splits: len(v.Splits), Language: language}
			f.Files, f.Pack = nil, ""
			if got.Name != f.Name || got.Layout != f.Layout || got.Recordings != f.Recordings || got.Transcripts != f.Transcripts ||
				got.Timed != f.Timed || got.Speakers != f.Speakers || got.Splits != f.Splits || got.Language != f.Language {
				t.Errorf("seen  %+v\nwant %+v\n%+v", got, f, v)
			}
			text, open, err := v.Draft(inspect.Answers{Licence: "CC0 1.0", Creator: "Example Lab", Contact: "data@example.org"})
			if err != nil || len(open) > 0 {
				t.Fatalf("Draft = %v with the questions %q; the card is\n%s", err, open, text)
			}
			if err := os.WriteFile(filepath.Join(dir, "card.yaml"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			s := &shelf{}
			d, err := Ingest(t.Context(), dir, Config{Catalogue: s, Measure: measure.Config{Jobs: 1}})
			if err != nil {
				t.Fatalf("Ingest = %v with the card\n%s", err, text)
			}
			checkRecord(t, f, d)
		})
	}
}

// checkRecord compares a record with what the folder was made to hold.
func checkRecord(t *testing.T, f ingesttest.Folder, d catalogue.Dataset) {
	t.Helper()
	speakers := 0
	if d.Speakers != nil {
		speakers = *d.Speakers
	}
	transcripts := 0
	if d.Transcripts != nil {
		transcripts = d.Transcripts.Recordings
	}
	if d.Recordings != f.Recordings || transcripts != f.Transcripts || speakers != f.Speakers || len(d.Splits) != f.Splits ||
		d.Transcribed != (f.Timed*2 >= f.Recordings && f.Timed > 0) || !strings.HasPrefix(d.BCP47, f.Language) {
		t.Errorf("the record has %d recordings, %d transcripts, %d speakers, %d splits, transcribed %v, %s; want %+v",
			d.Recordings, transcripts, speakers, len(d.Splits), d.Transcribed, d.BCP47, f)
	}
	if d.Licence == nil || d.Provenance == nil || d.Contact == nil {
		t.Errorf("the record lacks what the card says: %+v", d)
	}
}

// TestOverlapping reads what two manifests, or two windows, say of one recording: once, and in the
// split of the manifest that has one.
func TestOverlapping(t *testing.T) {
	t.Parallel()
	read := func(name string) []layout.Recording {
		f := ingesttest.Named(t, name)
		f.Files["card.yaml"] = goodCard
		whole, err := folder.Read(t.Context(), f.Make(t), folder.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return whole.Recordings
	}
	talk := read("lhotse-windows")[0].Transcript
	if len(talk) != 2 || math.Abs(talk[0].Start-0.9) > 0.001 || math.Abs(talk[0].End-1.8) > 0.001 || math.Abs(talk[1].Start-1.9) > 0.001 {
		t.Errorf("the windows have %+v, want two segments", talk)
	}
	for i, r := range read("nemo-overlapping") {
		if !r.Untimed || len(r.Transcript) != 1 || r.Split != []string{"train", "test"}[i] {
			t.Errorf("%s is in the split %q with %d segments, untimed %v", r.ID, r.Split, len(r.Transcript), r.Untimed)
		}
	}
}

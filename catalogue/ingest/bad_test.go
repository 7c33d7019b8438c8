package ingest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vaak/catalogue/ingest/report"
)

// badFolder is a folder that cannot be brought in.
type badFolder struct {
	name  string
	files string                         // txtar, beside what base has
	base  string                         // "" is a good card and one recording; "-" is nothing
	make  func(t *testing.T, dir string) // what txtar cannot hold
	want  []string                       // every problem: "file:line: ", and a piece of what follows after "…"
}

const base = "-- card.yaml --\n" + goodCard + "-- audio/a.wav --\nWAV mono\n"

// cardWith makes a folder whose card is the good one and more.
func cardWith(more string) string {
	return "-- card.yaml --\n" + goodCard + more + "-- audio/a.wav --\nWAV mono\n"
}

// tells says whether a problem is the one that is wanted.
func tells(p report.Problem, want string) bool {
	where, piece, _ := strings.Cut(want, "…")
	return strings.HasPrefix(p.String(), where) && strings.Contains(p.Message, piece)
}

// TestBadFolders brings folders in that have a fault: each is told with its file
// and line, nothing else is, and nothing is written.
func TestBadFolders(t *testing.T) {
	t.Parallel()
	cases := append(append(badCards(), badTrees()...), append(badManifests(), append(badTranscripts(), badLayouts()...)...)...)
	if len(cases) < 40 {
		t.Errorf("%d bad folders, want at least 40", len(cases))
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := tt.files
			switch tt.base {
			case "":
				files = base + files
			case "-":
			default:
				files = tt.base + files
			}
			dir := folderOf(t, files)
			if tt.make != nil {
				tt.make(t, dir)
			}
			s, err := ingested(t, dir)
			if len(s.drafts) != 0 {
				t.Errorf("%d datasets were put, want none", len(s.drafts))
			}
			problems, ok := errors.AsType[report.Problems](err)
			if !ok {
				t.Fatalf("Ingest = %v (%T), want Problems", err, err)
			}
			compare(t, problems, tt.want)
		})
	}
}

// compare tells of problems that are wanted and not there, and of others.
func compare(t *testing.T, got report.Problems, want []string) {
	t.Helper()
	for _, w := range want {
		found := false
		for _, p := range got {
			found = found || tells(p, w)
		}
		if !found {
			t.Errorf("no problem is %q", w)
		}
	}
	if len(got) != len(want) || t.Failed() {
		t.Errorf("%d problems, want %d; they are:\n%s", len(got), len(want), indented(got))
	}
}

func indented(p report.Problems) string { return "\t" + strings.ReplaceAll(p.Error(), "\n", "\n\t") }

// TestAllAtOnce checks that five faults in five files are told together.
func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, `
-- card.yaml --
title: A title
hours: 12
language:
  tag: hi
-- recordings.csv --
path,split
audio/a.wav,train
audio/gone.wav,train
-- audio/a.wav --
WAV mono
-- audio/b.wav --
WAV mono
-- transcripts/a.srt --
1
00:00:00,500 --> 00:00:00,100
back in time
-- transcripts/zz.vtt --
WEBVTT

00:00.000 --> 00:00.500
nobody says this
`)
	s, err := ingested(t, dir)
	problems, _ := errors.AsType[report.Problems](err)
	compare(t, problems, []string{
		"card.yaml:…description is required",
		"card.yaml:2: …measured fields cannot be declared",
		"recordings.csv:3: …there is no file",
		"audio/b.wav: …is not in recordings.csv",
		"transcripts/a.srt:2: …before",
		"transcripts/zz.vtt: …matches no audio file",
	})
	if len(s.drafts) != 0 {
		t.Error("a dataset was put")
	}
}

// TestManyProblems checks that a file with very many faults tells the first few.
func TestManyProblems(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "audio/no%d.wav,train\n", i)
	}
	dir := folderOf(t, base+"-- recordings.csv --\npath,split\naudio/a.wav,train\n"+b.String())
	_, err := ingested(t, dir)
	problems, _ := errors.AsType[report.Problems](err)
	if len(problems) != 21 || problems[20].String() != "recordings.csv: and 4980 more" {
		t.Errorf("%d problems, the last %v; want 20 and one that counts the rest", len(problems), problems[len(problems)-1])
	}
}

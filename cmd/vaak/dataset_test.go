package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandDatasetHelp asks each command for help: it tells what it takes, and exits
// with 0.
func TestCommandDatasetHelp(t *testing.T) {
	t.Parallel()
	for command, wants := range map[string][]string{
		"":        {"inspect", "init", "measure", "ingest", "publish", "suspend", "retire", "list", "show", "diff"},
		"measure": {"<dir>", "--json", "--across", "--jobs", "--share", "--patience", "VAAK_DATA_DIR"},
		"ingest":  {"<dir>", "--publish", "--jobs", "--share", "--patience", "VAAK_DATABASE"},
		"inspect": {"<dir>", "--json"},
		"init":    {"<dir>", "--language", "--licence", "--creator", "--contact"},
		"publish": {"<slug>", "--data-dir", "--looked-at"},
		"suspend": {"<slug>", "--data-dir"},
		"retire":  {"<slug>", "--data-dir"},
		"list":    {"--data-dir"},
		"show":    {"<slug>", "--public-url"},
		"diff":    {"<a> <b>", "--data-dir"},
	} {
		var out, stderr bytes.Buffer
		args := append(strings.Fields("dataset "+command), "--help")
		if status := run(context.Background(), args, nil, &out, &stderr); status != 0 || stderr.Len() > 0 {
			t.Errorf("vaak %s = %d, %q, want 0 and nothing", args, status, &stderr)
		}
		for _, want := range wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("vaak %s does not tell of %q: %s", args, want, &out)
			}
		}
	}
}

// TestCommandLookedAt publishes a dataset with what may be personal data, in the transcript of its
// sample or in the name of a file, only when somebody says to have looked at it.
func TestCommandLookedAt(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	vaak := func(command string, wantStatus int, want string) {
		t.Helper()
		var out, stderr bytes.Buffer
		args := append(strings.Fields(command), "--data-dir", home)
		status := run(t.Context(), args, nil, &out, &stderr)
		if all := out.String() + stderr.String(); status != wantStatus || !strings.Contains(all, want) || strings.Contains(all, "98765") {
			t.Errorf("vaak %s = %d, %s; want %d and %q", command, status, all, wantStatus, want)
		}
	}
	folder := func(slug string) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), slug)
		if err := (corpus{slug: slug, calls: 1, seconds: 4, format: "wav"}).write(dir); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	vaak("migrate", 0, "")

	spoken := folder("spoken")
	if err := os.Remove(filepath.Join(spoken, "transcripts", "call-1.TextGrid")); err != nil {
		t.Fatal(err)
	}
	if err := keepFile(filepath.Join(spoken, "transcripts", "call-1.csv"), []byte("start,end,channel,text\n0,1,1,call 98765 43210\n")); err != nil {
		t.Fatal(err)
	}
	vaak("dataset ingest "+spoken, 0, "transcripts may hold personal data (1 phone)")
	const refused = "vaak: the transcript of the sample, which is published whole, may hold personal data (1 phone): in sample/segments.csv from 0.0 s; look at it, then add --looked-at; nothing was changed"
	vaak("dataset publish spoken", 1, refused)
	vaak("dataset list", 0, "spoken\tdraft")
	vaak("dataset publish spoken --looked-at", 0, "spoken\tpublished")
	vaak("dataset ingest "+spoken, 1, "look at it, then add --looked-at")
	vaak("dataset suspend spoken", 0, "")
	vaak("dataset ingest "+spoken, 0, "spoken\tsuspended")
	vaak("dataset publish spoken", 1, refused)

	named := folder("named")
	audio, err := os.ReadFile(filepath.Join(named, "audio", "call-1.wav"))
	if err != nil {
		t.Fatal(err)
	}
	// In a folder of our own layout, such a name is a fault.
	if err := os.Rename(filepath.Join(named, "audio"), filepath.Join(named, "rec")); err != nil {
		t.Fatal(err)
	}
	if err := keepFile(filepath.Join(named, "rec", "+919876543210_2024-05-01.wav"), audio); err != nil {
		t.Fatal(err)
	}
	const names = "names of recordings or speakers, which are published, may be personal data (2 phone): id of recording 1, path of recording 1; look at it"
	vaak("dataset ingest --publish "+named, 1, names)
	vaak("dataset ingest "+named, 0, "named\tdraft")
	vaak("dataset publish named", 1, names)
	vaak("dataset publish named --looked-at", 0, "named\tpublished")
}

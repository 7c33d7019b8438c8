package unseen_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/catalogue/transcript"
	"vaak/catalogue/unseen"
)

// TestPublished looks at the names of all recordings, and at speakers and words of the sample alone.
func TestPublished(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string // "" is nothing
		recording  unseen.Recording
	}{
		{"nothing", "", unseen.Recording{ID: "common_voice_hi_23795238", Path: "clips/common_voice_hi_23795238.mp3", Speakers: []string{"spk1"}}},
		{"a path", "(1 phone): path of recording 2", unseen.Recording{Path: "rec/+919876543210_2024-05-01.wav"}},
		{"an id", "(1 phone): id of recording 2", unseen.Recording{ID: "9876543210"}},
		{"a session", "(1 email): session of recording 2", unseen.Recording{Session: "asha@example.org"}},
		{"a split", "(1 phone): split of recording 2", unseen.Recording{Split: "9876543210"}},
		{"an extension", "", unseen.Recording{Path: "mic@left.wav"}},
		{"a speaker", "", unseen.Recording{Speakers: []string{"asha@example.org"}}},
		{"a speaker of the sample", "(1 email): speaker of recording 2", unseen.Recording{ID: "s", Speakers: []string{"asha@example.org", "asha@example.org"}}},
		{"words", "", unseen.Recording{Segments: []transcript.Segment{{Text: "call 98765 43210"}}}},
		{"words of the sample", "(1 phone): in s.csv from 3.0 s", unseen.Recording{ID: "s", File: "s.csv", Segments: []transcript.Segment{{Start: 3, Text: "call 98765 43210"}}}},
		{"a speaker in its transcript", "(1 phone): speaker of recording 2", unseen.Recording{ID: "s", Segments: []transcript.Segment{{Speaker: "+919876543210"}, {Speaker: "+919876543210"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all := []unseen.Recording{{ID: "first"}, tt.recording}
			err := unseen.Published(t.Context(), slices.Values(all), "s")
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("refused with %v, want %q", err, tt.want)
			}
			if err != nil && (strings.Contains(err.Error(), "98765") || strings.Contains(err.Error(), "asha")) {
				t.Errorf("%v has what was found", err)
			}
		})
	}
}

// TestLookEndsWithItsContext ends in the middle.
func TestLookEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := unseen.Look(ctx, func(yield func(unseen.Recording) bool) {
		for yield(unseen.Recording{ID: "x"}) {
			if n++; n == 3 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) || n != 3 {
		t.Errorf("after %d recordings: %v", n, err)
	}
}

// TestStored publishes, by the catalogue itself, what is stored.
func TestStored(t *testing.T) {
	t.Parallel()
	file := cataloguetest.File
	const rows, said = "recording_id,split,session,path\n", "start_s,end_s,channel,speaker,role,text\n"
	for i, tt := range []struct {
		manifest, segments, inline string
		speaker, want              string
	}{
		{rows + "a,,,audio/a.wav\n", said + "0,1,1,x,,hello\n", "", "x", ""},
		{rows + "a,,,audio/a.wav\n1,,,'+919876543210.wav\n", said, "", "", "path of recording 2"},
		{rows + "b,,,b.wav\na,,,a.wav\n", said + "3,4,1,x,,my number is 98765 43210\n", "", "", "sample/segments.csv from 3.0 s"},
		{rows + "b,,,b.wav\na,,,a.wav\n", said + "3,4,1,asha@example.org,,hello\n", "", "", "speaker of recording 2"},
		{rows, said, "", "+919876543210", "speaker of recording 1"},
		{rows, "", "write to asha@example.org", "", "(1 email)"},
		{rows, "nothing\n", "", "", "look for personal data in sample/segments.csv"}, // cannot be read
		{rows + "\"a\n", said, "", "", "look for personal data in recordings.csv"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			m := &cataloguetest.Memory{}
			s, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, Unseen: unseen.Stored})
			if err != nil {
				t.Fatal(err)
			}
			d := cataloguetest.Dataset("x")
			d.Sample = &catalogue.Sample{Recording: "a", Streams: []catalogue.Stream{{Channel: 1, Speaker: tt.speaker}},
				Transcript: &catalogue.SampleTranscript{Segments: []catalogue.Segment{{Text: tt.inline}}}}
			draft := catalogue.Draft{Dataset: d, Files: []catalogue.DraftFile{file(catalogue.ManifestFile, "text/csv", tt.manifest)}}
			if tt.segments != "" {
				draft.Files = append(draft.Files, file(catalogue.SegmentsFile, "text/csv", tt.segments))
			}
			if _, err := s.Put(t.Context(), draft); err != nil {
				t.Fatal(err)
			}
			_, err = s.Move(t.Context(), "x", catalogue.Published)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("refused with %v, want %q", err, tt.want)
			}
			if tt.want == "" {
				return
			}
			if d, err := s.Show(t.Context(), "x"); err != nil || d.Status != catalogue.Drafted {
				t.Errorf("refused, it is %s, %v", d.Status, err)
			}
			// Who has looked at it publishes it, and takes it off the list without looking.
			for _, to := range []catalogue.Status{catalogue.Published, catalogue.Suspended} {
				move := s.MoveSeen
				if to == catalogue.Suspended {
					move = s.Move
				}
				if d, err := move(t.Context(), "x", to); err != nil || d.Status != to {
					t.Errorf("it is %s, %v; want %s", d.Status, err, to)
				}
			}
			if _, err := s.Move(t.Context(), "x", catalogue.Published); err == nil {
				t.Error("it is published again, unseen")
			}
			// What replaces a published record is refused too.
			draft.Unseen = errors.New("look first")
			if _, err := s.Put(t.Context(), draft); err != nil {
				t.Errorf("while it is suspended: %v", err)
			}
			draft.Publish = true
			if _, err := s.Put(t.Context(), draft); !errors.Is(err, draft.Unseen) {
				t.Errorf("put and published: %v", err)
			}
		})
	}
}

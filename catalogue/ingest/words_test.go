package ingest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
)

// turns are two speakers in a second, without words.
const turns = "SPEAKER NAME 1 0 0.5 <NA> <NA> x <NA> <NA>\nSPEAKER NAME 1 0.5 0.5 <NA> <NA> y <NA> <NA>\n"

// timesAlone is a folder of two recordings with a transcript of times alone.
var timesAlone = "-- card.yaml --\n" + goodCard + "sample: a\n" + `
-- audio/a.wav --
WAV mono
-- audio/b.wav --
WAV mono
-- transcripts/a.rttm --
` + strings.ReplaceAll(turns, "NAME", "a") + "-- transcripts/b.rttm --\n" + strings.ReplaceAll(turns, "NAME", "b")

// TestWordsAreUnknown checks that transcripts of times alone leave every figure of
// words unknown, and that each is named among the gaps.
func TestWordsAreUnknown(t *testing.T) {
	t.Parallel()
	s, err := ingested(t, folderOf(t, timesAlone))
	if err != nil {
		t.Fatal(err)
	}
	d := s.drafts[0].Dataset
	if d.Transcripts == nil || d.Transcripts.Recordings != 2 || d.Transcripts.Segments != 4 || d.Transcripts.Coverage == nil {
		t.Errorf("transcripts = %+v, want two with four segments and their coverage", d.Transcripts)
	}
	gaps := catalogue.Gaps(&d)
	for _, name := range []string{"englishShare", "measurements.lexical", "sample.metrics.lexical", "transcripts.lexical", "transcripts.script", "transcripts.words"} {
		if !slices.Contains(gaps, name) {
			t.Errorf("%s is not among the gaps %q", name, gaps)
		}
	}
}

// TestTranscriptsWithoutWords checks that recordings whose transcript has no words
// count for no figure of words: neither in the middle of the files nor in the time
// that the words of all are divided by.
func TestTranscriptsWithoutWords(t *testing.T) {
	t.Parallel()
	const said = "-- transcripts/c.csv --\nstart,end,text\n0,0.25,नमस्ते sir\n0.25,0.5,जी\n"
	s, err := ingested(t, folderOf(t, timesAlone+"-- audio/c.wav --\nWAV mono\n"+said))
	if err != nil {
		t.Fatal(err)
	}
	d := s.drafts[0].Dataset
	one := func(v float64) *catalogue.Spread {
		return &catalogue.Spread{Count: 1, Min: v, P10: v, Median: v, P90: v, Max: v, Mean: v}
	}
	// Three words in half a second, of which one is Latin; the first segment mixes two
	// scripts evenly, the second none.
	want := &catalogue.Words{Files: 1, Words: 3, WordsPerMin: one(360), EnglishShare: one(0.33333), CodeMixIndex: one(25)}
	if diff := cmp.Diff(want, d.Measurements.Words); diff != "" {
		t.Errorf("measurements.lexical (-want +got):\n%s", diff)
	}
	whole := d.Transcripts.Lexical
	if whole == nil || *d.Transcripts.Words != 3 || d.Transcripts.Recordings != 3 || d.Transcripts.Segments != 6 {
		t.Fatalf("transcripts = %+v", d.Transcripts)
	}
	if whole.Words != 3 || whole.Segments != 2 || whole.EmptySegments != 0 || *whole.WordsPerMin != 360 {
		t.Errorf("transcripts.lexical = %+v, want 3 words, 2 segments, 360 words a minute", whole)
	}
	if d.Specification.TranscriptCoverage.Count != 3 {
		t.Errorf("coverage of %d files, want 3: times tell it without words", d.Specification.TranscriptCoverage.Count)
	}
}

// TestLanguagesAreThoseOfTheCard names no language that neither the card has nor is English.
func TestLanguagesAreThoseOfTheCard(t *testing.T) {
	t.Parallel()
	f, err := folder.Read(t.Context(), folderOf(t, timesAlone), folder.Limits{}) // Hindi
	if err != nil {
		t.Fatal(err)
	}
	l := &catalogue.Lexical{
		LanguageShare:    map[string]float64{"hi": 0.5, "en": 0.2, "sw": 0.2, "und": 0.1},
		ChannelLanguages: []map[string]float64{{"hi": 1}, {"sw": 0.4, "mi": 0.6}},
	}
	told(&f.Card, l)
	want := &catalogue.Lexical{
		LanguageShare:    map[string]float64{"hi": 0.5, "en": 0.2, "und": 0.3},
		ChannelLanguages: []map[string]float64{{"hi": 1}, {"und": 1}},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestConversationsAreCounted checks that conversations are the sessions of the
// manifest, and unknown where it names none: a file may be part of one, or hold none.
func TestConversationsAreCounted(t *testing.T) {
	t.Parallel()
	const rows = "-- recordings.csv --\nid,session\na,%A\nb,%B\n"
	for _, tt := range []struct {
		name, a, b string
		want       int // 0 is unknown
	}{
		{"no session", "", "", 0},
		{"one in two files", "s1", "s1", 1},
		{"two", "s1", "s2", 2},
		{"one that is told, and a file of its own", "s1", "", 2},
	} {
		s, err := ingested(t, folderOf(t, timesAlone+strings.NewReplacer("%A", tt.a, "%B", tt.b).Replace(rows)))
		if err != nil {
			t.Fatal(err)
		}
		d := s.drafts[0].Dataset
		got := 0
		if d.Conversations != nil {
			got = *d.Conversations
		}
		if named := slices.Contains(catalogue.Gaps(&d), "conversations"); got != tt.want || named != (tt.want == 0) {
			t.Errorf("%s: conversations = %d, among the gaps %v, want %d", tt.name, got, named, tt.want)
		}
	}
}

package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
)

// sphereOf puts the samples of a WAV file into SPHERE, as a sample that is not WAV.
func sphereOf(wav []byte, channels int) []byte {
	head := fmt.Sprintf("NIST_1A\n   1024\nsample_count -i %d\nsample_rate -i 8000\nchannel_count -i %d\nsample_n_bytes -i 2\n"+
		"sample_byte_format -s2 01\nsample_coding -s3 pcm\nend_head\n", (len(wav)-wavHeader)/2/channels, channels)
	return append([]byte(head+strings.Repeat(" ", 1024-len(head))), wav[wavHeader:]...)
}

// calls is a folder with three recordings, of which two are dual.
func calls(t *testing.T, card string) string {
	t.Helper()
	dir := folderOf(t, "-- card.yaml --\n"+goodCard+card+`
-- audio/b.wav --
WAV dual
-- audio/c.wav --
WAV mono
-- transcripts/a.csv --
start,end,channel,speaker,role,text
0,0.25,1,Asha,agent,नमस्ते sir
0.25,0.5,2,Ravi,customer,"one ""quoted"", more"
-- transcripts/b.csv --
start,end,text
0,0.5,hello
-- recordings.csv --
id,path,split,session,speakers,roles
a,audio/a.sph,train,s1,Asha;Ravi,agent;customer
b,audio/b.wav,unseen,s1,Asha;Mina,
c,audio/c.wav,test,,Ravi,
`)
	put(t, dir, "audio/a.sph", sphereOf(wavOf(2, dualFrames), 2))
	return dir
}

// contents reads every public file of a draft.
func contents(t *testing.T, d catalogue.Draft) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, f := range d.Files {
		r, err := f.Open()
		if err != nil {
			t.Fatalf("open %s: %v", f.Name, err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Errorf("read %s: %v", f.Name, err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("close %s: %v", f.Name, err)
		}
		all[f.Name] = data
	}
	return all
}

// TestBuild checks what of a record is counted and measured.
func TestBuild(t *testing.T) {
	t.Parallel()
	s, err := ingested(t, calls(t, "sample: a\nchannels: mono\ncollection: call-centre\ndomains: [Retail Banking, insurance]\nother_languages: [English]\ntranscript_protocol: by hand\n"))
	if err != nil {
		t.Fatal(err)
	}
	d := s.drafts[0].Dataset
	type counts struct {
		Slug, BCP47, Channels, Claimed, Domain    string
		Other                                     []string
		Recordings, Conversations, Speakers       int
		Transcribed, HasSample                    bool
		TranscribedFiles, Segments, Words         int
		Formats                                   []string
		Splits                                    []catalogue.Split
		SampleCodec                               string
		Streams                                   []catalogue.Stream
		SampleSegments                            int
		TurnTaking, Turns, Labels, LexicalMatches bool
	}
	got := counts{
		d.Slug, d.BCP47, text(d.Channels), d.Specification.ChannelsClaimed, text(d.Domain), d.OtherLanguages,
		d.Recordings, *d.Conversations, *d.Speakers, d.Transcribed, d.HasSample,
		d.Transcripts.Recordings, d.Transcripts.Segments, *d.Transcripts.Words, d.Transcripts.Formats, d.Splits,
		d.Sample.Codec, d.Sample.Streams, d.Sample.Transcript.Count,
		d.Sample.Metrics.TurnTaking != nil, d.Sample.Metrics.TurnTaking != nil && d.Sample.Metrics.TurnTaking.Turns != nil,
		d.Sample.Metrics.SpeakerLabels != nil, *d.EnglishShare == d.Sample.Metrics.Lexical.EnglishShare,
	}
	want := counts{
		"hi-in-call-centre-retail-banking-dual", "hi-IN", "dual", "mono", "Retail Banking", []string{"en-IN"},
		3, 2, 3, true, true, 2, 3, 6, []string{"csv"},
		[]catalogue.Split{{Name: "train", Recordings: 1}, {Name: "test", Recordings: 1}, {Name: "unseen", Recordings: 1}},
		"pcm_s16", []catalogue.Stream{
			{Channel: 1, URL: "sample/channel-1.wav", Role: "agent", Speaker: "Asha"},
			{Channel: 2, URL: "sample/channel-2.wav", Role: "customer", Speaker: "Ravi"},
		}, 2,
		true, true, false, true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record differs (-want +got):\n%s", diff)
	}
}

// TestPublicFiles checks the bytes that everybody may have.
func TestPublicFiles(t *testing.T) {
	t.Parallel()
	s, err := ingested(t, calls(t, "sample: a\n"))
	if err != nil {
		t.Fatal(err)
	}
	files := contents(t, s.drafts[0])
	wav := wavOf(2, dualFrames)
	sphere := sphereOf(wav, 2)
	sum := sha256.Sum256(sphere)
	for name, want := range map[string]string{
		"sample/sample.sph":    string(sphere),
		"sample/sample.wav":    string(wav),
		"sample/channel-1.wav": string(oneChannel(wav, 0)),
		"sample/channel-2.wav": string(oneChannel(wav, 1)),
	} {
		if string(files[name]) != want {
			t.Errorf("%s has %d bytes that are not the %d wanted", name, len(files[name]), len(want))
		}
	}
	rows := strings.Split(string(files["recordings.csv"]), "\n")
	if want := "recording_id,split,session,duration_s,channels,layout,sample_rate_hz,codec,size_bytes,sha256,path"; rows[0] != want {
		t.Errorf("recordings.csv begins with %q, want %q", rows[0], want)
	}
	if want := "a,train,s1,4.000,2,dual,8000,pcm_s16,129024," + hex.EncodeToString(sum[:]) + ",audio/a.sph"; len(rows) != 5 || rows[1] != want {
		t.Errorf("recordings.csv has %q, want %q", rows[1], want)
	}
	for _, name := range []string{"sample/segments.csv", "sample/segments.vtt"} {
		if !strings.Contains(string(files[name]), "नमस्ते sir") {
			t.Errorf("%s is %q", name, files[name])
		}
	}
	var picture Waveform
	if err := json.Unmarshal(files["sample/waveform.json"], &picture); err != nil {
		t.Fatal(err)
	}
	if picture.Points != 2000 || len(picture.Peaks) != 2 || len(picture.Peaks[0]) != 2000 || picture.SecondsPerPoint != 0.002 {
		t.Errorf("waveform.json has %d points of %v s in %d channels, want 2000 of 0.002 in 2", picture.Points, picture.SecondsPerPoint, len(picture.Peaks))
	}
	if len(files) != 8 {
		t.Errorf("%d public files, want 8", len(files))
	}
}

// TestTablesHoldNoFormula checks that no cell of a public table begins what a
// spreadsheet would reckon, whatever the names and texts of a folder are.
func TestTablesHoldNoFormula(t *testing.T) {
	t.Parallel()
	s, err := ingested(t, folderOf(t, "-- card.yaml --\n"+goodCard+"sample: \"-2\"\n"+`
-- audio/-2.wav --
WAV mono
-- recordings.csv --
id,path,session,speakers,roles
-2,audio/-2.wav,"=HYPERLINK(""https://example.org"")",@Asha,+agent
-- transcripts/-2.csv --
start,end,speaker,role,text
0,0.5,@Asha,+agent,"=cmd|' /C calc'!A0"
0.5,1,-Ravi,=x,- yes
`))
	if err != nil {
		t.Fatal(err)
	}
	files := contents(t, s.drafts[0])
	for name, least := range map[string]int{"recordings.csv": 2, "sample/segments.csv": 6} {
		rows, err := csv.NewReader(bytes.NewReader(files[name])).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		inert := 0
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
					t.Errorf("%s has the cell %q", name, cell)
				}
				if strings.HasPrefix(cell, "'") {
					inert++
				}
			}
		}
		if inert != least {
			t.Errorf("%s has %d cells with an apostrophe before them, want %d: %q", name, inert, least, rows)
		}
	}
	if got := s.drafts[0].Dataset.Sample; got.Recording != "-2" || got.Transcript.Segments[1].Text != "- yes" {
		t.Errorf("the record has the recording %q and the text %q, which are told as they are", got.Recording, got.Transcript.Segments[1].Text)
	}
}

// oneChannel takes a channel out of a WAV file of two.
func oneChannel(wav []byte, c int) []byte {
	body := wav[wavHeader:]
	out := header(1, 8000, int64(len(body)/4))
	for i := c * 2; i < len(body); i += 4 {
		out = append(out, body[i], body[i+1])
	}
	return out
}

// TestUnknownStaysEmpty checks that what is not known is not made up.
func TestUnknownStaysEmpty(t *testing.T) {
	t.Parallel()
	s, err := ingested(t, folderOf(t, base))
	if err != nil {
		t.Fatal(err)
	}
	d := s.drafts[0].Dataset
	if d.Speakers != nil || d.Channels != nil || d.Splits != nil || d.Sample != nil || d.Transcripts != nil ||
		d.EnglishShare != nil || d.Transcribed || d.HasSample || d.Domains != nil || d.Licence != nil || d.Collection != nil {
		t.Errorf("the record of a folder that tells nothing is %+v", d)
	}
	if d.OtherLanguages == nil || d.Slug != "hi-in" || d.Version != "1.0.0" || d.Conversations != nil {
		t.Errorf("other languages %v, slug %q, version %q, conversations %v", d.OtherLanguages, d.Slug, d.Version, d.Conversations)
	}
	if names := contents(t, s.drafts[0]); len(names) != 1 {
		t.Errorf("%d public files, want recordings.csv alone", len(names))
	}
}

// TestMono checks when mixed recordings are called mono, and when transcribed.
func TestMono(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, transcript string
		channels         string
		transcribed      bool
	}{
		{"two speakers", "-- transcripts/a.csv --\nstart,end,speaker,text\n0,0.5,x,hi\n0.5,1,y,ho\n", "mono", true},
		{"one speaker", "-- transcripts/a.csv --\nstart,end,speaker,text\n0,0.5,x,hi\n0.5,1,x,ho\n", "", true},
		{"times without text", "-- transcripts/a.rttm --\nSPEAKER a 1 0 0.5 <NA> <NA> x <NA> <NA>\nSPEAKER a 1 0.5 0.5 <NA> <NA> y <NA> <NA>\n", "mono", false},
		{"text without times", "-- metadata.csv --\nfile_name,text\naudio/a.wav,hi\n", "", false},
		{"none", "", "", false},
	} {
		s, err := ingested(t, folderOf(t, cardWith("sample: a\n")+tt.transcript))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		d := s.drafts[0].Dataset
		if words := d.Transcripts != nil && d.Transcripts.Words != nil; words != (d.EnglishShare != nil) || words != (d.Sample.Metrics.Lexical != nil) {
			t.Errorf("%s: English share %v, lexical %v", tt.name, d.EnglishShare, d.Sample.Metrics.Lexical)
		}
		if text(d.Channels) != tt.channels || d.Transcribed != tt.transcribed {
			t.Errorf("%s: channels %q, transcribed %v; want %q, %v", tt.name, text(d.Channels), d.Transcribed, tt.channels, tt.transcribed)
		}
	}
}

package ingest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/transcript"
)

// heard is what the tests of layouts compare of a recording.
type heard struct {
	ID, Path, Split, Session string
	Speakers, Roles          []string
	Format                   transcript.Format
	Untimed                  bool
	Segments                 []said
}

type said struct {
	Start, End float64
	Channel    int
	Speaker    string
	Text       string
}

func heardOf(f *folder.Folder) []heard {
	var all []heard
	for _, r := range f.Recordings {
		h := heard{r.ID, r.Path, r.Split, r.Session, r.Speakers, r.Roles, r.TranscriptFormat, r.Untimed, nil}
		for _, s := range r.Transcript {
			h.Segments = append(h.Segments, said{s.Start, s.End, s.Channel, s.Speaker, s.Text})
		}
		all = append(all, h)
	}
	return all
}

// goodFolder is a folder of one layout.
type goodFolder struct {
	name, files string
	packed      []string // files that are there as gzip
	want        []heard
}

const twoCalls = "-- card.yaml --\n" + goodCard + "-- audio/a.wav --\nWAV dual\n-- audio/sub/b.wav --\nWAV mono\n"

func goodFolders() []goodFolder {
	return []goodFolder{
		{name: "audio and transcripts", files: twoCalls + `
-- audio/.DS_Store --
x
-- audio/Thumbs.db --
x
-- .git/config --
x
-- README.md --
Hello.
-- transcripts/a.srt --
1
00:00:00,000 --> 00:00:00,500
hello
-- transcripts/sub/b.csv --
start,end,speaker,text
0.1,0.4,x,hi
`, want: []heard{
			{ID: "a", Path: "audio/a.wav", Format: "srt", Segments: []said{{0, 0.5, 0, "", "hello"}}},
			{ID: "sub-b", Path: "audio/sub/b.wav", Format: "csv", Segments: []said{{0.1, 0.4, 0, "x", "hi"}}},
		}},
		{name: "one RTTM for all", files: twoCalls + `
-- transcripts/all.rttm --
SPEAKER sub/b 1 0.2 0.3 <NA> <NA> y <NA> <NA>
SPEAKER a 2 0.1 0.4 <NA> <NA> x <NA> <NA>
`, want: []heard{
			{ID: "a", Path: "audio/a.wav", Format: "rttm", Segments: []said{{0.1, 0.5, 2, "x", ""}}},
			{ID: "sub-b", Path: "audio/sub/b.wav", Format: "rttm", Segments: []said{{0.2, 0.5, 1, "y", ""}}},
		}},
		{name: "facts in CSV", files: twoCalls + "-- recordings.csv --\n\uFEFFid,path,split,speakers,roles,session\r\none,audio/a.wav,train,Asha; Ravi,agent;customer,s1\r\n\"two\",audio/sub/b.wav,dev,Asha,,s1\r\n", want: []heard{
			{ID: "one", Path: "audio/a.wav", Split: "train", Session: "s1", Speakers: []string{"Asha", "Ravi"}, Roles: []string{"agent", "customer"}},
			{ID: "two", Path: "audio/sub/b.wav", Split: "validation", Session: "s1", Speakers: []string{"Asha"}},
		}},
		{name: "facts in JSON", files: twoCalls + `
-- recordings.jsonl --
{"id": "a", "speakers": ["Asha", "Ravi"]}

{"id": "sub-b", "split": ""}
`, want: []heard{
			{ID: "a", Path: "audio/a.wav", Speakers: []string{"Asha", "Ravi"}},
			{ID: "sub-b", Path: "audio/sub/b.wav"},
		}},
		{name: "Kaldi", files: twoCalls + `
-- wav.scp --
call-A audio/a.wav
call-B audio/a.wav
note ./audio/sub/b.wav
-- reco2file_and_channel --
call-A call A
call-B call B
note note 1
-- segments --
u1 call-A 0.0 0.4
u2 call-B 0.4 0.8
u3 note 0.1 0.9
-- text --
u1 hello there
u2 नमस्ते
u3 note
-- utt2spk --
u1 Asha
u2 Ravi
u3 Asha
-- spk2utt --
Asha u1 u3
`, want: []heard{
			{ID: "call", Path: "audio/a.wav", Speakers: []string{"Asha", "Ravi"}, Format: "kaldi", Segments: []said{{0, 0.4, 1, "Asha", "hello there"}, {0.4, 0.8, 2, "Ravi", "नमस्ते"}}},
			{ID: "note", Path: "audio/sub/b.wav", Speakers: []string{"Asha"}, Format: "kaldi", Segments: []said{{0.1, 0.9, 1, "Asha", "note"}}},
		}},
		{name: "Kaldi without segments", files: twoCalls + "-- wav.scp --\nx audio/a.wav\ny audio/sub/b.wav\n-- text --\nx hello\n-- utt2spk --\nx Asha\n", want: []heard{
			{ID: "x", Path: "audio/a.wav", Speakers: []string{"Asha"}, Format: "kaldi", Untimed: true, Segments: []said{{0, 0, 0, "Asha", "hello"}}},
			{ID: "y", Path: "audio/sub/b.wav"},
		}},
		{name: "Lhotse", packed: []string{"recordings.jsonl", "supervisions.jsonl"}, files: twoCalls + lhotseRows, want: lhotseHeard},
		{name: "Lhotse, not packed", files: twoCalls + lhotseRows, want: lhotseHeard},
		{name: "NeMo with facts", files: twoCalls + `
-- manifest.jsonl --
{"audio_filepath": "audio/a.wav", "duration": 0.5, "offset": 0.5, "text": "two", "speaker": "y"}
{"audio_filepath": "audio/a.wav", "duration": 0.5, "offset": 0.0, "text": "one", "speaker": "x"}
{"audio_filepath": "audio/sub/b.wav", "duration": 1.0, "text": "all of it"}
-- recordings.csv --
id,split
a,test
sub-b,train
`, want: []heard{
			{ID: "a", Path: "audio/a.wav", Split: "test", Speakers: []string{"y", "x"}, Format: "nemo", Segments: []said{{0, 0.5, 0, "x", "one"}, {0.5, 1, 0, "y", "two"}}},
			{ID: "sub-b", Path: "audio/sub/b.wav", Split: "train", Format: "nemo", Untimed: true, Segments: []said{{0, 1, 0, "", "all of it"}}},
		}},
		{name: "AudioFolder in CSV", files: "-- card.yaml --\n" + goodCard + `
-- audio/train/a.wav --
WAV mono
-- audio/test/a.wav --
WAV mono
-- audio/metadata.csv --
file_name,transcription,accent
train/a.wav,"one, two",north
test/a.wav,three,south
`, want: []heard{
			{ID: "test-a", Path: "audio/test/a.wav", Split: "test", Format: "audiofolder", Untimed: true, Segments: []said{{Text: "three"}}},
			{ID: "train-a", Path: "audio/train/a.wav", Split: "train", Format: "audiofolder", Untimed: true, Segments: []said{{Text: "one, two"}}},
		}},
		{name: "AudioFolder in JSON", files: twoCalls + "-- metadata.jsonl --\n{\"file_name\": \"audio/a.wav\", \"text\": \"hi\", \"speaker\": \"x\"}\n{\"file_name\": \"audio/sub/b.wav\"}\n", want: []heard{
			{ID: "a", Path: "audio/a.wav", Speakers: []string{"x"}, Format: "audiofolder", Untimed: true, Segments: []said{{Speaker: "x", Text: "hi"}}},
			{ID: "sub-b", Path: "audio/sub/b.wav"},
		}},
		{name: "card in JSON", files: "-- card.json --\n{\"title\": \"A \\u0939\", \"description\": \"D\", \"language\": {\"tag\": \"en-IN\"}}\n-- audio/a.wav --\nWAV mono\n", want: []heard{{ID: "a", Path: "audio/a.wav"}}},
	}
}

const lhotseRows = `
-- recordings.jsonl --
{"id": "x", "sources": [{"type": "file", "channels": [0, 1], "source": "audio/a.wav"}], "sampling_rate": 8000, "num_samples": 8000, "duration": 1.0, "channel_ids": [0, 1]}
{"id": "y", "sources": [{"type": "file", "channels": [0], "source": "audio/sub/b.wav"}], "sampling_rate": 8000, "num_samples": 8000, "duration": 1.0, "transforms": null}
-- supervisions.jsonl --
{"id": "1", "recording_id": "x", "start": 0.5, "duration": 0.25, "channel": 1, "text": "two", "language": "hi", "speaker": "s2"}
{"id": "2", "recording_id": "x", "start": 0, "duration": 0.25, "channel": [0], "text": "one", "speaker": "s1"}
`

var lhotseHeard = []heard{
	{ID: "x", Path: "audio/a.wav", Speakers: []string{"s1", "s2"}, Format: "lhotse", Segments: []said{{0, 0.25, 1, "s1", "one"}, {0.5, 0.75, 2, "s2", "two"}}},
	{ID: "y", Path: "audio/sub/b.wav"},
}

// TestGoodFolders reads a folder of each layout, and brings it in.
func TestGoodFolders(t *testing.T) {
	t.Parallel()
	for _, tt := range goodFolders() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := folderOf(t, tt.files)
			for _, name := range tt.packed {
				pack(t, dir, name)
			}
			whole, err := folder.Read(t.Context(), dir, folder.Limits{})
			if err != nil {
				t.Fatalf("Read = %v", err)
			}
			if diff := cmp.Diff(tt.want, heardOf(whole)); diff != "" {
				t.Errorf("recordings differ (-want +got):\n%s", diff)
			}
			s, err := ingested(t, dir)
			if err != nil || len(s.drafts) != 1 {
				t.Errorf("Ingest = %v with %d datasets, want one", err, len(s.drafts))
			}
		})
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

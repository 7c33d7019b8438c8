package ingest

import (
	"errors"
	"regexp"
	"testing"
	"unicode/utf8"

	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/report"
)

// FuzzCard checks that a card of any bytes is taken with valid values or refused
// with lines that it has.
func FuzzCard(f *testing.F) {
	for _, bad := range badCards() {
		f.Add([]byte(bad.base+bad.files), false)
		f.Add([]byte(bad.base+bad.files), true)
	}
	f.Add([]byte(goodCard), false)
	f.Add([]byte(`{"title":"T","description":"D","language":{"tag":"hi"}}`), true)
	f.Fuzz(func(t *testing.T, src []byte, asJSON bool) {
		if len(src) > 16<<10 {
			return
		}
		c, _, faults := card.Parse(src, asJSON)
		for _, fault := range faults {
			if fault.Line < 0 || fault.Line > len(src)+2 {
				t.Errorf("Parse(%q) has the fault %v", src, fault)
			}
		}
		if len(faults) > 0 {
			return
		}
		if c.Title == "" || c.Description == "" || !utf8.ValidString(c.Title) || !versionForm.MatchString(c.Version) {
			t.Errorf("Parse(%q) = %+v", src, c)
		}
		if d := c.Dataset(); d.BCP47 == "" || d.Language.Name == "" {
			t.Errorf("the record of %q has no language", src)
		}
	})
}

// fuzzManifest reads a folder whose manifest is made of fuzz: what is taken has
// sound recordings, and what is not has problems.
func fuzzManifest(f *testing.F, extra map[string]string, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		put(t, dir, "card.yaml", []byte(goodCard))
		put(t, dir, "audio/a.wav", header(1, 8000, 0))
		put(t, dir, "audio/b/c.wav", header(1, 8000, 0))
		for other, text := range extra {
			put(t, dir, other, []byte(text))
		}
		put(t, dir, name, data)
		whole, err := folder.Read(t.Context(), dir, folder.Limits{})
		if err != nil {
			if problems, ok := errors.AsType[report.Problems](err); !ok || len(problems) == 0 {
				t.Errorf("Read with %s %q = %v, want Problems", name, data, err)
			}
			return
		}
		if len(whole.Recordings) != 2 {
			t.Errorf("Read with %s %q has %d recordings, want 2", name, data, len(whole.Recordings))
		}
		for _, r := range whole.Recordings {
			sound(t, r)
		}
	})
}

// What the docs promise of ids and versions.
var (
	idForm      = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$`)
	versionForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})$`)
)

// sound checks what holds of every recording that was taken.
func sound(t *testing.T, r layout.Recording) {
	if !idForm.MatchString(r.ID) || (r.Path != "audio/a.wav" && r.Path != "audio/b/c.wav") {
		t.Errorf("the recording %q has the path %q", r.ID, r.Path)
	}
	last := 0.0
	for _, s := range r.Transcript {
		if !(s.Start >= last && s.End >= s.Start && s.End <= 7*24*3600) || s.Channel < 0 || s.Channel > 256 {
			t.Errorf("the recording %q has the segment %+v after %v", r.ID, s, last)
		}
		last = s.Start
		for _, text := range []string{s.Text, s.Speaker} {
			if !utf8.ValidString(text) {
				t.Errorf("the recording %q has the text %q", r.ID, text)
			}
		}
	}
}

func FuzzFactsCSV(f *testing.F) {
	fuzzManifest(f, nil, "recordings.csv", "path,split\naudio/a.wav,train\naudio/b/c.wav,test\n", "id,speakers,roles\na,x;y,p;q\nb-c,,\n", "\uFEFFid\n\"a\nb")
}

func FuzzFactsJSON(f *testing.F) {
	fuzzManifest(f, nil, "recordings.jsonl", "{\"id\":\"a\"}\n{\"path\":\"audio/b/c.wav\",\"speakers\":[\"x\"]}\n",
		"{\"id\":\"a\",\"sources\":[{\"type\":\"file\",\"source\":\"audio/a.wav\"}]}\n{\"id\":\"b\",\"sources\":[{\"type\":\"file\",\"source\":\"audio/b/c.wav\"}]}\n")
}

func FuzzLhotse(f *testing.F) {
	fuzzManifest(f, map[string]string{"recordings.jsonl": "{\"id\":\"a\",\"sources\":[{\"type\":\"file\",\"source\":\"audio/a.wav\"}]}\n{\"id\":\"b\",\"sources\":[{\"type\":\"file\",\"source\":\"audio/b/c.wav\"}]}\n"},
		"supervisions.jsonl", "{\"id\":\"1\",\"recording_id\":\"a\",\"start\":0,\"duration\":1,\"channel\":[0],\"text\":\"x\",\"speaker\":\"s\"}\n", "{\"recording_id\":\"b\",\"start\":1e300,\"duration\":1,\"channel\":3}")
}

func FuzzLhotsePacked(f *testing.F) {
	fuzzManifest(f, nil, "recordings.jsonl.gz", string(gzipped(f, []byte("{\"id\":\"a\",\"sources\":[{\"type\":\"file\",\"source\":\"audio/a.wav\"}]}\n"))), "\x1f\x8b")
}

func FuzzNeMo(f *testing.F) {
	fuzzManifest(f, nil, "manifest.jsonl", "{\"audio_filepath\":\"audio/a.wav\",\"duration\":1,\"offset\":0.5,\"text\":\"x\"}\n{\"audio_filepath\":\"audio/b/c.wav\",\"duration\":1}\n")
}

func FuzzAudioFolderCSV(f *testing.F) {
	fuzzManifest(f, nil, "audio/metadata.csv", "file_name,text\na.wav,hi\nb/c.wav,\"ho, ho\"\n")
}

func FuzzAudioFolderJSON(f *testing.F) {
	fuzzManifest(f, nil, "metadata.jsonl", "{\"file_name\":\"audio/a.wav\",\"text\":\"hi\"}\n{\"file_name\":\"audio/b/c.wav\",\"transcription\":\"\"}\n")
}

func FuzzKaldiScp(f *testing.F) {
	fuzzManifest(f, map[string]string{"text": "a hello\n"}, "wav.scp", "a audio/a.wav\nb audio/b/c.wav\n", "a cat x |\n", "a x.ark:12\n")
}

func FuzzKaldiSegments(f *testing.F) {
	fuzzManifest(f, map[string]string{"wav.scp": "a audio/a.wav\nb audio/b/c.wav\n", "reco2file_and_channel": "a a A\nb b 2\n"}, "segments", "u a 0 1\nv b 1.5 2\n", "u a nan inf\n", "u a 0x1p-2 1")
}

// fuzzLayout reads a folder in the layout of another tool whose manifest is made of fuzz: what is
// taken has sound recordings of files that are there, and what is not has problems.
func fuzzLayout(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		put(t, dir, "card.yaml", []byte(goodCard))
		put(t, dir, "x/clips/1-2.wav", header(1, 8000, 0))
		put(t, dir, "x/1-2.wav", header(1, 8000, 0))
		put(t, dir, name, data)
		seen := folder.Inspect(t.Context(), dir, folder.Limits{})
		if problems, ok := errors.AsType[report.Problems](seen.Problems); seen.Problems != nil && (!ok || len(problems) == 0) {
			t.Errorf("Inspect with %s %q = %v, want Problems", name, data, seen.Problems)
		}
		for _, r := range seen.Folder.Recordings {
			if r.Path != "x/clips/1-2.wav" && r.Path != "x/1-2.wav" {
				t.Errorf("the recording %q has the path %q", r.ID, r.Path)
			}
			r.Path = "audio/a.wav"
			sound(t, r)
		}
	})
}

func FuzzCommonVoice(f *testing.F) {
	fuzzLayout(f, "x/validated.tsv", "client_id\tpath\tsentence\na\t1-2.wav\thi\n", "client_id\tpath\tsentence\tlocale\tgender\na\t1-2.wav\t\"hi\thi\tfemale\nb\n")
}

func FuzzLibriSpeech(f *testing.F) {
	fuzzLayout(f, "x/1.trans.txt", "1-2 HELLO THERE\n", "1-2\n../1-2 X\n")
}

func FuzzMLS(f *testing.F) {
	fuzzLayout(f, "x/transcripts.txt", "1_2_3\thello\n", "1_2_3\n")
}

func FuzzCuts(f *testing.F) {
	fuzzLayout(f, "x/cuts.jsonl", `{"id": "1-2", "type": "MonoCut", "start": 0.5, "recording": {"id": "a", "sources": [{"type": "shar"}]}, "supervisions": [{"id": "s", "start": -1, "duration": 0.5, "text": "hi", "speaker": "x"}]}`,
		`{"id": "1", "type": "MultiCut", "recording": {"id": "a", "sources": [{"type": "file", "source": "/mnt/clips/1-2.wav"}]}}`)
}

func FuzzNeMoElsewhere(f *testing.F) {
	fuzzLayout(f, "x/train_manifest.json",
		`{"audio_filepath": "/mnt/clips/1-2.wav", "duration": 1, "text": "hi"}`+"\n"+`{"audio_filepath": "../clips/1-2.wav", "duration": 1, "offset": 1, "text": "hi"}`+"\n",
		`{"audio_filepath": "/mnt//clips/../1-2.wav", "duration": 1e9, "text": null}`)
}

func FuzzKaldiElsewhere(f *testing.F) {
	fuzzLayout(f, "x/wav.scp", "a /mnt/clips/1-2.wav\n", "a flac -c -d -s 1-2.wav |\n", "a:b ../x/1-2.wav\n")
}

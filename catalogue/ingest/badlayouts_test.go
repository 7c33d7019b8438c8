package ingest

import (
	"archive/tar"
	"bytes"
	"os"
	"strings"
	"testing"

	"vaak/catalogue/ingest/ingesttest"
)

// archived puts an archive of files into a folder. Contents that are "WAV mono" are audio.
func archived(name string, files map[string]string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		members := map[string][]byte{}
		for at, text := range files {
			members[at] = []byte(text)
			if text == "WAV mono" {
				members[at] = wavOf(1, 8000)
			}
		}
		pack := ingesttest.Tar
		if strings.HasSuffix(name, ".zip") {
			pack = ingesttest.Zip
		}
		data, err := pack(members)
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, name, data)
	}
}

// table puts a table of Parquet into a folder.
func table(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		data, err := os.ReadFile("parquet/testdata/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, "data/"+name+".parquet", data)
	}
}

// linkedTar puts a tar with a link into a folder.
func linkedTar(t *testing.T, dir string) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "clips/b.wav", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "clips.tar", b.Bytes())
}

// millionRows is a table with a column file_name of a million rows, which are not there.
const millionRows = "PAR1\x29\x2c\x48\x01\x78\x15\x02\x00\x15\x0c\x25\x02\x18\x09\x66\x69\x6c\x65\x5f\x6e\x61\x6d\x65\x00\x16\x80\x89\x7a\x19\x0c\x00\x1f\x00\x00\x00PAR1"

// badLayouts are folders in the layouts of others, with faults.
func badLayouts() []badFolder {
	theirs := "-- card.yaml --\n" + goodCard + "-- clips/a.wav --\nWAV mono\n"
	const cvHead = "client_id\tpath\tsentence\tlocale\n"
	return []badFolder{
		{name: "Common Voice", base: theirs, files: "-- validated.tsv --\n" + cvHead + "x\ta.wav\thi\thi\nx\tgone.mp3\thi\thi\nx\t../../etc/passwd\thi\thi\nx\ta.wav\nx\t\thi\thi\nx\ta.wav\t\x07\thi\n", want: []string{
			"validated.tsv:3: …no file \"clips/gone.mp3\"", "validated.tsv:4: …leaves the folder", "validated.tsv:5: …has 2 cells; there are 4", "validated.tsv:6: …is empty", "validated.tsv:7: …there twice, first as \"a\"",
		}},
		{name: "Common Voice, a control character", base: theirs, files: "-- train.tsv --\n" + cvHead + "x\ta.wav\t\x07\thi\n", want: []string{"train.tsv:2: …control character"}},
		{name: "LibriSpeech", base: "-- card.yaml --\n" + goodCard + "-- 1/2/1-2-0000.wav --\nWAV mono\n", files: "-- 1/2/1-2.trans.txt --\n1-2-0000 HELLO\n1-2-0001 GONE\n../x HELLO\n1-2-0000 AGAIN\n", want: []string{
			"1/2/1-2.trans.txt:2: …no audio file \"1/2/1-2-0001\".flac", "1/2/1-2.trans.txt:3: …name of an utterance", "1/2/1-2.trans.txt:4: …there twice",
		}},
		{name: "MLS", base: "-- card.yaml --\n" + goodCard + "-- train/audio/1/2/1_2_3.wav --\nWAV mono\n", files: "-- train/transcripts.txt --\n1_2_3\thello\n1_2_4\tgone\nhello\n", want: []string{
			"train/transcripts.txt:2: …no audio file", "train/transcripts.txt:3: …such as 1844_931_000003",
		}},
		{name: "Kaldi on another machine", base: theirs + "-- old/a.wav --\nWAV mono\n", files: "-- data/train/wav.scp --\na /mnt/a.wav\nb /mnt/old/a.wav\nc /etc/passwd\nd sox clips/a.wav -t wav - trim 0 1 |\ne flac -c -d -s `id`.flac |\nf https://example.org/a.wav\n", want: []string{
			"data/train/wav.scp:1: …may be \"clips/a.wav\" or \"old/a.wav\"", "data/train/wav.scp:3: …absolute", "data/train/wav.scp:4: …commands are not run", "data/train/wav.scp:5: …commands are not run", "data/train/wav.scp:6: …nothing is fetched",
		}},
		{name: "Kaldi, a file that is missing", base: "-- card.yaml --\n" + goodCard + "-- spk2/u1.wav --\nWAV mono\n", files: "-- wav.scp --\na /data/spk1/u1.wav\nb /data/spk2/u1.wav\n", want: []string{
			"wav.scp:2: …\"/data/spk2/u1.wav\" may be \"spk2/u1.wav\", while others that begin with \"/data/spk1/\" are in \"./spk2/\"",
		}},
		{name: "Kaldi, moved and a file that is missing", base: theirs, files: "-- wav.scp --\na /data/clips/a.wav\nb /data/clips/b.wav\n", want: []string{"wav.scp:2: …there is no file \"clips/b.wav\", which \"/data/clips/b.wav\" would be"}},
		{name: "two manifests from two machines", base: "-- card.yaml --\n" + goodCard + "-- spk2/u1.wav --\nWAV mono\n", files: `
-- a_manifest.json --
{"audio_filepath": "/data/spk1/u1.wav", "duration": 0.5, "text": "hi"}
-- b_manifest.json --
{"audio_filepath": "/data/spk2/u1.wav", "duration": 0.5, "text": "hi"}
`, want: []string{"b_manifest.json:1: …which was taken for \"/data/spk1/u1.wav\""}},
		{name: "NeMo, files of another split", base: "-- card.yaml --\n" + goodCard + "-- train/0001.wav --\nWAV mono\n", files: `
-- test_manifest.json --
{"audio_filepath": "/corpus/test/0001.wav", "duration": 0.5, "text": "hi"}
`, want: []string{"test_manifest.json:1: …the path \"/corpus/test/0001.wav\" may be \"train/0001.wav\", whose folder has another name"}},
		{name: "Kaldi, files of another split", base: "-- card.yaml --\n" + goodCard + "-- train/wav/1.wav --\nWAV mono\n-- clips/2.wav --\nWAV mono\n", files: `
-- a/wav.scp --
a /corpus/test/wav/1.wav
-- b/wav.scp --
b /corpus/test/audio/1.wav
-- c/wav.scp --
c /corpus/wav/dev/2.wav
-- d/wav.scp --
d ../corpus/1.wav
`, want: []string{
			"a/wav.scp:1: …may be \"train/wav/1.wav\"", "b/wav.scp:1: …may be \"train/wav/1.wav\"", "c/wav.scp:1: …may be \"clips/2.wav\"", "d/wav.scp:1: …may be \"train/wav/1.wav\"",
		}},
		{name: "AudioFolder, a file that is in another split", base: "-- card.yaml --\n" + goodCard + "-- train/001.wav --\nWAV mono\n-- test/003.wav --\nWAV mono\n-- 004.wav --\nWAV mono\n", files: "-- train/metadata.csv --\nfile_name,text\n001.wav,hi\n003.wav,hi\n004.wav,hi\n", want: []string{
			"train/metadata.csv:3: …no file \"003.wav\"", "train/metadata.csv:4: …no file \"004.wav\"",
		}},
		{name: "NeMo manifests that differ", base: theirs + "-- clips/b.wav --\nWAV mono\n", files: `
-- manifest.json --
{"audio_filepath": "clips/a.wav", "offset": 0, "duration": 0.5, "text": "hi"}
-- train_manifest.json --
{"audio_filepath": "clips/a.wav", "duration": 0.5, "text": "hi"}
{"audio_filepath": "clips/b.wav", "duration": 0.5, "text": "hi"}
-- test_manifest.json --
{"audio_filepath": "clips/b.wav", "duration": 0.5, "text": "hi"}
`, want: []string{"train_manifest.json:1: …says something else of the recording \"a\" than manifest.json", "train_manifest.json:2: …puts the recording \"b\" into the split train; test_manifest.json puts it into test"}},
		{name: "NeMo rows of one file without offsets", base: theirs + "-- clips/b.wav --\nWAV mono\n-- clips/c.wav --\nWAV mono\n", files: `
-- manifest.json --
{"audio_filepath": "clips/a.wav", "duration": 0.5, "text": "hi"}
{"audio_filepath": "clips/a.wav", "duration": 0.5, "text": "ho"}
{"audio_filepath": "clips/b.wav", "offset": 0, "duration": 0.2, "text": "hi"}
{"audio_filepath": "clips/b.wav", "duration": 0.5, "text": "hi"}
{"audio_filepath": "clips/c.wav", "duration": 0.5, "text": "hi"}
{"audio_filepath": "clips/c.wav", "offset": 0, "duration": 0.5, "text": "hi"}
`, want: []string{
			"manifest.json:2: …is a second row of the file \"clips/a.wav\", after line 1; rows of one file are its segments, and each has an offset",
			"manifest.json:4: …is a second row of the file \"clips/b.wav\", after line 3", "manifest.json:6: …is a second row of the file \"clips/c.wav\", after line 5",
		}},
		{name: "two layouts", base: theirs, files: "-- data/wav.scp --\na clips/a.wav\n-- validated.tsv --\n" + cvHead + "x\ta.wav\thi\thi\n", want: []string{"validated.tsv: …is a manifest (Common Voice) beside data/wav.scp (Kaldi)"}},
		{name: "cuts", base: theirs, files: `
-- cuts.jsonl --
{"id": "1", "type": "MonoCut", "start": 0, "recording": {"id": "a", "sources": [{"type": "file", "source": "clips/a.wav"}]}, "supervisions": [{"id": "s", "start": 0, "duration": 0.5, "text": "hi", "speaker": "x"}, {"id": "s", "start": 1}]}
{"id": "2", "type": "PaddingCut"}
{"id": "3", "type": "MonoCut", "start": 0}
{"id": "4", "type": "MonoCut", "start": -1, "recording": {"id": "a", "sources": [{"type": "file", "source": "clips/a.wav"}]}}
{"id": "5", "type": "MonoCut", "start": 0, "recording": {"id": "b", "sources": [{"type": "memory", "source": "AAAA"}]}}
{"id": "gone", "type": "MonoCut", "start": 0, "recording": {"id": "c", "sources": [{"type": "shar", "source": ""}]}}
{"id": "../x", "type": "MonoCut", "start": 0, "recording": {"id": "c", "sources": [{"type": "shar", "source": ""}]}}
{"id": "8", "type": "MonoCut", "start": 0, "recording": {"id": "a", "sources": [{"type": "file", "source": "clips/b.wav"}]}}
`, want: []string{
			"cuts.jsonl:1: …start and duration are required", "cuts.jsonl:2: …type \"PaddingCut\"", "cuts.jsonl:3: …no recording with one source", "cuts.jsonl:4: …outside 0",
			"cuts.jsonl:5: …type \"memory\"", "cuts.jsonl:6: …no audio of the cut \"gone\"", "cuts.jsonl:7: …leaves the folder", "cuts.jsonl:8: …source \"clips/b.wav\"; before it was \"clips/a.wav\"",
		}},
		{name: "AudioFolder in its own folder", base: theirs, files: "-- clips/metadata.jsonl --\n{\"file_name\": \"a.wav\", \"text\": [1]}\n{\"file_name\": \"../../x.wav\"}\n{\"text\": \"hi\"}\n", want: []string{
			"clips/metadata.jsonl:1: …text is a text", "clips/metadata.jsonl:2: …leaves the folder", "clips/metadata.jsonl:3: …file_name is required",
		}},
		{name: "transcript beside audio", base: theirs, files: "-- clips/a.eaf --\n<TEI/>\n-- who.rttm --\nSPEAKER zz 1 0 1 <NA> <NA> x <NA> <NA>\n", want: []string{
			"clips/a.eaf:1: …not an ANNOTATION_DOCUMENT", `who.rttm:1: …names the recording "zz"`,
		}},
		{name: "texts beside audio", base: theirs + "-- clips/b.wav --\nWAV mono\n", files: "-- clips/a.txt --\n" + strings.Repeat("long ", 20_000) + "\n-- clips/b.txt --\n\xff\n", want: []string{"clips/a.txt: …more than 65536 bytes", "clips/b.txt: …not UTF-8"}},
		{name: "two transcripts beside audio", base: theirs, files: "-- clips/a.srt --\n1\n00:00:00,000 --> 00:00:00,500\nhi\n-- clips/a.txt --\n0\t0.5\thi\n", want: []string{"clips/a.txt: …second transcript"}},
		{name: "text called mp3", base: theirs, files: "-- clips/b.mp3 --\nthis is a note, not audio\n", want: []string{"clips/b.mp3: …text, not audio"}},
		{name: "audio beside audio/", files: "-- audio/a.srt --\n1\n00:00:00,500 --> 00:00:00,100\nhi\n-- audio/b.srt --\n1\n00:00:00,000 --> 00:00:00,100\nhi\n", want: []string{
			"audio/a.srt:2: …before", "audio/b.srt: …not audio by its name",
		}},
		{name: "manifests that cannot be read", base: theirs, files: "-- clips/manifest.json --\nversion https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 10\n-- cuts.jsonl.gz --\nno gzip\n", make: file("clips/metadata.csv", "\xff\xfef\x00i\x00l\x00e\x00"), want: []string{
			"clips/manifest.json: …is a pointer of Git LFS", "clips/metadata.csv: …UTF-16", "cuts.jsonl.gz: …is not gzip",
		}},
		{name: "a split that one row lacks", base: theirs + "-- clips/b.wav --\nWAV mono\n", files: "-- clips/metadata.csv --\nfile_name,split\na.wav,train\nb.wav,\n", want: []string{"clips/metadata.csv:3: …has no split, while others do"}},
		{name: "metadata.parquet of a million rows", base: theirs, make: file("clips/metadata.parquet", millionRows), want: []string{"clips/metadata.parquet: …has 1000000 rows; allowed are 200000"}},
		{name: "Parquet that is none", base: theirs, make: file("data/train.parquet", "PAR1 and then nothing of it"), want: []string{"data/train.parquet: …does not end with PAR1"}},
		{name: "Parquet without its audio", base: theirs, make: table("no-bytes"), want: []string{"data/no-bytes.parquet: …no audio in row 1: audio.bytes is empty"}},
		{name: "metadata.parquet of what is not there", base: theirs, make: func(t *testing.T, dir string) {
			data, err := os.ReadFile("ingesttest/tables/metadata.parquet")
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, "clips/metadata.parquet", data)
		}, want: []string{"clips/metadata.parquet:1: …no file \"a.flac\"", "clips/metadata.parquet:2: …no file \"b.flac\""}},
		{name: "names that leave a zip", base: theirs, make: archived("more.zip", map[string]string{"../b.wav": "WAV mono", "/c.wav": "WAV mono", "d\\e.wav": "WAV mono", strings.Repeat("f/", 20) + "g.wav": "WAV mono"}), want: []string{
			"more.zip: …leaves the folder", "more.zip: …absolute", "more.zip: …backslash", "more.zip: …more than 16 deep",
		}},
		{name: "one name twice in an archive", base: theirs, make: archived("more.tar", map[string]string{"b.txt": "x", "./b.txt": "y"}), want: []string{"more.tar: …twice"}},
		{name: "a name in an archive and beside it", base: theirs, make: archived("more.tar", map[string]string{"clips/a.wav": "other"}), want: []string{"more.tar: …beside it too, with another size"}},
		{name: "one name in two archives", base: theirs, make: func(t *testing.T, dir string) {
			archived("train.zip", map[string]string{"yes/1.wav": "WAV mono"})(t, dir)
			archived("train.tar", map[string]string{"yes/1.wav": "WAV mono"})(t, dir)
		}, want: []string{"train.zip: …holds \"yes/1.wav\", which train.tar holds too"}},
		{name: "link in a tar", base: theirs, make: linkedTar, want: []string{"clips.tar: …is a link"}},
		{name: "audio that is damaged in a zip", base: theirs, make: func(t *testing.T, dir string) {
			data, err := ingesttest.Zip(map[string][]byte{"b.wav": wavOf(1, 8000)})
			if err != nil {
				t.Fatal(err)
			}
			data[9000] ^= 0x55
			put(t, dir, "more.zip", data)
		}, want: []string{"b.wav: …is damaged"}},
	}
}

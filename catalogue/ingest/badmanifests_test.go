package ingest

import (
	"strings"
	"testing"
)

// badManifests are folders whose manifests are at fault.
func badManifests() []badFolder {
	lhotse := func(source string) string {
		return "-- recordings.jsonl --\n{\"id\":\"a\",\"sources\":[" + source + "]}\n"
	}
	return []badFolder{
		{name: "two manifests", files: "-- wav.scp --\na audio/a.wav\n-- manifest.jsonl --\n{}\n", want: []string{"manifest.jsonl: …beside wav.scp"}},
		{name: "two files of facts", files: "-- recordings.csv --\npath\naudio/a.wav\n-- recordings.jsonl --\n{}\n", want: []string{"recordings.jsonl: …beside recordings.csv"}},
		{name: "row without a file", files: "-- recordings.csv --\npath\naudio/a.wav\naudio/b.wav\n", want: []string{"recordings.csv:3: …there is no file"}},
		{name: "file without a row", files: "-- audio/b.wav --\nWAV mono\n-- recordings.csv --\npath\naudio/a.wav\n", want: []string{"audio/b.wav: …is not in recordings.csv"}},
		{name: "duplicate ids", files: "-- audio/b.wav --\nWAV mono\n-- recordings.csv --\nid,path\nx,audio/a.wav\nX,audio/b.wav\n", want: []string{"recordings.csv:3: …there twice"}},
		{name: "duplicate paths", files: "-- recordings.csv --\nid,path\nx,audio/a.wav\ny,./audio/a.wav\n", want: []string{"recordings.csv:3: …there twice"}},
		{name: "path that leaves", files: "-- recordings.csv --\npath\naudio/a.wav\naudio/../../../etc/passwd\n", want: []string{"recordings.csv:3: …leaves the folder"}},
		{name: "absolute path", files: "-- recordings.csv --\npath\naudio/a.wav\n/etc/passwd\n", want: []string{"recordings.csv:3: …absolute"}},
		{name: "path of Windows", files: "-- recordings.csv --\npath\naudio/a.wav\nC:/audio/a.wav\naudio\\a.wav\n", want: []string{"recordings.csv:3: …absolute", "recordings.csv:4: …backslash"}},
		{name: "measured column", files: "-- recordings.csv --\npath,duration,sampleRate\naudio/a.wav,1,8000\n", want: []string{
			"recordings.csv:1: …measured fields cannot be declared", "recordings.csv:1: …measured fields cannot be declared",
		}},
		{name: "unknown column", files: "-- recordings.jsonl --\n{\"path\":\"audio/a.wav\",\"sesion\":\"x\"}\n", want: []string{`recordings.jsonl:1: …nearest is "session"`, "audio/a.wav: …is not in"}},
		{name: "column twice", files: "-- recordings.csv --\npath,split,split\naudio/a.wav,train,test\n", want: []string{"recordings.csv:1: …there twice"}},
		{name: "fact twice beside a manifest", files: "-- wav.scp --\na audio/a.wav\n-- recordings.csv --\nid,split\na,train\na,test\nb,test\n", want: []string{
			"recordings.csv:3: …there twice, first in line 2", "recordings.csv:4: …no recording \"b\"",
		}},
		{name: "roles for other speakers", files: "-- recordings.csv --\npath,speakers,roles,split\naudio/a.wav,x;;y,agent,a b\n", want: []string{
			"recordings.csv:2: …empty name", "recordings.csv:2: …2 speakers and 1 roles", "recordings.csv:2: …split",
		}},
		{name: "ragged rows", files: "-- recordings.csv --\npath,split\naudio/a.wav,train\naudio/b.wav\n", want: []string{"recordings.csv:3: …more or fewer cells"}},
		{name: "some without a split", files: "-- audio/b.wav --\nWAV mono\n-- recordings.csv --\npath,split\naudio/a.wav,train\naudio/b.wav,\n", want: []string{"recordings.csv:3: …has no split"}},
		{name: "facts in UTF-16", make: func(t *testing.T, dir string) { put(t, dir, "recordings.csv", utf16le("path\naudio/a.wav\n")) }, want: []string{
			"recordings.csv: …UTF-16",
		}},
		{name: "command in wav.scp", files: "-- wav.scp --\na sox audio/a.wav -t wav - |\n", want: []string{"wav.scp:1: …commands are not run", "audio/a.wav: …is not in wav.scp"}},
		{name: "archive of Kaldi", files: "-- wav.scp --\na audio/raw.ark:1234\n", want: []string{"wav.scp:1: …unpack it first", "audio/a.wav: …is not in"}},
		{name: "manifest that names itself", files: "-- wav.scp --\na audio/a.wav\nb wav.scp\n", want: []string{"wav.scp:2: …not below audio/"}},
		{name: "Kaldi of what is not there", files: "-- wav.scp --\na audio/a.wav\n-- segments --\nu1 a 0 0.5\nu2 zz 0 0.5\nu3 a -1 0.5\nu4 a 0.5 0.1\nu5 a x 1\nu1 a 0 1\n-- text --\nu1 hello\nu9 hello\n", want: []string{
			"segments:2: …no recording \"zz\"", "segments:3: …outside 0", "segments:4: …before", "segments:5: …in seconds", "segments:6: …there twice", "text:2: …no utterance \"u9\"",
		}},
		{name: "Kaldi, one file twice", files: "-- wav.scp --\na audio/a.wav\nb audio/a.wav\n", want: []string{"wav.scp:1: …reco2file_and_channel"}},
		{name: "Kaldi, one channel twice", files: "-- wav.scp --\na audio/a.wav\nb audio/a.wav\n-- reco2file_and_channel --\na c A\nb c A\n", want: []string{"wav.scp:2: …reco2file_and_channel"}},
		{name: "Kaldi, bad channels", files: "-- wav.scp --\na audio/a.wav\n-- reco2file_and_channel --\na c 0\nb c\n", want: []string{
			"reco2file_and_channel:1: …A, B or a number", "reco2file_and_channel:2: …has 2 words",
		}},
		{name: "Lhotse of an address", files: lhotse(`{"type":"url","source":"https://example.org/a.wav"}`), want: []string{`recordings.jsonl:1: …type "url"`, "audio/a.wav: …is not in"}},
		{name: "Lhotse, address as a file", files: lhotse(`{"type":"file","source":"https://example.org/a.wav"}`), want: []string{"recordings.jsonl:1: …nothing is fetched", "audio/a.wav: …is not in"}},
		{name: "Lhotse of a command", files: lhotse(`{"type":"command","source":"curl x"}`), want: []string{"recordings.jsonl:1: …commands are not run", "audio/a.wav: …is not in"}},
		{name: "Lhotse of one channel", files: "-- recordings.jsonl --\n{\"id\":\"a\",\"sources\":[{\"type\":\"file\",\"source\":\"audio/a.wav\"}],\"channel_ids\":[0,2]}\n",
			want: []string{"recordings.jsonl:1: …channel_ids are 0, 2; allowed", "audio/a.wav: …is not in"}},
		{name: "Lhotse of two files", files: lhotse(`{"type":"file","source":"audio/a.wav"},{"type":"file","source":"audio/a.wav"}`), want: []string{"recordings.jsonl:1: …2 sources", "audio/a.wav: …is not in"}},
		{name: "Lhotse, times", files: lhotse(`{"type":"file","source":"audio/a.wav"}`) + "-- supervisions.jsonl --\n{\"id\":\"1\",\"recording_id\":\"a\",\"start\":-1,\"duration\":2}\n{\"id\":\"2\",\"recording_id\":\"b\",\"start\":0,\"duration\":1}\n{\"id\":\"3\",\"recording_id\":\"a\",\"start\":0}\n{\"id\":\"4\",\"recording_id\":\"a\",\"start\":0,\"duration\":9}\n",
			want: []string{"supervisions.jsonl:1: …outside 0", "supervisions.jsonl:2: …no recording \"b\"", "supervisions.jsonl:3: …duration are required"}},
		{name: "Lhotse, longer than its audio", files: lhotse(`{"type":"file","source":"audio/a.wav"}`) + "-- supervisions.jsonl --\n{\"id\":\"4\",\"recording_id\":\"a\",\"start\":0,\"duration\":9}\n",
			want: []string{"supervisions.jsonl:1: …ends at 9.000 s"}},
		{name: "supervisions alone", files: "-- supervisions.jsonl --\n{}\n", want: []string{"there are supervisions without recordings"}},
		{name: "bomb in a manifest", make: func(t *testing.T, dir string) {
			put(t, dir, "recordings.jsonl.gz", gzipped(t, []byte(strings.Repeat("\n", 16<<20))))
		}, want: []string{"recordings.jsonl.gz:…unfolds to more than 100 times"}},
		{name: "gzip cut short", make: func(t *testing.T, dir string) {
			z := gzipped(t, []byte("{\"id\":\"a\",\"sources\":[{\"type\":\"file\",\"source\":\"audio/a.wav\"}]}\n"))
			put(t, dir, "recordings.jsonl.gz", z[:len(z)-9])
		}, want: []string{"recordings.jsonl.gz:…not whole gzip"}},
		{name: "NeMo that leaves", files: "-- manifest.jsonl --\n{\"audio_filepath\":\"audio/a.wav\",\"duration\":1}\n{\"audio_filepath\":\"../a.wav\",\"duration\":1}\n", want: []string{"manifest.jsonl:2: …leaves the folder"}},
		{name: "NeMo without duration", files: "-- manifest.json --\n{\"audio_filepath\":\"audio/a.wav\",\"text\":\"hi\"}\n", want: []string{"manifest.json:1: …duration is required"}},
		{name: "NeMo, not JSON", files: "-- manifest.jsonl --\n{\"audio_filepath\":\"audio/a.wav\",\"duration\":1}\nnope\n{\"audio_filepath\":7}\n", want: []string{
			"manifest.jsonl:2: …JSON has a fault", "manifest.jsonl:3: …audio_filepath cannot be a number",
		}},
		{name: "NeMo, negative offset", files: "-- manifest.jsonl --\n{\"audio_filepath\":\"audio/a.wav\",\"duration\":1,\"offset\":-2}\n", want: []string{"manifest.jsonl:1: …outside 0"}},
		{name: "AudioFolder that leaves", files: "-- audio/metadata.csv --\nfile_name,text\na.wav,hi\n../../x.wav,ho\n", want: []string{"audio/metadata.csv:3: …leaves the folder"}},
		{name: "AudioFolder without names", files: "-- metadata.csv --\nfile,text\naudio/a.wav,hi\n", want: []string{"metadata.csv:1: …no column file_name"}},
		{name: "AudioFolder twice", files: "-- metadata.jsonl --\n{\"file_name\":\"audio/a.wav\",\"text\":\"hi\"}\n{\"file_name\":\"audio/a.wav\",\"text\":\"ho\"}\n", want: []string{"metadata.jsonl:2: …there twice"}},
	}
}

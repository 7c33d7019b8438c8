package ingesttest

import (
	"fmt"
	"strings"
)

// Sentences in languages that are not mistaken for others.
const (
	hindi1  = "आज मौसम बहुत अच्छा है और हम बाज़ार जा रहे हैं"
	hindi2  = "मुझे अपने खाते का शेष जानना है"
	german1 = "wir gehen heute zusammen über die brücke nach hause"
	german2 = "das mädchen hat gestern einen langen brief geschrieben"
	english = "GO DO YOU HEAR THE PEOPLE WERE WALKING THROUGH THE HOUSE"
)

// Folders returns one folder for each layout.
func Folders() []Folder {
	return []Folder{
		{
			Name: "audiofolder-csv", Layout: "AudioFolder", Recordings: 3, Transcripts: 3, Speakers: 2, Splits: 2, Language: "hi",
			Files: map[string]string{
				"README.md":          "---\nlanguage:\n- hi\nlicense: cc-by-4.0\npretty_name: Market Hindi\n---\n# Market Hindi\n",
				"data/train/one.wav": "speech 16000 1.2", "data/train/two.wav": "speech 16000 1.3", "data/test/three.wav": "speech 16000 1.4",
				"data/metadata.csv": "file_name,transcription,speaker_id\ntrain/one.wav," + hindi1 + ",7\ntrain/two.wav,\"" + hindi2 + ", sir\",7\ntest/three.wav," + hindi2 + ",9\n",
			},
		},
		{
			Name: "audiofolder-jsonl", Layout: "AudioFolder", Recordings: 2, Transcripts: 2, Splits: 2, Language: "de",
			Files: map[string]string{
				"train/a.flac": "speech 16000 1.2", "test/a.flac": "speech 16000 1.3",
				"train/metadata.jsonl": `{"file_name": "a.flac", "text": "` + german1 + `"}` + "\n",
				"test/metadata.jsonl":  `{"file_name": "a.flac", "text": "` + german2 + `"}` + "\n",
			},
		},
		commonVoice(),
		librispeech(),
		{
			Name: "mls", Layout: "MLS", Recordings: 2, Transcripts: 2, Speakers: 2, Splits: 2, Language: "de",
			Files: map[string]string{
				"mls_german/train/transcripts.txt":                     "1844_931_000003\t" + german1 + "\n",
				"mls_german/train/audio/1844/931/1844_931_000003.flac": "speech 16000 1.2",
				"mls_german/dev/transcripts.txt":                       "2422_1000_000001\t" + german2 + "\n",
				"mls_german/dev/audio/2422/1000/2422_1000_000001.flac": "speech 16000 1.3",
				"mls_german/train/segments.txt":                        "1844_931_000003\thttp://example.org/a.mp3\t1.0\t2.0\n",
				"mls_german/metainfo.txt":                              " SPEAKER  | GENDER | PARTITION | MINUTES | BOOK ID | TITLE | CHAPTER\n 1844 | M | train | 1.0 | 931 | A book | One\n 2422 | F | dev | 1.0 | 1000 | A book | Two\n",
			},
		},
		{
			Name: "kaldi", Layout: "Kaldi", Recordings: 3, Transcripts: 3, Speakers: 2, Splits: 2, Language: "hi",
			Files: map[string]string{
				"wavs/s1/u1.wav": "speech 16000 1.2", "wavs/s1/u2.flac": "speech 16000 1.3", "wavs/s2/u1.wav": "speech 16000 1.4",
				// As a recipe on another machine writes it.
				"data/train/wav.scp":    "s1-u1 /mnt/corpora/x/wavs/s1/u1.wav\ns1-u2 flac -c -d -s /mnt/corpora/x/wavs/s1/u2.flac |\n",
				"data/train/text":       "s1-u1 " + hindi1 + "\ns1-u2 " + hindi2 + "\n",
				"data/train/utt2spk":    "s1-u1 s1\ns1-u2 s1\n",
				"data/train/spk2gender": "s1 f\n",
				"data/test/wav.scp":     "s2-u1 /mnt/corpora/x/wavs/s2/u1.wav\n",
				"data/test/text":        "s2-u1 " + hindi2 + "\n",
				"data/test/utt2spk":     "s2-u1 s2\n",
			},
		},
		{
			Name: "espnet", Layout: "Kaldi", Recordings: 1, Transcripts: 1, Timed: 1, Speakers: 2, Language: "hi",
			Files: map[string]string{
				"dump/raw/org/talk.flac": "speech 16000 2",
				"data/all/wav.scp":       "talk dump/raw/org/talk.flac\n",
				"data/all/segments":      "a-1 talk 0.0 0.9\nb-1 talk 1.0 1.9\n",
				"data/all/text":          "a-1 " + hindi1 + "\nb-1 " + hindi2 + "\n",
				"data/all/utt2spk":       "a-1 a\nb-1 b\n",
			},
		},
		{
			Name: "lhotse", Layout: "Lhotse", Recordings: 2, Transcripts: 2, Timed: 2, Speakers: 2, Splits: 2, Language: "de",
			Files: map[string]string{
				"audio16k/a.wav": "speech 16000 1.2", "audio16k/b.wav": "speech 16000 1.3",
				"manifests/x_recordings_train.jsonl.gz":   lhotseRecording("a", "/data/x/audio16k/a.wav", 1.2),
				"manifests/x_supervisions_train.jsonl.gz": lhotseSupervision("a", 0, 1.1, "anna", "F", german1),
				"manifests/x_recordings_test.jsonl.gz":    lhotseRecording("b", "audio16k/b.wav", 1.3),
				"manifests/x_supervisions_test.jsonl.gz":  lhotseSupervision("b", 0.1, 1.1, "bert", "M", german2),
			},
		},
		{
			Name: "lhotse-shards", Layout: "Lhotse cuts", Recordings: 2, Transcripts: 2, Timed: 2, Speakers: 2, Language: "de",
			Files: map[string]string{
				"cuts.000000.jsonl.gz":                lhotseCut("c-1", 1.2, "anna", german1) + lhotseCut("c-2", 1.3, "bert", german2),
				"recording.000000.tar/c-1.flac":       "speech 16000 1.2",
				"recording.000000.tar/c-1.json":       `{"id": "c-1", "duration": 1.2}`,
				"recording.000000.tar/c-2.flac":       "speech 16000 1.3",
				"recording.000000.tar/c-2.json":       `{"id": "c-2", "duration": 1.3}`,
				"recording.000000.tar/__MACOSX/x.txt": "left by a desktop",
			},
		},
		{
			// Windows that overlap: the second supervision is in two, and the first window has none.
			Name: "lhotse-windows", Layout: "Lhotse cuts", Recordings: 1, Transcripts: 1, Timed: 1, Speakers: 2, Language: "de",
			Files: map[string]string{
				"wav/talk.wav": "speech 16000 3",
				"cuts.jsonl": lhotseWindow("1", 0, 1) +
					lhotseWindow("2", 1, 1, `{"id": "x", "start": -0.1, "duration": 0.9, "channel": 0, "text": "`+german1+`", "language": "de", "speaker": "anna"}`) +
					lhotseWindow("3", 1.5, 1.4,
						`{"id": "x", "start": -0.6, "duration": 0.9, "channel": 0, "text": "`+german1+`", "language": "de", "speaker": "anna"}`,
						`{"id": "y", "start": 0.4, "duration": 0.9, "channel": 0, "text": "`+german2+`", "language": "de", "speaker": "bert"}`),
			},
		},
		{
			// A manifest of the whole beside one for each split.
			Name: "nemo-overlapping", Layout: "NeMo", Recordings: 2, Transcripts: 2, Splits: 2, Language: "de",
			Files: map[string]string{
				"wav/a.wav": "speech 16000 1.2", "wav/b.wav": "speech 16000 1.3",
				"manifest.json": `{"audio_filepath": "../other/wav/a.wav", "duration": 1.2, "text": "` + german1 + `"}` + "\n" +
					`{"audio_filepath": "../other/wav/b.wav", "duration": 1.3, "text": "` + german2 + `"}` + "\n",
				"train_manifest.json": `{"audio_filepath": "wav/a.wav", "duration": 1.2, "text": "` + german1 + `"}` + "\n",
				"test_manifest.json":  `{"audio_filepath": "wav/b.wav", "duration": 1.3, "text": "` + german2 + `"}` + "\n",
			},
		},
		{
			Name: "nemo", Layout: "NeMo", Recordings: 2, Transcripts: 2, Splits: 2, Language: "de",
			Files: map[string]string{
				"wav/a.wav": "speech 16000 1.2", "wav/b.wav": "speech 16000 1.3",
				"train_manifest.json": `{"audio_filepath": "/workspace/data/wav/a.wav", "duration": 1.2, "text": "` + german1 + `"}` + "\n",
				"test_manifest.json":  `{"audio_filepath": "wav/b.wav", "duration": 1.3, "text": "` + german2 + `"}` + "\n",
			},
		},
		{
			Name: "whisperx", Layout: "audio files", Recordings: 2, Transcripts: 2, Timed: 2, Language: "de",
			Files: map[string]string{
				"talk 1.mp3":   "speech 24000 2",
				"talk 1.json":  `{"task": "transcribe", "language": "german", "duration": 2.0, "segments": [{"start": 0.1, "end": 1.8, "text": " ` + german1 + `", "speaker": "SPEAKER_00", "words": [{"word": "wir", "start": 0.1, "end": 0.4, "score": 0.8}]}], "word_segments": []}`,
				"talk 2.mp3":   "speech 24000 1.9",
				"talk 2.jsonl": `{"start": 0.0, "end": 1.5, "text": "` + german2 + `", "speaker": "SPEAKER_01"}` + "\n",
			},
		},
		{
			Name: "text-beside-audio", Layout: "audio files", Recordings: 2, Transcripts: 2, Language: "de",
			Files: map[string]string{
				"p225/p225_001.wav": "speech 16000 1.2", "p225/p225_001.txt": german1 + ".\n",
				"p225/p225_002.wav": "speech 16000 1.3", "p225/p225_002.txt": "\uFEFF" + german2 + ".\r\n",
				"p225/notes.txt": "A text of no recording.\n",
			},
		},
		besideAudio(),
		{
			Name: "named-inside", Layout: "audio files", Recordings: 3, Transcripts: 3, Timed: 3, Language: "de",
			Files: map[string]string{
				"wav/a.wav": "speech 8000 1.2", "wav/b.wav": "speech 8000 1.3", "wav/c.wav": "speech 8000 1.4",
				"ref/words.ctm": "a 1 0.1 0.3 wir\na 1 0.4 0.3 gehen\na 1 0.8 0.3 heute\n",
				"ref/all.stm":   "b 1 bert 0.0 1.1 <o> " + german2 + "\n",
				"ref/who.rttm":  "SPEAKER c 1 0.1 0.5 <NA> <NA> carl <NA> <NA>\nSPEAKER c 1 0.7 0.5 <NA> <NA> dora <NA> <NA>\n",
			},
		},
		{
			Name: "parquet", Layout: "Parquet", Recordings: 3, Transcripts: 2, Speakers: 2, Splits: 1, Language: "hi",
			Files: map[string]string{
				"README.md":                         "---\nlanguage: hi\nlicense: cc0-1.0\n---\n",
				"data/train-00000-of-00001.parquet": "table train-00000-of-00001.parquet",
			},
		},
		{
			Name: "audiofolder-parquet", Layout: "AudioFolder", Recordings: 2, Transcripts: 2, Language: "hi",
			Files: map[string]string{"a.flac": "speech 16000 1.2", "b.flac": "speech 16000 1.3", "metadata.parquet": "table metadata.parquet"},
		},
		{
			// As datasets of Hugging Face come: each archive has its metadata, and files of the same
			// names and sizes.
			Name: "audiofolder-archives", Layout: "AudioFolder", Recordings: 4, Transcripts: 4, Splits: 2, Language: "hi",
			Files: map[string]string{
				"data/train.tar/metadata.csv": "file_name,text\n1.wav," + hindi1 + "\n2.wav," + hindi2 + "\n",
				"data/train.tar/1.wav":        "speech 16000 1.2", "data/train.tar/2.wav": "speech 16000 1.2",
				"data/test.tar/metadata.csv": "file_name,text\n1.wav," + hindi2 + "\n2.wav," + hindi1 + "\n",
				"data/test.tar/1.wav":        "speech 16000 1.2", "data/test.tar/2.wav": "speech 16000 1.2",
			},
		},
		packed(commonVoice(), "common-voice-zip", "cv-corpus.zip"),
		packed(librispeech(), "librispeech-tar", "dev-clean.tar"),
		{
			Name: "zip-of-wav", Layout: "AudioFolder", Recordings: 2, Transcripts: 2, Language: "hi", Pack: "all.zip",
			Files: map[string]string{
				"clips/a.wav": "speech 16000 1.2", "clips/b.wav": "speech 16000 1.3",
				"metadata.csv": "file_name,text\nclips/a.wav," + hindi1 + "\nclips/b.wav," + hindi2 + "\n",
			},
		},
	}
}

func packed(f Folder, name, archive string) Folder {
	f.Name, f.Pack = name, archive
	return f
}

func commonVoice() Folder {
	const head = "client_id\tpath\tsentence_id\tsentence\tsentence_domain\tup_votes\tdown_votes\tage\tgender\taccents\tvariant\tlocale\tsegment\n"
	ids := []string{strings.Repeat("a1", 64), strings.Repeat("b2", 64)}
	row := func(n, speaker int, sentence string) string {
		return fmt.Sprintf("%s\tcommon_voice_hi_%d.mp3\t1\t%s\t\t2\t0\ttwenties\t%s\t\t\thi\t\n", ids[speaker], n, sentence,
			[]string{"female_feminine", "male_masculine"}[speaker])
	}
	return Folder{
		Name: "common-voice", Layout: "Common Voice", Recordings: 4, Transcripts: 4, Speakers: 2, Splits: 4, Language: "hi",
		Files: map[string]string{
			"hi/clips/common_voice_hi_1.mp3": "speech 32000 1.2", "hi/clips/common_voice_hi_2.mp3": "speech 32000 1.3",
			"hi/clips/common_voice_hi_3.mp3": "speech 32000 1.4", "hi/clips/common_voice_hi_4.mp3": "speech 32000 1.5",
			"hi/clips/common_voice_hi_5.mp3": "speech 32000 1.6",
			"hi/train.tsv":                   head + row(1, 0, hindi1), "hi/dev.tsv": head + row(2, 1, hindi2), "hi/test.tsv": head + row(3, 1, `"`+hindi2+`" sir`),
			"hi/validated.tsv": head + row(1, 0, hindi1) + row(2, 1, hindi2) + row(3, 1, `"`+hindi2+`" sir`) + row(4, 0, hindi2),
			"hi/other.tsv":     head + row(5, 0, hindi2), "hi/invalidated.tsv": head,
		},
	}
}

func librispeech() Folder {
	return Folder{
		Name: "librispeech", Layout: "LibriSpeech", Recordings: 3, Transcripts: 3, Speakers: 2, Splits: 2, Language: "en",
		Files: map[string]string{
			"LibriSpeech/SPEAKERS.TXT":                             ";ID  |SEX| SUBSET           |MINUTES| NAME\n84   | F | dev-clean        |  8.02 | Christie Nowak\n174  | M | dev-clean        |  8.04 | Peter Eastman\n2 | F | dev-other | 1 | Somebody\n",
			"LibriSpeech/dev-clean/84/121123/84-121123.trans.txt":  "84-121123-0000 " + english + "\n84-121123-0001 BUT THEY SAID THAT NOBODY WOULD COME\n",
			"LibriSpeech/dev-clean/84/121123/84-121123-0000.flac":  "speech 16000 1.2",
			"LibriSpeech/dev-clean/84/121123/84-121123-0001.FLAC":  "speech 16000 1.3",
			"LibriSpeech/test-clean/174/50561/174-50561.trans.txt": "174-50561-0000 FORGOTTEN TOO THE NAME OF THE GIRL WHO WALKED WITH HER\n",
			"LibriSpeech/test-clean/174/50561/174-50561-0000.flac": "speech 16000 1.4",
		},
	}
}

func lhotseRecording(id, file string, seconds float64) string {
	return fmt.Sprintf(`{"id": "%s", "sources": [{"type": "file", "channels": [0], "source": "%s"}], "sampling_rate": 16000, "num_samples": %d, "duration": %g, "channel_ids": [0]}`+"\n",
		id, file, int(seconds*16000), seconds)
}

func lhotseSupervision(recording string, start, duration float64, speaker, gender, text string) string {
	return fmt.Sprintf(`{"id": "%s-1", "recording_id": "%s", "start": %g, "duration": %g, "channel": 0, "text": "%s", "language": "German", "speaker": "%s", "gender": "%s"}`+"\n",
		recording, recording, start, duration, text, speaker, gender)
}

func lhotseCut(id string, seconds float64, speaker, text string) string {
	return fmt.Sprintf(`{"id": "%s", "start": 0, "duration": %g, "channel": 0, "supervisions": [{"id": "%s-s", "recording_id": "r%s", "start": 0.0, "duration": %g, "channel": 0, "text": "%s", "language": "de", "speaker": "%s"}], "recording": {"id": "r%s", "sources": [{"type": "shar", "channels": [0], "source": ""}], "sampling_rate": 16000, "num_samples": %d, "duration": %g, "channel_ids": [0]}, "type": "MonoCut"}`+"\n",
		id, seconds, id, id, seconds-0.1, text, speaker, id, int(seconds*16000), seconds)
}

// lhotseWindow is a part of a longer recording, with its supervisions.
func lhotseWindow(id string, start, seconds float64, supervisions ...string) string {
	return fmt.Sprintf(`{"id": "%s", "start": %g, "duration": %g, "channel": 0, "supervisions": [%s], "recording": {"id": "talk", "sources": [{"type": "file", "channels": [0], "source": "wav/talk.wav"}], "sampling_rate": 16000, "num_samples": 48000, "duration": 3, "channel_ids": [0]}, "type": "MonoCut"}`+"\n",
		id, start, seconds, strings.Join(supervisions, ", "))
}

// besideAudio has a transcript of each kind beside its audio, and one in a folder of its own.
func besideAudio() Folder {
	return Folder{
		Name: "beside-audio", Layout: "audio files", Recordings: 6, Transcripts: 6, Timed: 6, Language: "hi",
		Files: map[string]string{
			"day 1/one.wav": "speech 8000 1.2", "day 1/one.srt": "1\n00:00:00,000 --> 00:00:01,100\n" + hindi1 + "\n",
			"day 1/two.wav": "speech 8000 1.3", "day 1/two.vtt": "WEBVTT\n\n00:00.000 --> 00:01.100\n<v Asha>" + hindi2 + "\n",
			"day 1/three.wav":      "speech 8000 1.4",
			"day 1/three.TextGrid": "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\nxmin = 0\nxmax = 1.4\ntiers? <exists>\nsize = 1\nitem []:\nitem [1]:\nclass = \"IntervalTier\"\nname = \"Asha\"\nxmin = 0\nxmax = 1.4\nintervals: size = 1\nintervals [1]:\nxmin = 0.1\nxmax = 1.3\ntext = \"" + hindi1 + "\"\n",
			"day 2/four.wav":       "speech 8000 1.5",
			"day 2/four.eaf":       `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<ANNOTATION_DOCUMENT FORMAT="3.0"><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="100"/><TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="1300"/></TIME_ORDER><TIER TIER_ID="Ravi"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="x" TIME_SLOT_REF1="a" TIME_SLOT_REF2="b"><ANNOTATION_VALUE>` + hindi2 + `</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>`,
			"day 2/five.wav":       "speech 8000 1.6", "labels/five.txt": "0.1\t1.4\t" + hindi1 + "\n",
			"day 2/नमस्ते.wav": "speech 8000 1.7", "day 2/नमस्ते.csv": "start,end,speaker,text\n0,1.5,Ravi," + hindi2 + "\n",
			"notes.txt": "Recorded in two days.\n",
		},
	}
}

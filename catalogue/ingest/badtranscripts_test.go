package ingest

// textGrid is a TextGrid of one tier whose intervals are given as start, end and
// text.
const overlapping = `File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "A"
        xmin = 0
        xmax = 1
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 0.6
            text = "one"
        intervals [2]:
            xmin = 0.4
            xmax = 1
            text = "two"
`

// badTranscripts are folders whose transcripts are at fault.
func badTranscripts() []badFolder {
	return []badFolder{
		{name: "transcript of nothing", files: "-- transcripts/b.srt --\n1\n00:00:00,000 --> 00:00:01,000\nhi\n", want: []string{"transcripts/b.srt: …there is no audio/b.*"}},
		{name: "transcript of two files", files: "-- audio/b/a.flac --\nWAV mono\n-- audio/b/a.wav --\nWAV mono\n-- transcripts/b/a.srt --\n1\n00:00:00,000 --> 00:00:00,900\nhi\n-- recordings.csv --\nid,path\n1,audio/a.wav\n2,audio/b/a.flac\n3,audio/b/a.wav\n",
			want: []string{"transcripts/b/a.srt: …of two files"}},
		{name: "two transcripts of one file", files: "-- transcripts/a.srt --\n1\n00:00:00,000 --> 00:00:00,900\nhi\n-- transcripts/a.vtt --\nWEBVTT\n\n00:00.000 --> 00:00.900\nhi\n",
			want: []string{"transcripts/a.vtt: …second transcript"}},
		{name: "unknown name in RTTM", files: "-- transcripts/all.rttm --\nSPEAKER a 1 0.0 0.5 <NA> <NA> x <NA> <NA>\nSPEAKER zz 1 0.0 0.5 <NA> <NA> x <NA> <NA>\n",
			want: []string{`transcripts/all.rttm:2: …names the recording "zz"`}},
		{name: "name of another file", files: "-- audio/b.wav --\nWAV mono\n-- transcripts/a.rttm --\nSPEAKER b 1 0.0 0.5 <NA> <NA> x <NA> <NA>\n",
			want: []string{`transcripts/a.rttm:1: …is called like audio/a.wav and names the recording "b"`}},
		{name: "overlapping intervals", files: "-- transcripts/a.TextGrid --\n" + overlapping, want: []string{"transcripts/a.TextGrid:20: …before"}},
		{name: "negative time", files: "-- transcripts/a.rttm --\nSPEAKER a 1 -1.0 0.5 <NA> <NA> x <NA> <NA>\n", want: []string{"transcripts/a.rttm:1: …-1"}},
		{name: "end before start", files: "-- transcripts/a.csv --\nstart,end,text\n0.5,0.1,hi\n", want: []string{"transcripts/a.csv:2: …before"}},
		{name: "longer than its audio", files: "-- transcripts/a.csv --\nstart,end,text\n0,0.5,fine\n0.5,1.4,fine\n1.4,1.6,late\n", want: []string{"transcripts/a.csv:4: …ends at 1.600 s; the audio audio/a.wav is 1.000 s"}},
		{name: "channel that is not there", files: "-- transcripts/a.csv --\nstart,end,channel,text\n0,0.5,2,hi\n", want: []string{"transcripts/a.csv:2: …channel 2"}},
		{name: "transcript in Latin-1", make: file("transcripts/a.srt", "1\n00:00:00,000 --> 00:00:00,500\ncaf\xe9\n"), want: []string{"transcripts/a.srt:…UTF-8"}},
		{name: "unknown format", files: "-- transcripts/a.docx --\nhello\n", want: []string{"transcripts/a.docx: …no format that is known"}},
	}
}

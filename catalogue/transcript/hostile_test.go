package transcript

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// gridOf returns a TextGrid of one tier with the values of its intervals.
func gridOf(intervals ...string) string {
	return "\"ooTextFile\"\n\"TextGrid\"\n0\n9\n<exists>\n1\n\"IntervalTier\"\n\"a\"\n0\n9\n" +
		string(rune('0'+len(intervals))) + "\n" + strings.Join(intervals, "\n") + "\n"
}

// TestProblems gives files with faults, and expects each fault on its line.
func TestProblems(t *testing.T) {
	t.Parallel()
	type problem struct {
		line int
		has  string
	}
	for _, tt := range []struct {
		name   string
		format Format
		text   string
		want   []problem
	}{
		{"empty", CSV, "", []problem{{0, "empty"}}},
		{"lone mark", WebVTT, "\xef\xbb\xbf", []problem{{0, "empty"}}},
		{"lone mark of UTF-16", TextGrid, "\xff\xfe", []problem{{0, "empty"}}},
		{"not UTF-8", RTTM, "SPEAKER a 1 0 1\n;\xe0\xa4\n\xff\xff", []problem{{2, "0xE0 at byte 17"}, {3, "0xFF at byte 20"}}},
		{"NUL", SRT, "1\n\x00", []problem{{2, "NUL at byte 2"}}},
		{"UTF-16 without a mark", CSV, "s\x00t\x00a\x00r\x00t\x00", []problem{{1, "looks like UTF-16"}}},
		{"odd UTF-16", CSV, "\xff\xfea\x00b", []problem{{0, "half a character"}}},
		{"half a pair", CSV, "\xff\xfea\x00\x00\xd8", []problem{{1, "surrogate pair of UTF-16 at byte 4"}}},
		{"NUL in UTF-16", CSV, "\xfe\xff\x00a\x00\x00", []problem{{1, "NUL at byte 4"}}},
		{"no such format", "docx", "x", []problem{{0, `"docx"`}}},

		{"RTTM", RTTM, strings.Join([]string{
			"SPEAKER a 1 NaN 1 <NA> <NA> x <NA> <NA>",
			"SPEAKER a 1 0 -1 <NA> <NA> x <NA> <NA>",
			"SPEAKER a 0 0 1 <NA> <NA> x <NA> <NA>",
			"SPEAKER a 1 0 1 <NA> <NA>",
			"SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA> more",
			"TALKER a 1 0 1 <NA> <NA> x",
			"SPEAKER a 1 999999 2 <NA> <NA> x",
			"SPEAKER a 1 0x10 2 <NA> <NA> x",
			"SPEAKER a 1 0 1e999 <NA> <NA> x",
		}, "\n"), []problem{
			{1, `"NaN"`}, {2, `"-1" is outside`}, {3, `the channel is "0"`}, {4, "this one has 7"}, {5, "more than 10"},
			{6, `"TALKER" is no type of RTTM; a line begins with SPEAKER, or with what is passed over: SEGMENT, NOSCORE, `}, {7, "1.000001e+06 is outside"}, {8, `"0x10"`}, {9, `"1e999"`},
		}},
		{"CTM", CTM, strings.Join([]string{
			"a C 0 1 w", "a A Inf 1 w", "a A 0 1", "a A 0 1 <ALT_BEGIN>", "a A 0 1 <ALT>", "a 1 0 1 w 1 lex s more",
		}, "\n"), []problem{
			{1, `the channel is "C"`}, {2, `"Inf"`}, {3, "this one has 4"}, {4, "alternatives"}, {5, "alternatives"}, {6, "more than 8"},
		}},
		{"STM", STM, strings.Join([]string{
			"a A s 2 1 <o> x", "a 300 s 0 1 x", "a 1 s 0", "a 1 s 0 1 <o,,> { uh / um } ja",
		}, "\n"), []problem{
			{1, "end 1 is before the start 2"}, {2, `"300"`}, {3, "has 4 fields"}, {4, "alternatives"},
		}},

		{"TextGrid overlap", TextGrid, gridOf(`0 2 "x"`, `1.5 3 "y"`, `4 3 "z"`), []problem{
			{13, "before the one before it ends"}, {14, "end 3 is before the start 4"},
		}},
		{"TextGrid early end", TextGrid, strings.TrimSuffix(gridOf(`0 2 "x"`), "\"x\"\n"), []problem{{12, "ends before the text of an interval"}}},
		{"TextGrid open quote", TextGrid, gridOf(`0 2 "x`), []problem{{12, "no closing quote"}}},
		{"TextGrid NaN", TextGrid, gridOf(`nan 2 "x"`), []problem{{12, `"nan" is no number`}}},
		{"TextGrid of another class", TextGrid, "\"ooTextFile\" \"Pitch\"", []problem{{1, `"Pitch"`}}},
		{"TextGrid with too many intervals", TextGrid, strings.Replace(gridOf(), "\n0\n9\n0\n", "\n0\n9\n99999999999999999999\n", 1), []problem{{11, "whole number"}}},
		{"TextGrid with a million tiers", TextGrid, `"ooTextFile" "TextGrid" 0 1 <exists> 1000000`, []problem{{1, "1000000 tiers"}}},
		{"TextGrid with a tier twice", TextGrid, `"ooTextFile" "TextGrid" 0 1 <exists> 2 "IntervalTier" "a" 0 1 0` + "\n" +
			`"IntervalTier" "a" 0 1 0`, []problem{{2, "twice, first on line 1"}}},
		{"TextGrid with a stray word", TextGrid, `"ooTextFile" "TextGrid" 0 2 <exists> 2 "IntervalTier" "a" 0 2 1 0 1 "x"` + "\n" +
			`"IntervalTier" "a words" 0 2 1 1.2 1.4 "y"`, []problem{{2, `the word "y" at 1.2 lies in no interval`}}},

		{"SegLST", SegLST, `[
{"session_id": "a", "speaker": "s", "start_time": -1, "end_time": 2, "words": "x"},
{"session_id": "a", "speaker": "s", "start_time": "1", "end_time": "nan", "words": "x"},
{"session_id": "a", "speaker": "s", "start_time": 3, "end_time": 2, "words": "x"},
{"session_id": "a", "speaker": "s", "start_time": 1, "end_time": 2},
{"session_id": "a", "speaker": 7, "start_time": 1, "end_time": 2, "words": "x"},
{"session_id": "a", "session_id": "b", "speaker": "s", "start_time": 1, "end_time": 2, "words": "x"},
7, null
]`, []problem{
			{2, `"-1" is outside`}, {3, `"nan" is no number`}, {4, "end 2 is before the start 3"}, {5, `no "words"`}, {6, `"speaker" is "7"`},
			{7, `"session_id" is there twice`}, {8, `there is "7" where`}, {8, `there is "null" where`},
		}},
		{"Audacity", Audacity, "0\t1\tfine\nhello\n2\t1\tback\n1e9\t2e9\tlate\n0x1\t2\tx\n", []problem{{2, "with tabs between them"}, {3, "end 1 is before the start 2"}, {4, "is outside"}, {5, `"0x1"`}}},
		{"ELAN of another kind", ELAN, "<?xml version=\"1.0\"?>\n<TEI/>", []problem{{2, `"TEI", not an ANNOTATION_DOCUMENT`}}},
		{"ELAN cut off", ELAN, "<ANNOTATION_DOCUMENT>\n<TIER", []problem{{2, "is not XML"}}},
		{"ELAN with an entity", ELAN, "<!DOCTYPE x [<!ENTITY a \"b\">]>\n<ANNOTATION_DOCUMENT>&a;</ANNOTATION_DOCUMENT>", []problem{{2, "invalid character entity"}}},
		{"ELAN in frames", ELAN, `<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="PAL-frames"/></ANNOTATION_DOCUMENT>`, []problem{{1, `times are in "PAL-frames"`}}},
		{"ELAN, deep", ELAN, "<ANNOTATION_DOCUMENT>" + strings.Repeat("<a>", 40), []problem{{1, "more than 32 deep"}}},
		{"ELAN without times", ELAN, "<ANNOTATION_DOCUMENT><TIME_SLOT TIME_SLOT_ID=\"a\" TIME_VALUE=\"-1\"/>\n<TIER TIER_ID=\"x\"><ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1=\"a\" TIME_SLOT_REF2=\"b\"><ANNOTATION_VALUE>hi</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>",
			[]problem{{1, `"-1" is outside`}, {2, "has no times"}}},
		{"Whisper", Whisper, "{\"segments\": [\n{\"start\": 1, \"text\": \"x\"},\n{\"start\": 2, \"end\": 1, \"text\": \"x\"},\n{\"start\": 0, \"end\": 1, \"text\": \"x\", \"words\": [{\"word\": \"x\", \"start\": 1}]}]}",
			[]problem{{2, `no "end"`}, {3, "end 1 is before the start 2"}, {4, `word 1: there is no "end"`}}},
		{"Whisper without segments", Whisper, `{"text": "x"}`, []problem{{1, `no "segments"`}}},
		{"Whisper lines", WhisperLines, "{\"start\": 0}\n\n[1\n{\"start\": 0, \"end\": 1, \"text\": 7}", []problem{{1, `no "text"`}, {3, "is not JSON"}, {4, `"text" is "7"`}}},
		{"SegLST object", SegLST, `{"segments": []}`, []problem{{1, "a list of segments"}}},
		{"SegLST cut off", SegLST, "[\n{\"session_id\":", []problem{{2, "not JSON"}}},
		{"JSON", JSON, `{"segments": [
{"start_s": 0, "end_s": 1, "txt": "x"},
{"start_s": "0", "end_s": 1},
{"start_s": 0, "end_s": 1, "channel": 0},
{"start_s": 0, "end_s": 1, "channel": 1.5},
{"start_s": 0, "end_s": 1, "text": null},
{"start_s": 0, "end_s": 1, "words": [{"start_s": 2, "end_s": 1, "text": "x"}]},
{"start_s": 0, "end_s": 1, "words": 7},
{"start_s": 0, "end_s": 1, "text": "\u0007"},
{"start_s": 0}
], "more": 1}`, []problem{
			{2, `"txt" is not one of start_s, end_s, `}, {3, `no number of seconds`}, {4, "the channel is"}, {5, "the channel is"}, {6, `"text" is "null"`},
			{7, "word 1: the end 1"}, {8, "not a list"}, {9, "U+0007"}, {10, `no "end_s"`}, {11, `there is "more"`},
		}},
		{"SegLST and more", SegLST, "[\n] x", []problem{{2, "not JSON"}}},
		{"JSON without a list", JSON, "{\n\"segments\": 7}", []problem{{2, `"segments" is "7`}}},
		{"JSON twice", JSON, "{\"segments\": [],\n\"segments\": []}", []problem{{2, "there once"}}},
		{"JSON of nothing", JSON, "{}", []problem{{1, `no "segments"`}}},
		{"JSON list", JSON, "[]", []problem{{1, "an object with"}}},
		{"JSON under another key", JSON, `{"segment": []}`, []problem{{1, `there is "segment"`}}},
		{"JSON with a fault of syntax", JSON, "{\"segments\": [\n{\"start_s\": 0,,}\n]}", []problem{{2, "not JSON"}}},
		{"JSON cut off", JSON, `{"segments": [`, []problem{{1, "not JSON"}}},

		{"WebVTT", WebVTT, "WEBVTT\n\n00:01.000 --> 00:00.500\nx\n\n00:61.000 --> 02:00.000\n\n1\n2\n3\n\n00:01.00 --> 00:02.000\n\n" +
			"00:01.000 --> \n\n00:01.000 --> 00:02.000\n<v A>x <00:03.000>y\n\n00:01.000 --> 00:02.000\n<v A", []problem{
			{3, "end 0.5 is before the start 1"}, {6, `"00:61.000"`}, {8, "neither a cue"}, {12, `"00:01.00"`}, {14, "no end"},
			{16, `the time "00:03.000"`}, {19, "has no end"},
		}},
		{"WebVTT without a head", WebVTT, "WEBVTTX\n\n", []problem{{1, `"WEBVTTX"`}}},
		{"WebVTT piece", WebVTT, "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n", []problem{{2, "piece of a stream"}}},
		{"SRT", SRT, "1\n00:00:01,5 --> 00:00:02,000\nx\n\ntext\n\n2\n-00:00:01,000 --> 00:00:02,000\nx", []problem{
			{2, `"00:00:01,5"`}, {5, "neither a cue"}, {8, `"-00:00:01,000"`},
		}},

		{"CSV", CSV, "start_s,end_s,channel,text\n1,0,1,x\n0,1,0,x\n0,1,x\n0,nan,1,x\n\"0\",1,1,\"a\nb\"c\n0,1,1,a\"b\n\n,1,1,x\n0,1,1,\"open", []problem{
			{2, "end 0 is before the start 1"}, {3, `the channel is "0"`}, {4, "3 cells, the header 4"}, {5, `"nan"`},
			{6, "behind the closing quote"}, {8, "quote within the cell"}, {10, `"" is no number`}, {11, "no closing quote"},
		}},
		{"CSV with columns twice", CSV, "start,start_s,end,text,Text,note,note\n", []problem{{1, `"start_s"`}, {1, `"Text"`}, {1, `"note"`}}},
		{"CSV without a header", CSV, "0,1,x\n", []problem{{1, "no start_s"}}},
		{"CSV whose durations lie", CSV, "start,end,duration\n1,2,1.5\n", []problem{{2, `the duration is "1.5"`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, got := Read(strings.NewReader(tt.text), tt.format, Limits{})
			for i, want := range tt.want {
				if i >= len(got) || got[i].Line != want.line || !strings.Contains(got[i].Message, want.has) {
					t.Fatalf("Read(%q) problem %d: want line %d with %q; got %+v", tt.text, i, want.line, want.has, got)
				}
			}
			if len(got) != len(tt.want) {
				t.Errorf("Read(%q) = %+v, want %d problems", tt.text, got, len(tt.want))
			}
			if file.Recordings != nil {
				t.Errorf("Read(%q) has recordings beside its problems", tt.text)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	row := "SPEAKER a 1 0 1 <NA> <NA> x\n"
	words := `{"start_s":0,"end_s":1,"text":"x"}`
	own := `{"segments":[{"start_s":0,"end_s":1,"words":[` + words + "," + words + `]}]}`
	grid := strings.Replace(gridOf(`0 1 "x"`, `1 2 "y"`), `"a"`, `"a words"`, 1)
	for _, tt := range []struct {
		name   string
		format Format
		text   string
		limits Limits
		want   string // "" is none
	}{
		{"bytes", RTTM, row, Limits{Bytes: int64(len(row)) - 1}, "longer than"},
		{"as many bytes as may be", RTTM, row, Limits{Bytes: int64(len(row))}, ""},
		{"segments", RTTM, row + row, Limits{Segments: 1}, "more than 1 segments"},
		{"as many segments as may be", RTTM, row + row, Limits{Segments: 2}, ""},
		{"segments of a grid", TextGrid, gridOf(`0 1 "x"`, `1 2 "y"`), Limits{Segments: 1}, "more than 1 segments"},
		{"words of JSON", JSON, own, Limits{Words: 1}, "more than 1 words"},
		{"as many words as may be", JSON, own, Limits{Words: 2}, ""},
		{"words of CTM", CTM, "a 1 0 1 x\na 1 0 1 y\na 1 0 1 z", Limits{Words: 1}, "more than 1 words"},
		{"words of a grid", TextGrid, grid, Limits{Words: 1}, "more than 1 words"},
		{"words of WebVTT", WebVTT, "WEBVTT\n\n00:00.000 --> 00:01.000\na <00:00.500>b", Limits{Words: 1}, "more than 1 words"},
		{"a long text", CSV, "start,end,text\n0,1," + strings.Repeat("x", longestText+1), Limits{}, "the longest is"},
		{"a long name", STM, "a 1 " + strings.Repeat("x", longestName+1) + " 0 1 x", Limits{}, "the longest is"},
		{"a long cue", SRT, "1\n00:00:00,000 --> 00:00:01,000\n" + strings.Repeat("x", longestText+1), Limits{}, "the longest is"},
		{"a block without end", SRT, strings.Repeat("x\n", mostLines+1), Limits{}, "no empty line"},
		{"a row without end", CSV, strings.Repeat(",", 5000), Limits{}, "more than 1000 cells"},
		{"deep JSON", SegLST, strings.Repeat("[", 1<<20), Limits{}, "not JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, got := Read(strings.NewReader(tt.text), tt.format, tt.limits)
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0].Message, tt.want)) {
				t.Errorf("Read(%.40q) = %+v, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestProblemsAreCapped(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("nonsense\n", 100)
	for limit, want := range map[int]int{0: 20, 3: 3, 100: 100, 500: 100} {
		if _, got := Read(strings.NewReader(text), RTTM, Limits{Problems: limit}); len(got) != want {
			t.Errorf("Read with Problems: %d tells %d, want %d", limit, len(got), want)
		}
	}
}

func TestReadThatFails(t *testing.T) {
	t.Parallel()
	_, got := Read(iotest.ErrReader(errors.New("disk on fire")), CSV, Limits{})
	if len(got) != 1 || !strings.Contains(got[0].Message, "disk on fire") {
		t.Errorf("Read(a broken disk) = %+v", got)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, head string
		want       Format
		ok         bool
	}{
		{"a/B.TextGrid", "", TextGrid, true},
		{"a.rttm", "", RTTM, true},
		{"a.CTM", "", CTM, true},
		{"a.stm", "", STM, true},
		{"a.vtt", "", WebVTT, true},
		{"a.srt", "", SRT, true},
		{"a.seglst", "", SegLST, true},
		{"a.json", " [ {\"session_id\": \"x\"", SegLST, true},
		{"a.json", "\xef\xbb\xbf{\"segments\": [", JSON, true},
		{"a.json", "{\"recordings\": [", "", false},
		{"a.json", `{"task": "transcribe", "language": "german", "duration": 8.4, "text": "wir", "segments": [`, Whisper, true},
		{"a.json", `{"language": "de", "segments": [{"start": 0`, Whisper, true},
		{"a.json", `{"task": {"text": 1}, "segments": [`, "", false},
		{"a.json", `{"task": "x", "text": "wir"}`, "", false},
		{"a.json", `{"task"`, "", false},
		{"a.json", "[1, 2", "", false},
		{"a.json", "nonsense", "", false},
		{"a.csv", "start_s,end_s,text\n", CSV, true},
		{"a.tsv", "file\tStart\tDuration\n", CSV, true},
		{"a.csv", "\xff\xfes\x00t\x00a\x00r\x00t\x00,\x00e\x00n\x00d\x00\n\x00", CSV, true},
		{"a.csv", "id,split,speakers\n", "", false},
		{"a.csv", "start,start_s,end\n", "", false},
		{"a.txt", "WEBVTT\n", "", false},
		{"TextGrid", "", "", false},
	} {
		if got, ok := Detect(tt.name, []byte(tt.head)); ok != tt.ok || got != tt.want {
			t.Errorf("Detect(%q, %q) = %q, %t, want %q, %t", tt.name, tt.head, got, ok, tt.want, tt.ok)
		}
	}
}

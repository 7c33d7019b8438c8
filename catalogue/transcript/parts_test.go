package transcript

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// read reads a text that is sound.
func read(t *testing.T, text string, format Format) map[string][]Segment {
	t.Helper()
	file, problems := Read(strings.NewReader(text), format, Limits{})
	if len(problems) > 0 {
		t.Fatalf("Read(%q) has problems: %v", text, problems)
	}
	return file.Recordings
}

// TestCTMGroups says where words are cut into segments.
func TestCTMGroups(t *testing.T) {
	t.Parallel()
	got := read(t, strings.Join([]string{
		"r 1 3.00 0.2 late",
		"r 1 0.00 0.5 one",
		"r 1 1.00 0.5 two", // 0.5 s after: the same segment
		"r 1 2.01 0.2 three",
		"s 1 0 0.6 half", // ends 0.5 s before, but for the last bit of 1.1 - 0.6
		"s 1 1.1 0.1 more",
		"r B 0.00 3.0 other",
		"r 2 0.10 0.1 within",
		"r 2 3.40 0.1 after", // 0.4 s after the end of "other"
		"r 1 0.20 0.2 he 1 lex x",
		"r 1 0.30 0.2 she NA lex y",
	}, "\n"), CTM)
	type cut struct {
		Start, End float64
		Channel    int
		Speaker    string
		Text       string
	}
	var have []cut
	for _, s := range got["r"] {
		have = append(have, cut{s.Start, s.End, s.Channel, s.Speaker, s.Text})
	}
	want := []cut{
		{0, 1.5, 1, "", "one two"}, {0, 3.5, 2, "", "other within after"}, {0.2, 0.4, 1, "x", "he"}, {0.3, 0.5, 1, "y", "she"},
		{2.01, 2.21, 1, "", "three"}, {3, 3.2, 1, "", "late"},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("segments (-want +got):\n%s", diff)
	}
	if s := got["s"]; len(s) != 1 || s[0].Text != "half more" {
		t.Errorf("segments of s = %+v, want one", s)
	}
}

func TestTierNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, speaker string
		words         bool
	}{
		{"Asha", "Asha", false},
		{" Asha ", "Asha", false},
		{"words", "", true},
		{"Words", "", true},
		{"Asha - words", "Asha", true},
		{"asha_words", "asha", true},
		{"आशा words", "आशा", true},
		{"passwords", "passwords", false},
		{"Wordsworth", "Wordsworth", false},
	} {
		if speaker, words := tierSpeaker(tt.name); speaker != tt.speaker || words != tt.words {
			t.Errorf("tierSpeaker(%q) = %q, %t, want %q, %t", tt.name, speaker, words, tt.speaker, tt.words)
		}
	}
}

// TestGridWords says whose a tier of words is that names nobody.
func TestGridWords(t *testing.T) {
	t.Parallel()
	head := `"ooTextFile" "TextGrid" 0 2 <exists> `
	speaker := func(name string) string { return ` "IntervalTier" "` + name + `" 0 2 1 0 2 "x y"` }
	words := ` "IntervalTier" "words" 0 2 2 0 0.4 "x" 0.4 0.9 "y"`
	x, y := Word{0, 0.4, "x"}, Word{0.4, 0.9, "y"}
	for _, tt := range []struct {
		text string
		want []Segment
	}{
		{head + "1" + words, []Segment{{End: 0.9, Text: "x y", Words: []Word{x, y}}}},
		{head + "2" + words + speaker("a"), []Segment{{End: 2, Speaker: "a", Text: "x y", Words: []Word{x, y}}}},
		{head + "3" + words + speaker("a") + speaker("b"), []Segment{
			{End: 0.9, Text: "x y", Words: []Word{x, y}}, {End: 2, Speaker: "a", Text: "x y"}, {End: 2, Speaker: "b", Text: "x y"},
		}},
		{`"ooTextFile" "TextGrid" 0 2 <absent>`, []Segment{}},
	} {
		got := read(t, tt.text, TextGrid)[""]
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Segment{}, "Line")); diff != "" {
			t.Errorf("Read(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

// TestUTF16 reads characters of one unit and of two, in both orders.
func TestUTF16(t *testing.T) {
	t.Parallel()
	want := "हाँ \U0001F600!"
	for mark, order := range map[string]binary.AppendByteOrder{mark16big: binary.BigEndian, mark16small: binary.LittleEndian} {
		data := []byte(mark)
		for _, unit := range utf16.Encode([]rune("start,end,text\r\n0,1," + want + "\r\n")) {
			data = order.AppendUint16(data, unit)
		}
		if format, ok := Detect("a.csv", data); !ok || format != CSV {
			t.Errorf("Detect(% x) = %q, %t", mark, format, ok)
		}
		if got := read(t, string(data), CSV)[""]; len(got) != 1 || got[0].Text != want {
			t.Errorf("Read(% x) = %+v, want %q", mark, got, want)
		}
	}
}

func TestSTMLabels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ words, want string }{
		{"<o,f0,male> hello there", "hello there"},
		{"<o> hello", "hello"},
		{"<NA> hello", "hello"},
		{"<o,f0,male>", ""},
		{"<noise> hello", "<noise> hello"},
		{"<o,f0,male> <noise>  hello ", "<noise>  hello"},
		{"{ a / b", "{ a / b"},
		{"<o,,> IGNORE_TIME_SEGMENT_IN_SCORING", ""},
		{"", ""},
	} {
		got := read(t, "r A s 0 1 "+tt.words, STM)["r"]
		if len(got) != 1 || got[0].Text != tt.want || got[0].Channel != 1 {
			t.Errorf("Read(%q) = %+v, want %q", tt.words, got, tt.want)
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, dots string
		want       float64 // -1 is none
	}{
		{"00:00.000", ".", 0},
		{"01:02.345", ".", 62.345},
		{"1:02:03.004", ".", 3723.004},
		{"100:00:00,500", ",.", 360000.5},
		{"00:00:01,500", ".", -1},
		{"00:60.000", ".", -1},
		{"60:00.000", ".", -1},
		{"1:1:01.000", ".", -1},
		{"00:00.0000", ".", -1},
		{"00.000", ".", -1},
		{"0:0:0:00.000", ".", -1},
		{"00:-1.000", ".", -1},
		{"00:+1.000", ".", -1},
		{":01.000", ".", -1},
		{"", ".", -1},
	} {
		got, err := clock(tt.text, tt.dots)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("clock(%q) = %v, %v, want %v", tt.text, got, err, tt.want)
		}
	}
}

// TestTableSeparators reads one table in three hands.
func TestTableSeparators(t *testing.T) {
	t.Parallel()
	want := map[string][]Segment{"": {{Start: 1, End: 2.5, Channel: 2, Text: "a, b; c", Lang: "hi", Line: 2}}}
	for _, text := range []string{
		"START , End_S,channel,text,language\n1,2.5,B,\"a, b; c\",Hindi\n",
		"start\tend\tchannel\ttext\tlang\n1\t2.5\t2\ta, b; c\thi-IN\n",
		"start;duration;channel;text;lang\r\n1;1.5;2;\"a, b; c\";hin",
		"start,end,duration,channel,text,lang,note,other\n1,2.5,1.5,2,\"a, b; c\",hi,,\n\n",
	} {
		if diff := cmp.Diff(want, read(t, text, CSV)); diff != "" {
			t.Errorf("Read(%q) (-want +got):\n%s", text, diff)
		}
	}
}

package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"vaak/internal/fault"
)

// What a generated text is made of: scripts, marks and joiners, and all that a
// format might trip over.
var pieces = []string{
	"नमस्ते", "क्\u200dष", "வணக்கம்", "میں", "হ্যাঁ", "hello", "日本", " ", "  ", "\n", "\n\n", "\t", `"`, `""`, ",", ";", "'",
	"=1+1", "+91", "-haan", "@me", "<v A>", "</v>", "<00:00:01.000>", "-->", "&", "&amp;", "&lt", "&#10;", "NOTE", "WEBVTT",
	"{", "}", "\\", "\u2028", "\u00a0", "\ufeff", "\u200f", "\U0001F600", "<NA>", ";;", "null", "0",
}

// drawSegments draws segments that a format can hold, in the order that a reader
// returns. Times are whole numbers of 1/perSecond seconds.
func drawSegments(t *rapid.T, format Format, perSecond int) []Segment {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
	})
	name := rapid.Custom(func(t *rapid.T) string {
		n := strings.TrimSpace(strings.NewReplacer("\n", "", "\t", "").Replace(text.Draw(t, "name")))
		if format == RTTM {
			n = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(n, noValue, ""), " ", "_"))
		}
		return n
	})
	at := func(label string) float64 {
		return float64(rapid.IntRange(0, 4000*perSecond).Draw(t, label)) / float64(perSecond)
	}
	segments := make([]Segment, rapid.IntRange(0, 8).Draw(t, "n"))
	for i := range segments {
		a, b := at("a"), at("b")
		s := Segment{Start: min(a, b), End: max(a, b), Speaker: name.Draw(t, "speaker")}
		if format != RTTM {
			s.Text = text.Draw(t, "text")
		}
		if format != WebVTT {
			s.Channel = rapid.IntRange(0, 3).Draw(t, "channel")
		}
		if format == CSV || format == JSON {
			s.Role = name.Draw(t, "role")
		}
		for range rapid.IntRange(0, 3).Draw(t, "words") {
			if a, b := at("from"), at("to"); format == JSON {
				s.Words = append(s.Words, Word{min(a, b), max(a, b), text.Draw(t, "word")})
			}
		}
		slices.SortStableFunc(s.Words, func(a, b Word) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
		segments[i] = s
	}
	slices.SortStableFunc(segments, func(a, b Segment) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return segments
}

// TestWrittenReadsTheSame is the law of Write.
func TestWrittenReadsTheSame(t *testing.T) {
	t.Parallel()
	for format, perSecond := range map[Format]int{CSV: 1_000_000, JSON: 1_000_000, WebVTT: 1000, RTTM: 1_000_000} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				want := drawSegments(t, format, perSecond)
				var out bytes.Buffer
				if err := Write(&out, want, format); err != nil {
					t.Fatalf("Write(%+v, %s) = %v", want, format, err)
				}
				file, problems := Read(bytes.NewReader(out.Bytes()), format, Limits{})
				if len(problems) > 0 {
					t.Fatalf("Read(%q) has problems: %v", out.String(), problems)
				}
				got := file.Recordings[""]
				if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Segment{}, "Line")); diff != "" {
					t.Fatalf("Read(%q) (-want +got):\n%s", out.String(), diff)
				}
			})
		})
	}
}

// TestWriteAnyTime writes times that are no decimals.
func TestWriteAnyTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0, latest).Draw(t, "a"), rapid.Float64Range(0, latest).Draw(t, "b")
		want := Segment{Start: min(a, b), End: max(a, b), Text: "x"}
		for format, off := range map[Format]float64{CSV: 0, JSON: 0, WebVTT: 0.0006, RTTM: 2e-6} {
			var out bytes.Buffer
			if err := Write(&out, []Segment{want}, format); err != nil {
				t.Fatalf("Write(%+v, %s) = %v", want, format, err)
			}
			file, problems := Read(&out, format, Limits{})
			if len(problems) > 0 {
				t.Fatalf("%s: Read has problems: %v", format, problems)
			}
			got := file.Recordings[""][0]
			if math.Abs(got.Start-want.Start) > off || math.Abs(got.End-want.End) > off {
				t.Fatalf("%s: %v to %v was read as %v to %v", format, want.Start, want.End, got.Start, got.End)
			}
		}
	})
}

func TestWriteShape(t *testing.T) {
	t.Parallel()
	segments := []Segment{
		{Start: 0.5, End: 1.25, Channel: 1, Speaker: "asha", Role: "agent", Text: `=1+1 "हाँ" & <b>`,
			Words: []Word{{0.5, 0.75, "=1+1"}}},
		{Start: 2, End: 3600.001},
	}
	for format, want := range map[Format]string{
		CSV: "start_s,end_s,channel,speaker,role,text\n" +
			"0.5,1.25,1,\"asha\",\"agent\",\"'=1+1 \"\"हाँ\"\" & <b>\"\n2,3600.001,,,,\n",
		JSON: `{"segments":[` + "\n" +
			`{"start_s":0.5,"end_s":1.25,"channel":1,"speaker":"asha","role":"agent","text":"=1+1 \"हाँ\" & <b>","words":[{"start_s":0.5,"end_s":0.75,"text":"=1+1"}]},` + "\n" +
			`{"start_s":2,"end_s":3600.001,"text":""}` + "\n]}\n",
		WebVTT: "WEBVTT\n\n00:00:00.500 --> 00:00:01.250\n<v asha>=1+1 \"हाँ\" &amp; &lt;b&gt;</v>\n\n00:00:02.000 --> 01:00:00.001\n",
		RTTM: "SPEAKER <NA> 1 0.500000 0.750000 <NA> <NA> asha <NA> <NA>\n" +
			"SPEAKER <NA> <NA> 2.000000 3598.001000 <NA> <NA> <NA> <NA> <NA>\n",
	} {
		var out bytes.Buffer
		if err := Write(&out, segments, format); err != nil || out.String() != want {
			t.Errorf("Write(%s) = %q, %v, want %q", format, out.String(), err, want)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		format  Format
		segment Segment
	}{
		{"another format", CTM, Segment{}},
		{"NaN", CSV, Segment{Start: math.NaN()}},
		{"an end before the start", CSV, Segment{Start: 2, End: 1}},
		{"a negative channel", JSON, Segment{Channel: -1}},
		{"text that is not UTF-8", JSON, Segment{Text: "\xff"}},
		{"a control character", WebVTT, Segment{Text: "\r"}},
		{"white space around a name", CSV, Segment{Speaker: " x"}},
		{"white space in a name", RTTM, Segment{Speaker: "x y"}},
		{"a name that is none", RTTM, Segment{Speaker: "<NA>"}},
	} {
		var out bytes.Buffer
		err := Write(&out, []Segment{tt.segment}, tt.format)
		if fault.KindOf(err) != fault.Invalid || out.Len() > 0 {
			t.Errorf("%s: Write = %v after %d bytes, want a fault and none", tt.name, err, out.Len())
		}
	}
}

func TestWriteToWhatIsFull(t *testing.T) {
	t.Parallel()
	for _, format := range []Format{CSV, JSON, WebVTT, RTTM} {
		r, w := io.Pipe()
		r.CloseWithError(errors.New("full"))
		if err := Write(w, make([]Segment, 1000), format); err == nil || !strings.Contains(err.Error(), "full") {
			t.Errorf("Write(a full disk, %s) = %v", format, err)
		}
	}
}

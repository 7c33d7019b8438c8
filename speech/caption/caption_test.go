package caption_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/speech/align"
	"vaak/speech/caption"
)

// cue is one as a player sees it.
type cue struct {
	start, end int // ms
	text       string
}

var timing = regexp.MustCompile(`^(\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3}) --> (\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3})$`)

// parse reads captions by the rules of WebVTT, as strictly as a player may.
func parse(s string) ([]cue, error) {
	blocks := strings.Split(strings.TrimSuffix(s, "\n"), "\n\n")
	if blocks[0] != "WEBVTT" {
		return nil, fmt.Errorf("it begins with %q", blocks[0])
	}
	var cues []cue
	for _, b := range blocks[1:] {
		head, text, _ := strings.Cut(b, "\n")
		m := timing.FindStringSubmatch(head)
		if m == nil {
			return nil, fmt.Errorf("%q is no timing", head)
		}
		at := make([]int, len(m))
		for i := 1; i < len(m); i++ {
			at[i], _ = strconv.Atoi(m[i])
		}
		c := cue{start: ((at[1]*60+at[2])*60+at[3])*1000 + at[4], end: ((at[5]*60+at[6])*60+at[7])*1000 + at[8]}
		for i, line := range strings.Split(text, "\n") {
			if line == "" || strings.Contains(line, "-->") || strings.ContainsAny(line, "<>\r\x00") {
				return nil, fmt.Errorf("line %q", line)
			}
			if i > 0 {
				c.text += "\n"
			}
			c.text += strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(line)
		}
		cues = append(cues, c)
	}
	return cues, nil
}

// spoken returns a text of which each character lasts so many milliseconds.
func spoken(s string, each int) align.Alignment {
	var a align.Alignment
	for _, r := range s {
		a.Characters, a.Starts = append(a.Characters, string(r)), append(a.Starts, a.End)
		a.End += each
	}
	return a
}

func write(t interface{ Fatal(...any) }, stretches ...align.Alignment) ([]cue, string) {
	var b strings.Builder
	w := caption.New(&b)
	for _, a := range stretches {
		if err := w.Add(a); err != nil {
			t.Fatal(err)
		}
		if n, pieces := w.Longest(), w.Pieces(); n > caption.LongUnit+4 || pieces > 100 {
			t.Fatal(fmt.Sprintf("%d pieces are kept, the longest of %d bytes", pieces, n))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cues, err := parse(b.String())
	if err != nil {
		t.Fatal(fmt.Sprintf("%v in %q", err, b.String()))
	}
	return cues, b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		each       int
		want       []string
	}{
		{"nothing", "", 60, nil},
		{"white space", " \n\t", 60, nil},
		{"a sentence", "It is late.", 60, []string{"It is late."}},
		{"white space is one space", "It\r\n\r\nis \u2028\tlate.\n", 60, []string{"It is late."}},
		{"sentences apart", "It is late this evening. We are going home now.", 60, []string{"It is late this evening.", "We are going home now."}},
		{"short ones together", "Yes. No. We are going home now.", 60, []string{"Yes. No. We are going home now."}},
		{"two lines of about the same length", "The river goes slowly over the hills and nobody knows where.", 60,
			[]string{"The river goes slowly over the\nhills and nobody knows where."}},
		{"a line ends with a clause", "The river goes slowly, over the hills and under the bridge.", 60,
			[]string{"The river goes slowly,\nover the hills and under the bridge."}},
		{"a cue ends with a clause", "When the river goes slowly over the hills, nobody on the other side of it knows where the bridges are.", 50,
			[]string{"When the river goes slowly over the hills,", "nobody on the other side of it\nknows where the bridges are."}},
		{"six seconds", "one two three four five", 500, []string{"one two", "three four", "five"}},
		{"markup and signs", "a < b & c --> d <b>e</b>", 60, []string{"a < b & c --> d <b>e</b>"}},
		{"control characters", "It\x00 is\x1b late\u0085now", 60, []string{"It is late now"}},
		{"what holds together", "10\u00A0000\u202F€ und mehr", 60, []string{"10\u00A0000\u202F€ und mehr"}},
		{"Chinese", "今天天气很好，我们去公园散步，然后我们回家吃饭，看电视，睡觉，直到第二天早上太阳升起来的时候才起床。", 100,
			[]string{"今天天气很好，我们去公园散步，\n然后我们回家吃饭，看电视，睡觉，", "直到第二天早上太阳升起来的时候才起床。"}},
		{"no line begins with what ends one", strings.Repeat("天", 20) + "「天」天天天。", 50,
			[]string{"天天天天天天天天天天天天天\n天天天天天天天「天」天天天。"}},
		{"Arabic", "ذهبنا إلى السوق، ثم عدنا إلى البيت.", 60, []string{"ذهبنا إلى السوق، ثم عدنا إلى البيت."}},
		{"a word that is longer than a line", strings.Repeat("a", 50), 60, []string{strings.Repeat("a", 42) + "\n" + strings.Repeat("a", 8)}},
		{"marks stay on their letters", strings.Repeat("e\u0301", 43), 30, []string{strings.Repeat("e\u0301", 42) + "\ne\u0301"}},
		{"flags stay whole", strings.Repeat("🇮🇳", 23), 60, []string{strings.Repeat("🇮🇳", 21) + "\n" + strings.Repeat("🇮🇳", 2)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cues, _ := write(t, spoken(tt.text, tt.each))
			var got []string
			for _, c := range cues {
				got = append(got, c.text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("cues of %q (-want +got)\n%s", tt.text, diff)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	word := func(s string, start, end int) align.Alignment {
		a := align.Alignment{Begin: start, End: end}
		for i, r := range []rune(s) {
			a.Characters, a.Starts = append(a.Characters, string(r)), append(a.Starts, start+i*(end-start)/utf8.RuneCountInString(s))
		}
		return a
	}
	for _, tt := range []struct {
		name string
		of   []align.Alignment
		want string
	}{
		{"nothing", nil, "WEBVTT\n"},
		{"a short one stays as long as there is time", []align.Alignment{word("Yes.", 0, 300), word(" ", 300, 5000), word("No.", 5000, 5400)},
			"WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nYes.\n\n00:00:05.000 --> 00:00:05.400\nNo.\n"},
		{"until the next begins", []align.Alignment{word("Yes.", 0, 300), word(" ", 300, 1100), word("No.", 1100, 1500)},
			"WEBVTT\n\n00:00:00.000 --> 00:00:01.100\nYes.\n\n00:00:01.100 --> 00:00:01.500\nNo.\n"},
		{"no longer than six seconds", []align.Alignment{word("a", 0, 9000)}, "WEBVTT\n\n00:00:00.000 --> 00:00:06.000\na\n"},
		{"hours", []align.Alignment{word("Late.", 100*3600_000+61_007, 100*3600_000+63_500)}, "WEBVTT\n\n100:01:01.007 --> 100:01:03.500\nLate.\n"},
		{"what is not heard", []align.Alignment{word("Yes.", 0, 0)}, "WEBVTT\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got := write(t, tt.of...); got != tt.want {
				t.Errorf("captions %q, want %q", got, tt.want)
			}
		})
	}
}

// ink returns a text without what cues do not keep: white space and control
// characters.
func ink(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// lawful checks what holds of all captions of a text, whose audio ends at a time;
// steady says that every character of it is heard.
func lawful(t interface{ Errorf(string, ...any) }, cues []cue, text string, end int, steady bool) {
	last := 0
	var all strings.Builder
	for _, c := range cues {
		if c.start < last || c.end <= c.start || c.end > end || c.end-c.start > 6000 {
			t.Errorf("cue %q is from %d to %d ms, the one before ends at %d, the audio at %d", c.text, c.start, c.end, last, end)
		}
		last = c.end
		if n := strings.Count(c.text, "\n"); n > 1 {
			t.Errorf("cue %q has %d lines", c.text, n+1)
		}
		all.WriteString(ink(c.text))
	}
	if got, want := all.String(), ink(text); steady && got != want {
		t.Errorf("cues have %q, the text is %q", got, want)
	}
}

var pieces = []string{
	"It is late", ". ", "! ", ", ", "\n", "\n\n", " ", "we go", "-->", "<b>", "&amp;", "e\u0301", "नमस्ते", "। ", "今天", "。", "，", "「", "」", "👩‍👧", "🇮🇳", "مرحبا", "؟ ", "\r\n", "\x00", "\u00A0", "\u200F", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "क्त्क्त्क", strings.Repeat("\u0301", 600),
}

func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		steady := rapid.Bool().Draw(t, "steady")
		least := 0
		if steady {
			least = 1
		}
		most := rapid.SampledFrom([]int{1, 60, 800, 9000}).Draw(t, "most")
		var stretches []align.Alignment
		var a align.Alignment
		for _, r := range text {
			a.Characters, a.Starts = append(a.Characters, string(r)), append(a.Starts, a.End)
			a.End += rapid.IntRange(least, most).Draw(t, "lasts")
			if rapid.IntRange(0, 9).Draw(t, "frame") == 0 {
				stretches = append(stretches, a)
				a = align.Alignment{Begin: a.End, End: a.End}
			}
		}
		cues, _ := write(t, append(stretches, a)...)
		lawful(t, cues, text, a.End, steady)
	})
}

// TestMarksWithoutEnd: marks have no columns, and may last no time.
func TestMarksWithoutEnd(t *testing.T) {
	t.Parallel()
	marks := strings.Repeat("\u0301", 200_000)
	for _, each := range []int{0, 1} {
		cues, _ := write(t, spoken(marks, each))
		lawful(t, cues, marks, each*200_000, each > 0)
	}
}

func FuzzCaptions(f *testing.F) {
	f.Add("It is late. We <go> & 今天很好。--> नमस्ते", 60, 3)
	f.Add("\r\n\n\x00\u2028👩‍👧🇮🇳e\u0301\u0301", 0, 1)
	f.Fuzz(func(t *testing.T, text string, each, frame int) {
		if !utf8.ValidString(text) || each < 0 || each > 20_000 || frame < 1 || len(text) > 1<<14 {
			t.Skip("no speech has such times, and text is checked before")
		}
		whole := spoken(text, each)
		var stretches []align.Alignment
		for at := 0; at < len(whole.Starts); at += frame {
			to := min(len(whole.Starts), at+min(frame, len(whole.Starts)))
			end := whole.End
			if to < len(whole.Starts) {
				end = whole.Starts[to]
			}
			stretches = append(stretches, align.Alignment{Characters: whole.Characters[at:to], Starts: whole.Starts[at:to], Begin: whole.Starts[at], End: end})
		}
		cues, _ := write(t, stretches...)
		lawful(t, cues, text, whole.End, each > 0)
		if again, _ := write(t, whole); len(again) != len(cues) {
			t.Errorf("%d cues in frames of %d characters, %d in one", len(cues), frame, len(again))
		}
	})
}

// full is a writer without room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsStay(t *testing.T) {
	t.Parallel()
	w := caption.New(full{})
	_ = w.Add(spoken("It is late this evening. We are going home now.", 100)) // Close returns it again
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close = %v, want %v", err, errFull)
	}
}

package align

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/text"
)

// spans finds pieces in a text, each from the end of the one before on; one that
// is not there behind it is looked for from the start.
func spans(s string, pieces []string) []text.Span {
	var all []text.Span
	at := 0
	for _, p := range pieces {
		i := strings.Index(s[at:], p)
		if i < 0 {
			at, i = 0, strings.Index(s, p)
		}
		all = append(all, text.Span{Start: at + i, End: at + i + len(p)})
		if at += i + len(p); p == "" {
			all[len(all)-1].End = all[len(all)-1].Start
		}
	}
	return all
}

// shown writes characters with their times; those of one time stand together.
func shown(a Alignment) string {
	var b strings.Builder
	for i, c := range a.Characters {
		if i == 0 || a.Starts[i] != a.Starts[i-1] {
			fmt.Fprintf(&b, "%d:", a.Starts[i])
		}
		b.WriteString(c)
	}
	return fmt.Sprintf("%s|%d", b.String(), a.End)
}

// TestCharacters times texts whose words last 600 ms each.
func TestCharacters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, written, spoken string
		from, said            string // of each word, parted by bars
		wantWritten           string
		wantSpoken            string
	}{
		{"words", "One two.", "One two.", "One|two", "One|two",
			"0:O150:n300:e450: 600:t750:w900:o1050:.|1200", "0:O150:n300:e450: 600:t750:w900:o1050:.|1200"},
		{"money", "$5, ok", "five dollars, ok", "$5|$5|ok", "five|dollars|ok",
			"0:$300:5600:,900: 1200:o1500:k|1800", "0:f120:i240:v360:e480: 600:d666:o733:l800:l866:a933:r1000:s1066:,1133: 1200:o1500:k|1800"},
		{"date", "5/12 ✓", "May twelfth ✓", "5/12|5/12", "May|twelfth",
			"0:5200:/400:1600:2800: 1000:✓|1200", "0:M150:a300:y450: 600:t666:w733:e800:l866:f933:t1000:h1066: 1133:✓|1200"},
		{"overlapping", "1,234 x", "1,234 x", "1,|,2|234|x", "1,|,2|234|x",
			"0:1300:,600:2900:31200:41500: 1800:x|2400", "0:1300:,600:2900:31200:41500: 1800:x|2400"},
		{"moved", "in $5", "in 5 $", "in|5|$", "in|5|$",
			"0:i150:n300: 450:$600:5|1800", "0:i200:n400: 600:5900: 1200:$|1800"},
		{"within", "abcde f", "x y z f", "abcde|b|d|f", "x|y|z|f",
			"0:a300:b600:c900:d1200:e1500: 1800:f|2400", "0:x300: 600:y900: 1200:z1500: 1800:f|2400"},
		{"added", "ab", "x ab", "|ab", "x|ab",
			"0:a600:b|1200", "0:x300: 600:a900:b|1200"},
		{"markup", "a<i>!</i> 🎉🎉 b", "a! b", "a|b", "a|b",
			"0:a200:<i>!</i> 🎉🎉400: 600:b|1200", "0:a200:!400: 600:b|1200"},
		{"unmarked", "such as it", "such as it", "such|it", "such|it",
			"0:s85:u171:c257:h342: a428:s514: 600:i900:t|1200", "0:s85:u171:c257:h342: a428:s514: 600:i900:t|1200"},
		{"hindi", "की ₹५", "की पाँच रुपये", "की|₹५|₹५", "की|पाँच|रुपये",
			"0:क200:ी400: 600:₹1200:५|1800", "0:क200:ी400: 600:प720:ा840:ँ960:च1080: 1200:र1320:ु1440:प1560:य1680:े|1800"},
		{"inside a letter", "की क", "की क", "क|ी|क", "क|ी|क",
			"0:क400:ी800: 1200:क|1800", "0:क400:ी800: 1200:क|1800"},
		{"space before", "a. bc d", "a. bc d", "a| b|d", "a| |d",
			"0:a200:.400: 600:b800:c1000: 1200:d|1800", "0:a200:.400: 600:b800:c1000: 1200:d|1800"},
		{"back and forth", "ab cd ef", "ab cd ef", "ef|ab|e", "ab|cd|ef",
			"0:ab cd e900:f|1800", "0:a200:b400: 600:c800:d1000: 1200:e1500:f|1800"},
		{"tamil", "பை 5", "பை ஐந்து", "பை|5", "பை|ஐந்து",
			"0:ப200:ை400: 600:5|1200", "0:ப200:ை400: 600:ஐ720:ந840:்960:த1080:ு|1200"},
		{"arabic", "في ٥.", "في خمسة.", "في|٥", "في|خمسة",
			"0:ف200:ي400: 600:٥900:.|1200", "0:ف200:ي400: 600:خ720:م840:س960:ة1080:.|1200"},
		{"japanese", "3円、です。", "三円、です。", "3円|です", "三円|です",
			"0:3200:円400:、600:で800:す1000:。|1200", "0:三200:円400:、600:で800:す1000:。|1200"},
		{"chinese", "5元。", "五元。", "5|元", "五|元",
			"0:5600:元900:。|1200", "0:五600:元900:。|1200"},
		{"no words", " …", "", "", "", "0: 300:…|600", "|600"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line := NewLine(1000, 1)
			line.Open(tt.written, tt.spoken, 0)
			end := 600
			if tt.said != "" {
				from, said := spans(tt.written, strings.Split(tt.from, "|")), spans(tt.spoken, strings.Split(tt.said, "|"))
				for i := range said {
					line.Mark(Mark{Sample: 600 * i, Written: from[i], Spoken: said[i]})
				}
				end *= len(said)
			}
			line.Close(end)
			written, spoken := line.Cut(end)
			if got := shown(written); got != tt.wantWritten {
				t.Errorf("written is\n%s, want\n%s", got, tt.wantWritten)
			}
			if got := shown(spoken); got != tt.wantSpoken {
				t.Errorf("spoken is\n%s, want\n%s", got, tt.wantSpoken)
			}
		})
	}
}

// TestBounds cuts "$5 it" as it is spoken, "five dollars it", in frames of 300
// ms.
func TestBounds(t *testing.T) {
	t.Parallel()
	line := NewLine(1000, 1)
	at := 0
	var got []string
	drain := func() {
		for to := line.Bound(at + 300); to > at; to = line.Bound(at + 300) {
			w, s := line.Cut(to)
			got = append(got, shown(w)+" "+shown(s))
			at = to
		}
	}
	line.Open("$5 it", "five dollars it", 50)
	drain()
	line.Mark(Mark{Sample: 100, Written: text.Span{Start: 0, End: 2}, Spoken: text.Span{Start: 0, End: 4}})
	drain()
	line.Mark(Mark{Sample: 500, Written: text.Span{Start: 0, End: 2}, Spoken: text.Span{Start: 5, End: 12}})
	drain()
	got = append(got, "it")
	line.Mark(Mark{Sample: 1300, Written: text.Span{Start: 3, End: 5}, Spoken: text.Span{Start: 13, End: 15}})
	drain()
	got = append(got, "end")
	line.Close(1400)
	drain()
	want := []string{
		"|50 |50", "|100 |100", "it", // nothing is known of the words before
		"100:$|400 100:f180:i260:v340:e|400", // up to the limit, for $ is longer
		"400:5|700 400: 500:d600:o|700",      // 5, which begins at 500, is the first
		"700: |1000 700:l800:l900:a|1000",
		"|1300 1000:r1100:s1200: |1300", "end",
		"1300:i1350:t|1400 1300:i1350:t|1400",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}

// TestForcedCuts cuts while the end of a word is not known.
func TestForcedCuts(t *testing.T) {
	t.Parallel()
	line := NewLine(1000, 2)
	line.Open("$12 ok", "twelve dollars ok", 0)
	line.Mark(Mark{Sample: 200, Written: text.Span{Start: 0, End: 3}, Spoken: text.Span{Start: 0, End: 6}})
	var got []string
	cut := func(to int) {
		w, s := line.Cut(to)
		got = append(got, shown(w)+" "+shown(s))
	}
	cut(100)
	cut(400)
	cut(800)
	line.Mark(Mark{Sample: 1000, Written: text.Span{Start: 0, End: 3}, Spoken: text.Span{Start: 7, End: 14}})
	line.Mark(Mark{Sample: 2000, Written: text.Span{Start: 4, End: 6}, Spoken: text.Span{Start: 15, End: 17}})
	cut(2000)
	line.Close(3000)
	cut(3000)
	want := []string{
		"|50 |50", "50:$|200 50:t|200", "200:1|400 200:w|400",
		"400:2700: |1000 400:e420:l440:v460:e480: 500:d563:o625:l688:l750:a813:r875:s938: |1000",
		"1000:o1250:k|1500 1000:o1250:k|1500",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}

// TestWorkIsLinear times a text of 100,000 words, in frames as they come.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	const words = 100_000
	s := strings.Repeat("ab ", words)
	line := NewLine(22050, 1)
	line.Open(s, s, 0)
	at, told := 0, 0
	for i := range words {
		span := text.Span{Start: 3 * i, End: 3*i + 2}
		line.Mark(Mark{Sample: 5000 * i, Written: span, Spoken: span})
		if to := line.Bound(at + 8000); to > at {
			w, _ := line.Cut(to)
			told += len(w.Characters)
			at = to
		}
	}
	line.Close(5000 * words)
	w, _ := line.Cut(5000 * words)
	if told += len(w.Characters); told != len(s) {
		t.Errorf("told %d characters, want %d", told, len(s))
	}
}

func BenchmarkLine(b *testing.B) {
	s := strings.Repeat("word ", 20)
	for b.Loop() {
		line := NewLine(22050, 1)
		line.Open(s, s, 0)
		for i := range 20 {
			span := text.Span{Start: 5 * i, End: 5*i + 4}
			line.Mark(Mark{Sample: 5000 * i, Written: span, Spoken: span})
			line.Cut(line.Bound(5000 * i))
		}
		line.Close(100_000)
		line.Cut(100_000)
	}
}

// place is a mark whose words are the same bytes of both texts.
func place(sample, start, end int) Mark {
	s := text.Span{Start: start, End: end}
	return Mark{Sample: sample, Written: s, Spoken: s}
}

// TestOddMarks gives marks that no engine should give.
func TestOddMarks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		marks []Mark
		want  string
	}{
		{"inside characters", []Mark{place(0, 0, 3), place(400, 4, 5)}, "0:é200: 400:é700: b1000:.|1300"},
		{"outside the text", []Mark{place(0, -9, 2), place(400, 3, 99)}, "0:é200: 400:é625: 850:b1075:.|1300"},
		{"ends before it begins", []Mark{place(0, 3, 0), place(400, 3, 5)}, "0:é é433: b866:.|1300"},
		{"descending samples", []Mark{place(500, 0, 2), place(100, 3, 5), place(700, 6, 7)}, "0:é550: 600:é650: 700:b1000:.|1300"},
	} {
		line := NewLine(1000, 1)
		line.Open("é é b.", "é é b.", 0)
		for _, m := range tt.marks {
			line.Mark(m)
		}
		line.Close(1300)
		w, s := line.Cut(1300)
		if got := shown(w); got != tt.want {
			t.Errorf("%s: told %s, want %s", tt.name, got, tt.want)
		}
		if diff := cmp.Diff(w, s); diff != "" {
			t.Errorf("%s: written and spoken differ:\n%s", tt.name, diff)
		}
	}
}

// TestBoundWaits asks for a bound where the texts share none.
func TestBoundWaits(t *testing.T) {
	t.Parallel()
	line := NewLine(1000, 1)
	line.Open("a b", "c d", 0)
	first, second := text.Span{Start: 0, End: 1}, text.Span{Start: 2, End: 3}
	line.Mark(Mark{Sample: 0, Written: first, Spoken: first})
	line.Mark(Mark{Sample: 200, Written: second, Spoken: first})
	line.Mark(Mark{Sample: 300, Written: second, Spoken: second})
	if got := line.Bound(1000); got != 0 {
		t.Errorf("Bound(1000) = %d, want 0", got)
	}
	line.Close(400)
	if got := line.Bound(1000); got != 400 {
		t.Errorf("Bound(1000) of the whole = %d, want 400", got)
	}
}

// TestBoundKeepsLettersWhole asks where to cut a word of two letters, each with
// marks.
func TestBoundKeepsLettersWhole(t *testing.T) {
	t.Parallel()
	const s = "e\u0301\u0301e\u0301\u0301"
	line := NewLine(1000, 1)
	line.Open(s, s, 0)
	line.Mark(place(0, 0, len(s)))
	line.Close(600)
	if got := line.Bound(550); got != 300 {
		t.Errorf("Bound(550) = %d, want 300", got)
	}
}

// TestLateTexts opens and marks texts whose time was cut already.
func TestLateTexts(t *testing.T) {
	t.Parallel()
	line := NewLine(1000, 1)
	line.Cut(500)
	line.Open("ab", "ab", 100)
	line.Mark(place(200, 0, 2))
	line.Close(700)
	line.Open("c", "c", 300)
	w, _ := line.Cut(800)
	if got, want := shown(w), "500:a600:b|800"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	line.Mark(place(750, 0, 1))
	line.Close(600)
	w, _ = line.Cut(900)
	if got, want := shown(w), "800:c|900"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
}

// TestMethods reads an alignment in its other forms.
func TestMethods(t *testing.T) {
	t.Parallel()
	a := Alignment{Begin: 100, End: 130}
	a.Append(Alignment{Characters: []string{"a", "b"}, Starts: []int{130, 150}, Begin: 130, End: 1200})
	starts, durations := a.Relative()
	if diff := cmp.Diff([][]int{{30, 50}, {20, 1050}}, [][]int{starts, durations}); diff != "" {
		t.Errorf("Relative (-want +got):\n%s", diff)
	}
	from, to := a.Seconds()
	if diff := cmp.Diff([][]float64{{0.13, 0.15}, {0.15, 1.2}}, [][]float64{from, to}); diff != "" {
		t.Errorf("Seconds (-want +got):\n%s", diff)
	}
}

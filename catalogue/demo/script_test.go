package demo

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseScript(t *testing.T) {
	t.Parallel()
	lines, err := parseScript("# speaker\n\nA\t0\tturn\t one two \r\nB\t700\tbackchannel\tm\nB\t-200\tturn\tthree\nB\t300\tturn\tfour\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []line{
		{number: 3, text: "one two"}, {number: 4, speaker: second, backchannel: true, offset: 700, text: "m"},
		{number: 5, speaker: second, offset: -200, text: "three"}, {number: 6, speaker: second, offset: 300, text: "four"},
	}
	for i, l := range lines {
		if l != want[i] {
			t.Errorf("line %d = %+v, want %+v", i, l, want[i])
		}
	}
}

func TestParseScriptRefuses(t *testing.T) {
	t.Parallel()
	const begun = "A\t0\tturn\tone\n"
	for _, tt := range []struct{ script, says string }{
		{"", "no lines"},
		{"# A\t0\tturn\tone", "no lines"},
		{"A\t0\tturn", "line 1: there are 3 columns"},
		{"C\t0\tturn\tone", `the speaker is "C"`},
		{"A\t1.5\tturn\tone", `the offset is "1.5"`},
		{"A\t10001\tturn\tone", "from -10000 to 10000"},
		{"A\t0\tshout\tone", `the kind is "shout"`},
		{"A\t0\tturn\t ", "0 characters"},
		{"A\t0\tturn\t" + strings.Repeat("a", 501), "501 characters"},
		{"A\t-1\tturn\tone", "begins with a turn"},
		{"A\t0\tbackchannel\tone", "begins with a turn"},
		{begun + "A\t0\tbackchannel\tm", "line 2: a backchannel is said by the one"},
		{begun + "B\t-5\tbackchannel\tm", "before the turn"},
		{begun + "A\t200\tturn\ttwo", "a pause of 200 ms inside a turn is under 280"},
	} {
		if _, err := parseScript(tt.script); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("parseScript(%q) = %v, want %q", tt.script, err, tt.says)
		}
	}
}

// TestVary checks that who overlaps in a script still does at other times.
func TestVary(t *testing.T) {
	t.Parallel()
	for _, p := range plans() {
		lines, err := p.dialogue(0).lines()
		if err != nil {
			t.Fatal(err)
		}
		other := vary(lines, rand.New(rand.NewPCG(p.seed, 1)))
		for i, l := range other {
			if err := follows(other[:i], l); err != nil {
				t.Errorf("%s: line %d does not follow: %v", p.slug, l.number, err)
			}
			if (l.offset < 0) != (lines[i].offset < 0) || l.text != lines[i].text {
				t.Errorf("%s: line %d = %+v of %+v", p.slug, l.number, l, lines[i])
			}
		}
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add("A\t0\tturn\tone\nB\t-200\tturn\ttwo\nA\t3\tbackchannel\tm\n")
	f.Add("# x\n\nA\t0\tturn\t\xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := parseScript(text)
		if (err == nil) != (len(lines) > 0) {
			t.Fatalf("parseScript(%q) = %d lines and %v", text, len(lines), err)
		}
		for i, l := range vary(lines, rand.New(rand.NewPCG(1, 1))) {
			if err := follows(lines[:i], l); err != nil {
				t.Errorf("line %d of %q at another time: %v", l.number, text, err)
			}
		}
	})
}

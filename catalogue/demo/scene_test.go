package demo

import (
	"math"
	"strings"
	"testing"
)

// staged stages a script with tones.
func staged(t *testing.T, script string) (*scene, error) {
	t.Helper()
	lines, err := parseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	return stage(t.Context(), tones{440}, plans()[0].dialogue(0), lines)
}

const talk = "A\t0\tturn\tsomebody says something, and after that something longer still\n" +
	"B\t400\tbackchannel\tyes\n" +
	"B\t-300\tturn\tnonsense, another person answers\n"

func TestScene(t *testing.T) {
	t.Parallel()
	sc, err := staged(t, talk+
		"B\t500\tturn\tand goes on to talk\nA\t250\tturn\tthe first one ends this conversation\n")
	if err != nil {
		t.Fatal(err)
	}
	truth := sc.truth()
	if len(truth.Turns) != 3 || len(truth.Backchannels) != 1 {
		t.Fatalf("turns %v and backchannels %v, want 3 and 1", truth.Turns, truth.Backchannels)
	}
	for i, want := range []float64{-300, 250} {
		if got := truth.OffsetsMs[i]; math.Abs(got-want) > 0.1 {
			t.Errorf("offset %d = %.2f ms, want %.0f", i, got, want)
		}
	}
	heard := sc.speech(first)
	for _, u := range truth.IPUs[first] {
		if at := firstSound(heard, int((u.StartS-0.1)*rate)); math.Abs(at-u.StartS) > 0.006 {
			t.Errorf("a unit is heard at %.3f s, want %.3f", at, u.StartS)
		}
	}
	back, inside := truth.Backchannels[0], false
	for _, u := range truth.IPUs[first] {
		inside = inside || u.StartS < back.StartS-0.09 && back.EndS+0.09 < u.EndS
	}
	if !inside {
		t.Errorf("the backchannel %v lies in none of %v", back, truth.IPUs[first])
	}
	for _, w := range truth.Words {
		if math.Abs(w.StartS-w.MarkS) > 0.001 || w.EndS-w.StartS < 0.1 {
			t.Errorf("word %+v", w)
		}
	}
}

// firstSound returns when something is heard from a sample on, in seconds.
func firstSound(x []float64, from int) float64 {
	for i := from; i < len(x); i++ {
		if math.Abs(x[i]) > 0.01 {
			return seconds(i)
		}
	}
	return math.Inf(1)
}

func TestSceneRefuses(t *testing.T) {
	t.Parallel()
	const begun = "A\t0\tturn\tsomebody says something\n"
	for _, tt := range []struct{ name, script, says string }{
		{"a long backchannel", begun + "B\t100\tbackchannel\tthat is much longer\n", "at most 0.9 can be told"},
		{"no room", "A\t0\tturn\tone\nB\t100\tbackchannel\tyes\nA\t2000\tturn\tsomething more to say\n", "no part of the turn before it has room"},
		{"wholly inside", begun + "B\t-1000\tturn\tyes\nA\t300\tturn\tsomething more to say\n", "wholly in the turn before"},
		{"over all", begun + "B\t-9000\tturn\tsomething more to say\n", "goes over the whole turn"},
		{"short and alone", begun + "B\t300\tturn\tyes\nA\t300\tturn\tsomething more to say\n", "needs more words"},
	} {
		if _, err := staged(t, tt.script); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestTruth(t *testing.T) {
	t.Parallel()
	truth := Truth{IPUs: [2][]Interval{{{0, 2}, {5, 6}}, {{1, 3}}}}
	if got, want := truth.OverlapRatio(), 0.25; got != want {
		t.Errorf("OverlapRatio() = %v, want %v", got, want)
	}
	if got, want := truth.SpeechShare(), [2]float64{0.6, 0.4}; got != want {
		t.Errorf("SpeechShare() = %v, want %v", got, want)
	}
	if got := (Truth{}).OverlapRatio(); got != 0 {
		t.Errorf("OverlapRatio() of nothing = %v", got)
	}
}

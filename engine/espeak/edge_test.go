package espeak

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/voice"
)

// middle is an utterance with much around it.
func middle(edge int) engine.Utterance {
	u := in("en", "Nobody had lived there for years, and one evening")
	u.Before = "The old lighthouse stood on a rock."
	u.After = "a light appeared"
	u.Edge = edge
	return u
}

// TestEdgesAreThoseOfTheWhole compares what lies beside a text with what is heard
// when it is part of the text.
func TestEdgesAreThoseOfTheWhole(t *testing.T) {
	e := open(t, 0)
	u := middle(3000)
	got := enginetest.Speak(t, e, u)
	whole := in("en", u.Before+" "+u.Text+" "+u.After)
	whole.Text += sequel(u.After)
	want := enginetest.Speak(t, e, whole).PCM
	if len(got.Lead) != u.Edge || len(got.Trail) != u.Edge {
		t.Fatalf("edges of %d and %d samples, want %d", len(got.Lead), len(got.Trail), u.Edge)
	}
	all := slices.Concat(got.Lead, got.PCM, got.Trail)
	for at := range len(want) - len(all) {
		if want[at] == all[0] && slices.Equal(all, want[at:at+len(all)]) {
			return
		}
	}
	t.Errorf("%d samples of context, text and lookahead are not among the %d of the whole", len(all), len(want))
}

// TestLostChildBesideTheText ends a child while it speaks what is not heard, or
// what is: the utterance goes on where it stopped.
func TestLostChildBesideTheText(t *testing.T) {
	const edge = 9000
	e := open(t, 0)
	want := enginetest.Speak(t, e, middle(edge))
	var pid int
	for _, part := range []string{"context", "lead", "body", "trail"} {
		hits := 0
		hit := func() error {
			hits++
			return syscall.Kill(pid, syscall.SIGKILL)
		}
		e.onChild = func(p int) {
			if pid = p; part == "context" && hits == 0 {
				_ = hit() // it fails when the child has spoken to the end
			}
		}
		var got enginetest.Speech
		err := e.Synthesize(t.Context(), middle(edge), engine.SinkFunc(func(f engine.Frame) error {
			if err := got.Frame(f); err != nil || hits > 0 {
				return err
			}
			if part == "lead" && len(got.Lead) > 0 || part == "body" && len(got.PCM) > len(want.PCM)/2 || part == "trail" && len(got.Trail) > 0 {
				return hit()
			}
			return nil
		}))
		if err != nil || hits == 0 {
			t.Fatalf("%s: Synthesize = %v after %d signals", part, err, hits)
		}
		if !got.Equal(want) || !slices.Equal(got.Lead, want.Lead) || !slices.Equal(got.Trail, want.Trail) {
			t.Errorf("%s: %d, %d and %d samples, want the same %d, %d and %d", part,
				len(got.Lead), len(got.PCM), len(got.Trail), len(want.Lead), len(want.PCM), len(want.Trail))
		}
	}
}

// TestCrashBesideTheText has the library give up over the context, or over the
// lookahead; the text is heard, and nothing else.
func TestCrashBesideTheText(t *testing.T) {
	e := open(t, 0)
	most := 2 * len(enginetest.Speak(t, e, in("en", "seven ships")).PCM)
	for _, u := range []engine.Utterance{{Before: killer, After: "left"}, {Before: "Once", After: killer}} {
		u.Text, u.Language, u.Voice, u.Edge = "seven ships", "en", voice.Default("en"), 400
		s := enginetest.Speak(t, e, u)
		if len(s.PCM) == 0 || len(s.PCM) > most || len(s.Lead) != u.Edge || len(s.Trail) != u.Edge {
			t.Errorf("%d samples between %d and %d, want up to %d between %d", len(s.PCM), len(s.Lead), len(s.Trail), most, u.Edge)
		}
	}
	if crashes, leftOut := e.Crashes(); crashes == 0 || leftOut != 0 {
		t.Errorf("%d crashes, %d pieces left out; want some and none", crashes, leftOut)
	}
}

// asking counts how often it is asked for room.
type asking struct {
	enginetest.Speech
	early int // times before the first frame
}

func (a *asking) Room(context.Context) (int, bool, error) {
	if len(a.Lead)+len(a.PCM) == 0 {
		a.early++
	}
	return 4096, false, nil
}

func TestContextWaitsForNoRoom(t *testing.T) {
	u := middle(100)
	u.Before = strings.Repeat(u.Before+" ", 10)
	var sink asking
	if err := open(t, 0).Synthesize(t.Context(), u, &sink); err != nil {
		t.Fatal(err)
	}
	if sink.early != 1 || len(sink.PCM) == 0 {
		t.Errorf("room was asked for %d times before %d samples came, want once before some", sink.early, len(sink.PCM))
	}
}

// wordAt is a word frame of one word.
func wordAt(position, length, sample int) frame {
	return frame{kind: frameWords, words: []wireWord{{position, length, sample}}}
}

// sound is an audio frame whose samples count from a number.
func sound(from, n int) frame {
	f := frame{kind: frameAudio, pcm: make([]int16, n)}
	for i := range f.pcm {
		f.pcm[i] = int16(from + i)
	}
	return f
}

// TestOutputWithoutWords takes from a child what has no words where they are
// needed.
func TestOutputWithoutWords(t *testing.T) {
	for _, tt := range []struct {
		name              string
		before, after     string
		frames            []frame
		lead, body, trail int
	}{
		{"none after the text", "a", "c", []frame{sound(0, 100), wordAt(2, 1, 100), sound(100, 100)}, 30, 100, 0},
		{"none in the text", "a", "c", []frame{wordAt(0, 1, 0), sound(0, 100), wordAt(4, 1, 100), sound(100, 100)}, 0, 0, 30},
		{"none at all", "a", "c", []frame{sound(0, 100), sound(100, 100)}, 0, 0, 0},
		{"none, and no context", "", "c", []frame{sound(0, 100), sound(100, 100)}, 0, 200, 0},
		{"one that comes late", "a", "c", []frame{sound(0, 100), wordAt(2, 1, 50), sound(100, 100), wordAt(4, 1, 200), sound(200, 100)}, 30, 100, 30},
		{"only of the sequel", "a", "c", []frame{sound(0, 100), wordAt(2, 1, 100), sound(100, 100), wordAt(6, 1, 200), sound(200, 20)}, 30, 100, 20},
	} {
		var got enginetest.Speech
		u := in("en", "b")
		u.Before, u.After, u.Edge = tt.before, tt.after, 30
		o := newOutput(u, engine.SinkFunc(got.Frame))
		for _, f := range tt.frames {
			if err := o.frame(f, piece{}, 0); err != nil && err != errAllSent {
				t.Errorf("%s: take = %v", tt.name, err)
			}
		}
		if err := o.finish(); err != nil {
			t.Errorf("%s: finish = %v", tt.name, err)
		}
		if len(got.Lead) != tt.lead || len(got.PCM) != tt.body || len(got.Trail) != tt.trail {
			t.Errorf("%s: %d, %d and %d samples, want %d, %d and %d", tt.name,
				len(got.Lead), len(got.PCM), len(got.Trail), tt.lead, tt.body, tt.trail)
		}
	}
}

// TestTail: the tail of a sound is its last samples, however it went by and
// however often.
func TestTail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := sound(0, 200).pcm
		n := rapid.IntRange(1, 60).Draw(t, "n")
		var k leadBuffer
		at, most := 0, 0
		for range rapid.IntRange(0, 10).Draw(t, "frames") {
			if rapid.IntRange(0, 5).Draw(t, "again") == 0 {
				at = 0 // another child
			}
			to := at + rapid.IntRange(0, len(whole)-at).Draw(t, "samples")
			k.add(whole[at:to], at, n)
			at, most = to, max(most, to)
		}
		if want := whole[max(0, most-n):most]; !slices.Equal(k.pcm, want) {
			t.Fatalf("the last %d of %d samples are %v, want %v", n, most, k.pcm, want)
		}
	})
}

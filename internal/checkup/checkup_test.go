package checkup

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRunGoesOn(t *testing.T) {
	t.Parallel()
	one := func(f Finding) func(context.Context) Finding { return func(context.Context) Finding { return f } }
	var told []string
	r := Run(t.Context(), []Check{
		{Name: "good", Run: one(Good("all %d", 3))},
		{Name: "bad", Run: one(Fail("Mend it.", "broken"))},
		{Name: "panic", Run: func(context.Context) Finding { panic("ouch") }},
		{Name: "skip", Run: one(Skip("no engine"))},
		{Name: "warn", Run: one(Warn("Look.", "odd"))},
	}, func(r Result) { told = append(told, r.Name) })
	if want := []string{"good", "bad", "panic", "skip", "warn"}; !cmp.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if want := map[State]int{OK: 1, Failure: 2, Skipped: 1, Warning: 1}; !cmp.Equal(r.Counts, want) {
		t.Errorf("counts %v, want %v", r.Counts, want)
	}
	if got := r.Results[2]; got.State != Failure || !strings.Contains(got.Found, "ouch") {
		t.Errorf("a check that panics gives %+v", got)
	}
	if got := r.Results[0]; got.Found != "all 3" || got.Remedy != "" {
		t.Errorf("a good check gives %+v", got)
	}
}

// TestRunLeavesBehindWhatHangs has a check that does not look at its context.
func TestRunLeavesBehindWhatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		began := time.Now()
		r := Run(t.Context(), []Check{
			{Name: "hangs", Limit: 2 * time.Second, Run: func(context.Context) Finding { <-release; return Good("late") }},
			{Name: "default", Run: func(context.Context) Finding { <-release; return Good("late") }},
			{Name: "after", Run: func(context.Context) Finding { return Good("fine") }},
		}, nil)
		if took := time.Since(began); took != 2*time.Second+DefaultLimit {
			t.Errorf("took %v, want the two limits", took)
		}
		for i, want := range []State{Failure, Failure, OK} {
			if got := r.Results[i]; got.State != want {
				t.Errorf("%s is %s, want %s", got.Name, got.State, want)
			}
		}
		if !strings.Contains(r.Results[0].Found, "2s") {
			t.Errorf("found %q, want how long it took", r.Results[0].Found)
		}
		close(release)
		synctest.Wait() // what was left behind ends
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	r := Run(ctx, []Check{
		{Name: "first", Run: func(context.Context) Finding { cancel(); return Good("first") }},
		{Name: "second", Run: func(context.Context) Finding { ran = true; return Good("second") }},
	}, nil)
	if ran || len(r.Results) != 2 || r.Results[0].State != OK || r.Results[1].State != Skipped {
		t.Errorf("after the end: ran %v, %+v; want what did not run to be skipped", ran, r.Results)
	}
}

// TestRunInterrupted: what a check says that was interrupted is no diagnosis, and so is
// its silence. A deadline is one.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for _, tt := range []struct {
		name string
		does func(context.Context) Finding
	}{
		{"blames its context", func(ctx context.Context) Finding { <-ctx.Done(); return Fail("F.", "%v", ctx.Err()) }},
		{"warns", func(ctx context.Context) Finding { <-ctx.Done(); return Warn("W.", "too slow") }},
		{"hangs", func(context.Context) Finding { <-release; return Good("late") }},
	} {
		for _, interrupted := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, interrupted %v", tt.name, interrupted), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				defer cancel()
				if interrupted {
					ctx, cancel = context.WithCancel(t.Context())
					defer cancel()
				}
				r := Run(ctx, []Check{{Name: "slow", Limit: time.Minute, Run: func(ctx context.Context) Finding {
					if interrupted {
						cancel()
					}
					return tt.does(ctx)
				}}}, nil).Results[0]
				if skipped := r.State == Skipped; skipped != interrupted || skipped && (r.Found != "it was interrupted" || r.Remedy != "") {
					t.Errorf("it gives %+v", r)
				}
			})
		}
	}
}

func TestFindingsHaveOneLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"plain", "plain"},
		{"a  file: two spaces", "a  file: two spaces"},
		{"failed to connect:\n\t[::1]:1: refused\n\t127.0.0.1:1: refused\n\t127.0.0.1:1: refused", "failed to connect: [::1]:1: refused; 127.0.0.1:1: refused"},
		{"no data\r\n\n  no data\ninstall it\n", "no data; install it"},
		{"no start: EOF: no data\nno data\nno", "no start: EOF: no data; no"},
		{"\n", ""},
	} {
		for _, f := range []Finding{Good("%s", tt.text), Warn("W.", "%s", tt.text), Fail("F.", "%s", tt.text), Skip("%s", tt.text)} {
			if f.Found != tt.want {
				t.Errorf("%s of %q found %q, want %q", f.State, tt.text, f.Found, tt.want)
			}
		}
	}
}

func TestWorst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		of   []Finding
		want Finding
	}{
		{"none", nil, Finding{}},
		{"all good", []Finding{Good("a"), Good("b")}, Good("a; b")},
		{"good is left out", []Finding{Good("a"), Warn("W.", "b")}, Warn("W.", "b")},
		{"the worst mends", []Finding{Warn("W.", "a"), Fail("F.", "b"), Fail("G.", "c"), Good("d")}, Fail("F.", "a; b; c")},
		{"skipped", []Finding{Good("a"), Skip("b")}, Skip("b")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Worst(tt.of...); !cmp.Equal(got, tt.want) {
				t.Errorf("Worst = %+v, want %+v", got, tt.want)
			}
		})
	}
}

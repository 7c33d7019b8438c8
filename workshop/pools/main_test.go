package main

import (
	"os"
	"runtime"
	"testing"
	"time"

	"vaak/workshop/pools/region"
)

// TestBounds runs all scenarios in a small region, whose members are as loaded as those of the
// whole one, and asserts what docs/scale.md promises.
func TestBounds(t *testing.T) {
	t.Parallel()
	small := region.Size{Replicas: 3, Members: 40, Streams: 2000}
	for i, f := range run(scenarios, small, seed) {
		name, all := scenarios[i].name, scenarios[i].name == "all are killed for 5 s"
		if f.Requests < 20_000 || f.Streams < 3000 {
			t.Errorf("%s: %d requests, %d streams: the region is not at work", name, f.Requests, f.Streams)
		}
		if f.Unbegun > 0 && !all {
			t.Errorf("%s: %d streams failed before they had begun", name, f.Unbegun)
		}
		if f.Wrong > 0 {
			t.Errorf("%s: %d of %d ejections were of members that were well", name, f.Wrong, f.Ejections)
		}
		if f.Even > 5*time.Second {
			t.Errorf("%s: the load was even %v after the members were back", name, f.Even)
		}
		if all {
			continue
		}
		if worst := f.Streams / 1000; f.Failed > worst {
			t.Errorf("%s: %d of %d streams failed, want %d at most", name, f.Failed, f.Streams, worst)
		}
		if worst := f.Streams / 20; f.Cut+f.Dry > worst {
			t.Errorf("%s: %d streams lost a part and %d waited, of %d", name, f.Cut, f.Dry, f.Streams)
		}
		if p99 := f.Quantile(0.99); p99 > 1500*time.Millisecond {
			t.Errorf("%s: first audio p99 %v", name, p99)
		}
	}
}

// TestSameSeed: the figures are those of the seed.
func TestSameSeed(t *testing.T) {
	t.Parallel()
	small, one := region.Size{Replicas: 2, Members: 10, Streams: 200}, scenarios[1:2]
	first, again, other := table(one, run(one, small, 1)), table(one, run(one, small, 1)), table(one, run(one, small, 2))
	if first != again {
		t.Errorf("two runs differ:\n%s%s", first, again)
	}
	if first == other {
		t.Errorf("another seed makes no difference:\n%s", first)
	}
}

// TestPageIsCurrent compares the tables in docs/scale.md with what is computed now.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../" + page)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want func() string
	}{
		{"sizes", sizes},
		{"simulation", func() string { return table(scenarios, run(scenarios, region.Whole, seed)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got, _, err := between(string(data), tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() && tt.name == "simulation" {
				t.Skip("it takes half a minute of processor time")
			}
			if runtime.GOARCH != "amd64" {
				t.Skip("floating point differs in its last digits")
			}
			if want := tt.want(); got != want {
				t.Errorf("%s is not what is computed: run `make pools-write`. It is now\n%s", page, want)
			}
		})
	}
}

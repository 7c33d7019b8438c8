package jobs

import "testing"

// An engine without a handler of a lane leaves its jobs to one that has it.
func TestLaneIsLeftToItsEngines(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, open func(*testing.T) *fixture) {
		plain := open(t).migrated(t)
		var other, heavy tally
		plain.start(t, Config{Handlers: []Handler{other.handler("kk"), other.handler("heavy")}})
		plain.insert(t, Job{Kind: "heavy", Args: number{1}, Lane: "heavy"}, Job{Kind: "kk", Args: number{2}})
		await(t, "the job without a lane", func() bool { _, n := other.sums(); return n == 1 })

		h := heavy.handler("heavy")
		h.Lane, h.AtOnce = "heavy", 2
		open(t).start(t, Config{Handlers: []Handler{h}})
		await(t, "the job of the lane", func() bool { _, n := heavy.sums(); return n == 1 })
		if _, n := other.sums(); n != 1 {
			t.Errorf("the engine without the lane worked %d jobs, want 1", n)
		}
	})
}

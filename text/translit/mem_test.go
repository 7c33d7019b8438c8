package translit

import (
	"runtime"
	"testing"

	"vaak/lang"
)

// TestResident bounds what the tables keep in memory. It runs alone, before any
// parallel test, and its figure is only right where it is the first to read them.
func TestResident(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	Label([]string{"namaste", "dost"}, lang.Tag{})
	used := heap() - before
	t.Logf("%d kB", used>>10)
	if used > 5<<20 {
		t.Errorf("tables take %d bytes, want 5 MiB at most", used)
	}
}

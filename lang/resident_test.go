package lang_test

import (
	"runtime"
	"testing"

	"vaak/lang"
)

// What detection and hints keep in memory stays small: the table of grams is
// read where it lies in the program.
func TestResident(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 100 {
		lang.Detect("Où est la gare ? शाळा कुठे आहे")
		if _, err := lang.Resolve("Deutsch"); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 3<<20 {
		t.Errorf("detection keeps %d bytes, want at most 3 MiB", kept)
	} else {
		t.Logf("keeps %d bytes", kept)
	}
}

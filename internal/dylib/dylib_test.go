package dylib

import (
	"math"
	"strings"
	"sync"
	"testing"
)

func TestBind(t *testing.T) {
	t.Parallel()
	lib, err := Open("libthere-is-none.so.7", "libm.so.6")
	if err != nil {
		t.Fatal(err)
	}
	var cos func(float64) float64
	if err := lib.Bind(&cos, "cos"); err != nil {
		t.Fatal(err)
	}
	if got := cos(1); math.Abs(got-math.Cos(1)) > 1e-15 {
		t.Errorf("cos(1) = %v, want %v", got, math.Cos(1))
	}
	if err := lib.Bind(&cos, "no_such_function"); err == nil || !strings.Contains(err.Error(), "no_such_function") {
		t.Errorf("Bind of a function that is not there: %v, want its name", err)
	}
}

// TestOpenMissing asks from many goroutines at once: what is wrong is kept for
// each thread, and a goroutine that changed its thread would lose it.
func TestOpenMissing(t *testing.T) {
	t.Parallel()
	names := []string{"libthere-is-none.so.7", "libnor-this.so"}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 500 {
				_, err := Open(names...)
				if err == nil || !strings.Contains(err.Error(), names[0]) || !strings.Contains(err.Error(), names[1]) {
					t.Errorf("Open = %v, want an error that names %q", err, names)
					return
				}
			}
		})
	}
	group.Wait()
}

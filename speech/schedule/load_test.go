package schedule

import (
	"runtime"
	"testing"

	"vaak/internal/fault"
)

// TestLoad: streams whose cost is known are admitted as long as the processors carry them.
func TestLoad(t *testing.T) {
	t.Parallel()
	const load = 0.1
	most := int(usableLoad*float64(runtime.GOMAXPROCS(0))/load + tinyLoad)
	s := New(Config{})
	var all []*Stream
	for range most {
		st, err := s.AdmitLoad(Live, load)
		if err != nil {
			t.Fatalf("stream %d of %d is refused: %v", len(all)+1, most, err)
		}
		all = append(all, st)
	}
	if _, err := s.AdmitLoad(Live, load); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("one more is admitted, error %v", err)
	}
	// What is made before it is sent waits for the others and takes nothing from them.
	if whole, err := s.AdmitLoad(Whole, load); err != nil {
		t.Errorf("a whole stream: %v", err)
	} else {
		whole.End()
	}
	// A paused stream takes nothing, and is never refused when it goes on.
	all[0].Pause()
	other, err := s.AdmitLoad(Live, load)
	if err != nil {
		t.Fatalf("beside a paused one: %v", err)
	}
	all[0].Resume()
	other.End()
	for _, st := range all {
		st.End()
	}
	if s.load > tinyLoad || s.load < -tinyLoad {
		t.Errorf("a load of %g is left", s.load)
	}
	// Alone even a stream that is too dear is admitted: nobody else is harmed.
	dear, err := s.AdmitLoad(Live, 100)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AdmitLoad(Live, load); err == nil {
		t.Error("another one beside it is admitted")
	}
	dear.End()
}

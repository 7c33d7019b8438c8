package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"vaak/internal/fault"
)

// TestJoin joins errors and gets them back, also from within other errors.
func TestJoin(t *testing.T) {
	t.Parallel()
	a, b := fault.BadParameter("a", "a is wrong"), fault.New(fault.NotFound, fault.CodeNotFound, "b", "b is gone")
	if err := fault.Join(); err != nil || fault.All(err) != nil {
		t.Errorf("Join of nothing = %v, want nil", err)
	}
	if err := fault.Join(a); err != error(a) {
		t.Errorf("Join of one error = %v, want that error", err)
	}
	both := fmt.Errorf("check: %w", fault.Join(a, b))
	if all := fault.All(both); len(all) != 2 || all[0] != a || all[1] != b {
		t.Errorf("All = %v, want both in order", all)
	}
	if first, ok := errors.AsType[*fault.Error](both); !ok || first != a {
		t.Errorf("the first error = %v, want %v", first, a)
	}
	if got := both.Error(); got != "check: a is wrong; b is gone" {
		t.Errorf("text = %q", got)
	}
	if fault.KindOf(both) != fault.Invalid || !errors.Is(both, b) {
		t.Errorf("kind = %q, want that of the first, and both to be found", fault.KindOf(both))
	}
	if fault.All(errors.New("other")) != nil {
		t.Error("All finds errors where there are none")
	}
}

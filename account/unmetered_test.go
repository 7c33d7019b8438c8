package account_test

import (
	"testing"
	"time"

	"vaak/account"
	"vaak/internal/fault"
)

func TestUnmetered(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	h, err := account.Unmetered{}.Reserve(ctx, account.Local, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Commit(ctx, account.Receipt{Characters: 10, Audio: time.Second}); err != nil {
		t.Errorf("Commit: %v", err)
	}
	h.Cancel()
	if _, err := (account.Unmetered{}).Reserve(ctx, caller, 10); fault.KindOf(err) != fault.Internal {
		t.Errorf("Reserve for a caller with a key = %v, want an internal error", err)
	}
}

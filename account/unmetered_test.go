package account_test

import (
	"testing"
	"time"

	"vaak/account"
	"vaak/account/ledger"
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
	if _, err := (account.Unmetered{}).Reserve(ctx, account.Caller{OrgID: "org_aaaaaaaaaaaaaaaa", KeyID: "key_aaaaaaaaaaaaaaaa"}, 10); fault.KindOf(err) != fault.Internal {
		t.Errorf("Reserve for a caller with a key = %v, want an internal error", err)
	}
}

func TestUnmeteredRunsWithoutBounds(t *testing.T) {
	t.Parallel()
	slot, err := account.Unmetered{}.Admit(t.Context(), account.Local)
	if err != nil || slot.Allowance.Streams != ledger.Unlimited {
		t.Errorf("Admit(Local) = %+v, %v; want a slot without a limit", slot, err)
	}
	slot.Release()
	slot.Release()
	if _, err := (account.Unmetered{}).Admit(t.Context(), account.Caller{OrgID: "org_a", KeyID: "key_a"}); err == nil {
		t.Error("Admit of another caller succeeds")
	}
	ctx, stop := account.Unmetered{}.Session(t.Context(), account.Local)
	stop()
	if ctx.Err() != nil {
		t.Errorf("the session of Local ended: %v", ctx.Err())
	}
}

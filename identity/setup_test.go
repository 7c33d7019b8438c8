package identity_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/identity"
	"vaak/internal/fault"
)

func TestSetUp(t *testing.T) {
	t.Parallel()
	w, ctx := newWorld(t), t.Context()
	if there, err := w.IsSetUp(ctx); there || err != nil {
		t.Errorf("IsSetUp = %v, %v before anybody is there", there, err)
	}
	token, err := w.SetupToken(ctx)
	must(t, "SetupToken", err)
	if again, err := w.another(t, 1).SetupToken(ctx); again != token || err != nil || len(token) != 43 {
		t.Errorf("SetupToken = %q, then %q, %v; want one of 43 characters", token, again, err)
	}
	if info, err := os.Stat(w.file); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of the file = %v, %v; want 0600", info.Mode(), err)
	}
	d := identity.Draft{Email: "Owner@Example.org", Name: " Owner ", Password: good, Role: identity.Member, OrgID: "ignored"}
	for _, wrong := range []string{"", "x", token[:42], token + "x", strings.ToUpper(token)} {
		_, err := w.SetUp(ctx, client(1), wrong, d)
		want(t, "SetUp with a wrong token", err, fault.Unauthenticated, identity.CodeSetupTokenInvalid)
	}
	for field, bad := range map[string]identity.Draft{
		"email": {Email: "no address", Name: "Owner", Password: good}, "name": {Email: d.Email, Name: " ", Password: good},
		"password": {Email: d.Email, Name: "Owner", Password: "short"},
	} {
		_, err := w.SetUp(ctx, client(1), token, bad)
		if e, _ := errors.AsType[*fault.Error](err); e == nil || e.Field != field || e.Kind != fault.Invalid {
			t.Errorf("SetUp with a bad %s: %v", field, err)
		}
	}
	p, err := w.SetUp(ctx, client(1), token, d)
	must(t, "SetUp", err)
	if p.Email != "owner@example.org" || p.Name != "Owner" || !p.Operates() || p.OrgID != "" || !p.Ready() || !p.Active() || p.Created.Nanosecond()%1000 != 0 {
		t.Errorf("the first person is %+v", p)
	}
	w.wantEvents(t, "setup setup_token_invalid", "setup done")
	if _, err := os.Stat(w.file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the setup file is still there (%v)", err)
	}
	for _, s := range []*identity.Service{w.Service, w.another(t, 1)} {
		_, err = s.SetUp(ctx, client(1), token, d)
		want(t, "SetUp again", err, fault.Conflict, identity.CodeAlreadySetUp)
		if again, err := s.SetupToken(ctx); again != "" || err != nil {
			t.Errorf("SetupToken of a console that is set up = %q, %v", again, err)
		}
		if there, err := s.IsSetUp(ctx); !there || err != nil {
			t.Errorf("IsSetUp = %v, %v", there, err)
		}
	}
	w.store.Fail(errors.New("away"))
	if there, err := w.IsSetUp(ctx); !there || err != nil {
		t.Errorf("IsSetUp without a store = %v, %v; want what is known", there, err)
	}
	w.store.Fail(nil)
	w.signIn(t, client(9), "owner@example.org")
}

// TestSetUpAtOnce checks that of many concurrent calls with the token, in two processes, one sets
// up the console.
func TestSetUpAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	services := []*identity.Service{w.Service, w.another(t, 1)}
	token, err := w.SetupToken(t.Context())
	must(t, "SetupToken", err)
	var done atomic.Int64
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			_, err := services[n%2].SetUp(t.Context(), client(n), token, identity.Draft{Email: "a@example.org", Name: "A", Password: good})
			switch {
			case err == nil:
				done.Add(1)
			case fault.KindOf(err) != fault.Conflict && fault.KindOf(err) != fault.Unauthenticated: // the file is gone
				t.Error(err)
			}
		})
	}
	all.Wait()
	people, err := w.People(t.Context())
	if done.Load() != 1 || len(people) != 1 || err != nil {
		t.Errorf("%d set it up and there are %d people (%v), want one", done.Load(), len(people), err)
	}
}

// TestSetUpGuessed checks that wrong tokens are limited by client, and do not affect other clients.
func TestSetUpGuessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, err := w.SetupToken(t.Context())
	must(t, "SetupToken", err)
	d := identity.Draft{Email: "a@example.org", Name: "A", Password: good}
	for range 20 {
		_, err := w.SetUp(t.Context(), client(1), "wrong", d)
		want(t, "SetUp", err, fault.Unauthenticated, identity.CodeSetupTokenInvalid)
	}
	_, err = w.SetUp(t.Context(), client(1), token, d)
	limited(t, "the 21st SetUp", err, 61*time.Second)
	limited(t, "a sign-in of the same client", w.guess(t, client(1), "a@example.org"), 61*time.Second)
	_, err = w.SetUp(t.Context(), client(2), token, d)
	must(t, "SetUp of another client", err)
}

// TestSetupFile checks that a file is replaced when it holds no token or others may read it.
func TestSetupFile(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"cut":             func(path string) error { return os.WriteFile(path, []byte("abc\n"), 0o600) },
		"empty":           func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"long":            func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("a", 1<<20)), 0o600) },
		"read by others":  func(path string) error { return os.Chmod(path, 0o644) },
		"read by a group": func(path string) error { return os.Chmod(path, 0o640) },
		"gone":            os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first, err := w.SetupToken(t.Context())
			must(t, "SetupToken", err)
			must(t, "spoil", spoil(w.file))
			_, err = w.SetUp(t.Context(), client(1), first, identity.Draft{})
			want(t, "SetUp with the token of before", err, fault.Unauthenticated, identity.CodeSetupTokenInvalid)
			_, err = w.SetUp(t.Context(), client(1), "", identity.Draft{})
			want(t, "SetUp without token", err, fault.Unauthenticated, identity.CodeSetupTokenInvalid)
			second, err := w.SetupToken(t.Context())
			must(t, "SetupToken", err)
			info, err := os.Stat(w.file)
			if must(t, "Stat", err); second == first || len(second) != 43 || info.Mode() != 0o600 {
				t.Errorf("SetupToken = %q after %q, mode %v", second, first, info.Mode())
			}
		})
	}
	w := newWorld(t)
	must(t, "Mkdir", os.MkdirAll(w.file+"/in", 0o700))
	if token, err := w.SetupToken(t.Context()); err == nil {
		t.Errorf("SetupToken where a directory is = %q", token)
	}
}

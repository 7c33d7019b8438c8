package storetest

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/token"
)

// OpenedTokens are the single-use tokens of one store under test, empty and migrated.
type OpenedTokens struct {
	Tokens token.Store
	// Organisations are those that tokens may belong to.
	Organisations account.OrganisationStore
	// Again opens the same data a second time, as another process would. The cleanup of the
	// test closes it. Nil for a store that only one process may open.
	Again func(t *testing.T) token.Store
	// Close closes the store of Tokens, but no store that Again returned.
	Close func() error
}

// RunTokens runs the suite of single-use tokens. Each test calls open once for a store of its
// own, in which there are organisations 1 and 2.
func RunTokens(t *testing.T, open func(t *testing.T) OpenedTokens) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, o OpenedTokens)
	}{
		{"Tokens", testTokens},
		{"TokenOnce", testTokenOnce},
		{"TokensAtMost", testTokensAtMost},
		{"TokensAtMostAtOnce", testTokensAtOnce},
		{"PruneTokens", testPruneTokens},
		{"TokensClosed", testTokensClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := open(t)
			for n := range 2 {
				check(t, "CreateOrganisation", o.Organisations.CreateOrganisation(t.Context(), organisation(n+1)))
			}
			tt.run(t, o)
		})
	}
}

func hashOf(n int) []byte {
	sum := sha256.Sum256([]byte(fmt.Sprint("token ", n)))
	return sum[:]
}

// pass returns token n of an organisation, which is open for five minutes from created on.
func pass(n, org int) token.Token {
	at := created.Add(time.Duration(n) * time.Microsecond)
	return token.Token{ID: id("tok_", n), OrgID: id("org_", org), KeyID: id("key_", 1), Created: at, Expires: at.Add(5 * time.Minute)}
}

func testTokens(t *testing.T, o OpenedTokens) {
	ctx, s := t.Context(), o.Tokens
	whole := pass(1, 1)
	whole.Limits = token.Limits{Voice: "sv_a", Language: "hi-IN", MaxCharacters: 100_000, MaxSession: 7200, Origins: []string{"https://a.example", "http://[::1]:3000"}}
	all := []token.Token{whole, pass(2, 1), pass(3, 2)}
	for i, want := range all {
		ok, err := s.Create(ctx, want, hashOf(i+1), 2)
		check(t, "Create", err)
		if got, err := s.ByHash(ctx, hashOf(i+1)); !ok || err != nil {
			t.Fatalf("Create = %v, ByHash = %+v, %v", ok, got, err)
		} else {
			same(t, "ByHash", got, want)
		}
	}
	_, err := s.ByHash(ctx, hashOf(9))
	wantKind(t, "ByHash of an unknown digest", err, fault.NotFound)
	_, err = s.Create(ctx, pass(1, 1), hashOf(9), 9)
	wantKind(t, "Create with an id that is there", err, fault.Conflict)
	_, err = s.Create(ctx, pass(9, 9), hashOf(9), 9)
	wantKind(t, "Create of an unknown organisation", err, fault.NotFound)

	listed := func(org int, at time.Time, limit int, want ...token.Token) {
		t.Helper()
		got, err := s.Open(ctx, id("org_", org), at, limit)
		check(t, "Open", err)
		same(t, "Open", got, want)
	}
	now := created.Add(time.Minute)
	listed(1, now, 10, all[1], all[0])
	listed(1, now, 1, all[1])
	listed(2, now, 10, all[2])
	listed(1, all[0].Expires, 10, all[1]) // at its expiry a token is not open any more
	listed(3, now, 10)

	for _, tt := range []struct {
		org  int
		id   string
		at   time.Time
		want bool
	}{
		{2, all[0].ID, now, false}, // of another organisation
		{1, "tok_none", now, false},
		{1, "a\x00b", now, false},
		{1, all[0].ID, all[0].Expires, false},
		{1, all[0].ID, now, true},
		{1, all[0].ID, now, false},
	} {
		if ok, err := s.Delete(ctx, id("org_", tt.org), tt.id, tt.at); ok != tt.want || err != nil {
			t.Errorf("Delete(%d, %q) = %v, %v, want %v", tt.org, tt.id, ok, err, tt.want)
		}
	}
	listed(1, now, 10, all[1])
	if ok, err := s.Use(ctx, all[0].ID, now); ok || err != nil {
		t.Errorf("Use of a deleted token = %v, %v", ok, err)
	}
}

// testTokenOnce: of many processes that use a token at the same time, one succeeds.
func testTokenOnce(t *testing.T, o OpenedTokens) {
	ctx, stores := t.Context(), []token.Store{o.Tokens}
	if o.Again != nil {
		stores = append(stores, o.Again(t), o.Again(t))
	}
	for n := range 10 {
		v := pass(n+1, 1)
		_, err := o.Tokens.Create(ctx, v, hashOf(n+1), 100)
		check(t, "Create", err)
		var won atomic.Int64
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				ok, err := stores[i%len(stores)].Use(ctx, v.ID, v.Created.Add(time.Second))
				if err != nil {
					t.Error(err)
				}
				if ok {
					won.Add(1)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Fatalf("token %d was used %d times, want once", n+1, won.Load())
		}
		got, err := o.Tokens.ByHash(ctx, hashOf(n+1))
		check(t, "ByHash", err)
		if want := v.Created.Add(time.Second); !got.Used.Equal(want) {
			t.Errorf("used at %v, want %v", got.Used, want)
		}
		if ok, err := o.Tokens.Delete(ctx, v.OrgID, v.ID, v.Created); ok || err != nil {
			t.Errorf("Delete of a used token = %v, %v", ok, err)
		}
	}
	late := pass(90, 1)
	_, err := o.Tokens.Create(ctx, late, hashOf(90), 100)
	check(t, "Create", err)
	if ok, err := o.Tokens.Use(ctx, late.ID, late.Expires); ok || err != nil {
		t.Errorf("Use at the expiry = %v, %v", ok, err)
	}
}

func testTokensAtMost(t *testing.T, o OpenedTokens) {
	ctx := t.Context()
	create := func(v token.Token, n int, want bool) {
		t.Helper()
		if ok, err := o.Tokens.Create(ctx, v, hashOf(n), 2); ok != want || err != nil {
			t.Errorf("Create token %d = %v, %v, want %v", n, ok, err, want)
		}
	}
	create(pass(1, 1), 1, true)
	create(pass(2, 1), 2, true)
	create(pass(3, 1), 3, false)
	create(pass(4, 2), 4, true)
	other := pass(5, 1)
	other.KeyID = account.ConsoleKey
	create(other, 5, true)
	if ok, err := o.Tokens.Use(ctx, id("tok_", 1), created.Add(time.Second)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	create(pass(6, 1), 6, true)
	create(pass(7, 1), 7, false)
	later := pass(8, 1)
	later.Created, later.Expires = later.Expires, later.Expires.Add(time.Minute)
	create(later, 8, true) // the others have expired by then
}

// testTokensAtOnce: calls at the same time do not exceed the number together.
func testTokensAtOnce(t *testing.T, o OpenedTokens) {
	stores := []token.Store{o.Tokens}
	if o.Again != nil {
		stores = append(stores, o.Again(t))
	}
	var made atomic.Int64
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			v := pass(n+1, 1)
			v.Created = created
			ok, err := stores[n%len(stores)].Create(t.Context(), v, hashOf(n), 5)
			if err != nil {
				t.Error(err)
			}
			if ok {
				made.Add(1)
			}
		})
	}
	all.Wait()
	if made.Load() != 5 {
		t.Errorf("%d tokens were made, want 5", made.Load())
	}
}

func testPruneTokens(t *testing.T, o OpenedTokens) {
	ctx := t.Context()
	for n := range 4 {
		v := pass(n+1, 1)
		v.Expires = created.Add(time.Duration(n+1) * time.Minute)
		_, err := o.Tokens.Create(ctx, v, hashOf(n), 9)
		check(t, "Create", err)
	}
	for i, tt := range []struct {
		before time.Duration
		want   int
	}{{time.Minute, 0}, {2*time.Minute + 1, 1}, {2*time.Minute + time.Second, 1}, {time.Hour, 2}, {time.Hour, 0}} {
		if n, err := o.Tokens.Prune(ctx, created.Add(tt.before)); n != tt.want || err != nil {
			t.Errorf("step %d: Prune = %d, %v, want %d", i, n, err, tt.want)
		}
	}
}

func testTokensClosed(t *testing.T, o OpenedTokens) {
	check(t, "Close", o.Close())
	ctx, s := t.Context(), o.Tokens
	_, err := s.Create(ctx, pass(1, 1), hashOf(1), 9)
	wantKind(t, "Create", err, fault.Unavailable)
	_, err = s.ByHash(ctx, hashOf(1))
	wantKind(t, "ByHash", err, fault.Unavailable)
	_, err = s.Use(ctx, id("tok_", 1), created)
	wantKind(t, "Use", err, fault.Unavailable)
	_, err = s.Open(ctx, id("org_", 1), created, 9)
	wantKind(t, "Open", err, fault.Unavailable)
}

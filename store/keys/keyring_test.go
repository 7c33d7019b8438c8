package keys

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/internal/pause"
	"vaak/store/database"
	"vaak/store/database/databasetest"
	"vaak/store/organisations"
	"vaak/store/storetest/pgtest"
)

// answers is a database of credentials that a test changes.
type answers struct {
	mu    sync.Mutex
	err   error
	known map[string]account.Credential
	asked int
	gate  chan struct{} // nil, or look-ups end when it is closed
	tell  func(account.Change)
}

func (a *answers) lookup(ctx context.Context, hash []byte) (account.Credential, error) {
	a.mu.Lock()
	a.asked++
	c, ok := a.known[string(hash)]
	err, gate := a.err, a.gate
	a.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return account.Credential{}, fault.Down(fault.CodeStoreUnavailable, 0, ctx.Err(), "away")
		}
	}
	if err == nil && !ok {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "", "no such key")
	}
	if err != nil {
		return account.Credential{}, err
	}
	return c, nil
}

func (a *answers) watch(ctx context.Context, seen func(account.Change)) error {
	a.mu.Lock()
	a.tell = seen
	a.mu.Unlock()
	<-ctx.Done()
	return ctx.Err()
}

func (a *answers) set(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

func (a *answers) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked
}

var errAway = fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "away")

// ringOf returns a keyring on answers with the keys a and b, of one
// organisation, on the clock of a synctest bubble.
func ringOf(t *testing.T) (*keyring, *answers) {
	t.Helper()
	a := &answers{known: map[string]account.Credential{
		"a": {KeyID: "key_a", OrgID: "org_1"}, "b": {KeyID: "key_b", OrgID: "org_1"}, "c": {KeyID: "key_c", OrgID: "org_2"},
	}}
	k := newKeyring(&database.DB{}, a.lookup, a.watch)
	t.Cleanup(k.close)
	return k, a
}

// wantKey asks for the credential of a hash and checks its key or the kind of
// its error.
func wantKey(t *testing.T, k *keyring, hash, key string, kind fault.Kind) {
	t.Helper()
	c, err := k.credential(t.Context(), []byte(hash), [8]byte{})
	if c.KeyID != key || fault.KindOf(err) != kind {
		t.Errorf("credential(%q) = %q, %v, want %q, kind %q", hash, c.KeyID, err, key, kind)
	}
}

func TestKeyringAges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k, a := ringOf(t)
		for _, tt := range []struct {
			wait  time.Duration
			away  bool
			key   string
			kind  fault.Kind
			asked int
		}{
			{0, false, "key_a", "", 1},
			{keyringFresh - 1, false, "key_a", "", 1},
			{1, false, "key_a", "", 2},
			{keyringFresh, true, "key_a", "", 3},
			{keyringRetry - 1, true, "key_a", "", 3},
			{1, true, "key_a", "", 4},
			{keyringStale - keyringFresh - keyringRetry - 1, true, "key_a", "", 5},
			{1, true, "", fault.Unavailable, 6},
			{time.Hour, true, "", fault.Unavailable, 7},
			{0, false, "key_a", "", 8},
			{time.Second, true, "key_a", "", 8},
		} {
			time.Sleep(tt.wait)
			a.set(func() {
				if a.err = nil; tt.away {
					a.err = errAway
				}
			})
			wantKey(t, k, "a", tt.key, tt.kind)
			if n := a.count(); n != tt.asked {
				t.Errorf("after %v: %d look-ups, want %d", tt.wait, n, tt.asked)
			}
		}
		wantKey(t, k, "nobody", "", fault.Unavailable)
		k.close()
	})
}

func TestKeyringEvictions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		change account.Change
		asked  int // again, of a, b and c
	}{
		{account.Change{Topic: account.TopicKey, ID: "key_a"}, 1},
		{account.Change{Topic: account.TopicKey}, 3},
		{account.Change{Topic: account.TopicOrganisation, ID: "org_1"}, 2},
		{account.Change{Topic: account.TopicOrganisation}, 3},
		{account.Change{Topic: account.TopicPlan, ID: "growth"}, 3},
		{account.Change{Topic: account.TopicKey, ID: "key_of_nobody"}, 0},
	} {
		t.Run(fmt.Sprint(tt.change), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k, a := ringOf(t)
				ask := func() {
					for _, h := range []string{"a", "b", "c"} {
						wantKey(t, k, h, "key_"+h, "")
					}
				}
				ask()
				synctest.Wait() // for the watch
				a.tell(tt.change)
				before := a.count()
				ask()
				if n := a.count() - before; n != tt.asked {
					t.Errorf("%d look-ups, want %d", n, tt.asked)
				}
				k.close()
			})
		})
	}
}

// TestKeyringRace: what was read before a change is not kept after it, and a
// look-up that began before it is not joined.
func TestKeyringRace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k, a := ringOf(t)
		gate := make(chan struct{})
		a.gate = gate
		old := make(chan account.Credential)
		go func() {
			c, _ := k.credential(t.Context(), []byte("a"), [8]byte{})
			old <- c
		}()
		synctest.Wait()
		a.set(func() {
			a.known["a"] = account.Credential{KeyID: "key_a", Revoked: true}
			a.gate = nil
		})
		a.tell(account.Change{Topic: account.TopicKey, ID: "key_a"})
		if c, err := k.credential(t.Context(), []byte("a"), [8]byte{}); err != nil || !c.Revoked {
			t.Errorf("credential after the change = %+v, %v, want it revoked", c, err)
		}
		close(gate)
		<-old
		if c, err := k.credential(t.Context(), []byte("a"), [8]byte{}); err != nil || !c.Revoked {
			t.Errorf("credential after the old look-up ended = %+v, %v, want it revoked", c, err)
		}
		if n := a.count(); n != 2 {
			t.Errorf("%d look-ups, want 2", n)
		}
		k.close()
	})
}

func TestKeyringShares(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k, a := ringOf(t)
		a.gate = make(chan struct{})
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() { wantKey(t, k, "nobody", "", fault.NotFound) })
		}
		synctest.Wait()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := k.credential(gone, []byte("nobody"), [8]byte{}); fault.KindOf(err) != fault.Cancelled {
			t.Errorf("credential for a caller who went away: %v, want Cancelled", err)
		}
		close(a.gate)
		wg.Wait()
		wantKey(t, k, "nobody", "", fault.NotFound)
		if n := a.count(); n != 2 {
			t.Errorf("%d look-ups of an unknown key, want one for all at once and one later", n)
		}
		k.close()
	})
}

// TestKeyringHangs: a database that does not answer is one that is away.
func TestKeyringHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k, a := ringOf(t)
		wantKey(t, k, "a", "key_a", "")
		time.Sleep(keyringFresh)
		a.gate = make(chan struct{})
		begun := time.Now()
		wantKey(t, k, "a", "key_a", "")
		wantKey(t, k, "a", "key_a", "")
		if took := time.Since(begun); took != keyringWait {
			t.Errorf("an old key took %v, want %v once", took, keyringWait)
		}
		wantKey(t, k, "b", "", fault.Unavailable)
		if took := time.Since(begun); took >= 2*time.Second {
			t.Errorf("both took %v", took)
		}
		k.close()
		wantKey(t, k, "b", "", fault.Unavailable)
	})
}

func TestKeyringSize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k, a := ringOf(t)
		hash := func(i int) string { return fmt.Sprint("hash ", i) }
		for i := range keyringSize + 1 {
			a.known[hash(i)] = account.Credential{KeyID: fmt.Sprint("key_", i)}
		}
		for i := range keyringSize {
			wantKey(t, k, hash(i), fmt.Sprint("key_", i), "")
		}
		wantKey(t, k, hash(0), "key_0", "") // used, so not the next to go
		wantKey(t, k, hash(keyringSize), fmt.Sprint("key_", keyringSize), "")
		before := a.count()
		wantKey(t, k, hash(0), "key_0", "")
		if a.count() != before || len(k.held) != keyringSize || k.uses.Len() != keyringSize {
			t.Errorf("%d look-ups, %d and %d held, want 0 and %d", a.count()-before, len(k.held), k.uses.Len(), keyringSize)
		}
		wantKey(t, k, hash(1), "key_1", "")
		if a.count() != before+1 {
			t.Error("the least recently used key was kept")
		}
		k.close()
	})
}

// process is one of several on a database.
type process struct {
	*Keys
	orgs *organisations.Organisations
}

func openProcess(t testing.TB, dsn string) process {
	t.Helper()
	db := databasetest.Open(t, dsn, nil)
	return process{New(db), organisations.New(db)}
}

// processes opens one database of PostgreSQL n times.
func processes(t testing.TB, n int) []process {
	t.Helper()
	dsn := databasetest.Postgres(t)
	out := make([]process, n)
	for i := range out {
		out[i] = openProcess(t, dsn)
	}
	return out
}

// keysIn makes an organisation with n keys, and returns the hash of each.
func keysIn(t testing.TB, s process, n int) (ids []string, hashes [][]byte) {
	t.Helper()
	ctx := t.Context()
	org := account.Organisation{ID: "org_1", Name: "One", Terms: ledger.Terms{Plan: "growth", Mode: ledger.Lots}, Created: time.Now()}
	org.Ceilings = account.Ceilings{RequestsPerMinute: ledger.Unlimited, MaxStreams: ledger.Unlimited}
	if err := s.orgs.CreateOrganisation(ctx, org); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		id := fmt.Sprintf("key_%d", i)
		hash := sha256.Sum256([]byte(id))
		err := s.CreateKey(ctx, account.Key{ID: id, OrgID: org.ID, Label: id, Hash: hash[:], LastFour: "abcd", MonthlyCap: ledger.Unlimited, Created: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		ids, hashes = append(ids, id), append(hashes, hash[:])
	}
	return ids, hashes
}

// untilRevoked asks s until the key of a hash is revoked. It returns when it last began to ask and
// the key was good; zero if it never was.
func untilRevoked(t *testing.T, s process, hash []byte) (good time.Time) {
	for {
		asked := time.Now()
		c, err := s.Credential(t.Context(), hash)
		if err != nil {
			t.Error(err)
			return good
		}
		if c.Revoked {
			return good
		}
		good = asked
		runtime.Gosched()
	}
}

// TestRevocationSpreads: one store revokes, another sees it.
func TestRevocationSpreads(t *testing.T) {
	t.Parallel()
	const keys = 100
	stores := processes(t, 2)
	here, there := stores[0], stores[1]
	ids, hashes := keysIn(t, here, keys)
	warmUp(t, there, hashes)
	late := 0
	for i, id := range ids {
		if err := here.RevokeKey(t.Context(), id, time.Now()); err != nil {
			t.Fatal(err)
		}
		if c, err := here.Credential(t.Context(), hashes[i]); err != nil || !c.Revoked {
			t.Errorf("the store that revoked %s says %+v, %v", id, c, err)
		}
		second, cancel := pause.Within(t.Context(), time.Second)
		untilRevoked(t, there, hashes[i])
		if second.Err() != nil {
			late++
		}
		cancel()
	}
	if late > keys/100 {
		t.Errorf("%d of %d revocations were not seen within a second, want %d at most", late, keys, keys/100)
	}
}

// TestRevocationOnSQLite: no request that begins after another process has revoked its key
// gets what was kept of it, also while others ask and nothing else is committed in between.
func TestRevocationOnSQLite(t *testing.T) {
	t.Parallel()
	const keys = 100
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "vaak.db")
	here, there := openProcess(t, dsn), openProcess(t, dsn)
	ids, hashes := keysIn(t, here, keys)
	warmUp(t, there, hashes)
	stop := make(chan struct{})
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
					_, _ = there.Credential(t.Context(), hashes[i%keys]) // keeps what it finds
				}
			}
		})
	}
	for i, id := range ids {
		if err := here.RevokeKey(t.Context(), id, time.Now()); err != nil {
			t.Fatal(err)
		}
		if c, err := there.Credential(t.Context(), hashes[i]); err != nil || !c.Revoked {
			t.Fatalf("after %s was revoked, the other process says %+v, %v", id, c, err)
		}
	}
	close(stop)
	others.Wait()
}

// TestCredentialWithoutBell: a process that cannot hear of changes keeps nothing.
func TestCredentialWithoutBell(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "vaak.db")
	if err := os.Mkdir(path+"-bell", 0o700); err != nil {
		t.Fatal(err)
	}
	s := openProcess(t, "sqlite:"+path)
	_, hashes := keysIn(t, s, 1)
	warmUp(t, s, hashes)
	if _, err := s.db.Write.DB.ExecContext(t.Context(), "UPDATE api_keys SET revoked_at = 1"); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Credential(t.Context(), hashes[0]); err != nil || !c.Revoked {
		t.Errorf("the credential is %+v, %v; want what the database says", c, err)
	}
}

// warmUp asks for all credentials until the watch of s has been told of one,
// which shows that it listens.
func warmUp(t *testing.T, s process, hashes [][]byte) {
	t.Helper()
	for _, h := range hashes {
		if c, err := s.Credential(t.Context(), h); err != nil || c.Revoked {
			t.Fatalf("Credential = %+v, %v", c, err)
		}
	}
}

// TestRevocationWithoutListening: connections that listen are cut all the time.
func TestRevocationWithoutListening(t *testing.T) {
	t.Parallel()
	stores := processes(t, 2)
	here, there := stores[0], stores[1]
	ids, hashes := keysIn(t, here, 3)
	warmUp(t, there, hashes)
	ctx, stop := context.WithCancel(t.Context())
	cut := make(chan struct{}) // tells that one was
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			var n int
			err := here.db.Read.DB.QueryRowContext(ctx, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
				WHERE datname = current_database() AND query ~ '^LISTEN'`).Scan(&n)
			if err == nil && n > 0 {
				select {
				case cut <- struct{}{}:
				default: // nobody waits for it
				}
			}
			<-tick.C
		}
	})
	for i, id := range ids {
		select {
		case <-cut:
		case <-time.After(10 * time.Second):
			t.Fatal("no connection that listens was there to be cut")
		}
		warmUp(t, there, hashes[i:])
		if err := here.RevokeKey(ctx, id, time.Now()); err != nil {
			t.Fatal(err)
		}
		revoked := time.Now()
		took := max(untilRevoked(t, there, hashes[i]).Sub(revoked), 0)
		t.Logf("good for another %v", took)
		if took >= keyringFresh {
			t.Errorf("a revoked key is good for another %v, want less than %v", took, keyringFresh)
		}
	}
	stop()
	wg.Wait()
}

// TestCredentialInOutage: a known key outlives its database for 30 s.
func TestCredentialInOutage(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t)
	s := openProcess(t, cluster.NewDatabase(t))
	_, hashes := keysIn(t, s, 2)
	now := time.Now()
	s.ring.now = func() time.Time { return now }
	warmUp(t, s, hashes[:1])
	if err := cluster.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		later time.Duration
		hash  []byte
		kind  fault.Kind
	}{
		{0, hashes[0], ""},
		{keyringFresh, hashes[0], ""},
		{0, hashes[1], fault.Unavailable},
		{keyringStale - keyringFresh - time.Millisecond, hashes[0], ""},
		{time.Millisecond, hashes[0], fault.Unavailable},
	} {
		now = now.Add(tt.later)
		second, cancel := pause.Within(t.Context(), time.Second)
		_, err := s.Credential(t.Context(), tt.hash)
		if fault.KindOf(err) != tt.kind {
			t.Errorf("%v later: Credential: %v, want kind %q", tt.later, err, tt.kind)
		}
		if second.Err() != nil {
			t.Errorf("%v later it took more than a second", tt.later)
		}
		cancel()
	}
	if err := cluster.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Credential(t.Context(), hashes[1]); err != nil {
		t.Errorf("Credential after the database is back: %v", err)
	}
}

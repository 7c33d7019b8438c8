package identity

import (
	"crypto/sha256"
	"math"
	"sync"
	"time"

	"vaak/internal/fault"
	"vaak/internal/ratelimit"
	"vaak/internal/recent"
)

// budget is how many failures there may be.
type budget struct {
	minute, hour int // of one account
	pair         int // of one account and one client, in an hour
	fresh        int // of one account in an hour, by clients that have none there yet
}

// Budgets. Each client also has clientMinute failures in all. Guessing a password of 12
// characters takes so many tries that 100 an hour do not matter. A code is one of a million,
// and three of those are valid at once, so it gets a fifth of that.
var (
	passwords = budget{minute: 10, hour: 100, pair: 20, fresh: 300}
	codes     = budget{minute: 5, hour: 20, pair: 10}
)

const (
	clientMinute = 20
	// enteredMinute is how often in a minute a person may prove who they are, by any
	// means: each time costs a hash, a session and an event.
	enteredMinute = 30
	// scopes is how many scopes each limiter counts, in 8 MB. To push one out within its
	// minute, an attacker needs more failures than passwords can be hashed in a minute.
	scopes = 1 << 14
	// knownFor is how long a client is known after somebody has signed in from it.
	knownFor = 30 * 24 * time.Hour
)

// limits counts failures to sign in, in memory, over a minute and over an hour, by
// client, by account and by both.
//
// Failures of others cannot lock out the owner of an account:
//
//   - A client from which a person has signed in is known for that person. There, only
//     their own failures count: neither the budget of the account, which anybody can spend,
//     nor that of the client, which may be a network of many people. After a start of the
//     server no client is known.
//   - One client can spend at most a fifth of the hour of an account. After that, only this
//     client is refused.
//   - When the budget of an account is spent, each client that has not failed there may
//     still try once, up to 300 failures in an hour. So a client that is not known is
//     refused only while hundreds of networks attack the account.
//   - Running sessions, links of invitations and sign-in by an identity provider do not use
//     these limits.
//
// An attempt counts as a failure until its end is known, so that many attempts at once do
// not pass a limit that stops them one by one. Accounts that do not exist are counted like
// those that do, so that the limits do not reveal them.
type limits struct {
	began   time.Time
	mu      sync.Mutex // makes looking and taking one step
	client  *ratelimit.Limiter
	minute  *ratelimit.Limiter
	hour    *ratelimit.Limiter // on a clock that is sixty times slower
	entered *ratelimit.Limiter // who proved who they are, by address
	noted   *ratelimit.Limiter // refusals that left an event
	running *ratelimit.Slots   // attempts that have not ended
	known   *recent.Memory[string, time.Time]
}

func newLimits(now time.Time) *limits {
	return &limits{
		began:  now,
		client: ratelimit.NewLimiter(scopes), minute: ratelimit.NewLimiter(scopes), hour: ratelimit.NewLimiter(2 * scopes),
		entered: ratelimit.NewLimiter(scopes), noted: ratelimit.NewLimiter(scopes / 4), running: ratelimit.NewSlots(),
		known: recent.New[string, time.Time](scopes, nil),
	}
}

// attempt is one try to prove who somebody is, until it ends.
type attempt struct {
	l                     *limits
	b                     budget
	client, account, pair string // scopes; no account is none
	who                   string // scope of the person with the client
	person                string // scope of the person
	known                 bool
}

// begin admits an attempt to prove to be the person with an address by some means, or returns
// how long to wait. The caller must call fail or drop; after the first call both do nothing.
func (l *limits) begin(now time.Time, b budget, means, email, client string) (*attempt, time.Duration) {
	a := &attempt{
		l: l, b: b, client: scope("client", client), account: scope("account", means, email),
		pair: scope("pair", means, email, client), who: scope("who", email, client), person: scope("person", email),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Decided once: fail and drop must count in the scopes that begin has used.
	at, seen := l.known.Get(a.who)
	a.known = seen && now.Sub(at) < knownFor
	if wait := a.wait(now); wait > 0 {
		return nil, wait
	}
	// Under the lock that wait ran in: between a look and its place no other attempt begins.
	for _, s := range a.scopes() {
		l.running.Acquire(s, -1)
	}
	return a, 0
}

// beginClient is begin for a token, which cannot be guessed: only the client is counted.
func (l *limits) beginClient(now time.Time, client string) (*attempt, time.Duration) {
	a := &attempt{l: l, client: scope("client", client)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := a.room(l.client, a.client, now, clientMinute); wait > 0 {
		return nil, wait
	}
	l.running.Acquire(a.client, -1)
	return a, 0
}

// scopes are the scopes that count the attempt while it runs.
func (a *attempt) scopes() []string {
	switch {
	case a.account == "":
		return []string{a.client}
	case a.known:
		return []string{a.client, a.pair}
	default:
		return []string{a.client, a.pair, a.account}
	}
}

// wait returns how long to wait until the attempt may begin; 0 is now. The limiter of hours
// runs on a clock that is sixty times slower, so its answers are multiplied by 60.
func (a *attempt) wait(now time.Time) time.Duration {
	l, slow := a.l, a.l.slow(now)
	wait := l.entered.Look(a.person, now, enteredMinute).RetryAfter
	if a.known {
		return max(wait, a.room(l.minute, a.pair, now, a.b.minute), 60*a.room(l.hour, a.pair, slow, a.b.hour))
	}
	wait = max(wait, a.room(l.client, a.client, now, clientMinute), 60*a.room(l.hour, a.pair, slow, a.b.pair))
	// A client that has not failed with this account gets its own try, so that others cannot
	// lock out the owner by spending the budget of the account.
	all := max(a.room(l.minute, a.account, now, a.b.minute), 60*a.room(l.hour, a.account, slow, a.b.hour))
	if all > 0 && a.fresh(slow) {
		all = 0
	}
	return max(wait, all)
}

// fresh reports whether the client has not failed with the account in the last hour, and
// the account has room for such clients.
func (a *attempt) fresh(slow time.Time) bool {
	return a.b.fresh > 0 && a.room(a.l.hour, a.pair, slow, 1) == 0 && a.room(a.l.hour, a.account, slow, a.b.fresh) == 0
}

// room returns how long to wait until a scope has room for another failure, if all attempts
// that run fail as well; 0 is now.
func (a *attempt) room(l *ratelimit.Limiter, scope string, now time.Time, budget int) time.Duration {
	d := l.Look(scope, now, budget)
	switch {
	case !d.Allowed:
		return d.RetryAfter
	case a.l.running.Running(scope) >= d.Remaining: // each attempt that runs may become a failure
		return time.Second / 60 // one second on the clock of hours
	}
	return 0
}

// slow is the clock on which an hour takes a minute.
func (l *limits) slow(now time.Time) time.Time { return l.began.Add(now.Sub(l.began) / 60) }

// fail ends an attempt that failed.
func (a *attempt) fail(now time.Time) {
	l, slow := a.l, a.l.slow(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.client == "" { // it has ended; see end
		return
	}
	// With a limit that is never reached: begin has checked the budgets, and a failure must
	// always be counted.
	l.client.Take(a.client, now, math.MaxInt32)
	if a.account != "" {
		l.hour.Take(a.pair, slow, math.MaxInt32)
		if a.known {
			l.minute.Take(a.pair, now, math.MaxInt32)
		} else {
			l.minute.Take(a.account, now, math.MaxInt32)
			l.hour.Take(a.account, slow, math.MaxInt32)
		}
	}
	a.end()
}

// enter counts that a person has proved who they are. When they do so too often, it returns
// how long to wait.
func (l *limits) enter(now time.Time, email string) time.Duration {
	return l.entered.Take(scope("person", email), now, enteredMinute).RetryAfter
}

// know records that a person has signed in from a client.
func (l *limits) know(now time.Time, email, client string) {
	l.known.Put(scope("who", email, client), now)
}

// drop ends an attempt that did not fail.
func (a *attempt) drop() {
	a.l.mu.Lock()
	defer a.l.mu.Unlock()
	a.end()
}

func (a *attempt) end() {
	if a.client == "" {
		return
	}
	for _, s := range a.scopes() {
		a.l.running.Release(s)
	}
	a.client = "" // marks the attempt as ended, so that a second call releases nothing
}

// scope returns the key of a counter: a digest, so that its length does not depend on what was
// sent.
func scope(parts ...string) string {
	// Each part is hashed first: joined as they are, "a" and "bc" would equal "ab" and "c".
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		h.Write(sum[:])
	}
	return string(h.Sum(nil))
}

func errLimited(wait time.Duration) error {
	wait = max(time.Second, (wait + time.Second - 1).Truncate(time.Second))
	e := fault.New(fault.RateLimited, fault.CodeRateLimited, "",
		"there were too many attempts; try again in %d seconds", int(wait.Seconds()))
	e.RetryAfter = wait
	return e
}

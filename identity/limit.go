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

// Budgets. A client has clientMinute failures in all. A password is one of so many that
// its hour matters little; a code is one of a million, of which three are good at once.
var (
	passwords = budget{minute: 10, hour: 100, pair: 20, fresh: 300}
	codes     = budget{minute: 5, hour: 20, pair: 10}
)

const (
	clientMinute = 20
	// enteredMinute is how often a person proves who they are, by whatever means: each
	// time costs a hash, a session and an event.
	enteredMinute = 30
	// scopes are remembered by each limiter, which takes 8 MB for so many. To have one
	// forgotten within its minute takes more failures than can be hashed in a minute.
	scopes = 1 << 14
	// knownFor is how long a client is known after somebody has signed in from it.
	knownFor = 30 * 24 * time.Hour
)

// limits counts failures to sign in, in memory, over a minute and over an hour, by
// client, by account and by both.
//
// No one who fails can keep an owner out for ever. A client from which a person has
// signed in is known, and only their own failures there count against it: the budget of
// the account is not asked, which anybody can spend, nor that of the client, which may be
// a network of many. (After the server has started nobody is known yet.) One client alone spends a fifth of an account's hour at most, then only the
// client itself is refused. And when an account's budget is spent, clients that have
// not failed there may still try, once each, up to 300 failures in an hour: so somebody
// who is not known either is kept out only while hundreds of networks take part. Sessions
// that run, links of invitations and an identity provider do not ask these limits at all.
//
// An attempt counts as a failure until its end is known, so that many at once cannot
// pass where one by one they could not. Accounts that do not exist are counted like
// those that do, and nothing tells them apart.
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

// attempt is a try to prove something, until it ends.
type attempt struct {
	l                     *limits
	b                     budget
	client, account, pair string // scopes; no account is none
	who                   string // the person and the client
	person                string // the person
	known                 bool
}

// begin admits an attempt to prove to be the person with an address by some means, or
// says how long to wait. Fail or drop must follow; the second of them does nothing.
func (l *limits) begin(now time.Time, b budget, means, email, client string) (*attempt, time.Duration) {
	a := &attempt{
		l: l, b: b, client: scope("client", client), account: scope("account", means, email),
		pair: scope("pair", means, email, client), who: scope("who", email, client), person: scope("person", email),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at, seen := l.known.Get(a.who)
	a.known = seen && now.Sub(at) < knownFor
	if wait := a.wait(now); wait > 0 {
		return nil, wait
	}
	for _, s := range a.scopes() {
		l.running.Acquire(s, -1)
	}
	return a, 0
}

// beginClient is begin for what cannot be guessed, and is counted to the client alone.
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

// scopes are what the attempt is counted by while it runs.
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

// wait returns how long it takes until the attempt may begin; 0 is now.
func (a *attempt) wait(now time.Time) time.Duration {
	l, slow := a.l, a.l.slow(now)
	wait := l.entered.Look(a.person, now, enteredMinute).RetryAfter
	if a.known {
		return max(wait, a.room(l.minute, a.pair, now, a.b.minute), 60*a.room(l.hour, a.pair, slow, a.b.hour))
	}
	wait = max(wait, a.room(l.client, a.client, now, clientMinute), 60*a.room(l.hour, a.pair, slow, a.b.pair))
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

// room returns how long it takes until a scope has room for another failure, beside
// those that run; 0 is now.
func (a *attempt) room(l *ratelimit.Limiter, scope string, now time.Time, budget int) time.Duration {
	d := l.Look(scope, now, budget)
	switch {
	case !d.Allowed:
		return d.RetryAfter
	case a.l.running.Running(scope) >= d.Remaining:
		return time.Second / 60 // which the hour's clock makes a second
	}
	return 0
}

// slow is the clock on which an hour takes a minute.
func (l *limits) slow(now time.Time) time.Time { return l.began.Add(now.Sub(l.began) / 60) }

// fail ends an attempt that proved nothing.
func (a *attempt) fail(now time.Time) {
	l, slow := a.l, a.l.slow(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.client == "" {
		return
	}
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

// enter counts that a person has proved who they are, or returns how long to wait until
// they may do it again.
func (l *limits) enter(now time.Time, email string) time.Duration {
	return l.entered.Take(scope("person", email), now, enteredMinute).RetryAfter
}

// know remembers that somebody has signed in from a client.
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
	a.client = ""
}

// scope is the key of what is counted, of one length whatever was sent.
func scope(parts ...string) string {
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

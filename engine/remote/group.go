package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"vaak/engine/remote/pool"
	"vaak/engine/remote/settings"
	"vaak/engine/remote/wire"
)

const (
	// tendPause is how often the members of a pool are looked after.
	tendPause = 500 * time.Millisecond
	// lookupPause is how often names are looked up whose addresses are the members.
	lookupPause = 10 * time.Second
	// lookupPatience, healthPatience and trialPatience are how long those may take.
	lookupPatience = 5 * time.Second
	healthPatience = 5 * time.Second
	trialPatience  = 20 * time.Second
	// mostMembers is how many members a pool has at most that are behind names.
	mostMembers = 1000
)

// group is a pool: its members, with the connections to them.
type group struct {
	log *slog.Logger
	tls *tls.Config
	// authorities are what the file of the settings had, in PEM.
	authorities []byte
	pool        *pool.Pool
	figure      figures
	settings    atomic.Pointer[settings.Pool]
	trial       atomic.Pointer[func() (wire.Ask, bool)]

	stop  context.CancelFunc // nil before start
	done  sync.WaitGroup
	again chan struct{} // has the members looked up at once

	mu      sync.Mutex
	servers map[string]*held // by member
	trouble string           // why the members are not known
	streams int              // that use the pool
	retired bool             // no new stream uses it: it is closed after the last
	closed  bool
}

// enter has a stream use the pool, unless it is closed.
func (g *group) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.streams++
	return true
}

// leave ends the use by a stream.
func (g *group) leave() {
	g.mu.Lock()
	g.streams--
	last := g.retired && g.streams == 0 && !g.closed
	g.mu.Unlock()
	if last {
		g.close()
	}
}

// retire closes the pool when no stream uses it.
func (g *group) retire() {
	g.mu.Lock()
	g.retired = true
	idle := g.streams == 0
	g.mu.Unlock()
	if idle {
		g.close()
	}
}

type figures struct{ retries, resumed, replaced, audio atomic.Int64 }

// held is a connection to a server. It is closed when the member has left the pool and nobody uses
// it.
type held struct {
	wire.Server
	users int
	gone  bool
}

func newGroup(p settings.Pool, log *slog.Logger) (*group, error) {
	g := &group{log: log.With("pool", p.Name), servers: map[string]*held{}, again: make(chan struct{}, 1)}
	if p.CA != "" {
		var err error
		if g.authorities, err = os.ReadFile(p.CA); err != nil {
			return nil, fmt.Errorf("pool %s: ca_file: %w", p.Name, err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(g.authorities) {
			return nil, fmt.Errorf("pool %s: ca_file: %s holds no certificate in PEM", p.Name, p.CA)
		}
		g.tls = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	g.settings.Store(&p)
	g.pool = pool.New(pool.Settings{Notice: g.notice}, rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())))
	return g, nil
}

// takes reports whether the pool can go on with other settings: how its servers are reached and
// asked is the same.
func (g *group) takes(p settings.Pool) bool {
	was := *g.settings.Load()
	if p.CA != "" {
		if now, err := os.ReadFile(p.CA); err != nil || !bytes.Equal(now, g.authorities) {
			return false // newGroup says what is wrong
		}
	}
	return was.Kind.Name == p.Kind.Name && was.CA == p.CA && reflect.DeepEqual(was.Target, p.Target)
}

// start has the pool follow its settings.
func (g *group) start(p settings.Pool, trial func() (wire.Ask, bool)) {
	g.settings.Store(&p)
	g.trial.Store(&trial)
	g.gather(context.Background(), false) // what needs no lookup is there at once
	if g.stop != nil {
		select {
		case g.again <- struct{}{}:
		default:
		}
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	g.stop = stop
	g.done.Go(func() { g.tend(ctx) })
}

// close gives all connections up.
func (g *group) close() {
	if g.stop != nil {
		g.stop()
		g.done.Wait()
	}
	g.pool.Set(time.Now(), nil)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for id := range g.servers {
		g.drop(id)
	}
}

// drop gives a connection up when nobody uses it any more. g.mu is held.
func (g *group) drop(id string) {
	h := g.servers[id]
	delete(g.servers, id)
	if h.gone = true; h.users == 0 {
		h.Close()
	}
}

// tend looks after the members: who they are, and whether those that failed are well again.
func (g *group) tend(ctx context.Context) {
	tick := time.NewTicker(tendPause)
	defer tick.Stop()
	var asking sync.WaitGroup
	defer asking.Wait()
	for looked := (time.Time{}); ; {
		if g.named() && time.Since(looked) >= lookupPause {
			g.gather(ctx, true)
			looked = time.Now()
		}
		for _, c := range g.pool.Due(time.Now()) {
			asking.Go(func() { g.check(ctx, c) })
		}
		select {
		case <-ctx.Done():
			return
		case <-g.again:
			g.gather(ctx, true) // also after a lookup that went on with other settings
			looked = time.Now()
		case <-tick.C:
		}
	}
}

// named reports whether some members are behind names.
func (g *group) named() bool {
	for _, m := range g.settings.Load().Members {
		if m.Each {
			return true
		}
	}
	return false
}

// gather finds the members. Without lookup those behind names stay as they are.
func (g *group) gather(ctx context.Context, lookup bool) {
	p := g.settings.Load()
	all, targets := []pool.Member{}, map[string]wire.Target{}
	add := func(m settings.Member, t wire.Target) {
		if _, twice := targets[t.URL]; !twice {
			targets[t.URL] = t
			all = append(all, pool.Member{ID: t.URL, Weight: m.Weight, Streams: m.Streams})
		}
	}
	for _, m := range p.Members {
		t := p.Target
		t.URL, t.TLS = m.URL, g.tls
		if !m.Each {
			add(m, t)
			continue
		}
		if !lookup {
			continue
		}
		addresses, err := addressesOf(ctx, m.URL)
		if g.tell(err); err != nil {
			return // the members that were found stay
		}
		for at, host := range addresses {
			if len(all) >= mostMembers {
				break
			}
			t.URL, t.Host = at, host
			add(m, t)
		}
	}
	if !lookup && g.named() && len(g.members()) > 0 {
		return
	}
	g.connect(targets)
	g.pool.Set(time.Now(), all)
}

func (g *group) members() map[string]*held {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.servers)
}

// tell notes whether the members could be found. What is wrong is logged once.
func (g *group) tell(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.trouble
	if g.trouble = ""; err != nil {
		g.trouble = err.Error()
	}
	if g.trouble != was && err != nil {
		g.log.Error("the members of a pool cannot be looked up", "error", err)
	}
}

// addressesOf returns an address for each server behind the name in a URL, with the name that the
// certificate of the server has.
func addressesOf(ctx context.Context, at string) (map[string]string, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, lookupPatience)
	defer stop()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, ip := range found {
		each := *u
		each.Host = ip.Unmap().String()
		if ip.Unmap().Is6() {
			each.Host = "[" + each.Host + "]"
		}
		if port := u.Port(); port != "" {
			each.Host = net.JoinHostPort(ip.Unmap().String(), port)
		}
		all[each.String()] = u.Host
	}
	return all, nil
}

// connect holds a connection to each of some servers, and to no others.
func (g *group) connect(targets map[string]wire.Target) {
	kind := g.settings.Load().Kind
	g.mu.Lock()
	defer g.mu.Unlock()
	for id := range g.servers {
		if _, stays := targets[id]; !stays {
			g.drop(id)
		}
	}
	for id, t := range targets {
		if g.servers[id] != nil || g.closed {
			continue
		}
		s, err := kind.Dial(t)
		if err != nil {
			g.log.Error("a member of a pool cannot be used", "member", id, "error", err)
			continue
		}
		g.servers[id] = &held{Server: s}
	}
}

// errNoMember means that a member has left the pool.
var errNoMember = &wire.Failure{Reason: wire.Unreachable, Detail: "the member has left the pool"}

// hold returns the connection to a member, which must be let go.
func (g *group) hold(id string) (*held, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.servers[id]
	if h == nil {
		return nil, errNoMember
	}
	h.users++
	return h, nil
}

func (g *group) letGo(h *held) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h.users--; h.users == 0 && h.gone {
		h.Close()
	}
}

// check asks a member that is due how it is, and one that had failed for a few words.
func (g *group) check(ctx context.Context, c pool.Check) {
	first, err := g.ask(ctx, c.Member, c.Speak)
	o := outcome(err)
	o.FirstAudio, o.Cancelled = first, ctx.Err() != nil
	g.pool.Probed(time.Now(), c, o)
}

// ask asks a member how it is; if speech is true, it must say a few words, and the time to its
// first sound is returned.
func (g *group) ask(ctx context.Context, id string, speech bool) (time.Duration, error) {
	h, err := g.hold(id)
	if err != nil {
		return 0, err
	}
	defer g.letGo(h)
	ask, ok := (*g.trial.Load())()
	if !speech || !ok {
		ctx, stop := context.WithTimeoutCause(ctx, healthPatience, errLate)
		defer stop()
		return 0, lateness(ctx, h.Healthy(ctx))
	}
	ctx, stop := context.WithTimeoutCause(ctx, trialPatience, errLate)
	defer stop()
	began := time.Now()
	answer, err := h.Speak(ctx, ask)
	if err != nil {
		return 0, lateness(ctx, err)
	}
	defer answer.Close()
	first := time.Since(began)
	if err := g.checkRate(answer); err != nil {
		return 0, err
	}
	sound, buffer := false, make([]int16, readSamples)
	for {
		n, err := answer.Read(buffer)
		if n > 0 && !sound {
			first, sound = time.Since(began), true
		}
		if err != nil {
			if isEnd(err) {
				return first, nil
			}
			return 0, lateness(ctx, err)
		}
	}
}

// checkRate refuses an answer with another rate than the settings say.
func (g *group) checkRate(a wire.Answer) error {
	if want, got := rateOf(*g.settings.Load()), a.Rate(); got != 0 && got != want {
		return &wire.Failure{Reason: wire.WrongRate, Detail: fmt.Sprintf("its samples are of %d Hz; the settings say %d", got, want)}
	}
	return nil
}

// probeAll has every member say a few words.
func (g *group) probeAll(ctx context.Context) (map[string]time.Duration, map[string]error) {
	took, failed := map[string]time.Duration{}, map[string]error{}
	if g.named() {
		g.gather(ctx, true)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for id := range g.members() {
		all.Go(func() {
			first, err := g.ask(ctx, id, true)
			mu.Lock()
			defer mu.Unlock()
			if took[id] = first; err != nil {
				failed[id] = err
			}
		})
	}
	all.Wait()
	return took, failed
}

func (g *group) status(now time.Time) Pool {
	p := g.settings.Load()
	g.mu.Lock()
	trouble := g.trouble
	g.mu.Unlock()
	return Pool{
		Name: p.Name, Kind: p.Kind.Name, Rate: rateOf(*p), Members: g.pool.Members(now), Trouble: trouble,
		Retries: g.figure.retries.Load(), Resumed: g.figure.resumed.Load(), Replaced: g.figure.replaced.Load(),
		Audio: time.Duration(g.figure.audio.Load()),
	}
}

// notice logs that a member does not get requests any more, or again.
func (g *group) notice(n pool.Notice) {
	switch n.State {
	case pool.Ejected:
		g.log.Warn("a member of a pool gets no requests", "member", n.Member, "reason", string(n.Reason), "until", n.Until)
	case pool.Returning:
		g.log.Info("a member of a pool gets requests again", "member", n.Member)
	}
}

// outcome returns what an error means for a member.
func outcome(err error) pool.Outcome {
	f := &wire.Failure{}
	switch {
	case err == nil:
		return pool.Outcome{}
	case errors.As(err, &f):
		return pool.Outcome{Reason: f.Reason, RetryAfter: f.RetryAfter}
	}
	return pool.Outcome{Reason: wire.Failed}
}

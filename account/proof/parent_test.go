package proof

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/backlog"
	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/store"
)

// bench is a database with organisations, and the processes that work on it.
type bench struct {
	t       *testing.T
	dsn     string
	charges string // directory of the backlog that all share
	db      *store.Store
	svc     *account.Service
	callers []account.Caller
	granted map[string]int64

	mu  sync.Mutex
	sum map[string]tally // by organisation, as the children told
}

// tally adds up what children told of an organisation.
type tally struct {
	acknowledged int64 // characters
	open         int64 // begun and neither acknowledged nor failed
	refused      int64 // that a child was told are not charged
	wanting      int   // operations that were refused for want of balance
}

const organisations = 6

// newBench makes a database with organisations whose plan grants nothing, so
// that only what is granted below can be spent.
func newBench(t *testing.T, dsn string, each int64) *bench {
	t.Helper()
	b := &bench{t: t, dsn: dsn, charges: filepath.Join(t.TempDir(), "charges"), granted: map[string]int64{}, sum: map[string]tally{}}
	ctx := t.Context()
	var err error
	if b.db, err = store.Open(ctx, store.Config{DSN: dsn}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, "close the store", b.db.Close()) })
	check(t, "migrate", b.db.Migrate(ctx))
	kept, err := backlog.Open(backlog.Config{Dir: b.charges})
	check(t, "open the backlog", err)
	t.Cleanup(func() { check(t, "close the backlog", kept.Close()) })
	if b.svc, err = account.New(account.Config{Store: b.db, Backlog: kept}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, "close the accounts", b.svc.Close(context.Background())) })
	check(t, "set plan", b.svc.SetPlan(ctx, ledger.Plan{ID: "bare", MonthlyCharacters: 0, RequestsPerMinute: -1, MaxStreams: -1}))
	for i := range organisations {
		b.add(fmt.Sprint("Organisation ", i), each)
	}
	return b
}

// add makes an organisation with a key and three lots of different ends.
func (b *bench) add(name string, each int64) {
	b.t.Helper()
	ctx := b.t.Context()
	o, err := b.svc.CreateOrganisation(ctx, name, "bare")
	check(b.t, "create organisation", err)
	_, k, err := b.svc.CreateKey(ctx, o.ID, account.KeyRequest{Label: "proof"})
	check(b.t, "create key", err)
	b.callers = append(b.callers, account.Caller{OrgID: o.ID, KeyID: k.ID, Plan: "bare", Metered: true})
	for i := range 3 {
		b.grant(o.ID, each/3, time.Duration(i)*time.Hour)
	}
}

// addUnlimited makes an organisation whose characters are only counted.
func (b *bench) addUnlimited(name string) {
	b.t.Helper()
	ctx := b.t.Context()
	o, err := b.svc.CreateOrganisation(ctx, name, account.PlanUnlimited)
	check(b.t, "create organisation", err)
	_, k, err := b.svc.CreateKey(ctx, o.ID, account.KeyRequest{Label: "proof"})
	check(b.t, "create key", err)
	b.callers = append(b.callers, account.Caller{OrgID: o.ID, KeyID: k.ID, Plan: account.PlanUnlimited})
}

func (b *bench) grant(orgID string, n int64, ends time.Duration) {
	b.t.Helper()
	r := account.GrantRequest{Characters: n}
	if ends > 0 {
		r.Expires = time.Now().Add(ends)
	}
	_, err := b.svc.Grant(b.t.Context(), orgID, r)
	check(b.t, "grant", err)
	b.granted[orgID] += n
}

// child is a running process.
type child struct {
	cmd    *exec.Cmd
	opened chan struct{} // closed when it has the database open
	synced chan struct{} // has one when charges of its own are on disk
	ended  chan struct{} // closed when all it said was heard and it has ended
	err    error
	stderr strings.Builder
}

func (b *bench) start(o orders) *child {
	b.t.Helper()
	o.DSN, o.Charges, o.Callers = b.dsn, b.charges, b.callers
	text, err := json.Marshal(o)
	check(b.t, "encode orders", err)
	c := &child{cmd: exec.Command(os.Args[0]), opened: make(chan struct{}), synced: make(chan struct{}, 1), ended: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), ordersVariable+"="+string(text))
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	check(b.t, "pipe", err)
	check(b.t, "start a child", c.cmd.Start())
	go func() {
		defer close(c.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			switch lines.Text() {
			case opened:
				close(c.opened)
			case synced:
				select {
				case c.synced <- struct{}{}:
				default:
				}
			}
			b.hear(lines.Text())
		}
		c.err = c.cmd.Wait()
	}()
	b.t.Cleanup(func() { c.kill() })
	return c
}

// ready waits until a child works.
func (c *child) ready(t *testing.T) {
	t.Helper()
	select {
	case <-c.opened:
	case <-c.ended:
		t.Fatalf("a child ended with %v: %s", c.err, &c.stderr)
	}
}

// keeps waits until charges of a child are on disk, or it has ended: those of another are
// posted by that one, so their number alone tells nothing of what this one will post.
func (c *child) keeps(t *testing.T) {
	t.Helper()
	select {
	case <-c.synced:
	case <-c.ended:
	case <-time.After(time.Minute):
		t.Fatal("a child keeps no charges")
	}
}

func (c *child) kill() {
	_ = c.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
	<-c.ended
}

// stop tells a child to finish what it does and end.
func (c *child) stop(t *testing.T) {
	t.Helper()
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	c.finish(t)
}

// died waits for a child that kills itself.
func (c *child) died(t *testing.T, at backlog.Step) {
	t.Helper()
	select {
	case <-c.ended:
	case <-time.After(time.Minute):
		t.Fatalf("a child did not come to %s", at)
	}
	if c.cmd.ProcessState.Exited() {
		t.Fatalf("a child ended with %v before it came to %s: %s", c.err, at, &c.stderr)
	}
}

// finish waits for a child that ends by itself.
func (c *child) finish(t *testing.T) {
	t.Helper()
	<-c.ended
	if c.err != nil {
		t.Errorf("a child ended with %v: %s", c.err, &c.stderr)
	}
}

// hear adds up a line of a child.
func (b *bench) hear(line string) {
	var what, org string
	var n int64
	_, _ = fmt.Sscan(line, &what, &org, &n) // a line that was cut off counts as far as it goes
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sum[org]
	switch what {
	case "begin":
		s.open += n
	case "acknowledged":
		s.open -= n
		s.acknowledged += n
	case "failed":
		s.open -= n
		s.refused += n
	case "quota":
		s.wanting++
	default:
		return
	}
	b.sum[org] = s
}

func (b *bench) tally(orgID string) tally {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sum[orgID]
}

// settle waits until no hold and no advance is open, which leases bring about, and returns
// how long that took.
func (b *bench) settle(within time.Duration) time.Duration {
	b.t.Helper()
	began := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		a, err := b.look()
		if fault.KindOf(err) == fault.Unavailable && time.Since(began) < within {
			<-tick.C // a connection that a restart of the database broke
			continue
		}
		check(b.t, "sweep and audit", err)
		if !a.Sound() {
			b.t.Fatalf("the ledger does not add up: %q", a.Faults)
		}
		took := time.Since(began)
		if a.OpenHolds == 0 && a.Advances == 0 {
			return took
		}
		if took > within {
			b.t.Fatalf("%d holds and %d advances are open after %v, want none within %v", a.OpenHolds, a.Advances, took, within)
		}
		<-tick.C
	}
}

// look frees what has lapsed and audits the ledger.
func (b *bench) look() (ledger.Audit, error) {
	if err := b.svc.FollowUp(b.t.Context()); err != nil {
		return ledger.Audit{}, err
	}
	if _, err := b.svc.Sweep(b.t.Context()); err != nil {
		return ledger.Audit{}, err
	}
	return b.svc.Audit(b.t.Context())
}

// verify compares the database with what the children were told. The usage must equal what was
// acknowledged, and all of it must be drawn from what was granted.
func (b *bench) verify() {
	b.t.Helper()
	ctx := b.t.Context()
	if found, err := backlog.Inspect(b.charges); err != nil || found.Charges > 0 || found.Damaged > 0 {
		b.t.Errorf("the backlog has %+v when all is posted: %v", found, err)
	}
	for _, c := range b.callers {
		got, err := charged(ctx, b.svc, c.OrgID)
		check(b.t, "usage", err)
		s := b.tally(c.OrgID)
		if got < s.acknowledged || got > s.acknowledged+s.open {
			b.t.Errorf("%s was charged %d characters; %d were acknowledged, %d in flight and %d refused", c.OrgID, got, s.acknowledged, s.open, s.refused)
		}
		if !c.Metered {
			continue
		}
		r, err := b.svc.Report(ctx, c.OrgID)
		check(b.t, "report", err)
		granted := b.granted[c.OrgID]
		if over := got + r.Balance.Remaining - granted; over != 0 {
			b.t.Errorf("%s was charged %d characters of %d granted and has %d left, which is %d too many",
				c.OrgID, got, granted, r.Balance.Remaining, over)
		}
		b.admits(c, int(r.Balance.Remaining))
	}
	a, err := b.svc.Audit(ctx)
	check(b.t, "audit", err)
	if a.WrittenOff != 0 {
		b.t.Errorf("%d characters are written off, want none", a.WrittenOff)
	}
}

// admits checks that a balance is what can be reserved, to the character.
func (b *bench) admits(c account.Caller, balance int) {
	b.t.Helper()
	if h, err := b.svc.Reserve(b.t.Context(), c, balance+1); err == nil {
		h.Cancel()
		b.t.Errorf("%d characters can be reserved of a balance of %d", balance+1, balance)
	}
	h, err := b.svc.Reserve(b.t.Context(), c, balance)
	if err != nil {
		b.t.Errorf("reserve the whole balance of %d: %v", balance, err)
	}
	h.Cancel()
}

func (b *bench) log(what string, began time.Time) {
	var acknowledged, flying, refused int64
	wanting := 0
	for _, c := range b.callers {
		s := b.tally(c.OrgID)
		acknowledged += s.acknowledged
		flying += s.open
		refused += s.refused
		wanting += s.wanting
	}
	b.t.Logf("%s in %.1f s: %d characters acknowledged, %d in flight, %d refused, %d requests refused for want of balance",
		what, time.Since(began).Seconds(), acknowledged, flying, refused, wanting)
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

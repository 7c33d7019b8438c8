package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vaak/account"
	"vaak/account/backlog"
	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/store"
)

// orders tell a child what to do.
type orders struct {
	DSN        string
	Charges    string // directory of the backlog
	Seed       uint64
	Workers    int
	Operations int  // of all workers together; 0 goes on until the child is killed, or told to stop
	Whole      bool // half of what is spoken is handed over only when it is charged
	Abandon    bool
	Pause      time.Duration // at most, while something is spoken
	Naive      bool          // check first and charge afterwards, as ledgers without holds do
	DieAt      backlog.Step  // kills itself when it comes there; "" does not
	DieAfter   int           // so many times that it comes there and goes on
	Callers    []account.Caller
}

const ordersVariable = "VAAK_PROOF_ORDERS"

func TestMain(m *testing.M) {
	if text := os.Getenv(ordersVariable); text != "" {
		if err := work(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// purse is what an operation pays from.
type purse interface {
	reserve(ctx context.Context, c account.Caller, n int) (hold, error)
	close(ctx context.Context) error
}

type hold interface {
	extend(ctx context.Context, n int) error
	commit(ctx context.Context, n int, delivered bool) error
	cancel()
}

func work(text string) error {
	var o orders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx := context.Background()
	stopped, end := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer end()
	p, err := openPurse(ctx, o)
	if err != nil {
		return err
	}
	say(opened)
	share := make(chan struct{}, max(o.Operations, 1))
	for range o.Operations {
		share <- struct{}{}
	}
	var wg sync.WaitGroup
	failed := make(chan error, o.Workers)
	for w := range o.Workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(o.Seed, uint64(w)))
			for stopped.Err() == nil && (o.Operations == 0 || len(share) > 0) {
				if o.Operations > 0 {
					select {
					case <-share:
					default:
						return
					}
				}
				if err := operate(ctx, p, r, o); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	return errors.Join(<-failed, p.close(ctx))
}

// opened is what a child says when it has the database open.
const opened = "opened"

// synced is what a child says when charges of its own are on disk.
const synced = "synced"

// say tells the parent, in one write, so that lines of workers do not mix and
// nothing waits in a buffer when the child is killed.
func say(format string, args ...any) {
	_, _ = fmt.Printf(format+"\n", args...) // a parent that is gone needs nothing
}

// operate does one random operation.
func operate(ctx context.Context, p purse, r *rand.Rand, o orders) error {
	c := o.Callers[0] // half of all on one organisation
	if r.IntN(2) == 0 {
		c = o.Callers[r.IntN(len(o.Callers))]
	}
	n := 1 + r.IntN(120)
	h, err := p.reserve(ctx, c, n)
	switch fault.KindOf(err) {
	case "":
	case fault.QuotaExceeded:
		say("quota %s %d", c.OrgID, n)
		return nil
	case fault.Unavailable:
		say("down")
		<-time.After(time.Duration(r.IntN(20)) * time.Millisecond) // as a client would
		return nil
	default:
		return fmt.Errorf("reserve: %w", err)
	}
	spoken := r.IntN(n + 1)
	switch what := r.IntN(20); {
	case what == 0:
		h.cancel()
		return nil
	case what == 1 && o.Abandon:
		return nil // nobody will ever hear of it again
	case what < 5:
		more := 1 + r.IntN(60)
		if err := h.extend(ctx, more); err == nil {
			spoken = n + more
		}
	}
	if o.Pause > 0 {
		<-time.After(rand.N(o.Pause)) // what speaking takes
	}
	delivered := !o.Whole || r.IntN(2) == 0
	say("begin %s %d", c.OrgID, spoken)
	if err := h.commit(ctx, spoken, delivered); err != nil {
		say("failed %s %d", c.OrgID, spoken)
		switch kind := fault.KindOf(err); {
		case kind == fault.Unavailable:
			return nil
		}
		return fmt.Errorf("commit: %w", err)
	}
	say("acknowledged %s %d", c.OrgID, spoken)
	if r.IntN(20) == 0 {
		if err := h.commit(ctx, spoken, delivered); err == nil && !o.Naive {
			return errors.New("a hold was committed twice")
		}
	}
	return nil
}

func openPurse(ctx context.Context, o orders) (purse, error) {
	if o.Naive {
		return openNaive(ctx, o.DSN)
	}
	db, err := store.Open(ctx, store.Config{DSN: o.DSN})
	if err != nil {
		return nil, err
	}
	m := &mortal{Store: db, at: o.DieAt, after: int64(o.DieAfter)}
	if m.kept, err = backlog.Open(backlog.Config{Dir: o.Charges, Reached: m.reached}); err != nil {
		return nil, err
	}
	svc, err := account.New(account.Config{Store: m, Backlog: m.kept, Lanes: 4})
	if err != nil {
		return nil, err
	}
	if !o.Abandon { // else nothing keeps abandoned holds alive
		svc.Start(ctx)
	}
	return &realPurse{db, m.kept, svc}, nil
}

// Steps of what is in the backlog, beside its own.
const (
	posting backlog.Step = "posting" // it is in a transaction
	posted  backlog.Step = "posted"  // the transaction is committed, and nobody knows yet
)

// mortal is a store whose process dies at a step.
type mortal struct {
	account.Store
	kept  *backlog.Backlog
	at    backlog.Step
	after int64
	times atomic.Int64
}

func (m *mortal) reached(s backlog.Step) {
	if s == backlog.Synced {
		say(synced)
	}
	if s == m.at && m.times.Add(1) > m.after {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (m *mortal) Post(ctx context.Context, o account.Opening, turn func(time.Time, map[string]*ledger.Book) (account.Posting, error)) error {
	late := false
	err := m.Store.Post(ctx, o, func(now time.Time, books map[string]*ledger.Book) (account.Posting, error) {
		p, err := turn(now, books)
		if late = err == nil && len(p.Uses) > 0 && m.kept.Stats().Charges > 0; late {
			m.reached(posting)
		}
		return p, err
	})
	if err == nil && late {
		m.reached(posted)
	}
	return err
}

type realPurse struct {
	db   *store.Store
	kept *backlog.Backlog
	svc  *account.Service
}

func (p *realPurse) reserve(ctx context.Context, c account.Caller, n int) (hold, error) {
	if h, ok := p.svc.Ahead(ctx, c, n); ok { // as speech does
		return realHold{h}, nil
	}
	h, err := p.svc.Reserve(ctx, c, n)
	return realHold{h}, err
}

func (p *realPurse) close(ctx context.Context) error {
	return errors.Join(p.svc.Close(ctx), p.kept.Close(), p.db.Close())
}

type realHold struct{ h *account.Hold }

func (h realHold) extend(ctx context.Context, n int) error {
	if h.h.ExtendAhead(n) {
		return nil
	}
	return h.h.Extend(ctx, n)
}

func (h realHold) commit(ctx context.Context, n int, delivered bool) error {
	return h.h.Commit(ctx, account.Receipt{Characters: n, Audio: time.Second, Voice: "sv_test", Language: "en", Delivered: delivered})
}

func (h realHold) cancel() { h.h.Cancel() }

// charged returns what the database says an organisation was charged, ever.
func charged(ctx context.Context, svc *account.Service, orgID string) (n int64, err error) {
	used, err := svc.Usage(ctx, orgID, ledger.PeriodOf(time.Now()))
	for _, u := range used {
		n += u.Characters
	}
	return n, err
}

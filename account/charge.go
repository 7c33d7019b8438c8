package account

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"vaak/account/backlog"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// lookUp bounds how long an answer is kept back to learn whether it was charged, where
// there is no backlog.
const lookUp = 2 * WriteTimeout

// charging is the charge for one hold.
type charging struct {
	service *reservations
	charge  backlog.Charge
	op      *operation
	// strict says that nothing is charged unless all of it can be: the hold was given
	// before it was kept, and its answer is not.
	strict bool
	// late says that it counts when it was handed over, not when it is posted.
	late atomic.Bool
	kept atomic.Bool // in the backlog
}

func (v *reservations) newCharging(c backlog.Charge, until time.Time) *charging {
	p := &charging{service: v, charge: c}
	p.op = &operation{org: c.Org, hold: c.ID, key: c.Key, charge: true, until: until, do: p.do}
	return p
}

// start has a lane charge.
func (p *charging) start() { p.service.lane(p.charge.Org).submit(p.op) }

// do charges, in a posting.
func (p *charging) do(now time.Time, b *ledger.Book) (*Use, error) {
	c, at, late := p.charge, now, p.late.Load()
	if late {
		at = c.At
	}
	if p.strict && !late && b.State(c.ID) != ledger.Settled {
		if _, err := b.Raise(c.ID, c.Key, c.Characters, now.Add(Lease)); err != nil {
			return nil, err
		}
	}
	charge := b.Charge
	if c.Counted {
		charge = b.Count
	}
	paid, err := charge(c.ID, c.Key, c.Characters, at)
	if err != nil || paid.Again {
		return nil, err
	}
	return &Use{
		OrgID: c.Org, KeyID: c.Key, Day: at.UTC().Format(dayLayout), Voice: c.Voice, Language: c.Language,
		Requests: 1, Characters: c.Characters, Audio: time.Duration(c.AudioMs) * time.Millisecond,
	}, nil
}

// settle charges for a hold. A charge that a posting has taken may be written,
// whatever became of the posting, so it is tried again under its id until that is
// known. One that takes long goes to the backlog, where it is safe, so that nobody
// waits for it. Where there is none, what was certainly not charged is refused unless
// the listener has it already, and the lane sees the others through.
func (v *reservations) settle(h *Hold, r Receipt) error {
	c := backlog.Charge{
		ID: h.id, Org: h.caller.OrgID, Key: h.caller.keptKey(), Counted: !h.kept.Load() && !h.early,
		Characters: int64(r.Characters), AudioMs: r.Audio.Round(time.Millisecond).Milliseconds(),
		Voice: r.Voice, Language: r.Language, At: v.now(),
	}
	var until time.Time
	if r.Delivered || v.backlog != nil {
		until = always
	}
	if err := h.Refused(); err != nil && !r.Delivered {
		v.holds.remove(h.id)
		v.release(h)
		return err
	}
	p := v.newCharging(c, until)
	p.strict = h.early && !r.Delivered
	p.start()
	answered := func(err error) {
		if fault.KindOf(err) == fault.QuotaExceeded && p.strict && p.kept.Load() {
			v.recharge(c) // it was answered while it was being refused
			v.holds.remove(h.id)
			return
		}
		v.settled(h, p, err, true)
	}
	for waited := time.Duration(0); !p.op.within(patience); waited += patience {
		switch {
		case p.keep():
		case !r.Delivered && p.op.drop():
			err := errStoreDown(errPatience)
			v.settled(h, p, err, false)
			return err
		case !r.Delivered && waited < lookUp, waited < WriteTimeout && v.outage.failed.Load() == nil:
			continue
		}
		if p.op.leave(answered) {
			v.totals.late.Add(1)
			return nil
		}
	}
	<-p.op.done
	err := p.op.err
	// While the service closes nobody learns any more what becomes of a charge.
	owed := r.Delivered || fault.KindOf(err) == fault.Unavailable && (p.op.unknown() || p.keep())
	v.settled(h, p, err, owed)
	if owed && fault.KindOf(err) == fault.Unavailable {
		return nil
	}
	return err
}

// keep puts the charge into the backlog; false when that cannot be done.
func (p *charging) keep() bool {
	s := p.service
	if s.backlog == nil || p.kept.Load() {
		return p.kept.Load()
	}
	p.late.Store(true) // before it can be read from there
	if err := s.backlog.Append(p.charge); err != nil {
		s.log.Error("a charge cannot be kept on disk", "organisation", p.charge.Org, "key", p.charge.Key, "error", err)
		return false
	}
	p.kept.Store(true)
	return true
}

// settled forgets a hold whose charge has come to its end. Owed says that it is
// answered, or handed over, whatever became of the charge.
func (v *reservations) settled(h *Hold, p *charging, err error, owed bool) {
	v.holds.remove(h.id)
	if owed && fault.KindOf(err) == fault.Unavailable && p.keep() {
		return // the service is closing; who claims the backlog charges for it
	}
	p.ended(err, owed)
	if err != nil && !owed && (h.kept.Load() || h.early) {
		v.release(h)
	}
}

// ended counts a charge that was posted or cannot be.
func (p *charging) ended(err error, owed bool) {
	s, c := p.service, p.charge
	switch {
	case err == nil:
		s.totals.charged.Add(c.Characters)
	case owed && p.kept.Load():
		s.log.Error("a charge on disk cannot be posted; it stays there", "organisation", c.Org, "key", c.Key, "characters", c.Characters, "error", err)
		return
	case owed:
		s.lose(c, err)
	}
	if p.kept.Load() {
		s.backlog.Done(c.ID)
	}
}

func (v *reservations) lose(c backlog.Charge, err error) {
	v.totals.lost.Add(1)
	v.log.Error("a charge was lost", "organisation", c.Org, "key", c.Key, "characters", c.Characters, "error", err)
}

// claimEvery is how often the backlog of processes that have died is looked for.
const claimEvery = 5 * time.Second

// followUp posts what processes that have died have left in the backlog, until ctx
// ends.
func (v *reservations) followUp(ctx context.Context) {
	failing := trouble{log: v.log, what: "charges on disk are not followed up"}
	tick := time.NewTicker(claimEvery)
	defer tick.Stop()
	for {
		_, err := v.claim()
		failing.note(ctx, err)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// FollowUp posts what processes that have died have left in the backlog, and returns
// when it is posted or ctx ends; what is not posted then stays.
func (v *reservations) FollowUp(ctx context.Context) error {
	if v.backlog == nil {
		return nil
	}
	claimed, err := v.claim()
	if err != nil {
		return err
	}
	for _, p := range claimed {
		select {
		case <-p.op.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return v.backlog.Tidy()
}

// keptFor is how old a charge in the backlog may be: after that the store may have
// forgotten that it was posted. The difference is for clocks that are wrong.
const keptFor = HeldFor - 24*time.Hour

// claim has the lanes post what was left.
func (v *reservations) claim() (claimed []*charging, err error) {
	left, err := v.backlog.Claim()
	for _, c := range left {
		if age := v.now().Sub(c.At); age > keptFor {
			v.backlog.Done(c.ID)
			v.lose(c, fmt.Errorf("it waited for %v", age.Round(time.Second)))
			continue
		}
		claimed = append(claimed, v.recharge(c))
	}
	if terr := v.backlog.Tidy(); err == nil {
		err = terr
	}
	return claimed, err
}

// recharge has the lanes post a charge that is in the backlog.
func (v *reservations) recharge(c backlog.Charge) *charging {
	p := v.newCharging(c, always)
	p.late.Store(true)
	p.kept.Store(true)
	p.start()
	end := func(err error) {
		if fault.KindOf(err) != fault.Unavailable {
			p.ended(err, true)
		}
	}
	if !p.op.leave(end) {
		end(p.op.err)
	}
	return p
}

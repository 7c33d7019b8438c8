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

// lookUp bounds how long an answer is withheld, when there is no backlog, to learn whether it
// was charged.
const lookUp = 2 * WriteTimeout

// charging is the charge for one hold.
type charging struct {
	service *reservations
	charge  backlog.Charge
	op      *operation
	advance *advance // of this process, that has the characters; nil when none has
	// late says that the charge counts at the time of the hand-over, not of the posting.
	late   atomic.Bool
	onDisk atomic.Bool // the charge is in the backlog
}

func (v *reservations) newCharging(c backlog.Charge, until time.Time) *charging {
	p := &charging{service: v, charge: c}
	p.op = &operation{org: c.Org, holds: []string{c.ID, c.Advance}, charge: true, until: until, do: p.do}
	return p
}

// start submits the charge to its lane.
func (p *charging) start() { p.service.lane(p.charge.Org).submit(p.op) }

// do books the charge, in a posting.
func (p *charging) do(t *turn, b *ledger.Book) (*Use, error) {
	c, at := p.charge, t.now
	if p.late.Load() {
		at = c.At // a day or a month may have ended since the hand-over
	}
	var paid ledger.Settlement
	var err error
	switch {
	case c.Counted:
		paid, err = b.Count(c.ID, c.Key, c.Characters, at)
	case c.Advance != "":
		paid, err = b.Spend(c.Advance, c.ID, c.Key, c.Characters, at)
	default: // of a program from before there were advances
		paid, err = b.Charge(c.ID, c.Key, c.Characters, at)
	}
	if err == nil && p.advance != nil {
		t.spent[p.advance] += c.Characters
	}
	if err != nil || paid.Again {
		return nil, err // an earlier posting has also booked the use
	}
	return &Use{
		OrgID: c.Org, KeyID: c.Key, Day: at.UTC().Format(dayLayout), Voice: c.Voice, Language: c.Language,
		Requests: 1, Characters: c.Characters, Audio: time.Duration(c.AudioMs) * time.Millisecond,
	}, nil
}

// settle charges for a hold. Once a posting has taken a charge, it may be written even when
// the posting reports an error. So it is tried again until its outcome is known, which its
// id makes safe. A charge that takes long goes to the backlog, and settle returns: it is
// safe there. Without a backlog, settle returns an error for a charge that was certainly
// not written, unless the listener has the audio. The lane goes on with all others.
func (v *reservations) settle(h *Hold, r Receipt) error {
	c := backlog.Charge{
		ID: h.id, Org: h.caller.OrgID, Key: h.caller.keptKey(), Counted: h.advance == nil,
		Characters: int64(r.Characters), AudioMs: r.Audio.Round(time.Millisecond).Milliseconds(),
		Voice: r.Voice, Language: r.Language, At: v.now(),
	}
	// Without a backlog, the charge of an answer that can still be withheld fails with the
	// store. It is retried only when a posting has taken it; see operation.charge.
	var until time.Time
	if r.Delivered || v.backlog != nil {
		until = always
	}
	if h.advance != nil {
		c.Advance = h.advance.id
		v.advances.giveBack(h.advance, int64(h.reserved-r.Characters))
	}
	p := v.newCharging(c, until)
	p.advance = h.advance
	p.start()
	answered := func(err error) { v.settled(p, err, true) }
	for waited := time.Duration(0); !p.op.within(patience); waited += patience {
		switch {
		case p.saveToBacklog():
			// Safe from a crash, so the answer need not wait for the store.
		case !r.Delivered && p.op.drop():
			// No posting has taken the charge, so it is certain that nothing was written.
			err := errStoreDown(errPatience)
			v.settled(p, err, false)
			return err
		case !r.Delivered && waited < lookUp, waited < WriteTimeout && v.outage.failed.Load() == nil:
			// It may be written: wait for the outcome, longer while the audio can still be
			// withheld.
			continue
		}
		if p.op.detach(answered) {
			v.totals.late.Add(1)
			return nil
		}
	}
	<-p.op.done
	err := p.op.err
	// While the service closes, the outcome of a charge may never be known.
	owed := r.Delivered || fault.KindOf(err) == fault.Unavailable && (p.op.unknown() || p.saveToBacklog())
	v.settled(p, err, owed)
	if owed && fault.KindOf(err) == fault.Unavailable {
		return nil
	}
	return err
}

// saveToBacklog writes the charge to the backlog. It returns false when that fails or there is
// no backlog.
func (p *charging) saveToBacklog() bool {
	s := p.service
	if s.backlog == nil || p.onDisk.Load() {
		return p.onDisk.Load()
	}
	// Before Append: another process may claim the charge and book it on the day of c.At. A
	// posting of this process has to name the same day.
	p.late.Store(true)
	if err := s.backlog.Append(p.charge); err != nil {
		s.log.Error("a charge cannot be kept on disk", "organisation", p.charge.Org, "key", p.charge.Key, "error", err)
		return false
	}
	p.onDisk.Store(true)
	return true
}

// settled ends a charge that has an outcome. Owed says that the audio was handed over or will
// be, whatever the outcome.
func (v *reservations) settled(p *charging, err error, owed bool) {
	if owed && fault.KindOf(err) == fault.Unavailable && p.saveToBacklog() {
		return // the service is closing; the process that claims the backlog posts the charge
	}
	if err != nil && p.advance != nil {
		v.advances.giveBack(p.advance, p.charge.Characters)
		v.tend(p.charge.Org, time.Now().Add(Lease))
	}
	p.ended(err, owed)
}

// ended counts a charge that was posted or can never be.
func (p *charging) ended(err error, owed bool) {
	s, c := p.service, p.charge
	switch {
	case err == nil:
		s.totals.charged.Add(c.Characters)
	case owed && p.onDisk.Load():
		s.log.Error("a charge on disk cannot be posted; it stays there", "organisation", c.Org, "key", c.Key, "characters", c.Characters, "error", err)
		return // without Done, so that the next process to claim the file tries it again
	case owed:
		s.lose(c, err)
	}
	// Also when the charge failed and the answer was withheld: no other process may post it.
	if p.onDisk.Load() {
		s.backlog.Done(c.ID)
	}
}

func (v *reservations) lose(c backlog.Charge, err error) {
	v.totals.lost.Add(1)
	v.log.Error("a charge was lost", "organisation", c.Org, "key", c.Key, "characters", c.Characters, "error", err)
}

// claimEvery is how often a process looks for backlogs of processes that have died.
const claimEvery = 5 * time.Second

// followUp posts charges that dead processes have left in the backlog, until ctx ends.
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

// FollowUp posts charges that dead processes have left in the backlog. It returns when they
// are posted or ctx ends; charges that are not posted stay in the backlog.
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

// keptFor is how old a charge in the backlog may be. After [HeldFor] the store may have
// deleted its hold, and could not tell that it was posted before. A day of that is left
// for clocks that are wrong.
const keptFor = HeldFor - 24*time.Hour

// claim takes over charges of dead processes and submits them to the lanes.
func (v *reservations) claim() (claimed []*charging, err error) {
	left, err := v.backlog.Claim()
	for _, c := range left {
		// The store may no longer know that an old charge was posted. To lose it costs the
		// operator; to post it again would charge the customer twice.
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

// recharge submits a charge of the backlog to its lane.
func (v *reservations) recharge(c backlog.Charge) *charging {
	p := v.newCharging(c, always)
	p.late.Store(true)
	p.onDisk.Store(true)
	p.start()
	end := func(err error) {
		if fault.KindOf(err) != fault.Unavailable { // else the service closes, and the charge stays on disk
			p.ended(err, true)
		}
	}
	if !p.op.detach(end) { // the lane was shut, or has posted it by now
		end(p.op.err)
	}
	return p
}

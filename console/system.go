package console

import (
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// System is how the server does.
type System struct {
	Engine   *EngineState // nil where speech does not run
	Jobs     JobState
	Replicas []Replica // processes that serve from the database, this one too
	// ReplicasError says why Replicas are not known; "" when they are.
	ReplicasError string
	Ledger        LedgerState
	Versions      []Fact // of the program, the schema, the engine and so on
	Figures       []Fact // other things worth knowing
}

// EngineState is how the engine does.
type EngineState struct {
	Name    string
	Workers int   // how many utterances may be made at once; 0 is not told
	Crashes int64 // since the server began
	LeftOut int64 // pieces that could not be spoken, since the server began
	// Probed is how long the last utterance that was made to find out took to its
	// audio; 0 when there was none.
	Probed time.Duration
	Error  string // why it does not speak; "" when it does
}

// JobState counts jobs.
type JobState struct {
	Waiting, Running, Retrying int
	Completed                  int           // in the last 24 hours
	Discarded                  int           // failed for good in the last 7 days
	Oldest                     time.Duration // for which the one that is due longest has waited
	Error                      string        // why they are not known; "" when they are
}

// Replica is a process that serves from the same database.
type Replica struct {
	Address string
	Started time.Time // zero: not known
	Self    bool      // the one that answers
}

// LedgerState is the outcome of the last self-check of the books that is known here.
type LedgerState struct {
	At time.Time // zero: this process has made none yet
	ledger.Audit
}

// Fact is a name with a value.
type Fact struct{ Name, Value string }

func (c *Console) systemRoutes() []route {
	return []route{
		get("/system", operators, (*visit).system),
		post("/system/audit", operators, (*visit).auditLedger, (*visit).system),
	}
}

// systemPage is what the page shows.
type systemPage struct {
	System
	Counts account.Stats // of this process
	Fresh  bool          // the books were checked just now
}

func (v *visit) system() error { return v.showSystem(systemPage{}) }

func (v *visit) showSystem(p systemPage) error {
	fresh := p.Ledger
	p.System, p.Counts = v.System(v.r.Context()), v.Accounts.Stats()
	if p.Fresh {
		p.Ledger = fresh
	}
	return v.show("system", "System", p)
}

// auditLedger answers with what it has found, since that may be more than a notice
// holds.
func (v *visit) auditLedger() error {
	if err := v.form(maxForm); err != nil {
		return err
	}
	found, err := v.Accounts.Audit(v.r.Context())
	if err == nil && !found.Sound() {
		v.note("ledger.audit", "", fault.New(fault.Internal, "ledger_unsound", "", "the books do not add up"))
	} else {
		v.note("ledger.audit", "", err)
	}
	if err != nil {
		return err
	}
	return v.showSystem(systemPage{Fresh: true, System: System{Ledger: LedgerState{time.Now(), found}}})
}

// Package system has the page on which operators see how the server does.
package system

import (
	"context"
	"embed"
	"time"

	"vaak/account"
	"vaak/account/ledger"
	"vaak/console/page"
	"vaak/internal/fault"
)

// State is how the server does.
type State struct {
	Engine   *EngineState // nil where speech does not run
	Neural   *NeuralState // nil where speech does not run
	Pools    []PoolState  // of model servers, by name
	Jobs     JobState
	Replicas []Replica // processes that serve from the database, including this one
	// ReplicasError says why Replicas are not known; "" when they are.
	ReplicasError string
	Ledger        LedgerState
	Versions      []Fact // of the program, the schema, the engine and so on
	Figures       []Fact // other things worth knowing
}

// EngineState is how the engine does.
type EngineState struct {
	Name    string
	Workers int   // how many utterances can be made at once; 0 where that is not known
	Crashes int64 // since the server began
	LeftOut int64 // pieces that could not be spoken, since the server began
	// Probed is how long the last test utterance took until its first audio; 0 when there
	// was none.
	Probed time.Duration
	Error  string // why it does not speak; "" when it does
}

// NeuralState is how the engine of added voices does. All counts are since the server began.
type NeuralState struct {
	Runtime  string        // version of ONNX Runtime; "" while it does not run
	Voices   int           // that can speak
	Models   int           // that were added
	Restarts int64         // of the worker
	Audio    time.Duration // spoken
	Factor   float64       // seconds of a processor for a second of audio; 0 where nothing was spoken
	Replaced int64         // sounds for which a voice has another
	Dropped  int64         // sounds for which a voice has none
}

// PoolState is how a pool of model servers does. All counts are since the server began, or since the
// settings reached its servers in another way.
type PoolState struct {
	Name, Kind string
	Rate       int // of its samples, in Hz
	Voices     int // that it speaks first
	Members    []MemberState
	Open       int           // members that get requests
	Audio      time.Duration // received
	Retries    int64         // sentences that another member said before they were heard
	Resumed    int64         // sentences that another member went on with
	Replaced   int64         // sentences that a fallback of the voice said
	Error      string        // why its members are not known; "" when they are
}

// MemberState is how a member of a pool does.
type MemberState struct {
	Address     string
	State       string        // up, returning, ejected or trial
	Busy        bool          // it has said that it has too much to do
	Wait        time.Duration // while ejected: until it is tried
	Streams     int           // requests that run
	MostStreams int           // at once; 0 is no limit
	Outstanding time.Duration // audio that was asked for and has not arrived
	P50, P99    time.Duration // until the first audio, of the last minute; 0 if there was none
	Requests    int64
	Failures    []Count // by reason, the most frequent first
	LastFailure string  // "" if there was none
	LastAt      time.Time
}

// Count is how often something happened.
type Count struct {
	Name string
	N    int64
}

// JobState counts jobs.
type JobState struct {
	Waiting, Running, Retrying int
	Completed                  int           // in the last 24 hours
	Discarded                  int           // failed for good in the last 7 days
	Oldest                     time.Duration // how long the job that is due longest has waited
	Error                      string        // why they are not known; "" when they are
}

// Replica is a process that serves from the same database.
type Replica struct {
	Address string
	Program string    // version of the program; "" is one that does not say it
	Started time.Time // zero: not known
	Self    bool      // this process
}

// LedgerState is the outcome of the last self-check of the books by this process.
type LedgerState struct {
	At time.Time // zero: this process has made none yet
	ledger.Audit
}

// Fact is a name with a value.
type Fact struct{ Name, Value string }

//go:embed *.html
var files embed.FS

// Config is what the page needs.
type Config struct {
	Accounts *account.Service
	State    func(context.Context) State // how the server does
}

// pages serves the page.
type pages struct{ Config }

// New returns the section of the system.
func New(cfg Config) page.Section {
	ps := &pages{cfg}
	return page.Section{Files: files, Routes: []page.Route{
		page.Get("/system", page.Operators, ps.system),
		page.Post("/system/audit", page.Operators, ps.auditLedger, ps.system),
	}}
}

// systemPage is what the page shows.
type systemPage struct {
	State
	Counts account.Stats // of this process
	Fresh  bool          // the books were checked just now
}

func (ps *pages) system(v *page.Visit) error { return ps.showSystem(v, systemPage{}) }

func (ps *pages) showSystem(v *page.Visit, p systemPage) error {
	fresh := p.Ledger
	p.State, p.Counts = ps.State(v.R.Context()), ps.Accounts.Stats()
	if p.Fresh {
		p.Ledger = fresh
	}
	return v.Show("system", "System", p)
}

// auditLedger checks the books and shows what it found. It does not redirect: what it
// found may be more than a notice holds.
func (ps *pages) auditLedger(v *page.Visit) error {
	if err := v.ReadForm(page.MaxForm); err != nil {
		return err
	}
	found, err := ps.Accounts.Audit(v.R.Context())
	if err == nil && !found.Sound() {
		v.Note("ledger.audit", "", fault.New(fault.Internal, "ledger_unsound", "", "the books do not add up"))
	} else {
		v.Note("ledger.audit", "", err)
	}
	if err != nil {
		return err
	}
	return ps.showSystem(v, systemPage{Fresh: true, State: State{Ledger: LedgerState{time.Now(), found}}})
}

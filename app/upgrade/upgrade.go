// Package upgrade tells, before a deployment is upgraded to this program, what the upgrade
// would do: which steps of the schema are pending and for how long they keep others waiting,
// whether the servers that run can go on meanwhile, whether there is a backup and room for
// one, and which commands upgrade and roll back. It changes nothing.
package upgrade

import (
	"context"
	"slices"
	"time"

	"vaak/app/doctor"
	"vaak/internal/checkup"
	"vaak/store"
	"vaak/store/replicas"
)

// Config is the deployment that is to be upgraded.
type Config struct {
	doctor.Config
	// Variables are the names of environment variables that look like settings and are none of
	// this program.
	Variables []string
	// Executable is the path of this program.
	Executable string
	// Voices is the directory of added voices, for the size of a backup.
	Voices string
	// LastBackup is the newest backup or dump; "" is the last one that vaak backup has made.
	LastBackup string
	// BackupDir is where the next backup is written.
	BackupDir string
	// Way is how the deployment runs; "" finds it out.
	Way Way
	// Dump and DumpBack are the commands that dump and restore a database of PostgreSQL, but for
	// the name of the file, which each ends with; unused with SQLite.
	Dump, DumpBack string
}

// Look is a deployment that is looked at, with what earlier checks have found.
type Look struct {
	Config
	patient *doctor.Patient
	found   store.Upgrade
	known   bool   // found is what the database says
	fresh   string // a backup that is not too old; "" is none
}

// New returns a look at a deployment, which must be closed.
func New(cfg Config) *Look {
	if cfg.Way == "" {
		cfg.Way = here()
	}
	return &Look{Config: cfg, patient: doctor.New(cfg.Config)}
}

// Close ends the engine that a check has started.
func (l *Look) Close() { l.patient.Close() }

// ofDoctor are the checks of the doctor that say whether this program can serve here.
var ofDoctor = []string{"program", "settings", "data", "store", "files", "formats", "engine", "languages", "neural", "pools"}

// Checks returns all checks. One that another needs comes before it.
func (l *Look) Checks() []checkup.Check {
	all := []checkup.Check{
		{Name: "variables", Run: l.variables},
		{Name: "schema", Run: l.schema, Limit: 30 * time.Second},
		{Name: "servers", Run: l.servers},
		{Name: "backup", Run: l.backup},
		{Name: "room", Run: l.room, Limit: 30 * time.Second},
	}
	for _, c := range l.patient.Checks() {
		if slices.Contains(ofDoctor, c.Name) {
			all = append(all, c)
		}
	}
	// What this program is, and its settings, come first; what takes long comes last.
	order := append([]string{"program", "settings", "variables", "data", "store", "files", "schema", "servers", "backup", "room"}, ofDoctor...)
	slices.SortStableFunc(all, func(a, b checkup.Check) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
	return all
}

// Step is a pending step of the schema.
type Step struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	// Oldest is the version from which on programs may use the database after it.
	Oldest   int  `json:"oldest"`
	OnlyAdds bool `json:"only_adds"`
	// Rows is how many rows it reads or writes; -1 if they were not counted.
	Rows int64 `json:"rows"`
	// Seconds is how long it keeps others waiting, estimated; 0 if Rows is -1.
	Seconds float64 `json:"lock_seconds"`
}

// Server is a server that runs.
type Server struct {
	Address string `json:"address"`
	Version string `json:"version"` // of its program; "" if that does not say it
	Schema  int    `json:"schema"`  // that its program knows; 0 if that does not say it
	GoesOn  bool   `json:"goes_on"` // after the pending steps
}

// Plan is what the upgrade does and how it is done.
type Plan struct {
	From    int      `json:"from_schema"`
	To      int      `json:"to_schema"`
	Steps   []Step   `json:"steps"`
	Servers []Server `json:"servers"`
	// Rolling says that servers of both programs may run at the same time.
	Rolling bool `json:"rolling"`
	// Restores says that the old program cannot use the database afterwards, so that to roll back
	// means to restore the backup.
	Restores bool     `json:"roll_back_restores"`
	Upgrade  []string `json:"upgrade"`
	RollBack []string `json:"roll_back"`
}

// firstKept is the first version of the schema whose programs start on a newer database that
// they can use.
const firstKept = 12

// Plan returns what the checks have found out. Without a database that could be read it is
// the zero Plan.
func (l *Look) Plan() Plan {
	if !l.known {
		return Plan{Steps: []Step{}, Servers: []Server{}, Upgrade: []string{}, RollBack: []string{}}
	}
	u := l.found
	p := Plan{From: u.Schema, To: max(u.Schema, u.Known), Steps: []Step{}, Servers: []Server{}, Rolling: true}
	for _, s := range u.Pending {
		p.Steps = append(p.Steps, l.step(s))
	}
	old := u.Schema // what the programs that run know, at the least
	for _, r := range u.Serving {
		s := Server{Address: r.Address, Version: r.Program, Schema: r.Knows, GoesOn: l.knows(r) >= u.After}
		p.Servers, p.Rolling = append(p.Servers, s), p.Rolling && s.GoesOn
		old = min(old, l.knows(r))
	}
	p.Rolling = p.Rolling && u.After <= u.Schema
	p.Restores = old < p.To && (old < firstKept || old < u.After)
	p.Upgrade, p.RollBack = []string{}, []string{}
	if u.Schema <= u.Known { // else this program is not the newer one
		p.Upgrade, p.RollBack = l.commands(p)
	}
	return p
}

// knows returns the version of the schema that the program of a server knows. One that does not
// say it is from before [firstKept], and has brought the database to where it was then.
func (l *Look) knows(r replicas.Replica) int {
	if r.Knows == 0 {
		return min(l.found.Schema, firstKept-1)
	}
	return r.Knows
}

// Costs of a row in a step, in seconds, measured with a million rows of 100 bytes on two cores:
// an index of them took 0.8 s in both databases, a check 0.1 to 0.4 s; to write a column of each
// took 1.7 s in SQLite and 10.1 s in PostgreSQL. A step that adds took under 10 ms.
const (
	readRow         = 1e-6
	fillRowSQLite   = 2e-6
	fillRowPostgres = 10e-6
	addSeconds      = 0.01
)

// step estimates what a pending step costs.
func (l *Look) step(s store.Pending) Step {
	fill := fillRowSQLite
	if l.found.Postgres {
		fill = fillRowPostgres
	}
	out := Step{Version: s.Version, Name: s.Name, Oldest: s.Oldest, OnlyAdds: s.OnlyAdds, Seconds: addSeconds}
	for _, w := range s.Work {
		if w.Rows < 0 {
			out.Rows, out.Seconds = -1, 0
			return out
		}
		cost := fill
		if w.Reads() {
			cost = readRow
		}
		out.Rows += w.Rows
		out.Seconds += float64(w.Rows) * cost
	}
	return out
}

// look reads the database once for all checks.
func (l *Look) look(ctx context.Context) (err error) {
	if !l.known {
		l.found, err = store.InspectUpgrade(ctx, l.Place.DSN())
		l.known = err == nil && l.found.Exists
	}
	return err
}

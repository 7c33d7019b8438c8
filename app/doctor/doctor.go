// Package doctor checks what a server with given settings needs of its machine, and what
// state its data is in. It changes nothing. Each check says what it found, and how to mend
// what is wrong.
package doctor

import (
	"log/slog"
	"time"

	"vaak/app"
	"vaak/internal/checkup"
)

// Config is the deployment to check.
type Config struct {
	app.Config
	File     string // the configuration file; "" is none
	Settings int    // how many settings the file has
	// Faults are the errors of the flags and the file. Some may be nil.
	Faults []error
}

// Patient is a deployment to check, with the state that later checks need from earlier
// ones.
type Patient struct {
	Config
	log   *slog.Logger
	voice voiceBox
}

// New returns a patient, which must be closed.
func New(cfg Config) *Patient {
	return &Patient{Config: cfg, log: slog.New(slog.DiscardHandler)}
}

// Close ends the engine that a check has started.
func (p *Patient) Close() { p.voice.close() }

// Checks returns all checks. One that another needs comes before it: the speech checks use
// the engine that an earlier check has started.
func (p *Patient) Checks() []checkup.Check {
	all := []checkup.Check{
		{Name: "program", Run: p.program},
		{Name: "settings", Run: p.settings},
		{Name: "machine", Run: p.machine},
		{Name: "clock", Run: p.clock},
		{Name: "data", Run: p.data},
		{Name: "disk", Run: p.disk},
		{Name: "secret", Run: p.secret},
		{Name: "store", Run: p.store, Limit: 15 * time.Second},
		{Name: "files", Run: p.files, Limit: filesLimit},
		{Name: "charges", Run: p.charges},
		{Name: "ports", Run: p.ports, Limit: 10 * time.Second},
		{Name: "tls", Run: p.tls},
		{Name: "links", Run: p.links},
	}
	if p.Catalogue {
		all = append(all, checkup.Check{Name: "mail", Run: p.mail, Limit: mailLimit + time.Second})
	}
	if p.Speech {
		all = append(all,
			checkup.Check{Name: "formats", Run: p.formats},
			checkup.Check{Name: "engine", Run: p.engine, Limit: 30 * time.Second},
			checkup.Check{Name: "languages", Run: p.languages, Limit: 90 * time.Second},
			checkup.Check{Name: "speech", Run: p.speaks, Limit: 60 * time.Second},
			checkup.Check{Name: "neural", Run: p.neural, Limit: 60 * time.Second},
			checkup.Check{Name: "pools", Run: p.pools, Limit: poolsLimit},
		)
	}
	return all
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"vaak/account"
	"vaak/audio/codec"
	"vaak/engine/espeak"
	"vaak/internal/checkup"
	"vaak/speech"
)

// voiceBox is the engine and what speaks with it, once they are there. A check that is
// left behind may bring them late.
type voiceBox struct {
	mu      sync.Mutex
	engine  *espeak.Engine
	service *speech.Service // nil until there is an engine
	closed  bool
}

// open starts the engine.
func (b *voiceBox) open(worker, data string, log *slog.Logger) (version string, err error) {
	e, err := espeak.Open(espeak.Config{Worker: worker, Data: data, Logger: log})
	if err != nil {
		return "", err
	}
	// Voices of the file may be wrong, which the settings tell; previews are not made.
	svc, err := newSpeech(e, account.Unmetered{}, &configFile{}, kept{}, log)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil || b.closed {
		return "", errors.Join(err, e.Close())
	}
	b.engine, b.service = e, svc
	return e.Version(), nil
}

// speaker returns what speaks, nil if nothing does.
func (b *voiceBox) speaker() *speech.Service {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.service
}

func (b *voiceBox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.engine != nil {
		_ = b.engine.Close() // it is of no use any more
	}
}

// engine starts the engine.
func (p *patient) engine(context.Context) checkup.Finding {
	worker, err := p.worker()
	if err != nil {
		return checkup.Fail("Name the worker with --espeak-worker.", "%v", err)
	}
	const remedy = "Build the worker (make build) and leave it beside this program, or name it with --espeak-worker; libespeak-ng1 and espeak-ng-data must be installed, or --espeak-data name the directory that holds espeak-ng-data."
	if info, err := os.Stat(worker); err == nil && (info.IsDir() || info.Mode().Perm()&0o111 == 0) {
		return checkup.Fail(remedy, "the espeak worker %s is no program", worker)
	}
	library, err := p.speech.open(worker, p.EspeakData, p.log)
	if err != nil {
		return checkup.Fail(remedy, "%v", err)
	}
	return checkup.Good("libespeak-ng %s, worker %s", library, worker)
}

// formats checks that the shared libraries of the formats are there.
func (p *patient) formats(context.Context) checkup.Finding {
	var there []string
	for _, c := range codec.Available() {
		there = append(there, string(c))
	}
	found := []checkup.Finding{checkup.Good("%s", few(there))}
	var missing []string
	for _, a := range codec.Absent() {
		missing = append(missing, a.Package)
		found = append(found, checkup.Warn("", "%s is refused: %v", a.Codec, a.Err))
	}
	all := checkup.Worst(found...)
	if missing != nil {
		all.Remedy = fmt.Sprintf("Install what is missing: apt-get install %s.", few(missing))
	}
	return all
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"vaak/account"
	"vaak/app/speaker"
	"vaak/audio/codec"
	"vaak/engine/espeak"
	"vaak/internal/checkup"
	"vaak/speech"
)

// voiceBox holds the engine and the speech service on it, once a check has started them. A
// check that runs out of time goes on in the background, so it may start them after the box
// was closed.
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
	// The voices are the built-in ones: those of the file may be wrong, which the check of
	// the settings says.
	svc, err := speaker.New(&speaker.Engines{Embedded: e}, account.Unmetered{}, speaker.Voices{}, speaker.Kept{}, log)
	b.mu.Lock()
	defer b.mu.Unlock()
	// The check ran out of its time and the box was closed meanwhile. Nobody else would end
	// this engine's workers.
	if err != nil || b.closed {
		return "", errors.Join(err, e.Close())
	}
	b.engine, b.service = e, svc.Service
	return e.Version(), nil
}

// speaker returns the speech service; nil when there is none.
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
		_ = b.engine.Close() // nothing depends on how it ends
	}
}

// engine starts the engine.
func (p *Patient) engine(context.Context) checkup.Finding {
	worker, err := p.Engine.Program()
	if err != nil {
		return checkup.Fail("Name the worker with --espeak-worker.", "%v", err)
	}
	const remedy = "Build the worker (make build) and leave it beside this program, or name it with --espeak-worker; libespeak-ng1 and espeak-ng-data must be installed, or --espeak-data name the directory that holds espeak-ng-data."
	if info, err := os.Stat(worker); err == nil && (info.IsDir() || info.Mode().Perm()&0o111 == 0) {
		return checkup.Fail(remedy, "the espeak worker %s is no program", worker)
	}
	library, err := p.voice.open(worker, p.Engine.DataDir(worker), p.log)
	if err != nil {
		return checkup.Fail(remedy, "%v", err)
	}
	return checkup.Good("libespeak-ng %s, worker %s", library, worker)
}

// formats checks that the shared libraries of the formats are there.
func (p *Patient) formats(context.Context) checkup.Finding {
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

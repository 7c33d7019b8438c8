package speaker

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"vaak/app/deployment"
	"vaak/internal/spool"
	"vaak/speech/cache"
)

// Kept is the storage of the speech service on disk: the cache of answers, the buffers of
// answers that are being made, and the previews.
type Kept struct {
	Answers *cache.Cache // nil keeps none
	Whole   *spool.Pool  // answers while they are made whole, before they are sent
	// revision identifies the programs that make answers. A cached answer of another
	// revision is stale.
	revision string
	previews previews
}

// Room configures the storage of a server: where it is and how large it may be.
type Room struct {
	Place       deployment.Place
	Engine      Engine
	Version     string // of this program
	CacheBytes  int64  // 0 keeps no answers
	AnswerBytes int64
}

// Open opens the storage. library is the version of the engine's library.
func (r Room) Open(library string, log *slog.Logger) (Kept, error) {
	k, err := r.openCache(library, log)
	if err != nil {
		return k, err
	}
	// The files in it have no names (O_TMPFILE, or removed once they are open), so servers
	// of one data directory can share it.
	dir := r.Place.In(deployment.Answers)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return k, err
	}
	k.Whole = spool.New(spool.Config{Dir: dir, Disk: r.AnswerBytes})
	k.previews, err = r.openPreviews(library)
	return k, err
}

// openCache opens the cache of answers. If another server uses the directory, for example
// one that is being replaced, this server runs without a cache.
func (r Room) openCache(library string, log *slog.Logger) (Kept, error) {
	if r.CacheBytes == 0 {
		return Kept{}, nil
	}
	revision, err := r.revision(library)
	if err != nil {
		return Kept{}, err
	}
	answers, err := cache.Open(cache.Config{Dir: r.Place.In(deployment.Cache), MaxBytes: r.CacheBytes, Logger: log})
	if errors.Is(err, cache.ErrInUse) {
		log.Warn("answers are not kept", "error", err)
		return Kept{}, nil
	}
	return Kept{Answers: answers, revision: revision}, err
}

// programs returns the paths of the programs that make answers: this one and the worker.
func (r Room) programs() ([]string, error) {
	worker, err := r.Engine.Program()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return []string{self, worker}, nil
}

// revision returns a text that identifies the programs that make answers: the versions, and
// the size and modification time of each program. Two builds may make different answers
// even if they claim the same version.
func (r Room) revision(library string) (string, error) {
	programs, err := r.programs()
	if err != nil {
		return "", err
	}
	// An answer of an older build is stale even where both builds say the same version, as
	// those of developers do. Size and time are enough here, and the start does not wait
	// for a digest.
	revision := r.Version + " " + library
	for _, path := range programs {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		revision += fmt.Sprintf(" %d/%d", info.Size(), info.ModTime().UnixNano())
	}
	return revision, nil
}

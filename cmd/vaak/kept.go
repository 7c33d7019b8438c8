package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"vaak/internal/spool"
	"vaak/speech/cache"
)

// kept is what the speech service keeps: the cache of answers, what its answers are
// good for, and previews.
type kept struct {
	answers  *cache.Cache // nil keeps nothing
	revision string
	previews previewStore
	whole    *spool.Pool // of answers while they are made
}

// answersDir holds answers that are made whole before they are sent, in the data
// directory: files without a name, which go with the process.
const answersDir = "answers"

// openAnswers makes room for answers that are sent when all of them is made.
func (c serveCommand) openAnswers() (*spool.Pool, error) {
	dir := filepath.Join(c.DataDir, answersDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return spool.New(spool.Config{Dir: dir, Disk: c.AnswerBytes}), nil
}

// openCache opens the cache of a server, unless the flag turned it off. A
// directory that another server uses, as one that is just being replaced does,
// is no reason not to start.
func (c serveCommand) openCache(library string, log *slog.Logger) (kept, error) {
	if c.CacheBytes == 0 {
		return kept{}, nil
	}
	worker, err := c.worker()
	if err != nil {
		return kept{}, err
	}
	revision, err := revisionOf(library, worker)
	if err != nil {
		return kept{}, err
	}
	answers, err := cache.Open(cache.Config{Dir: filepath.Join(c.DataDir, "cache"), MaxBytes: c.CacheBytes, Logger: log})
	if errors.Is(err, cache.ErrInUse) {
		log.Warn("answers are not kept", "error", err)
		return kept{}, nil
	}
	return kept{answers: answers, revision: revision}, err
}

// revisionOf names the programs that make answers: two that differ may make
// different ones, whatever versions they claim to be.
func revisionOf(library, worker string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	revision := version + " " + library
	for _, path := range []string{self, worker} {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		revision += fmt.Sprintf(" %d/%d", info.Size(), info.ModTime().UnixNano())
	}
	return revision, nil
}

package cache

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"
)

const (
	restFor   = time.Minute // how long nothing is kept after a failure
	tellEvery = time.Minute // how often the log is written to at most
)

// rest stops new drafts for a while, because the file system failed.
func (c *Cache) rest(doing string, err error) {
	c.mu.Lock()
	c.restUntil = time.Now().Add(restFor)
	c.mu.Unlock()
	c.tell(doing, err)
}

// tell writes a failure to the log, unless one was written a moment ago. Names of
// files are left out, since they are digests of what was asked for.
func (c *Cache) tell(doing string, err error) {
	now := time.Now()
	c.mu.Lock()
	soon := !c.told.IsZero() && now.Sub(c.told) < tellEvery
	if !soon {
		c.told = now
	}
	c.mu.Unlock()
	if soon {
		return
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		err = e.Err
	}
	c.logger.LogAttrs(context.Background(), slog.LevelWarn, "the answer cache failed; answers are not affected",
		slog.String("doing", doing), slog.String("dir", c.dir), slog.Any("error", err))
}

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
	suspendFor = time.Minute // how long no draft begins after a failure
	logEvery   = time.Minute // the least time between two lines in the log
)

// suspend stops new drafts for a while, because the file system failed.
func (c *Cache) suspend(doing string, err error) {
	c.mu.Lock()
	c.suspendedUntil = time.Now().Add(suspendFor)
	c.mu.Unlock()
	c.logFailure(doing, err)
}

// logFailure writes a failure to the log, unless one was written within logEvery. File names
// are left out: they are digests of requests.
func (c *Cache) logFailure(doing string, err error) {
	now := time.Now()
	c.mu.Lock()
	soon := !c.lastLogged.IsZero() && now.Sub(c.lastLogged) < logEvery
	if !soon {
		c.lastLogged = now
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

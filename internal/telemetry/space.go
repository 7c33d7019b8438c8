package telemetry

import (
	"context"
	"fmt"
	"syscall"
)

// Space returns a check that the file system of a directory has at least least bytes free for
// this process.
func Space(dir string, least uint64) func(context.Context) error {
	return func(context.Context) error {
		var fs syscall.Statfs_t
		if err := syscall.Statfs(dir, &fs); err != nil {
			return fmt.Errorf("find the room in the data directory: %w", err)
		}
		// Bavail, and not Bfree, which counts blocks that only root may use.
		if free := uint64(fs.Bavail) * uint64(fs.Bsize); free < least {
			return fmt.Errorf("%d MiB are free in the data directory, under %d", free>>20, least>>20)
		}
		return nil
	}
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vaak/app"
	"vaak/app/deployment"
	"vaak/app/threads"
	"vaak/internal/checkup"
	"vaak/internal/seal"
)

// What a machine should have; docs/operations.md has the same numbers.
const (
	streamsPerCore       = 500     // about what one core carries
	descriptorsPerStream = 3       // its socket, that of the engine, a file
	reserve              = 1 << 30 // bytes of the disk for the database and the files of datasets
	fewInodes            = 10_000
)

// machine checks the processors, how many files the server may have open, and how many
// processes and threads it may have.
func (p *Patient) machine(context.Context) checkup.Finding {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return checkup.Warn("", "the limit of open files cannot be read: %v", err)
	}
	cores := runtime.GOMAXPROCS(0)
	return checkup.Worst(descriptorsFor(limit.Cur, cores), processesFor(threads.Limits(), cores, p.Speech))
}

// descriptorsFor returns the finding for a limit of open files: it must suffice for the
// server alone, and should for the streams that the processors can carry. Programs in Go
// raise the soft limit to the hard one when they start.
func descriptorsFor(limit uint64, cores int) checkup.Finding {
	const raise = "Raise the hard limit: ulimit -Hn in a shell, LimitNOFILE= of a systemd unit, --ulimit nofile= of a container."
	wanted := uint64(app.OwnDescriptors + descriptorsPerStream*streamsPerCore*cores)
	have := fmt.Sprintf("%d processors, %d open files", cores, limit)
	switch {
	case limit < app.OwnDescriptors:
		return checkup.Fail(raise, "%s; the server needs %d before anybody speaks", have, app.OwnDescriptors)
	case limit < wanted:
		return checkup.Warn(raise, "%s; these processors carry streams that need %d", have, wanted)
	}
	return checkup.Good("%s", have)
}

// processesFor judges the limits on processes and threads. A limit must leave room for what
// the server has before it gets any request, and should leave room for the streams that so
// many processors carry, each of which is a process. A server that runs already is among
// the used ones.
func processesFor(limits []threads.Limit, cores int, speaks bool) checkup.Finding {
	remedy := strings.ToUpper(threads.Raise[:1]) + threads.Raise[1:] + "."
	least, wanted := threads.Needed(speaks)
	if speaks {
		wanted += streamsPerCore * cores
	}
	all := []checkup.Finding{}
	for _, l := range limits {
		switch {
		// The least is compared with the whole limit and not with what is left of it: a
		// server that runs already is counted in Used, and it is no fault that it runs.
		case l.Most < least:
			all = append(all, checkup.Fail(remedy, "%v; the server needs %d before anybody asks for anything", l, least))
		case l.Room() < wanted:
			all = append(all, checkup.Warn(remedy, "%v; the server wants %d", l, wanted))
		}
	}
	if len(all) == 0 {
		return checkup.Good("processes enough")
	}
	return checkup.Worst(all...)
}

// ownerRemedy is how to mend a data directory that this user may not use.
const ownerRemedy = "Run the server as the directory's owner, or give it to the server's user."

// data checks the data directory without touching it.
func (p *Patient) data(context.Context) checkup.Finding {
	info, err := os.Stat(p.Place.DataDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		above := existing(p.Place.DataDir)
		if err := mayWrite(above); err != nil {
			return checkup.Fail("Make the directory for the server's user, or name another with --data-dir.", "%s is not there and cannot be made in %s: %v", p.Place.DataDir, above, err)
		}
		return checkup.Good("%s is not there yet; the server makes it", p.Place.DataDir)
	case err != nil:
		return checkup.Fail(ownerRemedy, "%v", err)
	case !info.IsDir():
		return checkup.Fail("Name a directory with --data-dir.", "%s is not a directory", p.Place.DataDir)
	}
	if err := mayWrite(p.Place.DataDir); err != nil {
		return checkup.Fail(ownerRemedy, "%s cannot be written: %v", p.Place.DataDir, err)
	}
	found := checkup.Good("%s, mode %04o", p.Place.DataDir, info.Mode().Perm())
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		found = checkup.Warn("chmod go-w "+p.Place.DataDir, "others may write to %s (mode %04o)", p.Place.DataDir, mode)
	}
	return checkup.Worst(append([]checkup.Finding{found}, p.previews()...)...)
}

// previews warns of a directory of previews that cannot be used. The server runs all the
// same, and renders a preview each time that somebody asks for it.
func (p *Patient) previews() []checkup.Finding {
	dir := p.Place.In(deployment.Previews)
	info, err := os.Stat(dir)
	switch {
	case !p.Speech || errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		return []checkup.Finding{checkup.Warn("Remove the file; the server makes a directory.", "%s is not a directory, so no previews are kept", dir)}
	case err == nil:
		err = unix.Faccessat(unix.AT_FDCWD, dir, unix.R_OK|unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	}
	if err != nil {
		return []checkup.Finding{checkup.Warn(ownerRemedy, "%s cannot be used, so no previews are kept: %v", dir, err)}
	}
	return nil
}

// mayWrite reports, by its error, whether this process may put files into a directory.
func mayWrite(dir string) error {
	return unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}

// existing returns the path, or the nearest directory above it that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// disk checks the room for what the server keeps.
func (p *Patient) disk(ctx context.Context) checkup.Finding {
	dir := existing(p.Place.DataDir)
	var room unix.Statfs_t
	if err := unix.Statfs(dir, &room); err != nil {
		return checkup.Fail("Name another directory with --data-dir.", "%s: %v", dir, err)
	}
	wanted := int64(reserve)
	if p.Speech {
		// What the cache occupies already is not free, so only its growth is wanted. A
		// cache above its bound is about to shrink and wants nothing.
		wanted += max(0, p.CacheBytes-occupied(ctx, p.Place.In(deployment.Cache)))
		wanted += p.AnswerBytes                    // in full: its files have no name, so what is used cannot be counted
		if !deployment.InBucket(p.Place.Objects) { // where they take no room here
			wanted += max(0, p.ClipBytes-occupied(ctx, p.Place.In(deployment.Clips)))
		}
	}
	// Bavail leaves out the blocks that are reserved for root; Bfree would promise them to
	// a server that cannot have them.
	free := int64(room.Bavail) * int64(room.Bsize)
	return checkup.Worst(roomFinding(dir, free, wanted), inodeFinding(room.Files, room.Ffree))
}

func roomFinding(dir string, free, wanted int64) checkup.Finding {
	have := fmt.Sprintf("%s free at %s", bytesText(free), dir)
	switch {
	case free < app.FreeSpace:
		return checkup.Fail("Make room: under "+bytesText(app.FreeSpace)+" the server gets no requests.", "%s", have)
	case free < wanted:
		return checkup.Warn("Make room, or lower --cache-bytes, --answer-bytes and --clip-bytes.", "%s; what may be kept there takes up to %s more", have, bytesText(wanted))
	}
	return checkup.Good("%s", have)
}

// inodeFinding returns the finding for the free inodes: how many more files there can be.
func inodeFinding(all, free uint64) checkup.Finding {
	const mend = "Remove small files that nobody needs, or make a file system with more inodes."
	switch {
	// Such as btrfs, which makes inodes as it needs them and reports 0 for both numbers.
	case all == 0:
		return checkup.Good("no bound on files")
	case free < 100:
		return checkup.Fail(mend, "%d inodes are free", free)
	case free < fewInodes:
		return checkup.Warn(mend, "%d inodes are free, under %d", free, fewInodes)
	}
	return checkup.Good("%d inodes free", free)
}

// occupied returns how many bytes the files below a directory have, 0 when it is not there.
// It stops counting when the context ends.
func occupied(ctx context.Context, dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return nil // what cannot be read is not counted
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// bytesText writes a number of bytes for people.
func bytesText(bytes int64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

// secret checks the file of the secret, which is not made.
func (p *Patient) secret(context.Context) checkup.Finding {
	path := p.Place.SecretPath()
	_, err := seal.Read(path)
	switch {
	case err == nil:
		return checkup.Good("%s", path)
	case errors.Is(err, fs.ErrPermission):
		return checkup.Fail(ownerRemedy, "%v", err)
	case !errors.Is(err, fs.ErrNotExist):
		return checkup.Fail("Mend the file as the line says, or restore it: without it the links that were given out are dead.", "%v", err)
	}
	// The server makes the data directory, and no other directory.
	if above := filepath.Dir(path); filepath.Clean(above) != filepath.Clean(p.Place.DataDir) {
		if err := mayWrite(above); err != nil {
			return checkup.Fail("Make the directory for the server's user.", "%s is not there and cannot be made: %v", path, err)
		}
	}
	return checkup.Good("%s is not there yet; the server makes it, and servers of one deployment share it", path)
}

// few returns a list on one line: its first members, and how many more there are.
func few(list []string) string {
	const most = 8
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(slices.Clone(list[:most]), ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}

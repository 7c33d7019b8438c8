package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"vaak/account/backlog"
	"vaak/app/deployment"
	"vaak/internal/checkup"
	"vaak/store"
)

// How to mend a database.
const (
	newerRemedy  = "Run the newer program, or restore a backup that this one has made."
	damageRemedy = "Stop the server and restore the last backup (vaak restore --force); the damaged file stays beside it."
)

// store looks at the database, and changes nothing in it.
func (p *Patient) store(ctx context.Context) checkup.Finding {
	path, err := store.File(p.Place.DSN())
	switch {
	case errors.Is(err, store.ErrNoFile) && p.Place.DSN() == "sqlite::memory:":
		return checkup.Warn("Name a file or PostgreSQL with --database.", "the database is in memory and gone with the server")
	case errors.Is(err, store.ErrNoFile):
		return p.storeServer(ctx)
	case err != nil:
		return checkup.Fail("Give --database as sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME.", "%v", err)
	}
	return storeFile(ctx, path)
}

// storeFile looks at a database of SQLite.
func storeFile(ctx context.Context, path string) checkup.Finding {
	i, err := store.InspectFile(ctx, path)
	if err != nil {
		return checkup.Fail("If it is the server's file, let its user own it; if it is damaged, restore the last backup (vaak restore --force).", "SQLite, %s: %v", path, err)
	}
	findings := networkDisk(existing(path))
	if !i.Exists {
		above := existing(filepath.Dir(path))
		if err := mayWrite(above); err != nil {
			return checkup.Fail("Let the server's user own the directory, or name another with --database.", "SQLite, %s is not there and cannot be made in %s: %v", path, above, err)
		}
		return checkup.Worst(append(findings, checkup.Good("SQLite, %s is not there yet; the server makes it", path))...)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK|unix.R_OK, unix.AT_EACCESS); err != nil {
		return checkup.Fail("Let the server's user own the file.", "SQLite, %s cannot be written: %v", path, err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		findings = append(findings, checkup.Warn("chmod 600 "+path, "others may use the file (mode %04o)", info.Mode().Perm()))
	}
	return checkup.Worst(append(findings, fileFinding(path, i))...)
}

// fileFinding judges what is in a database of SQLite.
func fileFinding(path string, i store.FileInspection) checkup.Finding {
	what := fmt.Sprintf("SQLite, %s, %s", path, bytesText(i.Bytes))
	mode := "WAL"
	if !i.WAL {
		mode = "not yet in WAL mode, which the server turns on"
	}
	switch {
	case i.Torn:
		return checkup.Warn("Bring back a vaak backup instead of a copy of single files; if no copy was made, start the server, which reads the log.",
			"%s: its log is there without vaak.db-shm, as when files of a running server are copied; it was not looked into", what)
	case i.Damage != "":
		return checkup.Fail(damageRemedy, "%s is damaged: %s", what, i.Damage)
	case i.Oldest > i.Known:
		return checkup.Fail(newerRemedy, "%s is of a newer program: version %d, for programs of version %d and later, and this one is of version %d", what, i.Schema, i.Oldest, i.Known)
	case i.Hurried:
		return checkup.Warn("Check a backup of it at leisure: vaak restore into another --data-dir reads all of it.",
			"%s, version %d of %d, %s; looking for damage took too long and was given up", what, i.Schema, i.Known, mode)
	}
	return checkup.Good("%s, %s, %s, no damage found", what, schemaWords(i.Schema, i.Known), mode)
}

// schemaWords describes the version of a schema that this program can use.
func schemaWords(has, known int) string {
	switch {
	case has == 0:
		return "empty; the server makes its tables"
	case has < known:
		return fmt.Sprintf("version %d; the server brings it to %d", has, known)
	}
	if has > known {
		return fmt.Sprintf("version %d of a newer program, which this one, of version %d, can use", has, known)
	}
	return fmt.Sprintf("version %d", has)
}

// networkDisk warns of file systems on which the locks and the shared memory of SQLite are
// unreliable.
func networkDisk(path string) []checkup.Finding {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return nil // what needs the path tells
	}
	switch uint32(fs.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return []checkup.Finding{checkup.Warn("Put the database on a disk of this machine, or use PostgreSQL.", "SQLite is on a network file system, where it may be damaged")}
	}
	return nil
}

// storeServer looks at a database of PostgreSQL.
func (p *Patient) storeServer(ctx context.Context) checkup.Finding {
	i, err := store.InspectServer(ctx, p.Place.DSN())
	if err != nil {
		return checkup.Fail("See that PostgreSQL runs, can be reached from here and knows the user and the database that --database names.", "%v", err)
	}
	return serverFinding(i)
}

// Bounds of what a server of PostgreSQL should be like.
const (
	oldestPostgres  = 140000 // the oldest that its makers still maintain
	clockTolerance  = time.Second
	leastConnection = 40 // 16 and a few for each of two servers
)

// serverFinding judges a database of PostgreSQL.
func serverFinding(i store.ServerInspection) checkup.Finding {
	what := fmt.Sprintf("PostgreSQL %s, %s", i.Version, schemaWords(i.Schema, i.Known))
	findings := []checkup.Finding{checkup.Good("%s, asked in %.1f ms", what, float64(i.Trip.Microseconds())/1000)}
	add := func(f checkup.Finding) { findings = append(findings, f) }
	if i.Oldest > i.Known {
		add(checkup.Fail(newerRemedy, "PostgreSQL %s: the database is of a newer program: version %d, for programs of version %d and later, and this one is of version %d", i.Version, i.Schema, i.Oldest, i.Known))
	}
	if i.Encoding != "UTF8" {
		add(checkup.Fail("Make a database with createdb --encoding=UTF8.", "the database's encoding is %s", i.Encoding))
	}
	if i.Standby {
		add(checkup.Fail("Name the primary with --database.", "PostgreSQL %s is a standby, to which nothing can be written", i.Version))
	}
	if len(i.Lacking) > 0 {
		add(checkup.Fail("Let the user own the database, or grant it what is missing.", "the user lacks %s", few(i.Lacking)))
	}
	if i.Number < oldestPostgres {
		add(checkup.Warn("Upgrade to a version that is maintained.", "PostgreSQL %s is not maintained any more", i.Version))
	}
	// The question's way there and back takes Trip, in which the clock went on. Only what
	// exceeds it is certainly a difference of the clocks.
	if off := i.Ahead.Abs() - i.Trip; off > clockTolerance {
		add(checkup.Warn("Set both clocks right with a time service.", "its clock and this machine's are %v apart", i.Ahead.Abs().Round(time.Millisecond)))
	}
	if i.Connections < leastConnection {
		add(checkup.Warn("Raise max_connections of PostgreSQL, or give each server fewer with pool_max_conns in --database.", "it allows %d connections in all; a server takes up to 16 and a few", i.Connections))
	}
	return checkup.Worst(findings...)
}

// charges looks at what the database could not take from servers.
func (p *Patient) charges(context.Context) checkup.Finding {
	dir := p.Place.In(deployment.Charges)
	found, err := backlog.Inspect(dir)
	if err != nil {
		return checkup.Fail("Let the server's user own the directory.", "%s: %v", dir, err)
	}
	what := "none wait for the database"
	if found.Charges > 0 {
		what = fmt.Sprintf("%d charges of %d characters wait for the database, the first since %s",
			found.Charges, found.Characters, found.Oldest.UTC().Format(time.RFC3339))
	}
	switch {
	case found.Damaged > 0:
		return checkup.Fail("Look into them before you delete them: they hold one charge after another, each in JSON.",
			"%s; files in %s that cannot be read to their end: %d", what, dir, found.Damaged)
	case found.Charges > 0:
		return checkup.Warn("See that the database works and a server with this data directory runs: it posts them within seconds.", "%s", what)
	}
	return checkup.Good("%s", what)
}

package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vaak/app/backup"
	"vaak/app/deployment"
	"vaak/internal/checkup"
	"vaak/store"
	"vaak/store/replicas"
)

// variables names the variables of the environment that this program does not know. A setting
// that has gone since the program that runs is among them.
func (l *Look) variables(context.Context) checkup.Finding {
	if len(l.Variables) == 0 {
		return checkup.Good("every variable that begins with VAAK_ is a setting")
	}
	return checkup.Warn("See in CHANGELOG.md what has come in their place, or remove them.", "this program has no such settings: %s", strings.Join(l.Variables, ", "))
}

// slow is how long servers may wait for a migration before somebody should choose the hour. After
// 2 s they take PostgreSQL for gone, and after 3 s SQLite (database.AnswerTimeout,
// account.WriteTimeout), and refuse requests.
const slow = 2 // seconds

// secondsPhrase writes an estimate of seconds with the digits that it is worth.
func secondsPhrase(seconds float64) string {
	if seconds >= 10 {
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.2g s", seconds)
}

// schema tells which steps are pending.
func (l *Look) schema(ctx context.Context) checkup.Finding {
	err := l.look(ctx)
	u := l.found
	switch {
	case errors.Is(err, store.ErrNoFile):
		return checkup.Fail("Name the database of the servers with --data-dir or --database.", "the database is in memory and gone with its server")
	case err != nil:
		return checkup.Fail("See the check store, and name the database of the servers with --data-dir or --database.", "%v", err)
	case !u.Exists:
		return checkup.Fail("Name that of the servers with --data-dir or --database.", "there is no database of Vaak at %s", l.where())
	case u.Oldest > u.Known:
		return checkup.Fail("Run the check with the newer program, or restore a backup from before it.",
			"the database is at version %d of a newer program, for programs of version %d and later, and this one is of version %d", u.Schema, u.Oldest, u.Known)
	case u.Schema > u.Known:
		return checkup.Good("none: the database is at version %d of a newer program, which this one, of version %d, can use", u.Schema, u.Known)
	case u.Schema == u.Known:
		return checkup.Good("none: the database is at version %d, as this program", u.Schema)
	}
	return l.pending(l.Plan())
}

// pending judges steps.
func (l *Look) pending(p Plan) checkup.Finding {
	var names []string
	var rows, uncounted int64
	seconds, adds := 0.0, true
	for _, s := range p.Steps {
		names = append(names, fmt.Sprintf("%d (%s)", s.Version, s.Name))
		rows += max(0, s.Rows)
		seconds, adds = seconds+s.Seconds, adds && s.OnlyAdds
		if s.Rows < 0 {
			uncounted++
		}
	}
	what := fmt.Sprintf("from version %d to %d: %s", p.From, p.To, strings.Join(names, ", "))
	wait := fmt.Sprintf("others wait for about %s while they run (%d rows)", secondsPhrase(seconds), rows)
	figures := map[string]float64{"steps": float64(len(p.Steps)), "lock_s": seconds, "rows": float64(rows)}
	var f checkup.Finding
	switch {
	case uncounted > 0:
		f = checkup.Warn("Try it on a copy of the database first.", "%s; tables are too large to count, so nobody knows for how long others wait", what)
	case seconds > slow:
		f = checkup.Warn("Upgrade when few write, or try it on a copy first.", "%s; %s", what, wait)
	case !adds:
		f = checkup.Good("%s; %s; programs from before version %d cannot use it afterwards", what, wait, l.found.After)
	default:
		f = checkup.Good("%s; they only add; %s", what, wait)
	}
	f.Figures = figures
	return f
}

// where names the database without a password.
func (l *Look) where() string {
	if path, err := store.File(l.Place.DSN()); err == nil {
		return path
	}
	return "that place"
}

// unread is the finding of checks that need what could not be read.
var unread = checkup.Skip("the database could not be read")

// servers tells which servers run, and whether they can go on.
func (l *Look) servers(context.Context) checkup.Finding {
	if !l.known {
		return unread
	}
	serving := l.found.Serving
	if len(serving) == 0 {
		return checkup.Good("none was heard of in the last 15 s")
	}
	var all, stuck []string
	versions := map[string]bool{}
	for _, r := range serving {
		versions[r.Program] = true
		all = append(all, named(r))
		if l.knows(r) < l.found.After {
			stuck = append(stuck, r.Address)
		}
	}
	what := fmt.Sprintf("%d: %s", len(serving), strings.Join(all, ", "))
	var f checkup.Finding
	switch {
	case stuck != nil:
		f = checkup.Warn(fmt.Sprintf("Upgrade to a release in between first, or stop all servers before: this program refuses to migrate while they run, since they need a schema from before version %d.", l.found.After),
			"%s; cannot go on after the migrations: %s", what, strings.Join(stuck, ", "))
	case len(versions) > 1:
		f = checkup.Warn("Finish the upgrade that has begun before the next one.", "%s; they run different programs", what)
	case len(l.found.Pending) > 0:
		f = checkup.Good("%s; they go on while the servers are replaced one by one", what)
	default:
		f = checkup.Good("%s", what)
	}
	f.Figures = map[string]float64{"servers": float64(len(serving))}
	return f
}

// named says who a server is.
func named(r replicas.Replica) string {
	if r.Knows == 0 {
		return r.Address + " (a program from before schema version 12)"
	}
	return fmt.Sprintf("%s (%s, schema %d)", r.Address, cmp.Or(r.Program, "unknown"), r.Knows)
}

// stale is the age at which a backup is too old for an upgrade.
const stale = 24 * time.Hour

// backup tells how old the last backup is. Without a fresh one nothing is upgraded that only
// a backup could roll back.
func (l *Look) backup(context.Context) checkup.Finding {
	if !l.known {
		return unread
	}
	complain := checkup.Warn
	if l.Plan().Restores {
		complain = checkup.Fail
	}
	const make = "Make one: the first of the commands below. If a program from before makes it, name its file with --last-backup."
	file := l.LastBackup
	var made time.Time // zero: the time of the file
	var size int64
	if file == "" {
		last, err := backup.ReadLast(l.Place)
		if err != nil {
			return complain(make, "%v", err)
		}
		if file = last.File; file == "" {
			if l.found.Postgres {
				return complain("Make a dump, the first of the commands below, and name its file with --last-backup.", "PostgreSQL does not say when it was dumped")
			}
			return complain(make, "vaak backup has made none of this data directory")
		}
		if deployment.InBucket(file) {
			made, size = last.Created, last.Bytes
		}
	}
	if made.IsZero() {
		info, err := os.Stat(file)
		if err != nil {
			return complain(make, "the last backup is gone: %v", err)
		}
		made, size = info.ModTime(), info.Size()
	}
	age := time.Since(made)
	what := fmt.Sprintf("%s, %s old, %s", file, agePhrase(age), bytesText(size))
	if age > stale {
		return complain(make, "the last one is %s", what)
	}
	l.fresh = file
	f := checkup.Good("%s", what)
	f.Figures = map[string]float64{"age_s": max(0, age.Seconds()), "bytes": float64(size)}
	return f
}

// agePhrase writes how old something is.
func agePhrase(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", int(d.Minutes()))
	case d < 2*24*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// room checks the room for a backup, and for what migrating writes beside the tables.
func (l *Look) room(ctx context.Context) checkup.Finding {
	if !l.known {
		return unread
	}
	size := l.found.Bytes // of a dump
	if !l.found.Postgres {
		size = l.source().Size(ctx)
		if path, err := store.File(l.Place.DSN()); err == nil && filepath.Dir(path) != l.Place.DataDir {
			size += l.found.Bytes
		}
	}
	free, err := freeAt(l.BackupDir)
	if err != nil {
		return checkup.Fail("Name a directory with --backup-dir.", "%v", err)
	}
	what := fmt.Sprintf("a backup takes up to %s, and %s has %s free", bytesText(size), l.BackupDir, bytesText(free))
	findings := []checkup.Finding{checkup.Good("%s", what)}
	if free < size {
		findings = append(findings, checkup.Warn("Make room, or name another directory with --backup-dir.", "%s", what))
	}
	works := slices.ContainsFunc(l.found.Pending, func(p store.Pending) bool { return slices.ContainsFunc(p.Work, store.Work.Writes) })
	if rewrites := l.found.Bytes; !l.found.Postgres && works {
		// A step that does more than to add may write every page once, into the log beside the
		// database.
		path, _ := store.File(l.Place.DSN()) // it was read
		dir := filepath.Dir(path)
		if free, err := freeAt(dir); err == nil && free < rewrites {
			findings = append(findings, checkup.Fail("Make room.", "migrating may write %s, and %s has %s free", bytesText(rewrites), dir, bytesText(free)))
		}
	}
	f := checkup.Worst(findings...)
	f.Figures = map[string]float64{"backup_bytes": float64(size), "free_bytes": float64(free)}
	return f
}

func (l *Look) source() backup.Source { return backup.Source{Place: l.Place, Voices: l.Voices} }

// freeAt returns how many bytes this user may still write to a directory.
func freeAt(dir string) (int64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil
}

// bytesText writes a number of bytes for people.
func bytesText(bytes int64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

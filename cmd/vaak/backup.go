package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"vaak/app/backup"
	"vaak/app/deployment"
	"vaak/app/usage"
	"vaak/store"
)

type backupCommands struct {
	Write backupCommand     `cmd:"" default:"withargs" help:"Copy database and files into one file or object, while the server runs or not. vaak backup FILE is enough."`
	List  backupListCommand `cmd:"" help:"List the backups in a directory or a bucket, the oldest first. A file of the name list is ./list."`
}

type backupCommand struct {
	storeFlags
	File         string `arg:"" help:"File to write, such as vaak-2027-01-31.tar.gz, or s3://BUCKET/PREFIX/NAME.tar.gz?endpoint=URL&region=NAME; it must not be there yet."`
	Secret       string `help:"File of the secret that signs links, which is left out. Default: secret in the data directory." type:"path" placeholder:"FILE"`
	AllowMissing bool   `help:"Go on when a file that a dataset names, or the model of an added voice, is lost, and say which. Without it the backup fails."`
	VoiceDir     string `help:"Directory of the voices that vaak voice add has added. Default: voices in the data directory." placeholder:"DIR" type:"path"`
	SkipVoices   bool   `help:"Leave out the voices that were added, whose models are large."`
	JSON         bool   `help:"Print one object in JSON."`
}

// backedUp is what backup and restore print as JSON.
type backedUp struct {
	Address string `json:"address"`
	backup.Archive
	Schema  int       `json:"schema"`  // version of the database's tables
	Files   int       `json:"files"`   // beside the database
	Models  int       `json:"models"`  // of Files, models of added voices
	Created time.Time `json:"created"` // when it was begun
	Took    float64   `json:"took_ms"`
}

func newBackedUp(address string, m backup.Manifest, whole backup.Archive, began time.Time) backedUp {
	return backedUp{address, whole, m.Schema, len(m.Members) - 1, m.Models(), m.Created, float64(time.Since(began).Microseconds()) / 1000}
}

// notForPostgres returns the error of an address that no program of PostgreSQL writes or reads.
func notForPostgres(file string) error {
	return usage.Errorf("the programs of PostgreSQL write and read files: name a file, and copy it from or to %s", file)
}

// Run writes the archive and says what is in it.
func (c backupCommand) Run(ctx context.Context, s streams) error {
	place := secretFlag{c.Secret}.in(c.place())
	if inPostgres(place) {
		if deployment.InBucket(c.File) {
			return notForPostgres(c.File)
		}
		c.File = kong.ExpandPath(c.File)
		return tellProgram(s, place, "--format=custom --file="+quoted(c.File), "pg_dump")
	}
	if !deployment.InBucket(c.File) {
		c.File = kong.ExpandPath(c.File)
	}
	source := backup.Source{
		Place: place, File: c.File, Program: version, Log: logger(s, slog.LevelWarn),
		Voices: cmp.Or(c.VoiceDir, place.In(deployment.Voices)), WithoutVoices: c.SkipVoices,
	}
	if c.AllowMissing {
		source.Missing = func(what string, why error) error {
			_, err := fmt.Fprintf(s.err, "%s is not in the backup: %v\n", what, why)
			return err
		}
	}
	if tell := s.progress(); deployment.InBucket(c.File) {
		source.Progress = func(n int64) { tell("%d bytes are sent", n) }
	}
	began := time.Now()
	m, whole, err := backup.Write(ctx, source)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.inertJSON(newBackedUp(c.File, m, whole, began))
	}
	_, err = fmt.Fprintf(s.err, "%s holds the database (version %d) and %d other files%s\n", c.File, m.Schema, len(m.Members)-1, withModels(m))
	return err
}

type backupListCommand struct {
	Place string `arg:"" help:"A directory, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME."`
	JSON  bool   `help:"Print one object in JSON."`
}

// Run lists the backups.
func (c backupListCommand) Run(ctx context.Context, s streams) error {
	if !deployment.InBucket(c.Place) {
		c.Place = kong.ExpandPath(c.Place)
	}
	found, err := backup.List(ctx, c.Place)
	if err != nil {
		return err
	}
	if c.JSON {
		return s.inertJSON(struct {
			Place   string          `json:"place"`
			Backups []backup.Listed `json:"backups"`
		}{c.Place, found})
	}
	for _, b := range found {
		if err := s.line(b.Name, strconv.FormatInt(b.Bytes, 10), b.Modified.Format(time.RFC3339)); err != nil {
			return err
		}
	}
	return nil
}

type restoreCommand struct {
	storeFlags
	File     string `arg:"" help:"What vaak backup wrote: a file, or s3://BUCKET/PREFIX/NAME.tar.gz?endpoint=URL&region=NAME."`
	SHA256   string `help:"Refuse an archive with another SHA-256, in hexadecimal; vaak backup --json prints it." name:"sha256" placeholder:"HEX"`
	JSON     bool   `help:"Print one object in JSON."`
	Secret   string `help:"File of the secret that signs links: no archive may hold one of its name. Default: secret in the data directory." type:"path" placeholder:"FILE"`
	Force    bool   `help:"Replace the database that is there. It is kept, as what else is replaced, under a name that ends in .before-restore and the time."`
	MaxBytes int64  `help:"Refuse an archive that holds more bytes, unpacked. Default: ${default}, which is 64 GiB." default:"68719476736" placeholder:"N"`
}

// Run restores and says what was restored.
func (c restoreCommand) Run(ctx context.Context, s streams) error {
	place := secretFlag{c.Secret}.in(c.place())
	if deployment.InBucket(c.File) {
		if inPostgres(place) {
			return notForPostgres(c.File)
		}
	} else if info, err := os.Stat(kong.ExpandPath(c.File)); err != nil || info.IsDir() {
		return usage.Errorf("%s is no file that can be read", c.File)
	} else {
		c.File = kong.ExpandPath(c.File)
	}
	if digest, err := hex.DecodeString(c.SHA256); err != nil || c.SHA256 != "" && len(digest) != sha256.Size {
		return usage.Errorf("--sha256 is 64 hexadecimal digits, not %.100q", c.SHA256)
	}
	if inPostgres(place) {
		return tellProgram(s, place, "--clean --if-exists --no-owner --single-transaction "+quoted(c.File), "pg_restore")
	}
	began := time.Now()
	m, whole, err := backup.Restore(ctx, backup.Target{Place: place, File: c.File, SHA256: c.SHA256, Force: c.Force, MaxBytes: c.MaxBytes})
	if err != nil {
		return err
	}
	if c.JSON {
		return s.inertJSON(newBackedUp(c.File, m, whole, began))
	}
	_, err = fmt.Fprintf(s.err, "restored the database (version %d) and %d other files%s, as they were at %s\n",
		m.Schema, len(m.Members)-1, withModels(m), m.Created.Format(time.RFC3339))
	return err
}

// withModels says how many of the files are models of added voices, if any.
func withModels(m backup.Manifest) string {
	switch n := m.Models(); n {
	case 0:
		return ""
	case 1:
		return " (with a model of added voices)"
	default:
		return fmt.Sprintf(" (with %d models of added voices)", n)
	}
}

// inPostgres reports whether the database of a place is no file.
func inPostgres(p deployment.Place) bool {
	_, err := store.File(p.DSN())
	return errors.Is(err, store.ErrNoFile)
}

// tellProgram prints the line with which a program of PostgreSQL does what was asked for. A
// shell runs the line as it stands. The password is left out.
func tellProgram(s streams, p deployment.Place, args, program string) error {
	name, err := withoutPassword(p.DSN())
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.out, "%s --dbname=%s %s\n", program, quoted(name), args); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.err, "PostgreSQL brings its own program for this: run the line above. "+
		"It asks for the password, or takes it from PGPASSWORD or ~/.pgpass; files of the data directory, added voices among them, are not in it: copy them after the database.\n")
	return err
}

// withoutPassword returns a database URL as PostgreSQL's own programs take it.
func withoutPassword(dsn string) (string, error) {
	u, err := url.Parse(dsn)
	if err != nil { // its error would repeat the password
		return "", usage.Errorf("--database is not of the form postgres://user:password@host/name")
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	for name := range q {
		switch {
		// Settings of the driver pgx, which libpq refuses as unknown, and passwords.
		case strings.HasPrefix(name, "pool_"), strings.Contains(name, "password"), strings.HasSuffix(name, "_exec_mode"), strings.HasSuffix(name, "_cache_capacity"):
			q.Del(name)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// quoted writes a word so that a shell takes it as it is.
func quoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
